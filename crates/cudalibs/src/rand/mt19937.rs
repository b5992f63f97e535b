//! MT19937 (M. Matsumoto and T. Nishimura, ACM Trans. Model. Comput. Simul. 8, 1998), in the order
//! of the original.
//!
//! cuRAND takes the numbers of a row from 8192 generators that are 2^1000 steps apart; here there
//! is one generator, so that only the first number of a seed is the vendor's.

use std::sync::{Mutex, PoisonError};

use super::map::{Normal, pair, pair_double, unit_double, unit_float};
use super::stream::Stream;

const N: usize = 624;
const M: usize = 397;

/// The generator of a seed. It knows no jumps: an earlier position starts from the beginning.
pub struct Mt19937 {
    seed: u32,
    now: Mutex<State>,
}

#[derive(Clone)]
struct State {
    words: Box<[u32; N]>,
    index: usize,
    /// Numbers taken so far.
    position: u64,
}

impl State {
    fn new(seed: u32) -> State {
        let mut words = Box::new([seed; N]);
        for i in 1..N {
            let last = words[i - 1];
            words[i] = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        State { words, index: N, position: 0 }
    }

    fn next(&mut self) -> u32 {
        if self.index == N {
            for i in 0..N {
                let y = (self.words[i] & 0x8000_0000) | (self.words[(i + 1) % N] & 0x7fff_ffff);
                let twist = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.words[i] = self.words[(i + M) % N] ^ (y >> 1) ^ twist;
            }
            self.index = 0;
        }
        let mut y = self.words[self.index];
        self.index += 1;
        self.position += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }
}

impl Mt19937 {
    pub fn new(seed: u64) -> Mt19937 {
        let seed = seed as u32 ^ (seed >> 32) as u32;
        Mt19937 { seed, now: Mutex::new(State::new(seed)) }
    }

    /// Calls `f` with the state at `position`; returns how many numbers it took.
    fn at(&self, position: u64, f: impl FnOnce(&mut State)) -> u64 {
        let mut state = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if state.position > position {
            *state = State::new(self.seed);
        }
        while state.position < position {
            state.next();
        }
        f(&mut state);
        state.position - position
    }
}

fn double(state: &mut State) -> f64 {
    let (low, high) = (u64::from(state.next()), u64::from(state.next()));
    unit_double(low ^ (high << 21))
}

impl Stream for Mt19937 {
    fn bits(&self, position: u64, out: &mut [u32]) -> u64 {
        self.at(position, |s| out.iter_mut().for_each(|x| *x = s.next()))
    }

    fn uniform(&self, position: u64, out: &mut [f32]) -> u64 {
        self.at(position, |s| out.iter_mut().for_each(|x| *x = unit_float(s.next())))
    }

    fn uniform_double(&self, position: u64, out: &mut [f64]) -> u64 {
        self.at(position, |s| out.iter_mut().for_each(|x| *x = double(s)))
    }

    fn normal(&self, position: u64, normal: Normal<f32>, out: &mut [f32]) -> u64 {
        self.at(position, |s| {
            for part in out.chunks_mut(2) {
                let u = f64::from(unit_float(s.next()));
                let (a, b) = pair(u, f64::from(s.next()) * 2f64.powi(-32) + 2f64.powi(-33));
                part.iter_mut().zip([a, b]).for_each(|(x, z)| *x = normal.of(z));
            }
        })
    }

    fn normal_double(&self, position: u64, normal: Normal<f64>, out: &mut [f64]) -> u64 {
        self.at(position, |s| {
            for part in out.chunks_mut(2) {
                let (a, b) = pair_double(double(s), double(s));
                part.iter_mut().zip([a, b]).for_each(|(x, z)| *x = normal.of(z));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_paper() {
        // The C++ standard, [rand.predef]: number 10,000 of seed 5489 is 4,123,659,995.
        let mt = Mt19937::new(5489);
        let mut out = [0];
        mt.bits(9_999, &mut out);
        assert_eq!(out, [4_123_659_995]);
        mt.bits(0, &mut out);
        assert_eq!(out, [3_499_211_612]);
    }
}
