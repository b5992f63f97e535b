//! Checks of exercise 6.1: a thread for each point.

use grading::{Check, Evidence, Exercise, Outcome, Trial, expect};

use crate::stencil::{self, Fields, Stencil, Threads};
use references::grid::Grid;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L6-6.1",
    key: "e6_1",
    title: "The stencil, naive",
    points: 10,
    files: &[STENCIL.file],
    todo: "Write the time step in kernels/stencil_naive.cu.",
    hints: &HINTS,
    checks: &[
        Check {
            name: "field",
            what: "one step on odd grids, orders 8, 2, 4",
            weight: 4,
            run: field,
        },
        Check {
            name: "sphere",
            what: "a wave that is the same in all directions",
            weight: 1,
            run: sphere,
        },
        Check {
            name: "once",
            what: "each point is computed and stored once",
            weight: 1,
            run: once,
        },
    ],
};

const HINTS: [(&str, &str); 11] = stencil::join(
    [("t", "threads beyond the grid leave: none of them repeats the work of another")],
    stencil::HINTS,
);

/// The naive stencil.
pub const STENCIL: Stencil =
    Stencil { file: "kernels/stencil_naive.cu", name: "stencil_naive", threads: Threads::Naive };

fn field(t: &Trial) -> Outcome {
    STENCIL.field(t, |_| None)
}

/// From a point in the middle of a cube, whatever is along one axis is along the others.
fn sphere(t: &Trial) -> Outcome {
    let grid = Grid::new([13, 13, 13], 4);
    let kernels = STENCIL.compile(t, grid.half)?;
    let v2 = grid.level(|_| 0.1);
    let mut old = grid.level(|_| 0.0);
    let mut cur = grid.level(|p| if p == [6; 3] { 1.0 } else { 0.0 });
    for _ in 0..6 {
        let f = Fields { grid, old, cur, v2: v2.clone() };
        let next = STENCIL.launch(&kernels, &f, |_| None)?.get("next")?;
        stencil::compare(&f, &next)?;
        (old, cur) = (f.cur, next);
    }
    let largest = cur.iter().fold(0f32, |m, v| m.max(v.abs()));
    for p @ [x, y, z] in grid.points() {
        let value = cur[grid.at(p)];
        for turned in [[y, z, x], [z, x, y], [12 - x, y, z], [x, 12 - y, z], [x, y, 12 - z]] {
            let other = cur[grid.at(turned)];
            expect::that((value - other).abs() <= 1e-6 * largest, || {
                format!("after 6 steps the field is {value} at {p:?}, but {other} at {turned:?}")
            })
            .map_err(|f| f.hint("x"))?;
        }
    }
    Ok(Evidence::new("six steps from one point: the same along x, y and z, up and down"))
}

fn once(t: &Trial) -> Outcome {
    let grid = Grid::new([9, 11, 33], 4);
    let kernels = STENCIL.compile(t, grid.half)?;
    let f = Fields::random(t, grid);
    let run = STENCIL.launch(&kernels, &f, |_| Some("t"))?;
    STENCIL.stored_once(t, &run, &grid, |_| None).map_err(|f| f.or_hint("t"))?;
    let total = run.total();
    Ok(Evidence::new(format!(
        "{} stores for {} points; {:.1} sectors per load request: the next exercise",
        total.gst_lane,
        grid.count(),
        total.gld_sec as f64 / total.gld_req as f64
    ))
    .launch(run.report()))
}
