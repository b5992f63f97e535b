//! Charts over two axes: lines, points, bars, histograms, pixels, wiggles, and what stands around
//! them.

use std::cmp::Reverse;

use crate::axis::{Axis, Placed, Scale, plain};
use crate::pixels::Raster;
use crate::sheet::{Anchor, Point, Sheet, dash, path_of, text_width, wrap};

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
    bars: bool,
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
        self.smooth()
    }

    /// Number, class and dash of its look.
    fn look(&self) -> (usize, String, &'static str) {
        let k = self.style.unwrap_or(0);
        if self.quiet { (k, "a".into(), "4 4") } else { (k, format!("l{}", k % 7), dash(k)) }
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
    /// The look of the next series.
    next: usize,
    stacked: bool,
    histogram: Vec<(Vec<f64>, Vec<f64>)>,
    raster: Option<(Raster, [(f64, f64); 2])>,
    colours: Axis,
    wiggles: Vec<(f64, Vec<f32>)>,
    wiggle_gain: f64,
    tags: Vec<(f64, f64, String)>,
    width: f64,
    height: f64,
}

/// Left, top, right and bottom of a rectangle.
type Area = (f64, f64, f64, f64);

/// A chart's axes in place, and the room around the area of its data.
struct Layout<'a> {
    x: Placed<'a>,
    y: Placed<'a>,
    colours: Option<Placed<'a>>,
    /// The texts of the horizontal ticks, in lines.
    below: Vec<Vec<String>>,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Layout<'_> {
    fn at(&self, (a, b): &(f64, f64)) -> Point {
        (self.x.pixel(*a), self.y.pixel(*b))
    }

    fn area(&self) -> Area {
        let ((left, right), (top, bottom)) = (self.x.ends(), self.y.ends());
        (left, top, right, bottom)
    }

    fn has(&self, (x, y): Point) -> bool {
        let (left, top, right, bottom) = self.area();
        x >= left - 0.5 && x <= right + 0.5 && y >= top - 0.5 && y <= bottom + 0.5
    }
}

/// The name of a series, beside the data.
struct Name<'a> {
    lines: Vec<String>,
    series: &'a Series,
    /// Where its line ends.
    end: Option<Point>,
    y: f64,
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
        let style = series.style.or(Some(self.next));
        self.next += usize::from(!series.quiet && series.style.is_none());
        self.series.push(Series { style, ..series });
        self
    }

    /// Adds lines or points.
    pub fn with_all(self, series: impl IntoIterator<Item = Series>) -> Chart {
        series.into_iter().fold(self, Chart::with)
    }

    /// Adds bars, one for each name of the horizontal axis, beside those that are there, or on top
    /// of them in a [`stacked`](Chart::stacked) chart. Of a value that is no number a dash says
    /// that it is not known.
    pub fn bars(self, name: &str, values: Vec<f64>) -> Chart {
        let points = (0..).map(f64::from).zip(values).collect();
        let style = Some(self.series.iter().filter(|s| s.bars).count());
        self.with(Series { name: name.into(), points, bars: true, style, ..Series::default() })
    }

    /// Bars stand on top of each other.
    pub fn stacked(mut self) -> Chart {
        self.stacked = true;
        self
    }

    /// Adds a histogram: `edges` has one value more than `counts`.
    pub fn histogram(mut self, edges: Vec<f64>, counts: Vec<f64>) -> Chart {
        self.histogram.push((edges, counts));
        self
    }

    /// Values as colours, from the outer edges `x` to `y` of their cells.
    pub fn raster(mut self, raster: Raster, x: (f64, f64), y: (f64, f64)) -> Chart {
        self.x.range.get_or_insert(x);
        self.y.range.get_or_insert(y);
        self.colours = Axis::linear(&raster.meaning).range(raster.range.0, raster.range.1);
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
        self.draw(self.layout())
    }

    /// What the axes must reach, x and y; NaN where it concerns the other one alone.
    fn reach(&self) -> Vec<(f64, f64)> {
        let alone = |y: f64| (f64::NAN, y);
        let (foot, room) = if self.y.scale == Scale::Log { (0.6, 1.6) } else { (0.0, 1.09) };
        let mut all: Vec<(f64, f64)> = self.tags.iter().map(|t| (t.0, t.1)).collect();
        for s in &self.series {
            all.extend(&s.points);
            all.extend(s.errors.iter().flat_map(|e| [alone(e.0), alone(e.1)]));
            // Bars stand on zero, or in powers of ten on less than the least of them; the values
            // above them need room.
            let bars = (0..s.points.len()).filter(|_| s.bars).filter_map(|k| self.bar(s, k));
            all.extend(bars.flat_map(|b| [foot * (b.1 - b.0), room * b.1].map(alone)));
        }
        all.extend(self.wiggles.iter().map(|w| (w.0, f64::NAN)));
        for (edges, counts) in &self.histogram {
            all.extend(edges.iter().map(|x| (*x, 0.0)));
            all.extend(counts.iter().copied().map(alone));
        }
        all
    }

    /// Fewer ticks until their texts have room.
    fn place_x(&self, reach: &[(f64, f64)]) -> Placed<'_> {
        let most = (self.width / 90.0).clamp(2.0, 10.0) as usize;
        let placed = |count| self.x.place(reach.iter().map(|p| p.0), 0.0, self.width, count);
        let half = |t: &(f64, String)| 0.5 * text_width(&t.1, TICK) + 5.0;
        let apart = |x: &Placed<'_>, a: &(f64, String), b: &(f64, String)| {
            (x.pixel(b.0) - x.pixel(a.0)).abs() >= half(a) + half(b)
        };
        let names = matches!(self.x.scale, Scale::Names(_));
        let free = |x: &Placed<'_>| x.ticks.windows(2).all(|t| apart(x, &t[0], &t[1]));
        let fits = (2..=most).rev().map(placed).find(|x| names || free(x));
        fits.unwrap_or_else(|| placed(2))
    }

    /// An axis beside the data, upwards: with three ticks at least, where numbers allow it.
    fn place_y<'a>(&self, axis: &'a Axis, reach: &[(f64, f64)]) -> Placed<'a> {
        let few = (self.height / 48.0).clamp(2.0, 8.0) as usize;
        let placed = |count| axis.place(reach.iter().map(|p| p.1), self.height, 0.0, count);
        (few..few + 3).map(placed).find(|a| a.ticks.len() > 2).unwrap_or_else(|| placed(few))
    }

    /// From which value to which the bar of a series at the place `k` goes, if that is known.
    fn bar(&self, s: &Series, k: usize) -> Option<(f64, f64)> {
        let value = |s: &Series| s.points.get(k).map(|p| p.1).filter(|v| v.is_finite());
        let before = self.series.iter().take_while(|other| !std::ptr::eq(*other, s));
        let below = before.filter(|other| self.stacked && other.bars).filter_map(value);
        let below = below.fold(0.0, |sum, v| sum + v.max(0.0));
        value(s).map(|v| (below, if self.stacked { below + v.max(0.0) } else { v }))
    }

    /// What is named to the right of the data: nothing if there is nothing to be told apart.
    fn names(&self) -> Vec<Name<'_>> {
        let named = self.series.iter().filter(|s| !s.name.is_empty());
        let mut names: Vec<Name<'_>> = named
            .map(|series| Name {
                lines: wrap(&series.name, LABEL, 170.0),
                series,
                end: None,
                y: 0.0,
            })
            .collect();
        // Bars first, and what stands on top of the others before them.
        let top = |s: &Series| (s.bars && self.stacked).then_some(Reverse(s.style));
        names.sort_by_key(|n| (!n.series.bars, top(n.series)));
        if names.len() < 2 { Vec::new() } else { names }
    }

    fn layout(&self) -> Layout<'_> {
        let widest = |placed: &Placed<'_>| {
            placed.ticks.iter().map(|t| text_width(&t.1, TICK)).fold(0.0, f64::max)
        };
        let reach = self.reach();
        let (x, y) = (self.place_x(&reach), self.place_y(&self.y, &reach));
        let colours = self.raster.as_ref().map(|_| self.place_y(&self.colours, &[]));
        let left = EDGE + widest(&y) + 9.0;
        let names = self.names();
        let name_width = names.iter().flat_map(|n| &n.lines).map(|l| text_width(l, LABEL));
        let mut right = match &colours {
            Some(colours) => 34.0 + widest(colours).max(20.0) + 9.0 + EDGE,
            None if names.is_empty() => EDGE + 8.0,
            None => name_width.fold(0.0, f64::max) + 50.0 + EDGE,
        };
        // Half of the last tick's text stands beyond the axis.
        if let Some((value, text)) = x.ticks.last() {
            right = right.max(x.pixel(*value) - self.width + text_width(text, TICK) / 2.0 + EDGE);
        }
        let head: f64 = self.head(left + self.width + right).map(|(_, _, _, down)| down).sum();
        let label = if y.label().is_empty() && self.raster.is_none() { 6.0 } else { 28.0 };
        let below = self.tick_lines(&x);
        let deepest = below.iter().map(Vec::len).max().unwrap_or(1) as f64 * 18.0;
        let under = if x.label().is_empty() { 0.0 } else { 24.0 };
        let (top, bottom) = (head + label + 10.0, deepest + under + 18.0);
        Layout { x, y, colours, below, left, right, top, bottom }
    }

    /// The lines of title and note: text, size, class, pixels down.
    fn head(&self, width: f64) -> impl Iterator<Item = (String, f64, &'static str, f64)> {
        let title = wrap(&self.title, TITLE, width - 2.0 * EDGE).into_iter();
        let note = wrap(&self.note, TICK, width - 2.0 * EDGE).into_iter();
        title.map(|l| (l, TITLE, "", 24.0)).chain(note.map(|l| (l, TICK, "s", 20.0)))
    }

    /// The texts of the horizontal ticks in lines; every second one is lower where the names are
    /// too long.
    fn tick_lines(&self, x: &Placed<'_>) -> Vec<Vec<String>> {
        if !matches!(self.x.scale, Scale::Names(_)) {
            return x.ticks.iter().map(|t| vec![t.1.clone()]).collect();
        }
        let pitch = self.width / x.ticks.len().max(1) as f64 - 6.0;
        let wrapped = |width: f64| -> Vec<Vec<String>> {
            x.ticks.iter().map(|t| wrap(&t.1, TICK, width)).collect()
        };
        let mut lines = wrapped(pitch);
        if lines.iter().flatten().any(|l| text_width(l, TICK) > pitch) {
            lines = wrapped(2.0 * pitch);
            let lower = lines.iter().step_by(2).map(Vec::len).max().unwrap_or(0);
            for line in lines.iter_mut().skip(1).step_by(2) {
                line.splice(..0, vec![String::new(); lower]);
            }
        }
        lines
    }

    fn draw(&self, mut l: Layout<'_>) -> Sheet {
        let (full, tall) = (l.left + self.width + l.right, l.top + self.height + l.bottom);
        let mut sheet = Sheet::new(full, tall, &self.title);
        let mut base = 26.0;
        for (line, size, class, down) in self.head(full) {
            let up = if class.is_empty() { 0.0 } else { 3.0 };
            sheet.text((EDGE, base - up), size, Anchor::Start, class, &line);
            base += down;
        }
        (l.x, l.y) = (l.x.moved(l.left), l.y.moved(l.top));
        l.colours = l.colours.map(|c| c.moved(l.top));
        sheet.text((EDGE, l.top - 13.0), LABEL, Anchor::Start, "s", &l.y.label());
        self.grid(&mut sheet, &l);
        self.pixels(&mut sheet, &l);
        self.draw_bars(&mut sheet, &l);
        self.lines(&mut sheet, &l);
        self.draw_wiggles(&mut sheet, &l);
        self.frame(&mut sheet, &l);
        self.draw_names(&mut sheet, &l);
        self.draw_tags(&mut sheet, &l);
        sheet
    }

    fn grid(&self, sheet: &mut Sheet, l: &Layout<'_>) {
        let (left, top, right, bottom) = l.area();
        let across = l.y.ticks.iter().map(|t| l.y.pixel(t.0)).map(|at| [(left, at), (right, at)]);
        let names = matches!(self.x.scale, Scale::Names(_));
        let down = l.x.ticks.iter().filter(|_| !names).map(|t| l.x.pixel(t.0));
        for line in across.chain(down.map(|at| [(at, top), (at, bottom)])) {
            sheet.line(&line, "g", 1.0, "");
        }
    }

    fn frame(&self, sheet: &mut Sheet, l: &Layout<'_>) {
        let (left, top, right, bottom) = l.area();
        let mut axes = format!("M{left:.1} {top:.1}V{bottom:.1}H{right:.1}");
        if self.raster.is_some() || !self.wiggles.is_empty() {
            axes += &format!("V{top:.1}Z");
        }
        for value in l.x.small_ticks() {
            axes += &format!("M{:.1} {bottom:.1}v3", l.x.pixel(value));
        }
        for value in l.y.small_ticks() {
            axes += &format!("M{left:.1} {:.1}h-3", l.y.pixel(value));
        }
        for ((value, _), lines) in l.x.ticks.iter().zip(&l.below) {
            let at = l.x.pixel(*value);
            if !matches!(self.x.scale, Scale::Names(_)) {
                axes += &format!("M{at:.1} {bottom:.1}v6");
            }
            for (k, line) in lines.iter().enumerate() {
                let down = bottom + 21.0 + 18.0 * k as f64;
                sheet.text((at, down), TICK, Anchor::Middle, "", line);
            }
        }
        axes += &upright(sheet, &l.y, left, -1.0);
        sheet.path(&axes, "a", 1.2, "");
        let label = (0.5 * (left + right), bottom + l.bottom - 17.0);
        sheet.text(label, LABEL, Anchor::Middle, "s", &l.x.label());
    }

    fn pixels(&self, sheet: &mut Sheet, l: &Layout<'_>) {
        let (Some((raster, [across, down])), Some(colours)) = (&self.raster, &l.colours) else {
            return;
        };
        let ((x0, y0), (x1, y1)) = (l.at(&(across.0, down.0)), l.at(&(across.1, down.1)));
        let (left, top) = (x0.min(x1), y0.min(y1));
        let size = ((x1 - x0).abs(), (y1 - y0).abs());
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
        let at = l.area().2 + 20.0;
        sheet.image((at, top), (14.0, size.1), &shades.png(1, 128, true), true);
        let bar = format!("M{at:.1} {top:.1}h14V{:.1}h-14Z", top + size.1);
        let path = bar + &upright(sheet, colours, at + 14.0, 1.0);
        sheet.path(&path, "a", 1.0, "");
        let end = (sheet.size().0 - EDGE, top - 13.0);
        sheet.text(end, LABEL, Anchor::End, "s", &colours.label());
    }

    fn draw_bars(&self, sheet: &mut Sheet, l: &Layout<'_>) {
        let foot = l.y.level(0.0);
        for (edges, counts) in &self.histogram {
            for (two, count) in edges.windows(2).zip(counts).filter(|(_, c)| c.is_finite()) {
                let ((a, b), top) = ((l.x.pixel(two[0]), l.x.pixel(two[1])), l.y.level(*count));
                sheet.area((a, top), ((b - a - 1.0).max(1.0), foot - top), 0);
            }
        }
        let Scale::Names(names) = &self.x.scale else { return };
        let pitch = self.width / names.len().max(1) as f64;
        let bars: Vec<&Series> = self.series.iter().filter(|s| s.bars).collect();
        let beside = if self.stacked { 1 } else { bars.len().max(1) };
        let width = (0.78 * pitch / beside as f64).min(90.0);
        let shown = width - if beside > 1 { 2.0 } else { 0.0 };
        // As the axis shows them.
        let text = |v: f64| short(v * l.y.factor);
        let all = bars.iter().flat_map(|s| &s.points).filter(|p| p.1.is_finite());
        let widest = all.map(|p| text_width(&text(p.1), 1.0)).fold(0.0, f64::max);
        let size = if self.stacked || 14.0 * widest <= width { 14.0 } else { 12.0 };
        for k in 0..names.len() {
            let left = l.x.pixel(k as f64) - 0.5 * width * beside as f64;
            let mut total = 0.0;
            for (j, series) in bars.iter().enumerate() {
                let corner = left + if self.stacked { 0.0 } else { width * j as f64 };
                let middle = corner + 0.5 * shown;
                let Some((from, to)) = self.bar(series, k) else {
                    if !self.stacked {
                        let at = (middle, foot - 5.0);
                        sheet.text(at, size, Anchor::Middle, "s", "\u{2013}");
                    }
                    continue;
                };
                let (from, upto) = (l.y.level(from), l.y.level(to));
                let high = upto.min(from);
                sheet.area((corner, high), (shown, upto.max(from) - high), j);
                total = to;
                if !self.stacked && size * widest <= width {
                    sheet.text((middle, high - 5.0), size, Anchor::Middle, "", &text(to));
                }
            }
            if self.stacked && total > 0.0 {
                let at = (l.x.pixel(k as f64), l.y.level(total) - 6.0);
                sheet.text(at, size, Anchor::Middle, "", &text(total));
            }
        }
    }

    fn lines(&self, sheet: &mut Sheet, l: &Layout<'_>) {
        for s in &self.series {
            let (style, class, dash) = s.look();
            let shown: Vec<Point> = s.points.iter().map(|p| l.at(p)).collect();
            if s.joined {
                let wide = if s.quiet { 1.4 } else { 2.2 };
                let path = clipped(&thin(&shown), l.area());
                if self.raster.is_some() {
                    // On a grey that is as dark as the line's colour it is seen by its edges.
                    sheet.path(&path, "h", wide + 2.4, dash);
                }
                sheet.path(&path, &class, wide, dash);
            }
            for ((low, high), (x, _)) in s.errors.iter().zip(&shown) {
                if l.y.pixel(*low).is_finite() && l.y.pixel(*high).is_finite() {
                    let (low, high) = (l.y.level(*low), l.y.level(*high));
                    let (a, b) = (x - 4.0, x + 4.0);
                    let mut bar = format!("M{a:.1} {low:.1}H{b:.1}M{x:.1} {low:.1}V{high:.1}");
                    bar += &format!("M{a:.1} {high:.1}H{b:.1}");
                    sheet.path(&bar, &class, 1.5, "");
                }
            }
            if s.marked {
                // All marks of a few points; of many, some, not above those of the other series.
                let every = if s.joined && shown.len() > 30 { shown.len().div_ceil(9) } else { 1 };
                let first = if every > 1 { every * (style % 5 + 1) / 6 } else { 0 };
                for p in shown.iter().skip(first).step_by(every).filter(|p| l.has(**p)) {
                    sheet.mark(*p, style);
                }
            }
        }
    }

    /// Names from the top down at the heights of their lines' ends, as far as they do not overlap.
    fn draw_names(&self, sheet: &mut Sheet, l: &Layout<'_>) {
        const LINE: f64 = 19.0;
        let (_, top, right, bottom) = l.area();
        let mut names = self.names();
        for (k, name) in names.iter_mut().enumerate() {
            name.end = end_of_line(name.series, l);
            name.y = name.end.map_or(top + 8.0 + 24.0 * k as f64, |e| e.1);
        }
        if names.iter().all(|n| n.end.is_some()) {
            // Of lines that leave the picture below, the one that leaves last comes first.
            let early = |n: &Name<'_>| n.y + n.end.map_or(0.0, |e| 0.04 * (right - e.0));
            names.sort_by(|a, b| early(a).total_cmp(&early(b)));
        }
        let half = |n: &Name<'_>| 0.5 * LINE * n.lines.len() as f64 + 2.0;
        let mut least = top - 2.0;
        for name in &mut names {
            name.y = name.y.max(least + half(name));
            least = name.y + half(name);
        }
        // Not beside the numbers below the axis.
        let mut most = bottom + 10.0;
        for name in names.iter_mut().rev() {
            name.y = name.y.min(most - half(name));
            most = name.y - half(name);
        }
        let (from, to) = (right + 10.0, right + 36.0);
        for Name { lines, series, y, .. } in names {
            let (style, class, dash) = series.look();
            if series.bars {
                sheet.area((to - 16.0, y - 8.0), (16.0, 16.0), style);
            }
            if series.joined {
                sheet.line(&[(from, y), (to, y)], &class, 2.2, dash);
            }
            if series.marked {
                sheet.mark((0.5 * (from + to), y), style);
            }
            let base = y + 6.0 - 0.5 * LINE * (lines.len() - 1) as f64;
            for (k, line) in lines.iter().enumerate() {
                let at = (to + 8.0, base + LINE * k as f64);
                sheet.text(at, LABEL, Anchor::Start, "", line);
            }
        }
    }

    fn draw_wiggles(&self, sheet: &mut Sheet, l: &Layout<'_>) {
        let largest = self.wiggles.iter().flat_map(|w| &w.1).filter(|v| v.is_finite());
        let largest = largest.fold(0f32, |m, v| m.max(v.abs()));
        let pitch = self.width / self.wiggles.len().max(1) as f64;
        let scale = self.wiggle_gain * pitch / f64::from(if largest > 0.0 { largest } else { 1.0 });
        let (left, top, right, bottom) = l.area();
        for (at, samples) in &self.wiggles {
            let zero = l.x.pixel(*at);
            let step = (bottom - top) / samples.len().saturating_sub(1).max(1) as f64;
            let place = |(k, v): (usize, &f32)| {
                let v = if v.is_finite() { f64::from(*v) } else { 0.0 };
                ((zero + scale * v).clamp(left, right), top + step * k as f64)
            };
            let line: Vec<Point> = samples.iter().enumerate().map(place).collect();
            let mut area = vec![(zero, top)];
            area.extend(line.iter().map(|(a, b)| (a.max(zero), *b)));
            area.push((zero, bottom));
            sheet.polygon(&area, "f6");
            sheet.line(&line, "l6", 0.8, "");
        }
    }

    /// Texts beside their points, where there is room: to the right, to the left, above, below; not
    /// over a line if it can be helped.
    fn draw_tags(&self, sheet: &mut Sheet, l: &Layout<'_>) {
        let marked = self.series.iter().filter(|s| s.marked).flat_map(|s| &s.points);
        let mut taken: Vec<Area> =
            marked.map(|p| l.at(p)).map(|(x, y)| (x - 6.0, y - 6.0, x + 6.0, y + 6.0)).collect();
        let joined = self.series.iter().filter(|s| s.joined).flat_map(|s| s.points.windows(2));
        let lines: Vec<[Point; 2]> = joined.map(|p| [l.at(&p[0]), l.at(&p[1])]).collect();
        let (left, top, _, bottom) = l.area();
        let right = sheet.size().0 - EDGE;
        for (a, b, text) in &self.tags {
            let (x, y) = l.at(&(*a, *b));
            let width = text_width(text, TICK);
            // From the left of the point, and down.
            let (before, centred) = (-width, -0.5 * width);
            let places = [
                (10.0, 5.0),
                (before - 10.0, 5.0),
                (centred, -10.0),
                (centred, 21.0),
                (8.0, -8.0),
                (8.0, 19.0),
                (before - 8.0, -8.0),
                (before - 8.0, 19.0),
                (centred, -28.0),
                (centred, 39.0),
            ];
            let places = places.map(|(right, down)| (x + right, y + down));
            // Three pixels stay free around it.
            let around = |(l, base): Point| (l - 3.0, base - 15.0, l + width + 3.0, base + 7.0);
            let free = |at: &&Point| {
                let (l, t, r, b) = around(**at);
                let apart = |o: &Area| r <= o.0 || o.2 <= l || b <= o.1 || o.3 <= t;
                l >= left && r <= right && t >= top && b <= bottom && taken.iter().all(apart)
            };
            let clear = |at: &&Point| lines.iter().all(|l| within(l, around(**at)).is_none());
            let best = places.iter().find(|at| free(at) && clear(at));
            let at = best.or_else(|| places.iter().find(free)).copied().unwrap_or(places[0]);
            taken.push(around(at));
            sheet.text(at, TICK, Anchor::Start, "o", text);
        }
    }
}

/// Writes the numbers of an upright axis at x, to its left (`side` -1) or right (1), and gives the
/// path of its ticks.
fn upright(sheet: &mut Sheet, axis: &Placed<'_>, x: f64, side: f64) -> String {
    let anchor = if side < 0.0 { Anchor::End } else { Anchor::Start };
    let mut path = String::new();
    for (value, text) in &axis.ticks {
        let y = axis.pixel(*value);
        path += &format!("M{x:.1} {y:.1}h{}", 5.0 * side);
        sheet.text((x + 9.0 * side, y + 5.0), TICK, anchor, "", text);
    }
    path
}

/// Where a line ends, or leaves the picture for good.
fn end_of_line(s: &Series, l: &Layout<'_>) -> Option<Point> {
    let shown: Vec<Point> = s.points.iter().map(|p| l.at(p)).collect();
    let leaves =
        shown.windows(2).rev().find_map(|two| within(two, l.area()).map(|(_, t)| along(two, t)));
    let last = leaves.or_else(|| shown.iter().rev().copied().find(|p| l.has(*p)));
    last.filter(|_| s.joined)
}

/// The data of lines as a table: a row for each x, a column for each series. All have the same x
/// values.
pub fn csv(x: &str, series: &[Series]) -> String {
    let head: String = series.iter().map(|s| format!(",{}", s.name)).collect();
    let mut text = format!("{x}{head}\n");
    for (k, (at, _)) in series.iter().take(1).flat_map(|s| &s.points).enumerate() {
        let row = series.iter().filter_map(|s| s.points.get(k)).map(|p| format!(",{}", p.1));
        text += &format!("{at}{}\n", row.collect::<String>());
    }
    text
}

/// Charts below each other, with the same left and right edges of their data.
pub fn stacked_panels(charts: &[Chart]) -> Sheet {
    let layouts: Vec<Layout<'_>> = charts.iter().map(Chart::layout).collect();
    let widest = |of: fn(&Layout<'_>) -> f64| layouts.iter().map(of).fold(0.0, f64::max);
    let (left, right) = (widest(|l| l.left), widest(|l| l.right));
    let both = charts.iter().zip(layouts);
    rows(charts, both.map(|(c, l)| c.draw(Layout { left, right, ..l })).collect(), 1)
}

/// Charts beside each other, so many in a row.
pub fn panels_in_rows(charts: &[Chart], columns: usize) -> Sheet {
    rows(charts, charts.iter().map(Chart::sheet).collect(), columns.max(1))
}

fn rows(charts: &[Chart], panels: Vec<Sheet>, columns: usize) -> Sheet {
    let most = |of: fn(&Sheet) -> f64, all: &[Sheet]| all.iter().map(of).fold(0.0, f64::max);
    let width = most(|p| p.size().0, &panels);
    let height: f64 = panels.chunks(columns).map(|line| most(|p| p.size().1, line)).sum();
    let title: Vec<&str> = charts.iter().map(|c| c.title.as_str()).collect();
    let across = columns.min(panels.len()) as f64;
    let mut sheet = Sheet::new(width * across, height, &title.join("; "));
    let mut down = 0.0;
    for line in panels.chunks(columns) {
        for (k, panel) in line.iter().enumerate() {
            sheet.place((width * k as f64, down), panel);
        }
        down += most(|p| p.size().1, line);
    }
    sheet
}

/// A value above its bar: two or three digits that count, or all of a whole number.
fn short(v: f64) -> String {
    let size = v.abs();
    match [(99.95, 0), (9.995, 1), (0.0995, 2), (0.001, 4)].iter().find(|s| size >= s.0) {
        Some(_) if size >= 1e6 => format!("{v:.2e}"),
        Some((_, places)) => plain(format!("{v:.places$}").parse().unwrap_or(v)),
        None if size > 0.0 => format!("{v:.1e}"),
        None => "0".into(),
    }
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

/// From where to where, as shares of its length, a segment is inside of a rectangle: Liang and
/// Barsky.
fn within(two: &[Point], (x0, y0, x1, y1): Area) -> Option<(f64, f64)> {
    let [(ax, ay), (bx, by)] = [two[0], two[1]];
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

/// The point at a share of a segment's length.
fn along(two: &[Point], t: f64) -> Point {
    let [(ax, ay), (bx, by)] = [two[0], two[1]];
    (ax + t * (bx - ax), ay + t * (by - ay))
}

/// The parts of a line that lie in the area of the data, as the data of a path.
fn clipped(points: &[Point], area: Area) -> String {
    let mut parts: Vec<Point> = Vec::new();
    let gap = (f64::NAN, f64::NAN);
    for two in points.windows(2) {
        let at = |t: f64| along(two, t);
        match within(two, area) {
            Some((from, to)) if from > 0.0 || parts.last().is_none_or(|l| l.0.is_nan()) => {
                parts.extend([gap, at(from), at(to)]);
            }
            Some((_, to)) => parts.push(at(to)),
            None => parts.push(gap),
        }
    }
    path_of(&parts)
}
