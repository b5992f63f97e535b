//! A program's trace in the form of Chrome's trace viewer, which <https://ui.perfetto.dev> reads,
//! too: a list of events with begin and length in microseconds.
//!
//! The host's calls are measured. What the emulated device does has the model's times: a stream
//! goes on when what it did before is over, kernels share one engine, copies in each direction
//! another, and nothing begins before the host has asked for it.

use std::collections::BTreeMap;

use emulation::settings::link_ms;
use serde_json::{Value, json};
use simt::device;
use wire::{TimedCall, Trace};

/// Rows of the host. The viewers take number 0, of a process or of a row, for the system's own.
const HOST: u64 = 1;
/// Rows of the device, one for each stream.
const DEVICE: u64 = 2;

/// An engine of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Engine {
    Kernels,
    ToDevice,
    ToHost,
}

/// The events of a trace, one JSON object.
pub fn timeline(trace: &Trace) -> Value {
    let emulated = trace.backend == "emulated";
    let rows = if emulated { "predicted" } else { "not measured" };
    let process = |pid: u64, name: String| {
        let args = json!({ "name": name });
        json!({ "ph": "M", "name": "process_name", "pid": pid, "args": args })
    };
    let mut events = vec![
        process(HOST, "host (measured)".into()),
        process(DEVICE, format!("{} ({rows})", trace.device)),
    ];
    events.extend(trace.calls.iter().map(host));
    if emulated {
        let (work, streams) = device_work(trace);
        events.extend(streams.iter().map(|stream| {
            let name = format!("stream {stream}");
            json!({ "ph": "M", "name": "thread_name", "pid": DEVICE, "tid": stream + 1,
                "args": { "name": name } })
        }));
        events.extend(work);
    }
    json!({ "displayTimeUnit": "ms", "traceEvents": events })
}

fn host(timed: &TimedCall) -> Value {
    let call = &timed.call;
    let mut args = json!({ "result": call.result_name });
    if let Some(bytes) = call.bytes {
        args["bytes"] = bytes.into();
    }
    if let Some(launch) = &call.launch {
        args["kernel"] = launch.kernel.as_str().into();
    }
    json!({ "ph": "X", "cat": "host", "name": call.name, "pid": HOST, "tid": call.thread + 1,
        "ts": 1e3 * timed.start_ms, "dur": 1e3 * timed.ms, "args": args })
}

/// What the device did, in the order of the calls, and the streams that had something to do.
fn device_work(trace: &Trace) -> (Vec<Value>, Vec<u64>) {
    let model = device::models().iter().find(|d| d.name == trace.device);
    let mut launches = trace.launches.iter();
    let mut streams: BTreeMap<u64, f64> = BTreeMap::new();
    let mut engines: BTreeMap<Engine, f64> = BTreeMap::new();
    let mut events = Vec::new();
    for timed in trace.calls.iter().filter(|timed| timed.call.ok()) {
        let call = &timed.call;
        let (name, engine, ms, args) = if let Some(launch) = &call.launch {
            let Some(report) = launches.next() else { break };
            let bound = report.prediction.bound.to_string();
            let args = json!({ "grid": launch.grid, "block": launch.block, "bound": bound });
            (launch.kernel.as_str(), Engine::Kernels, report.predicted_ms, args)
        } else if let (true, Some(bytes)) = (call.name.starts_with("cuMemcpy"), call.bytes) {
            let engine = if call.name.contains("DtoH") {
                Engine::ToHost
            } else if call.name.contains("HtoD") {
                Engine::ToDevice
            } else {
                continue;
            };
            let ms = model.map_or(0.0, |device| link_ms(device, bytes));
            (call.name.as_str(), engine, ms, json!({ "bytes": bytes }))
        } else {
            continue;
        };
        let stream = streams.entry(call.stream.unwrap_or(0)).or_default();
        let busy = engines.entry(engine).or_default();
        let begin = timed.start_ms.max(*stream).max(*busy);
        (*stream, *busy) = (begin + ms, begin + ms);
        events.push(json!({ "ph": "X", "cat": "device", "name": name, "pid": DEVICE,
            "tid": call.stream.unwrap_or(0) + 1, "ts": 1e3 * begin, "dur": 1e3 * ms,
            "args": args }));
    }
    (events, streams.into_keys().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::ApiCall;

    fn copy(name: &str, stream: u64, start_ms: f64) -> TimedCall {
        let call = ApiCall {
            name: name.into(),
            stream: Some(stream),
            bytes: Some(63_000_000),
            ..ApiCall::default()
        };
        TimedCall { call, start_ms, ms: 0.5 }
    }

    #[test]
    fn events_have_the_viewers_fields_and_engines_are_shared() {
        let calls = vec![
            copy("cuMemcpyHtoDAsync", 1, 0.0),
            copy("cuMemcpyHtoDAsync", 2, 0.1),
            copy("cuMemcpyDtoHAsync", 3, 0.2),
            copy("cuMemcpyDtoHAsync", 1, 0.3),
        ];
        let model = device::model("h200").unwrap();
        let device = model.name.to_string();
        let trace = Trace { backend: "emulated".into(), device, calls, ..Trace::default() };
        let all = timeline(&trace);
        let events = all["traceEvents"].as_array().unwrap();
        for event in events {
            assert!(event["pid"] != 0 && event["tid"] != 0, "{event}");
        }
        let names: Vec<&Value> =
            events.iter().filter(|e| e["name"] == "thread_name").map(|e| &e["tid"]).collect();
        assert_eq!(names, [2, 3, 4]);
        for event in events.iter().filter(|e| e["ph"] == "X") {
            for field in ["pid", "tid", "ts", "dur"] {
                assert!(event[field].is_number(), "{event}");
            }
            assert!(event["name"].is_string() && event["cat"].is_string(), "{event}");
        }
        let begins: Vec<f64> = events
            .iter()
            .filter(|e| e["cat"] == "device")
            .map(|e| e["ts"].as_f64().unwrap().round())
            .collect();
        // Some time each: the second waits for the link, the third is the other way, the
        // fourth waits for both its stream and the third.
        let one = 1e3 * link_ms(model, 63_000_000);
        assert_eq!(begins, [0.0, one, 200.0, 200.0 + one].map(f64::round));
        let real = Trace { backend: "cuda".into(), ..trace };
        let events = timeline(&real)["traceEvents"].as_array().unwrap().clone();
        assert!(events.iter().all(|e| e["cat"] != "device"));
    }
}
