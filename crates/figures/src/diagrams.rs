//! Pictures with a form of their own, from plain data: timing diagrams, block diagrams, lanes of a
//! warp, rooflines.

use crate::axis::Axis;
use crate::chart::{Chart, Series};
use crate::sheet::{Anchor, Sheet, text_width, wrap};

const TEXT: f64 = 14.0;

/// A signal of a timing diagram.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// One bit: drawn as a level, else as a bus with numbers.
    pub bit: bool,
    /// Its value in each clock.
    pub values: Vec<i64>,
}

/// Signals clock by clock, the clock itself on top; the first column is the clock `first`. A run
/// that is wider than a page goes on below.
pub fn timing(title: &str, signals: &[Signal], first: usize) -> Sheet {
    const ROW: f64 = 36.0;
    const HIGH: f64 = 22.0;
    const PAGE: f64 = 900.0;
    let names = signals.iter().map(|s| text_width(&s.name, TEXT)).fold(30.0, f64::max);
    let left = names + 22.0;
    let clocks = signals.iter().map(|s| s.values.len()).max().unwrap_or(0);
    // A value that stays may use all of its clocks, so only those that change at once ask for room.
    let runs = |s: &Signal| -> Vec<(usize, usize)> {
        let mut at = 0;
        let groups = s.values.chunk_by(|a, b| a == b);
        groups
            .map(|g| {
                at += g.len();
                (at - g.len(), g.len())
            })
            .collect()
    };
    let need = signals.iter().filter(|s| !s.bit).flat_map(|s| {
        runs(s)
            .into_iter()
            .map(|(k, n)| (text_width(&s.values[k].to_string(), TEXT) + 14.0) / n as f64)
    });
    let clock = need.fold(38.0, f64::max).min(110.0);
    let most = (((PAGE - left) / clock) as usize).clamp(1, clocks.max(1));
    let strips = clocks.div_ceil(most).max(1);
    // As long as each other.
    let strip = clocks.div_ceil(strips).max(1);
    let tall = ROW * (signals.len() + 1) as f64 + 40.0;
    let shown = strip.min(clocks.max(1));
    let mut sheet =
        Sheet::new(left + clock * shown as f64 + 14.0, tall * strips as f64 + 6.0, title);
    for s in 0..strips {
        let top = tall * s as f64 + 10.0;
        let range = s * strip..((s + 1) * strip).min(clocks);
        let x = |n: usize| left + clock * (n - range.start) as f64;
        for n in range.clone() {
            sheet.line(&[(x(n), top + 20.0), (x(n), top + tall - 20.0)], "g", 1.0, "");
            let at = (x(n) + clock / 2.0, top + 14.0);
            sheet.text(at, 13.0, Anchor::Middle, "s", &(first + n).to_string());
        }
        let label = |sheet: &mut Sheet, name: &str, row: usize| {
            let at = (left - 10.0, top + 24.0 + ROW * row as f64 + HIGH - 6.0);
            sheet.text(at, TEXT, Anchor::End, "", name);
        };
        label(&mut sheet, "clk", 0);
        let (high, low) = (top + 24.0, top + 24.0 + HIGH);
        let mut wave = Vec::new();
        for n in range.clone() {
            let (a, b, c) = (x(n), x(n) + clock / 2.0, x(n) + clock);
            wave.extend([(a, low), (a, high), (b, high), (b, low), (c, low)]);
        }
        sheet.line(&wave, "l6", 1.2, "");
        for (i, signal) in signals.iter().enumerate() {
            label(&mut sheet, &signal.name, i + 1);
            let high = top + 24.0 + ROW * (i + 1) as f64;
            let (low, middle) = (high + HIGH, high + HIGH / 2.0);
            if signal.bit {
                let level = |n: usize| {
                    if signal.values.get(n).is_some_and(|v| *v != 0) { high } else { low }
                };
                let wave: Vec<_> = range
                    .clone()
                    .flat_map(|n| [(x(n), level(n)), (x(n) + clock, level(n))])
                    .collect();
                sheet.line(&wave, "l0", 1.8, "");
                continue;
            }
            for (from, count) in runs(signal) {
                let (a, b) = (from.max(range.start), (from + count).min(range.end));
                if a >= b {
                    continue;
                }
                let (x0, x1) = (x(a), x(a) + clock * (b - a) as f64);
                sheet.path(
                    &format!(
                        "M{x0:.1} {middle:.1}L{:.1} {high:.1}H{:.1}L{x1:.1} {middle:.1}L{:.1} \
                            {low:.1}H{:.1}Z",
                        x0 + 4.0,
                        x1 - 4.0,
                        x1 - 4.0,
                        x0 + 4.0
                    ),
                    "p l0",
                    1.2,
                    "",
                );
                let value = signal.values[from].to_string();
                if text_width(&value, TEXT) + 6.0 <= x1 - x0 {
                    sheet.text((0.5 * (x0 + x1), middle + 5.0), TEXT, Anchor::Middle, "", &value);
                }
            }
        }
    }
    sheet
}

/// What a part of a block diagram is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A port.
    Port,
    /// A register.
    Register,
    /// Arithmetic.
    Arithmetic,
    /// A memory.
    Memory,
    /// Another module.
    Module,
}

/// A box of a block diagram.
#[derive(Clone, Debug)]
pub struct Part {
    /// What stands in it.
    pub text: String,
    /// Width of its result, beside it.
    pub width: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// Column and row.
    pub place: (usize, usize),
    /// The parts that feed it.
    pub feeds: Vec<usize>,
}

/// Boxes and what flows between them, from the left to the right.
pub fn blocks(title: &str, parts: &[Part]) -> Sheet {
    const STEP: (f64, f64) = (132.0, 54.0);
    const BOX: (f64, f64) = (96.0, 36.0);
    const MARGIN: f64 = 20.0;
    const TOP: f64 = 46.0;
    let columns = parts.iter().map(|p| p.place.0 + 1).max().unwrap_or(1) as f64;
    let rows = parts.iter().map(|p| p.place.1 + 1).max().unwrap_or(1) as f64;
    let width = (2.0 * MARGIN + columns * STEP.0).max(text_width(title, 18.0) + 2.0 * MARGIN);
    let mut sheet = Sheet::new(width, TOP + rows * STEP.1 + 24.0, title);
    sheet.text((MARGIN, 28.0), 18.0, Anchor::Start, "", title);
    let corner = |p: &Part| (MARGIN + p.place.0 as f64 * STEP.0, TOP + p.place.1 as f64 * STEP.1);
    for part in parts {
        for from in part.feeds.iter().filter_map(|f| parts.get(*f)) {
            let ((x0, y0), (x1, y1)) = (corner(from), corner(part));
            let path = if x0 >= x1 && y1 == y0 + STEP.1 {
                // Down to the next stage of a folded chain.
                let (x0, y0, x1) = (x0 + BOX.0 / 2.0, y0 + BOX.1, x1 + BOX.0 / 2.0);
                let middle = 0.5 * (y0 + y1);
                format!("M{x0:.1} {y0:.1}C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}")
            } else if x0 + BOX.0 <= x1 {
                let (x0, y0, y1) = (x0 + BOX.0, y0 + BOX.1 / 2.0, y1 + BOX.1 / 2.0);
                let bend = (x1 - 18.0).max(x0);
                let turn = (x1 - bend).min(18.0) / 2.0;
                format!(
                    "M{x0:.1} {y0:.1}H{bend:.1}C{:.1} {y0:.1} {:.1} {y1:.1} {x1:.1} {y1:.1}",
                    bend + turn,
                    bend + turn
                )
            } else {
                // Backwards, from a register round to what stands before it.
                let (x0, y0, y1) = (x0 + BOX.0, y0 + BOX.1 / 2.0, y1 + BOX.1 / 2.0);
                let below = y0.max(y1) + BOX.1 / 2.0 + 9.0;
                format!(
                    "M{x0:.1} {y0:.1}C{:.1} {y0:.1} {:.1} {below:.1} {x0:.1} {below:.1}H{x1:.1}\
                     C{:.1} {below:.1} {:.1} {y1:.1} {x1:.1} {y1:.1}",
                    x0 + 14.0,
                    x0 + 14.0,
                    x1 - 14.0,
                    x1 - 14.0
                )
            };
            sheet.path(&path, "a", 1.3, "");
        }
    }
    for part in parts {
        let (x, y) = corner(part);
        let (class, round) = match part.kind {
            Kind::Port => ("p l2", BOX.1 / 2.0),
            Kind::Register => ("p l0", 0.0),
            Kind::Arithmetic => ("p l1", 9.0),
            Kind::Memory => ("p l3", 0.0),
            Kind::Module => ("p l6", 0.0),
        };
        sheet.rect((x, y), BOX, round, class);
        // What holds a value has a double edge, so that it is told apart without colours, too.
        if matches!(part.kind, Kind::Register | Kind::Memory) {
            let stroke = class.split(' ').next_back().unwrap_or("");
            sheet.line(&[(x + 5.0, y), (x + 5.0, y + BOX.1)], stroke, 1.0, "");
        }
        let room = BOX.0 - 12.0;
        let size =
            [TEXT, 13.0, 12.0, 11.0].into_iter().find(|s| text_width(&part.text, *s) <= room);
        let text = match size {
            Some(_) => part.text.clone(),
            None => shortened(&part.text, 11.0, room),
        };
        let at = (x + BOX.0 / 2.0 + 2.0, y + BOX.1 / 2.0 + 5.0);
        sheet.text(at, size.unwrap_or(11.0), Anchor::Middle, "", &text);
        if let Some(width) = &part.width {
            sheet.text((x + BOX.0 + 3.0, y + 12.0), 12.0, Anchor::Start, "s", width);
        }
    }
    sheet
}

/// The beginning of a text that fits, with a sign that there is more.
fn shortened(text: &str, size: f64, room: f64) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if text_width(&out, size) + 1.3 * size > room {
            break;
        }
        out.push(letter);
    }
    out + "\u{2026}"
}

/// A cell of [`lanes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nobody wants it.
    Empty,
    /// Wanted, with the text in it.
    Wanted(String),
    /// Wanted, and it costs more than need be.
    Costly(String),
}

/// Which lanes of a warp want what of memory: a row for each sector or pass, a cell for each
/// element or bank.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// Two lines above: what was done, and what it costs.
    pub title: [String; 2],
    /// Texts above the columns; none is fine.
    pub head: Vec<String>,
    /// Name and cells of each row.
    pub rows: Vec<(String, Vec<Cell>)>,
    /// How many more rows there are.
    pub left_out: usize,
}

/// Draws [`Lanes`].
pub fn lanes(picture: &Lanes) -> Sheet {
    const CELL: (f64, f64) = (27.0, 22.0);
    let columns = picture.rows.iter().map(|r| r.1.len()).max().unwrap_or(1);
    let label = picture.rows.iter().map(|r| text_width(&r.0, TEXT)).fold(40.0, f64::max);
    let left = label + 20.0;
    let width = (left + columns as f64 * CELL.0 + 12.0).max(640.0);
    let lines: Vec<Vec<String>> =
        picture.title.iter().map(|t| wrap(t, TEXT, width - 20.0)).collect();
    let mut y = 24.0;
    let rows = picture.rows.len()
        + usize::from(picture.left_out > 0)
        + usize::from(!picture.head.is_empty());
    let height =
        y + 20.0 * lines.iter().map(Vec::len).sum::<usize>() as f64 + CELL.1 * rows as f64 + 8.0;
    let mut sheet = Sheet::new(width, height, &picture.title[1]);
    for (line, class) in
        lines.iter().zip(["s", ""]).flat_map(|(l, c)| l.iter().map(move |l| (l, c)))
    {
        sheet.text((10.0, y), TEXT, Anchor::Start, class, line);
        y += 20.0;
    }
    y -= 8.0;
    if !picture.head.is_empty() {
        for (k, text) in picture.head.iter().enumerate() {
            let at = (left + CELL.0 * (k as f64 + 0.5), y + 16.0);
            sheet.text(at, 12.0, Anchor::Middle, "s", text);
        }
        y += CELL.1;
    }
    for (name, cells) in &picture.rows {
        sheet.text((10.0, y + 16.0), TEXT, Anchor::Start, "", name);
        for (k, cell) in cells.iter().enumerate() {
            let corner = (left + CELL.0 * k as f64, y);
            let size = (CELL.0 - 2.0, CELL.1 - 2.0);
            let (class, text) = match cell {
                Cell::Empty => ("p", ""),
                Cell::Wanted(text) => ("p l0", text.as_str()),
                Cell::Costly(text) => ("p l1", text.as_str()),
            };
            sheet.rect(corner, size, 2.0, class);
            if matches!(cell, Cell::Costly(_)) {
                // Told apart without colours by a bar below.
                sheet.rect((corner.0, y + CELL.1 - 5.0), (size.0, 3.0), 0.0, "f1");
            }
            sheet.text((corner.0 + size.0 / 2.0, y + 15.0), 12.0, Anchor::Middle, "", text);
        }
        y += CELL.1;
    }
    if picture.left_out > 0 {
        let text = format!("\u{2026} and {} more", picture.left_out);
        sheet.text((10.0, y + 16.0), TEXT, Anchor::Start, "s", &text);
    }
    sheet
}

/// A roofline: what a machine allows, and where programs are below it.
#[derive(Clone, Debug)]
pub struct Roofline {
    /// Above the picture.
    pub title: String,
    /// Below the title.
    pub note: String,
    /// What the horizontal axis counts.
    pub x: String,
    /// Slanted roofs: name, and what the vertical axis is at x = 1, in 10^9 per second.
    pub slopes: Vec<(String, f64)>,
    /// Level roofs, the highest first, in 10^9 per second.
    pub peaks: Vec<(String, f64)>,
    /// Programs: name, x, and performance in 10^9 per second.
    pub points: Vec<(String, f64, f64)>,
}

/// Draws a [`Roofline`]; points that are not above 0 are left out.
pub fn roofline(r: &Roofline) -> Chart {
    let usable =
        |p: &&(String, f64, f64)| p.1.is_finite() && p.2.is_finite() && p.1 > 0.0 && p.2 > 0.0;
    let points: Vec<&(String, f64, f64)> = r.points.iter().filter(usable).collect();
    let peak = r.peaks.iter().map(|p| p.1).fold(f64::NAN, f64::max);
    let slowest = r.slopes.iter().map(|s| s.1).fold(f64::NAN, f64::min);
    let (mut x0, mut x1) = (0.1f64, 10.0 * peak / slowest);
    let mut y0 = 0.1 * slowest;
    let mut y1 = 2.0 * peak;
    for p in &points {
        (x0, x1) = (x0.min(0.6 * p.1), x1.max(1.6 * p.1));
        (y0, y1) = (y0.min(0.6 * p.2), y1.max(1.6 * p.2));
    }
    let x = Axis::log(&r.x).range(x0, x1);
    let y = Axis::log("performance").unit("FLOP/s", 1e9).range(y0, y1);
    let mut chart = Chart::new(&r.title, x, y).note(&r.note).size(600.0, 380.0);
    for (name, rate) in &r.slopes {
        let end = (peak / rate).max(x0);
        chart = chart
            .with(Series::line("", vec![(x0, x0 * rate), (end, end * rate)]).style(0).smooth());
        // In powers of ten, from where it comes into sight: the lowest roof a third of the way up,
        // the others higher, with room on their left.
        let from = (y0 / rate).max(x0);
        let share = if *rate > slowest { 0.65 } else { 0.35 };
        let at = libm::exp(libm::log(from) + share * libm::log((end / from).max(1.0)));
        chart = chart.tag(at, at * rate, name);
    }
    for (k, (name, peak)) in r.peaks.iter().enumerate() {
        let fastest = r.slopes.iter().map(|s| s.1).fold(f64::NAN, f64::max);
        let from = (peak / fastest).max(x0);
        let line = Series::line(name, vec![(from, *peak), (x1, *peak)]).smooth();
        chart = chart.with(line.style(if k == 0 { 0 } else { 5 }));
    }
    // Names that end with how a speed is known are told apart by their marks.
    const HOW: [&str; 2] = ["measured", "predicted"];
    let told = |name: &str| HOW.iter().position(|how| name.ends_with(&format!(", {how}")));
    for (k, how) in HOW.into_iter().enumerate() {
        let some = points.iter().filter(|p| told(&p.0).unwrap_or(0) == k);
        let marks: Vec<(f64, f64)> = some.map(|p| (p.1, p.2)).collect();
        let name = if points.iter().any(|p| told(&p.0) == Some(k)) { how } else { "" };
        chart = chart.with(Series::points(name, marks).style(k + 1));
    }
    points.iter().fold(chart, |chart, p| {
        let name = told(&p.0).and_then(|k| p.0.strip_suffix(HOW[k])?.strip_suffix(", "));
        chart.tag(p.1, p.2, name.unwrap_or(&p.0))
    })
}
