//! Checks of exercise 2.1.8: coefficients in constant memory.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use rand::RngExt;
use serde_json::json;

use crate::fir_c::{self, BLOCK, Mistake};
use crate::fir_host::{self, Hints};
use crate::fir_rig::{Channel, Version, exact};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.8",
    key: "e2_1_08",
    title: "Coefficients in constant memory",
    points: 7,
    files: &["kernels/fir3.cu", "src/e2_1_08.rs"],
    todo: "Declare fir_coeff and write the kernel in kernels/fir3.cu, then copy_coefficients and \
        the launches in src/e2_1_08.rs.",
    hints: &[
        (
            "b",
            "drop `static`: the host finds a variable by its name only if it is visible outside \
             the file",
        ),
        ("d", "N+1 values: a filter of order n has n+1 coefficients"),
        ("a", "coefficients still come from global memory: __constant__"),
        ("c", "lanes must read the same address: index by k only"),
        ("e", "refuse n > N: there is no room for more than N+1 coefficients"),
        ("s", "the second filter got the first one's coefficients: copy them in every call"),
    ],
    checks: &[
        Check { name: "fir_c", what: "right outputs for 44 signals", weight: 3, run: fir_c },
        Check { name: "order_err", what: "an order above N is refused", weight: 1, run: order_err },
        Check {
            name: "two_filters",
            what: "two filters one after the other",
            weight: 1,
            run: two_filters,
        },
        Check {
            name: "counts",
            what: "constant requests in place of loads",
            weight: 3,
            run: counts,
        },
    ],
};

fn hints() -> Hints<'static> {
    Hints {
        mistake: &|m| (m == Mistake::LastTap).then_some("d"),
        fault: &|_, _| None,
        no_block: None,
        panic: None,
        code: Some(("CUDA_ERROR_NOT_FOUND", "b")),
    }
}

fn fir_c(t: &Trial) -> Outcome {
    fir_host::fir_c(t, "e2_1_08.audiofir", &hints())
}

fn order_err(t: &Trial) -> Outcome {
    for n in [1025, 1500] {
        let [case, ..] = fir_c::signals(&mut t.rng(), 40, n);
        let reply = t.call("e2_1_08.audiofir", &fir_host::request(&case, BLOCK))?;
        let refuse = |f: Finding| Finding { hint: None, ..f }.hint("e");
        let (message, _) = host::error(&reply).map_err(refuse)?;
        let names = message.contains(&n.to_string()) && message.contains("1024");
        expect::that(names, || {
            format!(
                "order {n}: expected an error such as \"filter order {n} exceeds N = 1024\", \
                found \"{message}\""
            )
        })
        .map_err(refuse)?;
    }
    Ok(Evidence::new("orders 1025 and 1500 are refused, and the error names both numbers"))
}

fn two_filters(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let [first, ..] = fir_c::signals(&mut rng, 600, 64);
    let [second, ..] = fir_c::signals(&mut rng, 600, rng_order(t));
    let requests = [&first, &second].map(|c| fir_host::request(c, BLOCK));
    let reply = t.call("e2_1_08.two", &json!(requests))?;
    fir_host::sound(&reply, &second, &hints())?;
    let outputs: Vec<Vec<u32>> = trace::list(&reply, requests.len())?;
    for (case, bits) in [&first, &second].into_iter().zip(outputs) {
        let yout: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        case.verify(&yout, |_| None).map_err(|f| f.hint("s"))?;
    }
    Ok(Evidence::new("a filter of order 64, then a shorter one: each with its own coefficients"))
}

/// An order below that of the first filter.
fn rng_order(t: &Trial) -> usize {
    t.rng().random_range(1..60)
}

fn counts(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let random = (rng.random_range(1..900), rng.random_range(1..200), 32 * rng.random_range(1..9));
    let mut evidence = Evidence::default();
    for (len, n, k) in [(2048, 1024, 512), random] {
        let kernels = Version::Constant.compile(t, k, n)?;
        let channel = Channel::random(Version::Constant, &mut rng, len, n, k);
        let run = channel.launcher(&kernels).run()?;
        // First why a request is dear, then how many there are.
        expect::count(&run, "cld.ser", 0).map_err(|f| f.hint("c"))?;
        let seen = exact(&run, &channel, |name| name.starts_with('g').then_some("a"))?;
        channel.verify(&run)?;
        evidence = evidence.and(seen);
    }
    Ok(evidence.line("every constant request is one broadcast: no extra pass"))
}
