//! Checks of exercise 6.4: a queue in registers.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect};
use rand::RngExt;
use simt::fault::Fault;

use crate::e6_3::{TILE, diagnose};
use crate::stencil::{self, Fields, Stencil, Threads};
use references::grid::Grid;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L6-6.4",
    key: "e6_4",
    title: "Marching with a queue in registers",
    points: 16,
    files: &[STENCIL.file, ANSWERS],
    todo: "Predict in answers/e6_4.toml, then write the march along x in kernels/stencil_queue.cu.",
    hints: &HINTS,
    checks: &[
        Check {
            name: "field",
            what: "one step on odd grids, without races",
            weight: 2,
            run: field,
        },
        Check {
            name: "loads",
            what: "one new value of cur per point, and the halo",
            weight: 4,
            run: loads,
        },
        Check { name: "registers", what: "the queue lies in registers", weight: 1, run: registers },
        Check {
            name: "banks",
            what: "no bank conflicts, at most two barriers a plane",
            weight: 1,
            run: banks,
        },
        Check {
            name: "prediction",
            what: "loads per point of three versions",
            weight: 1,
            run: prediction,
        },
    ],
};

const HINTS: [(&str, &str); 18] = stencil::join(
    stencil::join::<3, 5, 8>(
        [
            (
                "a",
                "the tile's centre is queue[H] already, and neighbours along x are in the queue: \
                 load only the new value and the halo",
            ),
            (
                "i",
                "registers cannot be indexed at run time: every loop over the queue needs #pragma \
                 unroll",
            ),
            (
                "p",
                "the stencil has 6 H + 1 points; a tile of 32 x BY has a halo of 2 H (32 + BY) \
                 values, and corners of 4 H^2",
            ),
        ],
        TILE,
    ),
    stencil::HINTS,
);

const ANSWERS: &str = "answers/e6_4.toml";

/// The stencil with the queue.
pub const STENCIL: Stencil =
    Stencil { file: "kernels/stencil_queue.cu", name: "stencil_queue", threads: Threads::March };

fn field(t: &Trial) -> Outcome {
    let text = t.text(STENCIL.file)?;
    STENCIL.field(t, |fault| diagnose(&text, fault))
}

/// A grid that the blocks divide, with a long way to march.
const GRID: [usize; 3] = [24, 16, 64];

fn example(t: &Trial) -> Result<(Run, u64), Finding> {
    let grid = Grid::new(GRID, 4);
    let text = t.text(STENCIL.file)?;
    let fault = |fault: &Fault| diagnose(&text, fault);
    let run = STENCIL.launch(&STENCIL.compile(t, 4)?, &Fields::random(t, grid), fault)?;
    STENCIL.stored_once(t, &run, &grid, fault).map_err(|f| f.or_hint("u"))?;
    Ok((run, 4))
}

fn loads(t: &Trial) -> Outcome {
    let (run, blocks) = example(t)?;
    // A plane: the queue's new value, the oldest level, v2, and the halo with its corners. Before
    // it: 2 H values a thread.
    let planes = GRID[0] as u64;
    let bound = blocks * (planes * (3 * 256 + 8 * 40 + 64) + 8 * 256);
    expect::at_most(&run, "gld.lane", bound).map_err(|f| f.hint("a"))?;
    let total = run.total();
    let points = GRID.iter().product::<usize>() as f64;
    Ok(Evidence::new(format!(
        "{:.2} loads and {:.2} sectors per point, 0.375 of them for the oldest level, v2 and the \
         point itself",
        total.gld_lane as f64 / points,
        total.gld_sec as f64 / points,
    ))
    .launch(run.report()))
}

fn registers(t: &Trial) -> Outcome {
    let (run, blocks) = example(t)?;
    // Without a queue a point needs 2 H values of cur along x alone.
    let points = blocks * 256 * GRID[0] as u64;
    expect::at_most(&run, "gld.lane", points * 8).map_err(|f| f.hint("a"))?;
    for name in ["lld.req", "lst.req"] {
        expect::count(&run, name, 0).map_err(|f| f.hint("i"))?;
    }
    Ok(Evidence::new("no request to local memory: the queue lies in registers"))
}

fn banks(t: &Trial) -> Outcome {
    let (run, blocks) = example(t)?;
    let total = *run.total();
    expect::that(total.shld_req > 0, || "nothing is read from shared memory".into())
        .map_err(|f| f.hint("q"))?;
    expect::at_most(&run, "bar", 2 * blocks * (GRID[0] as u64 + 1)).map_err(|f| f.hint("b"))?;
    expect::count(&run, "shld.wf", total.shld_req).map_err(|f| f.hint("k"))?;
    Ok(Evidence::new(format!("{} shared loads, as many wavefronts", total.shld_req)))
}

fn prediction(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let mut rng = a.own()?;
    let (half, by) = (rng.random_range(1..=6), if rng.random() { 12 } else { 16 });
    let a = a.about(format!("H = {half}, blocks of 32 x {by} threads"));
    let (h, by) = (f64::from(half), f64::from(by));
    let aligned = 6.0 * h + 1.0 + 2.0;
    let shared = (32.0 + 2.0 * h) * (by + 2.0 * h) / (32.0 * by) + 2.0 * h;
    let queue = 1.0 + 2.0 * h * (32.0 + by) / (32.0 * by);
    a.is_near("aligned", aligned, 0.006, "p")?;
    a.is_near("shared", shared, 0.006, "p")?;
    a.is_near("queue", queue, 0.006, "p")?;
    Ok(Evidence::new(format!("{aligned}, {shared:.2} and {queue:.2} loads per point")))
}
