//! Checks of exercise 2.1.6: first (naive) CUDA version.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use rand::RngExt;
use serde_json::json;
use simt::fault::{Fault, FaultKind};

use crate::fir_c::{self, BLOCK, Case, Mistake};
use crate::fir_host::{self, Hints};
use crate::fir_rig::{Channel, Version, exact};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.6",
    key: "e2_1_06",
    title: "First (naive) CUDA version",
    points: 7,
    files: &["kernels/fir1.cu", "src/e2_1_06.rs"],
    todo: "Write the kernel in kernels/fir1.cu, then the seven steps and gflops in src/e2_1_06.rs.",
    hints: &[
        ("a", "i-k is negative: test i >= k (the right channel would read the left one's end)"),
        ("b", "test i < len: the last block has threads beyond the channel"),
        ("d", "round the grid up: (len + K - 1) / K blocks"),
        ("e", "it is i-k: y[i] sums samples of the past"),
        (
            "g",
            "a filter of order n has n+1 coefficients: k runs to n inclusive, the buffer holds n+1",
        ),
        ("c", "the second launch needs +len on both pointers"),
        ("m", "three buffers, two copies in, two launches and one copy out are enough"),
        ("f", "compute flop in f64: 2*(n+1)*2*len leaves i32 after 12 s of music"),
        (
            "w",
            "a product takes one load of the sample and one of the coefficient, side by side in a \
             warp",
        ),
    ],
    checks: &[
        Check { name: "fir_c", what: "right outputs for 44 signals", weight: 3, run: fir_c },
        Check { name: "faults", what: "no access outside the channel", weight: 2, run: faults },
        Check {
            name: "api_log",
            what: "the seven steps, and nothing else",
            weight: 1,
            run: api_log,
        },
        Check { name: "counts", what: "requests and sectors", weight: 1, run: counts },
        Check { name: "edges", what: "short channels, and the rate", weight: 2, run: edges },
    ],
};

const NAIVE: Version = Version::Naive;

fn mistake(m: Mistake) -> Option<&'static str> {
    match m {
        Mistake::LeftHistory => Some("a"),
        Mistake::RightIsLeft | Mistake::RightZero | Mistake::Exchanged => Some("c"),
        Mistake::Tail => Some("d"),
        Mistake::Ahead => Some("e"),
        Mistake::LastTap => Some("g"),
        _ => None,
    }
}

/// The hint of a fault in a channel of `len` samples with blocks of `k` threads.
fn diagnose(fault: &Fault, len: usize, k: usize) -> Option<&'static str> {
    let (name, index) = fir_host::target(fault);
    match fault.kind {
        FaultKind::OutOfBoundsGlobal if name == "coeff" => Some("g"),
        FaultKind::OutOfBoundsGlobal if index < 0 => Some("a"),
        FaultKind::OutOfBoundsGlobal | FaultKind::RaceGlobal => {
            let outside = fir_host::output_of(fault, k).is_some_and(|i| i >= len);
            Some(if outside { "b" } else { "e" })
        }
        // Outputs that nobody has written are copied to the host.
        FaultKind::Uninitialised if fault.site.is_none() => {
            Some(if index >= len as i64 { "c" } else { "d" })
        }
        _ => None,
    }
}

fn hints() -> Hints<'static> {
    Hints {
        mistake: &mistake,
        fault: &|fault, case: &Case| diagnose(fault, case.len, BLOCK),
        no_block: Some("d"),
        panic: None,
        code: None,
    }
}

fn fir_c(t: &Trial) -> Outcome {
    fir_host::fir_c(t, "e2_1_06.audiofir", &hints())
}

/// One channel on memory of its own, where nothing lies before or behind it.
fn alone(t: &Trial, len: usize, n: usize, k: usize) -> Result<(), Finding> {
    let kernels = NAIVE.compile(t, k, n)?;
    let channel = Channel::random(NAIVE, &mut t.rng(), len, n, k);
    let run = channel.launcher(&kernels).on_fault(move |f| diagnose(f, len, k)).run()?;
    channel.verify(&run).map(drop)
}

fn faults(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for (len, n, k) in [(513, 64, 512), (1500, 100, 512), (31, 7, 32), (96, 0, 96)] {
        alone(t, len, n, k)?;
    }
    for _ in 0..3 {
        alone(
            t,
            rng.random_range(1..1200),
            rng.random_range(0..300),
            32 * rng.random_range(1..33),
        )?;
    }
    Ok(Evidence::new(
        "seven sizes, also those that fill no whole block: no fault, nothing written behind the \
         end",
    ))
}

fn api_log(t: &Trial) -> Outcome {
    let (len, n) = (1500, 100);
    let [case, ..] = fir_c::signals(&mut t.rng(), len, n);
    let request = fir_host::request(&case, BLOCK);
    let mut short = request.clone();
    short["short"] = true.into();
    let mut thin = request.clone();
    thin["k"] = 48.into();
    let call = |request| Call::new("e2_1_06.audiofir", request);
    let replies = t.host(&[call(&request), call(&short), call(&thin)])?;
    let launches = trace::launches(&replies[0]);
    // What the kernel has received, whatever the host meant to send.
    for launch in &launches {
        for (name, want) in [("n", n), ("len", len)] {
            let Some(param) = launch.params.iter().find(|p| p.name == name) else { continue };
            let got = param.bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
            expect::that(got == want as u64, || {
                format!("the kernel receives {name} = {got}, it should be {want}")
            })
            .map_err(|f| f.hint("C2"))?;
        }
    }
    fir_host::sound(&replies[0], &case, &hints())?;
    let count = |name: &str| trace::calls(&replies[0].api, name).len();
    let found = [
        count("cuMemAlloc"),
        count("cuMemcpyHtoD"),
        launches.len(),
        count("cuEventRecord"),
        count("cuMemcpyDtoH"),
    ];
    let names = "allocations, copies to the device, launches, event records, copies to the host";
    expect::that(found == [3, 2, 2, 2, 1], || {
        format!("{names}: expected [3, 2, 2, 2, 1], counted {found:?}")
    })
    .map_err(|f| f.hint("m"))?;
    let bytes = |name| trace::bytes(&replies[0].api, name);
    let (to, from) = (4 * (2 * len + n + 1) as u64, 8 * len as u64);
    expect::that((bytes("cuMemcpyHtoD"), bytes("cuMemcpyDtoH")) == (to, from), || {
        format!(
            "bytes copied to and from the device: expected {to} and {from}, counted {} and {}",
            bytes("cuMemcpyHtoD"),
            bytes("cuMemcpyDtoH")
        )
    })
    .map_err(|f| f.hint("g"))?;
    for (reply, what) in replies[1..].iter().zip(["yout is one short", "K = 48"]) {
        host::error(reply)
            .map_err(|f| Finding { message: format!("{what}: {}", f.message), ..f })?;
    }
    Ok(Evidence::new(format!(
        "3 allocations, 2 copies in ({to} bytes), 2 launches between two events, 1 copy out \
         ({from} bytes)"
    )))
}

fn counts(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let random =
        (rng.random_range(100..900), rng.random_range(1..200), 32 * rng.random_range(1..9));
    let mut evidence = Evidence::default();
    for (len, n, k) in [(2048, 1024, 512), (2000, 1024, 512), random] {
        let kernels = NAIVE.compile(t, k, n)?;
        let channel = Channel::random(NAIVE, &mut rng, len, n, k);
        let run = channel.launcher(&kernels).on_fault(move |f| diagnose(f, len, k)).run()?;
        evidence = evidence.and(exact(&run, &channel, |_| Some("w"))?);
        let model = channel.model();
        expect::count(&run, "flop", model.flop).map_err(|f| f.hint("w"))?;
        expect::at_most(&run, "br.div", model.br_div).map_err(|f| f.hint("w"))?;
    }
    Ok(evidence.line("the coefficient is one sector per request: all lanes read the same value"))
}

fn edges(t: &Trial) -> Outcome {
    for (len, n, k) in [(1, 3, 32), (5, 64, 32), (64, 64, 64), (9, 1024, 512)] {
        alone(t, len, n, k)?;
    }
    for (n, len, ms) in [(3, 9, 0.5), (1024, 600 * 44_100, 25.0)] {
        let request = json!({ "n": n, "len": len, "ms": f64::to_bits(ms) });
        let got = f64::from_bits(trace::value(&t.call("e2_1_06.gflops", &request)?)?);
        let want = 2.0 * f64::from(n + 1) * 2.0 * f64::from(len) / (1e6 * ms);
        expect::that((got / want - 1.0).abs() <= 1e-12, || {
            format!("order {n}, 2 x {len} samples in {ms} ms: expected {want} GFLOP/s, got {got}")
        })
        .map_err(|f| f.hint("f"))?;
    }
    Ok(Evidence::new(
        "channels shorter than the filter; ten minutes of music in 25 ms are 4339 GFLOP/s",
    ))
}
