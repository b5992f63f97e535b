//! A small survey from model to picture: what a newcomer runs first, and a test of the whole
//! program.

use std::path::{Path, PathBuf};

use figures::{Axis, Chart, Series, panels_in_rows};

use super::backend::{AnyBackend, room_of};
use super::job::Job;
use super::migrate::migrate;
use super::params::Parameters;
use super::shoot::shoot;
use super::watch::Watch;
use crate::grid::Velocity;
use crate::io::{TraceReader, atomic, index_shots, write_cube};
use crate::model::build::{Layer, layered_band_limited};
use crate::model::prepare::smooth;
use crate::picture::{Label, Plane, Scale, Slice, chart_of, heat_map, save};
use crate::strategy::{self, Movie, Observer};
use crate::survey::Gather;
use crate::{Cube, Grid, Result};

/// Layers of the demo's model, and of a smaller one for tests: the second reflector dips.
const LAYERS: [&str; 2] = ["1800,250:2200,430:2700:0.06:0", "1800,150:2200,260:2700:0.06:0"];

/// How far the migration's model is smoothed, metres: little, for smoothing across a step moves
/// what lies below it.
const SMOOTH_M: f64 = 20.0;

/// A reflector, and where the image shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reflector {
    /// Which.
    pub name: String,
    /// Depth in the model, metres.
    pub true_m: f64,
    /// Depth of the image's extremum, metres.
    pub found_m: f64,
}

/// What the demo left.
#[derive(Debug)]
pub struct Demo {
    /// The commands that do the same, one by one.
    pub commands: Vec<String>,
    /// The reflectors under the middle of the survey.
    pub reflectors: Vec<Reflector>,
    /// Spacing of the image along z.
    pub dz_m: f64,
    /// How many shots were fired.
    pub shots: usize,
    /// Pictures in the order of the story, each with a sentence; the fourth is the image.
    pub pictures: Vec<(PathBuf, String)>,
}

/// Which of [`Demo::pictures`] is the image.
pub const IMAGE: usize = 3;

/// Runs the demo; all files go to `folder`. `small` is for tests: fewer points and shots.
///
/// # Errors
/// A file cannot be written, or the run was stopped.
pub fn run(
    folder: &Path,
    small: bool,
    backend: &dyn AnyBackend,
    watch: &mut dyn Watch,
) -> Result<Demo> {
    let grid = Grid::uniform(if small { [45, 33, 41] } else { [101, 41, 65] }, 10.0);
    let words_of_layers = LAYERS[usize::from(small)];
    let layers = Layer::parse_all(words_of_layers)?;
    let model = layered_band_limited(grid, &layers);
    let (model_bin, smooth_bin) = (folder.join("model.bin"), folder.join("model-smooth.bin"));
    write_cube(&model_bin, &model, "velocity, m/s")?;
    write_cube(&smooth_bin, &smooth(&model, [SMOOTH_M; 3]), "velocity, m/s")?;
    let model_svg = folder.join("model.svg");
    picture(&model_svg, &model)?;

    // What both runs share; the model's own file name comes with each.
    let common = common_words(folder, small);
    let run_file = folder.join("run.par");
    atomic::write_text(&run_file, &format!("# the demo's survey\n{}\n", common.join("\n")))?;
    let mut words = vec![format!("par={}", run_file.display())];
    words.push(format!("vfile={}", model_bin.display()));
    let shooting = words.clone();
    let shots = shoot(&parameters(&words)?, backend, watch)?;

    let (gather_svg, wave_svg) = (folder.join("shot.svg"), folder.join("wave.svg"));
    let mut reader = TraceReader::open(&shots.path)?;
    let index = index_shots(&mut reader)?;
    let mut heard = Vec::new();
    for entry in [&index[0], &index[shots.shots / 2], &index[shots.shots - 1]] {
        heard.push(line_of(&Gather::read(&mut reader, entry)?)?);
    }
    save_sheet(&gather_svg, &panels_in_rows(&heard, 3))?;
    let middle = Gather::read(&mut reader, &index[shots.shots / 2])?;
    let wave = snapshots(&parameters(&words)?, backend, &middle, &grid, &layers)?;
    save_sheet(&wave_svg, &panels_in_rows(&wave, 2))?;

    words[1] = format!("vfile={}", smooth_bin.display());
    let migrated = migrate(&parameters(&words)?, backend, watch)?;
    let reflectors = layers[1..]
        .iter()
        .enumerate()
        .map(|(k, layer)| {
            let place = grid.position_m([grid.n[0] / 2, grid.n[1] / 2, 0]);
            let true_m = layer.top_m + layer.dip[0] * place[0] + layer.dip[1] * place[1];
            let found_m = extremum_near(&migrated.image, place, true_m, 60.0);
            Reflector { name: format!("{} to {}", layers[k].v_mps, layer.v_mps), true_m, found_m }
        })
        .collect();
    let (image_svg, depth_svg) = (folder.join("image.svg"), folder.join("depth.svg"));
    let gained = gain(&migrated.image);
    let section = Slice::of_cube(&gained, Plane::Xz, grid.n[1] / 2)?;
    let section = chart_of("The image, and the true reflectors", &section, Scale::Signed(0.99))?;
    save(&image_svg, &with_reflectors(section, &grid, &layers))?;
    save(&depth_svg, &along_depth(&gained, &model))?;
    let size = grid.n.map(|n| n.to_string()).join(",");
    Ok(Demo {
        commands: vec![
            format!(
                "rtm model --kind layered --n {size} --d 10 --layers {words_of_layers} \
                 --band-limited -o {}",
                model_bin.display()
            ),
            format!(
                "rtm model --from {} --smooth {SMOOTH_M} -o {}",
                model_bin.display(),
                smooth_bin.display()
            ),
            format!("rtm shoot {}", shooting.join(" ")),
            format!("rtm migrate {}", words.join(" ")),
            format!(
                "rtm image {} --gain {GAIN} --svg image.svg",
                folder.join("image.bin").display()
            ),
        ],
        reflectors,
        dz_m: migrated.image.grid.d_m[2],
        shots: shots.shots,
        pictures: vec![
            (model_svg, "The ground: velocity of sound, layer by layer.".into()),
            (
                wave_svg,
                "The wave of the middle shot, at four moments: it runs down, and a part of \
                it comes back from each reflector (dashed)."
                    .into(),
            ),
            (
                gather_svg,
                "What the receivers above the line of sources heard of the first, the \
                middle and the last shot: the wave itself, and below it the echoes."
                    .into(),
            ),
            (
                image_svg,
                "The image: where the source's wave and the receivers', run backwards, \
                meet. The reflectors of the true ground are dashed."
                    .into(),
            ),
            (
                depth_svg,
                "Straight down in the middle: the image's amplitude beside the true \
                reflectivity."
                    .into(),
            ),
        ],
    })
}

fn common_words(folder: &Path, small: bool) -> Vec<String> {
    let places: &[&str] = match small {
        true => &[
            "sources_x=120:200:2",
            "sources_y=80,240",
            "receivers_x=0:20:23",
            "receivers_y=0:40:9",
            "tmax=0.4",
            "mute=1800,0.06",
        ],
        false => &[
            "sources_x=200:300:3",
            "sources_y=120,280",
            "receivers_x=0:20:51",
            "receivers_y=0:40:11",
            "tmax=0.8",
            // Echoes beyond the critical angle, which are of another phase, go with the direct
            // wave.
            "mute=1800,0.1",
        ],
    };
    let mut words: Vec<String> = places.iter().map(|word| word.to_string()).collect();
    words.extend(
        [
            "fq=20",
            "ord=8",
            "pplo=5",
            "Lpml=12",
            "dt_rec=0.0015",
            "strategy=boundaries",
            "imgcond=7",
        ]
        .map(String::from),
    );
    words.push(format!("data={}", folder.join("shots.su").display()));
    words.push(format!("out={}", folder.display()));
    words
}

fn parameters(words: &[String]) -> Result<Parameters> {
    let mut parameters = Parameters::default();
    words.iter().try_for_each(|word| parameters.read_pair(word))?;
    Ok(parameters)
}

fn picture(path: &Path, model: &Velocity) -> Result<()> {
    let slice = Slice::of_cube(model, Plane::Xz, model.grid.n[1] / 2)?;
    heat_map(path, "Velocity (m/s)", &slice, Scale::Range)
}

/// The image's amplitudes are multiplied by the depth to this power: a wave that came from further
/// down has spread further.
const GAIN: f64 = 1.0;

fn gain(image: &Cube<f32>) -> Cube<f32> {
    let depth = |p| image.grid.position_m(p)[2].max(0.0).powf(GAIN) as f32;
    Cube::from_fn(image.grid, |p| image.at(p) * depth(p))
}

/// The traces of the receivers nearest to the source's y, with their places along x.
fn line_of(gather: &Gather) -> Result<Chart> {
    let (source, receivers) = (gather.geometry.source_m, &gather.geometry.receivers_m);
    let off = |r: &[f64; 3]| (r[1] - source[1]).abs();
    let nearest = receivers.iter().map(off).fold(f64::INFINITY, f64::min);
    let line: Vec<usize> =
        (0..receivers.len()).filter(|&k| off(&receivers[k]) <= nearest + 1e-6).collect();
    let trace = |k: &usize| &gather.samples[k * gather.ns..][..gather.ns];
    let samples: Vec<f32> = line.iter().flat_map(trace).copied().collect();
    let mut traces = Slice::of_traces(&samples, gather.ns, gather.dt_s);
    if let [first, second, ..] = line[..] {
        let (x, next) = (receivers[first][0], receivers[second][0]);
        traces.axes[0] = (x, next - x);
        traces.labels[0] = Label::Metres("x".into());
    }
    let title = format!("Source at x = {:.0} m", source[0]);
    Ok(chart_of(&title, &traces, Scale::Signed(0.9))?.size(200.0, 320.0))
}

/// Four moments of a shot's wave in the true model.
fn snapshots(
    params: &Parameters,
    backend: &dyn AnyBackend,
    gather: &Gather,
    grid: &Grid,
    layers: &[Layer],
) -> Result<Vec<Chart>> {
    /// Keeps the levels that are asked for.
    struct Keep {
        levels: Vec<usize>,
        kept: Vec<Slice>,
    }
    impl Observer<f32> for Keep {
        fn wants(&mut self, _: Movie, k: usize) -> bool {
            self.levels.contains(&k)
        }
        fn show(&mut self, _: Movie, _: usize, field: &Cube<f32>) -> Result<()> {
            self.kept.push(Slice::of_cube(field, Plane::Xz, field.grid.n[1] / 2)?);
            Ok(())
        }
    }
    let job = Job::new(params, room_of(params, backend)?)?;
    let (dt_s, start_s) = (job.dt_max_s, job.signature.start_s());
    let times_s = MOMENTS_S.map(|t| t * grid.d_m[2] * grid.n[2] as f64 / 640.0);
    let level = |t: f64| ((t - start_s) / dt_s).round() as usize;
    let mut keep = Keep { levels: times_s.map(level).into(), kept: Vec::new() };
    let nt = level(times_s[3]) + 2;
    let shot = job.shot(&gather.geometry, dt_s, nt)?;
    let wavelet = job.signature.sampled(start_s, dt_s, nt).into_iter().map(|v| v as f32).collect();
    let velocity = job.submodel(&shot);
    let mut source = job.source(&shot, gather.geometry.source_m, wavelet);
    source.scale_to_sources(&velocity);
    strategy::model::<f32>(backend, &shot.plan, &velocity, &source, &[], &mut keep)?;
    let last = grid.position_m(grid.n.map(|n| n - 1));
    let chart = |(slice, t): (&Slice, f64)| {
        let model = slice.within([0, 2].map(|a| (grid.origin_m[a], last[a])));
        let chart = chart_of(&format!("{:.0} ms", 1e3 * t), &model, Scale::Signed(0.99))?;
        let tall = 340.0 * grid.n[2] as f64 / grid.n[0] as f64;
        let chart = chart.size(340.0, tall);
        Ok(with_reflectors(chart, grid, layers))
    };
    keep.kept.iter().zip(times_s).map(chart).collect()
}

/// When the wave is shown, seconds, in a model that is 640 m deep.
const MOMENTS_S: [f64; 4] = [0.1, 0.18, 0.26, 0.36];

/// A section with the model's reflectors as lines.
fn with_reflectors(chart: Chart, grid: &Grid, layers: &[Layer]) -> Chart {
    let middle = grid.position_m([0, grid.n[1] / 2, 0])[1];
    let depth = |l: &Layer, x: f64| l.top_m + l.dip[0] * x + l.dip[1] * middle;
    let line = |l: &Layer| {
        let ends =
            [grid.origin_m[0], grid.position_m([grid.n[0] - 1, 0, 0])[0]].map(|x| (x, depth(l, x)));
        Series::line("", ends.to_vec()).smooth().style(1)
    };
    chart.with_all(layers[1..].iter().map(line))
}

/// The middle column of the image beside the reflectivity of the model, both with 1 as their
/// largest size.
fn along_depth(image: &Cube<f32>, model: &Velocity) -> Chart {
    let grid = image.grid;
    let (ix, iy) = (grid.n[0] / 2, grid.n[1] / 2);
    let (values, v) = (image.row(ix, iy), model.row(ix, iy));
    let depth = |iz: usize| grid.position_m([0, 0, iz])[2];
    let size = |all: &[f64]| all.iter().fold(f64::MIN_POSITIVE, |m, a| m.max(a.abs()));
    let reflects: Vec<f64> = (0..grid.n[2])
        .map(|k| {
            let (up, down) =
                (f64::from(v[k.saturating_sub(1)]), f64::from(v[(k + 1).min(v.len() - 1)]));
            (down - up) / (down + up)
        })
        .collect();
    let seen: Vec<f64> = values.iter().map(|a| f64::from(*a)).collect();
    // Laplacian and wavelet may turn the sign round: the largest size shows it.
    let largest = (0..seen.len()).max_by(|&a, &b| reflects[a].total_cmp(&reflects[b])).unwrap_or(0);
    let sign = if seen[largest] < 0.0 { -1.0 } else { 1.0 };
    let curve = |name: &str, all: &[f64], sign: f64| {
        let scale = sign / size(all);
        Series::line(name, (0..all.len()).map(|k| (depth(k), all[k] * scale)).collect()).smooth()
    };
    Chart::new(
        "Image and reflectivity along the middle column",
        Axis::linear("z").unit("m", 1.0),
        Axis::linear("value / largest value"),
    )
    .with(curve("image", &seen, sign))
    .with(curve("reflectivity", &reflects, 1.0))
}

fn save_sheet(path: &Path, sheet: &figures::Sheet) -> Result<()> {
    atomic::write_text(path, &sheet.svg())
}

/// Depth of the largest size within `reach_m` of a depth, in the column at a place; between the
/// points by a parabola.
fn extremum_near(image: &Cube<f32>, place_m: [f64; 3], depth_m: f64, reach_m: f64) -> f64 {
    let grid = image.grid;
    let index = |a: usize| ((place_m[a] - grid.origin_m[a]) / grid.d_m[a]).round() as usize;
    let depth = |iz: usize| grid.position_m([0, 0, iz])[2];
    let column = image.row(index(0), index(1));
    let size = |iz: usize| f64::from(column[iz].abs());
    let largest = (1..grid.n[2] - 1)
        .filter(|&iz| (depth(iz) - depth_m).abs() <= reach_m)
        .max_by(|&a, &b| size(a).total_cmp(&size(b)));
    largest.map_or(f64::NAN, |iz| {
        let (a, b, c) = (size(iz - 1), size(iz), size(iz + 1));
        let bend = a - 2.0 * b + c;
        let shift = if bend < 0.0 { 0.5 * (a - c) / bend } else { 0.0 };
        depth(iz) + shift.clamp(-0.5, 0.5) * grid.d_m[2]
    })
}
