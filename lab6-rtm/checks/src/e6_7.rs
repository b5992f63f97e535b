//! Checks of exercise 6.7: the shell of the interior.

use std::collections::BTreeSet;

use grading::{Check, Evidence, Exercise, Finding, Kernels, Outcome, Run, Trial, expect};
use simt::fault::FaultKind;

use references::grid::Grid;
use references::wave::{Face, Profile, Wave, ricker, single};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L6-6.7",
    key: "e6_7",
    title: "Saving the shell, and the way back",
    points: 12,
    files: &[KERNEL, ANSWERS],
    todo: "Write where each point of the shell lies in kernels/shell.cu, save it and put it back, \
        and answer answers/e6_7.toml.",
    hints: &[
        ("h", "the shell is H points thick on every face, just inside of the absorbing layers"),
        (
            "c",
            "each point once: back and front leave out what left and right have, top and bottom \
             both",
        ),
        ("l", "the shell of level k begins at k * shell_words, both ways"),
        ("o", "z is fastest within each face, the faces follow in the order of the header"),
        ("m", "neighbouring threads take neighbouring words of the store"),
        ("one", "thread t takes word t: where that point lies follows from t alone"),
        ("w", "exactly shell_words threads store"),
        (
            "q",
            "points of the interior without those deeper than H in it, times 4 bytes, times the \
             levels",
        ),
    ],
    checks: &[
        Check {
            name: "order",
            what: "the store, word by word, without gaps",
            weight: 3,
            run: order,
        },
        Check {
            name: "load",
            what: "what was saved comes back, nothing else changes",
            weight: 2,
            run: load,
        },
        Check {
            name: "reversal",
            what: "the wavefield, reconstructed backwards",
            weight: 3,
            run: reversal,
        },
        Check {
            name: "counts",
            what: "no more sectors than the faces have",
            weight: 2,
            run: counts,
        },
        Check { name: "bytes", what: "what it saves", weight: 1, run: bytes },
    ],
};

const KERNEL: &str = "kernels/shell.cu";
const ANSWERS: &str = "answers/e6_7.toml";
const BLOCK: u32 = 128;

/// The shell's points in the order of the store: elements of a level.
fn shell(grid: &Grid) -> Vec<usize> {
    let (l, h) = (grid.layers, grid.half);
    let [nx, ny, nz] = grid.n.map(|n| n - 2 * l);
    let mut all = Vec::new();
    let mut add =
        |x: std::ops::Range<usize>, y: std::ops::Range<usize>, z: std::ops::Range<usize>| {
            for x in x {
                for y in y.clone() {
                    all.extend(z.clone().map(|z| grid.at([l + x, l + y, l + z])));
                }
            }
        };
    add(0..h, 0..ny, 0..nz);
    add(nx - h..nx, 0..ny, 0..nz);
    add(h..nx - h, 0..h, 0..nz);
    add(h..nx - h, ny - h..ny, 0..nz);
    add(h..nx - h, h..ny - h, 0..h);
    add(h..nx - h, h..ny - h, nz - h..nz);
    all
}

fn blocks(words: usize) -> u32 {
    (words as u32).div_ceil(BLOCK)
}

fn save(
    kernels: &Kernels,
    grid: &Grid,
    store: &[f32],
    cur: &[f32],
    level: usize,
) -> Result<Run, Finding> {
    let run = kernels
        .launch("shell_save", blocks(shell(grid).len()), BLOCK)
        .inout("store", store)
        .input("cur", cur)
        .scalar(grid.shape())
        .scalar(level as i32)
        .on(FaultKind::OutOfBoundsGlobal, "l")
        .on(FaultKind::RaceGlobal, "w")
        .run()?;
    expect::shared_work(&run).map_err(|f| f.hint("one"))?;
    Ok(run)
}

fn restore(
    kernels: &Kernels,
    grid: &Grid,
    cur: &[f32],
    store: &[f32],
    level: usize,
) -> Result<Run, Finding> {
    let run = kernels
        .launch("shell_load", blocks(shell(grid).len()), BLOCK)
        .inout("cur", cur)
        .input("store", store)
        .scalar(grid.shape())
        .scalar(level as i32)
        .on(FaultKind::OutOfBoundsGlobal, "l")
        .on(FaultKind::RaceGlobal, "c")
        .run()?;
    expect::shared_work(&run).map_err(|f| f.hint("one"))?;
    Ok(run)
}

/// Marks words of the store that nobody wrote.
const EMPTY: f32 = -99.0;

fn order(t: &Trial) -> Outcome {
    let mut seen = 0;
    for (half, layers, n) in [(4, 3, [19, 18, 37]), (4, 5, [21, 23, 20]), (2, 1, [9, 12, 11])] {
        let kernels = t.kernel(KERNEL).define(&format!("H={half}")).compile()?;
        let grid = Grid { n, half, layers };
        let want = shell(&grid);
        let cur = grid.random(&mut t.rng());
        // The second of three levels: what stands before and behind it must stay.
        let store = vec![EMPTY; 3 * want.len()];
        let run = save(&kernels, &grid, &store, &cur, 1)?;
        let got: Vec<f32> = run.get("store")?;
        let written: Vec<usize> = (0..got.len()).filter(|k| got[*k] != EMPTY).collect();
        let place = |word: usize| {
            cur.iter()
                .position(|v| v.to_bits() == got[word].to_bits())
                .map_or_else(|| "something else".into(), |i| grid.place(i))
        };
        let (first, end) = (want.len(), 2 * want.len());
        if written != (first..end).collect::<Vec<_>>() {
            let from = written.first().copied().unwrap_or(0);
            let to = written.last().map_or(0, |k| k + 1);
            let text = format!(
                "order {}: the shell of level 1 has {} words, {first} to {end}; written were {} \
                 words, {from} to {to}",
                2 * half,
                want.len(),
                written.len(),
            );
            let hint = match written.len().cmp(&want.len()) {
                std::cmp::Ordering::Less => "h",
                std::cmp::Ordering::Greater => "c",
                std::cmp::Ordering::Equal => "l",
            };
            return Err(Finding::wrong(text).hint(hint));
        }
        let wrong = (0..want.len()).find(|k| got[first + k].to_bits() != cur[want[*k]].to_bits());
        if let Some(k) = wrong {
            let text = format!(
                "word {k} of the shell must be {}, it is {}",
                grid.place(want[k]),
                place(first + k)
            );
            return Err(Finding::wrong(text).hint("o"));
        }
        seen += want.len();
    }
    Ok(Evidence::new(format!("{seen} words of three shells at their places")))
}

fn load(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    let grid = Grid { n: [17, 20, 35], half: 4, layers: 3 };
    let mut rng = t.rng();
    let (saved, other) = (grid.random(&mut rng), grid.random(&mut rng));
    let points = shell(&grid);
    let mut store = vec![EMPTY; 3 * points.len()];
    for (k, i) in points.iter().enumerate() {
        store[2 * points.len() + k] = saved[*i];
    }
    let got: Vec<f32> = restore(&kernels, &grid, &other, &store, 2)?.get("cur")?;
    let inside: BTreeSet<usize> = points.iter().copied().collect();
    for (i, value) in got.iter().enumerate() {
        let want = if inside.contains(&i) { saved[i] } else { other[i] };
        if value.to_bits() != want.to_bits() {
            let text = format!("{}: expected {want}, got {value}", grid.place(i));
            let hint = if *value == EMPTY { "l" } else { "o" };
            return Err(Finding::wrong(text).hint(hint));
        }
    }
    Ok(Evidence::new(format!("{} points came back, the others stayed", points.len())))
}

fn reversal(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    let grid = Grid { n: [24, 23, 25], half: 4, layers: 5 };
    let (v2, f, nt) = (0.1f64, 0.04, 90);
    let profile = Profile::new(grid.layers, v2.sqrt(), f);
    let mut wave = Wave::new(grid, &grid.level(|_| v2 as f32), Face::all(&grid), profile);
    let source = grid.at([11, 12, 12]);
    let words = shell(&grid).len();
    let mut store = vec![EMPTY; nt * words];
    let mut levels = vec![wave.cur.clone()];
    for k in 0..nt - 1 {
        wave.step();
        wave.cur[source] += ricker(f, k);
        store = save(&kernels, &grid, &store, &single(&wave.cur), k + 1)?.get("store")?;
        levels.push(wave.cur.clone());
    }
    let largest = levels.iter().map(|p| size(p)).fold(0.0, f64::max);
    // `old` holds the level after `cur` now.
    std::mem::swap(&mut wave.old, &mut wave.cur);
    let mut worst = 0f64;
    for k in (1..nt - 2).rev() {
        wave.stencil();
        std::mem::swap(&mut wave.old, &mut wave.cur);
        wave.cur[source] += ricker(f, k + 1);
        let cur = restore(&kernels, &grid, &single(&wave.cur), &store, k)?.get::<f32>("cur")?;
        wave.cur = cur.iter().map(|v| f64::from(*v)).collect();
        let inside =
            |p: &[usize; 3]| (0..3).all(|a| (grid.layers..grid.n[a] - grid.layers).contains(&p[a]));
        let error: f64 = grid
            .points()
            .filter(inside)
            .map(|p| (wave.cur[grid.at(p)] - levels[k][grid.at(p)]).powi(2))
            .sum();
        let error = (error / largest).sqrt();
        worst = worst.max(error);
        expect::that(error < 1e-5, || {
            format!("reconstructed level {k} of {nt} is off by {error:.1e} of the largest level")
        })
        .map_err(|f| f.hint("h"))?;
    }
    Ok(Evidence::new(format!(
        "{} levels reconstructed, each within {worst:.0e} of the largest",
        nt - 3
    )))
}

fn size(level: &[f64]) -> f64 {
    level.iter().map(|v| v * v).sum()
}

fn counts(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    let grid = Grid { n: [24, 24, 80], half: 4, layers: 8 };
    let points = shell(&grid);
    let cur = grid.random(&mut t.rng());
    let run = save(&kernels, &grid, &vec![EMPTY; points.len()], &cur, 0)?;
    expect::count(&run, "gst.lane", points.len() as u64).map_err(|f| f.hint("w"))?;
    let store = run.get::<f32>("store")?;
    let missing = store.iter().filter(|v| **v == EMPTY).count();
    expect::that(missing == 0, || format!("{missing} of {} words are not saved", store.len()))
        .map_err(|f| f.hint("w"))?;
    expect::count(&run, "gst.sec", points.len().div_ceil(8) as u64).map_err(|f| f.hint("m"))?;
    let warp = |w: &[usize]| w.iter().map(|i| i / 8).collect::<BTreeSet<_>>().len();
    let least: usize = points.chunks(32).map(warp).sum();
    expect::at_most(&run, "gld.sec", least as u64).map_err(|f| f.hint("m"))?;
    Ok(Evidence::new(format!(
        "{} words: {} sectors stored, {} loaded (of top and bottom every row has its own)",
        points.len(),
        run.total().gst_sec,
        run.total().gld_sec
    ))
    .launch(run.report()))
}

fn bytes(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let interior: i64 = 109 * 109 * 103;
    let shell = interior - 103 * 103 * 97;
    for (key, want) in [
        ("shell_points", shell),
        ("store_bytes", 2500 * 4 * shell),
        ("levels_bytes", 2500 * 4 * interior),
    ] {
        let answer = a.int(key)?;
        expect::that(answer == want, || format!("{key}: {answer} is not right"))
            .map_err(|f| f.hint("q"))?;
    }
    Ok(Evidence::new(format!("{shell} points; {:.1} times less", interior as f64 / shell as f64)))
}
