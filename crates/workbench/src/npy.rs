//! NumPy's `.npy` files, as far as one-array files of plain numbers go: versions 1 to 3,
//! little-endian, C order.

/// Content of a `.npy` file.
#[derive(Clone, Debug, PartialEq)]
pub struct Npy {
    /// Element type as NumPy writes it, such as `<f4`.
    pub descr: String,
    /// Number of elements, the product of the shape.
    pub len: usize,
    /// Elements, little-endian.
    pub data: Vec<u8>,
}

const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a whole file.
///
/// # Errors
/// Says what is wrong with the file: not NumPy's, Fortran order, shorter or longer than its header
/// says.
pub fn read(bytes: &[u8]) -> Result<Npy, String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("not a .npy file (its first bytes are wrong)")?;
    let (header, data) = match rest {
        [1, _, a, b, rest @ ..] => split(rest, usize::from(u16::from_le_bytes([*a, *b])))?,
        [2 | 3, _, a, b, c, d, rest @ ..] => {
            split(rest, u32::from_le_bytes([*a, *b, *c, *d]) as usize)?
        }
        _ => return Err("unknown version of the .npy format".into()),
    };
    let header = std::str::from_utf8(header).map_err(|_| "the header is not text")?;
    let descr = value_of(header, "descr")?.trim_matches(['\'', '"']).to_string();
    if descr.starts_with('>') {
        return Err(format!(
            "elements are big-endian ({descr}); save them with .astype('<f4') or so"
        ));
    }
    if value_of(header, "fortran_order")?.starts_with("True") {
        return Err("the array is in Fortran order; save numpy.ascontiguousarray(a)".into());
    }
    let shape = value_of(header, "shape")?;
    let mut len = 1usize;
    for n in shape.trim_matches(['(', ')']).split(',').map(str::trim).filter(|n| !n.is_empty()) {
        let n: usize = n.parse().map_err(|_| format!("shape {shape} is not a list of numbers"))?;
        len = len.checked_mul(n).ok_or_else(|| format!("shape {shape} is too large"))?;
    }
    let size: usize = descr
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .map_err(|_| format!("element type {descr} is not a plain number"))?;
    let want = len.checked_mul(size).ok_or_else(|| format!("shape {shape} is too large"))?;
    if data.len() != want {
        return Err(format!("expected {want} bytes of elements, found {}", data.len()));
    }
    Ok(Npy { descr, len, data: data.to_vec() })
}

fn split(bytes: &[u8], at: usize) -> Result<(&[u8], &[u8]), String> {
    bytes.split_at_checked(at).ok_or_else(|| "the file ends within its header".to_string())
}

/// The text behind `'key':` in the header's dictionary.
fn value_of<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let missing = || format!("the header has no `{key}`");
    let start = header.find(&format!("'{key}'")).ok_or_else(missing)?;
    let rest = header[start..].split_once(':').ok_or_else(missing)?.1.trim_start();
    let end =
        if rest.starts_with('(') { rest.find(')').map(|i| i + 1) } else { rest.find([',', '}']) };
    Ok(rest[..end.ok_or_else(missing)?].trim())
}

/// A file of one dimension with `len` elements of type `descr` (such as `<f4`).
pub fn write(descr: &str, len: usize, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len},), }}");
    // Magic, version, length and header together fill a multiple of 64 bytes and end in a line
    // feed.
    let prefix = MAGIC.len() + 4;
    while !(prefix + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_is_aligned() {
        for len in [0usize, 1, 7, 1000] {
            let data: Vec<u8> = (0..len * 4).map(|i| i as u8).collect();
            let file = write("<f4", len, &data);
            assert!((file.len() - data.len()).is_multiple_of(64));
            assert_eq!(read(&file), Ok(Npy { descr: "<f4".into(), len, data }));
        }
    }

    #[test]
    fn shapes_multiply_and_bad_files_say_why() {
        let matrix = |shape: &str, order: &str, descr: &str, bytes: usize| {
            let header =
                format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
            let mut file = MAGIC.to_vec();
            file.extend([1, 0]);
            file.extend((header.len() as u16).to_le_bytes());
            file.extend(header.as_bytes());
            file.resize(file.len() + bytes, 0);
            read(&file)
        };
        assert_eq!(matrix("(3, 4)", "False", "<f8", 96).unwrap().len, 12);
        assert_eq!(matrix("()", "False", "|u1", 1).unwrap().len, 1);
        assert!(matrix("(3, 4)", "True", "<f8", 96).unwrap_err().contains("Fortran"));
        assert!(matrix("(3,)", "False", ">f8", 24).unwrap_err().contains("big-endian"));
        assert!(matrix("(3,)", "False", "<f8", 23).unwrap_err().contains("found 23"));
        assert!(
            matrix("(99999999999, 99999999999)", "False", "<f8", 0)
                .unwrap_err()
                .contains("too large")
        );
        assert!(matrix("(x,)", "False", "<f8", 0).is_err());
        assert!(read(b"hello").unwrap_err().contains("not a .npy"));
        for cut in 0..90 {
            let file = write("<i4", 4, &[0; 16]);
            assert!(read(&file[..cut.min(file.len() - 1)]).is_err());
        }
    }
}
