//! What a plot is drawn of. Coordinates are in pixels, from the upper left corner.

/// Where a text's x coordinate lies in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// One thing to draw. Colours are `#rrggbb`.
#[derive(Clone, Debug)]
pub enum Shape {
    Line {
        points: Vec<(f64, f64)>,
        colour: &'static str,
        width: f64,
    },
    Box {
        corner: (f64, f64),
        size: (f64, f64),
        colour: &'static str,
    },
    /// `at` is on the text's base line; with `upwards` it reads from below.
    Text {
        at: (f64, f64),
        anchor: Anchor,
        height: f64,
        upwards: bool,
        text: String,
    },
}

impl Shape {
    pub fn line(points: Vec<(f64, f64)>, colour: &'static str, width: f64) -> Shape {
        Shape::Line { points, colour, width }
    }

    pub fn text(x: f64, y: f64, anchor: Anchor, text: &str) -> Shape {
        Shape::Text { at: (x, y), anchor, height: 13.0, upwards: false, text: text.into() }
    }

    pub fn title(x: f64, y: f64, text: &str) -> Shape {
        let anchor = Anchor::Middle;
        Shape::Text { at: (x, y), anchor, height: 16.0, upwards: false, text: text.into() }
    }

    pub fn upwards(x: f64, y: f64, text: &str) -> Shape {
        let anchor = Anchor::Middle;
        Shape::Text { at: (x, y), anchor, height: 13.0, upwards: true, text: text.into() }
    }
}
