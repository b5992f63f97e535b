//! Checks of exercise 3.1.7: membership of solids, with branches and without.

use grading::{
    Check, Evidence, Exercise, Finding, Kernels, Outcome, Picture, Run, Trial, expect, trace,
};
use rand::RngExt;
use serde_json::json;

use crate::device::{self, f64s};
use crate::mc::{SOLIDS, Solid};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.1.7",
    key: "e3_1_07",
    title: "Volumes of other solids",
    points: 4,
    files: &["kernels/mc_solid.cu", "src/e3_1_07.rs"],
    todo: "Write the five solids in kernels/mc_solid.cu, with branches and as products, and their \
        boxes in src/e3_1_07.rs.",
    hints: &[
        ("a", "a point in the ball and in the disc counts once: f is 0 or 1"),
        ("b", "compare the square x^2 + y^2 with the square of the radius of the bore, 1/2"),
        ("c", "the cone lies between z = 0 and z = 4, and its radius there is 1 - z/4"),
        ("d", "a product of comparisons means `and`; Saturn is an `or`: 1 - (1 - ball)(1 - disc)"),
        (
            "e",
            "the volume is that of the box times the mean: use the smallest box that contains the \
             solid",
        ),
        (
            "t",
            "look at the definition in mc_solid.cu again: bounds that are missing or reversed, \
             surfaces included",
        ),
        ("p", "no if, no ?:, no && in f_product: a comparison is a number"),
        (
            "q",
            "f_solid is the version with branches: leave by `return` as soon as the answer is \
             known",
        ),
    ],
    checks: &[
        Check {
            name: "points",
            what: "40 points by hand and 20,000 random ones",
            weight: 2,
            run: points,
        },
        Check { name: "volumes", what: "boxes and volumes", weight: 1, run: volumes },
        Check {
            name: "branch_free",
            what: "divergent branches of both versions",
            weight: 1,
            run: branch_free,
        },
    ],
};

const KERNEL: &str = "kernels/mc_solid.cu";
const VERSIONS: [&str; 2] = ["mc_branches", "mc_products"];

/// Points that tell the usual mistakes apart: x, y, z, and 1 if it is in the solid. Eight for each
/// of the solids 1 to 5.
const BY_HAND: [[[f32; 4]; 8]; 5] = [
    [
        [3.0, 0.0, 0.0, 1.0],
        [3.0, 0.0, 1.1, 0.0],
        [0.9, 2.9, 0.0, 0.0],
        [1.1, -2.8, 0.2, 1.0],
        [1.5, -3.1, 0.0, 0.0],
        [1.2, 1.2, 0.0, 0.0],
        [3.8, 0.0, 0.5, 1.0],
        [1.2, 3.3, -0.5, 1.0],
    ],
    [
        [0.0, 0.0, 0.0, 0.0],
        [0.6, 0.0, 0.0, 0.0],
        [0.73, 0.0, 0.0, 1.0],
        [0.8, 0.0, 2.9, 1.0],
        [0.55, 0.5, 1.0, 1.0],
        [0.0, 0.3, 3.0, 0.0],
        [3.0, 1.2, 0.0, 0.0],
        [-2.0, 2.0, 1.0, 1.0],
    ],
    [
        [2.5, 0.0, 0.0, 1.0],
        [0.0, 2.5, 2.4, 1.0],
        [0.0, 2.5, 2.6, 0.0],
        [1.0, 1.0, 0.0, 0.0],
        [2.2, 2.2, 0.0, 0.0],
        [-1.5, -1.5, -2.4, 1.0],
        [-1.5, -1.5, -2.6, 0.0],
        [0.0, 0.0, 0.0, 0.0],
    ],
    [
        [0.0, 0.0, 3.9, 1.0],
        [0.9, 0.0, 0.1, 1.0],
        [0.9, 0.0, 3.0, 0.0],
        [0.2, 0.0, 3.0, 1.0],
        [0.0, 0.0, -0.1, 0.0],
        [0.05, 0.05, 4.5, 0.0],
        [0.4, 0.4, 2.0, 0.0],
        [0.3, -0.3, 2.0, 1.0],
    ],
    [
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 1.9, 1.0],
        [2.9, 0.0, 0.4, 1.0],
        [2.9, 0.0, 0.6, 0.0],
        [1.0, 1.0, 0.2, 1.0],
        [1.5, 1.5, 0.6, 0.0],
        [2.2, 2.2, 0.0, 0.0],
        [0.0, -1.9, 0.55, 1.0],
    ],
];

fn compile(t: &Trial) -> Result<Kernels, Finding> {
    t.kernel(KERNEL).compile()
}

fn evaluate(
    kernels: &Kernels,
    version: &str,
    id: usize,
    p: &[Vec<f32>; 3],
) -> Result<Run, Finding> {
    let n = p[0].len();
    kernels
        .launch(version, (n as u32).div_ceil(256), 256u32)
        .output::<f32>("f", n)
        .input("x", &p[0])
        .input("y", &p[1])
        .input("z", &p[2])
        .scalar(n as u64)
        .scalar(id as i32)
        .run()
}

/// A wrong value of f and what may have caused it.
fn wrong(version: &str, id: usize, p: [f32; 3], got: f32, want: f32) -> Finding {
    let Solid { name, .. } = SOLIDS[id];
    let [x, y, z] = p;
    let hint = match id {
        2 => "b",
        4 => "c",
        5 if got == 2.0 => "a",
        5 if want == 1.0 => "d",
        _ => "t",
    };
    let text = format!("{version}: {name}, point ({x}, {y}, {z}): expected {want}, got {got}");
    Finding::wrong(text).hint(hint)
}

fn points(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let kernels = compile(t)?;
    let mut near = 0;
    for id in 1..SOLIDS.len() {
        let hand = BY_HAND[id - 1];
        let by_hand = [0, 1, 2].map(|axis| hand.iter().map(|p| p[axis]).collect::<Vec<_>>());
        let random = SOLIDS[id].sample(&mut rng, 4096, 0.7);
        for version in VERSIONS {
            let run = evaluate(&kernels, version, id, &by_hand)?;
            for ([x, y, z, want], got) in hand.into_iter().zip(run.get::<f32>("f")?) {
                if !(got == want) {
                    return Err(wrong(version, id, [x, y, z], got, want));
                }
            }
            let run = evaluate(&kernels, version, id, &random)?;
            for (i, got) in run.get::<f32>("f")?.into_iter().enumerate() {
                let p = [random[0][i], random[1][i], random[2][i]];
                let margin = (SOLIDS[id].margin)(p.map(f64::from));
                // So near to the surface rounding decides.
                if margin.abs() < 1e-4 && (got == 0.0 || got == 1.0) {
                    near += 1;
                    continue;
                }
                let want = if margin < 0.0 { 1.0 } else { 0.0 };
                if !(got == want) {
                    return Err(wrong(version, id, p, got, want));
                }
            }
        }
    }
    Ok(Evidence::new(format!(
        "5 solids, both versions: 40 points by hand and 20,480 random ones ({near} too near to a \
         surface to tell)"
    )))
}

fn volumes(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    const N: usize = 1 << 14;
    let mut evidence = Evidence::default();
    for (id, solid) in SOLIDS.iter().enumerate() {
        let bounds = f64s(&trace::value::<Vec<u64>>(&t.call("e3_1_07.bounds", &json!(id))?)?);
        expect::close(&format!("box of {}", solid.name), &bounds, &solid.bounds, |_| 1e-12)
            .map_err(|f| f.hint("e"))?;
        let request = json!({ "id": id, "n": N, "seed": rng.random::<u32>() });
        let [v, u]: [u64; 2] = device::plain(&t.call("e3_1_07.volume", &request)?)?;
        let (v, u) = (f64::from_bits(v), f64::from_bits(u));
        let share = solid.volume / solid.box_volume();
        let sigma = solid.box_volume() * (share * (1.0 - share) / N as f64).sqrt();
        expect::that((v - solid.volume).abs() <= 5.0 * sigma, || {
            let want = solid.volume;
            format!(
                "volume of {}: expected {want:.4} +- {:.4}, got {v:.4}",
                solid.name,
                5.0 * sigma
            )
        })
        .map_err(|f| f.hint("t"))?;
        evidence =
            evidence.line(format!("{}: {v:.3} +- {u:.3}, exactly {:.3}", solid.name, solid.volume));
    }
    host_refuses(t)?;
    Ok(evidence.picture(shadow()))
}

fn host_refuses(t: &Trial) -> Result<(), Finding> {
    let reply = t.call("e3_1_07.bounds", &json!(6))?;
    grading::host::error(&reply).map(|_| ())
}

/// All solids cut open at y = 0, each in a square of its own.
fn shadow() -> Picture {
    const SIDE: usize = 120;
    let width = SIDE * SOLIDS.len();
    let mut rgba = vec![255; 4 * width * SIDE];
    for (k, solid) in SOLIDS.iter().enumerate() {
        for row in 0..SIDE {
            for column in 0..SIDE {
                let place = |at: usize| 9.0 * (at as f64 + 0.5) / SIDE as f64 - 4.5;
                let margin = (solid.margin)([place(column), 0.0, -place(row)]);
                let colour = if margin <= 0.0 { [0, 114, 178] } else { [240, 240, 240] };
                let at = 4 * (row * width + k * SIDE + column);
                rgba[at..at + 3].copy_from_slice(&colour);
            }
        }
    }
    let title = "cuts at y = 0: ball, torus, bore, tube, cone, Saturn";
    Picture::new(title, width as u32, SIDE as u32, &rgba)
}

fn branch_free(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let kernels = compile(t)?;
    let mut evidence = Evidence::default();
    for (id, solid) in SOLIDS.iter().enumerate().skip(1) {
        let p = solid.sample(&mut rng, 1 << 13, 0.0);
        let [branches, products] = VERSIONS.map(|version| evaluate(&kernels, version, id, &p));
        let (branches, products) = (branches?, products?);
        expect::count(&products, "br.div", 0).map_err(|f| {
            Finding { message: format!("mc_products, {}: {}", solid.name, f.message), ..f }
                .hint("p")
        })?;
        let (b, p) = (branches.total(), products.total());
        expect::that(b.br_div > 0, || format!("mc_branches, {}: no branch diverges", solid.name))
            .map_err(|f| f.hint("q"))?;
        evidence = evidence.line(format!(
            "{}: {} of {} branches diverge, {} instructions; as a product 0, {} instructions",
            solid.name, b.br_div, b.br_exec, b.inst, p.inst
        ));
        if id == 5 {
            evidence = evidence.launch(branches.report()).launch(products.report());
        }
    }
    Ok(evidence)
}
