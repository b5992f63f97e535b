//! Pictures with a form of their own, from plain data: timing diagrams, block diagrams, lanes of a
//! warp, rooflines.

use crate::axis::Axis;
use crate::chart::{Chart, Series};
use crate::sheet::{Anchor, Point, Sheet, text_width, wrap};

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
    let left = signals.iter().map(|s| text_width(&s.name, TEXT)).fold(30.0, f64::max) + 22.0;
    let clocks = signals.iter().map(|s| s.values.len()).max().unwrap_or(0);
    // A value that stays may use all of its clocks, so only those that change at once ask for room.
    let buses = signals.iter().filter(|s| !s.bit);
    let need = buses
        .flat_map(|s| s.values.chunk_by(i64::eq))
        .map(|same| (text_width(&same[0].to_string(), TEXT) + 14.0) / same.len() as f64);
    let clock = need.fold(38.0, f64::max).min(110.0);
    let most = (((PAGE - left) / clock) as usize).clamp(1, clocks.max(1));
    let strips = clocks.div_ceil(most).max(1);
    // As long as each other.
    let strip = clocks.div_ceil(strips).max(1);
    let tall = ROW * (signals.len() + 1) as f64 + 40.0;
    let width = left + clock * strip.min(clocks.max(1)) as f64 + 14.0;
    let mut sheet = Sheet::new(width, tall * strips as f64 + 6.0, title);
    for s in 0..strips {
        let top = tall * s as f64 + 10.0;
        let range = s * strip..((s + 1) * strip).min(clocks);
        let x = |n: usize| left + clock * (n - range.start) as f64;
        let high = |row: usize| top + 24.0 + ROW * row as f64;
        for n in range.clone() {
            sheet.line(&[(x(n), top + 20.0), (x(n), top + tall - 20.0)], "g", 1.0, "");
            let at = (x(n) + clock / 2.0, top + 14.0);
            sheet.text(at, 13.0, Anchor::Middle, "s", &(first + n).to_string());
        }
        let label = |sheet: &mut Sheet, name: &str, row: usize| {
            sheet.text((left - 10.0, high(row) + HIGH - 6.0), TEXT, Anchor::End, "", name);
        };
        label(&mut sheet, "clk", 0);
        let clk = range.clone().flat_map(|n| {
            let ([a, b, c], high, low) =
                ([0.0, 0.5, 1.0].map(|p| x(n) + clock * p), high(0), high(0) + HIGH);
            [(a, low), (a, high), (b, high), (b, low), (c, low)]
        });
        sheet.line(&clk.collect::<Vec<_>>(), "l6", 1.2, "");
        for (row, signal) in (1..).zip(signals) {
            label(&mut sheet, &signal.name, row);
            let (high, low, middle) = (high(row), high(row) + HIGH, high(row) + HIGH / 2.0);
            if signal.bit {
                let set = |n: usize| signal.values.get(n).is_some_and(|v| *v != 0);
                let level = |n: usize| if set(n) { high } else { low };
                let wave = range.clone().flat_map(|n| [n, n + 1].map(|end| (x(end), level(n))));
                sheet.line(&wave.collect::<Vec<_>>(), "l0", 1.8, "");
                continue;
            }
            let mut next = 0;
            for same in signal.values.chunk_by(i64::eq) {
                let from = next.max(range.start);
                next += same.len();
                let to = next.min(range.end);
                if from >= to {
                    continue;
                }
                let (x0, x1) = (x(from), x(to));
                let (a, b) = (x0 + 4.0, x1 - 4.0);
                let upper = format!("M{x0:.1} {middle:.1}L{a:.1} {high:.1}H{b:.1}");
                let lower = format!("L{x1:.1} {middle:.1}L{b:.1} {low:.1}H{a:.1}Z");
                sheet.path(&(upper + &lower), "p l0", 1.2, "");
                let value = same[0].to_string();
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
    const STEP: Point = (132.0, 54.0);
    const BOX: Point = (96.0, 36.0);
    const MARGIN: f64 = 20.0;
    const TOP: f64 = 46.0;
    let columns = parts.iter().map(|p| p.place.0 + 1).max().unwrap_or(1) as f64;
    let rows = parts.iter().map(|p| p.place.1 + 1).max().unwrap_or(1) as f64;
    let width = 2.0 * MARGIN + (columns * STEP.0).max(text_width(title, 18.0));
    let mut sheet = Sheet::new(width, TOP + rows * STEP.1 + 24.0, title);
    sheet.text((MARGIN, 28.0), 18.0, Anchor::Start, "", title);
    let corner = |p: &Part| (MARGIN + p.place.0 as f64 * STEP.0, TOP + p.place.1 as f64 * STEP.1);
    for (part, from) in parts.iter().flat_map(|p| p.feeds.iter().map(move |f| (p, *f))) {
        let Some(from) = parts.get(from) else { continue };
        let ((left, top), (x1, upper)) = (corner(from), corner(part));
        let (x0, y0, y1) = (left + BOX.0, top + BOX.1 / 2.0, upper + BOX.1 / 2.0);
        let path = if left >= x1 && upper == top + STEP.1 {
            // Down to the next stage of a folded chain.
            let (x0, y0, x1, y1) = (left + BOX.0 / 2.0, top + BOX.1, x1 + BOX.0 / 2.0, upper);
            let half = 0.5 * (y0 + y1);
            format!("M{x0:.1} {y0:.1}C{x0:.1} {half:.1} {x1:.1} {half:.1} {x1:.1} {y1:.1}")
        } else if x0 <= x1 {
            let bend = (x1 - 18.0).max(x0);
            let turn = bend + 0.5 * (x1 - bend).min(18.0);
            let straight = format!("M{x0:.1} {y0:.1}H{bend:.1}");
            straight + &format!("C{turn:.1} {y0:.1} {turn:.1} {y1:.1} {x1:.1} {y1:.1}")
        } else {
            // Backwards, from a register round to what stands before it.
            let (low, out, back) = (y0.max(y1) + BOX.1 / 2.0 + 9.0, x0 + 14.0, x1 - 14.0);
            let down = format!("C{out:.1} {y0:.1} {out:.1} {low:.1} {x0:.1} {low:.1}");
            let up = format!("C{back:.1} {low:.1} {back:.1} {y1:.1} {x1:.1} {y1:.1}");
            format!("M{x0:.1} {y0:.1}{down}H{x1:.1}{up}")
        };
        sheet.path(&path, "a", 1.3, "");
    }
    for part in parts {
        let (x, y) = corner(part);
        // What holds a value has a double edge, so that it is told apart without colours, too.
        let (colour, round, holds) = match part.kind {
            Kind::Port => ("l2", BOX.1 / 2.0, false),
            Kind::Register => ("l0", 0.0, true),
            Kind::Arithmetic => ("l1", 9.0, false),
            Kind::Memory => ("l3", 0.0, true),
            Kind::Module => ("l6", 0.0, false),
        };
        sheet.rect((x, y), BOX, round, &format!("p {colour}"));
        if holds {
            sheet.line(&[(x + 5.0, y), (x + 5.0, y + BOX.1)], colour, 1.0, "");
        }
        let room = BOX.0 - 12.0;
        let fits = |size: &f64| text_width(&part.text, *size) <= room;
        let size = [TEXT, 13.0, 12.0, 11.0].into_iter().find(fits);
        let text = size.map_or_else(|| shortened(&part.text, 11.0, room), |_| part.text.clone());
        let at = (x + BOX.0 / 2.0 + 2.0, y + BOX.1 / 2.0 + 5.0);
        sheet.text(at, size.unwrap_or(11.0), Anchor::Middle, "", &text);
        let width = part.width.as_deref().unwrap_or("");
        sheet.text((x + BOX.0 + 3.0, y + 12.0), 12.0, Anchor::Start, "s", width);
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
    const CELL: Point = (27.0, 22.0);
    let columns = picture.rows.iter().map(|r| r.1.len()).max().unwrap_or(1);
    let label = picture.rows.iter().map(|r| text_width(&r.0, TEXT)).fold(40.0, f64::max);
    let left = label + 20.0;
    let width = (left + columns as f64 * CELL.0 + 12.0).max(640.0);
    let [above, title] = [0, 1].map(|k| wrap(&picture.title[k], TEXT, width - 20.0));
    let more = [picture.left_out > 0, !picture.head.is_empty()].map(usize::from);
    let rows = picture.rows.len() + more[0] + more[1];
    let height = 32.0 + 20.0 * (above.len() + title.len()) as f64 + CELL.1 * rows as f64;
    let mut sheet = Sheet::new(width, height, &picture.title[1]);
    let mut y = 24.0;
    for (line, class) in above.iter().map(|l| (l, "s")).chain(title.iter().map(|l| (l, ""))) {
        sheet.text((10.0, y), TEXT, Anchor::Start, class, line);
        y += 20.0;
    }
    y -= 8.0;
    let middle = |k: usize| left + CELL.0 * (k as f64 + 0.5);
    for (k, text) in picture.head.iter().enumerate() {
        sheet.text((middle(k), y + 16.0), 12.0, Anchor::Middle, "s", text);
    }
    y += CELL.1 * more[1] as f64;
    for (name, cells) in &picture.rows {
        sheet.text((10.0, y + 16.0), TEXT, Anchor::Start, "", name);
        for (k, cell) in cells.iter().enumerate() {
            let (x, wide) = (left + CELL.0 * k as f64, CELL.0 - 2.0);
            let (class, text) = match cell {
                Cell::Empty => ("p", ""),
                Cell::Wanted(text) => ("p l0", text.as_str()),
                Cell::Costly(text) => ("p l1", text.as_str()),
            };
            sheet.rect((x, y), (wide, CELL.1 - 2.0), 2.0, class);
            if matches!(cell, Cell::Costly(_)) {
                // Told apart without colours by a bar below.
                sheet.rect((x, y + CELL.1 - 5.0), (wide, 3.0), 0.0, "f1");
            }
            sheet.text((middle(k) - 1.0, y + 15.0), 12.0, Anchor::Middle, "", text);
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
    let usable = |v: f64| v.is_finite() && v > 0.0;
    let points: Vec<_> = r.points.iter().filter(|p| usable(p.1) && usable(p.2)).collect();
    let peak = r.peaks.iter().map(|p| p.1).fold(f64::NAN, f64::max);
    let slopes = || r.slopes.iter().map(|s| s.1);
    let (slowest, fastest) = (slopes().fold(f64::NAN, f64::min), slopes().fold(f64::NAN, f64::max));
    let (mut x0, mut x1) = (0.1f64, 10.0 * peak / slowest);
    let (mut y0, mut y1) = (0.1 * slowest, 2.0 * peak);
    for (_, x, y) in &points {
        (x0, x1) = (x0.min(0.6 * x), x1.max(1.6 * x));
        (y0, y1) = (y0.min(0.6 * y), y1.max(1.6 * y));
    }
    let x = Axis::log(&r.x).range(x0, x1);
    let y = Axis::log("performance").unit("FLOP/s", 1e9).range(y0, y1);
    let mut chart = Chart::new(&r.title, x, y).note(&r.note).size(600.0, 380.0);
    let roof = |name: &str, points: [Point; 2], style| {
        Series::line(name, points.to_vec()).style(style).smooth()
    };
    for (name, rate) in &r.slopes {
        let end = (peak / rate).max(x0);
        // In powers of ten, from where it comes into sight: the lowest roof a third of the way up,
        // the others higher, with room on their left.
        let from = (y0 / rate).max(x0);
        let share = if *rate > slowest { 0.65 } else { 0.35 };
        let at = libm::exp(libm::log(from) + share * libm::log((end / from).max(1.0)));
        chart = chart.with(roof("", [(x0, x0 * rate), (end, end * rate)], 0));
        chart = chart.tag(at, at * rate, name);
    }
    for (k, (name, peak)) in r.peaks.iter().enumerate() {
        let from = (peak / fastest).max(x0);
        chart = chart.with(roof(name, [(from, *peak), (x1, *peak)], if k == 0 { 0 } else { 5 }));
    }
    // Names that end with how a speed is known are told apart by their marks.
    const HOW: [&str; 2] = [", measured", ", predicted"];
    for (k, how) in HOW.into_iter().enumerate() {
        let (told, untold) =
            (|p: &str| p.ends_with(how), |p: &str| !HOW.iter().any(|how| p.ends_with(how)));
        let some = points.iter().filter(|p| told(&p.0) || k == 0 && untold(&p.0));
        let marks = some.map(|p| (p.1, p.2)).collect();
        let name = if points.iter().any(|p| told(&p.0)) { &how[2..] } else { "" };
        chart = chart.with(Series::points(name, marks).style(k + 1));
    }
    points.iter().fold(chart, |chart, (name, x, y)| {
        let bare = HOW.iter().find_map(|how| name.strip_suffix(how));
        chart.tag(*x, *y, bare.unwrap_or(name))
    })
}
