//! Magnitude of a complex number without a root: `alpha max(|I|, |Q|) + beta min(|I|, |Q|)`.

/// A pair of factors, as whole numbers over a power of two.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pair {
    /// As it is written in the table.
    pub name: &'static str,
    /// Factor of the larger part, times `2^shift`.
    pub alpha: u32,
    /// Factor of the smaller part, times `2^shift`.
    pub beta: u32,
    /// Places that the sum is shifted down in the end.
    pub shift: u32,
    /// Least and largest error over the circle in dB, rounded outwards to hundredths.
    pub error_db: (f64, f64),
}

/// The pairs of the handout's table.
pub const PAIRS: [Pair; 4] = [
    Pair { name: "1, 1/4", alpha: 4, beta: 1, shift: 2, error_db: (-1.07, 0.27) },
    Pair { name: "1, 3/8", alpha: 8, beta: 3, shift: 3, error_db: (-0.25, 0.58) },
    Pair { name: "7/8, 7/16", alpha: 14, beta: 7, shift: 4, error_db: (-1.16, -0.19) },
    Pair { name: "15/16, 15/32", alpha: 30, beta: 15, shift: 5, error_db: (-0.57, 0.42) },
];

impl Pair {
    /// Both factors.
    pub fn factors(&self) -> (f64, f64) {
        let unit = f64::from(1u32 << self.shift);
        (f64::from(self.alpha) / unit, f64::from(self.beta) / unit)
    }

    /// The magnitude of `i + j q` (16 bits each): truncated once, in the end, and held at 32767.
    pub fn reference(&self, i: i16, q: i16) -> i64 {
        let (i, q) = (i64::from(i).abs(), i64::from(q).abs());
        let sum = i64::from(self.alpha) * i.max(q) + i64::from(self.beta) * i.min(q);
        (sum >> self.shift).min(32767)
    }

    /// Error of the exact formula at an angle (in radians), in dB.
    pub fn error_at(&self, angle: f64) -> f64 {
        let (alpha, beta) = self.factors();
        let (i, q) = (angle.cos().abs(), angle.sin().abs());
        20.0 * (alpha * i.max(q) + beta * i.min(q)).log10()
    }
}
