//! NumPy's file of one array: a header in Python's syntax, then the numbers.

use std::io::{self, Read, Write};

/// What every file begins with; two bytes of the version follow.
const MAGIC: &[u8] = b"\x93NUMPY";

/// The numbers start at a multiple of this.
const ALIGN: usize = 64;

/// What the header says.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    /// Type of the numbers as NumPy writes it, without quotes: `<f4`.
    pub number: String,
    /// The first index is the fastest, not the last.
    pub fortran_order: bool,
    /// Values along each axis.
    pub shape: Vec<usize>,
}

impl Header {
    /// Reads a header and leaves `file` at the first number.
    ///
    /// # Errors
    /// `file` cannot be read, or it does not begin with a header (`InvalidData`).
    pub fn read(file: &mut dyn Read) -> io::Result<Header> {
        let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
        let mut bytes = |n: u64| {
            let mut bytes = Vec::new();
            file.take(n).read_to_end(&mut bytes)?;
            let is_whole = bytes.len() as u64 == n;
            if is_whole { Ok(bytes) } else { Err(wrong("it ends within its header")) }
        };
        let start = bytes(8)?;
        if start[..6] != *MAGIC {
            return Err(wrong("it does not begin as NumPy's files do"));
        }
        let length = bytes(match start[6] {
            1 => 2,
            2 | 3 => 4,
            _ => return Err(wrong("a version of the format that is not known")),
        })?;
        let length = length.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
        let text = String::from_utf8(bytes(length)?).ok();
        let header = text.as_deref().and_then(Header::parse);
        header.ok_or_else(|| wrong("its header is not understood"))
    }

    /// Of the text of a Python dictionary with the keys `descr`, `fortran_order` and `shape`.
    fn parse(text: &str) -> Option<Header> {
        let dictionary = items(text.trim().strip_prefix('{')?.strip_suffix('}')?);
        let value = |wanted: &str| {
            dictionary.iter().find_map(|item| {
                let (key, value) = item.split_once(':')?;
                (key.trim().trim_matches(['\'', '"']) == wanted).then_some(value.trim())
            })
        };
        let shape = items(value("shape")?.strip_prefix('(')?.strip_suffix(')')?);
        Some(Header {
            number: value("descr")?.trim_matches(['\'', '"']).into(),
            fortran_order: match value("fortran_order")? {
                "True" => true,
                "False" => false,
                _ => return None,
            },
            shape: shape.iter().map(|n| n.parse().ok()).collect::<Option<_>>()?,
        })
    }

    /// Writes it as NumPy does.
    ///
    /// # Errors
    /// Those of `file`.
    pub fn write(&self, file: &mut dyn Write) -> io::Result<()> {
        let shape: String = self.shape.iter().map(|n| format!("{n}, ")).collect();
        let shape = if self.shape.len() == 1 { shape.trim() } else { shape.trim_end_matches(", ") };
        let fortran_order = if self.fortran_order { "True" } else { "False" };
        let text = format!(
            "{{'descr': '{}', 'fortran_order': {fortran_order}, 'shape': ({shape}), }}",
            self.number
        );
        // Before the text: magic, version, length; behind it: a new line.
        let before = MAGIC.len() + 4;
        let length = (before + text.len() + 1).next_multiple_of(ALIGN) - before;
        let length_bytes = u16::try_from(length).map_err(io::Error::other)?.to_le_bytes();
        file.write_all(MAGIC)?;
        file.write_all(&[1, 0])?;
        file.write_all(&length_bytes)?;
        writeln!(file, "{text:<0$}", length - 1)
    }
}

/// The parts of a Python sequence between its commas.
fn items(text: &str) -> Vec<&str> {
    let (mut depth, mut quote) = (0, None);
    let parts = text.split(|c| {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0 && quote.is_none()
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(mut bytes: &[u8]) -> Result<(Header, &[u8]), String> {
        let header = Header::read(&mut bytes).map_err(|e| e.to_string())?;
        Ok((header, bytes))
    }

    fn single(shape: &[usize]) -> Header {
        Header { number: "<f4".into(), fortran_order: false, shape: shape.to_vec() }
    }

    /// `numpy.save` of NumPy 1.24, byte for byte.
    #[test]
    fn a_header_is_that_of_numpy() {
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }";
        let numpy = [b"\x93NUMPY\x01\x00v\x00", format!("{text:<117}\n").as_bytes()].concat();
        let mut ours = Vec::new();
        single(&[1, 2, 3]).write(&mut ours).unwrap();
        assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&numpy));
        assert_eq!(ours.len() % ALIGN, 0);
    }

    #[test]
    fn other_versions_and_other_writers_are_read() {
        let file = |version: u8, text: &str| {
            let length = u32::try_from(text.len()).unwrap().to_le_bytes();
            let length = if version == 1 { &length[..2] } else { &length };
            [MAGIC, &[version, 0], length, text.as_bytes(), b"rest"].concat()
        };
        let text = "{\"shape\":(3,4 ,5),\"fortran_order\": True,\"descr\":\">f8\"}\n";
        let want = Header { number: ">f8".into(), fortran_order: true, shape: vec![3, 4, 5] };
        for version in 1..=3 {
            let bytes = file(version, text);
            let (found, rest) = read(&bytes).unwrap();
            assert_eq!((&found, rest), (&want, &b"rest"[..]), "version {version}");
        }
        let fields =
            "{'descr': [('a', '<f4'), ('b', '<i2')], 'fortran_order': False, 'shape': (), }";
        let bytes = file(1, fields);
        let (found, _) = read(&bytes).unwrap();
        assert_eq!((found.number.as_str(), found.shape.len()), ("[('a', '<f4'), ('b', '<i2')]", 0));
    }

    #[test]
    fn what_is_no_header_is_refused() {
        let mut good = Vec::new();
        single(&[7]).write(&mut good).unwrap();
        assert_eq!(read(&good), Ok((single(&[7]), &[][..])));
        let changed = |at: usize, to: u8| {
            let mut bytes = good.clone();
            bytes[at] = to;
            read(&bytes).unwrap_err()
        };
        assert!(changed(1, b'M').contains("does not begin"));
        assert!(changed(6, 4).contains("version"));
        assert!(changed(8, 255).contains("ends within"));
        assert!(changed(10, b' ').contains("not understood"));
        assert!(changed(12, b'k').contains("not understood"));
        for length in 0..good.len() {
            assert!(read(&good[..length]).unwrap_err().contains("ends within"), "{length}");
        }
    }

    proptest! {
        #[test]
        fn headers_read_back(
            shape in prop::collection::vec(0usize..1 << 40, 0..5),
            double: bool,
            fortran_order: bool,
        ) {
            let number = if double { "<f8" } else { "<f4" }.into();
            let header = Header { number, fortran_order, shape };
            let mut bytes = Vec::new();
            header.write(&mut bytes).unwrap();
            prop_assert_eq!(read(&bytes), Ok((header, &[][..])));
        }
    }
}
