//! Checks of exercise 1.1.9: profiling.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect, trace};
use rand::RngExt;
use serde_json::{Value, json};
use simt::report::LaunchReport;
use wire::f64_from_bits;

use crate::model;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.9",
    key: "e1_1_09",
    title: "Profiling",
    points: 6,
    files: &["src/e1_1_09.rs", ANSWERS],
    todo: "Write efficiency in src/e1_1_09.rs, profile the vector addition, and fill in \
        answers/e1_1_09.toml.",
    hints: &[
        ("c", "switch the prints off before profiling"),
        ("b", "loads and stores are separate counters: only gld counts"),
        ("a", "a request moves whole sectors, not 128 bytes: use gld.sec*32"),
        ("p", "`cargo lab profile lab1-cuda-intro/kernels/e1_1_09.cu` prints these numbers"),
    ],
    checks: &[
        Check {
            name: "answers",
            what: "numbers read from the profiler's report",
            weight: 3,
            run: answers,
        },
        Check {
            name: "efficiency_1_2_8",
            what: "useful share of the fetched bytes, strides 1, 2, 8",
            weight: 3,
            run: efficiency_1_2_8,
        },
    ],
};

const KERNEL: &str = "kernels/e1_1_09.cu";
const ANSWERS: &str = "answers/e1_1_09.toml";
const N: usize = 2000;

/// The given kernel with one of its strides.
fn launch(t: &Trial, stride: usize, n: usize) -> Result<Run, Finding> {
    let kernels = t.kernel(KERNEL).compile()?;
    let data = vec![1.0f32; stride * n];
    kernels
        .launch(&format!("add_stride{stride}"), n.div_ceil(256) as u32, 256)
        .output::<f32>("c", n)
        .input("a", &data)
        .input("b", &data)
        .scalar(n as i32)
        .run()
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let mut rng = a.own()?;
    let n = 32 * rng.random_range(16..90) + rng.random_range(1..32usize);
    let a = a.about(format!("n = {n}, {} blocks of 256", n.div_ceil(256)));
    let bytes = 4 * n as i64;
    // Prints first: they falsify all other numbers.
    let printed = a.int("printed_lines")?;
    expect::that(printed == 0, || {
        format!("{printed} printf records: the profile was taken with printing on")
    })
    .map_err(|f| f.hint("c"))?;
    let counts = model::vector_add(n as u64, 4, n.div_ceil(256) as u64, 256, true);
    let per_request = counts.gld.1 as f64 / counts.gld.0 as f64;
    a.is_near("sectors_per_load_request", per_request, 0.002, "p")?;
    a.is_int("bytes_to_device", 2 * bytes, "p")?;
    a.is_int("bytes_from_device", bytes, "p")?;
    a.is_int("bytes_allocated", 3 * bytes, "p")?;
    a.is_int("launches", 1, "p")?;
    let run = launch(t, 1, n)?;
    let addition = run.lines_where(&t.text(KERNEL)?, |line| line == "c[i] = a[i] + b[i];").inst;
    a.is_near("share_of_addition", addition as f64 / run.total().inst as f64, 0.002, "p")?;
    Ok(Evidence::new(format!(
        "{} load requests, {} sectors; {addition} of {} warp instructions add",
        counts.gld.0,
        counts.gld.1,
        run.total().inst
    ))
    .launch(run.report()))
}

/// The truth.
fn efficiency(r: &LaunchReport) -> f64 {
    (4 * r.total.gld_lane) as f64 / (32 * r.total.gld_sec) as f64
}

fn efficiency_1_2_8(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let sizes = [N, rng.random_range(300..3000)];
    let mut reports: Vec<LaunchReport> = Vec::new();
    for n in sizes {
        for stride in [1, 2, 8] {
            reports.push(launch(t, stride, n)?.report().clone());
        }
    }
    let args = serde_json::to_value(&reports).map_err(|e| Finding::grader(e.to_string()))?;
    let bits: Value = trace::value(&t.call("e1_1_09.efficiency", &args)?)?;
    let got = f64_from_bits(&bits).map_err(Finding::grader)?;
    expect::same("efficiencies", &got.len(), &reports.len())?;
    for (r, got) in reports.iter().zip(&got) {
        let (c, want) = (&r.total, efficiency(r));
        let near = |value: f64| (got - value).abs() <= 1e-9;
        let ratio = |useful: u64, fetched: u64| useful as f64 / fetched as f64;
        let by_requests = ratio(4 * c.gld_lane, 128 * c.gld_req);
        let with_stores = ratio(4 * (c.gld_lane + c.gst_lane), 32 * (c.gld_sec + c.gst_sec));
        let other_mixtures = [
            ratio(4 * (c.gld_lane + c.gst_lane), 32 * c.gld_sec),
            ratio(4 * c.gld_lane, 32 * (c.gld_sec + c.gst_sec)),
            ratio(4 * c.gst_lane, 32 * c.gst_sec),
        ];
        let hint = if near(by_requests) {
            Some("a")
        } else if near(with_stores) || other_mixtures.into_iter().any(near) {
            Some("b")
        } else {
            None
        };
        expect::that(near(want), || {
            format!(
                "{}: {} lanes loaded 4 bytes each from {} sectors: expected {want:.4}, got \
                 {got:.4}",
                r.kernel, c.gld_lane, c.gld_sec
            )
        })
        .map_err(|f| match hint {
            Some(hint) => f.hint(hint),
            None => f,
        })?;
    }
    Ok(Evidence::new(format!(
        "n = {N}: stride 1: {:.3}, stride 2: {:.3}, stride 8: {:.3}",
        got[0], got[1], got[2]
    ))
    .line(json!(sizes).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hundred_and_fifty_sectors_for_sixty_three_requests() {
        let counts = model::vector_add(2000, 4, 8, 256, true);
        assert_eq!(counts.gld, (126, 500));
        assert_eq!(format!("{:.3}", counts.gld.1 as f64 / counts.gld.0 as f64), "3.968");
    }

    #[test]
    fn strides_waste_what_the_handout_says() {
        // n lanes, stride s: every warp of 32 lanes touches 32*s words.
        let sectors = |s: u64| {
            (0..64).map(|w| model::sectors((0..32).map(|l| 4 * s * (32 * w + l)), 4)).sum::<u64>()
        };
        let efficiency = |s: u64| (4 * 64 * 32) as f64 / (32 * sectors(s)) as f64;
        assert_eq!([1, 2, 8].map(efficiency), [1.0, 0.5, 0.125]);
    }
}
