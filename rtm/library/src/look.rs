//! What a page of `rtm look` shows of a file: gathers and sections of traces, planes of cubes, each
//! small enough for a page.

use crate::grid::Cube;
use crate::io::TraceReader;
use crate::picture::{Label, Plane, Scale, Slice};
use crate::survey::spectrum::MeanSpectrum;
use crate::{Error, Result};

/// Columns and rows of a picture, at most.
const MOST: [usize; 2] = [1000, 1000];
/// Columns of a cube whose spectra are taken, at most.
const SAMPLED: usize = 4096;

/// What the user wants to see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Shots whose traces are shown, spread evenly over the file.
    pub gathers: usize,
    /// Depth slices of a cube, spread evenly over its depths.
    pub slices: usize,
    /// Where a cube's upright planes lie, x and y in metres; the middle, if left out.
    pub at_m: Option<[f64; 2]>,
    /// Values are multiplied by time or depth to this power.
    pub power: f64,
    /// Share of the values that are not clipped.
    pub clip: f64,
}

/// A picture and what is said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Its title.
    pub title: String,
    /// Its values.
    pub slice: Slice,
    /// Their colours.
    pub scale: Scale,
    /// The caption.
    pub says: String,
}

/// Consecutive traces of one shot: equal `fldr`, or equal source place where that is 0.
struct Run {
    id: i32,
    first: usize,
    end: usize,
    source_m: [f64; 3],
    /// Smallest and largest distance of a live receiver from the source, metres.
    far_m: [f64; 2],
    /// The trace of the smallest.
    nearest: usize,
}

/// Gathers of shots and the section of all shots' nearest traces; of a file without shots of more
/// than one trace, such as a stack, the section of all traces.
///
/// # Errors
/// The file cannot be read.
pub fn of_traces(reader: &mut TraceReader, wanted: Wanted) -> Result<Vec<View>> {
    let runs = runs(reader)?;
    let longest = runs.iter().map(|r| r.end - r.first).max().unwrap_or(0);
    if longest <= 1 || wanted.gathers == 0 {
        let all: Vec<usize> = (0..reader.traces()).collect();
        let says = "all traces in the order of the file".to_string();
        return Ok(vec![section(reader, "Section", &all, says, wanted)?]);
    }
    let mut views = Vec::new();
    for k in spread(runs.len(), wanted.gathers) {
        let Run { id, source_m: [x, y, z], far_m: [near, far], .. } = runs[k];
        let distances = match near <= far {
            true => format!("receivers {near:.0} to {far:.0} m away"),
            false => "all its traces are dead".into(),
        };
        let says = format!("source at {x:.1}, {y:.1}, {z:.1} m; {distances}");
        let traces: Vec<usize> = (runs[k].first..runs[k].end).collect();
        views.push(section(reader, &format!("Shot {id}"), &traces, says, wanted)?);
    }
    let nearest: Vec<usize> =
        runs.iter().filter(|r| r.far_m[0] <= r.far_m[1]).map(|r| r.nearest).collect();
    if nearest.len() > 4 {
        let says = "the live trace nearest to the source, of each shot".to_string();
        views.push(section(reader, "Nearest traces", &nearest, says, wanted)?);
    }
    Ok(views)
}

fn runs(reader: &mut TraceReader) -> Result<Vec<Run>> {
    reader.seek(0)?;
    let mut runs: Vec<Run> = Vec::new();
    let mut at = 0;
    while let Some(header) = reader.next_header()? {
        let (id, source_m) = (header.shot, header.source_m);
        let same = |r: &Run| r.id == id && (id != 0 || r.source_m == source_m);
        if !runs.last().is_some_and(same) {
            let far_m = [f64::INFINITY, f64::NEG_INFINITY];
            runs.push(Run { id, first: at, end: at, source_m, far_m, nearest: at });
        }
        let run = runs.last_mut().expect("there is one");
        at += 1;
        run.end = at;
        if !header.dead {
            let apart = (0..3).map(|a| (header.receiver_m[a] - source_m[a]).powi(2));
            let far_m = apart.sum::<f64>().sqrt();
            if far_m < run.far_m[0] {
                (run.far_m[0], run.nearest) = (far_m, at - 1);
            }
            run.far_m[1] = run.far_m[1].max(far_m);
        }
    }
    Ok(runs)
}

/// `count` of `n` numbers from 0 on, spread evenly: the first, the last and those between.
fn spread(n: usize, count: usize) -> Vec<usize> {
    let count = count.min(n);
    match count {
        0 => Vec::new(),
        1 => vec![n / 2],
        _ => (0..count).map(|k| k * (n - 1) / (count - 1)).collect(),
    }
}

/// Traces side by side; of many every second, every third and so on. Dead and broken samples are
/// 0.
fn section(
    reader: &mut TraceReader,
    title: &str,
    traces: &[usize],
    mut says: String,
    wanted: Wanted,
) -> Result<View> {
    let every = traces.len().div_ceil(MOST[0]).max(1);
    let (ns, mut dead, mut clock) = (reader.samples(), 0, None);
    let mut samples = Vec::new();
    for index in traces.iter().step_by(every) {
        reader.seek(*index)?;
        let trace = reader.next_raw()?.expect("the trace was counted");
        let header = &trace.header;
        clock.get_or_insert((header.delay_s, header.dt_s));
        dead += usize::from(header.dead);
        let worth = |k: usize, v: f32| match header.dead || !v.is_finite() {
            true => 0.0,
            false => v * lifted(header.delay_s + k as f64 * header.dt_s, wanted.power),
        };
        samples.extend(trace.samples.iter().enumerate().map(|(k, v)| worth(k, *v)));
    }
    let (delay_s, dt_s) = clock.unwrap_or((0.0, 0.0));
    // Without a time step samples are counted.
    let mut slice = Slice::of_traces(&samples, ns, if dt_s > 0.0 { dt_s } else { 1.0 });
    (slice.axes[0].1, slice.axes[1].0) = (every as f64, delay_s);
    if dt_s <= 0.0 {
        slice.labels[1] = Label::Number("sample".into());
    }
    if every > 1 {
        says += &format!("; one trace of {every}");
    }
    if dead > 0 {
        says += &format!("; {dead} of those shown are dead and left empty");
    }
    let slice = shrunk(&slice, &mut says);
    Ok(View { title: title.into(), slice, scale: Scale::Signed(wanted.clip), says })
}

/// Time or depth to a power, 0 before the shot and above the ground.
fn lifted(t: f64, power: f64) -> f32 {
    if power == 0.0 { 1.0 } else { t.max(0.0).powf(power) as f32 }
}

/// The upright planes of a cube through a point, and depth slices. Values that are all above 0 are
/// a model's, drawn in colours from the smallest to the largest; others are an image's, drawn in
/// grey about 0.
///
/// # Errors
/// The point lies outside of the cube.
pub fn of_cube(cube: &Cube<f32>, wanted: Wanted) -> Result<Vec<View>> {
    let (grid, image) = (cube.grid, !is_model(cube));
    let scale = if image { Scale::Signed(wanted.clip) } else { Scale::Range };
    let index = |axis: usize| {
        let Some(at_m) = wanted.at_m else { return Ok(grid.n[axis] / 2) };
        let at = ((at_m[axis] - grid.origin_m[axis]) / grid.d_m[axis]).round();
        if at >= 0.0 && at < grid.n[axis] as f64 {
            return Ok(at as usize);
        }
        let last = grid.origin_m[axis] + (grid.n[axis] - 1) as f64 * grid.d_m[axis];
        Err(Error::refused(
            format!("at {},{}", at_m[0], at_m[1]),
            format!("the cube is from {} to {last} m there", grid.origin_m[axis]),
            "name a place within: x,y in metres",
        ))
    };
    let mut planes = Vec::new();
    // A line has one plane.
    for (plane, across) in [(Plane::Xz, 0), (Plane::Yz, 1)] {
        if grid.n[across] > 1 || (across == 0 && grid.n[1] == 1) {
            planes.push((plane, index(1 - across)?));
        }
    }
    if grid.n[0] > 1 && grid.n[1] > 1 {
        // Neither the top nor the bottom, where there is least to see.
        let depths = (1..=wanted.slices).map(|k| k * grid.n[2] / (wanted.slices + 1));
        planes.extend(depths.map(|at| (Plane::Xy, at)));
    }
    let view = |(plane, at): (Plane, usize)| {
        let mut slice = Slice::of_cube(cube, plane, at)?;
        let fixed = plane.axes()[2];
        let place_m = grid.origin_m[fixed] + at as f64 * grid.d_m[fixed];
        if image && plane != Plane::Xy {
            let (first, step) = slice.axes[1];
            for (k, v) in slice.values.iter_mut().enumerate() {
                *v *= lifted(first + (k / slice.width) as f64 * step, wanted.power);
            }
        }
        let what = if plane == Plane::Xy { "Depth slice" } else { "Section" };
        let title = format!("{what}, {} = {place_m} m", ["x", "y", "z"][fixed]);
        let mut says = if image { "amplitude" } else { "from least to largest" }.to_string();
        let slice = shrunk(&slice, &mut says);
        Ok(View { title, slice, scale, says })
    };
    planes.into_iter().map(view).collect()
}

/// Whether all values are above 0: velocities, not an image.
pub fn is_model(cube: &Cube<f32>) -> bool {
    cube.values.iter().all(|v| *v > 0.0)
}

/// The mean amplitude spectrum of the columns of an image along depth: cycles per metre, decibels.
pub fn depth_spectrum(cube: &Cube<f32>) -> Vec<(f64, f64)> {
    let [nx, ny, nz] = cube.grid.n;
    let mut mean = MeanSpectrum::new(nz);
    for k in (0..nx * ny).step_by((nx * ny).div_ceil(SAMPLED).max(1)) {
        let column = cube.row(k / ny, k % ny);
        if column.iter().all(|v| v.is_finite()) {
            mean.add(column);
        }
    }
    mean.decibels(cube.grid.d_m[2])
}

/// A slice of not more values than a page can bear: means of neighbours. Says so.
fn shrunk(slice: &Slice, says: &mut String) -> Slice {
    let [wide, high] =
        [(slice.width, MOST[0]), (slice.height, MOST[1])].map(|(n, most)| n.div_ceil(most).max(1));
    if wide == 1 && high == 1 {
        return slice.clone();
    }
    *says += &format!("; each pixel is the mean of {} values", wide * high);
    let (width, height) = (slice.width.div_ceil(wide), slice.height.div_ceil(high));
    let mean = |x: usize, y: usize| {
        let rows = y * high..((y + 1) * high).min(slice.height);
        let columns = x * wide..((x + 1) * wide).min(slice.width);
        let count = (rows.len() * columns.len()) as f32;
        rows.map(|row| slice.values[row * slice.width..][columns.clone()].iter().sum::<f32>())
            .sum::<f32>()
            / count
    };
    let values = (0..width * height).map(|k| mean(k % width, k / width)).collect();
    // The middle of a pixel's values.
    let axis = |(first, step): (f64, f64), each: usize| {
        (first + 0.5 * (each - 1) as f64 * step, step * each as f64)
    };
    let axes = [axis(slice.axes[0], wide), axis(slice.axes[1], high)];
    Slice { width, height, values, labels: slice.labels.clone(), axes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;
    use crate::io::{Trace, TraceFormat, TraceHeader, write_traces};

    const WANTED: Wanted = Wanted { gathers: 3, slices: 3, at_m: None, power: 0.0, clip: 0.99 };

    /// Shots of three traces: 100, 50 and 150 m from the source; trace k holds k + 1.
    fn views(shots: usize, wanted: Wanted, change: impl Fn(usize, &mut Trace)) -> Vec<View> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.su");
        let mut traces = (0..3 * shots).map(|k| {
            let x = [100.0, 50.0, 150.0][k % 3];
            let header = TraceHeader {
                shot: 11 + (k / 3) as i32,
                source_m: [0.0, 0.0, 5.0],
                receiver_m: [x, 0.0, 5.0],
                dt_s: 0.004,
                delay_s: -0.04,
                ..Default::default()
            };
            let mut trace = Trace { header, samples: vec![(k + 1) as f32; 20] };
            change(k, &mut trace);
            Ok(trace)
        });
        write_traces(&path, TraceFormat::Su, "", &mut traces).unwrap();
        of_traces(&mut TraceReader::open(&path).unwrap(), wanted).unwrap()
    }

    #[test]
    fn gathers_are_spread_and_the_nearest_live_traces_make_a_section() {
        let found = views(7, WANTED, |k, t| {
            t.header.dead = k == 4;
            if k == 0 {
                t.samples[3] = f32::NAN;
            }
        });
        let titles: Vec<&str> = found.iter().map(|v| v.title.as_str()).collect();
        assert_eq!(titles, ["Shot 11", "Shot 14", "Shot 17", "Nearest traces"]);
        assert_eq!(found[1].slice.values[..3], [10.0, 11.0, 12.0]);
        assert_eq!(found[0].slice.values[3 * 3], 0.0, "a broken sample");
        assert_eq!(found[0].slice.axes, [(1.0, 1.0), (-0.04, 0.004)]);
        assert!(found[0].says.contains("50 to 150 m"), "{}", found[0].says);
        // In shot 12 the nearest is dead.
        assert_eq!(found[3].slice.values[..7], [2.0, 4.0, 8.0, 11.0, 14.0, 17.0, 20.0]);
    }

    #[test]
    fn a_stack_is_one_section_and_time_lifts() {
        let wanted = Wanted { power: 2.0, ..WANTED };
        let found = views(3, wanted, |k, t| t.header.shot = 1 + k as i32);
        assert_eq!((found.len(), found[0].slice.width), (1, 9));
        // Sample 15 is at 20 ms.
        let value = found[0].slice.values[15 * 9 + 2];
        assert!((value - 3.0 * 4e-4).abs() < 1e-8 && found[0].slice.values[0] == 0.0, "{value}");
    }

    #[test]
    fn cubes_have_sections_and_depth_slices() {
        let grid = Grid { n: [4, 5, 9], d_m: [10.0, 20.0, 5.0], origin_m: [100.0, 0.0, 0.0] };
        let cube = Cube::from_fn(grid, |[x, y, z]| (100 * x + 10 * y + z) as f32);
        let wanted = Wanted { at_m: Some([110.0, 40.0]), ..WANTED };
        let found = of_cube(&cube, wanted).unwrap();
        let titles: Vec<&str> = found.iter().map(|v| v.title.as_str()).collect();
        let depths = ["Depth slice, z = 10 m", "Depth slice, z = 20 m", "Depth slice, z = 30 m"];
        assert_eq!(titles[..2], ["Section, y = 40 m", "Section, x = 110 m"]);
        assert_eq!(titles[2..], depths);
        assert_eq!((found[0].slice.values[0], found[1].slice.values[0]), (20.0, 100.0));
        assert_eq!(found[0].scale, Scale::Signed(0.99));
        let model = Cube::from_fn(grid, |_| 1500.0);
        assert_eq!(of_cube(&model, WANTED).unwrap()[0].scale, Scale::Range);
        let outside = Wanted { at_m: Some([110.0, 90.0]), ..WANTED };
        assert!(of_cube(&cube, outside).unwrap_err().to_string().contains("0 to 80 m"));
        // A line: one plane.
        let line = Cube::from_fn(Grid { n: [4, 1, 9], ..grid }, |[x, _, z]| x as f32 - z as f32);
        assert_eq!(of_cube(&line, WANTED).unwrap().len(), 1);
    }

    #[test]
    fn large_slices_shrink_to_means() {
        let slice = Slice {
            width: 2500,
            height: 3,
            values: (0..7500).map(|k| (k % 2500) as f32).collect(),
            labels: ["x", "z"].map(|name| Label::Metres(name.into())),
            axes: [(50.0, 10.0), (0.0, 10.0)],
        };
        let mut says = String::new();
        let small = shrunk(&slice, &mut says);
        assert_eq!((small.width, small.height), (834, 3));
        assert_eq!((small.values[0], small.values[833]), (1.0, 2499.0));
        assert_eq!(small.axes, [(60.0, 30.0), (0.0, 10.0)]);
        assert!(says.contains("mean of 3"), "{says}");
    }

    /// Cosines of 50 m along depth: 20 cycles per kilometre.
    #[test]
    fn the_spectrum_along_depth_has_its_peak_where_the_cycles_are() {
        let grid = Grid::new([3, 1, 400], [10.0, 10.0, 5.0]);
        let wave = |z: usize| (2.0 * std::f64::consts::PI * z as f64 * 5.0 / 50.0).cos() as f32;
        let cube = Cube::from_fn(grid, |[_, _, z]| wave(z));
        let curve = depth_spectrum(&cube);
        let top = curve.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert!((top.0 - 0.02).abs() < 2e-4, "{top:?}");
    }
}
