//! What an inspected file suggests: lines for the run file, and what looks wrong in the headers.

use super::inspect::Inspection;
use crate::{Result, fd};

/// What the user knows of the ground and the run.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    /// Smallest velocity, m/s.
    pub v_min_mps: f64,
    /// Largest velocity, m/s, if known.
    pub v_max_mps: Option<f64>,
    /// Order of the differences in space.
    pub order: usize,
}

/// Error of the phase velocity that is allowed at the highest frequency.
const PHASE_ERROR: f64 = 0.01;

/// Lines as they may stand in a file of `key=value` words: a word and why, or a remark after `#`.
///
/// # Errors
/// There is no such order.
pub fn suggestions(found: &Inspection, data: &str, ground: Ground) -> Result<Vec<String>> {
    fd::check_order(ground.order)?;
    let mut lines = Vec::new();
    let mut word = |word: String, why: String| lines.push(format!("{word:<24} # {why}"));
    word(format!("data={data}"), format!("{} shots", found.shots));
    if let Some(band) = found.band() {
        let points = points_per_wavelength(ground.order);
        let d_m = fd::d_max_m(ground.v_min_mps, points, band.high_hz);
        word(format!("fq={:.1}", band.peak_hz), "the spectrum's peak".into());
        word(
            format!("ord={} pplo={:.1}", ground.order, points * band.high_hz / band.peak_hz),
            format!(
                "{points:.1} points of a wavelength at {:.1} Hz: spacing up to {} / ({:.1} x \
                 {points:.1}) = {d_m:.2} m",
                band.high_hz, ground.v_min_mps, band.high_hz
            ),
        );
        if let Some(v_max) = ground.v_max_mps {
            let dt_s = fd::dt_max_s(ground.order, d_m, v_max);
            word(
                format!("dt={:.6}", (dt_s * 1e6).floor() * 1e-6),
                format!("the largest stable one at {d_m:.2} m and {v_max} m/s, or leave it out"),
            );
        }
    }
    if let Some(direct) = found.direct {
        let (peak_ms, v_mps) = (direct.peak_s * 1e3, direct.v_mps);
        if direct.peak_s.abs() > 2.0 * found.dt_s() {
            word(
                format!("wavelet_zero={:.4}", -direct.peak_s),
                format!("the direct wave's peak leaves the source {peak_ms:.1} ms after time zero"),
            );
        }
        let half_s = found.band().map_or(0.0, |b| 1.0 / b.peak_hz);
        word(
            format!("mute={v_mps:.0},{:.3}", direct.peak_s + half_s),
            "silences the direct wave: a period after its peak".into(),
        );
    }
    if found.lines > 0 && found.lines == found.runs {
        word("differentiate=0.5".into(), "the receivers of each shot lie on a line".into());
    }
    if found.delay_s() != 0.0 {
        word(
            format!("delay={}", found.delay_s()),
            "as the headers say (delrt): may be left out".into(),
        );
    }
    let [x, y] = [0, 1].map(|a| found.source_m[a].low.min(found.receiver_m[a].low));
    let across = |a: usize| found.source_m[a].width().max(found.receiver_m[a].width());
    let far = 10.0 * (across(0) + across(1));
    if x.is_finite() && x.abs().max(y.abs()) > far {
        word(
            format!("rotate={x:.0},{y:.0},0"),
            "the model's origin: the smallest x and y; turn the last number, degrees, to its axes"
                .into(),
        );
    }
    let says = aliased(found, ground.v_min_mps).into_iter().chain(remarks(found));
    lines.extend(says.map(|r| format!("# {r}")));
    Ok(lines)
}

/// What receivers so far apart cannot tell: waves whose trace along the line is shorter than twice
/// their distance.
fn aliased(found: &Inspection, v_min_mps: f64) -> Option<String> {
    let (group_m, high_hz) = (found.group_m?, found.band()?.high_hz);
    let sine = v_min_mps / (2.0 * group_m * high_hz);
    (sine < 1.0).then(|| {
        format!(
            "receivers lie {group_m:.1} m apart: at {high_hz:.1} Hz waves of {v_min_mps} m/s are \
             aliased that arrive at more than {:.0} degrees from the vertical, and along the line \
             from {:.1} Hz on; mute the direct wave, and where flanks are steep keep to lower \
             frequencies (rtm prepare --band)",
            sine.asin().to_degrees(),
            v_min_mps / (2.0 * group_m)
        )
    })
}

/// Points of a wavelength at which waves are slow by no more than [`PHASE_ERROR`], at small time
/// steps.
fn points_per_wavelength(order: usize) -> f64 {
    let wrong = |points: f64| (fd::phase_velocity_ratio(order, points, 0.01) - 1.0).abs();
    let tenths = (21..400).map(|k| f64::from(k) * 0.1);
    tenths.rev().take_while(|p| wrong(*p) <= PHASE_ERROR).last().unwrap_or(40.0)
}

/// What looks empty or wrong.
fn remarks(found: &Inspection) -> Vec<String> {
    let mut says = Vec::new();
    let mut say = |wrong: bool, text: String| {
        if wrong {
            says.push(text);
        }
    };
    let empty = |word: &str| found.empty.contains(&word);
    let a = &found.amplitudes;
    say(found.dt_s() <= 0.0, "dt (bytes 117-118) is 0: set it in the file".into());
    say(found.steps_ns.len() > 1, format!("traces have {} different dt", found.steps_ns.len()));
    say(
        found.delay_us.len() > 1,
        format!(
            "traces have {} different delays (delrt): rtm prepare --start brings them to one",
            found.delay_us.len()
        ),
    );
    let places = [("sx", "gx"), ("sy", "gy")].map(|(s, g)| empty(s) && empty(g));
    say(
        places[0] && places[1],
        "sources and receivers have no places (sx sy gx gy are 0): name where they are, such \
         as header.sx=201:4 header.gx=cdpx"
            .into(),
    );
    say(places[0] != places[1], {
        let axis = if places[0] { "x" } else { "y" };
        format!("all {axis} are 0: a line along the other axis")
    });
    let collocated = found.offset_m.high == 0.0 && !(places[0] && places[1]);
    say(
        collocated,
        "all offsets are 0: stacked traces or midpoints, not shots, or gx is elsewhere".into(),
    );
    say(empty("fldr"), "fldr is 0: shots are told apart by their source's place".into());
    let single = found.channels == [1, 1] && found.traces > 1;
    say(
        found.runs > found.shots,
        format!(
            "{} shots come in {} runs: sorted by CDP or receiver; sort by shot first (Seismic \
             Un*x: susort fldr tracf)",
            found.shots, found.runs
        ),
    );
    say(
        single && found.runs == found.shots,
        "each shot has one trace: fldr counts traces, or the file is sorted by CDP; name the \
         shot's number, such as header.fldr=ep"
            .into(),
    );
    say(
        found.moved_sources > 0,
        format!("{} traces have another source than their shot's first", found.moved_sources),
    );
    say(
        found.angles > 0,
        format!("{} traces have angles as coordinates (counit): not read", found.angles),
    );
    say(empty("scalco"), "scalco is 0, taken as 1: check that lengths are in whole units".into());
    say(
        found.scalco.len() > 1,
        format!("scalco differs: {:?}", found.scalco.keys().collect::<Vec<_>>()),
    );
    let surface =
        [found.source_m[2], found.receiver_m[2]].iter().all(|z| z.low == 0.0 && z.high == 0.0);
    say(
        surface,
        "sources and receivers lie at depth 0; a free surface (abc) wants them deeper".into(),
    );
    say(empty("trid"), "trid is 0 (unknown): taken as live".into());
    let odd: Vec<_> = found.ids.keys().filter(|id| !(0..=3).contains(*id)).collect();
    say(!odd.is_empty(), format!("trid {odd:?} is neither seismic data (1) nor dead (2, 3)"));
    say(found.dead() == found.traces, "all traces are dead".into());
    say(
        a.broken > 0,
        format!(
            "{} samples are NaN or infinite, the first in trace {}: rtm prepare leaves such out",
            a.broken,
            a.first_broken.unwrap_or(0)
        ),
    );
    say(
        a.zeros > 0,
        format!("{} live traces hold only zeros: rtm prepare leaves them out", a.zeros),
    );
    says
}
