//! Files of cubes: raw values, NPY, SU and SEG-Y, each with a small TOML file beside it that says
//! what it holds.
//!
//! `model.bin` is nothing but `nx * ny * nz` little-endian numbers, z fastest; `model.bin.toml`
//! beside it says how many, how far apart and where. A file from elsewhere has no such neighbour:
//! then the caller says what it must know.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::atomic;
use super::header::TraceHeader;
use super::npy::Header;
use super::traces::{Trace, TraceFormat, TraceReader, write_traces};
use crate::{Cube, Error, Grid, Real, Result};

/// What the caller says of a file; it must agree with what the file says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// Points along x, y, z (`nx`, `ny`, `nz`).
    pub n: Option<[usize; 3]>,
    /// Spacing (`dx`, `dy`, `dz`).
    pub d_m: Option<[f64; 3]>,
    /// Where the first point lies; 0, 0, 0 if nobody says.
    pub origin_m: Option<[f64; 3]>,
}

/// The neighbour of a file: `NAME.toml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sidecar {
    /// What the numbers are, for people.
    #[serde(default)]
    quantity: String,
    /// Points along x, y, z.
    n: [usize; 3],
    /// Spacing.
    d_m: [f64; 3],
    /// Place of the first point.
    #[serde(default)]
    origin_m: [f64; 3],
    /// Which index is the fastest: `z` (ours) or `x`; raw files only.
    #[serde(default = "z")]
    fastest: char,
    /// `f32` or `f64`; raw files only.
    #[serde(default = "single")]
    number: String,
}

fn z() -> char {
    'z'
}

fn single() -> String {
    "f32".into()
}

enum Format {
    Raw,
    Npy,
    Traces(TraceFormat),
}

/// By the ending of the name; what is neither `.npy` nor a file of traces is raw.
fn format_of(path: &Path) -> Format {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => Format::Npy,
        _ => TraceFormat::of(path).map_or(Format::Raw, Format::Traces),
    }
}

fn sidecar_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".toml");
    PathBuf::from(name)
}

/// Writes a cube in the format that the name's ending says, and its description beside it.
/// `quantity` says what the numbers are (`velocity, m/s`).
///
/// # Errors
/// The file cannot be written.
pub fn write_cube<T: Real>(path: &Path, cube: &Cube<T>, quantity: &str) -> Result<()> {
    match format_of(path) {
        Format::Raw => atomic::write(path, |out| Ok(write_values(out, &cube.values)?))?,
        Format::Npy => write_npy(path, cube)?,
        Format::Traces(format) => write_columns(path, format, &cube.convert::<f32>(), quantity)?,
    }
    describe(path, &cube.grid, T::NAME, quantity)
}

/// Writes the description of a raw file beside it.
///
/// # Errors
/// The file cannot be written.
pub fn describe(path: &Path, grid: &Grid, number: &str, quantity: &str) -> Result<()> {
    let sidecar = Sidecar {
        quantity: quantity.into(),
        n: grid.n,
        d_m: grid.d_m,
        origin_m: grid.origin_m,
        fastest: 'z',
        number: number.into(),
    };
    let text = toml::to_string(&sidecar).expect("plain values have a form in TOML");
    atomic::write_text(&sidecar_of(path), &text)
}

/// Writes values as they are in memory on a little-endian machine.
///
/// # Errors
/// Those of `out`.
pub fn write_values<T: Real>(out: &mut dyn Write, values: &[T]) -> std::io::Result<()> {
    if cfg!(target_endian = "little") {
        return out.write_all(bytemuck::cast_slice(values));
    }
    values.iter().try_for_each(|v| match T::BYTES {
        4 => out.write_all(&(v.f64() as f32).to_le_bytes()),
        _ => out.write_all(&v.f64().to_le_bytes()),
    })
}

fn write_npy<T: Real>(path: &Path, cube: &Cube<T>) -> Result<()> {
    let number = format!("<f{}", T::BYTES);
    let header = Header { number, fortran_order: false, shape: cube.grid.n.to_vec() };
    atomic::write(path, |out| {
        header.write(out)?;
        Ok(write_values(out, &cube.values)?)
    })
}

/// One trace for each column of z.
fn write_columns(path: &Path, format: TraceFormat, cube: &Cube<f32>, note: &str) -> Result<()> {
    let grid = cube.grid;
    // The usual reading of depth in a field for time: metres as milliseconds. Larger steps do not
    // fit and are left 0.
    let dt_s = if grid.d_m[2] < 65.5 { grid.d_m[2] * 1e-3 } else { 0.0 };
    let mut traces = (0..grid.n[0] * grid.n[1]).map(|k| {
        let (ix, iy) = (k / grid.n[1], k % grid.n[1]);
        let place = grid.position_m([ix, iy, 0]);
        let header = TraceHeader {
            shot: ix as i32 + 1,
            channel: iy as i32 + 1,
            source_m: place,
            receiver_m: place,
            dt_s,
            delay_s: 0.0,
            dead: false,
            angles: false,
            lines: Some([ix as i32 + 1, iy as i32 + 1]),
        };
        Ok(Trace { header, samples: cube.row(ix, iy).to_vec() })
    });
    write_traces(path, format, note, &mut traces).map(drop)
}

/// Reads a cube of single precision.
///
/// # Errors
/// The file cannot be read; its size is not that of the grid; what the caller says and what the
/// file says differ; a value is not finite.
pub fn read_cube(path: &Path, known: &Known) -> Result<Cube<f32>> {
    let sidecar = read_sidecar(path)?;
    if let Some(s) = &sidecar {
        let beside = sidecar_of(path);
        agree(path, "nx, ny, nz", known.n, s.n, &beside)?;
        agree(path, "dx, dy, dz", known.d_m, s.d_m, &beside)?;
    }
    let (n, d_m, values) = match format_of(path) {
        Format::Raw => read_raw(path, known, sidecar.as_ref())?,
        Format::Npy => {
            let (n, values) = read_npy(path)?;
            (n, None, values)
        }
        Format::Traces(_) => read_columns(path, known)?,
    };
    agree(path, "nx, ny, nz", known.n.or(sidecar.as_ref().map(|s| s.n)), n, path)?;
    let d_m = known.d_m.or(sidecar.as_ref().map(|s| s.d_m)).or(d_m.map(|(d, _)| d));
    let d_m = d_m.ok_or_else(|| {
        Error::refused(
            path.display(),
            "nothing says how far apart the points are",
            "give dx, dy and dz",
        )
    })?;
    if d_m.iter().any(|d| !(d.is_finite() && *d > 0.0)) {
        return Err(Error::refused(
            path.display(),
            format!("a spacing of {d_m:?} m"),
            "dx, dy and dz must be positive numbers of metres",
        ));
    }
    let origin_m = known.origin_m.or(sidecar.map(|s| s.origin_m)).unwrap_or([0.0; 3]);
    let grid = Grid { n, d_m, origin_m };
    if let Some(at) = values.iter().position(|v| !v.is_finite()) {
        let [ix, iy, iz] = grid.point(at);
        return Err(Error::refused(
            path.display(),
            format!("the value at point ix = {ix}, iy = {iy}, iz = {iz} is {}", values[at]),
            "replace it in the program that made the file; also check the byte order and the \
             number type",
        ));
    }
    Cube::from_values(grid, values)
}

fn read_sidecar(path: &Path) -> Result<Option<Sidecar>> {
    let beside = sidecar_of(path);
    let text = match fs::read_to_string(&beside) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::reading(&beside, &e)),
    };
    let sidecar: Sidecar = toml::from_str(&text).map_err(|e| {
        Error::refused(
            beside.display(),
            e.message(),
            "a description has n = [nx, ny, nz], d_m = [dx, dy, dz] and, if needed, origin_m, \
             fastest, number",
        )
    })?;
    let known =
        ['x', 'z'].contains(&sidecar.fastest) && ["f32", "f64"].contains(&sidecar.number.as_str());
    if !known {
        return Err(Error::refused(
            beside.display(),
            format!("fastest = '{}', number = '{}'", sidecar.fastest, sidecar.number),
            "fastest is x or z, number is f32 or f64",
        ));
    }
    Ok(Some(sidecar))
}

/// Two sources of the same fact must agree.
fn agree<T: PartialEq + std::fmt::Debug>(
    path: &Path,
    what: &str,
    said: Option<T>,
    found: T,
    by: &Path,
) -> Result<()> {
    match said {
        Some(said) if said != found => Err(Error::refused(
            path.display(),
            format!("{what} are given as {said:?}, but {} says {found:?}", by.display()),
            "correct the one that is wrong",
        )),
        _ => Ok(()),
    }
}

type Found = ([usize; 3], Option<([f64; 3], [f64; 3])>, Vec<f32>);

fn read_raw(path: &Path, known: &Known, sidecar: Option<&Sidecar>) -> Result<Found> {
    let n = known.n.or(sidecar.map(|s| s.n)).ok_or_else(|| {
        Error::refused(
            path.display(),
            "a raw file does not say how many points it has",
            "give nx, ny and nz, or put them into a .toml file beside it",
        )
    })?;
    let bytes = if sidecar.is_some_and(|s| s.number == "f64") { 8 } else { 4 };
    let points = n.iter().try_fold(1usize, |all, &n| all.checked_mul(n)).unwrap_or(usize::MAX);
    let length = fs::metadata(path).map_err(|e| Error::reading(path, &e))?.len();
    let wanted = (points as u64).saturating_mul(bytes);
    if length != wanted || points == 0 {
        return Err(Error::refused(
            path.display(),
            format!(
                "{length} bytes, but {} x {} x {} values of {bytes} bytes are {wanted}",
                n[0], n[1], n[2]
            ),
            if length < wanted {
                "check nx, ny, nz; if they are right, the file is truncated"
            } else {
                "check nx, ny, nz; the file must hold nothing but the values"
            },
        ));
    }
    let mut content = Vec::with_capacity(length as usize);
    fs::File::open(path)
        .and_then(|mut file| file.read_to_end(&mut content))
        .map_err(|e| Error::reading(path, &e))?;
    let values = numbers(&content, bytes as usize, false);
    let values = match sidecar {
        Some(s) if s.fastest == 'x' => x_to_z(&values, n),
        _ => values,
    };
    Ok((n, None, values))
}

/// From x fastest to z fastest.
fn x_to_z(values: &[f32], n: [usize; 3]) -> Vec<f32> {
    let grid = Grid::uniform(n, 1.0);
    (0..values.len())
        .map(|i| {
            let [ix, iy, iz] = grid.point(i);
            values[(iz * n[1] + iy) * n[0] + ix]
        })
        .collect()
}

/// Numbers of 4 or 8 bytes each.
fn numbers(content: &[u8], bytes: usize, big_endian: bool) -> Vec<f32> {
    let number = |number: &[u8]| {
        let mut little = [0; 8];
        little[..bytes].copy_from_slice(number);
        if big_endian {
            little[..bytes].reverse();
        }
        match bytes {
            8 => f64::from_le_bytes(little) as f32,
            _ => f32::from_bits(u64::from_le_bytes(little) as u32),
        }
    };
    content.chunks_exact(bytes).map(number).collect()
}

fn read_npy(path: &Path) -> Result<([usize; 3], Vec<f32>)> {
    let damaged = |why: &dyn std::fmt::Display| {
        let fix = "the file is damaged or truncated: write it again";
        Error::refused(path.display(), why, fix)
    };
    let mut file =
        fs::File::open(path).map(BufReader::new).map_err(|e| Error::reading(path, &e))?;
    let header = Header::read(&mut file).map_err(|e| match e.kind() {
        std::io::ErrorKind::InvalidData => damaged(&e),
        _ => Error::reading(path, &e),
    })?;
    let (bytes, big_endian) = match header.number.as_str() {
        "<f4" => (4, false),
        ">f4" => (4, true),
        "<f8" => (8, false),
        ">f8" => (8, true),
        other => {
            return Err(Error::refused(
                path.display(),
                format!("numbers of type {other}"),
                "save the array as float32 or float64",
            ));
        }
    };
    let Ok(n) = <[usize; 3]>::try_from(header.shape.as_slice()) else {
        return Err(Error::refused(
            path.display(),
            format!("an array of {} axes", header.shape.len()),
            "a cube has three: save it with the shape (nx, ny, nz)",
        ));
    };
    let mut content = Vec::new();
    file.read_to_end(&mut content).map_err(|e| Error::reading(path, &e))?;
    let wanted = n.iter().try_fold(bytes, |all: usize, n| all.checked_mul(*n));
    if wanted != Some(content.len()) {
        let found = content.len();
        return Err(damaged(&format!("{found} bytes for {n:?} values of {bytes} bytes")));
    }
    let values = numbers(&content, bytes, big_endian);
    Ok((n, if header.fortran_order { x_to_z(&values, n) } else { values }))
}

/// A cube from traces: one for each column, x slow, y fast.
fn read_columns(path: &Path, known: &Known) -> Result<Found> {
    let mut reader = TraceReader::open(path)?;
    let (count, nz) = (reader.traces(), reader.samples());
    let mut places = Vec::with_capacity(count);
    let mut values = Vec::with_capacity(count * nz);
    let mut dz_m = 0.0;
    for trace in reader.by_ref() {
        let trace = trace?;
        places.push(trace.header.receiver_m);
        dz_m = trace.header.dt_s * 1e3;
        values.extend(trace.samples);
    }
    let first = places[0];
    // y is the fast index: as long as x stays, it is the same row.
    let ny = places.iter().take_while(|p| p[0] == first[0]).count();
    let nx = count / ny;
    let step = |n: usize, far: usize, axis: usize| {
        if n > 1 { (places[far][axis] - first[axis]) / (n - 1) as f64 } else { dz_m }
    };
    let silent = places.iter().all(|p| p[..2] == [0.0, 0.0]);
    let (dx, dy) = (step(nx, (nx - 1) * ny, 0), step(ny, ny - 1, 1));
    let regular = nx * ny == count
        && places.iter().enumerate().all(|(k, p)| {
            let (x, y) = (first[0] + (k / ny) as f64 * dx, first[1] + (k % ny) as f64 * dy);
            (p[0] - x).abs() < 0.01 * dx.abs() + 1e-3 && (p[1] - y).abs() < 0.01 * dy.abs() + 1e-3
        });
    match known.n {
        Some([kx, ky, _]) if silent && kx * ky == count => Ok(([kx, ky, nz], None, values)),
        _ if silent && count > 1 => Err(Error::refused(
            path.display(),
            format!("{count} traces whose headers give no place (gx, gy)"),
            "give nx, ny, nz with nx * ny = the number of traces; y is the fast index",
        )),
        _ if !regular => Err(Error::refused(
            path.display(),
            format!("the places (gx, gy) of its {count} traces are no regular grid with y fastest"),
            "sort the traces by gx, then gy, and fill the gaps",
        )),
        _ => Ok(([nx, ny, nz], Some(([dx, dy, dz_m], first)), values)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ramp(n: [usize; 3]) -> Cube<f32> {
        let grid = Grid { n, d_m: [10.0, 20.0, 12.5], origin_m: [-40.0, 0.0, -25.0] };
        Cube::from_fn(grid, |[ix, iy, iz]| 1500.0 + (100 * ix + 10 * iy) as f32 + 0.5 * iz as f32)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn cubes_read_back_as_written(n in [1usize..7, 1usize..7, 1usize..40]) {
            let dir = tempfile::tempdir().unwrap();
            let cube = ramp(n);
            for name in ["a.bin", "a.npy", "a.su", "a.sgy"] {
                let path = dir.path().join(name);
                write_cube(&path, &cube, "velocity, m/s").unwrap();
                prop_assert_eq!(&read_cube(&path, &Known::default()).unwrap(), &cube, "{}", name);
                let known = Known { n: Some(n), d_m: Some([10.0, 20.0, 12.5]), origin_m: None };
                prop_assert_eq!(&read_cube(&path, &known).unwrap(), &cube);
            }
            for (name, header) in [("d.bin", 0), ("d.npy", 128)] {
                let path = dir.path().join(name);
                write_cube(&path, &cube.convert::<f64>(), "velocity").unwrap();
                let length = fs::metadata(&path).unwrap().len() as usize;
                prop_assert_eq!(length, header + 8 * cube.grid.len());
                prop_assert_eq!(&read_cube(&path, &Known::default()).unwrap(), &cube);
            }
        }
    }

    #[test]
    fn a_raw_file_has_z_fastest_unless_it_says_otherwise() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.bin");
        let values: Vec<u8> = (0..24).flat_map(|i| (i as f32).to_le_bytes()).collect();
        fs::write(&path, &values).unwrap();
        let known = Known { n: Some([2, 3, 4]), d_m: Some([1.0; 3]), origin_m: None };
        let cube = read_cube(&path, &known).unwrap();
        assert_eq!((cube.at([0, 0, 1]), cube.at([0, 1, 0]), cube.at([1, 0, 0])), (1.0, 4.0, 12.0));
        fs::write(sidecar_of(&path), "n = [2, 3, 4]\nd_m = [1.0, 1.0, 1.0]\nfastest = \"x\"\n")
            .unwrap();
        let cube = read_cube(&path, &Known::default()).unwrap();
        assert_eq!((cube.at([0, 0, 1]), cube.at([0, 1, 0]), cube.at([1, 0, 0])), (6.0, 2.0, 1.0));
    }

    /// In either order of bytes and of indices; what is no cube is refused.
    #[test]
    fn arrays_of_numpy_are_read_however_they_were_saved() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.npy");
        let known = Known { n: None, d_m: Some([1.0; 3]), origin_m: None };
        let read = |number: &str, shape: &[usize], fortran_order: bool, values: &[u8]| {
            let header = Header { number: number.into(), fortran_order, shape: shape.to_vec() };
            let mut file = Vec::new();
            header.write(&mut file).unwrap();
            fs::write(&path, [&file, values].concat()).unwrap();
            read_cube(&path, &known).map_err(|e| e.to_string())
        };
        let bytes = |of: &dyn Fn(f32) -> Vec<u8>| (0..24).flat_map(|i| of(i as f32)).collect();
        let [little, big]: [Vec<u8>; 2] =
            [bytes(&|v| v.to_le_bytes().to_vec()), bytes(&|v| v.to_be_bytes().to_vec())];
        let double: Vec<u8> = bytes(&|v| f64::from(v).to_be_bytes().to_vec());
        for (number, values) in [("<f4", &little), (">f4", &big), (">f8", &double)] {
            for fortran_order in [false, true] {
                let cube = read(number, &[2, 3, 4], fortran_order, values).unwrap();
                let found = [[0, 0, 1], [0, 1, 0], [1, 0, 0]].map(|p| cube.at(p));
                let want = if fortran_order { [6.0, 2.0, 1.0] } else { [1.0, 4.0, 12.0] };
                assert_eq!(found, want, "{number}, Fortran's order: {fortran_order}");
            }
        }
        let refused = |number, shape: &[usize], values, said: &str| {
            let text = read(number, shape, false, values).unwrap_err();
            assert!(text.contains(said) && text.contains("v.npy"), "{text}");
        };
        refused("<i4", &[2, 3, 4], &little, "numbers of type <i4");
        refused("<f4", &[6, 4], &little, "an array of 2 axes");
        refused("<f4", &[2, 3, 5], &little, "96 bytes for [2, 3, 5] values of 4 bytes");
        refused("<f4", &[2, 3, 3], &little, "damaged");
        refused("<f4", &[1 << 40, 1 << 40, 4], &little, "damaged");
        fs::write(&path, "no array").unwrap();
        let text = read_cube(&path, &known).unwrap_err().to_string();
        assert!(text.contains("does not begin as NumPy's") && text.contains("damaged"), "{text}");
    }

    #[test]
    fn traces_without_a_description_give_their_grid() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.sgy");
        let cube = ramp([3, 4, 5]);
        write_cube(&path, &cube, "velocity").unwrap();
        fs::remove_file(sidecar_of(&path)).unwrap();
        let back = read_cube(&path, &Known::default()).unwrap();
        assert_eq!(back.grid.n, cube.grid.n);
        assert!((0..3).all(|a| (back.grid.d_m[a] - cube.grid.d_m[a]).abs() < 1e-9));
        assert_eq!(back.values, cube.values);
    }

    #[test]
    fn bad_files_are_refused_with_a_reason() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.bin");
        let error = |known: &Known| read_cube(&path, known).unwrap_err().to_string();
        let known = Known { n: Some([10, 10, 10]), d_m: Some([5.0; 3]), origin_m: None };
        assert!(error(&known).contains("there is no such file"));
        fs::write(&path, vec![0; 3996]).unwrap();
        let text = error(&known);
        assert!(text.contains("3996 bytes, but 10 x 10 x 10 values of 4 bytes are 4000"), "{text}");
        assert!(text.contains("fix: check nx, ny, nz") && text.contains("truncated"), "{text}");
        assert!(error(&Known::default()).contains("give nx, ny and nz"));
        let mut values = vec![0u8; 4000];
        values[4 * 123..4 * 124].copy_from_slice(&f32::NAN.to_le_bytes());
        fs::write(&path, values).unwrap();
        assert!(error(&known).contains("ix = 1, iy = 2, iz = 3 is NaN"), "{}", error(&known));
        assert!(error(&Known { d_m: None, ..known }).contains("give dx, dy and dz"));
        fs::write(sidecar_of(&path), "n = [10, 10, 1]\nd_m = [5.0, 5.0, 5.0]\n").unwrap();
        assert!(error(&known).contains("[10, 10, 10], but"), "{}", error(&known));
        fs::write(sidecar_of(&path), "n = [10, 10]\n").unwrap();
        assert!(error(&known).contains("v.bin.toml"), "{}", error(&known));
        let npy = dir.path().join("v.npy");
        write_cube(&npy, &ramp([3, 4, 5]), "").unwrap();
        let whole = fs::read(&npy).unwrap();
        fs::write(&npy, &whole[..whole.len() - 10]).unwrap();
        let text = read_cube(&npy, &Known::default()).unwrap_err().to_string();
        assert!(text.contains("v.npy") && text.contains("fix:"), "{text}");
    }
}
