//! Generators that cuRAND spreads over lanes: thread t of the device takes lane t, and the numbers
//! of a row come from neighbouring lanes.
//!
//! The position p of a generator counts numbers of the output. A call at position p lets thread t
//! go on from step (p + t) / W of lane (p + t) mod W, where W is the number of lanes, and thread t
//! makes the elements t, t + W, t + 2 W, ... of the call's output, for normal numbers pairs of
//! elements. A `double` takes two steps, a pair of normal numbers two (`float`) or four. The next
//! call starts from position p + n (normal numbers: p + n / 2), whatever steps were used. All this
//! was read off cuRAND 10.4.

use rayon::prelude::*;

use super::map::{Normal, pair, pair_double, unit_double, unit_float};
use super::stream::Stream;

/// A generator that can jump.
pub trait Lane: Copy + Send + Sync + 'static {
    /// A number in (0, 1] of double precision takes one step, not two.
    const DRAWS_64: bool;
    /// Lanes of the default ordering.
    const LANES: usize;
    /// The lanes of a seed at step 0, one after the other; there are more of them than anybody
    /// takes.
    fn sequences(seed: u64) -> impl Iterator<Item = Self>;
    /// The state at hand: what a kernel needs to go on from here.
    fn words(&self) -> [u32; 6];
    /// Jumps.
    fn skip(&mut self, steps: u64);
    /// One step: 32 bits.
    fn next(&mut self) -> u32;
    /// One step: a number in (0, 1], for generators whose values are more than 32 bits.
    fn next_unit(&mut self) -> f64 {
        (f64::from(self.next()) + 0.5) / 4_294_967_296.0
    }
}

/// A generator spread over lanes.
pub struct Lanes<L> {
    start: Vec<L>,
}

impl<L: Lane> Lanes<L> {
    pub fn new(seed: u64) -> Lanes<L> {
        Lanes { start: L::sequences(seed).take(L::LANES).collect() }
    }

    /// Fills `out`: element group g (of `GROUP` elements) is made by thread g mod W from its lane's
    /// next `steps` steps.
    fn fill<T: Copy + Send + Sync + Default>(
        &self,
        position: u64,
        group: usize,
        out: &mut [T],
        make: impl Fn(&mut L, &mut [T]) + Sync,
    ) {
        let width = self.start.len();
        let groups = out.len().div_ceil(group);
        let threads = width.min(groups);
        let steps = |t: usize| (position + t as u64) / width as u64;
        // Two neighbouring steps at most: the lanes after the last one start a step further.
        let state = |t: usize| {
            let mut lane = self.start[((position + t as u64) % width as u64) as usize];
            lane.skip(steps(t));
            lane
        };
        let mut states: Vec<L> = (0..threads).into_par_iter().map(state).collect();
        for row in out.chunks_mut(width * group) {
            let parts = row.par_chunks_mut(group).zip(&mut states).with_min_len(1024);
            parts.for_each(|(part, lane)| make(lane, part));
        }
    }
}

impl<L: Lane> Stream for Lanes<L> {
    fn bits(&self, position: u64, out: &mut [u32]) -> u64 {
        self.fill(position, 1, out, |lane, part| part[0] = lane.next());
        out.len() as u64
    }

    fn uniform(&self, position: u64, out: &mut [f32]) -> u64 {
        self.fill(position, 1, out, |lane, part| {
            part[0] = if L::DRAWS_64 { lane.next_unit() as f32 } else { unit_float(lane.next()) };
        });
        out.len() as u64
    }

    fn uniform_double(&self, position: u64, out: &mut [f64]) -> u64 {
        self.fill(position, 1, out, |lane, part| part[0] = double(lane));
        out.len() as u64
    }

    fn normal(&self, position: u64, normal: Normal<f32>, out: &mut [f32]) -> u64 {
        self.fill(position, 2, out, |lane, part| {
            let (u, v) = if L::DRAWS_64 {
                (lane.next_unit(), lane.next_unit())
            } else {
                let u = f64::from(unit_float(lane.next()));
                (u, f64::from(lane.next()) * 2f64.powi(-32) + 2f64.powi(-33))
            };
            let (a, b) = pair(u, v);
            part[0] = normal.of(a);
            if let Some(second) = part.get_mut(1) {
                *second = normal.of(b);
            }
        });
        out.len().div_ceil(2) as u64
    }

    fn normal_double(&self, position: u64, normal: Normal<f64>, out: &mut [f64]) -> u64 {
        self.fill(position, 2, out, |lane, part| {
            let (a, b) = pair_double(double(lane), double(lane));
            part[0] = normal.of(a);
            if let Some(second) = part.get_mut(1) {
                *second = normal.of(b);
            }
        });
        out.len().div_ceil(2) as u64
    }
}

/// A number of double precision in (0, 1].
fn double<L: Lane>(lane: &mut L) -> f64 {
    if L::DRAWS_64 {
        return lane.next_unit();
    }
    let (low, high) = (u64::from(lane.next()), u64::from(lane.next()));
    unit_double(low ^ (high << 21))
}
