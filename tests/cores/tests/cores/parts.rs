//! Rows L511 and L512 of the specification: magnitude and delay.

use hdl::estimate::{Device, Estimate, Multipliers};
use hdl::{Block, Simulator};
use ipcores::magnitude::{PAIRS, Pair};
use lab5_fpga_ip::e5_1::{LATENCY, mag16};
use lab5_fpga_ip::e5_2::delaysel;
use proptest::prelude::*;

fn magnitudes(block: &Block, values: &[(i16, i16)]) -> Vec<i64> {
    let mut sim = Simulator::new(block);
    let (i, q) = (sim.input("in_i").unwrap(), sim.input("in_q").unwrap());
    let out = sim.signal("mag_out").unwrap();
    let mut y = Vec::new();
    for n in 0..values.len() + LATENCY as usize {
        let (vi, vq) = values.get(n).copied().unwrap_or((0, 0));
        sim.poke(i, vi.into());
        sim.poke(q, vq.into());
        if n >= LATENCY as usize {
            y.push(sim.peek(out));
        }
        sim.step();
    }
    y
}

fn reference(pair: Pair, values: &[(i16, i16)]) -> Vec<i64> {
    values.iter().map(|&(i, q)| pair.reference(i, q)).collect()
}

proptest! {
    #[test]
    fn magnitudes_follow_the_formula(
        values in prop::collection::vec((any::<i16>(), any::<i16>()), 1..60)
    ) {
        for pair in PAIRS {
            prop_assert_eq!(magnitudes(&mag16(pair).unwrap(), &values), reference(pair, &values));
        }
    }

    #[test]
    fn delays_are_exact(sel in 0u32..=32, bits in prop::collection::vec(any::<bool>(), 1..100)) {
        let block = delaysel(sel).unwrap();
        let mut sim = Simulator::new(&block);
        let got: Vec<bool> = bits.iter().map(|&b| {
            sim.set("din", i64::from(b)).unwrap();
            let y = sim.get("dout").unwrap() != 0;
            sim.step();
            y
        }).collect();
        prop_assert_eq!(got, ipcores::delay::reference(&bits, sel as usize));
        let count = Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks).total;
        prop_assert_eq!((count.ffs, count.luts), (sel, 0));
    }
}

#[test]
fn corners_and_errors_over_the_circle() {
    let corners = [(-32768, -32768), (-32768, 0), (0, -32768), (32767, 32767), (0, 0), (1, -1)];
    let around: Vec<(i16, i16)> = (0..3600)
        .map(|n| f64::from(n) * std::f64::consts::TAU / 3600.0)
        .map(|a| ((20000.0 * a.cos()).round() as i16, (20000.0 * a.sin()).round() as i16))
        .collect();
    for pair in PAIRS {
        let block = mag16(pair).unwrap();
        assert_eq!(magnitudes(&block, &corners), reference(pair, &corners));
        assert_eq!(magnitudes(&block, &corners)[0], 32767, "the largest one is held");
        let (low, high) = pair.error_db;
        for (got, &(i, q)) in magnitudes(&block, &around).into_iter().zip(&around) {
            let db = 20.0 * (got as f64 / f64::from(i).hypot(q.into())).log10();
            assert!((low - 0.01..=high + 0.01).contains(&db), "{}: {db} at {i}, {q}", pair.name);
        }
        let count = Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks).total;
        println!("{}: {count:?}", pair.name);
        assert_eq!(count.multipliers, 0);
    }
}
