//! Checks of exercise 5.1: the magnitude.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, design, expect};
use hdl::estimate::{Device, Estimate, Multipliers};
use hdl::inspect::Kind;
use hdl::{Block, Simulator, signed};
use ipcores::magnitude::{PAIRS, Pair};
use rand::RngExt;
use serde_json::{Value, json};

const ANSWERS: &str = "answers/e5_1.toml";

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.1",
    key: "e5_1",
    title: "Magnitude without a root",
    points: 10,
    files: &["src/e5_1.rs", ANSWERS],
    todo: "Predict in answers/e5_1.toml, then write mag16 in src/e5_1.rs and choose PAIR and \
        LATENCY.",
    hints: &[
        ("abs", "|-32768| is 32768: 16 bits hold it without a sign"),
        ("once", "add first, then shift once: two shifts cut off twice"),
        ("cut", "the sum is cut off by the shift: nothing is added to round it"),
        (
            "stage",
            "for a value that stands still the result is right: in some stage one of two values \
             goes through a register and the other does not",
        ),
        (
            "stages",
            "a register behind each of: magnitudes, larger and smaller, shifts and sums, limit; in \
             the third one subtraction at most for each factor, as in 15 A = (A << 4) - A",
        ),
        ("limit", "the sum may exceed 32767, the largest word of the board: hold it there"),
        ("order", "alpha belongs to the larger of both parts"),
        ("formula", "work through one pair of numbers by hand: (alpha max + beta min) >> shift"),
        ("latency", "count the registers on the way; LATENCY must say the same"),
        ("mult", "15 A is (A << 4) - A: shifts and one subtraction, no `*`"),
        ("pair", "look for the least of the largest errors, either sign, in the handout's table"),
        (
            "numbers",
            "both parts are 32768 there; the error in dB is 20 log10 of alpha cos + beta sin, \
             worst at 0, at 45 degrees, or where tan = beta/alpha",
        ),
    ],
    checks: &[
        Check { name: "answers", what: "which pair, and why", weight: 2, run: answers },
        Check {
            name: "formula",
            what: "every bit by shifts and sums, for all four pairs",
            weight: 2,
            run: formula,
        },
        Check {
            name: "pipeline",
            what: "one result per clock, in the declared clock",
            weight: 3,
            run: pipeline,
        },
        Check { name: "cost", what: "no multiplier", weight: 1, run: cost },
    ],
};

struct Mag {
    block: Block,
    latency: u64,
    chosen: String,
}

fn mag16(t: &Trial, pair: usize) -> Result<Mag, Finding> {
    let (block, value) = t.design_and("e5_1.mag16", &json!({ "pair": pair }))?;
    let inputs = [("in_i", signed(16)), ("in_q", signed(16))];
    design::ports(&block, &inputs, &[("mag_out", signed(16))])?;
    let latency = value.get("latency").and_then(Value::as_u64).unwrap_or(0);
    let chosen = value.get("chosen").and_then(Value::as_str).unwrap_or_default().to_string();
    Ok(Mag { block, latency, chosen })
}

/// `mag_out` in the clocks 0, 1, ... while the values are offered one per clock, and `more` clocks
/// with zeros behind them.
fn outputs(block: &Block, values: &[(i16, i16)], more: usize) -> Result<Vec<i64>, Finding> {
    let mut sim = Simulator::new(block);
    let grader = |e: hdl::UseError| Finding::grader(e.to_string());
    let (i, q) = (sim.input("in_i").map_err(grader)?, sim.input("in_q").map_err(grader)?);
    let out = sim.signal("mag_out").map_err(grader)?;
    let mut y = Vec::new();
    for n in 0..values.len() + more {
        let (vi, vq) = values.get(n).copied().unwrap_or((0, 0));
        sim.poke(i, vi.into());
        sim.poke(q, vq.into());
        y.push(sim.peek(out));
        sim.step();
    }
    Ok(y)
}

/// Clocks that a lone value takes to its magnitude; `None` if there is no output of 64 clocks that
/// is not 0.
fn measured(block: &Block) -> Result<Option<u64>, Finding> {
    let y = outputs(block, &[(20000, 0)], 64)?;
    Ok(y.iter().position(|v| *v != 0).map(|n| n as u64))
}

/// That a value which stands still has the magnitude of this pair: no other check is worth anything
/// for a module that does something else.
fn right_at_rest(mag: &Mag, pair: Pair) -> Result<(), Finding> {
    let value = (20000, 8000);
    let still = outputs(&mag.block, &[value; 32], 0)?[31];
    let want = pair.reference(value.0, value.1);
    expect::that(still == want, || {
        format!("pair {}: mag_out of {value:?} is {still}, not {want}", pair.name)
    })
    .map_err(|f| f.hint("formula"))
}

fn values(t: &Trial) -> Vec<(i16, i16)> {
    let mut rng = t.rng();
    let mut values =
        vec![(3, 4), (-32768, 0), (0, -32768), (-32768, -32768), (32767, -32767), (1, -1)];
    values.extend((0..300).map(|_| (rng.random(), rng.random())));
    values.extend((0..100).map(|_| (rng.random_range(-40..40), rng.random_range(-40..40))));
    values
}

/// The magnitude, wrongly rounded.
fn rounded(pair: Pair, (i, q): (i16, i16)) -> i64 {
    let (i, q) = (i64::from(i).abs(), i64::from(q).abs());
    let sum = i64::from(pair.alpha) * i.max(q) + i64::from(pair.beta) * i.min(q);
    ((sum + (1 << (pair.shift - 1))) >> pair.shift).min(32767)
}

/// The mistake that would make this result.
fn mistake(pair: Pair, (i, q): (i16, i16), got: i64) -> &'static str {
    let (a, b) = (i64::from(i).abs(), i64::from(q).abs());
    let (large, small) = (a.max(b), a.min(b));
    let (alpha, beta) = (i64::from(pair.alpha), i64::from(pair.beta));
    let limit = |v: i64| v.min(32767);
    if got == limit(((alpha * large) >> pair.shift) + ((beta * small) >> pair.shift)) {
        return "once";
    }
    let exact = (alpha * large + beta * small) >> pair.shift;
    if exact > 32767 && got == i64::from(exact as i16) {
        return "limit";
    }
    if large != small && got == limit((alpha * small + beta * large) >> pair.shift) {
        return "order";
    }
    if i == i16::MIN || q == i16::MIN {
        return "abs";
    }
    "formula"
}

fn formula(t: &Trial) -> Outcome {
    let values = values(t);
    for (n, pair) in PAIRS.into_iter().enumerate() {
        let mag = mag16(t, n)?;
        // Whatever is declared: this check looks at the numbers only.
        let latency = measured(&mag.block)?.unwrap_or(0) as usize;
        let got = outputs(&mag.block, &values, latency)?.split_off(latency);
        let want: Vec<i64> = values.iter().map(|&(i, q)| pair.reference(i, q)).collect();
        let first = (0..want.len()).find(|&k| got[k] != want[k]).unwrap_or(0);
        let still = outputs(&mag.block, &[values[first]; 32], 0)?[31];
        expect::eq(&format!("mag_out, pair {}", pair.name), &got, &want).map_err(|f| {
            let hint = match () {
                () if still == want[first] => "stage",
                () if got.iter().zip(&values).all(|(&y, &v)| y == rounded(pair, v)) => "cut",
                () => mistake(pair, values[first], got[first]),
            };
            f.hint(hint).details(format!("first: in_i, in_q = {:?}", values[first]))
        })?;
        shifts_and_sums(&mag, pair)?;
    }
    Ok(Evidence::new(format!(
        "{} pairs of numbers for each of four pairs of factors",
        values.len()
    )))
}

/// Stages of the pipeline.
const STAGES: u64 = 4;

/// LUTs and adders in a row that a stage may have: a comparison and a choice, or two additions.
const DEPTH: u32 = 4;

fn pipeline(t: &Trial) -> Outcome {
    for (n, pair) in PAIRS.into_iter().enumerate() {
        right_at_rest(&mag16(t, n)?, pair)?;
    }
    let mag = mag16(t, 3)?;
    let latency = measured(&mag.block)?;
    expect::that(latency == Some(mag.latency) && mag.latency > 0, || {
        format!("LATENCY is {}, counted {latency:?} clocks", mag.latency)
    })
    .map_err(|f| f.hint("latency"))?;
    expect::that(mag.latency == STAGES, || {
        format!(
            "{STAGES} stages with a register behind each are asked for, LATENCY is {}",
            mag.latency
        )
    })
    .map_err(|f| f.hint("stages"))?;
    let e = Estimate::new(&mag.block, &Device::XC3S700A, Multipliers::Blocks);
    expect::that(e.depth <= DEPTH, || {
        format!(
            "between two registers lie {} LUTs and adders in a row, at most {DEPTH} in four stages",
            e.depth
        )
    })
    .map_err(|f| f.hint("stages"))?;
    Ok(Evidence::new(format!("{} clocks, about {:.0} MHz", mag.latency, e.mhz)))
}

/// That the magnitude has additions and no multiplication.
fn shifts_and_sums(mag: &Mag, pair: Pair) -> Result<(), Finding> {
    let count = |kind| mag.block.operations().iter().filter(|o| o.kind == kind).count();
    let (products, sums) = (count(Kind::Product), count(Kind::Sum));
    expect::that(products == 0 && sums > 0, || {
        format!("pair {}: {products} multiplications and {sums} additions", pair.name)
    })
    .map_err(|f| f.hint("mult"))
}

fn cost(t: &Trial) -> Outcome {
    let mut evidence = Evidence::default();
    for (n, pair) in PAIRS.into_iter().enumerate() {
        let mag = mag16(t, n)?;
        right_at_rest(&mag, pair)?;
        shifts_and_sums(&mag, pair)?;
        let e = Estimate::new(&mag.block, &Device::XC3S700A, Multipliers::Blocks);
        evidence = evidence.line(format!("{}: about {} LUTs", pair.name, e.total.luts));
    }
    Ok(evidence)
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let worst = |p: &Pair| -> f64 {
        (0..3600).map(|n| p.error_at(f64::from(n) * 1e-3).abs()).fold(0.0, f64::max)
    };
    let mut rng = a.own()?;
    let own = Pair {
        name: "",
        alpha: rng.random_range(27..33),
        beta: rng.random_range(9..19),
        shift: 5,
        error_db: (0.0, 0.0),
    };
    let (alpha, beta) = (own.alpha, own.beta);
    let a = a.about(format!("factors {alpha}/32 and {beta}/32"));
    let best = PAIRS.iter().min_by(|p, q| worst(p).total_cmp(&worst(q)));
    let best = best.ok_or_else(|| Finding::grader("no pairs"))?;
    a.is_among("best_pair", &PAIRS.map(|pair| pair.name))?;
    a.choices(&[("best_pair", best.name)], "pair")?;
    a.is_near("worst_error_db", worst(&own), 0.02, "numbers")?;
    a.is_int("largest_sum", i64::from(alpha + beta) * 32768 / 32, "numbers")?;
    let chosen = mag16(t, 3)?.chosen;
    expect::that(PAIRS.iter().any(|p| p.name == chosen), || {
        format!("PAIR {chosen} is none of the four")
    })?;
    Ok(Evidence::new(format!(
        "{} has the least of the largest errors, {:.2} dB; chosen: {chosen}",
        best.name,
        worst(best)
    )))
}
