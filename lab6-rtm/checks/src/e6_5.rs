//! Checks of exercise 6.5: absorbing layers.

use grading::{Check, Evidence, Exercise, Finding, Kernels, Outcome, Run, Trial, expect};
use rand::RngExt;
use simt::fault::{Fault, FaultKind};

use crate::compare::{self, Mistake};
use crate::stencil::weights;
use references::grid::{Grid, first};
use references::wave::{Face, Profile, Wave, curvature, difference, single};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L6-6.5",
    key: "e6_5",
    title: "Absorbing layers (CPML)",
    points: 14,
    files: &[KERNEL],
    todo: "Write depth, the recursion of psi, and that of zeta with its share of next in \
        kernels/cpml.cu.",
    hints: &[
        ("s", "psi = a psi + b dp/di: b is negative already"),
        (
            "m",
            "at the lower end of the axis the outermost point comes first, at the upper end the \
             innermost: entry layers - 1 belongs to the outermost",
        ),
        ("x", "differences are taken along the layer's axis: use the step that is given"),
        (
            "o",
            "psi is 0 outside of its layer: leave out neighbours before its first and behind its \
             last point",
        ),
        (
            "r",
            "psi of a neighbour is read while its owner writes it: psi must be complete before \
             anybody reads it, hence two launches",
        ),
        (
            "d",
            "zeta needs the second difference of p and the first of psi: both are in the bracket",
        ),
        ("z", "next gains v2 times the sum of dpsi/di and the new zeta"),
        ("e", "the new zeta is added to next, not the old one"),
        ("w", "one load for each neighbour and each state, one store for each result"),
    ],
    checks: &[
        Check { name: "psi", what: "the first recursion, all six layers", weight: 3, run: psi },
        Check {
            name: "apply",
            what: "the second, and what the field gains",
            weight: 4,
            run: apply,
        },
        Check {
            name: "work",
            what: "work in the layers only, along the rows",
            weight: 2,
            run: work,
        },
        Check { name: "energy", what: "a wave that leaves the grid", weight: 3, run: energy },
    ],
};

/// The file.
pub const KERNEL: &str = "kernels/cpml.cu";

const BLOCK: [u32; 3] = [32, 4, 2];

fn blocks(face: &Face) -> [u32; 3] {
    [2, 1, 0].map(|k| (face.n[k] as u32).div_ceil(BLOCK[2 - k]))
}

fn slopes(half: usize) -> Vec<f32> {
    single(&first(half))
}

fn diagnose(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::RaceGlobal => Some("r"),
        FaultKind::OutOfBoundsGlobal => {
            let target = fault.target.as_ref()?.name.as_str();
            match target {
                "psi" => Some("o"),
                "a" | "b" => Some("m"),
                _ => None,
            }
        }
        _ => None,
    }
}

/// One layer with a state and a field.
struct Case {
    grid: Grid,
    face: Face,
    profile: Profile,
    cur: Vec<f32>,
    next: Vec<f32>,
    v2: Vec<f32>,
    psi: Vec<f32>,
    zeta: Vec<f32>,
}

impl Case {
    /// Random fields, states and profiles for every layer of a small grid.
    fn all(t: &Trial, n: [usize; 3]) -> Vec<Case> {
        let mut rng = t.rng();
        let grid = Grid { n, half: 4, layers: rng.random_range(5..7) };
        let faces = Face::all(&grid);
        let case = |face: Face| Case {
            grid,
            face,
            profile: Profile {
                a: (0..grid.layers).map(|_| rng.random_range(0.2..0.9)).collect(),
                b: (0..grid.layers).map(|_| rng.random_range(-0.8..-0.1)).collect(),
            },
            cur: grid.random(&mut rng),
            next: grid.random(&mut rng),
            v2: grid.random_v2(&mut rng),
            psi: (0..face.words()).map(|_| rng.random_range(-1.0..1.0)).collect(),
            zeta: (0..face.words()).map(|_| rng.random_range(-1.0..1.0)).collect(),
        };
        faces.into_iter().map(case).collect()
    }

    fn psi(&self, kernels: &Kernels) -> Result<Run, Finding> {
        kernels
            .launch("cpml_psi", blocks(&self.face), BLOCK)
            .inout("psi", &self.psi)
            .input("cur", &self.cur)
            .input("a", &self.profile.a)
            .input("b", &self.profile.b)
            .scalar(self.grid.shape())
            .scalar(self.face.argument())
            .constant("weight", &weights(self.grid.half))
            .constant("slope", &slopes(self.grid.half))
            .on_fault(diagnose)
            .run()
    }

    fn apply(&self, kernels: &Kernels) -> Result<Run, Finding> {
        kernels
            .launch("cpml_apply", blocks(&self.face), BLOCK)
            .inout("next", &self.next)
            .inout("zeta", &self.zeta)
            .input("psi", &self.psi)
            .input("cur", &self.cur)
            .input("v2", &self.v2)
            .input("a", &self.profile.a)
            .input("b", &self.profile.b)
            .scalar(self.grid.shape())
            .scalar(self.face.argument())
            .constant("weight", &weights(self.grid.half))
            .constant("slope", &slopes(self.grid.half))
            .on_fault(diagnose)
            .run()
    }

    fn state(&self) -> Vec<usize> {
        (0..self.face.words()).collect()
    }

    /// a and b of an element, with the profile turned round or not.
    fn factors(&self, j: usize, mirrored: bool) -> (f64, f64) {
        let k = self.face.depth(j);
        let k = if mirrored { self.grid.layers - 1 - k } else { k };
        (f64::from(self.profile.a[k]), f64::from(self.profile.b[k]))
    }
}

fn double(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

/// Sizes with no block in common.
const ODD: [usize; 3] = [17, 19, 35];

fn psi(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    for case in Case::all(t, ODD) {
        let run = case.psi(&kernels)?;
        let (grid, face, w) = (&case.grid, &case.face, double(&slopes(4)));
        let (cur, before) = (double(&case.cur), double(&case.psi));
        let slope = |j: usize, axis: usize| difference(&w, &cur, face.at(grid, j), grid.step(axis));
        let value = |j: usize, mirrored: bool, sign: f64, axis: usize| {
            let (a, b) = case.factors(j, mirrored);
            a * before[j] + sign * b * slope(j, axis)
        };
        let other = (face.axis + 1) % 3;
        let mistakes = [
            Mistake::new("s", |j| value(j, false, -1.0, face.axis)),
            Mistake::new("m", |j| value(j, true, 1.0, face.axis)),
            Mistake::new("x", |j| value(j, false, 1.0, other)),
            Mistake::new("x", |j| value(j, false, 1.0, (other + 1) % 3)),
        ];
        compare::places(
            "psi",
            &case.state(),
            &run.get("psi")?,
            16,
            |j| (value(j, false, 1.0, face.axis), 4.0),
            &mistakes,
            |j| face.place(j),
        )?;
    }
    Ok(Evidence::new("psi of all six layers within the rounding bound"))
}

fn apply(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    for case in Case::all(t, ODD) {
        let run = case.apply(&kernels)?;
        let (grid, face) = (&case.grid, &case.face);
        let (w, d) = (double(&weights(4)), double(&slopes(4)));
        let cur = double(&case.cur);
        let bend = |j: usize| curvature(&w, &cur, face.at(grid, j), grid.step(face.axis));
        let length = grid.layers as isize;
        // Without the layer's ends, what lies there in memory is taken for a neighbour.
        let slope = |j: usize, ends: bool| -> f64 {
            let here = face.point(j)[face.axis] as isize;
            let at = |l: isize| {
                let place = j as isize + l * face.step() as isize;
                let inside = (0..length).contains(&(here + l));
                let value = usize::try_from(place).ok().and_then(|k| case.psi.get(k));
                if inside || !ends { value.copied().map_or(0.0, f64::from) } else { 0.0 }
            };
            (1..=4).map(|l| d[l as usize] * (at(l) - at(-l))).sum()
        };
        let zeta = |j: usize, mirrored: bool, bracket: f64| {
            let (a, b) = case.factors(j, mirrored);
            a * f64::from(case.zeta[j]) + b * bracket
        };
        let right = |j: usize| zeta(j, false, bend(j) + slope(j, true));
        let mistakes = [
            Mistake::new("m", |j| zeta(j, true, bend(j) + slope(j, true))),
            Mistake::new("o", |j| zeta(j, false, bend(j) + slope(j, false))),
            Mistake::new("d", |j| zeta(j, false, bend(j))),
            Mistake::new("d", |j| zeta(j, false, slope(j, true))),
            Mistake::new("s", |j| zeta(j, false, -bend(j) - slope(j, true))),
        ];
        let got = run.get("zeta")?;
        let name = |j| face.place(j);
        compare::places("zeta", &case.state(), &got, 32, |j| (right(j), 10.0), &mistakes, name)?;

        let of_level: std::collections::HashMap<usize, usize> =
            (0..face.words()).map(|j| (face.at(grid, j), j)).collect();
        let gain = |i: usize, with_slope: f64, zeta: f64| {
            f64::from(case.next[i]) + f64::from(case.v2[i]) * (with_slope + zeta)
        };
        let value = |i: usize| gain(i, slope(of_level[&i], true), right(of_level[&i]));
        let mistakes = [
            Mistake::new("z", |i| gain(i, 0.0, right(of_level[&i]))),
            Mistake::new("z", |i| gain(i, slope(of_level[&i], true), 0.0)),
            Mistake::new("z", |i| f64::from(case.next[i])),
            Mistake::new("e", |i| {
                let j = of_level[&i];
                gain(i, slope(j, true), f64::from(case.zeta[j]))
            }),
        ];
        let mut at: Vec<usize> = of_level.keys().copied().collect();
        at.sort_unstable();
        let name = |i: usize| of_level.get(&i).map_or_else(|| grid.place(i), |j| face.place(*j));
        let got = run.get("next")?;
        compare::places("next", &at, &got, 40, |i| (value(i), 10.0), &mistakes, name)?;
        compare::untouched("next", &at, &got, &case.next, "w", |i| grid.place(i))?;
    }
    Ok(Evidence::new("zeta and next of all six layers within the rounding bound"))
}

fn work(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    let case = Case::all(t, [16, 8, 64]).swap_remove(0);
    let words = case.face.words() as u64;
    let half = case.grid.half as u64;
    let (first, then) = (case.psi(&kernels)?, case.apply(&kernels)?);
    // The neighbours along the axis; states, profiles, v2 and next.
    for (run, stores, loads) in [(&first, 1, 2 * half + 3), (&then, 2, 4 * half + 1 + 5)] {
        expect::count(run, "gst.lane", stores * words).map_err(|f| f.hint("w"))?;
        expect::at_most(run, "gld.lane", loads * words).map_err(|f| f.hint("w"))?;
        expect::count(run, "gst.sec", stores * words / 8).map_err(|f| f.hint("w"))?;
        expect::count(run, "atom.req", 0).map_err(|f| f.hint("w"))?;
    }
    let per = |n: u64| n as f64 / words as f64;
    Ok(Evidence::new(format!(
        "{words} points: {:.1} and {:.1} loads, {} and {} stores per point, no atomics",
        per(first.total().gld_lane),
        per(then.total().gld_lane),
        per(first.total().gst_lane),
        per(then.total().gst_lane)
    ))
    .launch(first.report())
    .launch(then.report()))
}

/// A pulse runs along x into the right layer; the student's layers, step by step, with the
/// reference's stencil.
fn energy(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    let grid = Grid { n: [44, 9, 9], half: 4, layers: 8 };
    let v2 = grid.level(|_| 0.1);
    let profile = Profile::new(grid.layers, 0.1f64.sqrt(), 0.04);
    let faces = vec![Face::of(&grid, 0, 0), Face::of(&grid, 0, 1)];
    // The lowest mode between the reflecting walls at y and z, with a packet of waves along x.
    let mode = |k: usize| (std::f64::consts::PI * (k + 1) as f64 / 10.0).sin();
    let packet = |p: [usize; 3]| {
        let x = p[0] as f64 - 22.0;
        (x * 0.9).cos() * (-x * x / 18.0).exp() * mode(p[1]) * mode(p[2])
    };
    let mut truth = Wave::new(grid, &v2, faces.clone(), profile.clone());
    let start = grid.level(|p| packet(p) as f32);
    (truth.old, truth.cur) = (double(&start), double(&start));
    let mut own = Wave::new(grid, &v2, Vec::new(), profile.clone());
    (own.old, own.cur) = (double(&start), double(&start));
    let mut states: Vec<(Vec<f32>, Vec<f32>)> =
        faces.iter().map(|f| (vec![0.0; f.words()], vec![0.0; f.words()])).collect();
    let size = |p: &[f64]| p.iter().map(|v| v * v).sum::<f64>();
    let before = size(&own.cur);
    for step in 1..=STEPS {
        own.stencil();
        let (cur, mut next) = (single(&own.cur), single(&own.old));
        for (face, (psi, zeta)) in faces.iter().zip(&mut states) {
            let mut case = Case {
                grid,
                face: *face,
                profile: profile.clone(),
                cur: cur.clone(),
                next,
                v2: v2.clone(),
                psi: psi.clone(),
                zeta: zeta.clone(),
            };
            case.psi = case.psi(&kernels)?.get("psi")?;
            let run = case.apply(&kernels)?;
            (*psi, *zeta) = (case.psi.clone(), run.get("zeta")?);
            next = run.get("next")?;
        }
        own.old = double(&next);
        std::mem::swap(&mut own.old, &mut own.cur);
        truth.step();
        if step % 10 == 0 {
            let error: f64 = own.cur.iter().zip(&truth.cur).map(|(a, b)| (a - b).powi(2)).sum();
            let off = (error / before).sqrt();
            expect::that(off < 1e-4, || {
                format!(
                    "after {step} steps the sum of p^2 is {:.3e} of the start's, it must be {:.3e}",
                    size(&own.cur) / before,
                    size(&truth.cur) / before
                )
            })
            .map_err(|f| f.hint("s"))?;
        }
    }
    let left = size(&own.cur) / before;
    expect::that(left < 1e-2, || format!("{left:.3e} of the energy is left"))?;
    Ok(Evidence::new(format!("after {STEPS} steps {left:.1e} of the sum of p^2 is left")))
}

const STEPS: usize = 120;
