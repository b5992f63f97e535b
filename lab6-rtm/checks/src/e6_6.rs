//! Checks of exercise 6.6: the imaging condition.

use grading::{Check, Evidence, Exercise, Finding, Kernels, Outcome, Run, Trial, expect};
use rand::RngExt;
use simt::fault::FaultKind;

use crate::compare::{self, Mistake};
use references::grid::Grid;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L6-6.6",
    key: "e6_6",
    title: "The imaging condition",
    points: 8,
    files: &[KERNEL],
    todo: "Write both kernels of kernels/image.cu: products of levels of the same time, then the \
        division.",
    hints: &[
        ("t", "pr of step k has the time nt - 1 - k: take the level of history of the same time"),
        ("a", "the sums grow from step to step: +="),
        ("q", "the illumination is the square of the source wavefield"),
        ("i", "the interior only: begin `layers` points inside of each face, and end there"),
        ("m", "threadIdx.x counts z, the axis whose points are neighbours in memory"),
        ("n", "each point belongs to one thread, so an ordinary += is enough: no atomics"),
        ("one", "each thread makes its own point of the interior"),
        ("f", "add floor to the denominator: where no wave came, it is 0 otherwise"),
    ],
    checks: &[
        Check { name: "correlation", what: "sums over five levels", weight: 3, run: correlation },
        Check {
            name: "counts",
            what: "along the rows, in the interior, no atomics",
            weight: 2,
            run: counts,
        },
        Check {
            name: "normalised",
            what: "the division, also where no wave came",
            weight: 2,
            run: normalised,
        },
    ],
};

const KERNEL: &str = "kernels/image.cu";
const BLOCK: [u32; 3] = [32, 4, 2];

fn blocks(grid: &Grid) -> [u32; 3] {
    [2, 1, 0].map(|k| ((grid.n[k] - 2 * grid.layers) as u32).div_ceil(BLOCK[2 - k]))
}

fn interior(grid: &Grid) -> Vec<usize> {
    let inside =
        |p: &[usize; 3]| (0..3).all(|k| (grid.layers..grid.n[k] - grid.layers).contains(&p[k]));
    grid.points().filter(inside).map(|p| grid.at(p)).collect()
}

struct Sums {
    correlation: Vec<f32>,
    illumination: Vec<f32>,
}

fn correlate(
    kernels: &Kernels,
    grid: &Grid,
    sums: &Sums,
    history: &[f32],
    pr: &[f32],
    (nt, step): (usize, usize),
) -> Result<Run, Finding> {
    kernels
        .launch("correlate", blocks(grid), BLOCK)
        .inout("correlation", &sums.correlation)
        .inout("illumination", &sums.illumination)
        .input("history", history)
        .input("pr", pr)
        .scalar(grid.shape())
        .scalar(nt as i32)
        .scalar(step as i32)
        .on_fault(|f| match (f.kind, f.target.as_ref()?.name.as_str()) {
            (FaultKind::OutOfBoundsGlobal, "history") => Some("t"),
            (FaultKind::OutOfBoundsGlobal, _) => Some("i"),
            _ => None,
        })
        .run()
}

fn correlation(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    let mut rng = t.rng();
    let layers = rng.random_range(3..6);
    let grid = Grid { n: [15, 13, 47], half: 4, layers };
    let nt = 5;
    let history: Vec<Vec<f32>> = (0..nt).map(|_| grid.random(&mut rng)).collect();
    let receiver: Vec<Vec<f32>> = (0..nt).map(|_| grid.random(&mut rng)).collect();
    let zeros = grid.level(|_| 0.0);
    let mut sums = Sums { correlation: zeros.clone(), illumination: zeros.clone() };
    for step in 0..nt {
        let pr = &receiver[nt - 1 - step];
        let run = correlate(&kernels, &grid, &sums, &history.concat(), pr, (nt, step))?;
        expect::shared_work(&run).map_err(|f| f.hint("one"))?;
        sums =
            Sums { correlation: run.get("correlation")?, illumination: run.get("illumination")? };
    }
    let at = interior(&grid);
    let name = |i| grid.place(i);
    let product = |a: &[f32], b: &[f32], i: usize| f64::from(a[i]) * f64::from(b[i]);
    let sum = |a: &dyn Fn(usize) -> f64| (0..nt).map(a).sum::<f64>();
    let right = |i: usize| sum(&|k| product(&history[k], &receiver[k], i));
    let mistakes = [
        Mistake::new("t", |i| sum(&|k| product(&history[nt - 1 - k], &receiver[k], i))),
        Mistake::new("a", |i| product(&history[0], &receiver[0], i)),
    ];
    compare::untouched("correlation", &at, &sums.correlation, &zeros, "i", name)?;
    let got = &sums.correlation;
    compare::places("correlation", &at, got, 10, |i| (right(i), 5.0), &mistakes, name)?;
    let energy = |levels: &[Vec<f32>], i: usize| sum(&|k| product(&levels[k], &levels[k], i));
    let mistakes = [
        Mistake::new("q", |i| energy(&receiver, i)),
        Mistake::new("q", right),
        Mistake::new("a", |i| product(&history[0], &history[0], i)),
    ];
    let got = &sums.illumination;
    let right = |i| (energy(&history, i), 5.0);
    compare::places("illumination", &at, got, 10, right, &mistakes, name)?;
    compare::untouched("illumination", &at, got, &zeros, "i", name)?;
    Ok(Evidence::new(format!("{nt} levels, {} points, layers of {layers} untouched", at.len())))
}

fn counts(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    // Rows of the interior that begin on 32 bytes.
    let grid = Grid { n: [19, 21, 80], half: 4, layers: 8 };
    let mut rng = t.rng();
    let (history, pr) = (grid.random(&mut rng), grid.random(&mut rng));
    let zeros = grid.level(|_| 0.0);
    let sums = Sums { correlation: zeros.clone(), illumination: zeros };
    let run = correlate(&kernels, &grid, &sums, &history, &pr, (1, 0))?;
    let points = interior(&grid).len() as u64;
    expect::count(&run, "atom.req", 0).map_err(|f| f.hint("n"))?;
    expect::count(&run, "gst.lane", 2 * points).map_err(|f| f.hint("i"))?;
    // ps may be loaded for each of its three uses.
    expect::at_most(&run, "gld.sec", 6 * points / 8).map_err(|f| f.hint("m"))?;
    expect::count(&run, "gst.sec", 2 * points / 8).map_err(|f| f.hint("m"))?;
    Ok(Evidence::new(format!(
        "{points} points: {} sectors loaded, {} stored: every byte of them is used",
        run.total().gld_sec,
        run.total().gst_sec
    ))
    .launch(run.report()))
}

fn normalised(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    let mut rng = t.rng();
    let grid = Grid { n: [11, 12, 41], half: 4, layers: 3 };
    let correlation = grid.random(&mut rng);
    // Where no wave came, both sums are 0.
    let dark: Vec<bool> = (0..grid.words()).map(|_| rng.random_range(0..4) == 0).collect();
    let of = |values: Vec<f32>| -> Vec<f32> {
        values.iter().zip(&dark).map(|(v, dark)| if *dark { 0.0 } else { *v }).collect()
    };
    let correlation = of(correlation);
    let illumination = of(grid.level(|_| rng.random_range(0.001..1.0)));
    let floor = 0.01f32;
    let zeros = grid.level(|_| 0.0);
    let run = kernels
        .launch("normalise", blocks(&grid), BLOCK)
        .inout("image", &zeros)
        .input("correlation", &correlation)
        .input("illumination", &illumination)
        .scalar(grid.shape())
        .scalar(floor)
        .on(FaultKind::OutOfBoundsGlobal, "i")
        .run()?;
    expect::shared_work(&run).map_err(|f| f.hint("one"))?;
    let got: Vec<f32> = run.get("image")?;
    let at = interior(&grid);
    let name = |i| grid.place(i);
    let value = |i: usize, floor: f32| {
        f64::from(correlation[i]) / (f64::from(illumination[i]) + f64::from(floor))
    };
    let mistakes = [Mistake::new("f", |i| value(i, 0.0))];
    let right = |i| (value(i, floor), value(i, floor).abs());
    compare::places("image", &at, &got, 6, right, &mistakes, name)?;
    compare::untouched("image", &at, &got, &zeros, "i", name)?;
    Ok(Evidence::new(format!("{} points, a quarter of them never met a wave", at.len())))
}
