//! The judge without its command line: stage of the sandbox, worker, and, as `course-judge ROOT
//! TARGET SUBMISSIONS RESULTS SECONDS EXERCISE...`, a batch of lab 1 as `cargo lab grade
//! --submissions` does it, for tests that kill it or start it as another user. It prints the
//! records as JSON.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use grading::submission::{Batch, Guard, Record, find};
use grading::{Lab, Place};

/// The labs whose submissions the tests grade.
const LABS: &[Lab] = &[
    lab1_checks::LAB,
    lab2_checks::LAB,
    lab3_checks::LAB,
    lab4_checks::LAB,
    lab5_checks::LAB,
    lab6_checks::LAB,
];

fn main() -> ExitCode {
    grading::boxed::stage_if_asked(cuda_driver::judge::serve_socket);
    grading::worker::work_if_asked(LABS);
    match judge() {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn judge() -> Result<String, String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [root, target, submissions, results, seconds, keys @ ..] = words.as_slice() else {
        return Err("this program is a part of the tests of the judge".into());
    };
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    let chosen = keys.iter().filter_map(|key| LABS[0].exercise(key).copied());
    let lab = Lab { exercises: Vec::leak(chosen.collect()), ..LABS[0] };
    let seconds = seconds.parse().map_err(|_| "SECONDS")?;
    let batch = Batch {
        place: &Place { target: target.into(), ..Place::at(root) },
        lab: &lab,
        results: results.into(),
        seed: 11,
        again: false,
        jobs: 0,
        guard: Guard::probe(&this),
        worker: Some(this.clone()),
        time: Duration::from_secs(seconds),
    };
    let found = find(Path::new(submissions), LABS)?;
    let done = batch.run(&found.submissions, |_, _| {})?;
    let records: Vec<Record> = done.into_iter().map(|done| done.record).collect();
    serde_json::to_string(&records).map_err(|e| e.to_string())
}
