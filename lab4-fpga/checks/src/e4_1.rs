//! Checks of exercise 4.1: the first version of `fir1`.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, design, expect};
use hdl::inspect::Kind;
use hdl::{Block, bit, signed};
use serde_json::json;

use crate::model::{LAB4, TAPS, fir, numbers};
use crate::rig;

const ANSWERS: &str = "answers/e4_1.toml";

/// Lowest bit of the result in this exercise: bits 34..19 of the total.
const LSB: u32 = 19;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L4-4.1",
    key: "e4_1",
    title: "fir1, first version",
    points: 25,
    files: &["src/e4_1.rs", ANSWERS],
    todo: "Write sum_of_products and the state machine of fir1 in src/e4_1.rs, beginning with \
        src/fpgatop.rs.",
    hints: &[
        (
            "ports",
            "the board's ports and no other: START_PROC, SRC_DATA in; RESULT_DATA, SRC_RD, \
             RESULT_WR, PROC_WORKING out",
        ),
        rig::REFUSED,
        rig::TABLE,
        (
            "mult",
            "each product is an instance of the block `mult`, eight in all, no `*` of your own: \
             m.instance(\"u_mult1\", mult).connect(\"a\", x[0]).connect(\"b\", b[0]).out(\"p\")",
        ),
        (
            "tree",
            "extend both sides by one bit before each addition: pairs 33, quads 34, total 35 bits",
        ),
        ("slice", "the result is total.slice(lsb + 15, lsb)"),
        rig::CUT,
        rig::LOST,
        rig::SKIPPED,
        (
            "sign",
            "products are signed: `extend` of a signed value copies the sign; zeros in its place \
             make negative ones large",
        ),
        (
            "late",
            "the products of a word are there two clocks after RD_DAT: a register behind the slice \
             comes one word late",
        ),
        ("order", "x1 is the newest sample and goes with b1"),
        ("twice", "the delay line takes the word in RD_DAT and only there"),
        (
            "read",
            "SRC_RD is high in one of the three clocks only, and the delay line moves with it",
        ),
        ("end", "the last word is that with cnt_data = 1023"),
        ("x", "compare with y[n] = b1 x[n] + b2 x[n-1] + ... + b8 x[n-7] by hand for one impulse"),
        ("sum", "eight products need seven additions"),
        ("amplitude", "floor(b1 * H / 2^19), and the same with the sum of all eight coefficients"),
        ("largest", "the largest is negative: -32768 times the sum of the coefficients"),
    ],
    checks: &[
        Check {
            name: "structure",
            what: "ports, multipliers and the adder tree",
            weight: 8,
            run: structure,
        },
        Check { name: "amplitudes", what: "impulse response and step", weight: 3, run: amplitudes },
        Check {
            name: "random",
            what: "random words and coefficients, bit by bit",
            weight: 3,
            run: random,
        },
        Check {
            name: "cycles",
            what: "three clocks per word, twice in a row",
            weight: 1,
            run: cycles,
        },
        Check {
            name: "answers",
            what: "operations, amplitudes and blocks",
            weight: 5,
            run: answers,
        },
    ],
};

fn fir1(t: &Trial, b: &[i64; TAPS], lsb: u32) -> Result<Block, Finding> {
    t.design("e4_1.fir1", &json!({ "coefficients": b, "lsb": lsb })).map_err(rig::refused)
}

/// The ports of every filter of this lab.
pub fn ports(block: &Block) -> Result<(), Finding> {
    let inputs = [("START_PROC", bit()), ("SRC_DATA", signed(16))];
    let outputs = [
        ("RESULT_DATA", signed(16)),
        ("SRC_RD", bit()),
        ("RESULT_WR", bit()),
        ("PROC_WORKING", bit()),
    ];
    design::ports(block, &inputs, &outputs).map_err(|f| f.hint("ports"))
}

/// Eight instances of the given multiplier, no other product, and sums of 33, 34 and 35 bits.
pub fn datapath(block: &Block) -> Result<(), Finding> {
    let operations = block.operations();
    let products = operations.iter().filter(|o| o.kind == Kind::Product);
    let right = |widths: &[u32]| widths == [16, 16];
    let given = block.instances().iter().filter(|(_, of)| of == "mult16x16").count();
    let of_words = products
        .clone()
        .filter(|o| right(&o.operands.iter().map(|t| t.width).collect::<Vec<_>>()))
        .count();
    expect::that(given == TAPS && of_words == TAPS && products.count() == TAPS, || {
        format!(
            "expected {TAPS} instances of mult16x16 and no other product, found {given} \
             instances and {of_words} products"
        )
    })
    .map_err(|f| f.hint("mult"))?;
    let (signed, unsigned): (Vec<_>, Vec<_>) =
        operations.iter().filter(|o| o.kind == Kind::Sum).partition(|o| o.ty.signed);
    // A counter is unsigned, and narrower than a product.
    expect::that(unsigned.iter().all(|o| o.ty.width < 32), || {
        "the adder tree: sums of products are signed, found unsigned ones".into()
    })
    .map_err(|f| f.hint("sign"))?;
    let mut widths: Vec<u32> = signed.iter().map(|o| o.ty.width).collect();
    widths.sort_unstable();
    expect::that(widths == [33, 33, 33, 33, 34, 34, 35], || {
        format!(
            "the adder tree: expected sums of 33, 33, 33, 33, 34, 34 and 35 bits, found {widths:?}"
        )
    })
    .map_err(|f| f.hint("tree"))
}

fn structure(t: &Trial) -> Outcome {
    let block = fir1(t, &LAB4, LSB)?;
    ports(&block)?;
    datapath(&block)?;
    Ok(Evidence::new("8 mult16x16, sums of 33, 34 and 35 bits").drawing(hdl::timing(
        &block,
        &impulse(),
        14,
    )))
}

fn impulse() -> Vec<f64> {
    hdl::stimulus::pulses(64, 16, 32767.0)
}

/// Impulse response and step with the lab's coefficients from bit `lsb` up.
pub fn shapes(block: &Block, lsb: u32) -> Outcome {
    let (impulses, step) = rig::impulses_and_step();
    let y = rig::run(block, &impulses)?.y;
    rig::filtered("impulse", &y, &impulses, &LAB4, lsb)?;
    let s = rig::run(block, &step)?.y;
    rig::filtered("step", &s, &step, &LAB4, lsb)?;
    Ok(Evidence::new(format!("impulse response {:?}, step {}", &y[..TAPS], s[TAPS])))
}

fn amplitudes(t: &Trial) -> Outcome {
    shapes(&fir1(t, &LAB4, LSB)?, LSB)
}

fn random(t: &Trial) -> Outcome {
    use rand::RngExt;
    let mut rng = t.rng();
    let words = rig::random_words(&mut rng);
    let y = rig::run(&fir1(t, &LAB4, LSB)?, &words)?.y;
    let seen = rig::filtered("y", &y, &words, &LAB4, LSB)?;
    let b: [i64; TAPS] = std::array::from_fn(|_| rng.random::<i16>().into());
    let lsb = rng.random_range(14..19);
    let y = rig::run(&fir1(t, &b, lsb)?, &words)?.y;
    rig::both(
        seen,
        rig::filtered(&format!("y with b = {b:?}, bits {lsb} up"), &y, &words, &b, lsb)?,
    )
}

fn cycles(t: &Trial) -> Outcome {
    let block = fir1(t, &LAB4, LSB)?;
    let mut fpga = design::board(&block)?;
    for which in ["first", "second"] {
        let run = design::run(&mut fpga, &impulse()).map_err(|f| f.hint("end"))?;
        expect::that(run.cycles == 3 * 1024 + 1, || {
            format!("{which} run: expected 3073 cycles, counted {}", run.cycles)
        })
        .map_err(|f| f.hint("read"))?;
    }
    Ok(Evidence::new("3073 cycles, 3 per word, twice in a row"))
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let (a, impulse, step) = rig::own_words(a)?;
    a.is_int("multiplications", 8, "sum")?;
    a.is_int("additions", 7, "sum")?;
    a.is_int("impulse", fir(&impulse, &LAB4, LSB)[0].into(), "amplitude")?;
    a.is_int("step", fir(&step, &LAB4, LSB)[TAPS - 1].into(), "amplitude")?;
    let lowest = fir(&[i16::MIN; TAPS], &LAB4, LSB)[TAPS - 1];
    a.is_int("largest", lowest.unsigned_abs().into(), "largest")?;
    a.is_int("cycles_per_word", 3, "read")?;
    a.is_int("multiplier_blocks", 8, "mult")?;
    let block = fir1(t, &LAB4, LSB)?;
    let (_, delay) = rig::run_and_delay(&block, &numbers(&impulse))?;
    let delay = delay.ok_or_else(|| Finding::wrong("fir1 has no result").hint("lost"))?;
    a.is_int("delay", delay as i64, "table")?;
    a.is_int("slices", rig::slices(&block).into(), "table")?;
    Ok(Evidence::new("the numbers are right"))
}
