//! Checks of exercise 1.2.1: Julia set, CPU version.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use rand::RngExt;
use serde_json::{Value, json};
use wire::{f32_bits, f32_from_bits};

use crate::julia::{self, Rule, START, View};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.2.1",
    key: "e1_2_01",
    title: "Julia set, CPU version",
    points: 8,
    files: &["src/e1_2_01.rs"],
    todo: "Write julia, then pixel_to_math and apply_key, in src/e1_2_01.rs; look at the picture \
        with `cargo run -p lab1-cuda-intro --bin julia`.",
    hints: &[
        (
            "f",
            "prisoners are red, escapees black: julia returns true for a point that never left the \
             circle",
        ),
        ("b", "compare |z|^2 with 4, or |z| with 2"),
        ("a", "x is overwritten before y is computed: keep the old x"),
        ("C9", "NaN compares false with everything: a point has escaped if !(|z|^2 <= 4)"),
        (
            "c",
            "row and column exchanged: x comes from the column xw, y from the row yw; offset = xw \
             + yw*dim",
        ),
        ("e", "dim/2 is an integer division: for odd dim half a pixel is cut off"),
        ("d", "picture y grows upwards, mouse y downwards: `p` subtracts in y"),
        (
            "m",
            "row and column dim/2 of the window are the centre: y = dy - scale*(row - \
             dim/2)/(dim/2)",
        ),
        (
            "k",
            "z multiplies the scale by 0.80, Z by 1.25, = goes back to 1.5 and (0, 0), Esc returns \
             None",
        ),
    ],
    checks: &[
        Check {
            name: "prisoners",
            what: "the prisoners of seven pictures, pixel by pixel",
            weight: 3,
            run: prisoners,
        },
        Check { name: "symmetry", what: "z and -z have the same fate", weight: 1, run: symmetry },
        Check { name: "nan", what: "NaN and infinity are escapees", weight: 1, run: nan },
        Check { name: "keys", what: "p z Z = Esc", weight: 3, run: keys },
        Check {
            name: "odd_dim",
            what: "pixels of pictures with an odd number of columns",
            weight: 1,
            run: odd_dim,
        },
        Check {
            name: "cli_errors",
            what: "the program's options and scripted keys",
            weight: 1,
            run: cli_errors,
        },
    ],
};

/// A picture to ask for.
type Shot = (View, u32, u32);

fn rendered(t: &Trial, shots: &[Shot]) -> Result<Vec<Vec<bool>>, Finding> {
    let args: Vec<Value> = shots
        .iter()
        .map(|(view, dim, kmax)| json!({ "view": view, "dim": dim, "kmax": kmax }))
        .collect();
    let texts: Vec<String> = trace::list(&t.call("e1_2_01.render", &json!(args))?, shots.len())?;
    let pictures = texts.iter().zip(shots).map(|(text, (_, dim, _))| {
        let pixels = (*dim * *dim) as usize;
        expect::same("pixels of the picture", &text.len(), &pixels)?;
        julia::from_text(text, *dim).map_err(|(x, y)| {
            Finding::wrong(format!("pixel ({x}, {y}) is neither red nor black, or not opaque"))
        })
    });
    pictures.collect()
}

/// Compares a picture with the truth; a known mistake is called by its name.
fn compare((view, dim, kmax): &Shot, got: &[bool]) -> Result<(), Finding> {
    let (view, dim, kmax) = (view, *dim, *kmax);
    let want = julia::picture(view, dim, kmax, Rule::Right);
    if got == want {
        return Ok(());
    }
    let n = dim as usize;
    let is = |other: &dyn Fn(usize) -> bool| (0..n * n).all(|i| got[i] == other(i));
    let rule = |rule| {
        let wrong = julia::picture(view, dim, kmax, rule);
        wrong != want && got == wrong
    };
    let hint = if is(&|i| !want[i]) {
        Some("f")
    } else if is(&|i| want[i / n + i % n * n]) {
        Some("c")
    } else if rule(Rule::NewX) {
        Some("a")
    } else if rule(Rule::Radius4) {
        Some("b")
    } else if dim % 2 == 1 {
        Some("e")
    } else {
        None
    };
    let count = |p: &[bool]| p.iter().filter(|p| **p).count();
    let wrong: Vec<usize> = (0..n * n).filter(|i| got[*i] != want[*i]).collect();
    let name = |prisoner: bool| if prisoner { "prisoner" } else { "escapee" };
    let first = wrong[0];
    let finding = Finding::wrong(format!(
        "dim {dim}, kmax {kmax}: {} prisoners expected, {} found; {} pixels differ, first ({}, \
         {}): expected {}, got {}",
        count(&want),
        count(got),
        wrong.len(),
        first % n,
        first / n,
        name(want[first]),
        name(got[first])
    ))
    .picture(julia::for_report("your picture", got, dim));
    Err(match hint {
        Some(hint) => finding.hint(hint),
        None => finding,
    })
}

fn prisoners(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let somewhere = View {
        dx: rng.random_range(-0.5..0.5),
        dy: rng.random_range(-0.5..0.5),
        scale: rng.random_range(0.1..1.0),
    };
    let shots = [
        (START, 100, 200),
        (START, 100, 50),
        (START, 100, 10),
        (START, 256, 200),
        (START, 256, 10),
        (START, 1000, 200),
        (somewhere, 128, rng.random_range(20..300)),
    ];
    let pictures = rendered(t, &shots)?;
    for (shot, got) in shots.iter().zip(&pictures) {
        compare(shot, got)?;
    }
    let counts: Vec<_> = shots[..6]
        .iter()
        .zip(&pictures)
        .map(|((_, dim, kmax), p)| {
            format!("{} (dim {dim}, kmax {kmax})", p.iter().filter(|p| **p).count())
        })
        .collect();
    Ok(Evidence::new(format!("prisoners: {}", counts.join(", "))).picture(julia::for_report(
        "Douady's rabbit, 256 x 256",
        &pictures[3],
        256,
    )))
}

fn symmetry(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let dims = [100, 2 * rng.random_range(30..60), 2 * rng.random_range(30..60) + 1];
    let shots = dims.map(|dim| (START, dim, rng.random_range(20..100)));
    for ((_, dim, kmax), got) in shots.iter().zip(rendered(t, &shots)?) {
        let (dim, centre) = (*dim as usize, *dim as usize / 2);
        let any = got.iter().any(|p| *p);
        expect::that(any && !got.iter().all(|p| *p), || {
            format!("dim {dim}, kmax {kmax}: the picture has one colour")
        })?;
        for (x, y) in (0..dim).flat_map(|y| (0..dim).map(move |x| (x, y))) {
            let (mx, my) = ((2 * centre).wrapping_sub(x), (2 * centre).wrapping_sub(y));
            if mx < dim && my < dim && got[x + y * dim] != got[mx + my * dim] {
                let text =
                    format!("dim {dim}, kmax {kmax}: pixel ({x}, {y}) differs from ({mx}, {my})");
                let finding = Finding::wrong(text);
                return Err(if dim % 2 == 1 { finding.hint("e") } else { finding });
            }
        }
    }
    Ok(Evidence::new(format!("point symmetry to the last bit, dim {dims:?}")))
}

fn nan(t: &Trial) -> Outcome {
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e20];
    let points: Vec<(f32, f32)> = odd.iter().flat_map(|&v| [(v, 0.0), (0.0, v), (v, v)]).collect();
    let (x, y): (Vec<_>, Vec<_>) = points.iter().copied().unzip();
    // With few steps there is no time for an accidental escape.
    for kmax in [1, 200] {
        let args = json!({ "x": f32_bits(&x), "y": f32_bits(&y), "kmax": kmax });
        let got: Vec<bool> = trace::list(&t.call("e1_2_01.julia", &args)?, points.len())?;
        for ((x, y), prisoner) in points.iter().zip(got) {
            expect::that(!prisoner, || {
                format!("julia({x}, {y}, {kmax}): expected escapee, got prisoner")
            })
            .map_err(|f| f.hint(if x.is_nan() || y.is_nan() { "C9" } else { "f" }))?;
        }
    }
    // And a function that calls everything an escapee is no better.
    let args = json!({ "x": f32_bits(&[0.0]), "y": f32_bits(&[0.0]), "kmax": 200 });
    let inside: Vec<bool> = trace::value(&t.call("e1_2_01.julia", &args)?)?;
    expect::that(inside == [true], || "julia(0, 0, 200): expected prisoner, got escapee".into())?;
    Ok(Evidence::new(format!("{} points with NaN, infinity and huge numbers escape", points.len())))
}

fn keys(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let dim = 1000;
    let near = View { dx: -0.25, dy: 0.5, scale: 0.3 };
    let random = View {
        dx: rng.random_range(-1.0..1.0),
        dy: rng.random_range(-1.0..1.0),
        scale: rng.random_range(0.01..1.0),
    };
    let mouse = (rng.random_range(0..dim), rng.random_range(0..dim));
    let middle = (dim / 2, dim / 2);
    // View, key, mouse.
    let cases = [
        (START, "Pan", middle),
        (START, "Pan", (0, 500)),
        (START, "Pan", (500, 0)),
        (START, "Pan", (999, 999)),
        (near, "Pan", (250, 100)),
        (random, "Pan", mouse),
        (START, "ZoomIn", middle),
        (View { scale: START.scale * 0.80, ..START }, "ZoomOut", middle),
        (random, "ZoomIn", mouse),
        (random, "ZoomOut", mouse),
        (near, "Reset", (10, 20)),
        (near, "Quit", (10, 20)),
    ];
    let args: Vec<Value> = cases
        .iter()
        .map(|(view, key, mouse)| json!({ "view": view, "key": key, "mouse": mouse, "dim": dim }))
        .collect();
    let reply = t.call("e1_2_01.keys", &json!(args))?;
    let got: Vec<Option<Value>> = trace::list(&reply, cases.len())?;
    for ((v, key, mouse), got) in cases.iter().zip(got) {
        let got = match got {
            Some(bits) => {
                let numbers = f32_from_bits(&bits).map_err(Finding::grader)?;
                Some(trace::counted(&reply, numbers, 3)?)
            }
            None => None,
        };
        let half = (dim / 2) as f32;
        let shift = |m: i32| v.scale * (m as f32 - half) / half;
        let want = match *key {
            "Pan" => Some([v.dx + shift(mouse.0), v.dy - shift(mouse.1), v.scale]),
            "ZoomIn" => Some([v.dx, v.dy, v.scale * 0.8]),
            "ZoomOut" => Some([v.dx, v.dy, v.scale * 1.25]),
            "Reset" => Some([0.0, 0.0, 1.5]),
            _ => None,
        };
        let said = format!(
            "{key} with the mouse at ({}, {}) from ({}, {}), scale {}",
            mouse.0, mouse.1, v.dx, v.dy, v.scale
        );
        let (Some(got), Some(want)) = (&got, &want) else {
            expect::that(got.is_none() && want.is_none(), || {
                format!("{said}: expected {want:?}, got {got:?}")
            })
            .map_err(|f| f.hint("k"))?;
            continue;
        };
        // Two units in the last place of the largest number involved: the order of operations is
        // free.
        let size = want.iter().fold(v.scale, |m, w| m.max(w.abs()));
        let right = |k: usize| (got[k] - want[k]).abs() <= 2.0 * f32::EPSILON * size;
        expect::that((0..3).all(right), || format!("{said}: expected {want:?}, got {got:?}"))
            .map_err(|f| {
                let upside_down =
                    (got[1] - (v.dy + shift(mouse.1))).abs() <= 2.0 * f32::EPSILON * size;
                f.hint(match *key {
                    "Pan" if right(0) && upside_down => "d",
                    "Pan" => "m",
                    _ => "k",
                })
            })?;
    }
    Ok(Evidence::new(format!("{} presses lead where they should", cases.len())))
}

fn odd_dim(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let view = View {
        dx: rng.random_range(-1.0..1.0),
        dy: rng.random_range(-1.0..1.0),
        scale: rng.random_range(0.1..1.5),
    };
    let dim: u32 = 101;
    let mut pixels = vec![(0, 0), (100, 0), (0, 100), (50, 50), (100, 100)];
    pixels.extend((0..20).map(|_| (rng.random_range(0..dim), rng.random_range(0..dim))));
    let args = json!({ "pixels": pixels, "dim": dim, "view": view });
    let reply = t.call("e1_2_01.pixels", &args)?;
    let bits: [Value; 2] = trace::value(&reply)?;
    let [x, y] = [&bits[0], &bits[1]].map(|bits| {
        trace::counted(&reply, f32_from_bits(bits).map_err(Finding::grader)?, pixels.len())
    });
    for (((xw, yw), x), y) in pixels.iter().zip(x?).zip(y?) {
        let want = julia::point(*xw, *yw, dim, &view);
        let near = |a: f32, b: f32| (a - b).abs() <= 4.0 * f32::EPSILON * (view.scale + b.abs());
        let exchanged = julia::point(*yw, *xw, dim, &view);
        let swapped = near(x, exchanged.0) && near(y, exchanged.1);
        expect::that(near(x, want.0) && near(y, want.1), || {
            format!("pixel_to_math({xw}, {yw}) with dim {dim}: expected {want:?}, got ({x}, {y})")
        })
        .map_err(|f| f.hint(if swapped { "c" } else { "e" }))?;
    }
    let shots = [(START, 101, 100), (START, 33, 100)];
    for (shot, got) in shots.iter().zip(rendered(t, &shots)?) {
        compare(shot, &got)?;
    }
    Ok(Evidence::new("dim 101 and 33: every pixel has its point"))
}

fn cli_errors(t: &Trial) -> Outcome {
    let words = |line: &str| -> Vec<String> { line.split('|').map(String::from).collect() };
    // Command line and a part of the error's text.
    let wrong = [
        ("--dim|1", "2..=16384"),
        ("--dim|16385", "2..=16384"),
        ("--kmax|0", "1..=65536"),
        ("--view|0,0,0", "greater than 0"),
        ("--view|0,0,NaN", "greater than 0"),
        ("--dim|100|--keys|p@100,0", "key 1"),
        ("--keys|z z q", "key 3"),
        ("--no-such-option", "--no-such-option"),
    ];
    let scripted = ["--dim|1000|--keys|p@500,300 z z", "--keys|z Z = i I I d Esc z"];
    let lines: Vec<_> = wrong.iter().map(|(l, _)| *l).chain(scripted).map(words).collect();
    let got: Vec<Value> = trace::list(&t.call("e1_2_01.cli", &json!(lines))?, lines.len())?;
    for ((line, part), got) in wrong.iter().zip(&got) {
        let line = line.replace('|', " ");
        let text = got["error"].as_str().unwrap_or("");
        expect::that(got["code"] == 2 && text.contains(part), || {
            format!("julia {line}: expected exit code 2 and an error with `{part}`, got {got}")
        })?;
    }
    let end = |got: &Value| -> Result<(Vec<f32>, Value, Value, Value), Finding> {
        let view = f32_from_bits(&got["view"]).map_err(Finding::grader)?;
        Ok((view, got["kmax"].clone(), got["device"].clone(), got["open"].clone()))
    };
    let (view, ..) = end(&got[wrong.len()])?;
    let want = [0.0, 0.6, 0.96];
    expect::that(view.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6), || {
        format!("julia --keys \"p@500,300 z z\": expected dx, dy, scale = {want:?}, got {view:?}")
    })
    .map_err(|f| f.hint(if view[1] < 0.0 { "d" } else { "k" }))?;
    let (view, kmax, device, open) = end(&got[wrong.len() + 1])?;
    let rest = (&kmax, &device, &open) == (&json!(400), &json!("gpu"), &json!(false));
    expect::that(rest && view == [0.0, 0.0, 1.5], || {
        format!(
            "julia --keys \"z Z = i I I d Esc z\": expected the start view, kmax 400, gpu and the \
             end, got {view:?}, \
             kmax {kmax}, {device}, still running: {open}"
        )
    })
    .map_err(|f| f.hint("k"))?;
    Ok(Evidence::new(format!("{} bad command lines refused, two scripts followed", wrong.len())))
}
