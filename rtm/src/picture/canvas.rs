//! An array of pixels, and what a plot has around it.

use std::path::Path;

use font8x8::legacy::BASIC_LEGACY;

use super::colour::{Palette, Rgb};
use crate::io::atomic::{self, Stop};
use crate::{Error, Result};

/// Where the plot itself lies in the picture.
pub struct Frame {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
    /// Room to the right of it.
    right: usize,
}

impl Frame {
    pub fn new(width: usize, height: usize, right: usize) -> Frame {
        Frame { left: 80, top: 36, width, height, right }
    }

    /// Size of the whole picture.
    pub fn full(&self) -> (usize, usize) {
        (self.left + self.width + self.right, self.top + self.height + 52)
    }
}

/// A white picture to draw on.
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

const BLACK: Rgb = [0; 3];

impl Canvas {
    pub fn new((width, height): (usize, usize)) -> Canvas {
        Canvas { width, height, pixels: vec![[255; 3]; width * height] }
    }

    pub fn put(&mut self, x: usize, y: usize, colour: Rgb) {
        if x < self.width && y < self.height {
            self.pixels[y * self.width + x] = colour;
        }
    }

    /// A line, two pixels thick.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: Rgb) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().max(1.0) as usize;
        for k in 0..=steps {
            let share = k as f64 / steps as f64;
            let x = (from.0 + share * (to.0 - from.0)).round().max(0.0) as usize;
            let y = (from.1 + share * (to.1 - from.1)).round().max(0.0) as usize;
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                self.put(x + dx, y + dy, colour);
            }
        }
    }

    /// Text with its upper left corner at x, y.
    pub fn text(&mut self, x: usize, y: usize, text: &str, colour: Rgb) {
        for (k, letter) in text.chars().enumerate() {
            let glyph = BASIC_LEGACY.get(letter as usize).unwrap_or(&BASIC_LEGACY['?' as usize]);
            for (row, bits) in glyph.iter().enumerate() {
                for column in (0..8).filter(|c| bits >> c & 1 == 1) {
                    self.put(x + 8 * k + column, y + row, colour);
                }
            }
        }
    }

    /// Text that reads upwards, its end at y.
    fn text_upwards(&mut self, x: usize, y: usize, text: &str) {
        for (k, letter) in text.chars().enumerate() {
            let glyph = BASIC_LEGACY.get(letter as usize).unwrap_or(&BASIC_LEGACY['?' as usize]);
            for (row, bits) in glyph.iter().enumerate() {
                for column in (0..8).filter(|c| bits >> c & 1 == 1) {
                    self.put(x + row, y.saturating_sub(8 * k + column), BLACK);
                }
            }
        }
    }

    pub fn title(&mut self, frame: &Frame, text: &str) {
        self.text(frame.left, 14, text, BLACK);
    }

    /// Axis below the frame.
    pub fn across(&mut self, frame: &Frame, [first, last]: [f64; 2], label: &str) {
        let y = frame.top + frame.height;
        for (value, text) in ticks(first, last) {
            let x = frame.left + ((value - first) / (last - first) * frame.width as f64) as usize;
            (0..6).for_each(|k| self.put(x, y + k, BLACK));
            self.text(x.saturating_sub(4 * text.len()), y + 10, &text, BLACK);
        }
        let middle = frame.left + frame.width / 2;
        self.text(middle.saturating_sub(4 * label.len()), y + 32, label, BLACK);
        self.border(frame);
    }

    /// Axis to the left of the frame, values growing downwards from `first`.
    pub fn down(&mut self, frame: &Frame, [first, last]: [f64; 2], label: &str) {
        for (value, text) in ticks(first.min(last), first.max(last)) {
            let y = frame.top + ((value - first) / (last - first) * frame.height as f64) as usize;
            (0..6).for_each(|k| self.put(frame.left - 1 - k, y, BLACK));
            self.text(
                (frame.left - 10).saturating_sub(8 * text.len()),
                y.saturating_sub(4),
                &text,
                BLACK,
            );
        }
        self.text_upwards(6, frame.top + frame.height / 2 + 4 * label.len(), label);
    }

    pub fn colour_bar(&mut self, frame: &Frame, palette: Palette, [low, high]: [f64; 2]) {
        let left = frame.left + frame.width + 14;
        for y in 0..frame.height {
            let share = 1.0 - y as f32 / (frame.height - 1).max(1) as f32;
            (0..12).for_each(|x| self.put(left + x, frame.top + y, palette.at(share)));
        }
        for (value, text) in ticks(low, high) {
            let y = frame.top + ((high - value) / (high - low) * frame.height as f64) as usize;
            (0..4).for_each(|k| self.put(left + 12 + k, y, BLACK));
            self.text(left + 18, y.saturating_sub(4), &text, BLACK);
        }
    }

    fn border(&mut self, frame: &Frame) {
        let (right, bottom) = (frame.left + frame.width, frame.top + frame.height);
        for x in frame.left - 1..=right {
            self.put(x, frame.top - 1, BLACK);
            self.put(x, bottom, BLACK);
        }
        for y in frame.top - 1..=bottom {
            self.put(frame.left - 1, y, BLACK);
            self.put(right, y, BLACK);
        }
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        let stop = |e: png::EncodingError| match e {
            png::EncodingError::IoError(e) => Stop::Io(e),
            e => Stop::Refused(Error::file(path, e)),
        };
        atomic::write(path, |out| {
            let mut encoder = png::Encoder::new(out, self.width as u32, self.height as u32);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            let mut writer = encoder.write_header().map_err(stop)?;
            writer.write_image_data(self.pixels.as_flattened()).map_err(stop)?;
            writer.finish().map_err(stop)
        })
    }
}

/// Round numbers between two values, three to eight of them, as text.
pub fn ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let raw = (high - low) / 6.0;
    if !(raw.is_finite() && raw > 0.0) {
        return Vec::new();
    }
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= raw);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last)
        .map(|k| {
            let value = k as f64 * step;
            let largest = low.abs().max(high.abs());
            let text = match largest {
                m if !(1e-3..1e5).contains(&m) => format!("{value:.1e}"),
                _ if step >= 1.0 => format!("{value:.0}"),
                _ => format!("{value:.*}", (-step.log10().floor()) as usize),
            };
            (value, text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let texts = |a, b| ticks(a, b).into_iter().map(|t| t.1).collect::<Vec<_>>();
        assert_eq!(texts(-5.0, 1005.0), ["0", "200", "400", "600", "800", "1000"]);
        assert_eq!(texts(0.0, 1.2), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]);
        assert_eq!(texts(-1e-6, 1e-6).len(), 5);
        assert!(texts(1.0, 1.0).is_empty());
    }
}
