//! Charts over two axes: lines, points, bars, histograms, pixels, wiggles, and what stands around
//! them.

use crate::axis::{Axis, Placed, Scale};
use crate::pixels::Raster;
use crate::sheet::{Anchor, Sheet, dash, path_of, text_width, wrap};

const TITLE: f64 = 19.0;
const LABEL: f64 = 16.0;
const TICK: f64 = 15.0;
const EDGE: f64 = 12.0;

/// Points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// What is written beside it; nothing is fine where it is alone.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    errors: Vec<(f64, f64)>,
    joined: bool,
    marked: bool,
    quiet: bool,
    style: Option<usize>,
}

impl Series {
    /// Points joined by a line. A value that is no number, or not above 0 on an axis of powers,
    /// leaves a gap.
    pub fn line(name: &str, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), points, joined: true, marked: true, ..Series::default() }
    }

    /// Points alone.
    pub fn points(name: &str, points: Vec<(f64, f64)>) -> Series {
        Series { joined: false, ..Series::line(name, points) }
    }

    /// The least and the greatest value of several runs, for each point: error bars.
    pub fn errors(mut self, errors: Vec<(f64, f64)>) -> Series {
        self.errors = errors;
        self
    }

    /// Without marks: curves of very many points.
    pub fn smooth(mut self) -> Series {
        self.marked = false;
        self
    }

    /// In the colour and dash of the series `k` instead of the next ones.
    pub fn style(mut self, k: usize) -> Series {
        self.style = Some(k);
        self
    }

    /// Grey and dashed: a limit, a model, a slope to compare with.
    pub fn reference(mut self) -> Series {
        self.quiet = true;
        self.marked = false;
        self
    }
}

/// A chart. What is put into it first lies below.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    title: String,
    note: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    bars: Vec<(String, Vec<f64>)>,
    stacked: bool,
    histogram: Option<(Vec<f64>, Vec<f64>)>,
    raster: Option<(Raster, [(f64, f64); 2])>,
    wiggles: Vec<(f64, Vec<f32>)>,
    wiggle_gain: f64,
    tags: Vec<(f64, f64, String)>,
    width: f64,
    height: f64,
}

/// Room around the area of the data.
#[derive(Clone, Copy, Debug, Default)]
struct Margins {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// A name beside the data, at the height where its line ends.
struct Name<'a> {
    lines: Vec<String>,
    y: f64,
    end: Option<(f64, f64)>,
    style: Style<'a>,
}

#[derive(Clone, Copy)]
enum Style<'a> {
    Line(&'a Series, usize),
    Area(usize),
}

impl Chart {
    /// An empty chart.
    pub fn new(title: &str, x: Axis, y: Axis) -> Chart {
        Chart { title: title.into(), x, y, ..Chart::default() }.size(560.0, 300.0)
    }

    /// A sentence below the title: what is shown, on which device.
    pub fn note(mut self, note: &str) -> Chart {
        self.note = note.into();
        self
    }

    /// Adds a line or points.
    pub fn with(mut self, series: Series) -> Chart {
        self.series.push(series);
        self
    }

    /// Adds lines or points.
    pub fn with_all(mut self, series: impl IntoIterator<Item = Series>) -> Chart {
        self.series.extend(series);
        self
    }

    /// Adds bars, one for each name of the horizontal axis, beside those that are there, or on top
    /// of them in a [`stacked`](Chart::stacked) chart. Of a value that is no number a dash says
    /// that it is not known.
    pub fn bars(mut self, name: &str, values: Vec<f64>) -> Chart {
        self.bars.push((name.into(), values));
        self
    }

    /// Bars stand on top of each other.
    pub fn stacked(mut self) -> Chart {
        self.stacked = true;
        self
    }

    /// Adds a histogram: `edges` has one value more than `counts`.
    pub fn histogram(mut self, edges: Vec<f64>, counts: Vec<f64>) -> Chart {
        self.histogram = Some((edges, counts));
        self
    }

    /// Values as colours, from the outer edges `x` to `y` of their cells.
    pub fn raster(mut self, raster: Raster, x: (f64, f64), y: (f64, f64)) -> Chart {
        self.x.range.get_or_insert(x);
        self.y.range.get_or_insert(y);
        self.raster = Some((raster, [x, y]));
        self
    }

    /// Traces of a seismic section as wiggles, each at its x with its samples from the upper end to
    /// the lower end of the vertical axis: to the right of its zero the area is filled. The largest
    /// sample reaches `gain` traces far.
    pub fn wiggles(mut self, traces: Vec<(f64, Vec<f32>)>, gain: f64) -> Chart {
        self.wiggles = traces;
        self.wiggle_gain = gain;
        self
    }

    /// A text beside a point.
    pub fn tag(mut self, x: f64, y: f64, text: &str) -> Chart {
        self.tags.push((x, y, text.into()));
        self
    }

    /// Size of the area of the data; the picture is larger by axes and names.
    pub fn size(mut self, width: f64, height: f64) -> Chart {
        (self.width, self.height) = (width, height);
        self
    }

    /// The picture as SVG.
    pub fn svg(&self) -> String {
        self.sheet().svg()
    }

    /// The picture as a page, to be put into a larger one.
    pub fn sheet(&self) -> Sheet {
        self.draw(self.margins())
    }

    fn ticks_across(&self) -> usize {
        (self.width / 90.0).clamp(2.0, 10.0) as usize
    }

    fn ticks_down(&self) -> usize {
        (self.height / 48.0).clamp(2.0, 8.0) as usize
    }

    /// Fewer ticks until their texts have room.
    fn place_x(&self, from: f64, to: f64) -> Placed<'_> {
        let mut count = self.ticks_across();
        loop {
            let placed = self.x.place(self.values_x(), from, to, count);
            let mut ticks: Vec<(f64, f64)> = placed
                .ticks()
                .iter()
                .map(|(v, t)| (placed.pixel(*v), text_width(t, TICK) / 2.0 + 5.0))
                .collect();
            ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
            let apart = ticks.windows(2).all(|t| t[0].0 + t[0].1 <= t[1].0 - t[1].1);
            if apart || count <= 2 || matches!(self.x.scale, Scale::Names(_)) {
                return placed;
            }
            count -= 1;
        }
    }

    fn values_x(&self) -> impl Iterator<Item = f64> {
        let points = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0));
        let edges = self.histogram.iter().flat_map(|h| h.0.iter().copied());
        let wiggles = self.wiggles.iter().map(|w| w.0);
        points.chain(edges).chain(wiggles).chain(self.tags.iter().map(|t| t.0))
    }

    fn place_y(&self, from: f64, to: f64) -> Placed<'_> {
        let points = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
        let errors = self.series.iter().flat_map(|s| s.errors.iter().flat_map(|e| [e.0, e.1]));
        let count = self.bars.iter().map(|b| b.1.len()).max().unwrap_or(0);
        let height = |k: usize| -> f64 {
            let all = self.bars.iter().filter_map(|b| b.1.get(k)).filter(|v| v.is_finite());
            match self.stacked {
                true => all.map(|v| v.max(0.0)).sum(),
                false => all.copied().fold(0.0, f64::max),
            }
        };
        // Bars stand on zero, or in powers of ten on less than the least of them.
        let least = self.bars.iter().flat_map(|b| &b.1).copied().filter(|v| *v > 0.0);
        let foot = match self.y.scale {
            Scale::Log => 0.6 * least.fold(f64::INFINITY, f64::min),
            _ if self.bars.is_empty() && self.histogram.is_none() => f64::NAN,
            _ => 0.0,
        };
        // Room for the values above the bars.
        let room = if self.y.scale == Scale::Log { 1.6 } else { 1.09 };
        let bars = (0..count).map(|k| room * height(k)).chain([foot]);
        let counts = self.histogram.iter().flat_map(|h| h.1.iter().copied());
        let tags = self.tags.iter().map(|t| t.1);
        let values: Vec<f64> = points.chain(errors).chain(bars).chain(counts).chain(tags).collect();
        self.y.place(values.into_iter(), from, to, self.ticks_down())
    }

    /// How the series `k` is drawn.
    fn style_of(&self, k: usize) -> usize {
        let before = self.series[..k].iter().filter(|s| !s.quiet && s.style.is_none()).count();
        self.series[k].style.unwrap_or(before)
    }

    /// What is named to the right of the data: nothing if there is nothing to be told apart.
    fn names(&self) -> Vec<Name<'_>> {
        let lines = |text: &str| wrap(text, LABEL, 170.0);
        let mut names = Vec::new();
        let distinct = self.series.iter().filter(|s| !s.name.is_empty()).count() + self.bars.len();
        if distinct < 2 {
            return names;
        }
        let parts = self.bars.iter().enumerate();
        for (k, (name, _)) in parts {
            let style = Style::Area(k);
            names.push(Name { lines: lines(name), y: 0.0, end: None, style });
        }
        if self.stacked {
            names.reverse();
        }
        for (k, s) in self.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()) {
            let style = Style::Line(s, self.style_of(k));
            names.push(Name { lines: lines(&s.name), y: 0.0, end: None, style });
        }
        names
    }

    fn margins(&self) -> Margins {
        let widest = |placed: &Placed<'_>| {
            let widths = placed.ticks().into_iter().map(|t| text_width(&t.1, TICK));
            widths.fold(0.0, f64::max)
        };
        let y = self.place_y(self.height, 0.0);
        let left = EDGE + widest(&y) + 9.0;
        let names = self.names();
        let name_width = names.iter().flat_map(|n| &n.lines).map(|l| text_width(l, LABEL));
        let mut right: f64 = EDGE + 8.0;
        if !names.is_empty() {
            right = name_width.fold(0.0, f64::max) + 50.0 + EDGE;
        }
        if let Some((raster, _)) = &self.raster {
            let bar = bar_axis(raster);
            let bar = bar.place(std::iter::empty(), 0.0, self.height, self.ticks_down());
            right = 34.0 + widest(&bar).max(20.0) + 9.0 + EDGE;
        }
        let x = self.place_x(0.0, self.width);
        // Half of the last tick's text stands beyond the axis.
        if let Some((value, text)) = x.ticks().last() {
            right = right.max(x.pixel(*value) - self.width + text_width(text, TICK) / 2.0 + EDGE);
        }
        let full = left + self.width + right - 2.0 * EDGE;
        let head = wrap(&self.title, TITLE, full).len() as f64 * 24.0
            + wrap(&self.note, TICK, full).len() as f64 * 20.0;
        let label = if y.label().is_empty() && self.raster.is_none() { 6.0 } else { 28.0 };
        let below = self.tick_lines(&x).iter().map(|l| l.len()).max().unwrap_or(1) as f64 * 18.0;
        let under = if x.label().is_empty() { 0.0 } else { 24.0 };
        Margins { left, right, top: head + label + 10.0, bottom: below + under + 18.0 }
    }

    /// The texts of the horizontal ticks in lines; every second one is lower where the names are
    /// too long.
    fn tick_lines(&self, x: &Placed<'_>) -> Vec<Vec<String>> {
        let ticks = x.ticks();
        if !matches!(self.x.scale, Scale::Names(_)) {
            return ticks.into_iter().map(|t| vec![t.1]).collect();
        }
        let pitch = self.width / ticks.len().max(1) as f64 - 6.0;
        let mut lines: Vec<Vec<String>> = ticks.iter().map(|t| wrap(&t.1, TICK, pitch)).collect();
        if lines.iter().flatten().any(|l| text_width(l, TICK) > pitch) {
            lines = ticks.iter().map(|t| wrap(&t.1, TICK, 2.0 * pitch)).collect();
            let lower = lines.iter().step_by(2).map(Vec::len).max().unwrap_or(0);
            for line in lines.iter_mut().skip(1).step_by(2) {
                for _ in 0..lower {
                    line.insert(0, String::new());
                }
            }
        }
        lines
    }

    fn draw(&self, m: Margins) -> Sheet {
        let (full, tall) = (m.left + self.width + m.right, m.top + self.height + m.bottom);
        let mut sheet = Sheet::new(full, tall, &self.title);
        let mut base = 26.0;
        for line in wrap(&self.title, TITLE, full - 2.0 * EDGE) {
            sheet.text((EDGE, base), TITLE, Anchor::Start, "", &line);
            base += 24.0;
        }
        for line in wrap(&self.note, TICK, full - 2.0 * EDGE) {
            sheet.text((EDGE, base - 3.0), TICK, Anchor::Start, "s", &line);
            base += 20.0;
        }
        let (right, bottom) = (m.left + self.width, m.top + self.height);
        let x = self.place_x(m.left, right);
        let y = self.place_y(bottom, m.top);
        sheet.text((EDGE, m.top - 13.0), LABEL, Anchor::Start, "s", &y.label());
        self.grid(&mut sheet, &x, &y);
        self.pixels(&mut sheet, &x, &y);
        self.draw_bars(&mut sheet, &x, &y);
        let mut names = self.names();
        self.lines(&mut sheet, &x, &y, &mut names);
        self.draw_wiggles(&mut sheet, &x, &y);
        self.frame(&mut sheet, &x, &y);
        self.draw_names(&mut sheet, names, right, (m.top, bottom));
        self.draw_tags(&mut sheet, &x, &y);
        sheet
    }

    fn grid(&self, sheet: &mut Sheet, x: &Placed<'_>, y: &Placed<'_>) {
        let (left, top, right, bottom) = area(x, y);
        for (value, _) in y.ticks() {
            let at = y.pixel(value);
            sheet.line(&[(left, at), (right, at)], "g", 1.0, "");
        }
        if !matches!(self.x.scale, Scale::Names(_)) {
            for (value, _) in x.ticks() {
                let at = x.pixel(value);
                sheet.line(&[(at, top), (at, bottom)], "g", 1.0, "");
            }
        }
    }

    fn frame(&self, sheet: &mut Sheet, x: &Placed<'_>, y: &Placed<'_>) {
        let (left, top, right, bottom) = area(x, y);
        let mut axes = format!("M{left:.1} {top:.1}V{bottom:.1}H{right:.1}");
        if self.raster.is_some() || !self.wiggles.is_empty() {
            axes += &format!("V{top:.1}Z");
        }
        for value in x.small_ticks() {
            axes += &format!("M{:.1} {bottom:.1}v3", x.pixel(value));
        }
        for value in y.small_ticks() {
            axes += &format!("M{left:.1} {:.1}h-3", y.pixel(value));
        }
        let names = matches!(self.x.scale, Scale::Names(_));
        let lines = self.tick_lines(x);
        let deepest = lines.iter().map(Vec::len).max().unwrap_or(1) as f64;
        for ((value, _), lines) in x.ticks().into_iter().zip(lines) {
            let at = x.pixel(value);
            if !names {
                axes += &format!("M{at:.1} {bottom:.1}v6");
            }
            for (k, line) in lines.iter().enumerate() {
                let down = bottom + 21.0 + 18.0 * k as f64;
                sheet.text((at, down), TICK, Anchor::Middle, "", line);
            }
        }
        for (value, text) in y.ticks() {
            let at = y.pixel(value);
            axes += &format!("M{left:.1} {at:.1}h-5");
            sheet.text((left - 9.0, at + 5.0), TICK, Anchor::End, "", &text);
        }
        sheet.path(&axes, "a", 1.2, "");
        let label = (0.5 * (left + right), bottom + 25.0 + 18.0 * deepest);
        sheet.text(label, LABEL, Anchor::Middle, "s", &x.label());
    }

    fn pixels(&self, sheet: &mut Sheet, x: &Placed<'_>, y: &Placed<'_>) {
        let Some((raster, [across, down])) = &self.raster else { return };
        let (x0, x1) = (x.pixel(across.0), x.pixel(across.1));
        let (y0, y1) = (y.pixel(down.0), y.pixel(down.1));
        let (left, right) = (x0.min(x1), x0.max(x1));
        let (top, bottom) = (y0.min(y1), y0.max(y1));
        let size = (right - left, bottom - top);
        let png = raster.png(size.0 as usize, size.1 as usize, y1 < y0);
        sheet.image((left, top), size, &png, raster.smooth);
        // The colour bar.
        let shades = Raster {
            columns: 1,
            values: (0..128).map(|k| k as f32).collect(),
            range: (0.0, 127.0),
            meaning: String::new(),
            ..*raster
        };
        let at = x.from.max(x.to) + 20.0;
        sheet.image((at, top), (14.0, size.1), &shades.png(1, 128, true), true);
        let axis = bar_axis(raster);
        let bar = axis.place(std::iter::empty(), bottom, top, self.ticks_down());
        let mut path = format!("M{at:.1} {top:.1}h14V{bottom:.1}h-14Z");
        for (value, text) in bar.ticks() {
            let down = bar.pixel(value);
            path += &format!("M{:.1} {down:.1}h5", at + 14.0);
            sheet.text((at + 23.0, down + 5.0), TICK, Anchor::Start, "", &text);
        }
        sheet.path(&path, "a", 1.0, "");
        let end = sheet.size().0 - EDGE;
        sheet.text((end, top - 13.0), LABEL, Anchor::End, "s", &bar.label());
    }

    fn draw_bars(&self, sheet: &mut Sheet, x: &Placed<'_>, y: &Placed<'_>) {
        let foot = y.foot();
        if let Some((edges, counts)) = &self.histogram {
            for (two, count) in edges.windows(2).zip(counts).filter(|(_, c)| c.is_finite()) {
                let (a, b) = (x.pixel(two[0]), x.pixel(two[1]));
                let top = y.pixel(*count).clamp(y.to, y.from);
                sheet.rect((a, top), ((b - a - 1.0).max(1.0), foot - top), 0.0, "f0");
            }
        }
        let Scale::Names(names) = &self.x.scale else { return };
        let pitch = (x.to - x.from) / names.len().max(1) as f64;
        let beside = if self.stacked { 1 } else { self.bars.len().max(1) };
        let width = (0.78 * pitch / beside as f64).min(90.0);
        // As the axis shows them.
        let text = |v: f64| short(v * y.factor);
        let all = || self.bars.iter().flat_map(|b| &b.1).filter(|v| v.is_finite());
        let room = if self.stacked { pitch } else { width };
        let fits = |size: f64| all().all(|v| text_width(&text(*v), size) <= room);
        let size = if fits(14.0) { 14.0 } else { 12.0 };
        for k in 0..names.len() {
            let left = x.pixel(k as f64) - 0.5 * width * beside as f64;
            let mut below = 0.0;
            let mut top = foot;
            for (j, (_, values)) in self.bars.iter().enumerate() {
                let Some(value) = values.get(k).copied().filter(|v| v.is_finite()) else {
                    if !self.stacked {
                        let at = left + width * (j as f64 + 0.5);
                        sheet.text((at, foot - 5.0), size, Anchor::Middle, "s", "\u{2013}");
                    }
                    continue;
                };
                let (from, corner) = match self.stacked {
                    true => (y.pixel(below), left),
                    false => (foot, left + width * j as f64),
                };
                below += value.max(0.0);
                let upto = if self.stacked { below } else { value };
                let to =
                    if y.axis.scale == Scale::Log && upto <= 0.0 { foot } else { y.pixel(upto) };
                let to = to.clamp(y.to, y.from);
                let (high, low) = (to.min(from), to.max(from));
                let gap = if beside > 1 { 2.0 } else { 0.0 };
                sheet.rect((corner, high), (width - gap, low - high), 0.0, &format!("f{}", j % 7));
                sheet.hatch((corner, high), (width - gap, low - high), j);
                top = top.min(high);
                if !self.stacked && fits(size) {
                    let at = (corner + (width - gap) / 2.0, high - 5.0);
                    sheet.text(at, size, Anchor::Middle, "", &text(value));
                }
            }
            if self.stacked && below > 0.0 {
                let at = (x.pixel(k as f64), top - 6.0);
                sheet.text(at, 14.0, Anchor::Middle, "", &text(below));
            }
        }
    }

    fn lines(&self, sheet: &mut Sheet, x: &Placed<'_>, y: &Placed<'_>, names: &mut [Name<'_>]) {
        for (k, s) in self.series.iter().enumerate() {
            let style = self.style_of(k);
            let class = if s.quiet { "a".into() } else { format!("l{}", style % 7) };
            let shown: Vec<(f64, f64)> =
                s.points.iter().map(|(a, b)| (x.pixel(*a), y.pixel(*b))).collect();
            if s.joined {
                let dash = if s.quiet { "4 4" } else { dash(style) };
                let wide = if s.quiet { 1.4 } else { 2.2 };
                let path = clipped(&thin(&shown), x, y);
                if self.raster.is_some() {
                    // On a grey that is as dark as the line's colour it is seen by its edges.
                    sheet.path(&path, "h", wide + 2.4, dash);
                }
                sheet.path(&path, &class, wide, dash);
            }
            let seen = |p: &&(f64, f64)| inside(**p, x, y);
            for ((low, high), (px, _)) in s.errors.iter().zip(&shown) {
                let (low, high) = (y.pixel(*low), y.pixel(*high));
                if low.is_finite() && high.is_finite() {
                    let (low, high) = (low.clamp(y.to, y.from), high.clamp(y.to, y.from));
                    let (l, r) = (px - 4.0, px + 4.0);
                    let bar = format!(
                        "M{l:.1} {low:.1}H{r:.1}M{px:.1} {low:.1}V{high:.1}M{l:.1} {high:.1}H{r:.1}"
                    );
                    sheet.path(&bar, &class, 1.5, "");
                }
            }
            if s.marked {
                // All marks of a few points; of many, some, not above those of the other series.
                let every = if s.joined && shown.len() > 30 { shown.len().div_ceil(9) } else { 1 };
                let first = if every > 1 { every * (style % 5 + 1) / 6 } else { 0 };
                for p in shown.iter().skip(first).step_by(every).filter(seen) {
                    sheet.mark(*p, style);
                }
            }
            // Where the line ends, or leaves the picture for good.
            let left = shown.windows(2).rev().find_map(|two| {
                let (_, t) = within([two[0], two[1]], area(x, y))?;
                let [(ax, ay), (bx, by)] = [two[0], two[1]];
                Some((ax + t * (bx - ax), ay + t * (by - ay)))
            });
            let last = left.or_else(|| shown.iter().rev().find(seen).copied());
            let name = names
                .iter_mut()
                .find(|n| matches!(n.style, Style::Line(of, _) if std::ptr::eq(of, s)));
            if let Some(name) = name {
                name.end = last.filter(|_| s.joined);
            }
        }
    }

    /// Names from the top down at the heights of their lines' ends, as far as they do not overlap.
    fn draw_names(
        &self,
        sheet: &mut Sheet,
        mut names: Vec<Name<'_>>,
        right: f64,
        (top, bottom): (f64, f64),
    ) {
        const LINE: f64 = 19.0;
        for (k, name) in names.iter_mut().enumerate() {
            name.y = name.end.map_or(top + 8.0 + 24.0 * k as f64, |e| e.1);
        }
        if names.iter().all(|n| n.end.is_some()) {
            // Of lines that leave the picture below, the one that leaves last comes first.
            let early = |n: &Name<'_>| n.end.map_or(0.0, |e| 0.04 * (right - e.0));
            names.sort_by(|a, b| (a.y + early(a)).total_cmp(&(b.y + early(b))));
        }
        let height = |n: &Name<'_>| LINE * n.lines.len() as f64 + 4.0;
        let mut least = top - 2.0;
        for name in &mut names {
            name.y = name.y.max(least + 0.5 * height(name));
            least = name.y + 0.5 * height(name);
        }
        // Not beside the numbers below the axis.
        let mut most = bottom + 10.0;
        for name in names.iter_mut().rev() {
            name.y = name.y.min(most - 0.5 * height(name));
            most = name.y - 0.5 * height(name);
        }
        for name in &names {
            let (from, to) = (right + 10.0, right + 36.0);
            match name.style {
                Style::Area(k) => {
                    sheet.rect(
                        (to - 16.0, name.y - 8.0),
                        (16.0, 16.0),
                        0.0,
                        &format!("f{}", k % 7),
                    );
                    sheet.hatch((to - 16.0, name.y - 8.0), (16.0, 16.0), k);
                }
                Style::Line(s, k) => {
                    let class = if s.quiet { "a".into() } else { format!("l{}", k % 7) };
                    if s.joined {
                        let dash = if s.quiet { "4 4" } else { dash(k) };
                        sheet.line(&[(from, name.y), (to, name.y)], &class, 2.2, dash);
                    }
                    if s.marked {
                        sheet.mark((0.5 * (from + to), name.y), k);
                    }
                }
            }
            let base = name.y + 6.0 - 0.5 * LINE * (name.lines.len() - 1) as f64;
            for (k, line) in name.lines.iter().enumerate() {
                let at = (to + 8.0, base + LINE * k as f64);
                sheet.text(at, LABEL, Anchor::Start, "", line);
            }
        }
    }

    fn draw_wiggles(&self, sheet: &mut Sheet, x: &Placed<'_>, y: &Placed<'_>) {
        let largest = self.wiggles.iter().flat_map(|w| &w.1).filter(|v| v.is_finite());
        let largest = largest.fold(0f32, |m, v| m.max(v.abs()));
        let pitch = (x.to - x.from).abs() / self.wiggles.len().max(1) as f64;
        let scale = self.wiggle_gain * pitch / f64::from(if largest > 0.0 { largest } else { 1.0 });
        let (left, top, right, bottom) = area(x, y);
        for (at, samples) in &self.wiggles {
            let zero = x.pixel(*at);
            let step = (bottom - top) / samples.len().saturating_sub(1).max(1) as f64;
            let place = |(k, v): (usize, &f32)| {
                let v = if v.is_finite() { f64::from(*v) } else { 0.0 };
                ((zero + scale * v).clamp(left, right), top + step * k as f64)
            };
            let line: Vec<(f64, f64)> = samples.iter().enumerate().map(place).collect();
            let mut area = vec![(zero, top)];
            area.extend(line.iter().map(|(a, b)| (a.max(zero), *b)));
            area.push((zero, bottom));
            sheet.path(&format!("{}Z", path_of(&area)), "f6", 0.0, "");
            sheet.line(&line, "l6", 0.8, "");
        }
    }

    /// Texts beside their points, where there is room: to the right, to the left, above, below; not
    /// over a line if it can be helped.
    fn draw_tags(&self, sheet: &mut Sheet, x: &Placed<'_>, y: &Placed<'_>) {
        let boxes = |(px, py): (f64, f64)| (px - 6.0, py - 6.0, px + 6.0, py + 6.0);
        let mut taken: Vec<(f64, f64, f64, f64)> = self
            .series
            .iter()
            .filter(|s| s.marked)
            .flat_map(|s| s.points.iter().map(|(a, b)| boxes((x.pixel(*a), y.pixel(*b)))))
            .collect();
        let at = |p: &(f64, f64)| (x.pixel(p.0), y.pixel(p.1));
        let joined = self.series.iter().filter(|s| s.joined);
        let lines: Vec<[(f64, f64); 2]> =
            joined.flat_map(|s| s.points.windows(2).map(|p| [at(&p[0]), at(&p[1])])).collect();
        let (left, top, _, bottom) = area(x, y);
        let right = sheet.size().0 - EDGE;
        for (a, b, text) in &self.tags {
            let (px, py) = (x.pixel(*a), y.pixel(*b));
            let width = text_width(text, TICK);
            let places = [
                (px + 10.0, py + 5.0),
                (px - 10.0 - width, py + 5.0),
                (px - 0.5 * width, py - 10.0),
                (px - 0.5 * width, py + 21.0),
                (px + 8.0, py - 8.0),
                (px + 8.0, py + 19.0),
                (px - 8.0 - width, py - 8.0),
                (px - 8.0 - width, py + 19.0),
                (px - 0.5 * width, py - 28.0),
                (px - 0.5 * width, py + 39.0),
            ];
            // Three pixels stay free around it.
            let around =
                |(l, base): (f64, f64)| (l - 3.0, base - 15.0, l + width + 3.0, base + 7.0);
            let free = |at: &&(f64, f64)| {
                let (l, t, r, b) = around(**at);
                let apart = |o: &(f64, f64, f64, f64)| r <= o.0 || o.2 <= l || b <= o.1 || o.3 <= t;
                l >= left && r <= right && t >= top && b <= bottom && taken.iter().all(apart)
            };
            let clear =
                |at: &&(f64, f64)| lines.iter().all(|line| within(*line, around(**at)).is_none());
            let best = places.iter().find(|at| free(at) && clear(at));
            let at = best.or_else(|| places.iter().find(free)).copied().unwrap_or(places[0]);
            taken.push(around(at));
            sheet.text(at, TICK, Anchor::Start, "o", text);
        }
    }
}

/// The data of lines as a table: a row for each x, a column for each series. All have the same x
/// values.
pub fn csv(x: &str, series: &[Series]) -> String {
    let names = series.iter().map(|s| s.name.as_str());
    let mut text = [x].into_iter().chain(names).collect::<Vec<_>>().join(",") + "\n";
    for (k, (at, _)) in series.first().map_or(&[][..], |s| &s.points).iter().enumerate() {
        text += &at.to_string();
        for s in series {
            text += &s.points.get(k).map_or(String::new(), |p| format!(",{}", p.1));
        }
        text.push('\n');
    }
    text
}

/// Charts below each other, with the same left and right edges of their data.
pub fn stacked_panels(charts: &[Chart]) -> Sheet {
    let all: Vec<Margins> = charts.iter().map(Chart::margins).collect();
    let widest = |of: fn(&Margins) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let (left, right) = (widest(|m| m.left), widest(|m| m.right));
    let panels: Vec<Sheet> =
        charts.iter().zip(&all).map(|(c, m)| c.draw(Margins { left, right, ..*m })).collect();
    rows(charts, &panels, 1)
}

/// Charts beside each other, so many in a row.
pub fn panels_in_rows(charts: &[Chart], columns: usize) -> Sheet {
    let panels: Vec<Sheet> = charts.iter().map(Chart::sheet).collect();
    rows(charts, &panels, columns)
}

fn rows(charts: &[Chart], panels: &[Sheet], columns: usize) -> Sheet {
    let widest = |of: fn(&Sheet) -> f64, all: &[Sheet]| all.iter().map(of).fold(0.0, f64::max);
    let width = widest(|p| p.size().0, panels);
    let lines = || panels.chunks(columns.max(1));
    let height: f64 = lines().map(|line| widest(|p| p.size().1, line)).sum();
    let title: Vec<&str> = charts.iter().map(|c| c.title.as_str()).collect();
    let across = columns.min(panels.len()) as f64;
    let mut sheet = Sheet::new(width * across, height, &title.join("; "));
    let mut down = 0.0;
    for line in lines() {
        for (k, panel) in line.iter().enumerate() {
            sheet.place((width * k as f64, down), panel);
        }
        down += widest(|p| p.size().1, line);
    }
    sheet
}

fn bar_axis(raster: &Raster) -> Axis {
    Axis::linear(&raster.meaning).range(raster.range.0, raster.range.1)
}

/// A value above its bar: two or three digits that count, or all of a whole number.
fn short(v: f64) -> String {
    let places = match v.abs() {
        a if a >= 1e6 => return format!("{v:.2e}"),
        a if a >= 99.95 => return crate::ticks::number(v, 1.0),
        0.0 => return "0".into(),
        a if a >= 9.995 => 1,
        a if a >= 0.0995 => 2,
        a if a >= 0.001 => 4,
        _ => return format!("{v:.1e}"),
    };
    format!("{v:.places$}").trim_end_matches('0').trim_end_matches('.').into()
}

/// The area of the data: left, top, right, bottom.
fn area(x: &Placed<'_>, y: &Placed<'_>) -> (f64, f64, f64, f64) {
    (x.from.min(x.to), y.from.min(y.to), x.from.max(x.to), y.from.max(y.to))
}

fn inside((px, py): (f64, f64), x: &Placed<'_>, y: &Placed<'_>) -> bool {
    let (left, top, right, bottom) = area(x, y);
    px >= left - 0.5 && px <= right + 0.5 && py >= top - 0.5 && py <= bottom + 0.5
}

/// Of very many points in a row those that can be seen: the first, least, greatest and last of each
/// pixel across.
fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() < 1500 {
        return points.to_vec();
    }
    let mut out: Vec<(f64, f64)> = Vec::new();
    for group in points.chunk_by(|a, b| libm::floor(a.0) == libm::floor(b.0)) {
        let by = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (least, most) = (group.iter().min_by(by), group.iter().max_by(by));
        for p in [group.first(), least, most, group.last()].into_iter().flatten() {
            if out.last() != Some(p) {
                out.push(*p);
            }
        }
    }
    out
}

/// From where to where, as shares of its length, a segment is inside of a rectangle (left, top,
/// right, bottom): Liang and Barsky.
fn within(
    [(ax, ay), (bx, by)]: [(f64, f64); 2],
    (x0, y0, x1, y1): (f64, f64, f64, f64),
) -> Option<(f64, f64)> {
    if ![ax, ay, bx, by].iter().all(|v| v.is_finite()) {
        return None;
    }
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for (p, q) in [(ax - bx, ax - x0), (bx - ax, x1 - ax), (ay - by, ay - y0), (by - ay, y1 - ay)] {
        match p {
            0.0 if q < 0.0 => return None,
            p if p < 0.0 => from = from.max(q / p),
            p if p > 0.0 => to = to.min(q / p),
            _ => {}
        }
    }
    (from <= to).then_some((from, to))
}

/// The parts of a line that lie in the area of the data, as the data of a path.
fn clipped(points: &[(f64, f64)], x: &Placed<'_>, y: &Placed<'_>) -> String {
    let mut parts: Vec<(f64, f64)> = Vec::new();
    let gap = (f64::NAN, f64::NAN);
    for two in points.windows(2) {
        let ((ax, ay), (bx, by)) = (two[0], two[1]);
        let Some((from, to)) = within([two[0], two[1]], area(x, y)) else {
            parts.push(gap);
            continue;
        };
        let at = |t: f64| (ax + t * (bx - ax), ay + t * (by - ay));
        if parts.last().is_none_or(|l| l.0.is_nan()) || from > 0.0 {
            parts.extend([gap, at(from)]);
        }
        parts.push(at(to));
    }
    path_of(&parts)
}
