//! Axes: what they mean, their range, their place in the picture.

use crate::ticks::{extent, linear, number, powers, prefix, step, ten};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Scale {
    #[default]
    Linear,
    Log,
    Names(Vec<String>),
}

/// An axis: what it means, its unit, its range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    pub(crate) label: String,
    pub(crate) scale: Scale,
    unit: Option<(&'static str, f64)>,
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) reversed: bool,
    pub(crate) zero: bool,
    whole: bool,
}

impl Axis {
    fn new(label: &str, scale: Scale) -> Axis {
        Axis { label: label.into(), scale, ..Axis::default() }
    }

    /// From the least to the greatest value of the data.
    pub fn linear(label: &str) -> Axis {
        Axis::new(label, Scale::Linear)
    }

    /// In powers of ten. Values that are not above 0 are not shown.
    pub fn log(label: &str) -> Axis {
        Axis::new(label, Scale::Log)
    }

    /// A place for each name, from 0 on.
    pub fn names<S: Into<String>>(label: &str, names: impl IntoIterator<Item = S>) -> Axis {
        Axis::new(label, Scale::Names(names.into_iter().map(Into::into).collect()))
    }

    /// The values are in `factor` times this unit of SI; the picture chooses the prefix. Bytes and
    /// operations are as good as those of SI.
    pub fn unit(mut self, unit: &'static str, factor: f64) -> Axis {
        self.unit = Some((unit, factor));
        self
    }

    /// Shows this range, whatever the data; what lies beyond is cut off.
    pub fn range(mut self, low: f64, high: f64) -> Axis {
        self.range = Some((low, high));
        self
    }

    /// Downwards or to the left, for depths and times of seismic sections.
    pub fn reversed(mut self) -> Axis {
        self.reversed = true;
        self
    }

    /// Begins at 0.
    pub fn from_zero(mut self) -> Axis {
        self.zero = true;
        self
    }

    /// Ticks at whole numbers only: numbers of samples, of traces.
    pub fn whole(mut self) -> Axis {
        self.whole = true;
        self
    }

    /// On a logarithmic axis the unit stands beside each tick, if it is short.
    fn short_unit(&self) -> bool {
        self.scale == Scale::Log && self.unit.is_some_and(|(u, _)| u.chars().count() <= 2)
    }

    /// The axis from pixel `from` to pixel `to`, for these values; with a margin beyond them if
    /// they are points.
    pub(crate) fn place(
        &self,
        values: impl Iterator<Item = f64>,
        from: f64,
        to: f64,
        ticks: usize,
    ) -> Placed<'_> {
        let usable = |v: &f64| v.is_finite() && (self.scale != Scale::Log || *v > 0.0);
        let (low, high) = match (&self.scale, self.range, extent(values.filter(usable))) {
            (Scale::Names(names), ..) => (-0.5, names.len().max(1) as f64 - 0.5),
            (_, Some(range), _) => range,
            (Scale::Log, _, (low, high)) if low > high => (1.0, 10.0),
            (Scale::Log, _, (low, high)) if high / low < 1.05 => (0.5 * low, 2.0 * high),
            (Scale::Log, _, (low, high)) => {
                // A little room, or the power of ten if that is near.
                let near = |v: f64, power: f64, room: f64| {
                    let off = (power - libm::log10(v)).abs();
                    if off < 0.15 { ten(power as i32) } else { v * room }
                };
                (
                    near(low, libm::floor(libm::log10(low) + 1e-9), 0.8),
                    near(high, libm::ceil(libm::log10(high) - 1e-9), 1.25),
                )
            }
            (Scale::Linear, _, (low, high)) => {
                let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
                let low = if self.zero { low.min(0.0) } else { low };
                let (low, high) = match high > low {
                    true => (low, high),
                    false => (low - 0.5 * low.abs().max(1.0), high + 0.5 * high.abs().max(1.0)),
                };
                // Up to the next tick, if that is not far; else a little room.
                let s = step(high - low, ticks);
                let (down, up) = (libm::floor(low / s + 1e-9) * s, libm::ceil(high / s - 1e-9) * s);
                let room = 0.04 * (high - low);
                (
                    if low - down < 0.35 * s { down } else { low - room },
                    if up - high < 0.35 * s { up } else { high + room },
                )
            }
        };
        let (from, to) = if self.reversed { (to, from) } else { (from, to) };
        let unit = self.unit.map_or(1.0, |(_, factor)| factor);
        let large = low.abs().max(high.abs()) * unit;
        let (prefix, scale) = match (&self.scale, self.unit) {
            (Scale::Linear, Some(_)) => prefix(large),
            // So that the numbers lie around 1.
            (Scale::Log, Some(_)) if !self.short_unit() => prefix(unit * (low * high).sqrt()),
            (Scale::Log, None) if high / low > 100.0 => ("", 1.0),
            (_, None) if large >= 1e6 || (large < 1e-3 && large > 0.0) => {
                ("", ten(3 * libm::floor(libm::log10(large) / 3.0) as i32))
            }
            _ => ("", unit),
        };
        let factor = unit / scale;
        let mut placed =
            Placed { axis: self, low, high, from, to, prefix, factor, ticks: Vec::new() };
        placed.ticks = placed.texts(ticks);
        placed
    }
}

/// An axis with its range and its place.
pub(crate) struct Placed<'a> {
    axis: &'a Axis,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    prefix: &'static str,
    /// From a value to the number beside its tick.
    pub factor: f64,
    /// Values with their texts.
    pub ticks: Vec<(f64, String)>,
}

impl Placed<'_> {
    /// Moved by some pixels.
    pub fn moved(self, by: f64) -> Self {
        Placed { from: self.from + by, to: self.to + by, ..self }
    }

    /// The first and the last pixel, from the left or from above.
    pub fn ends(&self) -> (f64, f64) {
        (self.from.min(self.to), self.from.max(self.to))
    }

    /// The pixel of a value, which may lie beyond the ends.
    pub fn pixel(&self, value: f64) -> f64 {
        let share = match self.axis.scale {
            Scale::Log => libm::log(value / self.low) / libm::log(self.high / self.low),
            _ => (value - self.low) / (self.high - self.low),
        };
        self.from + share * (self.to - self.from)
    }

    /// Where a bar of this value ends: at the axis's end if it lies beyond.
    pub fn level(&self, value: f64) -> f64 {
        let at = if self.axis.scale == Scale::Log && value <= 0.0 { self.low } else { value };
        let (first, last) = self.ends();
        self.pixel(at).clamp(first, last)
    }

    /// The axis's name with its unit.
    pub fn label(&self) -> String {
        let label = &self.axis.label;
        let unit = match self.axis.unit {
            Some((unit, _)) if !self.axis.short_unit() => format!("{}{unit}", self.prefix),
            None if self.factor != 1.0 => power_text(1.0 / self.factor),
            _ => return label.clone(),
        };
        if label.is_empty() { unit } else { format!("{label} ({unit})") }
    }

    fn texts(&self, count: usize) -> Vec<(f64, String)> {
        let (low, high) = (self.low * self.factor, self.high * self.factor);
        match &self.axis.scale {
            Scale::Names(names) => (0..).map(f64::from).zip(names.iter().cloned()).collect(),
            Scale::Linear => {
                let mut at = linear(low.min(high), low.max(high), count);
                if self.axis.whole {
                    at.retain(|v| *v == libm::floor(*v));
                }
                let step = if at.len() > 1 { at[1] - at[0] } else { high - low };
                at.into_iter().map(|v| (v / self.factor, number(v, step))).collect()
            }
            Scale::Log => {
                let at = powers(low, high, count);
                let power = |v: &f64| (libm::log10(*v) - libm::round(libm::log10(*v))).abs() < 1e-9;
                let few = at.iter().all(|v| (0.009..2e4).contains(v)) || !at.iter().all(power);
                let text = |v: f64| match (self.axis.short_unit(), self.axis.unit) {
                    (true, Some((unit, factor))) => {
                        let (name, scale) = prefix(v * factor);
                        format!("{} {name}{unit}", plain(v * factor / scale))
                    }
                    _ if few => plain(v),
                    _ => power_text(v),
                };
                at.into_iter().map(|v| (v / self.factor, text(v))).collect()
            }
        }
    }

    /// Small ticks without text between powers of ten.
    pub fn small_ticks(&self) -> Vec<f64> {
        let [from, to] = [self.low, self.high].map(|v| libm::log10(v * self.factor));
        if self.axis.scale != Scale::Log || to - from > 7.0 {
            return Vec::new();
        }
        let all = (libm::floor(from) as i32..=to as i32)
            .flat_map(|e| (2..10).map(move |d| f64::from(d) * ten(e) / self.factor));
        all.filter(|v| *v > self.low && *v < self.high).collect()
    }
}

/// A power of ten as one.
fn power_text(v: f64) -> String {
    match libm::round(libm::log10(v)) as i32 {
        0 => "1".into(),
        1 => "10".into(),
        power => format!("10^{{{}}}", power.to_string().replace('-', "\u{2212}")),
    }
}

/// A number of few digits.
pub(crate) fn plain(v: f64) -> String {
    let v: f64 = format!("{v:.6e}").parse().unwrap_or(v);
    let places = v.to_string().split_once('.').map_or(0, |(_, part)| part.len());
    number(v, ten(-(places as i32)))
}
