//! Fourier transforms of eight lines at a time, one in each lane of a vector.
//!
//! Nothing moves between lanes, so every operation is the same for all eight, and the compiler
//! makes vectors of them: one of eight numbers with AVX-512, two of four with AVX2. The transform
//! is Stockham's as in exercise 3.4.3, but with stages of radix 8 and 4: a third or half as many
//! ways through the lines. A stage is inlined, so that the caller's processor is the one that
//! it is compiled for.

use bytemuck::{Pod, Zeroable};

use super::C64;

/// Lines that are transformed together.
pub const LANES: usize = 8;

/// An element of each of eight lines: 128 bytes, two lines of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Eight {
    /// Real parts.
    pub re: [f64; LANES],
    /// Imaginary parts.
    pub im: [f64; LANES],
}

impl Eight {
    /// The element of one line.
    pub fn lane(&self, l: usize) -> C64 {
        C64::new(self.re[l], self.im[l])
    }

    /// Replaces the element of one line.
    pub fn set_lane(&mut self, l: usize, v: C64) {
        (self.re[l], self.im[l]) = (v.re, v.im);
    }
}

/// Memory for elements, at the begin of a line of the cache: a vector that lies in two of them
/// costs two accesses. Large ones are handed out by the system as they are first used.
#[derive(Clone, Debug)]
pub struct Buffer {
    numbers: Vec<f64>,
    skip: usize,
    len: usize,
}

impl Buffer {
    const LINE: usize = 64 / size_of::<f64>();
    const EACH: usize = size_of::<Eight>() / size_of::<f64>();

    /// Room for `len` elements, all 0.
    pub fn new(len: usize) -> Buffer {
        let numbers = vec![0.0; len * Self::EACH + Self::LINE];
        let skip = (numbers.as_ptr() as usize).wrapping_neg() / size_of::<f64>() % Self::LINE;
        Buffer { numbers, skip, len }
    }

    /// The elements.
    pub fn elements(&self) -> &[Eight] {
        bytemuck::cast_slice(&self.numbers[self.skip..][..self.len * Self::EACH])
    }

    /// The elements.
    pub fn elements_mut(&mut self) -> &mut [Eight] {
        bytemuck::cast_slice_mut(&mut self.numbers[self.skip..][..self.len * Self::EACH])
    }
}

/// One stage of all lines: butterflies of that width, from the first slice to the second.
pub type Pass = fn(&Stage, usize, &[Eight], &mut [Eight]);

/// How lines of one length are transformed.
#[derive(Clone, Debug)]
pub struct Plan {
    len: usize,
    forward: bool,
    stages: Vec<Stage>,
}

/// A stage: `roots[i (radix - 1) + j - 1]` is the factor of output j of the butterflies of group i.
#[derive(Clone, Debug)]
pub struct Stage {
    radix: usize,
    roots: Vec<C64>,
}

impl Plan {
    /// For lines of n elements, a power of two; `forward` means the sign +1, as in the benchmark.
    pub fn new(n: usize, forward: bool) -> Plan {
        let sign = if forward { 1.0 } else { -1.0 };
        let mut stages = Vec::new();
        let mut left = n;
        while left > 1 {
            // 8 as often as it leaves no single factor 2 behind.
            let radix = match left {
                2 => 2,
                4 | 16 => 4,
                _ => 8,
            };
            let turn = sign * std::f64::consts::TAU / left as f64;
            let root = |i: usize, j: usize| C64::from_polar(1.0, turn * (i * j) as f64);
            let groups = 0..left / radix;
            let roots = groups.flat_map(|i| (1..radix).map(move |j| root(i, j))).collect();
            stages.push(Stage { radix, roots });
            left /= radix;
        }
        Plan { len: n, forward, stages }
    }

    /// Transforms the groups of eight lines that lie in `lines`, one after the other. The result is
    /// in the slice that is returned: `lines` or `room`, which must be as long.
    pub fn transform<'a>(&self, lines: &'a mut [Eight], room: &'a mut [Eight]) -> &'a mut [Eight] {
        self.transform_by([forward, inverse], lines, room)
    }

    /// The same with a caller's own [`forward`] and [`inverse`].
    pub fn transform_by<'a>(
        &self,
        [forward, inverse]: [Pass; 2],
        lines: &'a mut [Eight],
        room: &'a mut [Eight],
    ) -> &'a mut [Eight] {
        for (a, b) in lines.chunks_exact_mut(self.len).zip(room.chunks_exact_mut(self.len)) {
            let (mut from, mut to) = (a, b);
            let mut width = 1;
            for stage in &self.stages {
                if self.forward {
                    forward(stage, width, from, to);
                } else {
                    inverse(stage, width, from, to);
                }
                width *= stage.radix;
                std::mem::swap(&mut from, &mut to);
            }
        }
        if self.stages.len().is_multiple_of(2) { lines } else { room }
    }
}

/// A stage with the sign +1.
#[inline(always)]
pub fn forward(stage: &Stage, width: usize, from: &[Eight], to: &mut [Eight]) {
    match stage.radix {
        8 => butterflies(stage, width, from, to, dft8::<true>),
        4 => butterflies(stage, width, from, to, dft4::<true>),
        _ => butterflies(stage, width, from, to, dft2),
    }
}

/// A stage with the sign -1.
#[inline(always)]
pub fn inverse(stage: &Stage, width: usize, from: &[Eight], to: &mut [Eight]) {
    match stage.radix {
        8 => butterflies(stage, width, from, to, dft8::<false>),
        4 => butterflies(stage, width, from, to, dft4::<false>),
        _ => butterflies(stage, width, from, to, dft2),
    }
}

/// One stage: input j of butterfly k of group i is at `i width + k + j n/R`, its output j, times
/// the group's factor, at `(i R + j) width + k`.
#[inline(always)]
fn butterflies<const R: usize>(
    stage: &Stage,
    width: usize,
    from: &[Eight],
    to: &mut [Eight],
    dft: impl Fn([C64; R]) -> [C64; R],
) {
    let apart = from.len() / R;
    let groups = from.len() / R / width;
    for i in 0..groups {
        let mut w = [C64::new(1.0, 0.0); R];
        w[1..].copy_from_slice(&stage.roots[i * (R - 1)..][..R - 1]);
        for k in 0..width {
            let x: [&Eight; R] = std::array::from_fn(|j| &from[i * width + k + j * apart]);
            let mut y = [Eight::default(); R];
            for l in 0..LANES {
                let v = dft(std::array::from_fn(|j| C64::new(x[j].re[l], x[j].im[l])));
                y[0].re[l] = v[0].re;
                y[0].im[l] = v[0].im;
                for j in 1..R {
                    y[j].re[l] = v[j].re * w[j].re - v[j].im * w[j].im;
                    y[j].im[l] = v[j].re * w[j].im + v[j].im * w[j].re;
                }
            }
            for (j, y) in y.into_iter().enumerate() {
                to[(i * R + j) * width + k] = y;
            }
        }
    }
}

#[inline(always)]
fn dft2([a, b]: [C64; 2]) -> [C64; 2] {
    [a + b, a - b]
}

/// Times i, or -i.
#[inline(always)]
fn turned<const FORWARD: bool>(v: C64) -> C64 {
    if FORWARD { C64::new(-v.im, v.re) } else { C64::new(v.im, -v.re) }
}

#[inline(always)]
fn dft4<const FORWARD: bool>([a, b, c, d]: [C64; 4]) -> [C64; 4] {
    let (p, q, r, s) = (a + c, b + d, a - c, turned::<FORWARD>(b - d));
    [p + q, r + s, p - q, r - s]
}

#[inline(always)]
fn dft8<const FORWARD: bool>(x: [C64; 8]) -> [C64; 8] {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    let even = dft4::<FORWARD>([x[0] + x[4], x[1] + x[5], x[2] + x[6], x[3] + x[7]]);
    let (b, d) = (x[1] - x[5], x[3] - x[7]);
    let odd = dft4::<FORWARD>([
        x[0] - x[4],
        (b + turned::<FORWARD>(b)) * H,
        turned::<FORWARD>(x[2] - x[6]),
        (turned::<FORWARD>(d) - d) * H,
    ]);
    [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::dft;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn every_lane_is_transformed_as_defined(
            m in 0u32..11,
            groups in 1usize..4,
            forward in any::<bool>(),
            seed in 1u64..1 << 40,
        ) {
            let n = 1usize << m;
            let mut s = seed;
            let mut number = || {
                s = crate::random::next(s | 1);
                2.0 * s as f64 * crate::random::SCALE - 1.0
            };
            let (mut lines, mut room) = (Buffer::new(groups * n), Buffer::new(groups * n));
            for v in lines.elements_mut() {
                (0..LANES).for_each(|l| v.set_lane(l, C64::new(number(), number())));
            }
            let before = lines.clone();
            let plan = Plan::new(n, forward);
            let found = plan.transform(lines.elements_mut(), room.elements_mut());
            for (found, before) in found.chunks_exact(n).zip(before.elements().chunks_exact(n)) {
                for l in 0..LANES {
                    let mut line: Vec<C64> = before.iter().map(|v| v.lane(l)).collect();
                    dft(forward, &mut line);
                    for (k, (found, wanted)) in found.iter().zip(&line).enumerate() {
                        let off = (found.lane(l) - wanted).norm();
                        prop_assert!(off < 1e-13 * (n as f64), "n = {n}, lane {l}, {k}: {off:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn elements_begin_at_a_line_of_the_cache() {
        for len in [0, 1, 7, 100] {
            let mut buffer = Buffer::new(len);
            assert_eq!(buffer.elements_mut().len(), len);
            assert_eq!(buffer.elements().as_ptr() as usize % 64, 0);
        }
    }
}
