//! Times of every version of both benchmarks, for `cargo lab study npb` and `npb --study`.

use std::time::{Duration, Instant};

use labkit::{Backend, Lab, LabError, backend};
use npb::study::Row;
use npb::{ep, ft};
use npb_parallel::ft::Workspace;

use super::plain;
use crate::e3_3_03::ep_gpu;
use crate::e3_4_07::ft_gpu;
use crate::ep::Version;
use crate::ft::{Layout, Params};

/// Largest number of pairs and of points, as powers of two, that an emulated device is asked for.
const EMULATED: (u32, u32) = (20, 16);
/// A version that takes longer is not run again.
const ENOUGH: Duration = Duration::from_secs(20);

/// Whether the versions of the CPU are meant.
fn on_cpu(version: &str) -> bool {
    matches!(version, "sequential" | "parallel")
}

/// Runs a version of a benchmark (`EP` or `FT`) at a class: once to warm up and `runs` times more,
/// or fewer if that takes more than 20 seconds. An emulated device, whose times are a model's, runs
/// it once. `None` for what an emulated device would take too long for.
///
/// # Errors
/// An unknown benchmark, class or version; what the exercise's code or the driver refuses.
pub fn row(
    benchmark: &str,
    class: &str,
    version: &str,
    runs: usize,
) -> Result<Option<Row>, LabError> {
    let unknown = |what, name| LabError::refused(format!("{benchmark} has no {what} {name}"));
    let lab = if on_cpu(version) { None } else { Some(Lab::new()?) };
    let predicted = lab.is_some() && backend() == Backend::Emulated;
    let (name, mop, small, once) = match benchmark {
        "EP" => {
            let class = ep::Class::by_name(class).ok_or_else(|| unknown("class", class))?;
            let once = ep_once(class, version, lab.as_ref());
            (class.name, class.mop(), class.m <= EMULATED.0, once)
        }
        "FT" => {
            let class = ft::Class::by_name(class).ok_or_else(|| unknown("class", class))?;
            let small = class.size.iter().product::<usize>() <= 1 << EMULATED.1;
            (class.name, class.mop(), small, ft_once(class, version, lab.as_ref()))
        }
        _ => return Err(LabError::refused(format!("there is no benchmark {benchmark}"))),
    };
    let mut once = once.ok_or_else(|| unknown("version", version))?;
    if predicted && !small {
        return Ok(None);
    }
    let (mut seconds, mut verified) = (Vec::new(), true);
    let start = Instant::now();
    // The first run finds memory that nobody has touched, and a card that sleeps.
    let mut warm = predicted;
    while seconds.is_empty() || (!predicted && seconds.len() < runs && start.elapsed() < ENOUGH) {
        let (time, right) = once()?;
        verified &= right;
        if warm || start.elapsed() >= ENOUGH {
            seconds.push(time);
        }
        warm = true;
    }
    let place = match (&lab, version) {
        (Some(lab), _) => lab.gpu_name()?,
        (None, "sequential") => "1 thread".to_owned(),
        (None, _) => format!("{} threads", rayon::current_num_threads()),
    };
    Ok(Some(Row {
        benchmark: benchmark.to_owned(),
        class: name.to_owned(),
        version: version.to_owned(),
        place,
        predicted,
        seconds,
        mop,
        verified,
    }))
}

/// A run: seconds, and whether its result is the official one.
type Once<'a> = Box<dyn FnMut() -> Result<(f64, bool), LabError> + 'a>;

/// Seconds by the clock, and the result.
fn clocked<R>(f: impl FnOnce() -> Result<R, LabError>) -> Result<(f64, R), LabError> {
    let start = Instant::now();
    let result = f()?;
    Ok((start.elapsed().as_secs_f64(), result))
}

fn ep_once<'a>(class: &'static ep::Class, version: &str, lab: Option<&'a Lab>) -> Option<Once<'a>> {
    let mk = ep::OFFICIAL_MK.min(class.m);
    let cpu = |run: fn(u32, u32) -> Result<ep::EpResult, LabError>| -> Once<'a> {
        Box::new(move || {
            let (time, result) = clocked(|| run(class.m, mk))?;
            Ok((time, class.verify(&result).is_ok()))
        })
    };
    Some(match (version, lab) {
        ("sequential", _) => cpu(plain::ep),
        ("parallel", _) => {
            cpu(|m, mk| npb_parallel::ep::parallel(m, mk).map_err(LabError::refused))
        }
        ("ours", Some(lab)) => Box::new(move || {
            let (result, time) = super::ep::fast(lab, class.m, 1)?;
            Ok((time.as_secs_f64(), class.verify(&result).is_ok()))
        }),
        ("paper" | "better", Some(lab)) => {
            let version = if version == "paper" { Version::Paper } else { Version::Better };
            let mk = class.m.saturating_sub(18).clamp(6, 14).min(class.m);
            Box::new(move || {
                let (result, ms) = ep_gpu(lab, version, class.m, mk, 128)?;
                Ok((f64::from(ms) / 1e3, class.verify(&result).is_ok()))
            })
        }
        _ => return None,
    })
}

fn ft_once<'a>(class: &'static ft::Class, version: &str, lab: Option<&'a Lab>) -> Option<Once<'a>> {
    let (size, niter) = (class.size, class.iterations());
    let [nx, ny, nz] = size;
    let layout = match version {
        "direct" => Some(Layout::Direct),
        "paper" => Some(Layout::Paper),
        "shared" => Some(Layout::Shared),
        _ => None,
    };
    Some(match (version, layout, lab) {
        ("sequential", ..) => Box::new(move || {
            let (time, sums) = clocked(|| plain::ft(size, niter))?;
            Ok((time, class.verify(&sums).is_ok()))
        }),
        ("parallel", ..) => {
            // As in the official program memory is there before the clock starts.
            let mut workspace = None;
            Box::new(move || {
                let work = match &mut workspace {
                    Some(work) => work,
                    empty => empty.insert(Workspace::new(size).map_err(LabError::refused)?),
                };
                let (time, sums) = clocked(|| Ok(work.run(niter, &mut |_, _| ())))?;
                Ok((time, class.verify(&sums).is_ok()))
            })
        }
        (_, Some(layout), Some(lab)) => Box::new(move || {
            let (sums, times) = ft_gpu(lab, &Params { nx, ny, nz, niter }, layout)?;
            Ok((f64::from(times.total) / 1e3, class.verify(&sums).is_ok()))
        }),
        ("ours" | "library", None, Some(lab)) => {
            let version = match version {
                "ours" => super::ft::Version::Own,
                _ => super::ft::Version::Library,
            };
            Box::new(move || {
                let (sums, time) = super::ft::run(lab, version, size, niter, 1, &mut |_| ())?;
                Ok((time.as_secs_f64(), class.verify(&sums).is_ok()))
            })
        }
        _ => return None,
    })
}
