//! What `docs/verification.md` tells in numbers, as curves: dispersion, the free surface's ghost,
//! what absorbing layers send back, waves between the grid's points, a hill, and a survey that
//! another program has modelled.

use std::f64::consts::PI;
use std::path::Path;

use figures::{Axis, Chart, Series};
use rtm::engine::Backend;
use rtm::grid::Cube;
use rtm::io::{Trace, TraceFormat, TraceHeader, TraceReader, write_cube, write_traces};
use rtm::model::build::{Layer, layered};
use rtm::picture::{Plane, Scale, Slice, chart_of};
use rtm::plan::{Face, FaceKind};
use rtm::run::{AnyBackend, Parameters, migrate, shoot};
use rtm::survey::{Sampling, wavelet::ricker};
use rtm::verify::identities;
use rtm::{Error, Grid, Plan, Result, Traces, fd, metrics, strategy};

use crate::tables::{Panels, Table};

/// Phase velocity on the grid over the medium's, along an axis, by order and points per wavelength:
/// in space alone, and for order 8 with the time step, too.
pub(crate) fn dispersion() -> (String, Panels) {
    const ORDERS: [usize; 5] = [2, 4, 8, 12, 16];
    const COURANT: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
    // So small a step in time that only space is left.
    const STILL: f64 = 1e-3;
    let names: Vec<String> = ORDERS.iter().map(|order| format!("order {order}")).collect();
    let head: Vec<&str> =
        ["points per wavelength"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut table =
        Table::new("Phase velocity on the grid over the medium's, along an axis", &head);
    for points in [3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0] {
        let ratio = |order| format!("{:.5}", fd::phase_velocity_ratio(order, points, STILL));
        let mut cells = vec![points.to_string()];
        cells.extend(ORDERS.map(ratio));
        table.row(&cells);
    }
    let curve = |name: &str, of: &dyn Fn(f64) -> f64| {
        let points = (60..=400).map(|k| f64::from(k) / 20.0);
        Series::line(name, points.map(|p| (p, of(p))).collect())
    };
    let chart = |title: &str, y: Axis| {
        let x = Axis::linear("points per wavelength").range(3.0, 20.0);
        Chart::new(title, x, y).size(380.0, 300.0)
    };
    let late = Axis::log("1 \u{2212} phase velocity / v").range(1e-7, 0.3);
    let space =
        chart("Differences in space alone", late).with_all(names.iter().zip(ORDERS).map(
            |(name, order)| curve(name, &|p| 1.0 - fd::phase_velocity_ratio(order, p, STILL)),
        ));
    let early = Axis::linear("phase velocity / v").range(0.99, 1.02);
    let time = chart("Order 8, with the step in time", early).with_all(COURANT.map(|courant| {
        let name = format!("v dt / d = {courant}");
        curve(&name, &|p| fd::phase_velocity_ratio(8, p, courant))
    }));
    (table.0, (vec![space, time], 2))
}

/// The wave that a free surface sends back, alone: of the scheme, and by the source's image,
/// `-s(t - r'/v) / (4 pi r')`.
pub(crate) fn ghost(double: &dyn Backend<f64>) -> Result<(String, Panels)> {
    let (d_m, v, peak_hz, order, dt_s, nt) = (20.0, 2000.0, 10.0, 12, 0.0005, 800);
    let source = [23, 20, 6];
    let receivers = [[27, 20, 4], [23, 20, 9]];
    let wavelet = ricker(peak_hz, -1.2 / peak_hz, dt_s, nt);
    // With the surface at the top, or as the lower half of a space without one.
    let model = |n: [usize; 3], free_surface: bool, below: usize| -> Result<Traces<f64>> {
        let mut plan = Plan::new(Grid::uniform(n, d_m), order, dt_s, nt, peak_hz);
        (plan.layers, plan.faces) = (0, [FaceKind::Reflecting; 6]);
        if free_surface {
            plan.faces[Face::Top as usize] = FaceKind::FreeSurface;
        }
        let down = |[x, y, z]: [usize; 3]| [x, y, z + below];
        let mut from = Traces::source(dt_s, down(source), wavelet.clone());
        let velocity = Cube::constant(plan.grid, v as f32);
        from.scale_to_sources(&velocity);
        let points = receivers.map(down);
        strategy::model(double, &plan, &velocity, &from, &points, &mut ())
    };
    let free = model([47, 41, 40], true, 0)?;
    let whole = model([47, 41, 79], false, 39)?;
    let mut table =
        Table::new("The free surface's ghost beside its formula", &["receiver", "path", "e"]);
    let mut charts = Vec::new();
    for (i, receiver) in receivers.into_iter().enumerate() {
        let away = |a: usize| (receiver[a] as f64 - source[a] as f64) * d_m;
        let path = away(0).hypot(away(1)).hypot((receiver[2] + source[2]) as f64 * d_m);
        let pairs = free.trace(i).iter().zip(whole.trace(i));
        let ghost: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
        let late = ricker(peak_hz, -1.2 / peak_hz - path / v, dt_s, nt);
        let formula: Vec<f64> = late.iter().map(|s| -s / (4.0 * PI * path)).collect();
        let error = metrics::relative_l2(&ghost, &formula);
        let offset = away(0).hypot(away(1));
        let name = format!("{offset:.0} m away, {:.0} m deep", receiver[2] as f64 * d_m);
        table.row(&[name.clone(), format!("{path:.0} m"), format!("{error:.1e}")]);
        let curve = |values: &[f64], each: usize| -> Vec<(f64, f64)> {
            let shown = values.iter().enumerate().step_by(each);
            shown.map(|(k, p)| (k as f64 * dt_s, *p)).collect()
        };
        let time = Axis::linear("time").unit("s", 1.0);
        charts.push(
            Chart::new(&name, time, Axis::linear("pressure").unit("Pa", 1.0))
                .note(&format!("relative L2 error {:.2} %", 1e2 * error))
                .with(Series::line("formula", curve(&formula, 1)).smooth())
                .with(Series::points("grid", curve(&ghost, 25)))
                .size(330.0, 240.0),
        );
    }
    Ok((table.0, (charts, 2)))
}

/// What absorbing layers send back, by the angle at which the wave meets them.
pub(crate) fn echoes(single: &dyn Backend<f32>) -> Result<(String, Panels)> {
    const DEGREES: [f64; 7] = [0.0, 15.0, 30.0, 45.0, 60.0, 70.0, 75.0];
    let mut table = Table::new(
        "Echo of CPML layers over the direct wave (10 m, 2000 m/s, 15 Hz, order 8)",
        &["degrees", "10 layers", "20 layers"],
    );
    let mut curves = [Vec::new(), Vec::new()];
    for degrees in DEGREES {
        let mut cells = vec![degrees.to_string()];
        for (curve, layers) in curves.iter_mut().zip([10, 20]) {
            let echo = identities::reflection(single, layers, degrees)?;
            cells.push(format!("{echo:.1e}"));
            curve.push((degrees, echo));
        }
        table.row(&cells);
    }
    let [ten, twenty] = curves;
    let x = Axis::linear("angle to the normal (degrees)").range(0.0, 80.0);
    let chart = Chart::new("Echo of the absorbing layers", x, Axis::log("echo / direct wave"))
        .with(Series::line("10 layers", ten))
        .with(Series::line("20 layers", twenty));
    Ok((table.0, (vec![chart], 1)))
}

/// A wave along an axis, read at places between the grid's points: the largest error, of the
/// nearest point's value and by the windowed sinc.
pub(crate) fn between() -> (String, Panels) {
    const CELLS: usize = 64;
    let grid = Grid { n: [CELLS, 1, 1], d_m: [1.0; 3], origin_m: [0.0; 3] };
    // Ten places within a cell in the middle; a sine and a cosine have every phase.
    let places: Vec<[f64; 3]> = (0..=10).map(|k| [32.0 + 0.1 * f64::from(k), 0.0, 0.0]).collect();
    let worst = |exact: bool, points: f64| {
        let sampling = Sampling::new(&grid, &places, exact, false);
        let read = |wave: &dyn Fn(f64) -> f64| -> Vec<f64> {
            let mut field = Traces::zeros(1, 1.0, sampling.points.clone());
            for (value, [x, ..]) in field.samples.iter_mut().zip(&sampling.points) {
                *value = wave(*x as f64);
            }
            let found: Vec<f64> = sampling.gather(field);
            found.iter().zip(&places).map(|(f, p)| f - wave(p[0])).collect()
        };
        let angle = |x: f64| 2.0 * PI * x / points;
        let (sine, cosine) = (read(&|x| angle(x).sin()), read(&|x| angle(x).cos()));
        sine.iter().zip(&cosine).map(|(s, c)| s.hypot(*c)).fold(0.0, f64::max)
    };
    let mut table = Table::new(
        "Largest error of a wave of amplitude 1 between the grid's points",
        &["points per wavelength", "nearest point", "windowed sinc"],
    );
    let mut curves = [Vec::new(), Vec::new()];
    for points in [2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0] {
        let errors = [false, true].map(|exact| worst(exact, points));
        table.row(&[
            points.to_string(),
            format!("{:.1e}", errors[0]),
            format!("{:.1e}", errors[1]),
        ]);
        curves.iter_mut().zip(errors).for_each(|(curve, e)| curve.push((points, e)));
    }
    let [nearest, sinc] = curves;
    let (x, y) = (Axis::linear("points per wavelength"), Axis::log("largest error / amplitude"));
    let chart = Chart::new("A wave read between the grid's points", x, y)
        .with(Series::line("nearest point", nearest))
        .with(Series::line("sinc under Kaiser's window, 8 points", sinc));
    (table.0, (vec![chart], 1))
}

/// Depth of the mirror below the hill, metres.
const MIRROR_M: f64 = 153.0;

/// Exact echoes of a mirror, of a source and 21 x 21 receivers at heights on a hill, migrated with
/// these heights and without them: the image under the source.
pub(crate) fn hill(backend: &dyn AnyBackend) -> Result<(String, Panels)> {
    let folder = scratch()?;
    let data = folder.path().join("echoes.su");
    let height_m = |x: f64, y: f64| 20.0 + 20.0 * (x / 90.0).sin() + 0.05 * y;
    // The model begins above the hill.
    let top_m = -60.0;
    let grid = Grid { n: [41, 41, 31], d_m: [10.0; 3], origin_m: [0.0, 0.0, top_m] };
    let model = folder.path().join("v.bin");
    write_cube(&model, &Cube::constant(grid, 2000f32), "velocity, m/s")?;
    let mut table = Table::new(
        &format!("A mirror at {MIRROR_M} m below a hill: depth of the image's largest value"),
        &["heights", "found"],
    );
    let mut chart = Chart::new(
        "Under the source: a mirror below a hill",
        Axis::linear("depth").unit("m", 1.0).range(60.0, 240.0),
        Axis::linear("image / its largest value"),
    );
    for (name, known) in [("their own heights", true), ("as if all lay at 0", false)] {
        write_echoes(&data, height_m, known)?;
        let words = "fq=25 Lpml=10 art_rem_method=0 svg=0 restart=0";
        let p = parameters(words, &data, folder.path(), Some(&model))?;
        let image = migrate(&p, backend, &mut ())?.image;
        let column: Vec<(f64, f64)> = image
            .row(20, 20)
            .iter()
            .enumerate()
            .map(|(k, v)| (top_m + 10.0 * k as f64, f64::from(*v)))
            .collect();
        // Not what lies beside the source itself.
        let seen: Vec<(f64, f64)> = column.into_iter().filter(|p| p.0 >= 60.0).collect();
        let (peak, size) = seen
            .iter()
            .fold((0.0, 0.0f64), |(z, m), p| if p.1.abs() > m.abs() { *p } else { (z, m) });
        table.row(&[name.to_string(), format!("{peak:.0} m")]);
        let curve = seen.iter().map(|(z, a)| (*z, a / size)).collect();
        chart = chart.with(Series::line(name, curve));
    }
    let mirror = vec![(MIRROR_M, -0.8), (MIRROR_M, 1.0)];
    let chart = chart.with(Series::line("the mirror", mirror).reference());
    Ok((table.0, (vec![chart], 1)))
}

/// What receivers 20 m apart record of a mirror at [`MIRROR_M`], by the image of the source: a
/// Ricker wavelet of 25 Hz at 2000 m/s, its peak at time 0. The headers tell the heights, or 0.
fn write_echoes(path: &Path, height_m: impl Fn(f64, f64) -> f64, known: bool) -> Result<()> {
    let (v, dt_s, ns, peak_hz) = (2000.0, 0.002, 160, 25.0);
    let at = |x: f64, y: f64| [x, y, -height_m(x, y)];
    let told = |p: [f64; 3]| if known { p } else { [p[0], p[1], 0.0] };
    let source = at(200.0, 200.0);
    let mut traces = (0..21 * 21).map(|k| {
        let receiver = at(20.0 * f64::from(k / 21), 20.0 * f64::from(k % 21));
        let down = 2.0 * MIRROR_M - source[2] - receiver[2];
        let way = (receiver[0] - source[0]).hypot(receiver[1] - source[1]).hypot(down);
        let wave = ricker(peak_hz, -way / v, dt_s, ns);
        let samples = wave.iter().map(|s| (s / (4.0 * PI * way)) as f32).collect();
        let (source_m, receiver_m) = (told(source), told(receiver));
        let header = TraceHeader {
            shot: 1,
            channel: k + 1,
            source_m,
            receiver_m,
            dt_s,
            ..Default::default()
        };
        Ok(Trace { header, samples })
    });
    write_traces(path, TraceFormat::Su, "", &mut traces)?;
    Ok(())
}

/// The survey of `rtm/benches/peers/devito_survey.py`.
const SURVEY: &[u8] = include_bytes!("../../tests/data/devito.sgy");

/// A survey that Devito has modelled: its traces beside those of this program for the same ground,
/// and its image with the true reflector.
pub(crate) fn devito(backend: &dyn AnyBackend) -> Result<(String, Panels)> {
    const REFLECTOR_M: f64 = 300.0;
    // The script's spacing: Devito adds v^2 dt^2 s to a point, this program as much for each m^3.
    const SPACING_M: f64 = 8.0;
    let folder = scratch()?;
    let data = folder.path().join("devito.sgy");
    std::fs::write(&data, SURVEY).map_err(|e| Error::file(&data, e))?;

    let grid = Grid { n: [61, 41, 71], d_m: [SPACING_M; 3], origin_m: [0.0; 3] };
    let layer = |top_m, v_mps| Layer { top_m, dip: [0.0; 2], v_mps };
    let ground = layered(grid, &[layer(f64::NEG_INFINITY, 2000.0), layer(REFLECTOR_M, 2600.0)]);
    let model = folder.path().join("v.bin");
    write_cube(&model, &ground, "velocity, m/s")?;
    let (source, receivers) = (folder.path().join("s.txt"), folder.path().join("r.txt"));
    let write =
        |path: &Path, text: &str| std::fs::write(path, text).map_err(|e| Error::file(path, e));
    write(&source, "160 160 24\n")?;
    let places = [[210.0, 160.0], [390.0, 160.0]];
    write(&receivers, &places.iter().map(|[x, y]| format!("{x} {y} 8\n")).collect::<String>())?;
    let words = "fq=15 Lpml=16 tmax=0.5 dt=0.0005 dt_rec=0.004";
    let ours = folder.path().join("ours.su");
    let mut p = parameters(words, &ours, folder.path(), Some(&model))?;
    (p.sources_file, p.receivers_file) = (Some(source), Some(receivers));
    shoot(&p, backend, &mut ())?;
    let ours: Vec<Trace> = TraceReader::open(&ours)?.collect::<Result<_>>()?;
    let theirs: Vec<Trace> = TraceReader::open(&data)?.take(105).collect::<Result<_>>()?;

    let mut table = Table::new(
        "Devito's traces beside this program's, and the depth of its reflector in the image",
        &["what", "found"],
    );
    let mut charts = Vec::new();
    for (mine, [x, y]) in ours.iter().zip(&places) {
        // 15 receivers in a line along x, 7 lines.
        let channel = (y / 40.0) as usize - 1;
        let channel = channel * 15 + (x / 30.0) as usize - 1;
        let other = &theirs[channel];
        let late = (-other.header.delay_s / 0.004).round() as usize;
        let other: Vec<f64> = other.samples[late..].iter().map(|s| f64::from(*s)).collect();
        let scale = SPACING_M.powi(3);
        let mine: Vec<f64> = mine.samples.iter().map(|s| scale * f64::from(*s)).collect();
        let size = |of: &[f64]| of.iter().fold(0f64, |m, v| m.max(v.abs()));
        let (n, peak) = (mine.len().min(other.len()), size(&other));
        let apart: Vec<f64> = (0..n).map(|k| mine[k] - other[k]).collect();
        // The reflection comes when the direct wave has passed.
        for (part, from_s, to_s) in [("Direct wave", 0.0, 0.2), ("Reflected wave", 0.2, 0.4)] {
            let range = (from_s / 0.004) as usize..((to_s / 0.004) as usize).min(n);
            let error = size(&apart[range.clone()]) / peak;
            let name = format!("{part}, {:.0} m away", x - 160.0);
            table.row(&[format!("{name}: difference / peak"), format!("{error:.1e}")]);
            let curve = |all: &[f64]| -> Vec<(f64, f64)> {
                range.clone().map(|k| (0.004 * k as f64, all[k])).collect()
            };
            let time = Axis::linear("time").unit("s", 1.0);
            charts.push(
                Chart::new(&name, time, Axis::linear("pressure"))
                    .note(&format!("apart by {:.1} % of the largest value", 1e2 * error))
                    .with(Series::line("rtm", curve(&mine)).smooth())
                    .with(Series::points("Devito", curve(&other)))
                    .size(360.0, 220.0),
            );
        }
    }

    let words = "vcte=2000 nx=31 ny=21 nz=36 dx=16 dy=16 dz=16 fq=15 Lpml=10 mute=2000,0.1 \
                 rotate=431000,6782000,30 svg=0 restart=0";
    let image = migrate(&parameters(words, &data, folder.path(), None)?, backend, &mut ())?.image;
    let slice = Slice::of_cube(&image, Plane::Xz, 10)?;
    let slice = slice.within([(96.0, 400.0), (160.0, 480.0)]);
    let reflector = Series::line("", vec![(96.0, REFLECTOR_M), (400.0, REFLECTOR_M)]);
    charts.push(
        chart_of("Devito's survey migrated", &slice, Scale::Signed(0.99))?
            .note("dashed: the true reflector")
            .with(reflector.smooth().style(1))
            .size(360.0, 260.0),
    );
    let column = image.row(12, 10);
    let size = |z: usize| column[z].abs();
    let top = (10..30).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap_or(0);
    table.row(&[format!("reflector at {REFLECTOR_M} m, nearest point"), format!("{} m", 16 * top)]);
    let below = (10..30).map(|z| (16.0 * z as f64, f64::from(column[z] / size(top)))).collect();
    let mark = Series::line("reflector", vec![(REFLECTOR_M, -1.0), (REFLECTOR_M, 1.0)]);
    charts.push(
        Chart::new("Image along a column", Axis::linear("z (m)"), Axis::linear("image / largest"))
            .note(&format!("the largest value at {} m", 16 * top))
            .with(Series::line("image", below))
            .with(mark.reference())
            .size(360.0, 260.0),
    );
    Ok((table.0, (charts, 2)))
}

fn scratch() -> Result<tempfile::TempDir> {
    tempfile::tempdir().map_err(|e| Error::file("a folder for temporary files", e))
}

/// Parameters from `name=value` words.
fn parameters(words: &str, data: &Path, out: &Path, model: Option<&Path>) -> Result<Parameters> {
    let mut p = Parameters::default();
    words.split_whitespace().try_for_each(|word| p.read_pair(word))?;
    if let Some(model) = model {
        p.read_pair(&format!("vfile={}", model.display()))?;
    }
    p.data = Some(data.into());
    p.out = out.join("out");
    Ok(p)
}
