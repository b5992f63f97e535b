//! Checks of exercise 6.3: a tile in shared memory.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect};
use simt::fault::{Fault, FaultKind};

use crate::stencil::{self, Fields, Stencil, Threads};
use references::grid::Grid;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L6-6.3",
    key: "e6_3",
    title: "A tile in shared memory",
    points: 12,
    files: &[STENCIL.file],
    todo: "Load the tile with its halo in kernels/stencil_shared.cu, and take the neighbours along \
        y and z from it.",
    hints: &HINTS,
    checks: &[
        Check {
            name: "field",
            what: "one step on odd grids, without races",
            weight: 3,
            run: field,
        },
        Check {
            name: "loads",
            what: "each value of the plane is loaded once per block",
            weight: 3,
            run: loads,
        },
        Check { name: "banks", what: "no bank conflicts, one barrier", weight: 2, run: banks },
    ],
};

/// Hints for tiles.
pub const TILE: [(&str, &str); 5] = [
    ("b", "a barrier between the threads that fill the tile and those that read it"),
    ("l", "all threads of a block must reach the barrier, those beyond the grid too"),
    (
        "h",
        "the halo has H rows and H columns on both sides of the block, and threads beyond the grid \
         load their share of it",
    ),
    ("q", "neighbours of the plane come from the tile; only those along x from global memory"),
    (
        "k",
        "lanes of a warp must differ in the last index of the tile: then their words lie in \
         different banks",
    ),
];

const HINTS: [(&str, &str); 15] = stencil::join(TILE, stencil::HINTS);

/// The stencil with the tile.
pub const STENCIL: Stencil =
    Stencil { file: "kernels/stencil_shared.cu", name: "stencil_shared", threads: Threads::Tile };

/// The hint that a fault of the tile of the kernel `text` deserves.
pub fn diagnose(text: &str, fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::Uninitialised if !text.contains("__syncthreads()") => Some("b"),
        FaultKind::RaceShared => Some("b"),
        FaultKind::DivergentBarrier => Some("l"),
        FaultKind::Uninitialised => Some("h"),
        FaultKind::OutOfBoundsShared => Some("h"),
        _ => None,
    }
}

fn field(t: &Trial) -> Outcome {
    let text = t.text(STENCIL.file)?;
    STENCIL.field(t, |fault| diagnose(&text, fault))
}

/// A grid that the blocks divide.
const GRID: [usize; 3] = [6, 16, 64];

fn example(t: &Trial) -> Result<(Run, u64), Finding> {
    let grid = Grid::new(GRID, 4);
    let text = t.text(STENCIL.file)?;
    let fault = |fault: &Fault| diagnose(&text, fault);
    let run = STENCIL.launch(&STENCIL.compile(t, 4)?, &Fields::random(t, grid), fault)?;
    STENCIL.stored_once(t, &run, &grid, fault).map_err(|f| f.or_hint("u"))?;
    Ok((run, grid.count() as u64 / 256))
}

fn loads(t: &Trial) -> Outcome {
    let (run, blocks) = example(t)?;
    // The tile with its corners, and for each point 8 neighbours along x, the oldest level and v2.
    expect::at_most(&run, "gld.lane", blocks * (16 * 40 + 256 * 10)).map_err(|f| f.hint("q"))?;
    // A row of 40 values takes 7 sectors in two requests; half as many again for other ways to
    // share the work.
    expect::at_most(&run, "gld.sec", blocks * (16 * 7 * 3 / 2 + 8 * 4 * 10))
        .map_err(|f| f.hint("q"))?;
    let total = run.total();
    let points = (256 * blocks) as f64;
    Ok(Evidence::new(format!(
        "{:.2} loads and {:.2} sectors per point; without the tile 27 and {:.2}",
        total.gld_lane as f64 / points,
        total.gld_sec as f64 / points,
        crate::e6_2::WARP as f64 / 32.0
    ))
    .launch(run.report()))
}

fn banks(t: &Trial) -> Outcome {
    let (run, blocks) = example(t)?;
    let total = *run.total();
    // A point has 4 H = 16 neighbours along y and z; half of them may be read two at a time.
    let (requests, warps) = (total.shld_req, blocks * 8);
    expect::that(requests >= warps * 8, || {
        format!(
            "{requests} load requests from shared memory by {warps} warps: few for 16 neighbours"
        )
    })
    .map_err(|f| f.hint("q"))?;
    expect::count(&run, "bar", blocks).map_err(|f| f.hint("b"))?;
    // A request whose lanes lie in two rows of the tile may meet a bank twice.
    expect::at_most(&run, "shst.wf", 2 * total.shst_req).map_err(|f| f.hint("k"))?;
    expect::count(&run, "shld.wf", total.shld_req).map_err(|f| f.hint("k"))?;
    Ok(Evidence::new(format!("{} shared loads, as many wavefronts; one barrier", total.shld_req)))
}
