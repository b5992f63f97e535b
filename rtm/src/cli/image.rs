//! `rtm image`: filters, cuts and draws cubes and gathers.

use std::path::PathBuf;

use clap::Args;
use rtm::imaging;
use rtm::io::{Known, TraceFormat, TraceReader, index_shots, read_cube, write_cube};
use rtm::picture::{Plane, Scale, Slice, heat_map};
use rtm::survey::Gather;
use rtm::{Cube, Error, Result};

/// Read an image (or any cube, or the traces of a shot), filter it, cut it, draw it
#[derive(Args)]
pub struct ImageArgs {
    /// Cube (raw with its .toml, .npy) or traces (.su, .sgy)
    file: PathBuf,
    /// Draw this shot of a file of traces (counted from 0)
    #[arg(long)]
    shot: Option<usize>,
    /// Apply the Laplacian filter with differences of this order
    #[arg(long, value_name = "ORDER")]
    laplacian: Option<usize>,
    /// Multiply by depth to this power, to lift what lies deep
    #[arg(long, value_name = "POWER")]
    gain: Option<f64>,
    /// Cut to x0,x1,y0,y1,z0,z1 in metres
    #[arg(long, value_name = "BOX", allow_hyphen_values = true)]
    cut: Option<String>,
    /// Plane to draw: xz, yz or xy
    #[arg(long, default_value = "xz")]
    slice: String,
    /// Where the plane lies, metres; the middle if left out
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    at: Option<f64>,
    /// Share of the values that are not clipped
    #[arg(long, default_value_t = 0.99)]
    clip: f64,
    /// Draw from the smallest to the largest value in colours, as models are
    #[arg(long)]
    colours: bool,
    /// Write the cube: raw unless the name ends in .npy, .su or .sgy
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw it
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
}

impl ImageArgs {
    /// Does what the arguments say.
    pub fn run(&self) -> Result<()> {
        match self.shot {
            Some(shot) => self.gather(shot),
            None => self.cube(),
        }
    }

    fn scale(&self) -> Scale {
        if self.colours { Scale::Range } else { Scale::Signed(self.clip) }
    }

    fn gather(&self, shot: usize) -> Result<()> {
        TraceFormat::of(&self.file)?;
        let mut reader = TraceReader::open(&self.file)?;
        let shots = index_shots(&mut reader)?;
        let entry = shots.get(shot).ok_or_else(|| {
            Error::refused(
                format!("shot {shot}"),
                format!("{} has {} shots", self.file.display(), shots.len()),
                "they are counted from 0",
            )
        })?;
        let gather = Gather::read(&mut reader, entry)?;
        println!(
            "{} shots; shot {shot} has the number {}, its source at {:?} m, {} traces of {} \
             samples, {} s apart",
            shots.len(),
            entry.id,
            entry.source_m,
            entry.traces.len(),
            gather.ns,
            gather.dt_s
        );
        let Some(path) = &self.svg else { return Ok(()) };
        let slice = Slice::of_traces(&gather.samples, gather.ns, gather.dt_s);
        heat_map(path, &format!("shot {}", entry.id), &slice, self.scale())?;
        println!("{}", path.display());
        Ok(())
    }

    fn cube(&self) -> Result<()> {
        let mut cube = read_cube(&self.file, &Known::default())?;
        if let Some(order) = self.laplacian {
            rtm::fd::check_order(order)?;
            cube = imaging::laplacian(&cube, order);
        }
        if let Some(power) = self.gain {
            let grid = cube.grid;
            let gained = |p| cube.at(p) * grid.position_m(p)[2].max(0.0).powf(power) as f32;
            cube = Cube::from_fn(grid, gained);
        }
        if let Some(text) = &self.cut {
            cube = cut(&cube, text)?;
        }
        let (grid, (low, high)) = (cube.grid, cube.range());
        println!(
            "{} x {} x {} points, {} x {} x {} m apart, from {:?} m; {low:.4e} to {high:.4e}",
            grid.n[0], grid.n[1], grid.n[2], grid.d_m[0], grid.d_m[1], grid.d_m[2], grid.origin_m
        );
        if let Some(path) = &self.out {
            write_cube(path, &cube, "image")?;
            println!("{}", path.display());
        }
        if let Some(path) = &self.svg {
            let plane = Plane::parse(&self.slice)?;
            let fixed = plane.axes()[2];
            let at = match self.at {
                None => grid.n[fixed] / 2,
                Some(m) => ((m - grid.origin_m[fixed]) / grid.d_m[fixed]).round().max(0.0) as usize,
            };
            let slice = Slice::of_cube(&cube, plane, at)?;
            let place = grid.origin_m[fixed] + at as f64 * grid.d_m[fixed];
            let name = self.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let title = format!("{name}, {} = {place} m", ["x", "y", "z"][fixed]);
            heat_map(path, &title, &slice, self.scale())?;
            println!("{}", path.display());
        }
        Ok(())
    }
}

/// The part of a cube between the given coordinates.
fn cut(cube: &Cube<f32>, text: &str) -> Result<Cube<f32>> {
    let bad = |why: &str| {
        Error::refused(
            format!("cut {text}"),
            why,
            "x0,x1,y0,y1,z0,z1 in metres, inside of the cube",
        )
    };
    let ends = rtm::survey::geometry::parse_range("cut", text)?;
    let grid = cube.grid;
    let mut first = [0; 3];
    let mut n = [0; 3];
    for axis in 0..3 {
        let [low, high] = [0, 1].map(|k| ends.get(2 * axis + k).copied());
        let (Some(low), Some(high)) = (low, high) else { return Err(bad("not six numbers")) };
        let point = |m: f64| ((m - grid.origin_m[axis]) / grid.d_m[axis]).round();
        let (from, to) = (point(low).max(0.0), point(high).min((grid.n[axis] - 1) as f64));
        if to < from {
            return Err(bad("nothing is left"));
        }
        (first[axis], n[axis]) = (from as usize, (to - from) as usize + 1);
    }
    Ok(cube.part(first, n))
}
