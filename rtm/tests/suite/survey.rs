//! Data that this program has not made: exact echoes of a mirror, written as a recorder would, and
//! where their image lies.

use std::f64::consts::PI;
use std::path::Path;

use rtm::engine::Room;
use rtm::io::{Trace, TraceFormat, TraceHeader, TraceReader, write_traces};
use rtm::metrics;
use rtm::plan::Strategy;
use rtm::propagate::Cpu;
use rtm::run::{Parameters, Survey, migrate};
use rtm::strategy::memory;

const V_MPS: f64 = 2000.0;
const DT_S: f64 = 0.002;
const NS: usize = 160;
const PEAK_HZ: f64 = 25.0;
const MIRROR_M: f64 = 153.0;
const SOURCE_M: [f64; 3] = [200.0, 200.0, 0.0];

/// The Ricker wavelet with its peak at time 0.
fn zero_phase(t_s: f64) -> f64 {
    let q = (PI * PEAK_HZ * t_s).powi(2);
    (1.0 - 2.0 * q) * (-q).exp()
}

/// What receivers at the surface record of a mirror below them, by the image of the source; the
/// first sample is that of `delay_ms`. They lie on `lines` along x, 20 m apart, about the source.
fn write_echoes(path: &Path, delay_ms: i16, lines: i32) {
    write_echoes_from(path, delay_ms, lines, |_, _| 0.0);
}

/// The same with source and receivers at a depth for each x and y.
fn write_echoes_from(path: &Path, delay_ms: i16, lines: i32, depth_m: impl Fn(f64, f64) -> f64) {
    let source_m = [SOURCE_M[0], SOURCE_M[1], depth_m(SOURCE_M[0], SOURCE_M[1])];
    let line = |k: i32| 20.0 * f64::from(k);
    let half = lines / 2;
    let across = 10 - half..=10 + half;
    let places = (0..21).flat_map(|x| across.clone().map(move |y| [line(x), line(y)]));
    let mut traces = places.enumerate().map(|(k, [x, y])| {
        let receiver_m = [x, y, depth_m(x, y)];
        let [dx, dy] = [0, 1].map(|a| receiver_m[a] - source_m[a]);
        let down = 2.0 * MIRROR_M - source_m[2] - receiver_m[2];
        let way = (dx * dx + dy * dy + down * down).sqrt();
        let sample = |i: usize| {
            let t = f64::from(delay_ms) * 1e-3 + i as f64 * DT_S;
            (zero_phase(t - way / V_MPS) / (4.0 * PI * way)) as f32
        };
        let samples = (0..NS).map(sample).collect();
        let channel = k as i32 + 1;
        let header = TraceHeader {
            shot: 1,
            channel,
            source_m,
            receiver_m,
            dt_s: DT_S,
            ..Default::default()
        };
        Ok(Trace { header, samples })
    });
    write_traces(path, TraceFormat::Su, "", &mut traces).unwrap();
    // Bytes 109-110 of each header: `delrt`.
    let mut bytes = std::fs::read(path).unwrap();
    let each = 240 + 4 * NS;
    for header in bytes.chunks_exact_mut(each) {
        header[108..110].copy_from_slice(&delay_ms.to_le_bytes());
    }
    std::fs::write(path, bytes).unwrap();
}

/// Depth of the extremum of a column whose points lie 10 m apart, between them by a parabola; not
/// near the receivers, which an image shows, too.
fn extremum_m(column: &[f64]) -> f64 {
    let size = |z: usize| column[z].abs();
    let top = (8..column.len() - 1).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap();
    let (a, b, c) = (size(top - 1), size(top), size(top + 1));
    10.0 * (top as f64 + 0.5 * (a - c) / (a - 2.0 * b + c))
}

/// Where theory has it for these receivers: the source's field times that which the traces'
/// derivative makes of the receivers, summed over time.
fn theory_m() -> f64 {
    let slope = |t: f64| {
        let a = (PI * PEAK_HZ).powi(2);
        2.0 * a * t * (2.0 * a * t * t - 3.0) * (-a * t * t).exp()
    };
    let image = |iz: usize| -> f64 {
        let z = 10.0 * iz.max(1) as f64;
        let line = (-10..=10).map(|k: i32| 20.0 * f64::from(k));
        let across = line.clone().flat_map(|x| line.clone().map(move |y| x * x + y * y));
        let pairs = across.map(|xy| ((xy + z * z).sqrt(), (xy + 4.0 * MIRROR_M * MIRROR_M).sqrt()));
        pairs
            .flat_map(|(r, way)| (-30..=30).map(move |k: i32| (r, way, 0.002 * f64::from(k))))
            .map(|(r, way, t)| zero_phase(t) * slope(t + (z + r - way) / V_MPS) / (z * r * way))
            .sum()
    };
    extremum_m(&(0..25).map(image).collect::<Vec<_>>())
}

/// The image under the source.
fn imaged(folder: &Path, words: &[&str]) -> Vec<f64> {
    let model = ["vcte=2000", "nx=41", "ny=41", "nz=25", "dx=10", "dy=10", "dz=10"];
    imaged_in(folder, &[&model, words].concat())
}

/// The same in any model of 41 by 41 columns.
fn imaged_in(folder: &Path, words: &[&str]) -> Vec<f64> {
    let mut p = Parameters::default();
    let common = "fq=25 Lpml=10 art_rem_method=0 svg=0 restart=0";
    common.split(' ').chain(words.iter().copied()).for_each(|word| p.read_pair(word).unwrap());
    p.data = Some(folder.join("d.su"));
    p.out = folder.join("out");
    let image = migrate(&p, &Cpu::new(), &mut ()).unwrap().image;
    image.row(20, 20).iter().map(|v| f64::from(*v)).collect()
}

/// Zero-phase data with and without a delay, and with a wavelet from a file whose time zero lies in
/// its middle.
#[test]
fn a_mirror_lies_at_its_depth() {
    kept::once!();
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (-30..=30)
        .map(|k| f64::from(k) * 0.002)
        .map(|t| format!("{t} {}\n", zero_phase(t)))
        .collect();
    let wavelet = folder.path().join("w.txt");
    std::fs::write(&wavelet, lines).unwrap();
    let wavelet = format!("wavelet={}", wavelet.display());
    for (delay_ms, words) in [(0, ""), (100, "dt=0.001"), (-40, wavelet.as_str())] {
        write_echoes(&folder.path().join("d.su"), delay_ms, 21);
        let words: Vec<&str> = words.split_whitespace().collect();
        let found = extremum_m(&imaged(folder.path(), &words));
        let theory = theory_m();
        let near = (found - theory).abs() < 1.0 && (found - MIRROR_M).abs() < 5.0;
        assert!(near, "delay {delay_ms} ms {words:?}: {found} m, by theory {theory} m");
    }
}

/// A line of receivers takes half a derivative, an area a whole one.
#[test]
fn a_mirror_under_a_line_of_receivers_lies_at_its_depth_by_half_a_derivative() {
    kept::once!();
    let folder = tempfile::tempdir().unwrap();
    write_echoes(&folder.path().join("d.su"), 0, 1);
    let columns = ["differentiate=0.5", "differentiate=1"].map(|w| imaged(folder.path(), &[w]));
    let [half, whole] = columns.each_ref().map(|column| extremum_m(column) - MIRROR_M);
    // By the whole derivative it is off by an eighth of a wave.
    assert!(half.abs() < 3.0 && whole > 6.0, "{half} m, by a whole derivative {whole} m");
    assert!(columns[0][15] * columns[1][15] > 0.0, "of one sign");
}

/// Sources and receivers on a hill, at their own heights, in the ground as it is: no statics are
/// needed, and without the heights the mirror lies too deep.
#[test]
fn sources_and_receivers_on_a_hill_are_imaged_from_their_own_heights() {
    kept::once!();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("d.su");
    let hill_m = |x: f64, y: f64| -20.0 - 20.0 * (x / 90.0).sin() - 0.05 * y;
    write_echoes_from(&data, 0, 21, hill_m);
    // The model begins above the hill; what is above the ground has the velocity below it.
    let grid = rtm::Grid { n: [41, 41, 31], d_m: [10.0; 3], origin_m: [0.0, 0.0, -60.0] };
    let model = folder.path().join("v.bin");
    rtm::io::write_cube(&model, &rtm::Cube::constant(grid, 2000f32), "velocity, m/s").unwrap();
    let vfile = format!("vfile={}", model.display());
    let depth_m = |words: &[&str]| {
        let column = imaged_in(folder.path(), &[&[vfile.as_str()], words].concat());
        extremum_m(&column) - 60.0
    };
    let found = depth_m(&[]) - MIRROR_M;
    assert!(found.abs() < 5.0, "{found} m");
    // The same traces, moved by statics to a floating datum: the ground, smoothed. Its heights are
    // in the words of SEG-Y for them, and taken from there.
    let datum_m = |x: f64, y: f64| -15.0 - 0.02 * x - 0.05 * y;
    write_echoes_from(&data, 0, 21, datum_m);
    let mut bytes = std::fs::read(&data).unwrap();
    for header in bytes.chunks_exact_mut(240 + 4 * NS) {
        header.copy_within(40..44, 52);
        header.copy_within(44..48, 56);
        header[40..48].fill(1);
    }
    std::fs::write(&data, &bytes).unwrap();
    let found = depth_m(&["header.gelev=53:4", "header.selev=57:4"]) - MIRROR_M;
    assert!(found.abs() < 5.0, "floating datum: {found} m");
    // As if all lay at depth 0.
    bytes.chunks_exact_mut(240 + 4 * NS).for_each(|header| header[52..60].fill(0));
    std::fs::write(&data, &bytes).unwrap();
    let found = depth_m(&["header.gelev=53:4", "header.selev=57:4"]) - MIRROR_M;
    assert!(found > 15.0, "without heights: {found} m");
}

/// A line in two dimensions: a plane of points and waves of line sources. Point sources' data take
/// half a derivative, as in three dimensions; the picture is the same, at a twentieth of the cost.
#[test]
fn a_line_in_two_dimensions_lies_at_its_depth() {
    let folder = tempfile::tempdir().unwrap();
    write_echoes(&folder.path().join("d.su"), 0, 1);
    // The line lies 200 m beside the plane's only row of points.
    let migrated = |dimensions: &str| {
        let mut p = Parameters::default();
        let words = "vcte=2000 nx=41 ny=1 nz=25 dx=10 dy=10 dz=10 fq=25 Lpml=10 \
            art_rem_method=0 differentiate=0.5 svg=0 restart=0";
        words.split_whitespace().chain([dimensions]).for_each(|word| p.read_pair(word).unwrap());
        p.data = Some(folder.path().join("d.su"));
        p.out = folder.path().join("out");
        migrate(&p, &Cpu::new(), &mut ())
    };
    let plane = migrated("dimensions=2").unwrap();
    let column: Vec<f64> = plane.image.row(20, 0).iter().map(|v| f64::from(*v)).collect();
    let off = extremum_m(&column) - MIRROR_M;
    assert!(off.abs() < 3.0, "{off} m");
    let error = migrated("dimensions=3").unwrap_err().to_string();
    assert!(error.contains("y = 200") && error.contains("outside of the model"), "{error}");

    let mut p = Parameters::default();
    let words = "vcte=2000 nx=41 ny=3 nz=25 dx=10 dy=10 dz=10 fq=25 dimensions=2";
    words.split_whitespace().for_each(|word| p.read_pair(word).unwrap());
    p.data = Some(folder.path().join("d.su"));
    let refused = |p: &Parameters| migrate(p, &Cpu::new(), &mut ()).unwrap_err().to_string();
    assert!(refused(&p).contains("3 planes"), "{}", refused(&p));
    p.read_pair("strategy=random").unwrap();
    assert!(refused(&p).contains("strategy = random"), "{}", refused(&p));
}

/// The field of a line source, `s` convolved with `1 / (2 pi sqrt(t^2 - r^2 / v^2))`, whatever the
/// width of the plane.
#[test]
fn a_plane_has_the_waves_of_line_sources() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.su");
    let shoot = |words: &str| -> Vec<f64> {
        let mut p = Parameters::default();
        let common = "vcte=2000 nx=61 ny=1 nz=61 dx=10 dz=10 fq=15 Lpml=10 tmax=0.3 dt_rec=0.001 \
            dt=0.0005 dimensions=2 sources_x=203 sources_y=0 sources_z=201 receivers_x=400 \
            receivers_y=0 receivers_z=288";
        common.split_whitespace().chain([words]).for_each(|word| p.read_pair(word).unwrap());
        p.data = Some(path.clone());
        rtm::run::shoot(&p, &Cpu::new(), &mut ()).unwrap();
        let traces = TraceReader::open(&path).unwrap();
        traces.flat_map(|t| t.unwrap().samples).map(f64::from).collect()
    };
    let late = 197f64.hypot(87.0) / V_MPS;
    // With the delay `late cosh u` the integral has no pole.
    let want = (0..300).map(|k| {
        let t = 0.001 * f64::from(k);
        let step = 0.002;
        let wave = |i: i32| {
            let q = (PI * 15.0 * (t - late * (step * f64::from(i)).cosh())).powi(2);
            (1.0 - 2.0 * q) * (-q).exp()
        };
        (0.5 * wave(0) + (1..1500).map(wave).sum::<f64>()) * step / (2.0 * PI)
    });
    let (want, found) = (want.collect::<Vec<f64>>(), shoot("dy=10"));
    let error = metrics::relative_l2(&found, &want);
    assert!(error < 0.01, "{error}");
    assert_eq!(found, shoot("dy=77"));
}

/// A survey that Devito has modelled and NumPy written (`benches/peers/devito_survey.py`): zero
/// phase, delays that differ, a map's coordinates in centimetres, IBM numbers. Its reflector lies
/// at 300 m, within half a cell, wherever a shot sees it.
#[test]
fn a_survey_by_devito_is_imaged_at_its_depth() {
    kept::once!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/devito.sgy"));
    let folder = tempfile::tempdir().unwrap();
    let mut p = Parameters::default();
    let words = "vcte=2000 nx=31 ny=21 nz=36 dx=16 dy=16 dz=16 fq=15 Lpml=10 mute=2000,0.1 \
                 rotate=431000,6782000,30 svg=0 restart=0";
    words.split_whitespace().for_each(|word| p.read_pair(word).unwrap());
    p.data = Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/devito.sgy").into());
    p.out = folder.path().join("out");
    let image = migrate(&p, &Cpu::new(), &mut ()).unwrap().image;
    for (x, y) in [(10, 10), (12, 8), (15, 10), (15, 12), (20, 10)] {
        let column = image.row(x, y);
        let size = |z: usize| f64::from(column[z].abs());
        let top = (10..30).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap();
        let (a, b, c) = (size(top - 1), size(top), size(top + 1));
        let found_m = 16.0 * (top as f64 + 0.5 * (a - c) / (a - 2.0 * b + c));
        assert!((found_m - 300.0).abs() < 8.0, "at {x}, {y}: {found_m} m");
        assert!(column[top] > 0.0, "the lower layer is faster");
    }
}

/// `s(t - r/v) / (4 pi r)` at the receivers, whatever the time step and the grid, between its
/// points, too.
#[test]
fn modelled_traces_are_those_of_theory() {
    kept::once!();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let source = [203.7, 198.2, 201.4];
    let receivers = [[350.0, 200.0, 200.0], [203.7, 341.3, 188.2], [101.6, 113.2, 272.9]];
    let line = |p: &[f64; 3]| format!("{} {} {}\n", p[0], p[1], p[2]);
    std::fs::write(path("s.txt"), line(&source)).unwrap();
    std::fs::write(path("r.txt"), receivers.iter().map(line).collect::<String>()).unwrap();
    let shoot = |words: &str| -> Vec<f64> {
        let mut p = Parameters::default();
        let common = "vcte=2000 fq=15 Lpml=8 tmax=0.18 dt_rec=0.002";
        common.split(' ').chain(words.split(' ')).for_each(|word| p.read_pair(word).unwrap());
        (p.sources_file, p.receivers_file) = (Some(path("s.txt")), Some(path("r.txt")));
        p.data = Some(path("t.su"));
        rtm::run::shoot(&p, &Cpu::new(), &mut ()).unwrap();
        let traces = TraceReader::open(&path("t.su")).unwrap();
        traces.flat_map(|t| t.unwrap().samples).map(f64::from).collect()
    };
    let want: Vec<f64> = receivers
        .iter()
        .flat_map(|place| {
            let r = (0..3).map(|a| (place[a] - source[a]).powi(2)).sum::<f64>().sqrt();
            (0..90).map(move |k| {
                let q = (PI * 15.0 * (0.002 * f64::from(k) - r / V_MPS)).powi(2);
                (1.0 - 2.0 * q) * (-q).exp() / (4.0 * PI * r)
            })
        })
        .collect();
    let coarse = "nx=41 ny=41 nz=41 dx=10 dy=10 dz=10";
    let runs = [
        format!("{coarse} dt=0.001"),
        format!("{coarse} dt=0.0005"),
        "nx=51 ny=51 nz=51 dx=8 dy=8 dz=8 dt=0.001".into(),
    ];
    for words in &runs {
        let error = metrics::relative_l2(&shoot(words), &want);
        assert!(error < 0.02, "{words}: {error}");
    }
    let moved = metrics::relative_l2(&shoot(&format!("{coarse} interpolate=0")), &want);
    assert!(moved > 0.05, "{moved}");
}

/// Dead traces count for nothing, and the memory of the back end decides how a shot is kept.
#[test]
fn dead_traces_are_left_out_and_memory_is_the_back_ends() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("d.su");
    write_echoes(&data, 0, 21);
    let mut p = Parameters::default();
    let words = "vcte=2000 nx=41 ny=41 nz=25 dx=10 dy=10 dz=10 fq=25 Lpml=10 strategy=checkpoints";
    words.split(' ').for_each(|word| p.read_pair(word).unwrap());
    p.data = Some(data.clone());
    let open = |spare_bytes: u64| {
        let shot_bytes: fn(&rtm::Plan, usize) -> usize = memory::cpu_bytes::<f32>;
        Survey::open(&p, Room { spare_bytes, shot_bytes })
    };
    let period = |spare: u64| match open(spare).unwrap().plans[0].plan.strategy {
        Strategy::Checkpoints { ks_store, .. } => ks_store,
        other => panic!("{other:?}"),
    };
    let (small, large) = (period(80_000_000), period(8_000_000_000));
    assert!(small > large, "{small} {large}");
    let text = open(1_000_000).err().unwrap().to_string();
    assert!(text.contains("1.000 MB") && text.contains("strategy=random"), "{text}");

    let all = open(8_000_000_000).unwrap();
    assert_eq!(all.plans[0].receivers, 441);
    let mut bytes = std::fs::read(&data).unwrap();
    for header in bytes.chunks_exact_mut(240 + 4 * NS).take(3) {
        header[28] = 2;
        header[240..].fill(0xff);
    }
    // Not numbers: nobody may look at them.
    std::fs::write(&data, bytes).unwrap();
    let live = open(8_000_000_000).unwrap();
    assert_eq!((live.plans[0].receivers, live.job.notes.len()), (438, all.job.notes.len() + 1));
    assert_eq!(live.gather(0).unwrap().geometry.receivers_m.len(), 438);
}
