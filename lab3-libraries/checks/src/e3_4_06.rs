//! Checks of exercise 3.4.6: the set-up by several threads at once.

use std::collections::BTreeSet;

use grading::{Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, host, trace};
use npb::ft::C64;
use serde::Deserialize;
use serde_json::json;
use simt::fault::FaultKind;
use wire::{ApiCall, ParamCall};

use crate::ft::{SIZES, close, decay, grid, initial, roots, squares};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.4.6",
    key: "e3_4_06",
    title: "Concurrent set-up",
    points: 3,
    files: &["kernels/ft_setup.cu", "src/e3_4_06.rs"],
    todo: "Write ft_indexmap and ft_initial in kernels/ft_setup.cu, then setup_concurrent in \
        src/e3_4_06.rs.",
    hints: &[
        ("a", "bind the context in every thread: `CurrentContext::set_current(&context)?`"),
        (
            "b",
            "wait on the events before the FFT: `lab.stream().wait_event(..)` for each of the four",
        ),
        (
            "c",
            "synchronous copies serialise the streams: copy from pinned memory with \
             `async_copy_from`",
        ),
        ("d", "one stream gives no overlap: each thread wants its own"),
        ("e", "keep the pinned buffer until the copy is done"),
        ("f", "hand the thread's error on"),
        ("k", "the kernels make what indexmap and initial of exercise 3.4.1 make"),
    ],
    checks: &[
        Check { name: "equal", what: "the arrays of exercise 3.4.1", weight: 1, run: equal },
        Check {
            name: "threads_streams",
            what: "four threads, streams, asynchronous copies",
            weight: 3,
            run: threads_streams,
        },
        Check { name: "waits", what: "what is used has been waited for", weight: 1, run: waits },
        Check {
            name: "error_path",
            what: "an error in a thread comes out",
            weight: 1,
            run: error_path,
        },
    ],
};

/// A run on class T2 or another, with what the driver found.
fn run(t: &Trial, size: [usize; 4]) -> Result<Reply, Finding> {
    let reply = t.call("e3_4_06.setup", &json!(size))?;
    if let Some(fault) = reply.faults.iter().find(|f| f.kind != FaultKind::Leak) {
        let finding = Finding::fault(fault.clone());
        return Err(match fault.kind {
            FaultKind::RaceGlobal | FaultKind::Uninitialised => finding.hint("b"),
            _ => finding,
        });
    }
    let context = reply.api.iter().any(|c| c.result_name == "CUDA_ERROR_INVALID_CONTEXT");
    host::value(&reply)
        .map_err(|f| if context { Finding { hint: None, ..f }.hint("a") } else { f })?;
    Ok(reply)
}

#[derive(Deserialize)]
struct Arrays {
    ex: Vec<u64>,
    map: Vec<i32>,
    u1: Vec<u64>,
    u: Vec<u64>,
}

fn equal(t: &Trial) -> Outcome {
    let floats = |bits: &[u64]| bits.iter().map(|b| f64::from_bits(*b)).collect::<Vec<f64>>();
    let complex = |bits: &[u64]| -> Vec<C64> {
        floats(bits).chunks_exact(2).map(|v| C64::new(v[0], v[1])).collect()
    };
    for (name, size) in SIZES {
        let got: Arrays = trace::value(&run(t, size)?)?;
        let ex = floats(&got.ex);
        let largest = size[3] * squares(grid(size)).into_iter().max().unwrap_or(0) as usize;
        expect::that(ex.len() > largest, || format!("{name}: ex has {} entries", ex.len()))?;
        let want: Vec<f64> = (0..ex.len()).map(|i| decay().powf(i as f64)).collect();
        expect::close(&format!("{name}: ex"), &ex, &want, |_| 1e-12)?;
        expect::eq(&format!("{name}: indexmap"), &got.map, &squares(grid(size)))
            .map_err(|f| f.hint("k"))?;
        close(&format!("{name}: u1"), &complex(&got.u1), &initial(grid(size)), 1e-15)
            .map_err(|f| f.hint("k"))?;
        let longest = grid(size).into_iter().max().unwrap_or(1);
        let u = complex(&got.u);
        expect::that(u.len() >= longest, || format!("{name}: u has {} entries", u.len()))?;
        close(&format!("{name}: u"), &u[1..longest], &roots(longest)[1..], 1e-15)?;
    }
    Ok(Evidence::new("T1 to T4: all four arrays"))
}

/// Index and stream of the launch that uses the arrays.
fn used(reply: &Reply) -> Result<(usize, Option<u64>), Finding> {
    let is = |kernel: &str| kernel == "ft_touch";
    let at = reply.api.iter().position(|c| c.launch.as_ref().is_some_and(|l| is(&l.kernel)));
    let at = at.ok_or_else(|| Finding::grader("the arrays were not used"))?;
    Ok((at, reply.api[at].stream))
}

/// For each array that `used` has as an argument the copies and launches that have it, too: a
/// stream on which something else is done makes nothing.
fn makers<'r>(before: &'r [ApiCall], used: &ApiCall) -> Vec<Vec<&'r ApiCall>> {
    let pointer = |p: &ParamCall| Some(u64::from_le_bytes(p.bytes.as_slice().try_into().ok()?));
    let pointers = |c: &ApiCall| -> Vec<u64> {
        c.launch.iter().flat_map(|l| &l.params).filter_map(pointer).collect()
    };
    let copies = |c: &ApiCall| c.name.starts_with("cuMemcpy") && c.name.contains("Async");
    let makes = |c: &ApiCall, array| {
        c.ok() && ((copies(c) && c.address == Some(array)) || pointers(c).contains(&array))
    };
    let of = |array| before.iter().filter(|c| makes(c, array)).collect();
    // The first is where it writes.
    pointers(used).into_iter().skip(1).map(of).collect()
}

fn threads_streams(t: &Trial) -> Outcome {
    let reply = run(t, SIZES[1].1)?;
    let (end, main) = used(&reply)?;
    let before = &reply.api[..end];
    let synchronous =
        before.iter().find(|c| c.ok() && ["cuMemcpyHtoD", "cuMemcpy"].contains(&c.name.as_str()));
    if let Some(call) = synchronous {
        let text =
            format!("{} of {} bytes: a synchronous copy", call.name, call.bytes.unwrap_or(0));
        return Err(Finding::wrong(text).hint("c"));
    }
    let made = makers(before, &reply.api[end]);
    let streams: BTreeSet<_> = made.iter().flatten().filter_map(|c| c.stream).collect();
    expect::that(!streams.contains(&0) && !streams.contains(&main.unwrap_or(0)), || {
        "a part of the set-up is on the default stream or on the lab's own".into()
    })
    .map_err(|f| f.hint("d"))?;
    for (k, calls) in made.iter().enumerate() {
        let of = |calls: &[&ApiCall]| calls.iter().map(|c| c.stream).collect::<BTreeSet<_>>();
        let others = made.iter().enumerate().filter(|(other, _)| *other != k);
        let shared = others.flat_map(|(_, calls)| of(calls)).find(|s| of(calls).contains(s));
        expect::that(shared.is_none(), || {
            "two of the four arrays are made on the same stream".into()
        })
        .map_err(|f| f.hint("d"))?;
    }
    let work: Vec<_> = made.iter().flatten().collect();
    for stream in &streams {
        let of = work.iter().filter(|c| c.stream == Some(*stream));
        let users: BTreeSet<_> = of.map(|c| c.thread).collect();
        expect::that(users.len() == 1, || format!("{} threads share a stream", users.len()))
            .map_err(|f| f.hint("d"))?;
    }
    let threads: BTreeSet<_> = work.iter().map(|c| c.thread).collect();
    expect::that(threads.len() >= 4, || {
        format!(
            "copies and launches of the set-up come from {} threads of the host, not from four",
            threads.len()
        )
    })?;
    Ok(Evidence::new(format!(
        "{} threads of the host, {} streams, no synchronous copy",
        threads.len(),
        streams.len()
    )))
}

/// Whether `stream` waits for an event that was recorded behind the last of these calls.
fn waited_for(before: &[ApiCall], stream: Option<u64>, calls: &[&ApiCall]) -> bool {
    let Some(last) = calls.last() else { return false };
    let behind = before.iter().skip_while(|c| !std::ptr::eq(*c, *last));
    let mut recorded = BTreeSet::new();
    for call in behind.filter(|c| c.ok()) {
        match call.name.as_str() {
            // Recorded anew it stands for other work.
            "cuEventRecord" if call.stream == last.stream => drop(recorded.insert(call.event)),
            "cuEventRecord" => drop(recorded.remove(&call.event)),
            "cuStreamWaitEvent" if call.stream == stream && recorded.contains(&call.event) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

fn waits(t: &Trial) -> Outcome {
    let reply = run(t, SIZES[1].1)?;
    let (end, main) = used(&reply)?;
    let before = &reply.api[..end];
    let (mut synchronised, mut freed) = (0, 0);
    for call in before.iter().filter(|c| c.ok()) {
        match call.name.as_str() {
            "cuStreamSynchronize" | "cuEventSynchronize" | "cuCtxSynchronize" => synchronised += 1,
            "cuMemFreeHost" => {
                freed += 1;
                expect::that(freed <= synchronised, || {
                    "pinned memory is freed, and nobody has waited for the copy from it".into()
                })
                .map_err(|f| f.hint("e"))?;
            }
            _ => {}
        }
    }
    let made = makers(before, &reply.api[end]);
    let waits = made.iter().filter(|calls| waited_for(before, main, calls)).count();
    expect::that(waits == made.len(), || {
        format!("the lab's stream waits for {waits} of the {} arrays by an event", made.len())
    })
    .map_err(|f| f.hint("b"))?;
    Ok(Evidence::new(
        "the stream of the transforms waits for four events; pinned memory outlives its copies",
    ))
}

fn error_path(t: &Trial) -> Outcome {
    // Whoever always fails, or makes nothing, has not noticed that a kernel is missing.
    let made = run(t, SIZES[3].1)?;
    let points = grid(SIZES[3].1).into_iter().product();
    trace::counted(&made, trace::value::<Arrays>(&made)?.map, points)?;
    let reply = t.call("e3_4_06.broken", &json!(SIZES[3].1))?;
    let (message, _) = host::error(&reply).map_err(|f| Finding { hint: None, ..f }.hint("f"))?;
    Ok(Evidence::new(format!("without the kernel ft_initial: \"{message}\"")))
}
