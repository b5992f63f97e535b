//! Shapes as pixels.

use std::path::Path;

use font8x8::legacy::BASIC_LEGACY;

use super::shape::{Anchor, Shape};
use crate::{LabError, picture};

/// Pixels of the picture per unit of the layout.
const SCALE: f64 = 2.0;

/// A white picture to draw on.
pub struct Canvas {
    width: usize,
    height: usize,
    rgb: Vec<[u8; 3]>,
}

impl Canvas {
    pub fn new(width: f64, height: f64) -> Canvas {
        let (width, height) = ((width * SCALE) as usize, (height * SCALE) as usize);
        Canvas { width, height, rgb: vec![[255; 3]; width * height] }
    }

    /// Colour at a place of the layout.
    #[cfg(test)]
    pub fn at(&self, (x, y): (f64, f64)) -> [u8; 3] {
        self.rgb[(y * SCALE) as usize * self.width + (x * SCALE) as usize]
    }

    pub fn draw(mut self, shapes: &[Shape]) -> Canvas {
        for shape in shapes {
            match shape {
                Shape::Line { points, colour, width } => self.line(points, rgb(colour), *width),
                Shape::Box { corner, size, colour } => {
                    let colour = rgb(colour);
                    let end = (corner.0 + size.0, corner.1 + size.1);
                    self.fill(*corner, end, |_, _| colour);
                }
                Shape::Text { at, anchor, height, upwards, text } => {
                    self.text(*at, *anchor, *height, *upwards, text);
                }
            }
        }
        self
    }

    pub fn write(self, path: &Path) -> Result<(), LabError> {
        let rgba: Vec<u8> = self.rgb.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
        picture::write_png(path, self.width as u32, self.height as u32, &rgba)
    }

    /// Fills a box; the colour depends on how far right and how far down (0..1) the pixel is.
    pub fn fill(&mut self, from: (f64, f64), to: (f64, f64), colour: impl Fn(f64, f64) -> [u8; 3]) {
        let pixel = |v: f64| (v * SCALE).round().max(0.0) as usize;
        let (columns, rows) = (pixel(from.0)..pixel(to.0), pixel(from.1)..pixel(to.1));
        let share = |i: usize, all: &std::ops::Range<usize>| {
            (i - all.start) as f64 / (all.len().max(1)) as f64
        };
        for y in rows.clone() {
            for x in columns.clone() {
                self.put(x as i64, y as i64, colour(share(x, &columns), share(y, &rows)));
            }
        }
    }

    fn put(&mut self, x: i64, y: i64, colour: [u8; 3]) {
        if (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y) {
            self.rgb[y as usize * self.width + x as usize] = colour;
        }
    }

    fn line(&mut self, points: &[(f64, f64)], colour: [u8; 3], width: f64) {
        let pen = (width * SCALE).round().max(1.0) as i64;
        for ends in points.windows(2) {
            let [(x0, y0), (x1, y1)] = [ends[0], ends[1]].map(|(x, y)| (x * SCALE, y * SCALE));
            let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil().max(1.0);
            for k in 0..=steps as i64 {
                let share = k as f64 / steps;
                let x = (x0 + share * (x1 - x0)).round() as i64 - pen / 2;
                let y = (y0 + share * (y1 - y0)).round() as i64 - pen / 2;
                for (dx, dy) in (0..pen * pen).map(|p| (p % pen, p / pen)) {
                    self.put(x + dx, y + dy, colour);
                }
            }
        }
    }

    /// Letters of 8 x 8 dots, as large as fits `height`.
    fn text(&mut self, at: (f64, f64), anchor: Anchor, height: f64, upwards: bool, text: &str) {
        let dot = ((height * SCALE / 13.0).round() as i64).max(1);
        let length = 8 * dot * text.chars().count() as i64;
        let back = match anchor {
            Anchor::Start => 0,
            Anchor::Middle => length / 2,
            Anchor::End => length,
        };
        let base = ((at.0 * SCALE) as i64, (at.1 * SCALE) as i64);
        for (k, letter) in text.chars().enumerate() {
            let glyph = BASIC_LEGACY.get(letter as usize).unwrap_or(&BASIC_LEGACY['?' as usize]);
            for (row, bits) in glyph.iter().enumerate() {
                for column in (0..8).filter(|c| bits >> c & 1 == 1) {
                    let along = 8 * dot * k as i64 + column * dot - back;
                    let below = (row as i64 - 7) * dot;
                    for (dx, dy) in (0..dot * dot).map(|p| (p % dot, p / dot)) {
                        let (along, below) = (along + dx, below + dy);
                        let (x, y) = match upwards {
                            true => (base.0 + below, base.1 - along),
                            false => (base.0 + along, base.1 + below),
                        };
                        self.put(x, y, [0; 3]);
                    }
                }
            }
        }
    }
}

/// A colour from `#rrggbb`.
fn rgb(colour: &str) -> [u8; 3] {
    let part = |k: usize| {
        colour.get(1 + 2 * k..3 + 2 * k).and_then(|hex| u8::from_str_radix(hex, 16).ok())
    };
    [0, 1, 2].map(|k| part(k).unwrap_or(0))
}
