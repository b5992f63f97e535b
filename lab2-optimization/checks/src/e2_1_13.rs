//! Checks of exercise 2.1.13: the tiled filter's host program in OpenCL.

use grading::{
    Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, host, trace,
};
use rand::RngExt;
use serde::Deserialize;
use serde_json::json;
use simt::fault::{Fault, FaultKind};
use simt::report::LaunchReport;

use crate::fir_rig::{Channel, KERNEL, Version};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.13",
    key: "e2_1_13",
    title: "The host program in OpenCL",
    points: 4,
    files: &["src/e2_1_13.rs"],
    todo: "Write Filter::new and Filter::run in src/e2_1_13.rs with the crate ocl; solve 2.1.12 \
        first.",
    hints: &[
        ("a", "n zeros stand before the signal: sample i is yin[n + i]"),
        (
            "b",
            "groups are whole: fill up yin and yout to the next multiple of k, and start as many \
             work items",
        ),
        ("c", "global_work_size counts all work items, not groups"),
        ("d", "name the group's size: local_work_size(k), the K that the program was built with"),
        ("e", "build the program with -D K=...: without it the kernel's K is 512"),
        (
            "f",
            "arguments in the kernel's order: yout, yin, coeff, n as i32; coeff has n + 1 elements",
        ),
        ("g", "the program and the coefficients are made once, in new; run uses them"),
        (
            "h",
            "the time is End less Start of the kernel's event, in nanoseconds; the queue must keep \
             times",
        ),
        ("i", "the result is as long as x"),
        ("j", "the filter runs on the device: enqueue the kernel, then read yout"),
    ],
    checks: &[
        Check { name: "right", what: "signals of any length", weight: 2, run: right },
        Check {
            name: "launches",
            what: "work items, groups, one launch a signal",
            weight: 2,
            run: launches,
        },
        Check { name: "once", what: "what is made once", weight: 1, run: once },
        Check { name: "time", what: "the kernel's time", weight: 1, run: time },
        Check { name: "errors", what: "what is refused, and no samples", weight: 1, run: errors },
    ],
};

fn diagnose(fault: &Fault) -> Option<&'static str> {
    let on = fault.target.as_ref().map_or("", |t| t.name.as_str());
    match fault.kind {
        FaultKind::OutOfBoundsGlobal if on.contains("coeff") => Some("f"),
        FaultKind::OutOfBoundsGlobal => Some("b"),
        FaultKind::OutOfBoundsShared => Some("f"),
        // In the kernel entries of the tile; else results that no work item has written.
        FaultKind::Uninitialised => Some(if fault.site.is_some() { "e" } else { "d" }),
        _ => None,
    }
}

/// Filtered signals with the time of each.
#[derive(Deserialize)]
struct Filtered {
    y: Vec<Vec<u32>>,
    ms: Vec<f64>,
}

/// Random channels of one filter, as the judge knows them.
fn channels(t: &Trial, lengths: &[usize], n: usize, k: usize) -> Vec<Channel> {
    let mut rng = t.rng();
    let mut all: Vec<Channel> =
        lengths.iter().map(|len| Channel::random(Version::OpenCl, &mut rng, *len, n, k)).collect();
    let h = all[0].h.clone();
    all.iter_mut().for_each(|c| c.h.clone_from(&h));
    all
}

fn call(channels: &[Channel]) -> Call {
    let bits = |x: &[f32]| -> Vec<u32> { x.iter().map(|v| v.to_bits()).collect() };
    let signals: Vec<Vec<u32>> = channels.iter().map(|c| bits(&c.x)).collect();
    let request = json!({ "h": bits(&channels[0].h), "k": channels[0].k, "signals": signals });
    Call::new("e2_1_13.filter", &request)
}

/// The student's signals, compared with the model's.
fn filtered(t: &Trial, channels: &[Channel]) -> Result<(Filtered, Reply), Finding> {
    let reply = t.host(&[call(channels)])?.remove(0);
    if let Some(fault) = reply.faults.iter().find(|f| f.kind != FaultKind::Leak) {
        let finding = Finding::fault(fault.clone());
        return Err(match diagnose(fault) {
            Some(hint) => Finding { hint: None, ..finding }.hint(hint),
            None => finding,
        });
    }
    let found: Filtered = trace::value(&reply).map_err(|finding| {
        let says = |word: &str| finding.message.contains(word) || finding.details.contains(word);
        let hint = if says("WORK_GROUP") {
            Some("b")
        } else if says("PROFILING") {
            Some("h")
        } else if says("ARG") {
            Some("f")
        } else {
            None
        };
        match hint {
            Some(hint) => finding.hint(hint),
            None => finding,
        }
    })?;
    let samples = channels.iter().any(|c| !c.x.is_empty());
    expect::that(runs(&reply) > 0 || !samples, || format!("{KERNEL} was not launched"))
        .map_err(|f| f.hint("j"))?;
    let (all, signals, times) = (channels.len(), found.y.len(), found.ms.len());
    expect::that([signals, times] == [all; 2], || {
        format!("{all} signals in: {signals} results and {times} times out")
    })
    .map_err(|f| f.hint("i"))?;
    for (channel, bits) in channels.iter().zip(&found.y) {
        let y: Vec<f32> = bits.iter().map(|b| f32::from_bits(*b)).collect();
        let len = channel.x.len();
        expect::that(y.len() == len, || format!("{len} samples in, {} out", y.len()))
            .map_err(|f| f.hint("i"))?;
        channel.compare("y", &y).map_err(|f| f.hint("a"))?;
    }
    Ok((found, reply))
}

/// True if a card computed: its launches are known by the program's calls alone.
fn on_card(reply: &Reply) -> bool {
    reply.backend == "cuda"
}

/// Launches of the kernel.
fn runs(reply: &Reply) -> usize {
    if on_card(reply) {
        reply.api.iter().filter(|c| c.name == "clEnqueueNDRangeKernel" && c.ok()).count()
    } else {
        reply.launches.iter().filter(|r| r.kernel == KERNEL).count()
    }
}

fn right(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let k = 32 * rng.random_range(1..9);
    let cases = [
        (vec![2048], 1024, 512),
        (vec![1500], 100, 512),
        (vec![40], 10, 64),
        (vec![1, 130], 0, 64),
        (vec![rng.random_range(1..900), rng.random_range(1..900)], rng.random_range(1..300), k),
    ];
    for (lengths, n, k) in &cases {
        filtered(t, &channels(t, lengths, *n, *k))?;
    }
    Ok(Evidence::new(format!("(samples, order, K) = {cases:?}")))
}

fn launches(t: &Trial) -> Outcome {
    // Small groups: a platform left to itself takes larger ones.
    let k = 64;
    let times = t.rng().random_range(8..12);
    let lengths = [times * k, (times - 3) * k + 1];
    let (_, reply) = filtered(t, &channels(t, &lengths, 40, k))?;
    let count = runs(&reply);
    expect::that(count == lengths.len(), || {
        format!("{} signals: {count} launches of {KERNEL}", lengths.len())
    })
    .map_err(|f| f.hint("j"))?;
    if on_card(&reply) {
        return Ok(Evidence::new("a launch for each signal; sizes are seen on the emulator only"));
    }
    let of_kernel: Vec<&LaunchReport> =
        reply.launches.iter().filter(|r| r.kernel == KERNEL).collect();
    for (report, len) in of_kernel.iter().zip(lengths) {
        let (groups, want) = (report.grid[0] as usize, len.div_ceil(k));
        expect::that(report.block[0] as usize == k, || {
            format!("K = {k}: groups of {} work items", report.block[0])
        })
        .map_err(|f| f.hint("d"))?;
        expect::that(groups == want, || {
            format!("{len} samples, K = {k}: {groups} groups, expected {want}")
        })
        .map_err(|f| f.hint("c"))?;
    }
    Ok(Evidence::new(format!("{lengths:?} samples, K = {k}: as many groups as they fill"))
        .launch(of_kernel[0]))
}

fn once(t: &Trial) -> Outcome {
    let (_, reply) = filtered(t, &channels(t, &[300, 200, 100], 40, 64))?;
    let made = |name: &str| reply.api.iter().filter(|c| c.name == name && c.ok()).count();
    for (name, what, most) in [
        ("clBuildProgram", "programs built", 1),
        ("clCreateContext", "contexts", 1),
        // The coefficients; of each signal its samples and its results.
        ("clCreateBuffer", "buffers", 1 + 3 * 2),
    ] {
        let count = made(name);
        expect::that((1..=most).contains(&count), || {
            format!("three signals through one filter: {count} {what}, expected at most {most}")
        })
        .map_err(|f| f.hint("g"))?;
    }
    Ok(Evidence::new("three signals: one context, one program, the coefficients once"))
}

fn time(t: &Trial) -> Outcome {
    let (found, reply) = filtered(t, &channels(t, &[5000, 700], 200, 128))?;
    if on_card(&reply) {
        expect::that(found.ms.iter().all(|ms| *ms > 0.0 && *ms < 1000.0), || {
            format!("the kernels took some microseconds each, run says {:?} ms", found.ms)
        })
        .map_err(|f| f.hint("h"))?;
    }
    let reports: Vec<&LaunchReport> =
        reply.launches.iter().filter(|r| r.kernel == KERNEL).collect();
    for (ms, report) in found.ms.iter().zip(&reports) {
        let want = report.predicted_ms;
        // Events count whole nanoseconds.
        expect::that((ms - want).abs() <= 2e-6, || {
            format!("the kernel took {want:.6} ms by the model, run says {ms:.6} ms")
        })
        .map_err(|f| f.hint("h"))?;
    }
    Ok(Evidence::new(format!("{:?} ms, as the events say", found.ms)))
}

fn errors(t: &Trial) -> Outcome {
    let none = channels(t, &[0], 40, 64);
    let (_, reply) = filtered(t, &none)?;
    expect::that(runs(&reply) == 0, || "no samples: a kernel was launched".into())
        .map_err(|f| f.hint("i"))?;
    for n in [1025, 2000] {
        let reply = t.host(&[call(&channels(t, &[10], n, 64))])?.remove(0);
        host::error(&reply)?;
    }
    // A group of 2048 work items is more than a device has.
    let reply = t.host(&[call(&channels(t, &[10], 40, 2048))])?.remove(0);
    host::error(&reply).map_err(|f| f.hint("d"))?;
    Ok(Evidence::new("orders 1025 and 2000 and groups of 2048 are refused; no samples, no launch"))
}
