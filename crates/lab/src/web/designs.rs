//! The student's own designs of labs 4 and 5, for the page *Hardware*: their host program hands
//! over the netlists, as it does to the judge.

use std::sync::Arc;

use grading::{Finding, Trial, Work};
use hdl::Block;
use ipcores::fft::{RADIX2_SCHEDULE, RADIX4_SCHEDULE, schedule_word};
use ipcores::fir;
use serde_json::{Value, json};

use crate::course::App;

/// The lab's coefficients: powers of two.
const LAB4: [i64; 8] = [16384, 8192, 4096, 2048, 1024, 512, 256, 128];

/// A design by name: its exercise, what it is, and what the host program is asked for it.
struct Own {
    name: &'static str,
    exercise: &'static str,
    what: &'static str,
    call: &'static str,
    args: fn() -> Value,
    /// Lowest bit of the result, for a filter that is a core and still needs the board's ports.
    core: Option<u32>,
}

const fn own(
    name: &'static str,
    exercise: &'static str,
    what: &'static str,
    call: &'static str,
    args: fn() -> Value,
) -> Own {
    Own { name, exercise, what, call, args, core: None }
}

const fn core(name: &'static str, exercise: &'static str, call: &'static str) -> Own {
    let (what, args) = ("the filter on the board", filter as fn() -> Value);
    Own { name, exercise, what, call, args, core: Some(17) }
}

const OWN: [Own; 15] = [
    own("fpgatop", "4.0", "the example", "e4_0.fpgatop", || json!({})),
    own(
        "fir1",
        "4.1",
        "first version, bits 34..19",
        "e4_1.fir1",
        || json!({ "coefficients": LAB4, "lsb": 19 }),
    ),
    own(
        "fir1_range",
        "4.2",
        "your choice of bits",
        "e4_2.fir1",
        || json!({ "coefficients": LAB4 }),
    ),
    own(
        "fir1_fast",
        "4.3",
        "one word per clock",
        "e4_3.fir1",
        || json!({ "coefficients": LAB4, "lsb": 15, "style": "block" }),
    ),
    own(
        "fir1_lut",
        "4.4",
        "the style of your choice",
        "e4_4.fir1",
        || json!({ "coefficients": LAB4, "lsb": 15 }),
    ),
    own(
        "fir1_var_lut",
        "4.5",
        "variable coefficients",
        "e4_5.fir1",
        || json!({ "lsb": 15, "style": "pipe_lut" }),
    ),
    own("fir1_var", "4.6", "the style of your choice", "e4_6.fir1", || json!({ "lsb": 15 })),
    own("mag16", "5.1", "the magnitude", "e5_1.mag16", || json!({ "pair": 0 })),
    own("delaysel", "5.2", "the delay, 8 clocks", "e5_2.delaysel", || json!({ "sel": 8 })),
    core("fir_systolic", "5.3", "e5_3.systolic"),
    core("fir_transposed", "5.3", "e5_3.transposed"),
    core("fir_da1", "5.4", "e5_4.serial"),
    core("fir_mac", "5.6", "given.mac"),
    own(
        "fft_radix2",
        "5.9",
        "the transform on the board, radix 2",
        "e5_9.top",
        || json!({ "core": "radix2", "schedule": schedule_word(&RADIX2_SCHEDULE) }),
    ),
    own(
        "fft_radix4",
        "5.9",
        "the transform on the board, radix 4",
        "e5_9.top",
        || json!({ "core": "radix4", "schedule": schedule_word(&RADIX4_SCHEDULE) }),
    ),
];

fn filter() -> Value {
    json!({ "coefficients": fir::LAB5, "data_bits": 16, "coefficient_bits": 16 })
}

/// The list for the page.
pub(super) fn list() -> Value {
    let one = |own: &Own| {
        let what = format!("{} {}", own.exercise, own.what);
        json!({ "name": own.name, "what": what, "own": true })
    };
    OWN.iter().map(one).collect()
}

/// A question about one of the student's designs as one about its netlist; any other question as it
/// is.
///
/// # Errors
/// What the compiler or the builder says of the student's files.
pub(super) fn resolve(app: &App, mut question: Value) -> Result<Value, String> {
    let Some(name) = question["design"]["own"].as_str() else { return Ok(question) };
    let own = OWN.iter().find(|own| own.name == name);
    let own = own.ok_or_else(|| format!("there is no design {name} here"))?;
    let block = build(app, own).map_err(|f| format!("{}\n{}", f.message, f.details))?;
    question["design"] = json!({ "netlist": block });
    Ok(question)
}

fn build(app: &App, own: &Own) -> Result<Block, Finding> {
    let number = &own.exercise[..1];
    let lab = app.labs.iter().find(|lab| lab.id.ends_with(number));
    let found = lab.and_then(|lab| Some((lab, lab.exercise(own.exercise)?)));
    let Some((lab, exercise)) = found else {
        return Err(Finding::wrong(format!("exercise {} is not here", own.exercise)));
    };
    let work = Work { host: Arc::new(app.place.own_host(lab)), ..app.place.own_work(lab) };
    let trial = Trial::new(lab, exercise, "design", &work, 1);
    let block = trial.design(own.call, &(own.args)())?;
    let Some(lsb) = own.core else { return Ok(block) };
    fir::top(&block, lsb).map_err(|mistakes| Finding::wrong(mistakes.to_string()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use grading::Place;
    use grading::report::Paint;

    use super::*;
    use crate::course::LABS;

    #[test]
    fn own_designs_belong_to_exercises() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let app = App { place: Place::at(root), labs: LABS.to_vec(), paint: Paint(false) };
        for own in &OWN {
            let lab = app.labs.iter().find(|lab| lab.id.ends_with(&own.exercise[..1])).unwrap();
            assert!(lab.exercise(own.exercise).is_some(), "{}", own.name);
        }
        let said = resolve(&app, json!({ "design": { "own": "../x" } })).unwrap_err();
        assert!(said.contains("there is no design"), "{said}");
        let other = json!({ "op": "designs" });
        assert_eq!(resolve(&app, other.clone()).unwrap(), other);
    }
}
