//! Checks of exercise 2.1.9: tiling.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect};
use rand::RngExt;
use simt::fault::{Fault, FaultKind};

use crate::fir_c::Mistake;
use crate::fir_host::{self, Hints};
use crate::fir_rig::{Channel, Version, exact};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.9",
    key: "e2_1_09",
    title: "Tiling",
    points: 10,
    files: &["kernels/fir4.cu"],
    todo: "Write the kernel in kernels/fir4.cu: fill the tile, wait, sum up. The host code is that \
        of 2.1.8.",
    hints: &[
        ("g", "the tile has N+K entries"),
        ("d", "the tile needs n samples of history before the block's own K"),
        (
            "a",
            "others' samples are read before they are written: a barrier between filling and \
             summing",
        ),
        ("b", "all threads must reach the barrier: move it out of the loop"),
        ("c", "p must be signed to become negative, or the loop never ends"),
        ("e", "the sample index runs backwards: n+t-k"),
        (
            "f",
            "let all threads load, neighbours side by side: thread t takes the entries n+t, n+t-K, \
             ...",
        ),
        ("l", "sum up from the tile: the signal is loaded from global memory once per block"),
    ],
    checks: &[
        Check { name: "fir_c", what: "right outputs for 44 signals", weight: 2, run: fir_c },
        Check {
            name: "n_not_multiple",
            what: "orders that are no multiple of K, or larger",
            weight: 2,
            run: n_not_multiple,
        },
        Check { name: "races", what: "no race, one barrier per block", weight: 2, run: races },
        Check { name: "counts", what: "the counts of the handout's table", weight: 3, run: counts },
        Check {
            name: "bound",
            what: "at most 2 % above the model for any size",
            weight: 2,
            run: bound,
        },
    ],
};

const TILED: Version = Version::Tiled;

fn diagnose(fault: &Fault) -> Option<&'static str> {
    let (_, index) = fir_host::target(fault);
    // An unsigned number that went below zero is far away.
    let far = index.unsigned_abs() > 1 << 24;
    match fault.kind {
        FaultKind::RaceShared => Some("a"),
        FaultKind::DivergentBarrier => Some("b"),
        FaultKind::StepLimit => Some("c"),
        FaultKind::OutOfBoundsShared | FaultKind::OutOfBoundsGlobal if far => Some("c"),
        FaultKind::OutOfBoundsShared => Some("g"),
        FaultKind::Uninitialised if fault.site.is_some() => Some("d"),
        _ => None,
    }
}

fn fir_c(t: &Trial) -> Outcome {
    let hints = Hints {
        mistake: &|m| match m {
            Mistake::Reversed => Some("e"),
            Mistake::BlockHistory => Some("d"),
            _ => None,
        },
        fault: &|fault, _| diagnose(fault),
        no_block: None,
        panic: None,
        code: None,
    };
    fir_host::fir_c(t, "e2_1_09.audiofir", &hints).map_err(|f| refined(t, f))
}

/// A tile entry that nobody has written yet may lack its history (`d`), a barrier (`a`), or the
/// barrier's right place (`b`).
fn refined(t: &Trial, finding: Finding) -> Finding {
    if finding.hint.as_deref() != Some("d") || finding.fault.is_none() {
        return finding;
    }
    let text = t.text(TILED.file()).unwrap_or_default();
    let mut code = text.lines().filter_map(|l| l.split("//").next());
    let hint = if !code.any(|l| l.contains("__syncthreads")) {
        "a"
    } else if plain(t, 64, 64, 64).is_ok() {
        // Right where all threads make the same number of rounds.
        "b"
    } else {
        "d"
    };
    finding.hint(hint)
}

/// A random channel through the kernel, without a fault.
fn launched(t: &Trial, len: usize, n: usize, k: usize) -> Result<(Channel, Run), Finding> {
    plain(t, len, n, k).map_err(|f| refined(t, f))
}

fn plain(t: &Trial, len: usize, n: usize, k: usize) -> Result<(Channel, Run), Finding> {
    let kernels = TILED.compile(t, k, n)?;
    let channel = Channel::random(TILED, &mut t.rng(), len, n, k);
    let run = channel.launcher(&kernels).on_fault(diagnose).run()?;
    Ok((channel, run))
}

fn n_not_multiple(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut sizes = vec![
        (1500, 100, 512),
        (700, 100, 128),
        (1000, 64, 512),
        (300, 7, 128),
        (130, 0, 64),
        (900, 1000, 128),
        (65, 1023, 32),
    ];
    sizes.push((
        rng.random_range(1..1500),
        rng.random_range(0..1025),
        32 * rng.random_range(1..33),
    ));
    for (len, n, k) in &sizes {
        let (channel, run) = launched(t, *len, *n, *k)?;
        channel.verify(&run)?;
    }
    Ok(Evidence::new(format!("(len, n, K) = {sizes:?}: right, no fault")))
}

fn races(t: &Trial) -> Outcome {
    for (len, n, k) in [(2048, 1024, 512), (1500, 100, 128), (300, 1000, 96)] {
        let (channel, run) = launched(t, len, n, k)?;
        let blocks = channel.shape().blocks() as u64;
        expect::that(run.total().shld_req > 0, || "nothing is read from shared memory".into())
            .map_err(|f| f.hint("l"))?;
        expect::that(run.total().bar > 0, || "no barrier".into()).map_err(|f| f.hint("a"))?;
        expect::at_most(&run, "bar", blocks).map_err(|f| f.hint("b"))?;
    }
    Ok(Evidence::new(
        "three sizes: no thread reads what another has not written yet; one barrier per block",
    ))
}

/// The hint for a count that is too high.
fn costly(name: &str) -> Option<&'static str> {
    Some(match name {
        "gld.req" | "gld.sec" | "gld.lane" | "shst.req" | "shst.wf" => "f",
        "bar" => "b",
        _ => "l",
    })
}

/// No loads for the sums: else the tile is not used.
fn from_tile(run: &Run, channel: &Channel) -> Result<(), Finding> {
    let taps = channel.model().flop / 2;
    expect::that(run.total().gld_lane * 4 <= taps || channel.n() < 16, || {
        format!("{} loads of samples for {taps} products", run.total().gld_lane)
    })
    .map_err(|f| f.hint("l"))
}

fn counts(t: &Trial) -> Outcome {
    let (channel, run) = launched(t, 2048, 1024, 512)?;
    from_tile(&run, &channel)?;
    let mut evidence = exact(&run, &channel, costly)?;
    if let Some(pattern) = run.pattern("shld.wf") {
        evidence = evidence.pattern(&pattern);
    }
    let padded = Channel { version: Version::Padded, ..channel }.model().gld.1;
    let (ragged, run) = launched(t, 1500, 100, 128)?;
    let model = ragged.model();
    // Filling from the front instead costs other sectors at the odd end.
    expect::at_most(&run, "gld.sec", model.gld.1 * 102 / 100).map_err(|f| f.hint("f"))?;
    Ok(evidence.line(format!(
        "{padded} sectors without the tile are {:.1} times as many; order 100, K = 128: {} \
         sectors, {} divergent branches at the end of the filling",
        padded as f64 / 768.0,
        run.total().gld_sec,
        run.total().br_div
    )))
}

fn bound(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut lines = Evidence::default();
    for _ in 0..4 {
        let k = 32 * rng.random_range(1..33);
        let (len, n) = (rng.random_range(500..2000), rng.random_range(64..1025));
        let (channel, run) = launched(t, len, n, k)?;
        from_tile(&run, &channel)?;
        let model = channel.model();
        let sec = model.gld.1 + model.gld.1.div_ceil(50);
        expect::at_most(&run, "gld.sec", sec).map_err(|f| f.hint("f"))?;
        expect::at_most(&run, "shld.wf", run.total().shld_req).map_err(|f| f.hint("l"))?;
        expect::count(&run, "bar", channel.shape().blocks() as u64).map_err(|f| f.hint("b"))?;
        channel.verify(&run)?;
        lines = lines.line(format!(
            "{}: {} sectors, the model has {}; shared loads without conflict",
            channel.title(),
            run.total().gld_sec,
            model.gld.1
        ));
    }
    Ok(lines)
}
