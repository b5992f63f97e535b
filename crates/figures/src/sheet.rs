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
const COLOURS: [(&str, &str); 7] = [
    ("#0072b2", "#4ba6e0"),
    ("#d55e00", "#ff8a3c"),
    ("#009e73", "#2cc79a"),
    ("#cc79a7", "#e49cc4"),
    ("#e69f00", "#f2b632"),
    ("#56b4e9", "#8fd0f7"),
    ("#24292f", "#e6edf3"),
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
        for (k, colour) in COLOURS.iter().enumerate() {
            let colour = if dark == 1 { colour.1 } else { colour.0 };
            _ = write!(css, ".fig .l{k}{{stroke:{colour}}}.fig .f{k}{{fill:{colour}}}");
        }
        css
    };
    format!(
        "<style>.fig path{{fill:none}}{}@media screen and \
            (prefers-color-scheme:dark){{{}}}</style>",
        rules(0),
        rules(1)
    )
}

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
        Sheet { width, height, title: plain(title), body: String::new() }
    }

    /// Width and height.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    /// A line of text in `size` pixels; `^{..}` raises a part of it and `_{..}` lowers it. `y` is
    /// the base line.
    pub fn text(&mut self, (x, y): (f64, f64), size: f64, anchor: Anchor, class: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let text = rich(text, size);
        // Else librsvg drops the space behind a raised or lowered part.
        let space = if text.contains("<tspan") { " xml:space=\"preserve\"" } else { "" };
        _ = writeln!(
            self.body,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{anchor}{}{space}>{text}</text>",
            Short(x),
            Short(y),
            Short(size),
            named(class)
        );
    }

    /// A box.
    pub fn rect(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        round: f64,
        class: &str,
    ) {
        let rx = if round > 0.0 { format!(" rx=\"{}\"", Short(round)) } else { String::new() };
        _ = writeln!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{rx}{}/>",
            Short(x),
            Short(y),
            Short(width.max(0.0)),
            Short(height.max(0.0)),
            named(class)
        );
    }

    /// Slanted lines in the page's colour over a box: areas that differ without colours, too.
    /// `kind` 0 has none.
    pub fn hatch(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), kind: usize) {
        let (gap, both) = match kind % 7 {
            0 => return,
            1 => (7.0, false),
            2 => (4.5, false),
            3 => (7.0, true),
            4 => (12.0, false),
            5 => (12.0, true),
            _ => (4.5, true),
        };
        let mut path = String::new();
        for k in 1..(libm::ceil((w + h) / gap) as i64).clamp(0, 4000) {
            // The line a + b = d, cut by the box.
            let d = k as f64 * gap;
            let (a0, a1) = ((d - h).max(0.0), d.min(w));
            if a1 - a0 < 0.5 {
                continue;
            }
            let mut line = |from: f64, to: f64| {
                let (fy, ty) = (y + d - a0, y + d - a1);
                _ = write!(path, "M{} {}L{} {}", Short(from), Short(fy), Short(to), Short(ty));
            };
            line(x + a0, x + a1);
            if both {
                line(x + w - a0, x + w - a1);
            }
        }
        self.path(&path, "h", 1.2, "");
    }

    /// An SVG path.
    pub fn path(&mut self, data: &str, class: &str, width: f64, dash: &str) {
        if data.is_empty() {
            return;
        }
        let dash = match dash {
            "" => String::new(),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        };
        let width =
            if width > 0.0 { format!(" stroke-width=\"{}\"", Short(width)) } else { String::new() };
        _ = writeln!(self.body, "<path d=\"{data}\"{width}{dash}{}/>", named(class));
    }

    /// Straight lines from point to point.
    pub fn line(&mut self, points: &[(f64, f64)], class: &str, width: f64, dash: &str) {
        self.path(&path_of(points), class, width, dash);
    }

    /// A line with a head at its end.
    pub fn arrow(&mut self, points: &[(f64, f64)], class: &str, width: f64) {
        self.dashed_arrow(points, class, width, "");
    }

    /// A dashed line with a head at its end.
    pub fn dashed_arrow(&mut self, points: &[(f64, f64)], class: &str, width: f64, dash: &str) {
        self.line(points, class, width, dash);
        let [.., from, to] = points else { return };
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-9);
        let (ux, uy) = (7.0 * dx / length, 7.0 * dy / length);
        let head = [
            (to.0 - ux - 0.5 * uy, to.1 - uy + 0.5 * ux),
            *to,
            (to.0 - ux + 0.5 * uy, to.1 - uy - 0.5 * ux),
        ];
        self.line(&head, class, width, "");
    }

    /// The mark of the series `k` around a point.
    pub fn mark(&mut self, (x, y): (f64, f64), k: usize) {
        const SHAPES: [&[(f64, f64)]; 7] = [
            &[],
            &[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)],
            &[(0.0, -5.2), (5.0, 4.0), (-5.0, 4.0)],
            &[(0.0, -5.6), (5.6, 0.0), (0.0, 5.6), (-5.6, 0.0)],
            &[(0.0, 5.2), (5.0, -4.0), (-5.0, -4.0)],
            &[
                (-1.7, -5.0),
                (1.7, -5.0),
                (1.7, -1.7),
                (5.0, -1.7),
                (5.0, 1.7),
                (1.7, 1.7),
                (1.7, 5.0),
                (-1.7, 5.0),
                (-1.7, 1.7),
                (-5.0, 1.7),
                (-5.0, -1.7),
                (-1.7, -1.7),
            ],
            &[(-5.4, -2.2), (5.4, -2.2), (5.4, 2.2), (-5.4, 2.2)],
        ];
        let class = format!("f{} h", k % COLOURS.len());
        match SHAPES[k % SHAPES.len()] {
            [] => {
                let (x, y) = (Short(x), Short(y));
                _ = writeln!(
                    self.body,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"4.5\" class=\"{class}\"/>"
                );
            }
            shape => {
                let points: Vec<_> = shape.iter().map(|(a, b)| (x + a, y + b)).collect();
                self.path(&format!("{}Z", path_of(&points)), &class, 0.0, "");
            }
        }
    }

    /// A PNG picture in a box; its pixels stay sharp unless they are to be `smooth`.
    pub fn image(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        png: &[u8],
        smooth: bool,
    ) {
        let sharp = if smooth { "" } else { " image-rendering=\"pixelated\"" };
        _ = writeln!(
            self.body,
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" \
                preserveAspectRatio=\"none\"{sharp} \
             href=\"data:image/png;base64,{}\"/>",
            Short(x),
            Short(y),
            Short(width),
            Short(height),
            crate::base64(png)
        );
    }

    /// All of another page, its corner at x, y.
    pub fn place(&mut self, (x, y): (f64, f64), other: &Sheet) {
        let _ = writeln!(
            self.body,
            "<g transform=\"translate({} {})\">\n{}</g>",
            Short(x),
            Short(y),
            other.body
        );
    }

    /// The picture as SVG text.
    pub fn svg(&self) -> String {
        let (w, h) = (Short(self.width), Short(self.height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" \
                height=\"{h}\" \
             class=\"fig\" role=\"img\" font-family=\"Helvetica,Arial,'Liberation Sans','DejaVu \
             Sans',sans-serif\">\n\
             <title>{}</title>\n{}\n<rect width=\"{w}\" height=\"{h}\" class=\"b\"/>\n{}</svg>\n",
            escape(&self.title),
            style(),
            self.body
        )
    }
}

/// The dash of the series `k`.
pub(crate) fn dash(k: usize) -> &'static str {
    DASHES[k % DASHES.len()]
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
    let mut width = 0.0;
    let mut scale = 1.0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let em = match letter {
            '^' | '_' if letters.peek() == Some(&'{') => {
                letters.next();
                scale = 0.72;
                0.0
            }
            '}' if scale < 1.0 => {
                scale = 1.0;
                0.0
            }
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '!' => 0.33,
            'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.4,
            'm' | 'w' | 'M' | 'W' | '%' | '@' | '+' | '=' | '<' | '>' | '\u{2212}' => 0.86,
            'A'..='Z' => 0.7,
            _ => 0.6,
        };
        width += em * scale;
    }
    width * size
}

/// `text` in lines of `width` pixels at most, broken at spaces; a word that is longer has a line of
/// its own.
pub(crate) fn wrap(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if text_width(line, size) + text_width(word, size) + 0.33 * size <= width =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
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

/// A text without the marks of raised and lowered parts.
fn plain(text: &str) -> String {
    text.replace("^{", "^").replace("_{", "_").replace('}', "")
}

fn named(class: &str) -> String {
    if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") }
}

/// A number with one place at most.
struct Short(f64);

impl Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = if self.0.is_finite() { self.0.clamp(-1e6, 1e6) } else { 0.0 };
        let tenths = libm::round(value * 10.0) as i64;
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            part => {
                let sign = if tenths < 0 { "-" } else { "" };
                write!(f, "{sign}{}.{}", (tenths / 10).abs(), part.abs())
            }
        }
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
