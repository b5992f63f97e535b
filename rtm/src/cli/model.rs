//! `rtm model`: makes, converts, changes and shows velocity models.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rtm::grid::Velocity;
use rtm::io::{Known, read_cube, write_cube};
use rtm::model::{build, check, prepare};
use rtm::picture::{Plane, Scale, Slice, heat_map};
use rtm::survey::geometry::parse_range;
use rtm::{Cube, Error, Grid, Result};

/// What a model is made of
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// One velocity (--velocity)
    Constant,
    /// Layers (--layers)
    Layered,
    /// Layers between picked interfaces (--interfaces, --velocities)
    Interfaces,
    /// A smooth lens in a constant model (--velocity, --lens)
    Lens,
    /// A salt body in sediments
    Salt,
}

/// Make a model, or read one with --from; change it; write it with -o, draw it with --svg
#[derive(Args)]
pub struct ModelArgs {
    /// What it is made of
    #[arg(long, value_enum, conflicts_with = "from", required_unless_present = "from")]
    kind: Option<Kind>,
    /// Read this model instead: raw, .npy, .su, .sgy
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Points along x, y, z: nx,ny,nz
    #[arg(long, value_name = "NX,NY,NZ")]
    n: Option<String>,
    /// Spacing in metres: one number, or dx,dy,dz
    #[arg(long, value_name = "D")]
    d: Option<String>,
    /// Velocity in m/s
    #[arg(long, default_value_t = 2000.0)]
    velocity: f64,
    /// Layers from the top: v,depth:v,depth:v:dip_x:dip_y
    #[arg(long, default_value = "1500,400:2000,800:2600")]
    layers: String,
    /// Layers as the grid can carry them: echoes are as strong as they should be (within 0.5 %, not
    /// 4), but velocities overshoot near a face
    #[arg(long)]
    band_limited: bool,
    /// Interfaces from the surface downwards: lines 'x z' in metres, '1 -99999' after each
    /// interface, as Seismic Un*x's unif2 reads them
    #[arg(long, value_name = "FILE")]
    interfaces: Option<PathBuf>,
    /// Velocities below the interfaces, m/s
    #[arg(long, value_name = "V,V,...")]
    velocities: Option<String>,
    /// Lens: amount in m/s, its middle x,y,z and its radius in metres
    #[arg(long, value_name = "DV,X,Y,Z,R", allow_hyphen_values = true)]
    lens: Option<String>,
    /// Smooth by a Gaussian of this standard deviation, metres
    #[arg(long, value_name = "METRES")]
    smooth: Option<f64>,
    /// Extend at left,right,back,front,top,bottom, metres
    #[arg(long, value_name = "L,R,B,F,T,O")]
    extend: Option<String>,
    /// Sample so many times finer along x, y and z: one number, or three
    #[arg(long, value_name = "FACTOR")]
    resample: Option<String>,
    /// Write the model: raw unless the name ends in .npy, .su or .sgy
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the middle of the model
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// Plane of the picture: xz, yz or xy
    #[arg(long, default_value = "xz")]
    slice: String,
}

impl ModelArgs {
    /// Does what the arguments say.
    pub fn run(&self) -> Result<()> {
        let mut model = self.source()?;
        if let Some(text) = &self.extend {
            let length: [f64; 6] = numbers("extend", text, "six lengths in metres")?;
            model = prepare::extend(&model, &length);
        }
        if let Some(text) = &self.resample {
            let factor = three("resample", text)?;
            if factor.iter().any(|f| f.fract() != 0.0 || !(1.0..=64.0).contains(f)) {
                return Err(Error::refused(
                    format!("resample {text}"),
                    "not whole numbers from 1 to 64",
                    "such as 2 or 2,2,1",
                ));
            }
            model = prepare::resample(&model, factor.map(|f| f as usize));
        }
        if let Some(sigma) = self.smooth.filter(|s| *s > 0.0) {
            model = prepare::smooth(&model, [sigma; 3]);
        }
        check(&model, "the model")?;
        let (grid, (low, high)) = (model.grid, model.range());
        println!(
            "{} x {} x {} points, {} x {} x {} m apart, from {:?} m; {low} to {high} m/s",
            grid.n[0], grid.n[1], grid.n[2], grid.d_m[0], grid.d_m[1], grid.d_m[2], grid.origin_m
        );
        if let Some(path) = &self.out {
            write_cube(path, &model, "velocity, m/s")?;
            println!("{}", path.display());
        }
        if let Some(path) = &self.svg {
            let plane = Plane::parse(&self.slice)?;
            let fixed = plane.axes()[2];
            let slice = Slice::of_cube(&model, plane, grid.n[fixed] / 2)?;
            heat_map(path, "Velocity (m/s)", &slice, Scale::Range)?;
            println!("{}", path.display());
        }
        Ok(())
    }

    fn source(&self) -> Result<Velocity> {
        let n = self.n.as_ref().map(|text| counts(text)).transpose()?;
        let d_m = self.d.as_ref().map(|text| three("d", text)).transpose()?;
        if let Some(path) = &self.from {
            return read_cube(path, &Known { n, d_m, origin_m: None });
        }
        let grid = match (n, d_m) {
            (Some(n), Some(d_m)) => Grid::new(n, d_m),
            (None, None) if matches!(self.kind, Some(Kind::Salt)) => build::salt_grid(),
            _ => {
                return Err(Error::refused(
                    "model",
                    "its size is missing",
                    "give --n nx,ny,nz and --d metres",
                ));
            }
        };
        if grid.d_m.iter().any(|d| *d <= 0.0) {
            return Err(Error::refused("d", "a spacing must be positive", "such as --d 10"));
        }
        Ok(match self.kind {
            Some(Kind::Layered) => {
                let layers = build::Layer::parse_all(&self.layers)?;
                let make =
                    if self.band_limited { build::layered_band_limited } else { build::layered };
                make(grid, &layers)
            }
            Some(Kind::Interfaces) => self.between_interfaces(grid)?,
            Some(Kind::Salt) => build::salt(grid),
            Some(Kind::Lens) => {
                let text = self.lens.as_deref().ok_or_else(|| {
                    Error::refused(
                        "lens",
                        "its numbers are missing",
                        "such as --lens 300,500,500,400,150",
                    )
                })?;
                let [amount, x, y, z, r] = numbers("lens", text, "amount,x,y,z,radius")?;
                if r <= 0.0 {
                    return Err(Error::refused(
                        format!("lens {text}"),
                        "the radius must be positive",
                        "in metres",
                    ));
                }
                build::lens(grid, self.velocity, amount, [x, y, z], [r; 3])
            }
            _ => Cube::constant(grid, self.velocity as f32),
        })
    }

    fn between_interfaces(&self, grid: Grid) -> Result<Velocity> {
        let (Some(path), Some(velocities)) = (&self.interfaces, &self.velocities) else {
            return Err(Error::refused(
                "interfaces, velocities",
                "missing",
                "give --interfaces FILE and --velocities 1500,2000,...",
            ));
        };
        let text = std::fs::read_to_string(path).map_err(|e| Error::reading(path, &e))?;
        let named = |e: Error| Error::file(path, e);
        let faces = build::parse_interfaces(&text).map_err(named)?;
        build::between_interfaces(grid, &faces, &parse_range("velocities", velocities)?)
            .map_err(named)
    }
}

/// So many numbers with commas between them.
fn numbers<const N: usize>(what: &str, text: &str, wanted: &str) -> Result<[f64; N]> {
    parse_range(what, text)?
        .try_into()
        .map_err(|_| Error::refused(format!("{what} {text}"), format!("not {N} numbers"), wanted))
}

/// One number for all axes, or three.
fn three(what: &str, text: &str) -> Result<[f64; 3]> {
    match parse_range(what, text)?[..] {
        [all] => Ok([all; 3]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(Error::refused(
            format!("{what} {text}"),
            "neither one number nor three",
            "such as 10 or 10,10,5",
        )),
    }
}

fn counts(text: &str) -> Result<[usize; 3]> {
    let n: [f64; 3] = numbers("n", text, "nx,ny,nz")?;
    match n.iter().all(|n| n.fract() == 0.0 && (1.0..=1e5).contains(n))
        && n.iter().product::<f64>() < 1e10
    {
        true => Ok(n.map(|n| n as usize)),
        false => Err(Error::refused(
            format!("n {text}"),
            "not three counts from 1 on",
            "such as --n 101,101,81",
        )),
    }
}
