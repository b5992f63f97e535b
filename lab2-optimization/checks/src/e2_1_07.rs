//! Checks of exercise 2.1.7: padding in place of tests.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use rand::RngExt;
use serde_json::{Value, json};
use simt::fault::{Fault, FaultKind};

use crate::fir_c::{self, BLOCK, Mistake};
use crate::fir_host::{self, Hints};
use crate::fir_rig::{Channel, Version, exact};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.7",
    key: "e2_1_07",
    title: "Slightly changed version: padding instead of tests",
    points: 7,
    files: &["kernels/fir2.cu", "src/e2_1_07.rs", ANSWERS],
    todo: "Draw the map in answers/e2_1_07.toml, then write map, upload, download and the launches \
        in src/e2_1_07.rs and the kernel in kernels/fir2.cu.",
    hints: &[
        ("c", "L1 rounds up: len.div_ceil(K) * K"),
        ("f", "each channel needs its own n zeros: the input has 2 (n + L1) elements"),
        ("b", "right base = 2n + L1: n zeros, L1 samples and zeros, n zeros again"),
        ("a", "clear the gap: the device's memory holds anything before it is written"),
        ("d", "memset counts bytes, set_32 elements: the whole gap must be cleared"),
        ("e", "copy back L samples, not L1"),
        ("t", "no test is needed: zeros lie before and behind the samples"),
    ],
    checks: &[
        Check { name: "fir_c", what: "right outputs for 44 signals", weight: 3, run: fir_c },
        Check {
            name: "map",
            what: "where everything lies, and what is cleared",
            weight: 2,
            run: map,
        },
        Check {
            name: "sentinel",
            what: "nothing of the padding comes back",
            weight: 1,
            run: sentinel,
        },
        Check {
            name: "counts",
            what: "requests and sectors, no divergence",
            weight: 1,
            run: counts,
        },
    ],
};

const ANSWERS: &str = "answers/e2_1_07.toml";
const NAME: &str = "e2_1_07.audiofir";

fn diagnose(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::Uninitialised if fault.site.is_some() => Some("a"),
        FaultKind::Uninitialised => Some("c"),
        FaultKind::OutOfBoundsGlobal => Some("b"),
        _ => None,
    }
}

fn hints() -> Hints<'static> {
    Hints {
        mistake: &|m| match m {
            Mistake::LeftHistory => Some("f"),
            Mistake::Tail => Some("c"),
            Mistake::RightIsLeft | Mistake::RightZero | Mistake::Exchanged => Some("b"),
            _ => None,
        },
        fault: &|fault, _| diagnose(fault),
        no_block: Some("c"),
        panic: Some("e"),
        code: None,
    }
}

fn fir_c(t: &Trial) -> Outcome {
    fir_host::fir_c(t, NAME, &hints())
}

/// The truth of [`map`]: `[l1, input, left, right, output, out_right]`.
fn truth(n: usize, len: usize, k: usize) -> [(&'static str, usize); 6] {
    let blocks = len.div_ceil(k);
    let l1 = blocks * k;
    [
        ("l1", l1),
        ("input", 2 * n + 2 * l1),
        ("left", n),
        ("right", 2 * n + l1),
        ("output", 2 * l1),
        ("out_right", l1),
    ]
}

/// The hint for the first field that differs.
fn wrong_field(name: &str, got: usize, n: usize, l1: usize) -> &'static str {
    match name {
        "l1" | "output" | "out_right" => "c",
        "input" => "f",
        "right" if got == n + l1 => "b",
        _ => "b",
    }
}

fn map(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut sizes = vec![(1024, 2048, 512), (1024, 2000, 512), (100, 1500, 128), (0, 1, 32)];
    for _ in 0..3 {
        let k = 32 * rng.random_range(1..33);
        sizes.push((rng.random_range(0..1025), rng.random_range(1..5000), k));
    }
    let calls: Vec<Call> = sizes
        .iter()
        .map(|(n, len, k)| Call::new("e2_1_07.map", &json!({ "n": n, "len": len, "k": k })))
        .collect();
    for ((n, len, k), reply) in sizes.iter().zip(t.host(&calls)?) {
        let got: Value = trace::value(&reply)?;
        for (name, want) in truth(*n, *len, *k) {
            let found = got[name].as_u64().unwrap_or(0) as usize;
            expect::that(found == want, || {
                format!("order {n}, {len} samples, K = {k}: {name} is {want}, found {found}")
            })
            .map_err(|f| f.hint(wrong_field(name, found, *n, len.div_ceil(*k) * k)))?;
        }
    }
    cleared(t)?;
    drawing(t)?;
    Ok(Evidence::new(format!(
        "seven maps; for order 1024, 2000 samples, K = 512: {:?}",
        truth(1024, 2000, 512)
    )))
}

/// The gaps are cleared on the device: neither too little nor the samples' own places by way of the
/// host.
fn cleared(t: &Trial) -> Result<(), Finding> {
    let (n, len) = (100, 1500);
    let [case, ..] = fir_c::signals(&mut t.rng(), len, n);
    let reply = t.call(NAME, &fir_host::request(&case, BLOCK))?;
    let set: u64 =
        reply.api.iter().filter(|c| c.name.starts_with("cuMemset")).filter_map(|c| c.bytes).sum();
    let copied = trace::bytes(&reply.api, "cuMemcpyHtoD");
    let input = 4 * truth(n, len, BLOCK)[1].1 as u64;
    let signal = 4 * (2 * len) as u64;
    // Zeros that travel from the host are right, too: then nothing is left to clear.
    if set + copied < input + 4 * (n as u64 + 1) {
        let missing = input - signal;
        let hint = if set == 0 { "a" } else { "d" };
        return Err(Finding::wrong(format!(
            "order {n}, {len} samples: {missing} bytes of the input are gaps, {set} were cleared"
        ))
        .hint(hint));
    }
    fir_host::sound(&reply, &case, &hints())
}

/// The answers file: the map for the student's own sizes.
fn drawing(t: &Trial) -> Result<(), Finding> {
    let a = t.answers(ANSWERS)?;
    let mut rng = a.own()?;
    let (n, k) = (rng.random_range(30..300), 1 << rng.random_range(7..11));
    let len = k * rng.random_range(1..5) + rng.random_range(1..k);
    let a = a.about(format!("n = {n}, L = {len}, K = {k}"));
    let l1 = truth(n, len, k)[0].1;
    let regions = [
        ("left_zeros", [0, n]),
        ("left", [n, n + len]),
        ("left_gap", [n + len, n + l1]),
        ("right_zeros", [n + l1, 2 * n + l1]),
        ("right", [2 * n + l1, 2 * n + l1 + len]),
        ("right_gap", [2 * n + l1 + len, 2 * n + 2 * l1]),
    ];
    for (key, want) in regions {
        let hint = if key.starts_with("left") { "c" } else { "b" };
        a.is_ints(key, &want.map(|v| v as i64), hint)?;
    }
    Ok(())
}

fn sentinel(t: &Trial) -> Outcome {
    let (len, n) = (700, 64);
    let [mut case, ..] = fir_c::signals(&mut t.rng(), len, n);
    case.signals = "the last sample of the left channel is NaN".into();
    case.yin[len - 1] = f32::NAN;
    case.exact = [false, false];
    let reply = t.call(NAME, &fir_host::request(&case, BLOCK))?;
    fir_host::sound(&reply, &case, &hints())?;
    case.verify_reply(&reply, |_| Some("e"))?;
    let bytes = trace::bytes(&reply.api, "cuMemcpyDtoH");
    expect::that(bytes == 8 * len as u64, || {
        format!("{} bytes are outputs, {bytes} were copied to the host", 8 * len)
    })
    .map_err(|f| f.hint("e"))?;
    Ok(Evidence::new(
        "a NaN at the end of the left channel fills the padding behind it and stays there",
    ))
}

fn counts(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let random = (rng.random_range(1..900), rng.random_range(1..200), 32 * rng.random_range(1..9));
    let mut evidence = Evidence::default();
    for (len, n, k) in [(2048, 1024, 512), random] {
        let kernels = Version::Padded.compile(t, k, n)?;
        let channel = Channel::random(Version::Padded, &mut rng, len, n, k);
        let run = channel.launcher(&kernels).on_fault(diagnose).run()?;
        channel.verify(&run)?;
        expect::count(&run, "br.div", 0).map_err(|f| f.hint("t"))?;
        let warps = (channel.shape().blocks() * k / 32) as u64;
        expect::at_most(&run, "br.exec", warps * (n as u64 + 2)).map_err(|f| f.hint("t"))?;
        evidence = evidence.and(exact(&run, &channel, |_| Some("t"))?);
    }
    Ok(evidence.line("no divergent branch; the only branches are the loop's"))
}
