//! Checks of exercise 5.10: the tables.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial};

use rand::RngExt;

use crate::study;

const ANSWERS: &str = "answers/e5_10.toml";

/// Filters of which a student has one.
const OWN: [&str; 7] = ["systolic", "transposed", "da1", "da2", "da4", "da8", "mac"];

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
        ("own", "the line of your filter, column LUT"),
        ("rate", "samples per second: the clock rate divided by the clocks per sample"),
        (
            "startup",
            "clocks of the run less 1024 times the clocks per sample; the latency has a column of \
             its own",
        ),
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
    let filter = |name: &str| {
        let found = filters.iter().find(|f| f.name == name);
        found.ok_or_else(|| Finding::grader(format!("no filter {name}")))
    };
    let (serial, parallel) = (filter("da1")?, filter("da16")?);
    let own = filter(OWN[a.own()?.random_range(0..OWN.len())])?;
    let a = a.about(format!("filter {}", own.name));
    let start = own.cycles as i64 - 1024 * i64::from(own.period);
    a.is_int("startup", start, "startup")?;
    a.is_int("luts", own.count.luts.into(), "own")?;
    let growth = f64::from(parallel.count.luts) / f64::from(serial.count.luts);
    a.is_near("growth_of_luts", growth, 0.06, "luts")?;
    let earlier = i64::from(filter("systolic")?.latency) - i64::from(filter("transposed")?.latency);
    a.is_int("transposed_earlier", earlier, "startup")?;
    let smallest = a.text("smallest_without_multipliers")?;
    let fastest = a.text("most_samples_per_second")?;
    let too_large = a.text("does_not_fit")?;
    let of = |name: &str| transforms.iter().find(|f| f.name == name);
    if let (Some(r4), Some(r2), Some(lite)) = (of("radix4"), of("radix2"), of("lite")) {
        a.is_near("radix2_to_radix4_clocks", r2.busy as f64 / r4.busy as f64, 0.06, "fft")?;
        a.is_int("multipliers_lite", lite.count.multipliers.into(), "fft")?;
        a.is_near("clocks_per_bin", r4.total as f64 / 1024.0, 0.006, "fft")?;
    }
    let chip = &hdl::estimate::Device::XC3S700A;
    let not = transforms.iter().filter(|f| f.count.fits(chip, hdl::estimate::RIMLAB00).0 == 0);
    let want: Vec<&str> = not.map(|f| f.name).collect();
    // Of the first place any of those that share it.
    let wrong = [
        ("luts", least.is_none_or(|f| f.name != smallest)),
        ("rate", !filters.iter().any(|f| f.name == fastest && f.rate() >= 0.99 * most)),
        ("fit", want != [too_large.as_str()]),
    ];
    if let Some((hint, _)) = wrong.into_iter().find(|(_, wrong)| *wrong) {
        let text = format!("{ANSWERS}: not all names of filters and transforms are right");
        return Err(Finding::wrong(text).hint(hint));
    }
    study::relations(&filters, &transforms)?;
    Ok(Evidence::new("the tables are complete, and their order is that of the theory"))
}
