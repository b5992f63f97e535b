//! A launch: results, counts, faults, predicted time, occupancy.

use serde::Deserialize;
use serde_json::{Value, json};
use simt::device::{self, DEFAULT_KEY, DeviceModel};
use simt::occupancy::occupancy;
use simt::order;
use simt::pattern::Pattern;
use simt::render::{RooflinePoint, launch_table};
use simt::report::LaunchReport;

use crate::check::diagnostics;
use crate::session::{Allocated, Launching, Session};
use crate::source::Source;

/// Elements of a buffer that are shown unless the request says otherwise.
const SHOWN: usize = 64;
/// Elements of a buffer that a request may ask for.
const MOST_SHOWN: usize = 1 << 20;

/// What to run.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The program.
    pub program: Source,
    /// The launch.
    #[serde(default)]
    pub launch: Launching,
    /// Key of the GPU that is stood in for.
    #[serde(default)]
    pub gpu: Option<String>,
    /// Elements of each buffer that are shown.
    #[serde(default)]
    pub show: Option<usize>,
    /// Ask for the costliest request of each line, too.
    #[serde(default)]
    pub patterns: bool,
}

/// The GPUs that can be stood in for.
pub fn gpus() -> Value {
    let all = device::models().iter();
    let list: Vec<Value> = all.map(|d| json!({ "key": d.key, "name": d.name })).collect();
    json!({ "gpus": list, "default": DEFAULT_KEY })
}

/// The model called `key`, or the default.
///
/// # Errors
/// Lists the keys.
pub fn gpu(key: Option<&str>) -> Result<&'static DeviceModel, String> {
    device::lookup(key.unwrap_or(DEFAULT_KEY))
}

/// Compiles and launches. A program that is refused is answered with its `diagnostics` alone, a
/// launch that faults with its `fault`.
///
/// # Errors
/// What is wrong with the launch's arguments.
pub fn run(request: &Request) -> Result<Value, String> {
    let device = gpu(request.gpu.as_deref())?;
    let program = match request.program.compile() {
        Ok(program) => program,
        Err(refused) => {
            return Ok(json!({
                "diagnostics": diagnostics(&refused.diagnostics, &refused.sources),
                "text": refused.to_string(),
            }));
        }
    };
    let session = Session::new(device, &program, &request.launch)?;
    let result = session.run_and_take();
    let shown = request.show.unwrap_or(SHOWN).min(MOST_SHOWN);
    let buffers = session.buffers.iter().map(|b| {
        let written = result.as_ref().is_ok_and(|report| report.written.contains(&b.base));
        buffer(&session, b, written, shown)
    });
    let mut answer = json!({
        "kernel": session.kernel.name,
        "diagnostics": diagnostics(program.warnings(), program.sources()),
        "buffers": buffers.collect::<Result<Vec<_>, _>>()?,
        "occupancy": resident(&session),
    });
    match &result {
        Ok(report) => {
            answer["report"] = json!(report);
            answer["bound"] = report.prediction.bound.to_string().into();
            answer["table"] = launch_table(report).into();
            answer["roofline"] = roofline(report);
            if request.patterns {
                answer["patterns"] = patterns(&session);
            }
        }
        Err(fault) => {
            answer["fault"] = json!(fault);
            answer["code"] = fault.kind.code().into();
            answer["text"] = fault.render().into();
        }
    }
    Ok(answer)
}

fn buffer(
    session: &Session,
    buffer: &Allocated,
    written: bool,
    shown: usize,
) -> Result<Value, String> {
    let (bytes, unwritten) = session.content(buffer)?;
    let values = bytes.chunks_exact(buffer.elem.size).take(shown).map(|b| buffer.elem.show(b));
    Ok(json!({
        "name": buffer.name,
        "type": buffer.elem.name,
        "count": buffer.count,
        "shown": buffer.is_output || written,
        "first_never_written": unwritten,
        "values": values.collect::<Vec<_>>(),
    }))
}

/// Resident warps and what limits them; the sentence where such a block cannot run.
fn resident(session: &Session) -> Value {
    let [x, y, z] = session.launch.block;
    let threads = x.saturating_mul(y).saturating_mul(z);
    let kernel = &session.kernel;
    let shared = kernel.static_shared.saturating_add(session.launch.dynamic_shared);
    match occupancy(session.device, threads, kernel.registers, shared) {
        Ok(o) => json!({
            "blocks": o.blocks,
            "warps": o.warps,
            "of": session.device.max_warps_per_sm,
            "percent": o.percent,
            "limiter": o.limiter.to_string(),
            "registers": kernel.registers,
            "shared": shared,
            "threads": threads,
        }),
        Err(text) => json!({ "error": text }),
    }
}

fn roofline(report: &LaunchReport) -> Value {
    let Some(point) = RooflinePoint::of(report) else { return Value::Null };
    json!({ "cgma": point.cgma, "gflops": point.gflops })
}

/// By line: the costliest request, as a table of lanes.
fn patterns(session: &Session) -> Value {
    let symbol = &session.kernel.symbol;
    let (device, memory) = (session.device, &session.memory);
    let options = &session.options;
    // The launch has run: that it reads what it wrote before changes no address that matters here.
    match simt::patterns(device, memory, &session.instance, symbol, &session.launch, options) {
        Ok(list) => list.iter().map(pattern).collect(),
        Err(_) => Value::Null,
    }
}

/// A request as a table: rows are sectors or passes, cells hold lanes.
pub fn pattern(p: &Pattern) -> Value {
    use simt::pattern::MemoryKind;
    let grid = p.grid();
    let mut lanes: Vec<i64> = p.lanes.iter().map(|(_, at)| *at).collect();
    order::sort(&mut lanes);
    lanes.dedup();
    let rows =
        grid.rows.into_iter().map(|(label, cells)| json!({ "label": label, "cells": cells }));
    json!({
        "line": p.at.line,
        "col": p.at.col,
        "space": match p.space {
            MemoryKind::Global => "global",
            MemoryKind::Shared => "shared",
            MemoryKind::Constant => "constant",
        },
        "write": p.write,
        "name": p.name,
        "sentence": p.sentence(),
        "cost": p.cost,
        "best": p.best,
        "moved": 32 * p.cost,
        "used": lanes.len() as u64 * u64::from(p.size),
        "lanes": p.lanes,
        "head": grid.head,
        "rows": rows.collect::<Vec<_>>(),
    })
}
