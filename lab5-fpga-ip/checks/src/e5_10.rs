//! Checks of exercise 5.10: the tables.

use grading::{Check, Evidence, Exercise, Outcome, Trial, expect};

use crate::study;

const ANSWERS: &str = "answers/e5_10.toml";

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.10",
    key: "e5_10",
    title: "The tables",
    points: 3,
    files: &[ANSWERS],
    todo: "Run `cargo lab study lab5` and answer answers/e5_10.toml from its tables.",
    hints: &[
        ("luts", "look at the column LUT of the filters"),
        ("rate", "samples per second: the clock rate divided by the clocks per sample"),
        ("fft", "busy clocks and multiplier blocks, line by line"),
        ("fit", "the chip has 20 multiplier blocks"),
    ],
    checks: &[Check { name: "answers", what: "what the tables say", weight: 1, run: answers }],
};

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let filters = study::filters(t)?;
    let transforms = study::transforms(t)?;
    let least = filters.iter().filter(|f| f.count.multipliers == 0).min_by_key(|f| f.count.luts);
    let most = filters.iter().map(|f| f.rate()).fold(0.0, f64::max);
    let answer = a.text("smallest_without_multipliers")?;
    expect::that(least.is_some_and(|f| f.name == answer), || {
        format!("smallest_without_multipliers: {answer} is not what the table says")
    })
    .map_err(|f| f.hint("luts"))?;
    // Any of those that share the first place.
    let answer = a.text("most_samples_per_second")?;
    let first = filters.iter().any(|f| f.name == answer && f.rate() >= 0.99 * most);
    expect::that(first, || format!("most_samples_per_second: {answer} is not what the table says"))
        .map_err(|f| f.hint("rate"))?;
    let of = |name: &str| transforms.iter().find(|f| f.name == name);
    if let (Some(r4), Some(r2), Some(lite)) = (of("radix4"), of("radix2"), of("lite")) {
        a.is_near("radix2_to_radix4_clocks", r2.busy as f64 / r4.busy as f64, 0.06, "fft")?;
        a.is_int("multipliers_lite", lite.count.multipliers.into(), "fft")?;
    }
    let chip = &hdl::estimate::Device::XC3S700A;
    let not = transforms.iter().filter(|f| f.count.fits(chip, hdl::estimate::RIMLAB00).0 == 0);
    let want: Vec<&str> = not.map(|f| f.name).collect();
    let answer = a.text("does_not_fit")?;
    expect::that(want == [answer.as_str()], || {
        format!("does_not_fit: {answer} is not what the table says")
    })
    .map_err(|f| f.hint("fit"))?;
    study::relations(&filters, &transforms)?;
    Ok(Evidence::new("the tables are complete, and their order is that of the theory"))
}
