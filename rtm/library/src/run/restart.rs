//! The state of an unfinished run, in one file that is replaced by a rename after each shot:
//! whenever the program dies, the file holds the sums after some whole shot, and the run goes on
//! from there with the same bits.

use std::fs;
use std::path::Path;

use crate::grid::Cube;
use crate::io::cube::write_values;
use crate::io::{Digest, Fingerprint, atomic};
use crate::{Error, Grid, Real, Result};

const MAGIC: &[u8; 16] = b"RTM restart, v2\n";
/// Words behind it: run, shots done, their data, bytes of a number, cubes, points along x, y, z.
const WORDS: usize = 10;

/// Writes the state of a run: `done` shots are in the sums, `data` is the fingerprint of what they
/// recorded. The cubes lie on one grid.
///
/// # Errors
/// The file cannot be written; the old state is then still there.
pub fn save<T: Real>(
    path: &Path,
    run: Fingerprint,
    done: usize,
    data: Fingerprint,
    cubes: &[&Cube<T>],
) -> Result<()> {
    atomic::write(path, |out| {
        let n = cubes.first().map_or([0; 3], |c| c.grid.n);
        let mut head = MAGIC.to_vec();
        head.extend(run.0.to_le_bytes());
        head.extend((done as u64).to_le_bytes());
        head.extend(data.0.to_le_bytes());
        head.extend((T::BYTES as u64).to_le_bytes());
        head.extend((cubes.len() as u64).to_le_bytes());
        n.iter().for_each(|n| head.extend((*n as u64).to_le_bytes()));
        out.write_all(&head)?;
        let mut sum = Digest::new();
        for cube in cubes {
            sum.add(bytemuck::cast_slice(&cube.values));
            write_values(out, &cube.values)?;
        }
        Ok(out.write_all(&sum.finish().0.to_le_bytes())?)
    })
}

/// A state that was found.
pub struct Saved<T> {
    /// Shots that are in the sums.
    pub done: usize,
    /// The fingerprint of what they recorded.
    pub data: Fingerprint,
    /// The sums.
    pub cubes: Vec<Cube<T>>,
}

/// Reads the state of the run with that fingerprint; `None` if there is no file.
///
/// # Errors
/// The file belongs to another run, or is damaged.
pub fn load<T: Real>(
    path: &Path,
    run: Fingerprint,
    grid: &Grid,
    cubes: usize,
) -> Result<Option<Saved<T>>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::reading(path, &e)),
    };
    let remove = format!("remove {} to start anew, or give restart=0", path.display());
    let damaged = || Error::refused(path.display(), "the restart file is damaged", &remove);
    let word = |k: usize| {
        let at = MAGIC.len() + 8 * k;
        let word = bytes.get(at..at + 8).ok_or_else(damaged)?;
        Ok::<u64, Error>(u64::from_le_bytes(word.try_into().expect("8 bytes")))
    };
    if bytes.starts_with(b"RTM restart, v1\n") {
        return Err(Error::refused(path.display(), "an earlier version of rtm wrote it", &remove));
    }
    if !bytes.starts_with(MAGIC) {
        return Err(damaged());
    }
    let long = |k: usize| Ok::<u128, Error>(u128::from(word(k + 1)?) << 64 | u128::from(word(k)?));
    if long(0)? != run.0 {
        return Err(Error::refused(
            path.display(),
            "the restart file belongs to a run with other parameters, another model or other data",
            format!("{remove}; or choose another folder with out="),
        ));
    }
    let body = MAGIC.len() + WORDS * 8;
    let each = grid.len() * T::BYTES;
    let as_expected = word(5)? == T::BYTES as u64
        && word(6)? == cubes as u64
        && (0..3)
            .try_fold(true, |ok, a| Ok::<bool, Error>(ok && word(7 + a)? == grid.n[a] as u64))?
        && bytes.len() == body + cubes * each + 16;
    if !as_expected {
        return Err(damaged());
    }
    let mut sum = Digest::new();
    let cubes: Vec<Cube<T>> = (0..cubes)
        .map(|k| {
            let part = &bytes[body + k * each..body + (k + 1) * each];
            sum.add(part);
            let values = part.chunks_exact(T::BYTES).map(bytemuck::pod_read_unaligned).collect();
            Cube { grid: *grid, values }
        })
        .collect();
    match bytes[bytes.len() - 16..] == sum.finish().0.to_le_bytes() {
        true => Ok(Some(Saved { done: word(2)? as usize, data: Fingerprint(long(3)?), cubes })),
        false => Err(damaged()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_bit_for_bit_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("restart.bin");
        let grid = Grid::uniform([3, 4, 5], 10.0);
        let a = Cube::from_fn(grid, |p| (grid.index(p) as f32).sin());
        let b = Cube::from_fn(grid, |p| (grid.index(p) as f32).cos());
        let run = Fingerprint(u128::MAX / 3);
        let data = Fingerprint(u128::MAX / 5);
        let load = |run| load::<f32>(&path, run, &grid, 2);
        assert!(load(run).unwrap().is_none());
        save(&path, run, 7, data, &[&a, &b]).unwrap();
        let saved = load(run).unwrap().unwrap();
        assert_eq!((saved.done, &saved.cubes[0], &saved.cubes[1]), (7, &a, &b));
        assert_eq!(saved.data, data);
        let other = Fingerprint(run.0 + 1);
        let error = |run| load(run).err().unwrap().to_string();
        assert!(error(other).contains("other parameters"), "{}", error(other));
        let whole = fs::read(&path).unwrap();
        for broken in [whole[..whole.len() - 1].to_vec(), whole[..20].to_vec(), {
            let mut flipped = whole.clone();
            flipped[200] ^= 1;
            flipped
        }] {
            fs::write(&path, broken).unwrap();
            assert!(error(run).contains("damaged"), "{}", error(run));
        }
    }
}
