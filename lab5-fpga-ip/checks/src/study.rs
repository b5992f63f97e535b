//! The tables and plots of the lab, by one command: `cargo lab study lab5`.

use std::fmt::Write;

use figures::{Axis, Chart, Series};
use grading::study::{Table, TableStudy, Tables};
use grading::{Class, Finding, Trial, design, expect};
use hdl::estimate::{Count, Device, Estimate, Multipliers, RIMLAB00};
use hdl::plot::overlay;
use hdl::{Block, tools};
use ipcores::fft::{Fft, RADIX2_SCHEDULE, RADIX4_SCHEDULE, peak, signal_to_noise};
use ipcores::fir::Fir;
use ipcores::magnitude::PAIRS;
use serde_json::json;

use crate::{fft, fir};

/// The study.
pub const STUDY: TableStudy = TableStudy { name: "lab5", lab: "lab5", exercise: "5.10", run };

/// Handler, name, bits per clock (0 where that is no parameter).
type Filter = (&'static str, &'static str, u32);
const FILTERS: [Filter; 8] = [
    ("e5_3.systolic", "systolic", 0),
    ("e5_3.transposed", "transposed", 0),
    ("e5_4.serial", "da1", 0),
    ("e5_5.parallel", "da2", 2),
    ("e5_5.parallel", "da4", 4),
    ("e5_5.parallel", "da8", 8),
    ("e5_5.parallel", "da16", 16),
    ("given.mac", "mac", 0),
];

/// Handler, name, schedule.
type Transform = (&'static str, &'static str, &'static [u32]);
const TRANSFORMS: [Transform; 4] = [
    ("given.streaming", "streaming", &RADIX2_SCHEDULE),
    ("e5_8.transform", "radix4", &RADIX4_SCHEDULE),
    ("e5_7.transform", "radix2", &RADIX2_SCHEDULE),
    ("given.lite", "lite", &RADIX2_SCHEDULE),
];

/// A filter of the table.
pub struct FilterRow {
    pub name: &'static str,
    pub period: u32,
    pub latency: u32,
    pub cycles: u64,
    pub impulse: i16,
    pub step: i16,
    pub count: Count,
    pub mhz: f64,
    core: Block,
    top: Block,
    y: Vec<i16>,
}

impl FilterRow {
    /// Samples per second at the estimated clock, in millions.
    pub fn rate(&self) -> f64 {
        self.mhz / f64::from(self.period)
    }
}

/// A transform of the table.
pub struct TransformRow {
    pub name: &'static str,
    pub busy: u64,
    pub total: u64,
    pub peak: f64,
    pub snr: f64,
    pub count: Count,
    pub mhz: f64,
    period: u32,
    schedule: &'static [u32],
    core: Block,
    y: Vec<i16>,
    /// The magnitudes of an exact transform, divided as the schedule does.
    exact: Vec<f64>,
}

fn estimate(block: &Block) -> Estimate {
    Estimate::new(block, &Device::XC3S700A, Multipliers::Blocks)
}

/// Every filter on the board with the report's samples.
///
/// # Errors
/// The first one that cannot be built, or whose results are wrong.
pub fn filters(t: &Trial) -> Result<Vec<FilterRow>, Finding> {
    FILTERS.iter().map(|filter| filter_row(t, filter)).collect()
}

fn filter_row(t: &Trial, &(call, name, p): &Filter) -> Result<FilterRow, Finding> {
    let filter = Fir::lab5();
    let x = fir::stimulus();
    let words: Vec<i64> = x.iter().map(|v| *v as i64).collect();
    let want: Vec<i16> = filter.reference(&words).iter().map(|y| (y >> 17) as i16).collect();
    let core = fir::filter(t, call, &filter, (p > 0).then_some(p))?;
    let top = ipcores::fir::top(&core.block, 17).map_err(|e| Finding::wrong(e.to_string()))?;
    let run = design::run(&mut design::board(&top)?, &x)?;
    expect::eq(name, &run.y, &want)?;
    let e = estimate(&core.block);
    Ok(FilterRow {
        name,
        period: core.period,
        latency: core.latency,
        cycles: run.cycles,
        impulse: run.y[47],
        step: run.y.iter().copied().max().unwrap_or(0),
        count: e.total,
        mhz: e.mhz,
        core: core.block,
        top,
        y: run.y,
    })
}

/// Every transform with one tone.
///
/// # Errors
/// The first one that cannot be built, or whose results are wrong.
pub fn transforms(t: &Trial) -> Result<Vec<TransformRow>, Finding> {
    TRANSFORMS.iter().map(|transform| transform_row(t, transform)).collect()
}

fn transform_row(t: &Trial, &(call, name, schedule): &Transform) -> Result<TransformRow, Finding> {
    let x = fft::tones(&[(8000.0, 0.26)]);
    let exact = fft::exact(&x);
    let core = fft::transform(t, call, Fft::lab5())?;
    let frames = [x];
    let run = fft::run(&core, &frames, schedule, false)?;
    fft::compare(&core, &run, &frames, schedule, false)?;
    let bins = &run.frames[0].bins;
    let scale = f64::from(1u32 << schedule.iter().sum::<u32>());
    let e = estimate(&core.block);
    let magnitude = |b: &(i64, i64)| PAIRS[3].reference(b.0 as i16, b.1 as i16) as i16;
    Ok(TransformRow {
        name,
        busy: run.busy,
        total: run.total,
        peak: peak(bins).1,
        snr: signal_to_noise(bins, &exact, scale),
        count: e.total,
        mhz: e.mhz,
        period: core.period,
        schedule,
        y: bins.iter().map(magnitude).collect(),
        exact: exact.iter().map(|(re, im)| re.hypot(*im) / scale).collect(),
        core: core.block,
    })
}

/// Handlers of the rows whose design is not there yet, or not right.
#[derive(Default)]
struct Missing(Vec<&'static str>);

impl Missing {
    /// The row of a handler, if its design is there.
    fn row<R>(
        &mut self,
        call: &'static str,
        row: Result<R, Finding>,
    ) -> Result<Option<R>, Finding> {
        match row {
            Err(finding) if finding.class != Class::GraderFault => {
                self.0.push(call);
                Ok(None)
            }
            row => row.map(Some),
        }
    }

    /// What to do about the first of them.
    fn text(&self) -> String {
        let number =
            |call: &str| Some(call.strip_prefix('e')?.split_once('.')?.0.replace('_', "."));
        let first = self.0.first().and_then(|call| number(call));
        first.map_or(String::new(), |n| format!("not yet: `cargo lab run {n}` says why\n"))
    }
}

/// The cells of a row, or its name and that it is not there.
fn cells(name: &str, columns: usize, found: Option<Vec<String>>) -> Vec<String> {
    found.unwrap_or_else(|| {
        let mut cells = vec![String::new(); columns];
        cells[0] = name.into();
        cells[1] = "not yet".into();
        cells
    })
}

/// The order that theory demands of the rows.
///
/// # Errors
/// The first relation that does not hold.
pub fn relations(filters: &[FilterRow], transforms: &[TransformRow]) -> Result<(), Finding> {
    let of = |name: &str| filters.iter().find(|f| f.name == name);
    if let (Some(sys), Some(tr), Some(da), Some(mac)) =
        (of("systolic"), of("transposed"), of("da1"), of("mac"))
    {
        let holds = sys.count.ffs > tr.count.ffs
            && da.count.multipliers == 0
            && mac.count.multipliers == 1
            && filters.iter().all(|f| f.step == sys.step && f.impulse == sys.impulse);
        expect::that(holds, || "the filters do not stand in the order of the theory".into())?;
    }
    let ordered = transforms
        .windows(2)
        .all(|w| w[0].period < w[1].period && w[0].count.multipliers > w[1].count.multipliers);
    expect::that(ordered, || "the transforms do not stand in the order of the theory".into())
}

/// What Yosys makes of a design: LUTs, flip-flops, multipliers, and the seconds that it took. Empty
/// cells if it is not asked.
fn synthesised(block: &Block, ask: bool) -> Result<Vec<String>, Finding> {
    if !ask {
        return Ok(vec![String::new(); TOOL_HEAD.len()]);
    }
    let s = tools::yosys(block, Multipliers::Blocks)
        .map_err(|e| Finding::grader(format!("{}: {e}", block.name())))?;
    let counts = [s.count.luts, s.count.ffs, s.count.multipliers].map(|n| n.to_string());
    Ok(counts.into_iter().chain([format!("{:.1}", s.seconds)]).collect())
}

/// Columns that every table ends with.
const TOOL_HEAD: [&str; 4] = ["Yosys LUT", "Yosys FF", "Yosys MULT", "tool s"];

const FIR_HEAD: [&str; 14] = [
    "filter",
    "period",
    "cycles/sample",
    "total",
    "start-up",
    "delay",
    "impulse",
    "step",
    "LUT",
    "FF",
    "slices",
    "MULT",
    "Fmax MHz",
    "Msamples/s",
];

fn filter_cells(row: &FilterRow) -> Vec<String> {
    vec![
        row.name.into(),
        row.period.to_string(),
        format!("{:.3}", row.cycles as f64 / 1024.0),
        row.cycles.to_string(),
        (row.cycles as i64 - 1024 * i64::from(row.period)).to_string(),
        row.latency.to_string(),
        row.impulse.to_string(),
        row.step.to_string(),
        row.count.luts.to_string(),
        row.count.ffs.to_string(),
        row.count.slices(&Device::XC3S700A).to_string(),
        row.count.multipliers.to_string(),
        format!("{:.0}", row.mhz),
        format!("{:.2}", row.rate()),
    ]
}

const FFT_HEAD: [&str; 15] = [
    "transform",
    "schedule",
    "scale",
    "peak",
    "SNR dB",
    "busy",
    "total",
    "cycles/bin",
    "LUT",
    "FF",
    "MULT",
    "RAM bits",
    "Fmax MHz",
    "transforms/s",
    "fits",
];

fn transform_cells(row: &TransformRow) -> Vec<String> {
    let schedule: Vec<String> = row.schedule.iter().rev().map(u32::to_string).collect();
    vec![
        row.name.into(),
        schedule.concat(),
        format!("1/{}", 1u32 << row.schedule.iter().sum::<u32>()),
        format!("{:.0}", row.peak),
        format!("{:.1}", row.snr),
        row.busy.to_string(),
        row.total.to_string(),
        format!("{:.2}", f64::from(row.period) / 1024.0),
        row.count.luts.to_string(),
        row.count.ffs.to_string(),
        row.count.multipliers.to_string(),
        row.count.ram_bits.to_string(),
        format!("{:.0}", row.mhz),
        format!("{:.0}", 1e6 * row.mhz / f64::from(row.period)),
        if row.count.fits(&Device::XC3S700A, RIMLAB00).0 > 0 { "yes" } else { "no" }.into(),
    ]
}

const MAG_HEAD: [&str; 6] =
    ["pair", "least error dB", "largest error dB", "mean error %", "LUT", "latency"];

/// The magnitude's table, and the designs of its rows.
fn magnitudes(
    t: &Trial,
    yosys: bool,
    missing: &mut Missing,
) -> Result<(Table, Vec<Block>), Finding> {
    let head = [&MAG_HEAD[..], &TOOL_HEAD].concat();
    let mut table = Table::new(&head);
    let mut blocks = Vec::new();
    for (n, pair) in PAIRS.iter().enumerate() {
        let call = "e5_1.mag16";
        let Some((block, value)) = missing.row(call, t.design_and(call, &json!({ "pair": n })))?
        else {
            table.rows.push(cells(pair.name, head.len(), None));
            continue;
        };
        let errors: Vec<f64> = (0..7200)
            .map(|k| pair.error_at(std::f64::consts::TAU * f64::from(k) / 7200.0))
            .collect();
        let mean = errors.iter().map(|db| 10f64.powf(db / 20.0) - 1.0).sum::<f64>() / 7200.0;
        let mut row = vec![
            pair.name.into(),
            format!("{:.2}", errors.iter().copied().fold(f64::INFINITY, f64::min)),
            format!("{:+.2}", errors.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            format!("{:+.2}", 100.0 * mean),
            estimate(&block).total.luts.to_string(),
            value.get("latency").map(ToString::to_string).unwrap_or_default(),
        ];
        row.extend(synthesised(&block, yosys)?);
        table.rows.push(row);
        blocks.push(block);
    }
    Ok((table, blocks))
}

fn run(t: &Trial) -> Result<Tables, Finding> {
    experiments(t, tools::found("yosys"))
}

/// The tables and their pictures, with or without the columns of Yosys.
///
/// A design that is not there yet, or not right, is a row that says so: the others are shown all
/// the same.
///
/// # Errors
/// Designs whose cost does not stand in the order of the theory; the grader fails.
pub fn experiments(t: &Trial, yosys: bool) -> Result<Tables, Finding> {
    let mut missing = Missing::default();
    let (mut filters, mut transforms) = (Vec::new(), Vec::new());
    let head = [&FIR_HEAD[..], &TOOL_HEAD].concat();
    let mut fir_table = Table::new(&head);
    for filter in &FILTERS {
        let row = missing.row(filter.0, filter_row(t, filter))?;
        let found = row.as_ref().map(|row| {
            Ok::<_, Finding>([filter_cells(row), synthesised(&row.core, yosys)?].concat())
        });
        fir_table.rows.push(cells(filter.1, head.len(), found.transpose()?));
        filters.extend(row);
    }
    let head = [&FFT_HEAD[..], &TOOL_HEAD].concat();
    let mut fft_table = Table::new(&head);
    for transform in &TRANSFORMS {
        let row = missing.row(transform.0, transform_row(t, transform))?;
        let found = row.as_ref().map(|row| {
            Ok::<_, Finding>([transform_cells(row), synthesised(&row.core, yosys)?].concat())
        });
        fft_table.rows.push(cells(transform.1, head.len(), found.transpose()?));
        transforms.extend(row);
    }
    relations(&filters, &transforms)?;
    let (mag_table, mag_blocks) = magnitudes(t, yosys, &mut missing)?;

    let mut tables = Tables::default();
    let titles = [
        ("Filters: 8 taps, 16 bits, 1024 words on the board", "lab5_fir.csv", &fir_table),
        (
            "Transforms: 1024 points, a cosine of amplitude 8000 and frequency 0.26",
            "lab5_fft.csv",
            &fft_table,
        ),
        ("Magnitudes: error over the circle", "lab5_mag.csv", &mag_table),
    ];
    for (title, name, table) in titles {
        tables.text += &format!("{title}\n{}\n", table.text());
        tables.files.push((name.into(), table.csv()));
    }
    tables.text += &growth(&filters);
    if !yosys {
        tables.text += "skipped: yosys is not installed; its columns are empty\n";
    }
    tables.text += &missing.text();
    tables.text += "LUT, FF, slices, MULT and Fmax are estimates for the XC3S700A.\n\
        start-up: total less 1024 periods. Schedules: last stage first.\n";

    let mut file = |name: String, text: String| tables.files.push((name, text));
    let x: Vec<f64> = fir::stimulus();
    let as_f64 = |y: &[i16]| -> Vec<f64> { y.iter().map(|v| f64::from(*v)).collect() };
    for row in &filters {
        let title = format!("Filter {}: the first 100 samples", row.name);
        let shown = overlay(&title, &x[..100], &as_f64(&row.y)[..100], Some((0.0, 33000.0)));
        file(format!("fir-{}.svg", row.name), shown);
        let pulses = hdl::stimulus::pulses(64, 16, 32767.0);
        file(format!("timing-{}.svg", row.name), hdl::timing(&row.top, &pulses, 24));
        file(format!("blocks-{}.svg", row.name), hdl::diagram::svg(&row.core));
    }
    for row in &transforms {
        let title = format!("Spectrum of one tone, {}", row.name);
        // Half of the least step of a result stands for zero.
        let decibels = |v: f64| 20.0 * (v.max(0.5) / row.peak.max(1.0)).log10();
        let bins = row.y.iter().map(|v| f64::from(*v)).enumerate();
        let bins = bins.map(|(bin, v)| (bin as f64, decibels(v))).collect();
        let y = Axis::linear("magnitude (dB of the peak)").range(-100.0, 5.0);
        let x = Axis::linear("bin").whole();
        let exact = row.exact.iter().enumerate();
        let exact = exact.map(|(bin, v)| (bin as f64, decibels(*v))).collect();
        let chart = Chart::new(&title, x, y)
            .with(Series::line("engine", bins).smooth())
            .with(Series::line("exact", exact).smooth().reference());
        file(format!("spectrum-{}.svg", row.name), chart.svg());
    }
    if let Some(block) = mag_blocks.last() {
        file("blocks-mag16.svg".into(), hdl::diagram::svg(block));
    }
    file("lab5_da.svg".into(), area_against_time(&filters));
    Ok(tables)
}

/// How distributed arithmetic grows with the bits per clock, against one bit.
fn growth(filters: &[FilterRow]) -> String {
    let Some(serial) = filters.iter().find(|f| f.name == "da1") else { return String::new() };
    let parallel = || filters.iter().filter(|f| f.name.starts_with("da") && f.name != "da1");
    if parallel().next().is_none() {
        return String::new();
    }
    let mut text = String::from("Distributed arithmetic against one bit per clock:\n");
    let times = |n: u32, of: u32| f64::from(n) / f64::from(of.max(1));
    for row in parallel() {
        _ = writeln!(
            text,
            "  {:<4} {:.1} times the LUTs, {:.1} times the flip-flops",
            row.name,
            times(row.count.luts, serial.count.luts),
            times(row.count.ffs, serial.count.ffs)
        );
    }
    text
}

/// Area (LUTs and flip-flops, a multiplier block counted as 300) against clocks per sample, a point
/// for every filter.
fn area_against_time(filters: &[FilterRow]) -> String {
    let area = |f: &FilterRow| f64::from(f.count.luts + f.count.ffs + 300 * f.count.multipliers);
    let points: Vec<(f64, f64)> = filters.iter().map(|f| (f64::from(f.period), area(f))).collect();
    let x = Axis::linear("clocks per sample").range(0.0, 20.0).whole();
    let y = Axis::linear("LUT + FF + 300 per multiplier").from_zero();
    let title = "Area against time: eight filters, the same bits";
    let chart = Chart::new(title, x, y).with(Series::points("", points.clone()));
    let tagged = filters.iter().zip(points);
    tagged.fold(chart, |chart, (f, (x, y))| chart.tag(x, y, f.name)).svg()
}
