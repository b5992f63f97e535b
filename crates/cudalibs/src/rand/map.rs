//! From bits to distributions: the maps of cuRAND, which never give 0 and may give 1.

/// 2^-32.
const INV_32: f64 = 1.0 / 4_294_967_296.0;

/// 32 bits to (0, 1].
pub fn unit_float(x: u32) -> f32 {
    // A product with a power of two is exact: one rounding for the conversion, one for the sum.
    (x as f32) * INV_32 as f32 + (INV_32 / 2.0) as f32
}

/// 53 bits to (0, 1].
pub fn unit_double(z: u64) -> f64 {
    const INV_53: f64 = INV_32 / (1u64 << 21) as f64;
    z as f64 * INV_53 + INV_53 / 2.0
}

/// Two independent normal numbers from two uniform ones (Box and Muller), for single precision.
pub fn pair(u: f64, v: f64) -> (f32, f32) {
    let (a, b) = pair_double(u, v);
    (a as f32, b as f32)
}

/// Two independent normal numbers from two uniform ones (Box and Muller).
pub fn pair_double(u: f64, v: f64) -> (f64, f64) {
    let radius = (-2.0 * u.ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * v).sin_cos();
    (radius * sin, radius * cos)
}

/// What becomes of a number of the standard normal distribution.
#[derive(Clone, Copy, Debug)]
pub struct Normal<T> {
    pub mean: T,
    pub stddev: T,
    /// Take the exponential: the log-normal distribution.
    pub log: bool,
}

impl Normal<f32> {
    pub fn of(self, z: f32) -> f32 {
        let x = self.mean + self.stddev * z;
        if self.log { x.exp() } else { x }
    }
}

impl Normal<f64> {
    pub fn of(self, z: f64) -> f64 {
        let x = self.mean + self.stddev * z;
        if self.log { x.exp() } else { x }
    }
}

/// The point below which a standard normal number falls with probability `p` (M. J. Wichura,
/// "Algorithm AS 241", Applied Statistics 37, 1988, PPND16: about 16 digits).
#[allow(clippy::excessive_precision)] // the digits as published
pub fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 8] = [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ];
    const B: [f64; 8] = [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854_5e3,
    ];
    const C: [f64; 8] = [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ];
    const D: [f64; 8] = [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ];
    const E: [f64; 8] = [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_9e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ];
    const F: [f64; 8] = [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ];
    let at = |c: &[f64; 8], x: f64| c.iter().rev().fold(0.0, |sum, c| sum * x + c);
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * at(&A, r) / at(&B, r);
    }
    let r = (-(p.min(1.0 - p)).ln()).sqrt();
    let x = match r {
        r if r <= 5.0 => at(&C, r - 1.6) / at(&D, r - 1.6),
        r => at(&E, r - 5.0) / at(&F, r - 5.0),
    };
    x.copysign(q)
}

/// The Poisson distribution, by inversion: a table of its cumulative probabilities around the mean.
pub struct Poisson {
    /// Value of the first entry.
    first: u32,
    /// Probability of a value up to `first + i`.
    cumulative: Vec<f64>,
}

impl Poisson {
    /// The largest mean, that of cuRAND.
    pub const MAX: f64 = 400_000.0;

    /// The distribution with mean `lambda`, in (0, [`Poisson::MAX`]].
    pub fn new(lambda: f64) -> Poisson {
        // What lies further out than this has less than 2^-64 of the probability.
        let reach = 10.0 * lambda.sqrt() + 40.0;
        let first = (lambda - reach).max(0.0).floor();
        let last = (lambda + reach).ceil();
        // From the mode outwards by the ratio of neighbours, so that nothing vanishes or overflows;
        // then scaled to 1.
        let mode = (lambda.floor() - first) as usize;
        let mut weights = vec![1.0; (last - first) as usize + 1];
        for i in mode + 1..weights.len() {
            weights[i] = weights[i - 1] * lambda / (first + i as f64);
        }
        for i in (0..mode).rev() {
            weights[i] = weights[i + 1] * (first + i as f64 + 1.0) / lambda;
        }
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        for weight in &mut weights {
            sum += *weight / total;
            *weight = sum;
        }
        Poisson { first: first as u32, cumulative: weights }
    }

    /// The smallest value with a cumulative probability of at least `u`.
    pub fn quantile(&self, u: f64) -> u32 {
        let i = self.cumulative.partition_point(|c| *c < u);
        self.first + i.min(self.cumulative.len() - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use approx::{assert_abs_diff_eq, assert_relative_eq};

    use super::*;

    #[test]
    fn uniform_numbers_are_above_0_and_reach_1() {
        assert_eq!(unit_float(0), 2f32.powi(-33));
        assert_eq!(unit_float(u32::MAX), 1.0);
        assert_eq!(unit_double(0), 2f64.powi(-54));
        assert_eq!(unit_double((1 << 53) - 1), 1.0);
    }

    #[test]
    fn the_normal_quantile_is_the_inverse_of_tabulated_probabilities() {
        // Abramowitz and Stegun, table 26.1; scipy.special.ndtri for the tails.
        for (p, z) in [
            (0.5, 0.0),
            (0.841_344_746_068_542_9, 1.0),
            (0.977_249_868_051_820_8, 2.0),
            (0.998_650_101_968_369_9, 3.0),
            (2.866_515_718_791_933e-7, -5.0),
            (2f64.powi(-33), -6.337_957_754_553_79),
            (2f64.powi(-54), -8.292_361_075_813_595),
        ] {
            assert_relative_eq!(normal_quantile(p), z, epsilon = 1e-13, max_relative = 1e-13);
        }
    }

    #[test]
    fn poisson_probabilities_are_the_formula() {
        // P(k) = exp(-l) l^k / k!
        for lambda in [0.01, 0.5, 10.0, 70.0] {
            let d = Poisson::new(lambda);
            let mut p = f64::exp(-lambda);
            let mut sum = p;
            for (k, c) in d.cumulative.iter().take(40).enumerate() {
                if d.first == 0 {
                    assert_abs_diff_eq!(*c, sum, epsilon = 1e-14);
                }
                p *= lambda / (k + 1) as f64;
                sum += p;
            }
            let last = d.cumulative.last().unwrap();
            assert_abs_diff_eq!(*last, 1.0, epsilon = 1e-12);
        }
        for lambda in [1000.0, 400_000.0] {
            let d = Poisson::new(lambda);
            let median = d.quantile(0.5);
            assert_abs_diff_eq!(f64::from(median), lambda, epsilon = 1.0);
            // One standard deviation up: 84 %.
            let up = f64::from(d.quantile(0.841_344_746));
            assert_abs_diff_eq!(up, lambda + lambda.sqrt(), epsilon = 2.0);
        }
    }
}
