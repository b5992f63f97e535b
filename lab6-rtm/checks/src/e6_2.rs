//! Checks of exercise 6.2: neighbouring threads on neighbouring addresses.

use std::collections::BTreeSet;

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect};

use rand::RngExt;

use crate::stencil::{self, Fields, Stencil, Threads};
use references::grid::Grid;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L6-6.2",
    key: "e6_2",
    title: "Threads along the rows, weights in constant memory",
    points: 8,
    files: &[STENCIL.file, ANSWERS],
    todo: "Predict in answers/e6_2.toml, then write kernels/stencil_aligned.cu: z is the axis of \
        threadIdx.x.",
    hints: &HINTS,
    checks: &[
        Check {
            name: "field",
            what: "one step on odd grids, orders 8, 2, 4",
            weight: 2,
            run: field,
        },
        Check { name: "sectors", what: "at most 5 sectors per request", weight: 3, run: sectors },
        Check {
            name: "constants",
            what: "the weights come from constant memory",
            weight: 1,
            run: constants,
        },
        Check {
            name: "prediction",
            what: "sectors per request, foretold",
            weight: 1,
            run: prediction,
        },
    ],
};

const HINTS: [(&str, &str); 13] = stencil::join(
    [
        (
            "m",
            "lanes of a warp differ in threadIdx.x: it must count iz, the axis whose points are \
             neighbours",
        ),
        ("k", "declare the weights __constant__: one request then serves all 32 threads"),
        (
            "p",
            "which of the warp's 32 threads lie in one row? A sector has 8 floats; a piece of a \
             row that begins a float later touches one sector more",
        ),
    ],
    stencil::HINTS,
);

const ANSWERS: &str = "answers/e6_2.toml";

/// The stencil with its threads along the rows.
pub const STENCIL: Stencil = Stencil {
    file: "kernels/stencil_aligned.cu",
    name: "stencil_aligned",
    threads: Threads::Aligned,
};

fn field(t: &Trial) -> Outcome {
    STENCIL.field(t, |_| None)
}

/// A grid that the blocks divide.
const GRID: [usize; 3] = [6, 8, 64];

/// Sectors that a warp of 32 points loads: the centre and the neighbours along x and y 4 each,
/// those along z 5, next and v2.
pub const WARP: u64 = 4 + 4 * 16 + 5 * 8 + 4 + 4;

fn example(t: &Trial) -> Result<Run, Finding> {
    let grid = Grid::new(GRID, 4);
    let run = STENCIL.launch(&STENCIL.compile(t, 4)?, &Fields::random(t, grid), |_| None)?;
    STENCIL.stored_once(t, &run, &grid, |_| None).map_err(|f| f.or_hint("u"))?;
    Ok(run)
}

fn sectors(t: &Trial) -> Outcome {
    let run = example(t)?;
    let warps = GRID.iter().product::<usize>() as u64 / 32;
    // The centre may be loaded again for the last line, and weights may still come from global
    // memory.
    let weights = run.total().gld_req.saturating_sub(27 * warps).min(3 * 9 * warps);
    expect::at_most(&run, "gld.sec", (WARP + 8) * warps + weights).map_err(|f| f.hint("m"))?;
    expect::count(&run, "gst.sec", 4 * warps).map_err(|f| f.hint("m"))?;
    let total = run.total();
    Ok(Evidence::new(format!(
        "{} sectors in {} load requests, {} of {} bytes each store moves are asked for",
        total.gld_sec,
        total.gld_req,
        total.gst_bytes / total.gst_req,
        32 * total.gst_sec / total.gst_req
    ))
    .launch(run.report()))
}

fn constants(t: &Trial) -> Outcome {
    let run = example(t)?;
    let warps = GRID.iter().product::<usize>() as u64 / 32;
    expect::at_most(&run, "gld.req", (27 + 2) * warps).map_err(|f| f.hint("k"))?;
    expect::that(run.total().cld_req > 0, || "nothing is read from constant memory".into())
        .map_err(|f| f.hint("k"))?;
    Ok(Evidence::new(format!(
        "{} load requests from global memory per warp, the weights from constant memory",
        run.total().gld_req / warps
    )))
}

fn prediction(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let block = BLOCKS[a.own()?.random_range(0..BLOCKS.len())];
    let [x, y, z] = block;
    let a = a.about(format!("a block of {x} x {y} x {z} threads"));
    let [naive, centre, beside] =
        [sectors_of(block, 2, 0), sectors_of(block, 0, 0), sectors_of(block, 0, 1)];
    a.is_int("naive_centre", naive, "p")?;
    a.is_int("aligned_centre", centre, "p")?;
    a.is_int("aligned_beside", beside, "p")?;
    Ok(Evidence::new(format!("{naive}, {centre} and {beside} sectors per request")))
}

/// Blocks whose warps lie across rows in different ways. In each of them a row's piece begins a
/// sector, whichever axis lies along the rows.
const BLOCKS: [[i64; 3]; 5] = [[8, 1, 8], [8, 2, 16], [8, 4, 8], [16, 1, 8], [16, 2, 8]];

/// Sectors of the first warp's request of `cur[i + beside]` if `along` is the axis of the block
/// that lies along the rows.
fn sectors_of(block: [i64; 3], along: usize, beside: i64) -> i64 {
    let touched: BTreeSet<(i64, i64, i64)> = (0..32)
        .map(|lane| {
            let mut at = [lane % block[0], lane / block[0] % block[1], lane / block[0] / block[1]];
            at[along] = (at[along] + beside) / 8;
            at.into()
        })
        .collect();
    touched.len() as i64
}
