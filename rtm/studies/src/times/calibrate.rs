//! From measured times to models, and from models to predictions that are measured, too: all of the
//! thesis' tables of run times, for the device at hand, in one report.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rtm::cuda::bench::{problem, shot_time};
use rtm::cuda::device::KernelTimes;
use rtm::cuda::engine::CudaEngine;
use rtm::cuda::variants::Variant;
use rtm::cuda::{Cuda, ImageKernel, LayerKernel, Options};
use rtm::engine::{Boundary, Engine, Region, Step};
use rtm::grid::Cube;
use rtm::plan::{Plan, RandomBoundary, Replay, Strategy};
use rtm::run::amounts::bytes;
use rtm::verify::problem::Problem;
use rtm::{Grid, Result, fd};

use super::drawings::{self, Drawing};
use super::model::{
    Case, FaceModel, ImageModel, Model, Models, StencilModel, blocks, errors, face_points,
    hold_out, stencil_speed_up, study_blocks,
};

/// What is measured.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Orders of the differences.
    pub orders: Vec<usize>,
    /// Grids.
    pub sizes: Vec<[usize; 3]>,
    /// Boundary layers.
    pub layers: usize,
    /// Times of each kernel, of which the median counts.
    pub repeats: usize,
    /// The shot that predictions are compared with: its grid.
    pub shot: [usize; 3],
    /// Its order.
    pub shot_order: usize,
    /// Its time levels.
    pub levels: usize,
    /// Its `ks_store`.
    pub ks_store: usize,
}

impl Settings {
    /// On a GPU: sizes up to 256^3, and shot 65 of the thesis with a fifth of its levels.
    pub fn whole() -> Settings {
        Settings {
            orders: vec![2, 4, 6, 8, 10, 12, 14, 16],
            sizes: vec![
                [96, 96, 96],
                [160, 128, 128],
                [141, 141, 135],
                [160, 192, 200],
                [256, 224, 192],
                [224, 256, 256],
                [256, 256, 256],
            ],
            layers: 16,
            repeats: 11,
            shot: [141, 141, 135],
            shot_order: 6,
            levels: 500,
            ks_store: 50,
        }
    }

    /// On the emulated device: small, the times are modelled from counts.
    pub fn small() -> Settings {
        Settings {
            orders: vec![2, 4, 6],
            sizes: vec![[14, 14, 32], [18, 20, 32], [20, 24, 40], [24, 24, 48]],
            layers: 3,
            repeats: 1,
            shot: [20, 20, 32],
            shot_order: 4,
            levels: 8,
            ks_store: 4,
        }
    }
}

/// The two sets of kernels that the thesis compares, and ours.
fn sets() -> Result<[(&'static str, Options); 3]> {
    let improved = Options {
        layers: LayerKernel::Improved,
        image: ImageKernel::Improved,
        ..Options::of(Variant::find("improved")?)
    };
    // Models are of layers by themselves.
    let vector = Options { layers: LayerKernel::Lines, ..Options::best() };
    Ok([("naive", Options::naive()), ("improved", improved), ("vector", vector)])
}

/// Median times of the stencil, of each face and of the imaging condition.
fn of_kernels(times: &BTreeMap<String, KernelTimes>) -> ([f64; 6], f64, f64) {
    let time = |name: &str| times.get(name).map_or(0.0, |t| t.median_ms);
    let names = ["left", "right", "back", "front", "top", "bottom"];
    let faces = std::array::from_fn(|face| {
        let own =
            time(&format!("psi_{}", names[face])) + time(&format!("apply_cpml_{}", names[face]));
        // A launch of both faces of an axis counts half for each.
        let axis = ["x", "y", "z"][face / 2];
        let both: f64 =
            ["psi_", "zeta_", "absorb_"].map(|n| time(&format!("{n}{axis}"))).iter().sum();
        own + 0.5 * both
    });
    let sum = |start: &str| {
        times.iter().filter(|(n, _)| n.starts_with(start)).map(|(_, t)| t.median_ms).sum()
    };
    (faces, sum("stencil_"), sum("image_"))
}

/// Times of all kernels of a step, for a grid and an order.
fn measure(
    cuda: &Cuda,
    n: [usize; 3],
    order: usize,
    layers: usize,
    repeats: usize,
) -> Result<([f64; 6], f64, f64)> {
    let grid = Grid::uniform(n, 10.0);
    let dt_s = 0.9 * fd::dt_max_s(order, 10.0, 2000.0);
    let plan = Plan { layers, ..Plan::new(grid, order, dt_s, 10, 15.0) };
    let velocity = Cube::constant(grid, 2000.0f32);
    let mut engine = CudaEngine::<f32>::new(cuda.device(), *cuda.options(), &plan, &velocity)?;
    let levels = [engine.new_field()?, engine.new_field()?];
    let state = engine.new_layers()?;
    let mut run = |count: usize| -> Result<()> {
        for k in 0..count {
            let (cur, next) = (levels[k % 2], levels[(k + 1) % 2]);
            let (boundary, region) = (Boundary::Cpml(state), Region::All);
            engine.step(Step { prev: next, cur, next, boundary, region })?;
            engine.image(cur, next)?;
        }
        Ok(())
    };
    run(1)?;
    cuda.device().start_timing();
    run(repeats)?;
    Ok(of_kernels(&cuda.device().stop_timing()?))
}

/// Fits all models of the kernels that `cuda` has, and says how well.
fn fit(
    cuda: &Cuda,
    settings: &Settings,
    text: &mut String,
    panels: &mut Vec<figures::Chart>,
) -> Result<Models> {
    let mut stencil = Vec::new();
    let mut image = Vec::new();
    let mut faces: [Vec<(Case, f64)>; 6] = Default::default();
    for &order in &settings.orders {
        for &n in &settings.sizes {
            let (of_faces, of_stencil, of_image) =
                measure(cuda, n, order, settings.layers, settings.repeats)?;
            stencil.push((Case::new(order, n.iter().product()), of_stencil));
            let inner = n.map(|n| n - 2 * settings.layers).iter().product();
            image.push((Case::new(order, inner), of_image));
            for (face, ms) in of_faces.into_iter().enumerate() {
                let case = Case::new(order, face_points(n, settings.layers, face));
                faces[face].push((case, ms));
            }
        }
    }
    let [to_fit, to_test] = hold_out(&stencil);
    let model = StencilModel::fit(&to_fit)?;
    let by_order = StencilModel::fit_by_order(&to_fit)?;
    line(text, "stencil", &model.p, errors(&model, &to_test));
    panels.push(drawings::fit("Stencil", &stencil, &model, true));
    line(text, "  by order", &by_order.p, errors(&by_order, &to_test));
    let mut of_faces = Vec::new();
    for (face, measured) in faces.iter().enumerate() {
        let [to_fit, to_test] = hold_out(measured);
        let model = FaceModel::fit(&to_fit)?;
        let name = ["left", "right", "back", "front", "top", "bottom"][face];
        line(text, name, &model.p, errors(&model, &to_test));
        if face % 2 == 0 {
            panels.push(drawings::fit(&format!("Layers, {name} face"), measured, &model, true));
        }
        of_faces.push(model);
    }
    let [to_fit, to_test] = hold_out(&image);
    let of_image = ImageModel::fit(&to_fit)?;
    line(text, "image", &of_image.p, errors(&of_image, &to_test));
    panels.push(drawings::fit("Image", &image, &of_image, false));
    let faces = std::array::from_fn(|face| of_faces[face]);
    Ok(Models { stencil: model, faces, image: Some(of_image) })
}

fn line(text: &mut String, name: &str, p: &[f64], (mean, largest): (f64, f64)) {
    let p: Vec<String> = p.iter().map(|p| format!("{p:11.4e}")).collect();
    let _ = writeln!(
        text,
        "{name:<10} {:<60} {:>6.1}% {:>6.1}%",
        p.join(" "),
        100.0 * mean,
        100.0 * largest
    );
}

/// The three strategies of the comparison.
fn strategies(settings: &Settings) -> [(&'static str, Strategy); 3] {
    [
        (
            "1 checkpoints",
            Strategy::Checkpoints { ks_store: settings.ks_store, replay: Replay::EachLevel },
        ),
        ("2 boundaries", Strategy::SaveBoundaries),
        ("3 random", Strategy::RandomBoundaries(RandomBoundary::default())),
    ]
}

fn the_shot(settings: &Settings, strategy: Strategy) -> Problem {
    problem(settings.shot, settings.layers, settings.shot_order, settings.levels, strategy)
}

/// Measures, fits, validates and reports: parameters with their errors on cases that were held out,
/// speed-ups, and each strategy's shot with each mix of kernels, modelled beside measured.
///
/// # Errors
/// The device refuses.
pub fn report(cuda: &mut Cuda, settings: &Settings) -> Result<(String, Vec<Drawing>)> {
    let mut text = String::new();
    let _ = writeln!(text, "run-time models of {}\n", cuda.device().name());
    let _ = writeln!(
        text,
        "orders {:?}, {} grids up to {:?}, {} layers, median of {} calls; each fifth case is held \
         out",
        settings.orders,
        settings.sizes.len(),
        settings.sizes.last().unwrap_or(&[0; 3]),
        settings.layers,
        settings.repeats
    );
    let (mut models, mut drawn) = (Vec::new(), Vec::new());
    for (name, options) in sets()? {
        cuda.set_options(options)?;
        let _ = writeln!(
            text,
            "\n{name}: milliseconds; stencil alpha, b1 .. b4; faces alpha, b1, b2; image alpha, \
             beta; mean and largest error on held-out cases"
        );
        let mut panels = Vec::new();
        models.push(fit(cuda, settings, &mut text, &mut panels)?);
        drawn.push(drawings::fits(name, panels));
    }
    speed_ups(&mut text, settings, &models);
    for (name, model) in [("improved", models[1]), ("vector", models[2])] {
        drawn.push(drawings::speed_ups(name, &speed_up_panels(settings, name, &models[0], &model)));
    }
    ablation(cuda, settings, &models, &mut text)?;
    Ok((text, drawn))
}

/// The thesis' figures 38 to 41: the stencil, a face of each axis, the image, and what they tend
/// to.
fn speed_up_panels(
    settings: &Settings,
    name: &str,
    naive: &Models,
    model: &Models,
) -> Vec<figures::Chart> {
    let cases = |points: &dyn Fn([usize; 3]) -> usize| -> Vec<Case> {
        let sizes = settings.sizes.iter().map(|n| points(*n));
        let of = |points| settings.orders.iter().map(move |order| Case::new(*order, points));
        sizes.flat_map(of).collect()
    };
    let volume = |n: [usize; 3]| n.iter().product();
    let title = format!("Stencil: {name} over naive, by the models");
    let stencil = |case| stencil_speed_up(&naive.stencil, &model.stencil, case)[0];
    let mut panels = vec![drawings::speed_up(&title, &cases(&volume), true, stencil)];
    for (face, side) in [(0, "left"), (2, "back"), (4, "top")] {
        let points = |n: [usize; 3]| face_points(n, settings.layers, face);
        let ratio = |case| naive.faces[face].ms(case) / model.faces[face].ms(case);
        let title = format!("Layers, {side} face");
        panels.push(drawings::speed_up(&title, &cases(&points), true, ratio));
    }
    let slope = |model: &FaceModel, order: f64| model.p[1] * order + model.p[2];
    let of_face = |face: usize| {
        move |order: f64| slope(&naive.faces[face], order) / slope(&model.faces[face], order)
    };
    let of_stencil = |order: f64| naive.stencil.slope(order) / model.stencil.slope(order);
    let (left, back, top) = (of_face(0), of_face(2), of_face(4));
    let kernels: [(&str, &dyn Fn(f64) -> f64); 4] =
        [("stencil", &of_stencil), ("left", &left), ("back", &back), ("top", &top)];
    if let (Some(from), Some(to)) = (naive.image, model.image) {
        let inner = |n: [usize; 3]| n.iter().map(|n| n - 2 * settings.layers).product();
        let ratio = |case| from.ms(case) / to.ms(case);
        panels.push(drawings::speed_up("Image", &cases(&inner), false, ratio));
    }
    panels.push(drawings::bounds(&settings.orders, &kernels));
    panels
}

/// Speed-up as a function of volume and order, and its bounds.
fn speed_ups(text: &mut String, settings: &Settings, models: &[Models]) {
    for (name, model) in [("improved", models[1]), ("vector", models[2])] {
        let _ = writeln!(
            text,
            "\nspeed-up of the {name} stencil over the naive one, by the models; last column: \
             bound for large volumes"
        );
        let _ = write!(text, "{:>6}", "order");
        for n in &settings.sizes {
            let _ = write!(text, "{:>10.2e}", n.iter().product::<usize>() as f64);
        }
        let _ = writeln!(text, "{:>10}", "bound");
        for &order in &settings.orders {
            let _ = write!(text, "{order:>6}");
            let mut bound = 0.0;
            for n in &settings.sizes {
                let case = Case::new(order, n.iter().product());
                let [here, large, _] = stencil_speed_up(&models[0].stencil, &model.stencil, case);
                bound = large;
                let _ = write!(text, "{here:>10.2}");
            }
            let _ = writeln!(text, "{bound:>10.2}");
        }
        let ratio = models[0].stencil.p[1] / model.stencil.p[1];
        let _ = writeln!(text, "bound for large orders, too: {ratio:.2}");
    }
}

/// The thesis' table of the global speed-up: each strategy with each mix of kernels, measured and
/// modelled.
fn ablation(
    cuda: &mut Cuda,
    settings: &Settings,
    models: &[Models],
    text: &mut String,
) -> Result<()> {
    let [naive, improved, vector] = sets()?.map(|(_, options)| options);
    let of = |stencil: &Options, layers: &Options, image: &Options| Options {
        layers: layers.layers,
        image: image.image,
        ..*stencil
    };
    let mix = |s: usize, l: usize, i: usize| Models {
        stencil: models[s].stencil,
        faces: models[l].faces,
        image: models[i].image,
    };
    let mixes = [
        ("n n n", of(&naive, &naive, &naive), mix(0, 0, 0)),
        ("i n n", of(&improved, &naive, &naive), mix(1, 0, 0)),
        ("n i n", of(&naive, &improved, &naive), mix(0, 1, 0)),
        ("n n i", of(&naive, &naive, &improved), mix(0, 0, 1)),
        ("i i i", of(&improved, &improved, &improved), mix(1, 1, 1)),
        ("v v v", vector, mix(2, 2, 2)),
    ];
    let [nx, ny, nz] = settings.shot;
    let _ = writeln!(
        text,
        "\none shot of {nx} x {ny} x {nz} points, order {}, {} levels, ks_store {}: naive, \
         improved, vector kernels of stencil, layers, image\n\
         {:<14} {:<6} {:>11} {:>11} {:>8} {:>9} {:>9} {:>10}",
        settings.shot_order,
        settings.levels,
        settings.ks_store,
        "strategy",
        "mix",
        "measured ms",
        "modelled ms",
        "error",
        "speed-up",
        "modelled",
        "memory"
    );
    for (name, strategy) in strategies(settings) {
        let shot = the_shot(settings, strategy);
        let mut first = None;
        for (mixed, options, model) in mixes {
            cuda.set_options(options)?;
            let mut short = shot.clone();
            short.plan.nt = 3;
            shot_time::<f32>(cuda, &short, false)?;
            let time = shot_time::<f32>(cuda, &shot, false)?;
            let seconds = time.seconds;
            let modelled = model.shot_s(&shot.plan);
            let (measured_0, modelled_0) = *first.get_or_insert((seconds, modelled));
            let _ = writeln!(
                text,
                "{name:<14} {mixed:<6} {:>11.3} {:>11.3} {:>7.1}% {:>9.3} {:>9.3} {:>10}",
                1e3 * seconds,
                1e3 * modelled,
                100.0 * (modelled - seconds) / seconds,
                measured_0 / seconds,
                modelled_0 / modelled,
                bytes(time.allocated as f64)
            );
        }
    }
    let _ = writeln!(text, "error: of the modelled time, relative to the measured one");
    Ok(())
}

/// Strategy 1 with several periods against 2 and 3: time and memory of the same shot (spec 7.3).
///
/// # Errors
/// The device refuses.
pub fn trade_off(cuda: &mut Cuda, settings: &Settings) -> Result<String> {
    cuda.set_options(Options::best())?;
    let mut text = String::new();
    let settings = &Settings { levels: 5 * settings.levels, ..settings.clone() };
    let [nx, ny, nz] = settings.shot;
    let _ = writeln!(
        text,
        "time and memory of a shot of {nx} x {ny} x {nz} points, order {}, {} levels, on \
         {}\n{:<26} {:>9} {:>10} {:>14}",
        settings.shot_order,
        settings.levels,
        cuda.device().name(),
        "strategy",
        "steps",
        "seconds",
        "bytes"
    );
    let each = |ks_store| Strategy::Checkpoints { ks_store, replay: Replay::EachLevel };
    let mut runs: Vec<(String, Strategy)> = [48usize, 96, 180]
        .map(|ks_store| (settings.levels * ks_store).div_ceil(2500).max(3))
        .into_iter()
        .map(|ks_store| (format!("1, ks_store {ks_store}"), each(ks_store)))
        .collect();
    runs.dedup();
    let segment =
        Strategy::Checkpoints { ks_store: 50.min(settings.levels), replay: Replay::Segment };
    runs.push(("1, segments of 50".into(), segment));
    runs.push(("2, saved boundaries".into(), Strategy::SaveBoundaries));
    runs.push((
        "3, random boundaries".into(),
        Strategy::RandomBoundaries(RandomBoundary::default()),
    ));
    let mut found = Vec::new();
    for (name, strategy) in runs {
        let shot = the_shot(settings, strategy);
        let time = shot_time::<f32>(cuda, &shot, false)?;
        let _ = writeln!(
            text,
            "{name:<26} {:>9} {:>10.3} {:>14}",
            time.steps, time.seconds, time.allocated
        );
        found.push((time.seconds, time.allocated as f64));
    }
    let (last, n) = (found.len() - 1, found.len() - 2);
    let _ = writeln!(
        text,
        "time of 1 (first row) over 2: {:.2} (thesis 9.36); time of 2 over 3: {:.2} (1.35); memory \
         of 2 over 3: {:.1} (12.1)",
        found[0].0 / found[n].0,
        found[n].0 / found[last].0,
        found[n].1 / found[last].1
    );
    Ok(text)
}

/// The study of blocks (spec 6.7): the improved stencil over (z, x), the aligned one over all
/// blocks, the imaging condition over all that CUDA has, the layers' kernels over all. `limit`
/// bounds each axis; 32 is the thesis'.
///
/// # Errors
/// The device refuses.
pub fn block_study(
    cuda: &Cuda,
    n: [usize; 3],
    order: usize,
    limit: u32,
) -> Result<(String, Vec<Drawing>)> {
    let (mut text, mut drawn) = (String::new(), Vec::new());
    let grid = Grid::uniform(n, 10.0);
    let dt_s = 0.9 * fd::dt_max_s(order, 10.0, 2000.0);
    let plan = Plan { layers: 4, ..Plan::new(grid, order, dt_s, 10, 15.0) };
    let velocity = Cube::constant(grid, 2000.0f32);
    let all = blocks([limit; 3]);
    let flat: Vec<_> = blocks([limit, limit, 1]);
    let image_limit = if limit < 32 { [limit; 3] } else { [128, 128, 64] };
    for (name, of, list) in [
        ("aligned", Options::of(Variant::find("aligned")?), all),
        ("improved", Options::of(Variant::find("improved")?), flat),
        ("image", Options { image: ImageKernel::Improved, ..Options::best() }, blocks(image_limit)),
    ] {
        let image = name == "image";
        // All on the stream that is timed.
        let of = Options { overlap: false, ..of };
        let mut times = Vec::new();
        let mut engine = CudaEngine::<f32>::new(cuda.device(), of, &plan, &velocity)?;
        let levels = [engine.new_field()?, engine.new_field()?];
        let (cur, next) = (levels[0], levels[1]);
        let (boundary, region) = (Boundary::Reflecting, Region::All);
        let step = Step { prev: next, cur, next, boundary, region };
        for block in list {
            engine.set_blocks(block, block)?;
            let mut best = f64::INFINITY;
            for _ in 0..3 {
                let ms = cuda.device().time_ms(|| {
                    if image { engine.image(levels[0], levels[1]) } else { engine.step(step) }
                })?;
                best = best.min(ms);
            }
            times.push((block, best));
        }
        study_of(name, &times, &mut text, &mut drawn)?;
    }
    block_study_of_layers(cuda, &plan, limit, &mut text, &mut drawn)?;
    Ok((text, drawn))
}

/// The thesis' figures 45 to 54: the improved kernels of the layers, both passes over the two faces
/// of an axis, by blocks. The kernels take a block's third axis from the grid: it has one thread.
fn block_study_of_layers(
    cuda: &Cuda,
    plan: &Plan,
    limit: u32,
    text: &mut String,
    drawn: &mut Vec<Drawing>,
) -> Result<()> {
    let improved = Options::of(Variant::find("improved")?);
    let options = Options { layers: LayerKernel::Improved, overlap: false, ..improved };
    let velocity = Cube::constant(plan.grid, 2000.0f32);
    let mut engine = CudaEngine::<f32>::new(cuda.device(), options, plan, &velocity)?;
    let levels = [engine.new_field()?, engine.new_field()?];
    let state = engine.new_layers()?;
    let step = Step {
        prev: levels[1],
        cur: levels[0],
        next: levels[1],
        boundary: Boundary::Cpml(state),
        region: Region::All,
    };
    let mut times: [Vec<([u32; 3], f64)>; 3] = Default::default();
    for block in blocks([limit, limit, 1]) {
        engine.set_layer_block(block);
        cuda.device().start_timing();
        let run = (0..3).try_for_each(|_| engine.step(step));
        let found = cuda.device().stop_timing()?;
        run?;
        for (times, axis) in times.iter_mut().zip(["x", "y", "z"]) {
            let of = |pass| found.get(&format!("{pass}_{axis}")).map_or(0.0, |t| t.median_ms);
            times.push((block, of("psi") + of("zeta")));
        }
    }
    for (times, name) in times.iter().zip(["left and right", "back and front", "top and bottom"]) {
        study_of(name, times, text, drawn)?;
    }
    Ok(())
}

/// What the times over blocks say, in words and as a picture.
fn study_of(
    name: &str,
    times: &[([u32; 3], f64)],
    text: &mut String,
    drawn: &mut Vec<Drawing>,
) -> Result<()> {
    let study = study_blocks(times)?;
    drawn.push(drawings::blocks(name, times, &study));
    let ([bx, by, bz], best) = study.best;
    let ([wx, wy, wz], worst) = study.worst;
    let _ = writeln!(
        text,
        "{name}: {} blocks; the best {bx} x {by} x {bz} takes {best:.4} ms, the worst {wx} x {wy} \
         x {wz} {worst:.4} ms; a twentieth is not above {:.4} ms",
        times.len(),
        study.threshold_ms
    );
    for (axis, shares) in
        ["threadIdx.x (z)", "threadIdx.y", "threadIdx.z"].iter().zip(&study.shares)
    {
        let powers: Vec<String> = (0..8)
            .map(|k| 1usize << k)
            .filter(|v| *v <= shares.len())
            .map(|v| format!("{v}: {:.0}%", 100.0 * shares[v - 1]))
            .collect();
        let _ = writeln!(text, "  {axis:<16} blocks under it, by value: {}", powers.join(", "));
    }
    Ok(())
}
