//! Checks of exercise 3.4.7: the whole benchmark.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, host, trace};
use npb::ft::C64;
use serde_json::json;

use crate::ft::{SIZES, bits, class, close, replied};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.4.7",
    key: "e3_4_07",
    title: "Whole benchmark and study",
    points: 3,
    files: &["src/e3_4_07.rs"],
    todo: "Write bytes_needed, verified and ft_gpu in src/e3_4_07.rs.",
    hints: &[
        ("a", "all iterations must pass"),
        ("b", "the error is |difference|/|reference| of complex numbers; NaN is wrong"),
        ("c", "set-up belongs to the timed part"),
        ("l", "the layout says which of the three transforms runs"),
        (
            "m",
            "u0, u1, y0, y1 of 16 bytes an element, the indexmap of 4: refuse what does not fit \
             before anything is allocated",
        ),
        ("t", "evolve with t = 1, 2, ...; the inverse transform; the checksum of iteration t"),
    ],
    checks: &[
        Check { name: "t1_t4", what: "the checksums of our own classes", weight: 3, run: t1_t4 },
        Check {
            name: "verify_logic",
            what: "what is right, and what is not",
            weight: 1,
            run: verify_logic,
        },
        Check {
            name: "layouts",
            what: "every layout, the same checksums",
            weight: 1,
            run: layouts,
        },
        Check { name: "memory", what: "what does not fit is refused", weight: 1, run: memory },
    ],
};

fn ask(t: &Trial, size: [usize; 4], layout: &str) -> Result<Reply, Finding> {
    let reply = t.call("e3_4_07.ft_gpu", &json!({ "size": size, "layout": layout }))?;
    host::value(&reply)?;
    trace::launched(&reply)?;
    Ok(reply)
}

/// The official checksums of a class.
fn official(name: &str) -> Result<Vec<C64>, Finding> {
    Ok(class(name)?.checksums.iter().map(|[re, im]| C64::new(*re, *im)).collect())
}

fn t1_t4(t: &Trial) -> Outcome {
    for (name, size) in SIZES {
        let reply = ask(t, size, "paper")?;
        close(&format!("{name}: checksums"), &replied(&reply)?, &official(name)?, 1e-12)
            .map_err(|f| f.hint("t"))?;
        // The clock begins with an event on the stream of the transforms, before the set-up's first
        // kernel.
        let launch = |c: &&wire::ApiCall| {
            c.launch.as_ref().is_some_and(|l| l.kernel.starts_with("ft_evolve"))
        };
        let stream = reply.api.iter().find(launch).and_then(|c| c.stream);
        let first = |is: &dyn Fn(&wire::ApiCall) -> bool| {
            reply.api.iter().position(is).unwrap_or(usize::MAX)
        };
        let begin = first(&|c| c.name == "cuEventRecord" && c.stream == stream);
        expect::that(begin < first(&|c| c.launch.is_some()), || {
            format!("{name}: the clock starts after the set-up's first kernel")
        })
        .map_err(|f| f.hint("c"))?;
    }
    Ok(Evidence::new(
        "T1 to T4: six checksums each within 1e-12; the clock starts before the set-up",
    ))
}

fn verify_logic(t: &Trial) -> Outcome {
    for name in ["S", "A", "C", "T2"] {
        let good = official(name)?;
        let last = good.len() - 1;
        let off = |i: usize, by: C64| {
            let mut sums = good.clone();
            sums[i] += by * good[i].norm();
            sums
        };
        let re = |x: f64| C64::new(x, 0.0);
        let im = |x: f64| C64::new(0.0, x);
        let cases = [
            (good.clone(), true, "b"),
            (off(last, im(3e-13)), true, "b"),
            (off(0, re(1e-11)), false, "a"),
            (off(last, re(1e-11)), false, "a"),
            (off(0, im(1e-11)), false, "b"),
            (off(last, im(1e-11)), false, "b"),
            (off(last, im(f64::NAN)), false, "b"),
            (good[..last].to_vec(), false, "a"),
        ];
        for (sums, want, hint) in cases {
            let got: bool =
                trace::value(&t.call("e3_4_07.verified", &json!([name, bits(&sums)]))?)?;
            expect::that(got == want, || {
                let worst = sums.iter().zip(&good).map(|(a, b)| (a - b).norm() / b.norm());
                let worst: Vec<String> = worst.map(|e| format!("{e:.0e}")).collect();
                format!(
                    "class {name}, {} checksums off by {}: expected {want}, found {got}",
                    sums.len(),
                    worst.join(", ")
                )
            })
            .map_err(|f| f.hint(hint))?;
        }
    }
    Ok(Evidence::new(
        "off by 3e-13: right; by 1e-11 in any part of any iteration, NaN, or one too few: wrong",
    ))
}

fn layouts(t: &Trial) -> Outcome {
    for (name, size) in &SIZES[1..] {
        // Transforms: one forward, one for each iteration; three axes each.
        let passes = 3 * (size[3] + 1);
        for (layout, copies, whole_lines) in
            [("direct", 0, 0), ("paper", passes, 0), ("shared", 0, passes)]
        {
            let reply = ask(t, *size, layout)?;
            close(&format!("{name}, {layout}"), &replied(&reply)?, &official(name)?, 1e-12)?;
            let launches = trace::launches(&reply);
            let count =
                |is: &dyn Fn(&str) -> bool| launches.iter().filter(|l| is(&l.kernel)).count();
            let found =
                (count(&|k| k.starts_with("ft_in") && k.len() == 6), count(&|k| k == "ft_pass"));
            expect::that(found == (copies, whole_lines), || {
                format!(
                    "{name}, layout {layout}: {} copies (ft_in1 to ft_in3) and {} passes in shared \
                     memory (ft_pass), expected {copies} and {whole_lines}",
                    found.0, found.1
                )
            })
            .map_err(|f| f.hint("l"))?;
        }
    }
    Ok(Evidence::new("T2 to T4: with copies, without, and in shared memory the same checksums"))
}

fn memory(t: &Trial) -> Outcome {
    for (name, gigabytes) in [("A", 0.57), ("B", 2.28), ("C", 9.13)] {
        let class = class(name)?;
        let [nx, ny, nz] = class.size;
        let size = [nx, ny, nz, class.iterations()];
        let bytes: u64 = trace::value(&t.call("e3_4_07.bytes_needed", &json!(size))?)?;
        let found = bytes as f64 / 1e9;
        expect::that((found / gigabytes - 1.0).abs() < 0.06, || {
            format!("class {name}: {found:.3} GB, expected about {gigabytes} GB")
        })
        .map_err(|f| f.hint("m"))?;
    }
    // More than any card has.
    let size = [2048, 2048, 1024, 20];
    let reply = t.call("e3_4_07.ft_gpu", &json!({ "size": size, "layout": "paper" }))?;
    let refuse = |f: Finding| Finding { hint: None, ..f }.hint("m");
    host::error(&reply).map_err(refuse)?;
    let large = reply
        .api
        .iter()
        .find(|c| c.name.starts_with("cuMemAlloc") && c.bytes.unwrap_or(0) > 1 << 28);
    expect::that(large.is_none(), || {
        let bytes = large.and_then(|c| c.bytes).unwrap_or(0);
        format!("292 GB in all: {bytes} bytes were asked for before it was refused")
    })
    .map_err(refuse)?;
    Ok(Evidence::new("A 0.57, B 2.3, C 9.1 GB; 2048 x 2048 x 1024 points, 292 GB, are refused"))
}
