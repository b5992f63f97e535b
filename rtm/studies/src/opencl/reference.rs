//! V0: the step by its definition, on the CPU, in single or double precision. Everything else is
//! compared with it.

use rayon::prelude::*;
use rtm::{Real, Result};

use super::wave::{Block, COEFFICIENTS, Medium, RADIUS, Sponge, Wave};

/// A wave computed by plain loops.
pub struct Reference<T> {
    block: Block,
    vel: Vec<T>,
    cur: Vec<T>,
    prev: Vec<T>,
}

impl<T: Real> Reference<T> {
    /// At rest.
    pub fn new(medium: &Medium) -> Self {
        let zeros = vec![T::ZERO; medium.block.len()];
        Reference::from_levels(medium.block, &medium.vel, &zeros, &zeros)
    }

    /// From scaled velocities and two levels, the newest first.
    pub fn from_levels<U: Real>(block: Block, vel: &[f32], cur: &[U], prev: &[U]) -> Self {
        let convert = |values: &[U]| values.iter().map(|v| T::of(v.f64())).collect();
        let vel = vel.iter().map(|v| T::of(f64::from(*v))).collect();
        Reference { block, vel, cur: convert(cur), prev: convert(prev) }
    }
}

/// `c0 C + c1 (6 neighbours at distance 1) + c2 (6 at distance 2)` at an index.
pub fn lap12<T: Real>(cur: &[T], at: usize, coefficients: [f32; 3], [nx, ny]: [usize; 2]) -> T {
    let mut value = T::of(f64::from(coefficients[0])) * cur[at];
    for (i, c) in coefficients.iter().enumerate().skip(1) {
        let steps = [i * nx * ny, i * nx, i];
        let sum = steps.iter().fold(T::ZERO, |sum, s| sum + (cur[at + s] + cur[at - s]));
        value += T::of(f64::from(*c)) * sum;
    }
    value
}

impl<T: Real> Wave for Reference<T> {
    fn block(&self) -> Block {
        self.block
    }

    fn step(&mut self) -> Result<()> {
        let [nx, ny, nz] = self.block.full();
        let (cur, vel) = (&self.cur, &self.vel);
        let planes = self.prev.par_chunks_exact_mut(nx * ny).enumerate();
        planes.skip(RADIUS).take(nz - 2 * RADIUS).for_each(|(z, prev)| {
            for y in RADIUS..ny - RADIUS {
                for x in RADIUS..nx - RADIUS {
                    let (in_plane, at) = (y * nx + x, (z * ny + y) * nx + x);
                    let lap = lap12(cur, at, COEFFICIENTS, [nx, ny]);
                    let twice = cur[at] + cur[at];
                    prev[in_plane] = twice + (vel[at] * lap - prev[in_plane]);
                }
            }
        });
        self.reverse();
        Ok(())
    }

    fn add(&mut self, index: usize, amount: f64) -> Result<()> {
        self.cur[index] += T::of(amount);
        Ok(())
    }

    fn damp(&mut self, sponge: Sponge) -> Result<()> {
        let [nx, ny, nz] = self.block.full();
        let [gx, gy, gz] = [nx, ny, nz].map(|n| sponge.factors(n));
        for level in [&mut self.cur, &mut self.prev] {
            level.par_chunks_exact_mut(nx).enumerate().for_each(|(row, values)| {
                let yz = [gy[row % ny], gz[row / ny]];
                for (value, gx) in values.iter_mut().zip(&gx) {
                    *value = *value * T::of(f64::from(gx * yz[0] * yz[1]));
                }
            });
        }
        Ok(())
    }

    fn reverse(&mut self) {
        std::mem::swap(&mut self.cur, &mut self.prev);
    }

    fn sample(&mut self, cells: &[usize]) -> Result<Vec<f32>> {
        Ok(cells.iter().map(|i| self.cur[*i].f64() as f32).collect())
    }

    fn levels(&mut self) -> Result<[Vec<f64>; 2]> {
        Ok([&self.cur, &self.prev].map(|level| level.iter().map(|v| v.f64()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// C02: along each axis, for a polynomial of degree 5 at most, the second derivative is exact.
    #[test]
    fn polynomials_of_degree_five_are_exact() {
        let block = Block::cube(5).unwrap();
        let [nx, ny, _] = block.full();
        let p = |x: f64| 0.3 + x * (1.0 + x * (-0.5 + x * (0.25 + x * (0.125 - 0.0625 * x))));
        let second = |x: f64| -1.0 + x * (1.5 + x * (1.5 - 1.25 * x));
        for axis in 0..3 {
            let at = |i: usize| block.cell(i)[axis] as f64 - 4.0;
            let field: Vec<f64> = (0..block.len()).map(|i| p(at(i))).collect();
            for i in (0..block.len()).filter(|i| !block.is_border(block.cell(*i))) {
                let lap = lap12(&field, i, COEFFICIENTS, [nx, ny]) / 12.0;
                assert!((lap - second(at(i))).abs() < 1e-9, "axis {axis}, {i}: {lap}");
                // C03: the other order of the coefficients is no derivative at all.
                let wrong = lap12(&field, i, [-1.0, 16.0, -90.0], [nx, ny]) / 12.0;
                assert!((wrong - second(at(i))).abs() > 1e-3);
            }
        }
    }

    /// C05: bounded at C = 0.499, beyond all bounds at 0.505.
    #[test]
    fn the_limit_of_stability_is_one_half() {
        let block = Block::cube(12).unwrap();
        let largest = |courant: f64, steps: usize| {
            let vel = vec![(courant * courant / 12.0) as f32; block.len()];
            let noise = |seed: u64| -> Vec<f64> {
                let number = |i| rtm::strategy::random::counter(seed, i as u64, 0) - 0.5;
                let value = |i| if block.is_border(block.cell(i)) { 0.0 } else { number(i) };
                (0..block.len()).map(value).collect()
            };
            let mut wave = Reference::<f64>::from_levels(block, &vel, &noise(1), &noise(2));
            let mut most = 0.0f64;
            for _ in 0..steps {
                wave.step().unwrap();
                most = wave.cur.iter().fold(most, |m, v| m.max(v.abs()));
            }
            most
        };
        assert!(largest(0.499, 2000) < 1e3);
        assert!(largest(0.505, 200) > 1e6);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn time_runs_both_ways(n in [1usize..8, 1usize..8, 1usize..8], seed in 0u64..99) {
            let block = Block::new(n).unwrap();
            let vel = vec![0.015f32; block.len()];
            let noise = |k: u64| -> Vec<f64> {
                (0..block.len())
                    .map(|i| if block.is_border(block.cell(i)) { 0.0 } else {
                        rtm::strategy::random::counter(seed, i as u64, k)
                    })
                    .collect()
            };
            let (cur, prev) = (noise(0), noise(1));
            let mut wave = Reference::<f64>::from_levels(block, &vel, &cur, &prev);
            for _ in 0..20 { wave.step().unwrap(); }
            wave.reverse();
            for _ in 0..20 { wave.step().unwrap(); }
            wave.reverse();
            let [found, _] = wave.levels().unwrap();
            for (a, b) in found.iter().zip(&cur) {
                prop_assert!((a - b).abs() < 1e-9);
            }
        }
    }
}
