//! Speed, bandwidth and power of variants and devices, and the tables that the thesis has.
//!
//! One convention everywhere: a step computes the interior cells, nothing else counts. Speed is
//! that of the kernels by the device's own events; transfers, compilation and the first steps are
//! outside.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rtm::opencl::device::{Device, Kind, Session};
use rtm::{Error, Result, metrics};
use serde::{Deserialize, Serialize};

use super::models::{self, Label};
use super::reference::Reference;
use super::simulation::Simulation;
use super::variant::{Config, Variant};
use super::wave::{self, Block, Medium, Wave};

/// Lines of a table as they come.
pub type Out<'a> = &'a mut dyn FnMut(&str);

/// How long to measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Time steps.
    pub steps: usize,
    /// Seconds after which fewer steps will do.
    pub seconds: f64,
    /// Sample the power, too, if it can be: takes a second or two more.
    pub power: bool,
}

/// Times of single steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// Interior cells.
    pub points: usize,
    /// Seconds of each step on the device, in order of size.
    pub steps_s: Vec<f64>,
    /// Mean power while it ran, if it can be measured.
    pub power: Option<Power>,
}

impl Timing {
    /// Mean seconds of a step.
    pub fn mean_s(&self) -> f64 {
        self.steps_s.iter().sum::<f64>() / self.steps_s.len().max(1) as f64
    }

    /// The step in the middle.
    pub fn median_s(&self) -> f64 {
        self.steps_s.get(self.steps_s.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Fastest and slowest step.
    pub fn spread_s(&self) -> [f64; 2] {
        [self.steps_s.first(), self.steps_s.last()].map(|s| s.copied().unwrap_or(f64::NAN))
    }

    /// `1e9` interior cells per second, by the mean.
    pub fn gpoints_per_s(&self) -> f64 {
        self.points as f64 / self.mean_s() / 1e9
    }
}

/// A medium of constant velocity: what a step costs does not depend on it.
fn medium(block: Block) -> Result<Medium> {
    Medium::new(block, 10.0, 0.0015, |_| 2000.0)
}

/// Times a variant on a device.
///
/// # Errors
/// It does not fit (the text says why), or the device fails.
pub fn measure(device: &Device, config: &Config, block: Block, effort: Effort) -> Result<Timing> {
    let medium = medium(block)?;
    let mut wave = Simulation::new(device, config, &medium, true)?;
    wave.add(block.index(block.centre()), 1.0).ok();
    wave.step()?;
    wave.session.reset_times()?;
    let started = Instant::now();
    let sampler = if effort.power { Sampler::start(device) } else { None };
    let mut steps_s = Vec::new();
    let mut before = 0.0;
    while steps_s.len() < effort.steps && started.elapsed().as_secs_f64() < effort.seconds {
        wave.step()?;
        let now = wave.times()?.kernel_s;
        steps_s.push((now - before) / wave.stride() as f64);
        before = now;
    }
    // Power is a mean over a tenth of a second or more: go on until there are some samples.
    if let Some(sampler) = &sampler {
        while started.elapsed() < sampler.least {
            wave.step()?;
            wave.session.finish()?;
        }
    }
    let power = sampler.and_then(Sampler::stop);
    steps_s.sort_by(f64::total_cmp);
    Ok(Timing { points: block.points(), steps_s, power })
}

/// Bytes per second that a copy of two volumes of this size reads and writes, the best of ten.
///
/// # Errors
/// The device fails.
pub fn copy_bytes_per_s(device: &Device, block: Block) -> Result<f64> {
    let session = Session::open(device, true)?;
    let tools = include_str!("../../kernels/opencl/wave_tools.cl");
    let program = session.program("wave_tools", &[tools], &[])?;
    let quads = block.len() / 4;
    let (from, to) = (session.buffer(quads * 4, 1.0f32)?, session.buffer(quads * 4, 0.0f32)?);

    let kernel = session.kernel(&program, "copy_all", |k| {
        k.arg(&to).arg(&from).arg(quads as i32);
    })?;
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        session.reset_times()?;
        session.launch(&kernel, [quads, 1, 1], [256, 1, 1])?;
        best = best.min(session.take_times()?.kernel_s);
    }
    Ok(2.0 * (quads * 16) as f64 / best)
}

/// Mean power of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Power {
    /// Watts.
    pub watts: f64,
    /// How it was measured.
    pub method: String,
}

/// Samples the power of a device while it works.
struct Sampler {
    stop: std::sync::Arc<AtomicBool>,
    thread: std::thread::JoinHandle<Vec<f64>>,
    method: &'static str,
    least: Duration,
}

/// The power of an NVIDIA GPU now, watts.
fn nvidia_watts() -> Option<f64> {
    let asked = ["--query-gpu=power.draw", "--format=csv,noheader,nounits"];
    let answer = Command::new("nvidia-smi").args(asked).output().ok()?;
    String::from_utf8_lossy(&answer.stdout).lines().next()?.trim().parse().ok()
}

/// The energy that the first processor package has used, joules.
fn package_joules() -> Option<f64> {
    let text = std::fs::read_to_string("/sys/class/powercap/intel-rapl:0/energy_uj").ok()?;
    text.trim().parse::<f64>().ok().map(|microjoules| microjoules * 1e-6)
}

impl Sampler {
    /// `None` where nothing can be sampled.
    fn start(device: &Device) -> Option<Sampler> {
        let nvidia = device.limits.kind == Kind::Gpu
            && device.platform_name.to_lowercase().contains("nvidia")
            && nvidia_watts().is_some();
        let package = device.limits.kind == Kind::Cpu && package_joules().is_some();
        if !nvidia && !package {
            return None;
        }
        let stop = std::sync::Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut watts = Vec::new();
            let mut last = package.then(package_joules).flatten().map(|j| (Instant::now(), j));
            while !stopped.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(100));
                if nvidia {
                    watts.extend(nvidia_watts());
                } else if let (Some((then, before)), Some(now)) = (last, package_joules()) {
                    let seconds = then.elapsed().as_secs_f64();
                    // The counter wraps now and then.
                    if now >= before {
                        watts.push((now - before) / seconds);
                    }
                    last = Some((Instant::now(), now));
                }
            }
            watts
        });
        let method = if nvidia {
            "nvidia-smi power.draw, each 0.1 s"
        } else {
            "RAPL package energy, each 0.1 s"
        };
        Some(Sampler {
            stop,
            thread,
            method,
            least: Duration::from_millis(if nvidia { 1500 } else { 500 }),
        })
    }

    fn stop(self) -> Option<Power> {
        self.stop.store(true, Ordering::Relaxed);
        let watts = self.thread.join().ok()?;
        // What was drawn while the device came to speed is not part of the mean.
        let settled = &watts[watts.len() / 3..];
        let mean = settled.iter().sum::<f64>() / settled.len() as f64;
        mean.is_finite().then(|| Power {
            watts: mean,
            method: format!("{} ({} samples, the first third left out)", self.method, watts.len()),
        })
    }
}

/// The forms of a variant that are worth trying on a device.
pub fn candidates(device: &Device, block: Block) -> Vec<Config> {
    let suited = |variant| Config::suited(variant, &device.limits, block);
    let mut all = vec![suited(Variant::Plain)];
    for group in [[16, 16], [32, 4], [32, 8], [32, 16], [32, 32], [64, 4], [64, 8]] {
        all.push(Config { group, ..suited(Variant::Local) });
        for lanes in [2, 4] {
            all.push(Config { group, lanes, ..suited(Variant::Lanes) });
        }
    }
    // One thread of a GPU is not worth trying.
    let windows = [Variant::Ring, Variant::Replicated, Variant::Factored, Variant::Temporal];
    for variant in windows.into_iter().filter(|_| device.limits.kind != Kind::Gpu) {
        for tile in [[36, 36], [60, 60], [180, 180]] {
            all.push(Config { tile, ..suited(variant) });
        }
    }
    all.retain(|config| config.misfit(&device.limits, block).is_none());
    all
}

fn name_of(config: &Config) -> String {
    let [wx, wy] = config.group;
    let [dx, dy] = config.tile;
    let id = config.variant.id();
    match config.variant {
        Variant::Plain => id.into(),
        Variant::Fixed => format!("{id} Q{}.{}", 31 - config.fraction, config.fraction),
        Variant::Local => format!("{id} {wx}x{wy}"),
        Variant::Lanes => format!("{id} {wx}x{wy}, {} lanes", config.lanes),
        Variant::Replicated => format!("{id} {dx}x{dy}x{}, {} workers", config.par, config.workers),
        Variant::Temporal => format!("{id} {dx}x{dy}x{}, t = {}", config.par, config.steps),
        _ => format!("{id} {dx}x{dy}x{}", config.par),
    }
}

fn ms(seconds: f64) -> String {
    format!("{:.4}", seconds * 1e3)
}

/// A row of a table of speeds, or why there is none.
fn row(name: &str, device: &str, timing: &Result<Timing>, copy: Option<f64>) -> String {
    match timing {
        Ok(t) => {
            let [least, most] = t.spread_s();
            let share = copy.map_or("n/a".into(), |copy| {
                format!("{:.1} %", 100.0 * 16.0 * 1e9 * t.gpoints_per_s() / copy)
            });
            format!(
                "| {name} | {device} | {:.4} | {} | {} | {} to {} | {} | {share} | {} |",
                t.gpoints_per_s(),
                ms(t.mean_s()),
                ms(t.median_s()),
                ms(least),
                ms(most),
                t.steps_s.len(),
                Label::Measured
            )
        }
        Err(error) => {
            let text = error.to_string();
            let short = text.lines().next().unwrap_or_default();
            format!("| {name} | {device} | - | - | - | - | - | - | does not fit: {short} |")
        }
    }
}

fn head(block: Block, out: Out<'_>) {
    let [n, full] = [block.n, block.full()];
    out(&format!(
        "{} x {} x {} interior cells ({} points; with the border {} x {} x {} = {}). Gpoint/s \
         counts interior cells.",
        n[0],
        n[1],
        n[2],
        block.points(),
        full[0],
        full[1],
        full[2],
        block.len()
    ));
    out("");
    out(
        "| code | device | Gpoint/s | ms per step, mean | median | fastest to slowest | steps | of \
         copy bandwidth at 16 B/point | label |",
    );
    out("|---|---|---|---|---|---|---|---|---|");
}

/// Table 8 of the thesis, anew: variants on every device.
///
/// # Errors
/// A device fails; what does not fit is a row.
pub fn portability(
    devices: &[Device],
    variants: &[Variant],
    block: Block,
    effort: Effort,
    out: Out<'_>,
) -> Result<()> {
    head(block, out);
    let mut v1 = Vec::new();
    let mut speeds = Vec::new();
    for device in devices {
        let copy = copy_bytes_per_s(device, block).ok();
        for &variant in variants {
            let config = Config::suited(variant, &device.limits, block);
            let timing = measure(device, &config, block, effort);
            out(&row(&name_of(&config), &device.name, &timing, copy));
            if let Ok(timing) = timing {
                if variant == Variant::Local {
                    v1.push((device, timing.gpoints_per_s()));
                }
                speeds.push((device, variant, timing.gpoints_per_s()));
            }
        }
        if let Some(copy) = copy {
            out(&format!(
                "| copy | {} | - | - | - | - | - | {:.1} GB/s | {} |",
                device.name,
                copy / 1e9,
                Label::Measured
            ));
        }
    }
    for q in models::QUOTED {
        let warning = if q.warning.is_empty() { String::new() } else { format!("; {}", q.warning) };
        out(&format!(
            "| {} | {} | {} | {} | - | - | 100 | - | {}{warning} |",
            q.code,
            q.device,
            q.gpoints_per_s,
            ms(q.step_s),
            Label::Quoted
        ));
    }
    out("");
    for device in devices {
        let of = |wanted: Variant| {
            speeds.iter().find(|(d, v, _)| d.index == device.index && *v == wanted).map(|s| s.2)
        };
        let best = speeds
            .iter()
            .filter(|(d, v, _)| {
                d.index == device.index && *v != Variant::Local && *v != Variant::Fixed
            })
            .max_by(|a, b| a.2.total_cmp(&b.2));
        match device.limits.kind {
            Kind::Gpu => {
                if let (Some(local), Some(task)) =
                    (of(Variant::Local), of(Variant::Task).or(of(Variant::Ring)))
                {
                    out(&format!(
                        "H1 on {}: V1 over V2 (or V2r) = {:.1}x (measured); the thesis' adapted \
                         over ported code on its FPGA {}x (quoted)",
                        device.name,
                        local / task,
                        models::H1
                    ));
                }
            }
            _ => {
                if let (Some(local), Some((_, variant, speed))) = (of(Variant::Local), best) {
                    out(&format!(
                        "H1 on {}: {} over V1 = {:.2}x (measured); the thesis' adapted over ported \
                         code on its FPGA {}x (quoted)",
                        device.name,
                        variant.id(),
                        speed / local,
                        models::H1
                    ));
                }
            }
        }
    }
    let of_kind = |kind| v1.iter().find(|(d, _): &&(&Device, f64)| d.limits.kind == kind);
    match (of_kind(Kind::Gpu), of_kind(Kind::Cpu)) {
        (Some((gpu, g)), Some((cpu, c))) => out(&format!(
            "H2: V1 on {} over V1 on {} = {:.0}x (measured); HD 7970 over i7-2600k {:.0}x (quoted)",
            gpu.name,
            cpu.name,
            g / c,
            models::H2
        )),
        _ => out("H2: no GPU and CPU side by side here: skipped"),
    }
    Ok(())
}

/// Table 9 of the thesis, anew: V1 and the fastest variant of each device, with power where it can
/// be measured.
///
/// # Errors
/// A device fails.
pub fn cross_device(devices: &[Device], block: Block, effort: Effort, out: Out<'_>) -> Result<()> {
    out(&format!("{} interior cells; W/(Gpoint/s) is nJ per point.", block.points()));
    out("");
    out("| code | device | Gpoint/s | s per step | W | W/(Gpoint/s) | label |");
    out("|---|---|---|---|---|---|---|");
    for device in devices {
        let mut best = vec![Config::suited(Variant::Local, &device.limits, block)];
        let quick = Effort { steps: 3, seconds: effort.seconds / 10.0, power: false };
        best.extend(tune(device, block, quick, &mut |_| {})?.map(|(config, _)| config));
        for config in best {
            let timing = match measure(device, &config, block, effort) {
                Ok(timing) => timing,
                Err(error) => {
                    out(&format!(
                        "| {} | {} | - | - | - | - | does not fit: {error} |",
                        name_of(&config),
                        device.name
                    ));
                    continue;
                }
            };
            let speed = timing.gpoints_per_s();
            let (watts, per_point, method) = match &timing.power {
                Some(power) => (
                    format!("{:.1}", power.watts),
                    format!("{:.3}", power.watts / speed),
                    format!("{}; {}", Label::Measured, power.method),
                ),
                None => {
                    ("n/a".into(), "n/a".into(), format!("{}; no power counter", Label::Measured))
                }
            };
            out(&format!(
                "| {} | {} | {speed:.4} | {:.6} | {watts} | {per_point} | {method} |",
                name_of(&config),
                device.name,
                timing.mean_s()
            ));
        }
    }
    for q in models::QUOTED {
        let warning = if q.warning.is_empty() { String::new() } else { format!("; {}", q.warning) };
        out(&format!(
            "| {} | {} | {} | {} | {} (nameplate) | {} | {}{warning} |",
            q.code,
            q.device,
            q.gpoints_per_s,
            q.step_s,
            q.tdp_w,
            q.nj_per_point,
            Label::Quoted
        ));
    }
    Ok(())
}

/// Group sizes of V1 (C14, H11).
///
/// # Errors
/// A device fails.
pub fn groups(devices: &[Device], block: Block, effort: Effort, out: Out<'_>) -> Result<()> {
    head(block, out);
    for device in devices {
        let copy = copy_bytes_per_s(device, block).ok();
        for group in [[16, 16], [32, 4], [32, 8], [32, 32], [64, 4], [64, 64]] {
            let config = Config { group, ..Config::new(Variant::Local) };
            out(&row(
                &name_of(&config),
                &device.name,
                &measure(device, &config, block, effort),
                copy,
            ));
        }
        for lanes in [1, 2, 4, 8] {
            let config = Config { lanes, ..Config::new(Variant::Lanes) };
            out(&row(
                &name_of(&config),
                &device.name,
                &measure(device, &config, block, effort),
                copy,
            ));
        }
    }
    out("");
    out(
        "The thesis on its FPGA: 32 x 32 is faster than 16 x 16, 64 x 64 does not fit (quoted from \
         thesis, no numbers).",
    );
    Ok(())
}

/// Total sizes 348 to 364 (C36, H8).
///
/// # Errors
/// A device fails.
pub fn sizes(devices: &[Device], effort: Effort, out: Out<'_>) -> Result<()> {
    out("Total cells along each axis; Gpoint/s of interior cells (measured).");
    out("");
    out("| code | device | 348 | 352 | 356 | 360 | 364 |");
    out("|---|---|---|---|---|---|---|");
    for device in devices {
        // One thread of a GPU would take minutes for a step.
        let ring = (device.limits.kind != Kind::Gpu).then_some(Variant::Ring);
        for variant in [Variant::Plain, Variant::Local].into_iter().chain(ring) {
            let mut line = format!("| {} | {} |", variant.id(), device.name);
            for full in [348, 352, 356, 360, 364] {
                let block = Block::cube(full - 4)?;
                let config = Config::suited(variant, &device.limits, block);
                let cell = measure(device, &config, block, effort);
                line += &cell
                    .map_or(" does not fit |".into(), |t| format!(" {:.4} |", t.gpoints_per_s()));
            }
            out(&line);
        }
    }
    let [even, uneven] = models::CLIFF;
    out(&format!(
        "| V2 | FPGA p385_A7 | - | {uneven} | {even} | placement error | - |  ({})",
        Label::Quoted
    ));
    Ok(())
}

/// Work-items that share the tiles (C22).
///
/// # Errors
/// The device fails.
pub fn workers(device: &Device, block: Block, effort: Effort, out: Out<'_>) -> Result<()> {
    out(&format!("V2m on {}, {} interior cells (measured)", device.name, block.points()));
    out("");
    out("| workers | Gpoint/s | over one |");
    out("|---|---|---|");
    let mut one = None;
    let mut workers = 1;
    while workers <= device.limits.units.max(1) {
        let config =
            Config { workers, ..Config::suited(Variant::Replicated, &device.limits, block) };
        let speed = measure(device, &config, block, effort)?.gpoints_per_s();
        let first = *one.get_or_insert(speed);
        out(&format!("| {workers} | {speed:.4} | {:.2} |", speed / first));
        workers *= 2;
    }
    Ok(())
}

/// The ring against the shift register (C21): same tiles, a volume only as deep as it must be.
///
/// # Errors
/// The device fails.
pub fn ring(device: &Device, out: Out<'_>) -> Result<()> {
    out(&format!("The ring (V2r) against the shift register (V2) on {} (measured)", device.name));
    out("");
    out("| tile | volume | V2, ms | V2r, ms | ratio |");
    out("|---|---|---|---|---|");
    let effort = Effort { steps: 3, seconds: 60.0, power: false };
    for (tile, n) in [([36, 36], [68, 68, 12]), ([180, 180], [176, 176, 4])] {
        let block = Block::new(n)?;
        let time =
            |variant| measure(device, &Config { tile, ..Config::new(variant) }, block, effort);
        let (literal, ring) = (time(Variant::Task)?.median_s(), time(Variant::Ring)?.median_s());
        out(&format!(
            "| {} x {} x 6 | {} x {} x {} | {} | {} | {:.0}x |",
            tile[0],
            tile[1],
            n[0] + 4,
            n[1] + 4,
            n[2] + 4,
            ms(literal),
            ms(ring),
            literal / ring
        ));
    }
    Ok(())
}

/// Rounding of V5 for each number of fractional bits, against V0 in double precision; V0b in `f32`
/// for comparison (C25).
///
/// # Errors
/// The device fails.
pub fn fixed(device: &Device, block: Block, steps: usize, out: Out<'_>) -> Result<()> {
    let medium = medium(block)?;
    let start = wave::hump(block);
    let mut oracle = Reference::<f64>::from_levels(block, &medium.vel, &start, &start);
    for _ in 0..steps {
        oracle.step()?;
    }
    let want = oracle.newest()?;
    out(&format!(
        "V5 on {} after {steps} steps of a hump of height 1, {} interior cells (measured)",
        device.name,
        block.points()
    ));
    out("");
    out("| format | relative L2 error against f64 | values that did not fit |");
    out("|---|---|---|");
    let mut run = |config: &Config| -> Result<()> {
        let levels = [&medium.vel[..], &start, &start];
        let mut wave = Simulation::from_levels(device, config, block, levels, false)?;
        for _ in 0..steps {
            wave.step()?;
        }
        let error = metrics::relative_l2(&wave.newest()?, &want);
        let (name, lost) = match config.variant {
            Variant::Fixed => (name_of(config), wave.overflows()?.to_string()),
            _ => ("V0b f32".into(), "-".into()),
        };
        out(&format!("| {name} | {error:.2e} | {lost} |"));
        Ok(())
    };
    for fraction in [12, 16, 20, 24, 28, 30] {
        run(&Config { fraction, ..Config::new(Variant::Fixed) })?;
    }
    run(&Config::new(Variant::Plain))
}

/// Tries all [`candidates`] and returns the fastest with its Gpoint/s.
///
/// # Errors
/// Never for a candidate that does not fit; the device fails otherwise.
pub fn tune(
    device: &Device,
    block: Block,
    effort: Effort,
    out: Out<'_>,
) -> Result<Option<(Config, f64)>> {
    let mut best: Option<(Config, f64)> = None;
    for config in candidates(device, block) {
        let Ok(timing) = measure(device, &config, block, effort) else { continue };
        let speed = timing.gpoints_per_s();
        out(&format!("{:<28} {speed:>10.4} Gpoint/s", name_of(&config)));
        if best.as_ref().is_none_or(|(_, s)| speed > *s) {
            best = Some((config, speed));
        }
    }
    Ok(best)
}

/// What was found fastest, by device and size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    /// The device's name.
    pub device: String,
    /// Interior cells.
    pub n: [usize; 3],
    /// The fastest.
    pub config: Config,
    /// Its speed then.
    pub gpoints_per_s: f64,
}

/// The fastest variant for a device and a size: from the file `cache`, or tried and put there.
///
/// # Errors
/// The file is not one of these, cannot be written, or nothing fits the device.
pub fn autotune(
    device: &Device,
    block: Block,
    effort: Effort,
    cache: &std::path::Path,
    out: Out<'_>,
) -> Result<Tuned> {
    let mut known: Vec<Tuned> = match std::fs::read(cache) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| {
            Error::file(cache, format!("it is no file of tuned kernels ({e}): remove it"))
        })?,
        Err(_) => Vec::new(),
    };
    if let Some(tuned) = known.iter().find(|t| t.device == device.name && t.n == block.n) {
        out(&format!("from {}", cache.display()));
        return Ok(tuned.clone());
    }
    let (config, gpoints_per_s) = tune(device, block, effort, out)?
        .ok_or_else(|| Error::Device(format!("no kernel fits {}", device.name)))?;
    let tuned = Tuned { device: device.name.clone(), n: block.n, config, gpoints_per_s };
    known.push(tuned.clone());
    let text = serde_json::to_vec_pretty(&known)
        .map_err(|e| Error::file(cache, format!("cannot be written: {e}")))?;
    std::fs::write(cache, text).map_err(|e| Error::writing(cache, &e))?;
    Ok(tuned)
}

/// How a tuned kernel is called in the tables.
impl std::fmt::Display for Tuned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: {} ({:.4} Gpoint/s when it was tuned)",
            self.device,
            name_of(&self.config),
            self.gpoints_per_s
        )
    }
}
