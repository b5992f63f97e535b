//! What the checks of several exercises have in common: source words, runs on the board, and why a
//! result is wrong.

use grading::{About, Answers, Evidence, Finding, Outcome, design, expect};
use hdl::Block;
use hdl::board::{Run, WORDS};
use hdl::estimate::{Count, Device, Estimate, Multipliers, RIMLAB00};
use rand::{Rng, RngExt};

use crate::model::{TAPS, fir, fir_rounded, fir_unsigned, numbers};

/// The hint for a design that the builder does not take.
pub const REFUSED: (&str, &str) = (
    "design",
    "each mistake names the signal and the line of your file, and says what to do; begin with the \
     first, others may follow from it",
);

/// The hints for results that are rounded, that miss the first one, and that miss the first word.
pub const CUT: (&str, &str) =
    ("cut", "the result is 16 bits of the total as they are: nothing is added to round it");
pub const LOST: (&str, &str) = (
    "lost",
    "the first result is missing: RESULT_WR rises a clock after it, and must be high in the clock \
     in which the sum of word 0 is there",
);
pub const SKIPPED: (&str, &str) = (
    "skipped",
    "word 0 never arrives: SRC_RD was high before it was taken. Registers start at 0 unless `init` \
     says otherwise",
);

/// Gives the builder's refusals that hint.
pub fn refused(finding: Finding) -> Finding {
    match finding.about {
        About::RefusedDesign => finding.or_hint("design"),
        _ => finding,
    }
}

/// Random source words: full range, with runs of the extremes, which find sums that are too narrow.
pub fn random_words(rng: &mut impl Rng) -> Vec<i16> {
    let mut words: Vec<i16> = (0..WORDS).map(|_| rng.random()).collect();
    for (from, value) in [(100, i16::MIN), (150, i16::MAX), (200, -1), (250, 0)] {
        words[from..from + 12].fill(value);
    }
    words
}

/// Full height at every 16th word, and at the first twenty: the impulse response, and the step.
pub fn impulses_and_step() -> (Vec<i16>, Vec<i16>) {
    let words = |x: Vec<f64>| x.into_iter().map(|v| v as i16).collect();
    let impulses = hdl::stimulus::pulses(WORDS, 16, 32767.0);
    (words(impulses), words(hdl::stimulus::step(WORDS, 0..20, 32767.0)))
}

/// The student's own height of a word: answers that tell it, that word alone, and a step of eight.
pub fn own_words(a: Answers) -> Result<(Answers, [i16; TAPS], [i16; TAPS]), Finding> {
    let height = a.own()?.random_range(20_000..32_000);
    let mut alone = [0; TAPS];
    alone[0] = height;
    Ok((a.about(format!("H = {height}")), alone, [height; TAPS]))
}

/// Runs a fresh board with `words`.
pub fn run(block: &Block, words: &[i16]) -> Result<Run, Finding> {
    design::run(&mut design::board(block)?, &numbers(words))
}

/// Runs a fresh board, and counts the clocks from the first word on SRC_DATA to the first result.
pub fn run_and_delay(block: &Block, x: &[f64]) -> Result<(Run, Option<u64>), Finding> {
    let mut first = None;
    let done = design::board(block)?
        .run_watched(x, |sim| {
            if first.is_none() && sim.get("RESULT_WR") == Ok(1) {
                first = Some(sim.cycles());
            }
        })
        .map_err(|e| Finding::grader(e.to_string()))?;
    // The first word stands on SRC_DATA in the clock after the start pulse.
    Ok((done, first.map(|clock| clock - 1)))
}

/// Slices that the design takes of the laboratory's chip.
pub fn slices(block: &Block) -> u32 {
    Estimate::new(block, &Device::XC3S700A, Multipliers::Blocks).slices
}

/// The table that has a column for each number of a design.
pub const TABLE: (&str, &str) = (
    "table",
    "`cargo lab study lab4` has a row for each design that is there, with delay, slices and LUTs",
);

/// The result of a filter must be the model's, word by word; a known mistake names its hint.
pub fn filtered(what: &str, got: &[i16], words: &[i16], b: &[i64; TAPS], lsb: u32) -> Outcome {
    let want = fir(words, b, lsb);
    expect::eq(what, got, &want).map_err(|finding| match mistake(got, words, b, lsb) {
        Some(hint) => finding.hint(hint),
        None => finding.hint("x"),
    })
}

/// The mistake that would make exactly this result.
fn mistake(got: &[i16], words: &[i16], b: &[i64; TAPS], lsb: u32) -> Option<&'static str> {
    let want = fir(words, b, lsb);
    if got[1..] == want[..WORDS - 1] {
        return Some("late");
    }
    if got[..WORDS - 1] == want[1..] {
        return Some("lost");
    }
    if got[..WORDS - 1] == fir(&words[1..], b, lsb) {
        return Some("skipped");
    }
    if (0..20).any(|other| other != lsb && got == fir(words, b, other)) {
        return Some("slice");
    }
    if lsb > 0 && got == fir_rounded(words, b, lsb) {
        return Some("cut");
    }
    if got == fir_unsigned(words, b, lsb) {
        return Some("sign");
    }
    let mut reversed = *b;
    reversed.reverse();
    if got == fir(words, &reversed, lsb) {
        return Some("order");
    }
    // The first word is in the delay line before the run begins.
    let before: Vec<i16> = [words[0]].into_iter().chain(words.iter().copied()).collect();
    if *got == fir(&before, b, lsb)[1..] {
        return Some("twice");
    }
    // The line moves in each of a word's three clocks; what it held before the first word does not
    // matter.
    let tripled: Vec<i16> = words.iter().flat_map(|w| [*w; 3]).collect();
    let all = fir(&tripled, b, lsb);
    let thirds = (0..3).map(|phase| all.iter().skip(phase).step_by(3).skip(TAPS));
    if thirds.into_iter().any(|third| got[TAPS..].iter().eq(third)) {
        return Some("twice");
    }
    // Words that the source went past unseen.
    let sparse: Vec<i16> = (0..WORDS).map(|n| words.get(3 * n).copied().unwrap_or(0)).collect();
    if got == fir(&sparse, b, lsb) {
        return Some("read");
    }
    None
}

/// What the design takes of the laboratory's chip.
pub fn cost(block: &Block) -> Count {
    Estimate::new(block, &Device::XC3S700A, Multipliers::Blocks).total
}

/// The parts of a chip, as answers name them.
pub const PARTS: [&str; 4] = ["LUTs", "flip-flops", "multiplier blocks", "block RAM"];

/// How often a design fits beside the communication block, and what ends first.
pub fn fits(count: Count) -> (u32, &'static str) {
    count.fits(&Device::XC3S700A, RIMLAB00)
}

/// The lines of several pieces of evidence together.
pub fn both(a: Evidence, b: Evidence) -> Outcome {
    Ok(a.and(b))
}
