//! Snapshots as the mini-app writes them: a header `NAME.rsf` in the words of Madagascar, and
//! beside it `NAME.rsf@` with the values, one whole grid after the other, x fastest.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rtm::{Error, Result};

use super::layout::{BORDER, VolumeLayout};

/// An open file of snapshots.
pub(super) struct Snapshots {
    header: PathBuf,
    binary: PathBuf,
    out: BufWriter<File>,
    layout: VolumeLayout,
    count: usize,
}

impl Snapshots {
    /// Begins `DIR/NAME.rsf`.
    pub fn create(dir: &Path, name: &str, layout: VolumeLayout) -> Result<Snapshots> {
        let header = dir.join(format!("{name}.rsf"));
        let binary = dir.join(format!("{name}.rsf@"));
        let file = File::create(&binary).map_err(|e| Error::writing(&binary, &e))?;
        Ok(Snapshots { header, out: BufWriter::new(file), binary, layout, count: 0 })
    }

    /// Adds a volume, its border included.
    pub fn add(&mut self, volume: &[f32]) -> Result<()> {
        let VolumeLayout { n, row, plane, .. } = self.layout;
        let corner = self.layout.first - BORDER * (plane + row + 1);
        for z in 0..n[2] + 2 * BORDER {
            for y in 0..n[1] + 2 * BORDER {
                let values = &volume[corner + z * plane + y * row..][..n[0] + 2 * BORDER];
                rtm::io::write_values(&mut self.out, values)
                    .map_err(|e| Error::writing(&self.binary, &e))?;
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Ends the file; returns the header's path.
    pub fn finish(mut self, dt_s: f64) -> Result<PathBuf> {
        self.out.flush().map_err(|e| Error::writing(&self.binary, &e))?;
        let name = self.binary.file_name().unwrap_or_default().to_string_lossy();
        let mut text = format!("in=\"./{name}\"\ndata_format=\"native_float\"\nesize=4\n");
        for (axis, n) in self.layout.n.iter().enumerate() {
            text += &format!("n{}={}\n", axis + 1, n + 2 * BORDER);
        }
        text += &format!("n4={}\n", self.count);
        for (axis, d) in self.layout.d_m.iter().chain([&dt_s]).enumerate() {
            text += &format!("d{}={d:.6}\n", axis + 1);
        }
        std::fs::write(&self.header, text).map_err(|e| Error::writing(&self.header, &e))?;
        Ok(self.header)
    }
}
