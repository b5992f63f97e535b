//! An SVG page: text, lines, boxes, marks, and the style that all pictures share.

use std::fmt::{Display, Write};

/// Where a text's x coordinate lies in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// Okabe and Ito's colours, which stay apart for colour-blind readers, in the order of use; on a
/// dark page, lighter ones of the same hues. Neighbours differ in brightness, too.
const COLOURS: [[&str; 7]; 2] = [
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#24292f"],
    ["#4ba6e0", "#ff8a3c", "#2cc79a", "#e49cc4", "#f2b632", "#8fd0f7", "#e6edf3"],
];
/// A dash for each colour.
const DASHES: [&str; 7] = ["", "9 4", "2.5 3.5", "9 3 2.5 3", "14 4", "5 3", "14 3 2.5 3 2.5 3"];
/// Page, text, quiet text, lines of the grid, areas: light, dark.
const PAGE: [[&str; 5]; 2] = [
    ["#ffffff", "#1b1f24", "#57606a", "#d8dee4", "#eef2f6"],
    ["#0d1117", "#e6edf3", "#a3adb8", "#30363d", "#1c232c"],
];

/// The style sheet. Its rules hold below the class `fig` only, and all pictures have the same ones,
/// so that many of them may stand in one HTML page. A printer gets the light colours.
fn style() -> String {
    let rules = |dark: usize| {
        let [page, ink, quiet, grid, area] = PAGE[dark];
        let mut css = format!(
            ".fig .b{{fill:{page}}}.fig .h{{stroke:{page}}}.fig text{{fill:{ink}}}.fig \
                .s{{fill:{quiet}}}\
             .fig .g{{stroke:{grid}}}.fig .a{{stroke:{quiet}}}.fig .p{{fill:{area}}}\
             .fig .o{{stroke:{page};stroke-width:5;stroke-linejoin:round;paint-order:stroke}}"
        );
        for (k, colour) in COLOURS[dark].iter().enumerate() {
            _ = write!(css, ".fig .l{k}{{stroke:{colour}}}.fig .f{k}{{fill:{colour}}}");
        }
        css
    };
    let (light, dark) = (rules(0), rules(1));
    let media = "@media screen and (prefers-color-scheme:dark)";
    format!("<style>.fig path{{fill:none}}{light}{media}{{{dark}}}</style>")
}

/// A point's x and y, or a width and a height, in pixels.
pub(crate) type Point = (f64, f64);

/// A picture in the making. Coordinates are in pixels, from the upper left corner; classes are
/// those of the style: `l0` to `l6` for lines in the colours, `f0` to `f6` for areas in them, `g`
/// the grid, `a` an axis, `s` quiet text, `p` a box, `b` the page's colour, `o` behind a text that
/// stands on lines.
#[derive(Clone, Debug)]
pub struct Sheet {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

impl Sheet {
    /// An empty page. The title is what a reader without eyes hears; it is not drawn.
    pub fn new(width: f64, height: f64, title: &str) -> Sheet {
        let title = title.replace("^{", "^").replace("_{", "_").replace('}', "");
        Sheet { width, height, title, body: String::new() }
    }

    /// Width and height.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    /// A line of text in `size` pixels; `^{..}` raises a part of it and `_{..}` lowers it. `y` is
    /// the base line.
    pub fn text(&mut self, (x, y): Point, size: f64, anchor: Anchor, class: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = rich(text, size);
        let [x, y, size] = [x, y, size].map(Short);
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (anchor, class) = (attribute("text-anchor", anchor), attribute("class", class));
        // Else librsvg drops the space behind a raised or lowered part.
        let space = attribute("xml:space", if text.contains("<tspan") { "preserve" } else { "" });
        _ = write!(self.body, r#"<text x="{x}" y="{y}" font-size="{size}""#);
        _ = writeln!(self.body, "{anchor}{class}{space}>{text}</text>");
    }

    /// A box.
    pub fn rect(&mut self, (x, y): Point, (width, height): Point, round: f64, class: &str) {
        let [x, y, w, h] = [x, y, width.max(0.0), height.max(0.0)].map(Short);
        let rest = attribute("rx", Short(round)) + &attribute("class", class);
        _ = writeln!(self.body, r#"<rect x="{x}" y="{y}" width="{w}" height="{h}"{rest}/>"#);
    }

    /// Slanted lines in the page's colour over a box: areas that differ without colours, too.
    /// `kind` 0 has none.
    pub fn hatch(&mut self, (x, y): Point, (w, h): Point, kind: usize) {
        const GAPS: [f64; 7] = [f64::INFINITY, 7.0, 4.5, 7.0, 12.0, 12.0, 4.5];
        let (gap, crossed) = (GAPS[kind % 7], matches!(kind % 7, 3 | 5 | 6));
        let mut path = String::new();
        for k in 1..(libm::ceil((w + h) / gap) as i64).clamp(0, 4000) {
            // The line a + b = d, cut by the box.
            let d = k as f64 * gap;
            let (a0, a1) = ((d - h).max(0.0), d.min(w));
            if a1 - a0 >= 0.5 {
                let (b0, b1) = (y + d - a0, y + d - a1);
                path += &path_of(&[(x + a0, b0), (x + a1, b1)]);
                if crossed {
                    path += &path_of(&[(x + w - a0, b0), (x + w - a1, b1)]);
                }
            }
        }
        self.path(&path, "h", 1.2, "");
    }

    /// A box in the colour of the series `k`, with its hatch.
    pub(crate) fn area(&mut self, corner: Point, size: Point, k: usize) {
        self.rect(corner, size, 0.0, &format!("f{}", k % 7));
        self.hatch(corner, size, k);
    }

    /// An SVG path.
    pub fn path(&mut self, data: &str, class: &str, width: f64, dash: &str) {
        if !data.is_empty() {
            let (width, dash) =
                (attribute("stroke-width", Short(width)), attribute("stroke-dasharray", dash));
            let class = attribute("class", class);
            _ = writeln!(self.body, r#"<path d="{data}"{width}{dash}{class}/>"#);
        }
    }

    /// Straight lines from point to point.
    pub fn line(&mut self, points: &[(f64, f64)], class: &str, width: f64, dash: &str) {
        self.path(&path_of(points), class, width, dash);
    }

    /// A line with a head at its end.
    pub fn arrow(&mut self, points: &[(f64, f64)], class: &str, width: f64, dash: &str) {
        self.line(points, class, width, dash);
        let [.., from, to] = points else { return };
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-9);
        let (ux, uy) = (7.0 * dx / length, 7.0 * dy / length);
        let side = |s: f64| (to.0 - ux - s * uy, to.1 - uy + s * ux);
        self.line(&[side(0.5), *to, side(-0.5)], class, width, "");
    }

    /// The mark of the series `k` around a point.
    pub fn mark(&mut self, (x, y): Point, k: usize) {
        // A circle, and the corners of the others: x and y in turns.
        const SHAPES: [&[f64]; 7] = [
            &[],
            &[-4.0, -4.0, 4.0, -4.0, 4.0, 4.0, -4.0, 4.0],
            &[0.0, -5.2, 5.0, 4.0, -5.0, 4.0],
            &[0.0, -5.6, 5.6, 0.0, 0.0, 5.6, -5.6, 0.0],
            &[0.0, 5.2, 5.0, -4.0, -5.0, -4.0],
            &[
                -1.7, -5.0, 1.7, -5.0, 1.7, -1.7, 5.0, -1.7, 5.0, 1.7, 1.7, 1.7, 1.7, 5.0, -1.7,
                5.0, -1.7, 1.7, -5.0, 1.7, -5.0, -1.7, -1.7, -1.7,
            ],
            &[-5.4, -2.2, 5.4, -2.2, 5.4, 2.2, -5.4, 2.2],
        ];
        let class = format!("f{} h", k % 7);
        let shape = SHAPES[k % 7];
        if shape.is_empty() {
            let (x, y) = (Short(x), Short(y));
            _ = writeln!(self.body, r#"<circle cx="{x}" cy="{y}" r="4.5" class="{class}"/>"#);
        }
        let points: Vec<Point> = shape.chunks(2).map(|p| (x + p[0], y + p[1])).collect();
        self.polygon(&points, &class);
    }

    /// A filled area with these corners.
    pub(crate) fn polygon(&mut self, points: &[Point], class: &str) {
        if !points.is_empty() {
            self.path(&(path_of(points) + "Z"), class, 0.0, "");
        }
    }

    /// A PNG picture in a box; its pixels stay sharp unless they are to be `smooth`.
    pub fn image(&mut self, (x, y): Point, (width, height): Point, png: &[u8], smooth: bool) {
        let [x, y, w, h] = [x, y, width, height].map(Short);
        let sharp = attribute("image-rendering", if smooth { "" } else { "pixelated" });
        let data = crate::base64(png);
        _ = write!(self.body, r#"<image x="{x}" y="{y}" width="{w}" height="{h}" "#);
        _ = write!(self.body, r#"preserveAspectRatio="none"{sharp} "#);
        _ = writeln!(self.body, r#"href="data:image/png;base64,{data}"/>"#);
    }

    /// All of another page, its corner at x, y.
    pub fn place(&mut self, (x, y): Point, other: &Sheet) {
        let (x, y, body) = (Short(x), Short(y), &other.body);
        _ = writeln!(self.body, "<g transform=\"translate({x} {y})\">\n{body}</g>");
    }

    /// The picture as SVG text.
    pub fn svg(&self) -> String {
        let (w, h) = (Short(self.width), Short(self.height));
        let (title, style, body) = (escape(&self.title), style(), &self.body);
        const FONTS: &str = "Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif";
        let mut out = r#"<svg xmlns="http://www.w3.org/2000/svg""#.to_string();
        _ = write!(out, r#" viewBox="0 0 {w} {h}" width="{w}" height="{h}""#);
        _ = writeln!(out, r#" class="fig" role="img" font-family="{FONTS}">"#);
        _ = writeln!(out, "<title>{title}</title>\n{style}");
        _ = write!(out, "<rect width=\"{w}\" height=\"{h}\" class=\"b\"/>\n{body}</svg>\n");
        out
    }
}

/// The dash of the series `k`.
pub(crate) fn dash(k: usize) -> &'static str {
    DASHES[k % 7]
}

/// Points as the data of a path; what is not finite parts the line.
pub(crate) fn path_of(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    let mut pen = 'M';
    for (x, y) in points {
        if !(x.is_finite() && y.is_finite()) {
            pen = 'M';
            continue;
        }
        _ = write!(path, "{pen}{} {}", Short(*x), Short(*y));
        pen = 'L';
    }
    path
}

/// About how many pixels wide a text is in letters of `size` pixels: not less than in any of the
/// fonts that the pictures name.
pub fn text_width(text: &str, size: f64) -> f64 {
    let mut scale = 1.0;
    let em = |letter| match letter {
        '\u{1}' => {
            scale = 0.72;
            0.0
        }
        '}' if scale < 1.0 => {
            scale = 1.0;
            0.0
        }
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '!' => 0.33 * scale,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.4 * scale,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '+' | '=' | '<' | '>' | '\u{2212}' => 0.86 * scale,
        'A'..='Z' => 0.7 * scale,
        _ => 0.6 * scale,
    };
    size * text.replace("^{", "\u{1}").replace("_{", "\u{1}").chars().map(em).sum::<f64>()
}

/// `text` in lines of `width` pixels at most, broken at spaces; a word that is longer has a line of
/// its own.
pub(crate) fn wrap(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let fits = |l: &&mut String| text_width(&format!("{l} {word}"), size) <= width;
        match lines.last_mut().filter(fits) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.into()),
        }
    }
    lines
}

pub(crate) fn escape(text: &str) -> String {
    let legal = |c: &char| !c.is_control();
    let text: String = text.chars().filter(legal).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Markup of a text with raised and lowered parts.
fn rich(text: &str, size: f64) -> String {
    let (mut out, mut rest, mut level) = (String::new(), text, 0.0);
    loop {
        let mark = rest.find("^{").into_iter().chain(rest.find("_{")).min();
        let part = mark.and_then(|at| Some((at, at + rest[at..].find('}')?)));
        let base = &rest[..part.map_or(rest.len(), |p| p.0)];
        if level == 0.0 || base.is_empty() {
            out += &escape(base);
        } else {
            _ = write!(out, "<tspan dy=\"{}\">{}</tspan>", Short(-level), escape(base));
            level = 0.0;
        }
        let Some((at, end)) = part else { return out };
        let shift = if rest[at..].starts_with('^') { -0.38 } else { 0.2 } * size;
        _ = write!(
            out,
            "<tspan dy=\"{}\" font-size=\"{}\">{}</tspan>",
            Short(shift - level),
            Short(0.72 * size),
            escape(&rest[at + 2..end])
        );
        (level, rest) = (shift, &rest[end + 1..]);
    }
}

/// An attribute; nothing if its value is empty or zero.
fn attribute(name: &str, value: impl Display) -> String {
    match value.to_string() {
        value if value.is_empty() || value == "0" => String::new(),
        value => format!(r#" {name}="{value}""#),
    }
}

/// A number with one place at most.
struct Short(f64);

impl Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = if self.0.is_finite() { self.0.clamp(-1e6, 1e6) } else { 0.0 };
        // Through a whole number, which has no zero with a sign.
        write!(f, "{}", libm::round(value * 10.0) as i64 as f64 / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let all =
            [0.0, -0.04, -0.26, 12.0, 12.34, -3.0, f64::NAN, 1e9].map(|v| Short(v).to_string());
        assert_eq!(all, ["0", "0", "-0.3", "12", "12.3", "-3", "0", "1000000"]);
    }

    #[test]
    fn raised_parts_come_down_again() {
        assert_eq!(
            rich("10^{3} a<b", 10.0),
            "10<tspan dy=\"-3.8\" font-size=\"7.2\">3</tspan><tspan dy=\"3.8\"> a&lt;b</tspan>"
        );
        let both = rich("x_{1}^{2}", 10.0);
        assert!(both.contains("dy=\"2\"") && both.contains("dy=\"-5.8\""), "{both}");
        assert_eq!(rich("a^{b", 10.0), "a^{b");
        assert!(text_width("10^{3}", 10.0) < text_width("103", 10.0));
    }

    #[test]
    fn long_texts_are_broken_at_spaces() {
        let lines = wrap("one two three four", 10.0, 60.0);
        assert!(lines.len() > 1 && lines.join(" ") == "one two three four");
        assert!(lines.iter().all(|l| text_width(l, 10.0) <= 60.0));
        assert_eq!(wrap("Donaudampfschifffahrt", 10.0, 5.0).len(), 1);
    }
}
