//! FIR-C, the correctness test that every version of the filter has to pass: lengths around the
//! block's and the warp's borders, signals whose result is known, a NaN that must neither vanish
//! nor spread, and names for usual mistakes.
//!
//! ```text
//! for case in fir_c::cases(&mut t.rng()) {
//!     let yout = ...;                                  // 2 * len outputs, left then right
//!     let hint = |mistake| match mistake { Mistake::LeftHistory => Some("a"), ... , _ => None };
//!     case.verify(&yout, hint)?;
//! }
//! ```

use grading::{Evidence, Finding, Outcome, expect, trace};
use rand::{Rng, RngExt};
use references::fir::filter;
use serde_json::{Value, json};

/// Samples per channel and order of the filter, of all cases. The first are the ones in which
/// mistakes look most different.
pub const SIZES: [(usize, usize); 11] = [
    (9, 3),
    (31, 7),
    (0, 3),
    (1, 0),
    (1, 3),
    (511, 64),
    (512, 64),
    (513, 64),
    (1500, 100),
    (2000, 1024),
    (2048, 1024),
];

/// Threads of a block in the exercises, unless one says otherwise.
pub const BLOCK: usize = 512;

/// One filter and one stereo signal.
#[derive(Clone, Debug)]
pub struct Case {
    /// What the channels are, for messages: "left impulse, right step".
    pub signals: String,
    /// Samples per channel.
    pub len: usize,
    /// `n + 1` coefficients, not symmetric.
    pub coeff: Vec<f32>,
    /// `2 * len` samples: left, then right.
    pub yin: Vec<f32>,
    /// Channels (left, right) whose result has no rounding error, so that it must be met exactly.
    pub exact: [bool; 2],
}

/// What a wrong output looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Nothing but zeros.
    Zeros,
    /// The last coefficient is left out: `k < n`.
    LastTap,
    /// `h[n-k]` in place of `h[k]`.
    Reversed,
    /// `yin[i+k]` in place of `yin[i-k]`.
    Ahead,
    /// The first outputs of the right channel contain the end of the left one.
    LeftHistory,
    /// The right output is the left one: the second half works on the first half's data.
    RightIsLeft,
    /// The right output is all zeros, the left one is right.
    RightZero,
    /// Left and right are exchanged.
    Exchanged,
    /// The signal is taken for `left, right, left, right, ...`.
    Interleaved,
    /// Each block of [`BLOCK`] outputs has no samples from before its start.
    BlockHistory,
    /// Only outputs at the end are wrong, from a multiple of [`BLOCK`] on: the last block is
    /// missing.
    Tail,
    /// Outputs are NaN that must not be, or the other way round.
    Nan,
}

/// All cases: four signals of each size.
pub fn cases(rng: &mut impl Rng) -> Vec<Case> {
    SIZES.iter().flat_map(|&(len, n)| signals(rng, len, n)).collect()
}

/// The four signals of one size.
pub fn signals(rng: &mut impl Rng, len: usize, n: usize) -> [Case; 4] {
    let coeff = noise(rng, n + 1);
    let impulse = || (0..len).map(|i| f32::from(i == 0)).collect::<Vec<_>>();
    let step = (0..len).map(|i| f32::from(i >= len / 3)).collect();
    let [right, nan_left, nan_right] = [(); 3].map(|()| noise(rng, len));
    let case = |signals: &str, left: Vec<f32>, right: Vec<f32>, exact: [bool; 2]| Case {
        signals: signals.into(),
        len,
        coeff: coeff.clone(),
        yin: [left, right].concat(),
        exact,
    };
    let mut nan = case("random with one NaN", nan_left, nan_right, [false, false]);
    if len > 0 {
        let at = rng.random_range(0..2 * len);
        nan.yin[at] = f32::NAN;
        let side = if at < len { "left" } else { "right" };
        nan.signals = format!("random, {side}[{}] is NaN", at % len);
    }
    [
        case("left impulse, right step", impulse(), step, [true, false]),
        case("left constant 1, right impulse", vec![1.0; len], impulse(), [false, true]),
        case("left 0, right random", vec![0.0; len], right, [true, false]),
        nan,
    ]
}

/// `len` random values in -1..1.
fn noise(rng: &mut impl Rng, len: usize) -> Vec<f32> {
    (0..len).map(|_| rng.random_range(-1.0f32..1.0)).collect()
}

/// The problem of `write_testfir`: integers, exact.
pub fn testfir() -> Case {
    let left: Vec<f32> = (1..=9u8).map(f32::from).collect();
    let right = left.iter().map(|v| -v).collect();
    Case {
        signals: "testfir".into(),
        len: 9,
        coeff: vec![1.0, 10.0, 100.0, 1000.0],
        yin: [left, right].concat(),
        exact: [true, true],
    }
}

/// Bound on the rounding error of `m` products summed in `f32` in any order, with or without fused
/// operations, when the absolute values of the products add up to `sum` (spec, 0.4: `g(m) * sum`).
pub fn bound(m: usize, sum: f64) -> f64 {
    let me = m as f64 * f64::from(f32::EPSILON) / 2.0;
    me / (1.0 - me) * sum
}

impl Case {
    /// Order of the filter.
    pub fn n(&self) -> usize {
        self.coeff.len() - 1
    }

    /// The channels of the input.
    pub fn channels(&self) -> [&[f32]; 2] {
        let (left, right) = self.yin.split_at(self.len);
        [left, right]
    }

    /// As the handlers of the filters take it: `{"len", "coeff": bits, "yin": bits}`.
    pub fn request(&self) -> Value {
        let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        json!({ "len": self.len, "coeff": bits(&self.coeff), "yin": bits(&self.yin) })
    }

    /// For messages: "len 9, order 3, left impulse, right step".
    pub fn title(&self) -> String {
        format!("len {}, order {}, {}", self.len, self.n(), self.signals)
    }

    /// Compares the reply of a handler that answers the bits of `2 * len` outputs.
    ///
    /// # Errors
    /// As [`Case::verify`]; what the student's function did wrong else.
    pub fn verify_reply(
        &self,
        reply: &grading::Reply,
        hint: impl Fn(Mistake) -> Option<&'static str>,
    ) -> Outcome {
        let bits: Vec<u32> = trace::value(reply)?;
        let yout: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        self.verify(&yout, hint)
    }

    /// Compares `2 * len` outputs with the filter in `f64`, element by element, with the bound of
    /// [`bound`].
    ///
    /// # Errors
    /// The first wrong outputs, what they look like, and the hint that `hint` gives for it (if
    /// any).
    pub fn verify(&self, yout: &[f32], hint: impl Fn(Mistake) -> Option<&'static str>) -> Outcome {
        let want: Vec<(f64, f64)> =
            self.channels().into_iter().flat_map(|x| filter(x, &self.coeff)).collect();
        let names = ["left", "right"];
        expect::that(yout.len() == 2 * self.len, || {
            format!("{}: expected {} outputs, got {}", self.title(), 2 * self.len, yout.len())
        })?;
        for (c, name) in names.into_iter().enumerate() {
            let part = c * self.len..(c + 1) * self.len;
            let truth: Vec<f64> = want[part.clone()].iter().map(|w| w.0).collect();
            let tolerance = |i: usize| {
                if self.exact[c] { 0.0 } else { bound(self.n() + 2, want[part.start + i].1) }
            };
            let Err(finding) = expect::close(name, &yout[part.clone()], &truth, tolerance) else {
                continue;
            };
            let mistake = self.mistake(yout, &want);
            let looks = mistake.map(|m| format!(": {}", m.text())).unwrap_or_default();
            let finding = Finding {
                message: format!("{} ({}){looks}", finding.message, self.title()),
                ..finding
            };
            return Err(match mistake.and_then(hint) {
                Some(hint) => finding.hint(hint),
                None => finding,
            });
        }
        Ok(Evidence::new(format!("{}: within rounding", self.title())))
    }

    /// What a wrong output looks like.
    fn mistake(&self, yout: &[f32], want: &[(f64, f64)]) -> Option<Mistake> {
        let (len, n) = (self.len, self.n());
        let [left, right] = self.channels();
        let close = |i: usize, y: f64| {
            let got = f64::from(yout[i]);
            // Coarser than the bound: the sum of a mistaken output may have other terms.
            (got - y).abs() <= 1e-5 * (1.0 + want[i].1) || (got.is_nan() && y.is_nan())
        };
        let is = |candidate: &[f64]| candidate.iter().enumerate().all(|(i, y)| close(i, *y));
        let both = |left: Vec<(f64, f64)>, right: Vec<(f64, f64)>| -> Vec<f64> {
            left.into_iter().chain(right).map(|w| w.0).collect()
        };
        let simple = |h: &[f32]| both(filter(left, h), filter(right, h));
        let wrong: Vec<usize> = (0..2 * len).filter(|&i| !close(i, want[i].0)).collect();
        let in_left = wrong.iter().any(|&i| i < len);
        if self.yin.iter().any(|x| x.is_nan())
            && wrong.iter().all(|&i| f64::from(yout[i]).is_nan() != want[i].0.is_nan())
        {
            return Some(Mistake::Nan);
        }
        if yout.iter().all(|y| *y == 0.0) {
            return Some(Mistake::Zeros);
        }
        if is(&simple(&self.coeff[..n])) {
            return Some(Mistake::LastTap);
        }
        let reversed: Vec<f32> = self.coeff.iter().rev().copied().collect();
        if is(&simple(&reversed)) {
            return Some(Mistake::Reversed);
        }
        // In the memory of both channels, where a sample that is not the channel's own is the
        // neighbour's.
        let ahead: Vec<f64> = (0..2 * len)
            .map(|i| {
                let next = self.yin[i..].iter().zip(&self.coeff);
                next.map(|(x, h)| f64::from(*x) * f64::from(*h)).sum()
            })
            .collect();
        if len > n && (0..2 * len).all(|i| i % len + n >= len || close(i, ahead[i])) {
            return Some(Mistake::Ahead);
        }
        let history: Vec<f64> = filter(&self.yin, &self.coeff).iter().map(|w| w.0).collect();
        if is(&history) {
            return Some(Mistake::LeftHistory);
        }
        if is(&both(filter(right, &self.coeff), filter(left, &self.coeff))) {
            return Some(Mistake::Exchanged);
        }
        if !in_left && is(&both(filter(left, &self.coeff), filter(left, &self.coeff))) {
            return Some(Mistake::RightIsLeft);
        }
        if !in_left && yout[len..].iter().all(|y| *y == 0.0) {
            return Some(Mistake::RightZero);
        }
        if self.interleaved(&close) {
            return Some(Mistake::Interleaved);
        }
        let blocks = |x: &[f32]| x.chunks(BLOCK).flat_map(|x| filter(x, &self.coeff)).collect();
        if is(&both(blocks(left), blocks(right))) {
            return Some(Mistake::BlockHistory);
        }
        let border = len / BLOCK * BLOCK;
        (!wrong.is_empty() && wrong.iter().all(|i| i % len >= border)).then_some(Mistake::Tail)
    }

    /// Outputs of channels that were picked as every other sample, stored in either order.
    fn interleaved(&self, close: &impl Fn(usize, f64) -> bool) -> bool {
        let picked = |c: usize| -> Vec<f32> { self.yin[c..].iter().step_by(2).copied().collect() };
        let out = [picked(0), picked(1)].map(|x| filter(&x, &self.coeff));
        let in_turn = (0..2 * self.len).all(|i| close(i, out[i % 2][i / 2].0));
        let in_rows = (0..2 * self.len).all(|i| close(i, out[i / self.len][i % self.len].0));
        in_turn || in_rows
    }
}

impl Mistake {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Mistake::Zeros => "there is nothing but zeros",
            Mistake::LastTap => "the product with the last coefficient, h[n], is missing",
            Mistake::Reversed => "the coefficients run backwards",
            Mistake::Ahead => "the output looks ahead: it sums yin[i+k], not yin[i-k]",
            Mistake::LeftHistory => {
                "the right channel begins with the end of the left one: right[0] contains \
                 left[len-1]*h[1]"
            }
            Mistake::RightIsLeft => "the right output is the filtered left channel",
            Mistake::RightZero => "the right output is all zeros",
            Mistake::Exchanged => "left and right are exchanged",
            Mistake::Interleaved => {
                "the channels were taken as left, right, left, right, ...; they are stored one \
                 after the other"
            }
            Mistake::BlockHistory => {
                "the first n outputs of each block lack the samples before the block"
            }
            Mistake::Tail => "the end of the channel is missing: the last block is not computed",
            Mistake::Nan => {
                "one NaN at sample p makes exactly the outputs p..=p+n of its channel NaN"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(7)
    }

    /// The filter as the exercises have it, in `f32`.
    fn right(case: &Case) -> Vec<f32> {
        let one = |x: &[f32]| -> Vec<f32> {
            (0..x.len())
                .map(|i| x[..=i].iter().rev().zip(&case.coeff).map(|(x, h)| x * h).sum())
                .collect()
        };
        case.channels().map(one).concat()
    }

    fn hint(case: &Case, yout: &[f32]) -> Option<Mistake> {
        let found = std::cell::Cell::new(None);
        let outcome = case.verify(yout, |m| {
            found.set(Some(m));
            Some("x")
        });
        assert!(outcome.is_err(), "{}", case.title());
        found.get()
    }

    #[test]
    fn the_filter_passes_in_single_precision() {
        for case in cases(&mut rng()).into_iter().chain([testfir()]) {
            case.verify(&right(&case), |_| None).unwrap_or_else(|f| panic!("{f}"));
        }
    }

    #[test]
    fn each_mistake_is_known_by_its_name() {
        let mut rng = rng();
        let [_, _, _, case] = signals(&mut rng, 1500, 100);
        let yin = noise(&mut rng, 3000);
        let case = Case { yin, signals: "random".into(), ..case };
        let one = |x: &[f32], h: &[f32]| -> Vec<f32> {
            filter(x, h).iter().map(|w| w.0 as f32).collect()
        };
        let [l, r] = case.channels();
        let h = &case.coeff;
        let reversed: Vec<f32> = h.iter().rev().copied().collect();
        let blocks = |x: &[f32]| x.chunks(BLOCK).flat_map(|x| one(x, h)).collect::<Vec<_>>();
        let good = right(&case);
        let mut tail = good.clone();
        tail[1024..1500].fill(0.0);
        tail[2524..].fill(0.0);
        let mut half = good.clone();
        half[1500..].fill(0.0);
        let picked =
            |c: usize| one(&case.yin[c..].iter().step_by(2).copied().collect::<Vec<_>>(), h);
        let wrong = [
            (Mistake::Zeros, vec![0.0; 3000]),
            (Mistake::LastTap, [one(l, &h[..100]), one(r, &h[..100])].concat()),
            (Mistake::Reversed, [one(l, &reversed), one(r, &reversed)].concat()),
            (Mistake::LeftHistory, one(&case.yin, h)),
            (Mistake::Exchanged, [one(r, h), one(l, h)].concat()),
            (Mistake::RightIsLeft, [one(l, h), one(l, h)].concat()),
            (Mistake::RightZero, half),
            (Mistake::Interleaved, [picked(0), picked(1)].concat()),
            (Mistake::BlockHistory, [blocks(l), blocks(r)].concat()),
            (Mistake::Tail, tail),
        ];
        for (mistake, yout) in wrong {
            assert_eq!(hint(&case, &yout), Some(mistake));
        }
        let mut off = good;
        off[7] += 1.0;
        assert_eq!(hint(&case, &off), None);
    }

    #[test]
    fn a_nan_must_neither_vanish_nor_spread() {
        for case in signals(&mut rng(), 513, 64).into_iter().skip(3) {
            let good = right(&case);
            let at = good.iter().position(|y| y.is_nan()).unwrap();
            assert_eq!(good.iter().filter(|y| y.is_nan()).count(), 65.min(513 - at % 513));
            let mut lost = good.clone();
            lost[at] = 0.0;
            assert_eq!(hint(&case, &lost), Some(Mistake::Nan));
            let mut spread = good;
            spread[(at + 513) % 1026] = f32::NAN;
            assert_eq!(hint(&case, &spread), Some(Mistake::Nan));
        }
    }
}
