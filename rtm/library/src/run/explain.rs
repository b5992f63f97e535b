//! What a run will take, said before it starts: sizes, time step, memory and time of every
//! strategy.

use std::fmt::Write as _;

use super::amounts::{bytes, duration};
use super::backend::{AnyBackend, room_of};
use super::job::{Job, ShotPlan};
use super::opened::Survey;
use super::params::{Parameters, Precision, ReplayCode, StrategyCode};
use super::speed;
use crate::plan::Strategy;
use crate::strategy::schedule;
use crate::{Plan, Result};

/// One strategy for the largest shot.
struct Row {
    name: String,
    bytes: usize,
    steps: usize,
}

/// Describes a migration without running it. `rate` is the number of grid points per second and
/// step, measured here if not given.
///
/// # Errors
/// As [`Survey::open`].
pub fn explain(params: &Parameters, backend: &dyn AnyBackend, rate: Option<f64>) -> Result<String> {
    let survey = Survey::open(params, room_of(params, backend)?)?;
    let (rate, from) = match rate {
        Some(rate) => (rate, "as given"),
        None => (measured_rate(params, backend)?, "measured on this machine just now"),
    };
    let mut text = String::new();
    describe_model(&mut text, &survey.job);
    let (dt_s, nt) = (survey.dt_s, survey.nt);
    let size = |n: [usize; 3]| format!("{} x {} x {}", n[0], n[1], n[2]);
    let _ = writeln!(
        text,
        "time        dt = {:.6} ms (largest stable {:.6} ms), nt = {nt}",
        dt_s * 1e3,
        survey.job.dt_max_s * 1e3
    );
    let largest = survey.plans.iter().max_by_key(|p| p.plan.grid.len());
    let Some(largest) = largest else { return Ok(text) };
    let _ = writeln!(
        text,
        "shots       {} of the file, {} traces at most; largest submodel {} points (shot {}), {} \
         layers on each face",
        survey.plans.len(),
        survey.plans.iter().map(|p| p.receivers).max().unwrap_or(0),
        size(largest.plan.grid.n),
        largest.id,
        largest.plan.layers
    );
    let _ =
        writeln!(text, "image       {} points", size(survey.job.crop(&survey.job.model).grid.n));
    let _ = writeln!(
        text,
        "\n{:<34} {:>12} {:>14} {:>12}",
        "strategy", "memory", "steps per shot", "time, all"
    );
    let points: f64 = survey.plans.iter().map(|p| p.plan.grid.len() as f64).sum();
    for row in rows(&survey.job, largest)? {
        let seconds = row.steps as f64 * points / rate;
        let _ = writeln!(
            text,
            "{:<34} {:>12} {:>14} {:>12}",
            row.name,
            bytes(row.bytes as f64),
            row.steps,
            duration(seconds)
        );
    }
    let _ = writeln!(
        text,
        "\nmemory is that of fields, layers, traces and checkpoints of the largest shot on the \
         back end, of whose memory {} may be used.\ntime is modelled: steps x points / {:.0} \
         million points per second, {from}.",
        bytes(survey.job.budget_bytes() as f64),
        rate / 1e6
    );
    for note in &survey.job.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if let Err(e) = survey.job.check_memory(largest) {
        let _ = writeln!(text, "problem: {e}");
    }
    Ok(text)
}

/// Points per second of a step with layers, in a cube like that of a small shot.
fn measured_rate(params: &Parameters, backend: &dyn AnyBackend) -> Result<f64> {
    let (n, layers) = (128, params.lpml.clamp(1, 20));
    Ok(match params.precision {
        Precision::F32 => {
            speed::measure::<f32>(backend, n, params.ord, layers, speed::Top::Alike, 8, 3)?
        }
        Precision::F64 => {
            speed::measure::<f64>(backend, n, params.ord, layers, speed::Top::Alike, 8, 3)?
        }
    }
    .points_per_s())
}

fn describe_model(text: &mut String, job: &Job) {
    let line = |grid: &crate::Grid| {
        let [nx, ny, nz] = grid.n;
        let [dx, dy, dz] = grid.d_m;
        format!("{nx} x {ny} x {nz} points, {dx} x {dy} x {dz} m")
    };
    let _ = writeln!(
        text,
        "model       {}; {} to {} m/s",
        line(&job.user),
        job.range_mps.0,
        job.range_mps.1
    );
    let _ = writeln!(text, "extended    {}", line(&job.extended.grid));
    let _ = writeln!(text, "resampled   {} (factor {:?})", line(&job.model.grid), job.factor);
    if !job.params.abc.absorbs(crate::plan::Face::Top) {
        let _ = writeln!(text, "surface     free, at z = {} m", job.model.grid.origin_m[2]);
    }
    let start_ms = job.signature.start_s() * 1e3;
    let _ = writeln!(text, "source      from {start_ms:.1} ms on (0 is the shot's time zero)");
    let wavelength = job.range_mps.0 / job.peak_hz;
    let _ = writeln!(
        text,
        "waves       fq = {} Hz: {:.1} points per shortest wavelength ({wavelength:.1} m), order \
         {}",
        job.peak_hz,
        wavelength / job.model.grid.d_max_m(),
        job.params.ord
    );
}

/// Every strategy for a shot; the chosen one is marked.
fn rows(job: &Job, shot: &ShotPlan) -> Result<Vec<Row>> {
    let samples = shot.traces * shot.plan.nt;
    let chosen = (job.params.strategy, job.params.replay);
    let variants = [
        ("boundaries (6)", StrategyCode::Boundaries, ReplayCode::Segment),
        ("random (7)", StrategyCode::Random, ReplayCode::Segment),
        ("checkpoints (8), level", StrategyCode::Checkpoints, ReplayCode::Level),
        ("checkpoints (8), segment", StrategyCode::Checkpoints, ReplayCode::Segment),
        ("checkpoints (8), binomial", StrategyCode::Checkpoints, ReplayCode::Binomial),
        ("store (1)", StrategyCode::Store, ReplayCode::Segment),
    ];
    let mut rows = Vec::new();
    for (name, strategy, replay) in variants {
        let of_volumes = [StrategyCode::Boundaries, StrategyCode::Random].contains(&strategy);
        if shot.plan.plane && of_volumes {
            continue;
        }
        let is_chosen =
            strategy == chosen.0 && (strategy != StrategyCode::Checkpoints || replay == chosen.1);
        let Ok(strategy) = job.strategy_of(strategy, replay, &shot.plan, shot.traces) else {
            rows.push(Row { name: format!("{name}: does not fit"), bytes: 0, steps: 0 });
            continue;
        };
        let plan = Plan { strategy, ..shot.plan.clone() };
        let detail = match strategy {
            Strategy::Checkpoints { ks_store, .. } => format!(", ks_store={ks_store}"),
            Strategy::Binomial { slots } => format!(", slots={slots}"),
            _ => String::new(),
        };
        let mark = if is_chosen { " *" } else { "" };
        rows.push(Row {
            name: format!("{name}{detail}{mark}"),
            bytes: job.bytes(&plan, samples),
            steps: schedule::stencils(&plan),
        });
    }
    Ok(rows)
}
