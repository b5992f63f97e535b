//! The thesis' production run on a stand-in of its model: one survey over a salt body, migrated by
//! all three memory strategies, their images and the differences between them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::backend::AnyBackend;
use super::migrate::migrate;
use super::params::Parameters;
use super::shoot::shoot;
use super::watch::Watch;
use crate::io::{Known, atomic, read_cube, write_cube};
use crate::model::{build, prepare};
use crate::picture::{Plane, Scale, Slice, heat_map};
use crate::{Cube, Grid, Result, metrics};

/// One strategy of the comparison.
#[derive(Debug)]
pub struct SaltRun {
    /// Which.
    pub name: &'static str,
    /// Relative L2 difference of the image from that of the checkpoints.
    pub error: f64,
    /// What the migration took.
    pub cost: Cost,
    /// Picture of the image.
    pub svg: PathBuf,
}

/// What a migration took. If it was stopped and went on, this is what came after.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Shots.
    pub shots: usize,
    /// Time steps of these shots.
    pub steps: usize,
    /// Most memory of a shot, bytes.
    pub bytes: usize,
    /// Time, seconds.
    pub seconds: f64,
}

/// Builds the model `coarser` times coarser than the thesis' (1: its 169 x 169 x 50 points and 144
/// shots), shoots, migrates with strategies 1, 2 and 3, and writes images, pictures and differences
/// to `folder`. Frequencies fall as the points move apart, so that sampling is that of the thesis:
/// 5 points per wavelength at 7 Hz.
///
/// A run that was stopped goes on where it was: the survey and each image that are there, made with
/// the same parameters, are taken as they are.
///
/// # Errors
/// A file cannot be written, or the run was stopped.
pub fn run(
    folder: &Path,
    coarser: usize,
    shots_each_way: usize,
    backend: &dyn AnyBackend,
    watch: &mut dyn Watch,
) -> Result<Vec<SaltRun>> {
    let whole = build::salt_grid();
    let n = whole.n.map(|n| (n - 1) / coarser + 1);
    let grid = Grid::uniform(n, 80.0 * coarser as f64);
    let model = build::salt(grid);
    let vfile = folder.join("salt.bin");
    write_cube(&vfile, &model, "velocity, m/s")?;
    let slice = Slice::of_cube(&model, Plane::Xz, n[1] / 2)?;
    heat_map(
        &folder.join("salt.svg"),
        "velocity, m/s (a stand-in for SEG/EAGE)",
        &slice,
        Scale::Range,
    )?;
    let smooth = folder.join("salt-smooth.bin");
    write_cube(&smooth, &prepare::smooth(&model, [2.0 * grid.d_m[0]; 3]), "velocity, m/s")?;

    let coarse = coarser as f64;
    // Sources in a square, receivers in a patch around each, as in the thesis.
    let width = grid.d_m[0] * (n[0] - 1) as f64;
    let step = (width / (shots_each_way as f64 + 1.0) / grid.d_m[0]).round() * grid.d_m[0];
    let mut sources = format!("{step}:{step}:{shots_each_way}");
    // 2000 m to each side, on points of the grid.
    let half = (2000.0 / grid.d_m[0]).floor();
    let patch = format!("{}:{}:{}", -half * grid.d_m[0], grid.d_m[0], 2.0 * half + 1.0);
    let mut p = Parameters::default();
    let data = folder.join("salt.su");
    // Its acquisition and extension, at its size.
    let whole_size = coarser == 1;
    if whole_size {
        sources = format!("2240:800:{shots_each_way}");
    }
    for (key, value) in [
        ("fq", format!("{}", 7.0 / coarse)),
        ("pplo", "5".into()),
        ("ord", "6".into()),
        ("Lpml", "16".into()),
        ("dt_rec", format!("{}", 0.004 * coarse)),
        ("tmax", "5".into()),
        ("sources_x", sources.clone()),
        ("sources_y", sources),
        ("receivers_x", patch.clone()),
        ("receivers_y", patch),
        ("receivers_move", "1".into()),
        ("mute", format!("1500,{}", 0.13 * coarse)),
        ("lpad", "160".into()),
        ("rpad", "160".into()),
        ("bpad", "160".into()),
        ("fpad", "160".into()),
        ("data", data.display().to_string()),
    ] {
        p.set(key, &value)?;
    }
    if whole_size {
        let extension = "lext=640 rext=640 bext=640 fext=640 text=3000 oext=640 dt=0.002";
        extension.split(' ').try_for_each(|word| p.read_pair(word))?;
    }
    p.vfile = Some(vfile);
    if ended(&data, &p).is_none() {
        shoot(&p, backend, watch)?;
        end(&data, &p, Cost::default())?;
    }
    p.vfile = Some(smooth);

    let mut runs: Vec<SaltRun> = Vec::new();
    let mut reference: Option<Cube<f32>> = None;
    for (name, words) in [
        ("checkpoints", &["strategy=8"][..]),
        ("boundaries", &["strategy=6"]),
        ("random", &["strategy=7", "rand_mode=3", "rdtype=2", "ks_rand=5000"]),
    ] {
        let mut p = p.clone();
        words.iter().try_for_each(|word| p.read_pair(word))?;
        p.out = folder.join(name);
        let path = p.out.join("image.bin");
        let (image, cost) = match ended(&path, &p) {
            Some(cost) => (read_cube(&path, &Known::default())?, cost),
            None => {
                let start = Instant::now();
                let done = migrate(&p, backend, watch)?;
                let cost = Cost {
                    shots: done.shots - done.resumed,
                    steps: done.counts.stencil,
                    bytes: done.bytes,
                    seconds: start.elapsed().as_secs_f64(),
                };
                end(&path, &p, cost)?;
                (done.image, cost)
            }
        };
        let reference = reference.get_or_insert_with(|| image.clone());
        let error = metrics::relative_l2(&image.values, &reference.values);
        let difference = Cube {
            grid: reference.grid,
            values: image.values.iter().zip(&reference.values).map(|(a, b)| a - b).collect(),
        };
        write_cube(&p.out.join("difference.bin"), &difference, "image less that of checkpoints")?;
        runs.push(SaltRun { name, error, cost, svg: p.out.join("image.svg") });
    }
    Ok(runs)
}

/// The note beside a file that was made to its end: with which parameters, and at what cost.
fn note(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".ended");
    name.into()
}

/// Notes that a file was made to its end.
fn end(path: &Path, p: &Parameters, cost: Cost) -> Result<()> {
    let Cost { shots, steps, bytes, seconds } = cost;
    let text = format!("{}\n{shots} {steps} {bytes} {seconds}\n", p.to_pairs().join(" "));
    atomic::write_text(&note(path), &text)
}

/// What a file cost that was made with these parameters to its end; `None` if it was not, or is not
/// there.
fn ended(path: &Path, p: &Parameters) -> Option<Cost> {
    let text = std::fs::read_to_string(note(path)).ok().filter(|_| path.exists())?;
    let (words, numbers) = text.split_once('\n')?;
    let mut numbers = numbers.split_whitespace();
    let mut whole = || numbers.next()?.parse().ok();
    let (shots, steps, bytes) = (whole()?, whole()?, whole()?);
    let seconds = numbers.next()?.parse().ok()?;
    (words == p.to_pairs().join(" ")).then_some(Cost { shots, steps, bytes, seconds })
}
