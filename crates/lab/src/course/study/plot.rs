//! Two plots of a study as SVG: bars of memory traffic by variant, and speed-up over K with the occupancy.

use std::fmt::Write;

use grading::study::Study;
use simt::device::DeviceModel;

use super::Point;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 70.0;
const BOTTOM: f64 = 60.0;
/// Colours that stay apart for colour-blind readers.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

fn begin(title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"22\" text-anchor=\"middle\" font-size=\"15\">{}</text>\n",
        WIDTH / 2.0,
        escape(title)
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn legend(svg: &mut String, names: &[String], colours: &[&str]) {
    let mut x = LEFT;
    for (name, colour) in names.iter().zip(colours) {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.0}\" y=\"38\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"{:.0}\" y=\"48\">{}</text>",
            x + 17.0,
            escape(name)
        );
        x += 32.0 + 7.0 * name.len() as f64;
    }
}

/// Height of a value on an axis of powers of ten.
struct Log {
    low: f64,
    high: f64,
}

impl Log {
    fn of(values: &[f64]) -> Log {
        let positive = values.iter().copied().filter(|v| v.is_finite() && *v > 0.0);
        let (low, high) = positive.fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        // A bar of the least value must have a height.
        let low = low.log10().floor() - f64::from(u8::from(low.log10().fract() == 0.0));
        Log { low, high: high.log10().ceil().max(low + 1.0) }
    }

    fn y(&self, value: f64) -> f64 {
        let bottom = HEIGHT - BOTTOM;
        let share = (value.log10() - self.low) / (self.high - self.low);
        bottom - share.clamp(0.0, 1.0) * (bottom - TOP)
    }

    fn grid(&self, svg: &mut String) {
        for decade in self.low as i32..=self.high as i32 {
            let y = self.y(10f64.powi(decade));
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan></text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0
            );
        }
    }
}

/// A value in a bar's few characters.
fn short(v: f64) -> String {
    match v {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 1.0 => format!("{v:.1}"),
        _ => format!("{v:.3}"),
    }
}

/// Bars per output, logarithmic: sectors of global loads, wavefronts of shared loads and stores, for each variant at the study's
/// [`Study::at_k`].
pub(super) fn traffic(study: &Study, points: &[Point]) -> String {
    let shown: Vec<&Point> = points.iter().filter(|p| p.k == study.at_k).collect();
    let bars = |p: &Point| {
        let c = &p.sample.report.total;
        [c.gld_sec, c.shld_wf, c.shst_wf].map(|count| p.sample.per_output(count))
    };
    let all: Vec<f64> = shown.iter().flat_map(|p| bars(p)).collect();
    let axis = Log::of(&all);
    let mut svg =
        begin(&format!("{}: memory traffic per {}, K = {}", study.title, study.unit, study.at_k));
    let names = ["gld.sec (global loads)", "shld.wf (shared loads)", "shst.wf (shared stores)"];
    legend(&mut svg, &names.map(String::from), &COLOURS);
    axis.grid(&mut svg);
    let bottom = HEIGHT - BOTTOM;
    let pitch = (WIDTH - LEFT - RIGHT) / shown.len().max(1) as f64;
    for (i, p) in shown.iter().enumerate() {
        let x0 = LEFT + pitch * i as f64 + 0.1 * pitch;
        let width = 0.8 * pitch / 3.0;
        for (j, value) in bars(p).into_iter().enumerate().filter(|(_, v)| *v > 0.0) {
            let (x, y) = (x0 + width * j as f64, axis.y(value));
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\">{}</text>",
                width - 2.0,
                bottom - y,
                COLOURS[j],
                x + width / 2.0 - 1.0,
                y - 4.0,
                short(value)
            );
        }
        let centre = x0 + 0.4 * pitch;
        let _ = writeln!(
            svg,
            "<text x=\"{centre:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"{centre:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            bottom + 18.0,
            escape(p.variant.name),
            bottom + 34.0,
            escape(p.variant.what)
        );
    }
    svg + "</svg>\n"
}

/// Points of a line in the order of K.
type Curve = Vec<(f64, f64)>;

/// Speed-up over the first variant at the same K (measured where it was measured, else predicted) against K, and on the right axis
/// the occupancy of each variant, dashed.
pub(super) fn speedup(
    study: &Study,
    points: &[Point],
    device: &DeviceModel,
) -> Result<String, String> {
    let time = |p: &Point| -> Result<f64, String> {
        match &p.measured {
            Some(m) => Ok(m.ms),
            None => Ok(p.sample.predict(device)?.ms),
        }
    };
    let measured = points.iter().any(|p| p.measured.is_some());
    let mut lines: Vec<(String, Curve, Curve)> = Vec::new();
    for variant in study.variants {
        let (mut speed, mut warps) = (Vec::new(), Vec::new());
        for p in points.iter().filter(|p| p.variant.name == variant.name) {
            let k = f64::from(p.k);
            warps.push((k, p.sample.occupancy(device)?.percent));
            let first =
                points.iter().find(|q| q.variant.name == study.variants[0].name && q.k == p.k);
            if let Some(first) = first {
                speed.push((k, time(first)? / time(p)?));
            }
        }
        lines.push((variant.name.to_string(), speed, warps));
    }
    let all: Vec<f64> = lines.iter().flat_map(|l| l.1.iter().map(|p| p.1)).collect();
    let top = all.iter().copied().fold(1.0, f64::max) * 1.1;
    let xs: Vec<f64> = points.iter().map(|p| f64::from(p.k)).collect();
    let (low, high) = xs.iter().fold((f64::INFINITY, 0.0f64), |(l, h), x| (l.min(*x), h.max(*x)));
    let (low, high) = if low < high { (low, high) } else { (0.0, high.max(1.0)) };
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let px = |k: f64| LEFT + 10.0 + (k - low) / (high - low) * (right - LEFT - 20.0);
    let py = |share: f64| bottom - share * (bottom - TOP);
    let how = if measured { "measured" } else { "predicted" };
    let mut svg = begin(&format!(
        "{}: speed-up over {} ({how}), and occupancy",
        study.title, study.variants[0].name
    ));
    let names: Vec<String> = lines.iter().map(|l| l.0.clone()).collect();
    legend(&mut svg, &names, &COLOURS);
    for step in 0..=4 {
        let (share, y) = (f64::from(step) / 4.0, py(f64::from(step) / 4.0));
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text><text x=\"{}\" y=\"{:.1}\">{:.0} %</text>",
            LEFT - 8.0,
            y + 4.0,
            short(share * top),
            right + 8.0,
            y + 4.0,
            100.0 * share
        );
    }
    let mut ks: Vec<u32> = points.iter().map(|p| p.k).collect();
    ks.sort_unstable();
    ks.dedup();
    for k in ks {
        let x = px(f64::from(k));
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{k}</text>",
            bottom + 18.0
        );
    }
    let middle = (TOP + bottom) / 2.0;
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">K</text>\
         <text transform=\"translate(22 {middle}) rotate(-90)\" text-anchor=\"middle\">speed-up (solid)</text>\
         <text transform=\"translate({} {middle}) rotate(90)\" text-anchor=\"middle\">occupancy (dashed)</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 18.0,
        WIDTH - 14.0
    );
    for ((_, speed, warps), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let path = |points: &[(f64, f64)], scale: f64| {
            let list: Vec<String> =
                points.iter().map(|(k, v)| format!("{:.1},{:.1}", px(*k), py(v / scale))).collect();
            list.join(" ")
        };
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-dasharray=\"4 4\" opacity=\"0.7\"/>",
            path(speed, top),
            path(warps, 100.0)
        );
    }
    Ok(svg + "</svg>\n")
}
