//! A small survey from model to picture: what a newcomer runs first, and a test of the whole
//! program.

use std::path::{Path, PathBuf};

use super::migrate::{AnyBackend, Watch, migrate};
use super::params::Parameters;
use super::shoot::shoot;
use crate::grid::Velocity;
use crate::io::{TraceReader, atomic, index_shots, write_cube};
use crate::model::build::{Layer, layered_band_limited};
use crate::model::prepare::smooth;
use crate::picture::{Plane, Scale, Slice, heat_map};
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
    /// Picture of the model.
    pub model_svg: PathBuf,
    /// Picture of a shot's traces.
    pub gather_svg: PathBuf,
    /// Picture of the image.
    pub image_svg: PathBuf,
}

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

    let gather_svg = folder.join("shot.svg");
    let mut reader = TraceReader::open(&shots.path)?;
    let middle = index_shots(&mut reader)?.swap_remove(shots.shots / 2);
    let gather = Gather::read(&mut reader, &middle)?;
    let traces = Slice::of_traces(&gather.samples, gather.ns, gather.dt_s);
    heat_map(&gather_svg, &format!("shot {}", middle.id), &traces, Scale::Signed(0.97))?;

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
    let size = grid.n.map(|n| n.to_string()).join(",");
    Ok(Demo {
        commands: vec![
            format!(
                "rtm model --kind layered --n {size} --d 10 --layers {words_of_layers} --band-limited -o {}",
                model_bin.display()
            ),
            format!(
                "rtm model --from {} --smooth {SMOOTH_M} -o {}",
                model_bin.display(),
                smooth_bin.display()
            ),
            format!("rtm shoot {}", shooting.join(" ")),
            format!("rtm migrate {}", words.join(" ")),
        ],
        reflectors,
        dz_m: migrated.image.grid.d_m[2],
        model_svg,
        gather_svg,
        image_svg: folder.join("image.svg"),
    })
}

fn common_words(folder: &Path, small: bool) -> Vec<String> {
    let places = match small {
        true => [
            "sources_x=120:200:2",
            "sources_y=80,240",
            "receivers_x=0:20:23",
            "receivers_y=0:40:9",
            "tmax=0.4",
            "mute=1800,0.06",
        ],
        false => [
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
    let mut words: Vec<String> = places.map(String::from).into();
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
    heat_map(path, "velocity, m/s", &slice, Scale::Range)
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
