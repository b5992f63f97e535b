//! Times and drawings for `cargo lab study ep`, `ft` and `npb`: measured on a GPU, else predicted.

use std::time::Instant;

use cust::prelude::*;
use labkit::serve::{Handler, args};
use labkit::{Backend, Lab, LabError, backend};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::e3_3_03::ep_gpu;
use crate::e3_4_01::{ex_table, indexmap, initial, roots};
use crate::e3_4_04::fft3d;
use crate::e3_4_06::setup_concurrent;
use crate::e3_4_07::ft_gpu;
use crate::ep::{EpResult, Version};
use crate::ft::{C64, Class, Clock, Layout, Params, Phase, Times, Work};
use crate::nas;

/// The handlers.
pub fn handlers() -> Vec<(&'static str, Handler)> {
    vec![
        ("study.place", |_| place()),
        ("study.ep", ep),
        ("study.ft", ft),
        ("study.ft_block", ft_block),
        ("study.ft_setup", ft_setup),
        ("study.npb", npb_row),
    ]
}

/// -> `{"gpu": name, "measured": bool}`.
fn place() -> Result<Value, LabError> {
    let lab = Lab::new()?;
    Ok(json!({ "gpu": lab.gpu_name()?, "measured": backend() == Backend::Cuda }))
}

/// The least time of three, where times are measured.
fn least<R>(
    time: impl Fn(&R) -> f32,
    mut run: impl FnMut() -> Result<R, LabError>,
) -> Result<R, LabError> {
    let mut best = run()?;
    for _ in 0..if backend() == Backend::Cuda { 3 } else { 0 } {
        let next = run()?;
        if time(&next) < time(&best) {
            best = next;
        }
    }
    Ok(best)
}

/// `{"m", "mk", "block", "version": "paper", "better" or "fast"}` -> `{"ms", "pairs"}`. The fast
/// version chooses its own batches and blocks.
fn ep(request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        m: u32,
        mk: u32,
        block: u32,
        version: String,
    }
    let r: Request = args(request)?;
    let lab = Lab::new()?;
    let version = match r.version.as_str() {
        "paper" => Version::Paper,
        "better" => Version::Better,
        _ => {
            let (result, time) = nas::ep::fast(&lab, r.m, 3)?;
            return Ok(json!({ "ms": 1e3 * time.as_secs_f64(), "pairs": result.pairs() }));
        }
    };
    let (result, ms) =
        least(|r: &(EpResult, f32)| r.1, || ep_gpu(&lab, version, r.m, r.mk, r.block))?;
    Ok(json!({ "ms": ms, "pairs": result.pairs() }))
}

fn params(name: &str) -> Result<(&'static Class, Params), LabError> {
    let class = Class::by_name(name).ok_or_else(|| LabError::msg(format!("no class {name}")))?;
    let [nx, ny, nz] = class.size;
    Ok((class, Params { nx, ny, nz, niter: class.iterations() }))
}

/// `{"class", "version": "direct", "paper", "shared", "fast" or "library"}` ->
/// `{"ms": [set-up, evolve, fft, checksum, total], "verified"}`; the last two versions know the
/// total only.
fn ft(request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        class: String,
        version: String,
    }
    let r: Request = args(request)?;
    let (class, p) = params(&r.class)?;
    let lab = Lab::new()?;
    let layout = match r.version.as_str() {
        "direct" => Layout::Direct,
        "paper" => Layout::Paper,
        "shared" => Layout::Shared,
        other => {
            let version = match other {
                "library" => nas::ft::Version::Library,
                _ => nas::ft::Version::Own,
            };
            let (sums, time) = nas::ft::run(&lab, version, class.size, p.niter, 3, &mut |_| ())?;
            let ms = [0.0, 0.0, 0.0, 0.0, 1e3 * time.as_secs_f64()];
            return Ok(json!({ "ms": ms, "verified": class.verify(&sums).is_ok() }));
        }
    };
    let (sums, times) = least(|r: &(Vec<C64>, Times)| r.1.total, || ft_gpu(&lab, &p, layout))?;
    let Times { total, setup, evolve, fft, checksum } = times;
    let ms = [setup, evolve, fft, checksum, total];
    Ok(json!({ "ms": ms, "verified": class.verify(&sums).is_ok() }))
}

/// `{"class", "block"}` -> milliseconds of a transform of exercise 3.4.4.
fn ft_block(request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        class: String,
        block: u32,
    }
    let r: Request = args(request)?;
    let (_, p) = params(&r.class)?;
    let lab = Lab::new()?;
    let modules = [labkit::kernel_file!("ft_setup.cu"), labkit::kernel_file!("ft.cu")];
    let [setup, fft] = modules.map(|file| lab.module(file, &[]));
    let (setup, fft) = (setup?, fft?);
    let arrays = setup_concurrent(&lab, &setup, &p)?;
    let work = Work::new(p.elements())?;
    let transform = || {
        let mut clock = Clock::new(&lab)?;
        clock.phase(Phase::Fft, || {
            fft3d(&lab, &fft, &p, (&arrays.u1, &arrays.u), &work, 1, r.block)
        })?;
        Ok(clock.end()?.fft)
    };
    Ok(json!(least(|ms| *ms, transform)?))
}

/// A class -> `[one after the other, at the same time]`: milliseconds of the set-up by the host's
/// clock.
fn ft_setup(request: &Value) -> Result<Value, LabError> {
    let (_, p) = params(&args::<String>(request)?)?;
    let lab = Lab::new()?;
    let module = lab.module(labkit::kernel_file!("ft_setup.cu"), &[])?;
    let by_clock = |setup: &dyn Fn() -> Result<(), LabError>| -> Result<f64, LabError> {
        let mut least = f64::INFINITY;
        for _ in 0..if backend() == Backend::Cuda { 3 } else { 1 } {
            let start = Instant::now();
            setup()?;
            least = least.min(1e3 * start.elapsed().as_secs_f64());
        }
        Ok(least)
    };
    let in_turn = by_clock(&|| {
        let _ex = DeviceBuffer::from_slice(&ex_table(&p))?;
        let _indexmap = DeviceBuffer::from_slice(&indexmap(&p))?;
        let _u1 = DeviceBuffer::from_slice(&initial(&p))?;
        let _u = DeviceBuffer::from_slice(&roots(p.longest()))?;
        Ok(lab.stream().synchronize()?)
    })?;
    let together = by_clock(&|| {
        let _arrays = setup_concurrent(&lab, &module, &p)?;
        Ok(lab.stream().synchronize()?)
    })?;
    Ok(json!([in_turn, together]))
}

/// `{"benchmark", "class", "version", "runs"}` -> `null` for what an emulated device would take too
/// long for, else `{"place", "predicted", "seconds", "mop", "verified"}`.
fn npb_row(request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        benchmark: String,
        class: String,
        version: String,
        runs: usize,
    }
    let r: Request = args(request)?;
    let row = nas::study::row(&r.benchmark, &r.class, &r.version, r.runs)?;
    Ok(row.map_or(Value::Null, |row| {
        json!({
            "place": row.place,
            "predicted": row.predicted,
            "seconds": row.seconds,
            "mop": row.mop,
            "verified": row.verified,
        })
    }))
}
