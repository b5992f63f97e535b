//! Plots of a study as SVG: memory traffic by variant, and speed-up over K with the occupancy.

use figures::{Axis, Chart, Roofline, Series, roofline, stacked_panels};
use grading::study::Study;
use simt::device::DeviceModel;
use simt::render::RooflinePoint;

use super::Point;

/// Bars per output, logarithmic: sectors of global loads, wavefronts of shared loads and stores,
/// for each variant at the study's [`Study::at_k`]. What no variant has is left out.
pub(super) fn traffic(study: &Study, points: &[Point]) -> String {
    let shown: Vec<&Point> = points.iter().filter(|p| p.k == study.at_k).collect();
    let names = || shown.iter().map(|p| format!("{} ({})", p.variant.name, p.variant.what));
    let counts = |p: &Point| {
        let c = &p.sample.report.total;
        [c.gld_sec, c.shld_wf, c.shst_wf].map(|count| p.sample.per_output(count))
    };
    let titles = ["sectors of global loads", "wavefronts of shared loads", "of shared stores"];
    let panel = |(k, title): (usize, &&str)| {
        let bars: Vec<f64> = shown.iter().map(|p| counts(p)[k]).collect();
        let y = Axis::log(&format!("{title} per {}", study.unit));
        let head = match k {
            0 => format!("{}: memory traffic, K = {}", study.title, study.at_k),
            _ => String::new(),
        };
        let chart =
            Chart::new(&head, Axis::names("", names()), y).size(110.0 * bars.len() as f64, 150.0);
        bars.iter().any(|b| *b > 0.0).then(|| chart.bars("", bars))
    };
    let panels: Vec<Chart> = titles.iter().enumerate().filter_map(panel).collect();
    stacked_panels(&panels).svg()
}

/// Speed-up over the first variant at the same K (measured where it was measured, else predicted)
/// against K, and below it the occupancy of each variant.
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
    let how = match points.iter().any(|p| p.measured.is_some()) {
        true => "measured",
        false => "predicted",
    };
    let first = study.variants[0].name;
    let (mut speeds, mut warps) = (Vec::new(), Vec::<Series>::new());
    for (style, variant) in study.variants.iter().enumerate() {
        let (mut speed, mut occupied) = (Vec::new(), Vec::new());
        for p in points.iter().filter(|p| p.variant.name == variant.name) {
            let k = f64::from(p.k);
            occupied.push((k, p.sample.occupancy(device)?.percent));
            if let Some(base) = points.iter().find(|q| q.variant.name == first && q.k == p.k) {
                speed.push((k, time(base)? / time(p)?));
            }
        }
        speeds.push(Series::line(variant.name, speed));
        // Equal lines are one.
        match warps.iter_mut().find(|w| w.points == occupied) {
            Some(same) => same.name += &format!(", {}", variant.name),
            None => warps.push(Series::line(variant.name, occupied).style(style)),
        }
    }
    let k = || if study.ks.len() > 3 { Axis::log("K") } else { Axis::linear("K") };
    let title = format!("{}: speed-up over {first}, {how}", study.title);
    let upper = Chart::new(&title, k(), Axis::linear("speed-up").from_zero()).with_all(speeds);
    let whose = if warps.len() == 1 { "occupancy of all (%)" } else { "occupancy (%)" };
    let occupancy = Axis::linear(whose).range(0.0, 105.0);
    let lower = Chart::new("", k(), occupancy).with_all(warps).size(560.0, 180.0);
    Ok(stacked_panels(&[upper, lower]).svg())
}

/// A roofline as SVG: operations per 4-byte global access against performance. The roofs are the
/// device memory's and the L1 cache's bandwidth and the peaks in f32 and f64; each kernel is a
/// point.
pub(crate) fn roofline_svg(d: &DeviceModel, points: &[RooflinePoint]) -> String {
    let tera = |accesses: f64| format!("{:.1} TB/s", 4e-3 * accesses);
    // Accesses of 4 bytes, in 10^9 per second.
    let dram = d.dram_bytes_per_s() / 4e9;
    let l1 = 128.0 * f64::from(d.sms) * d.clock_hz() / 4e9;
    let peak = |name: &str, g: f64| (format!("{name} {:.1} TFLOP/s", 1e-3 * g), g);
    roofline(&Roofline {
        title: format!("Roofline of {}", d.name),
        note: "Counts of the emulated device, predicted times".into(),
        x: "floating-point operations per 4-byte global access (CGMA)".into(),
        slopes: vec![
            (format!("device memory {}", tera(dram)), dram),
            (format!("L1 cache {}", tera(l1)), l1),
        ],
        peaks: vec![peak("f32", d.peak_f32_gflops()), peak("f64", d.peak_f64_gflops())],
        points: points.iter().map(|p| (p.label.clone(), p.cgma, p.gflops)).collect(),
    })
    .svg()
}
