//! XORWOW (G. Marsaglia, "Xorshift RNGs", 2003, section 3.1), as cuRAND's host API seeds it and
//! spreads it over lanes.
//!
//! The state is five words under a linear map over GF(2), and a counter. Lane l of the 4096 starts
//! 2^67 l steps into the sequence of the seed; number n of the output is step n / 4096 of lane n
//! mod 4096. Seeding and lanes are those of the cuRAND guide ("Order") and were compared with
//! cuRAND 10.4 bit for bit.

use std::sync::OnceLock;

use super::lanes::Lane;

/// Steps between lanes, as a power of two.
const LANE_LOG2: usize = 67;
const BITS: usize = 160;
/// What the counter grows by each step.
const WEYL: u32 = 362_437;

/// A vector of 160 bits.
type Bits = [u32; 5];

/// A generator at some step.
#[derive(Clone, Copy, Debug)]
pub struct Xorwow {
    v: Bits,
    d: u32,
}

/// One step of the linear part.
fn shifted(v: &Bits) -> Bits {
    let t = v[0] ^ (v[0] >> 2);
    [v[1], v[2], v[3], v[4], v[4] ^ (v[4] << 4) ^ t ^ (t << 1)]
}

/// A linear map, by the images of the 160 unit vectors.
struct Map(Vec<Bits>);

impl Map {
    fn of_one_step() -> Map {
        let unit = |i: usize| {
            let mut v = [0; 5];
            v[i / 32] = 1 << (i % 32);
            v
        };
        Map((0..BITS).map(|i| shifted(&unit(i))).collect())
    }

    fn apply(&self, v: &Bits) -> Bits {
        let mut out = [0; 5];
        for (i, image) in self.0.iter().enumerate() {
            let mask = 0u32.wrapping_sub((v[i / 32] >> (i % 32)) & 1);
            for (o, word) in out.iter_mut().zip(image) {
                *o ^= word & mask;
            }
        }
        out
    }

    fn squared(&self) -> Map {
        Map(self.0.iter().map(|image| self.apply(image)).collect())
    }
}

/// Maps of 1, 2, 4, ... 2^67 steps.
fn powers() -> &'static [Map] {
    static POWERS: OnceLock<Vec<Map>> = OnceLock::new();
    POWERS.get_or_init(|| {
        let one = Map::of_one_step();
        std::iter::successors(Some(one), |map| Some(map.squared())).take(LANE_LOG2 + 1).collect()
    })
}

impl Lane for Xorwow {
    const DRAWS_64: bool = false;
    const LANES: usize = 4096;

    fn sequences(seed: u64) -> impl Iterator<Item = Xorwow> {
        let mix_low = 1_099_087_573u32.wrapping_mul(seed as u32 ^ 0xaad2_6b49);
        let mix_high = 2_591_861_531u32.wrapping_mul((seed >> 32) as u32 ^ 0xf7dc_efdd);
        let first = Xorwow {
            v: [
                123_456_789u32.wrapping_add(mix_low),
                362_436_069 ^ mix_low,
                521_288_629u32.wrapping_add(mix_high),
                88_675_123 ^ mix_high,
                5_783_321u32.wrapping_add(mix_low),
            ],
            d: 6_615_241u32.wrapping_add(mix_low).wrapping_add(mix_high),
        };
        // 2^67 steps leave the counter, which has 32 bits, where it was.
        let jump = &powers()[LANE_LOG2];
        let next = |lane: &Xorwow| Some(Xorwow { v: jump.apply(&lane.v), d: lane.d });
        std::iter::successors(Some(first), next)
    }

    fn words(&self) -> [u32; 6] {
        let [a, b, c, d, e] = self.v;
        [a, b, c, d, e, self.d]
    }

    fn skip(&mut self, steps: u64) {
        for (i, map) in powers().iter().enumerate().take(64) {
            if (steps >> i) & 1 == 1 {
                self.v = map.apply(&self.v);
            }
        }
        self.d = self.d.wrapping_add((steps as u32).wrapping_mul(WEYL));
    }

    fn next(&mut self) -> u32 {
        self.v = shifted(&self.v);
        self.d = self.d.wrapping_add(WEYL);
        self.v[4].wrapping_add(self.d)
    }
}
