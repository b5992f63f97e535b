//! The no-overflow check against what really happens.

use hdl::{Module, Simulator, bit, interval, signed, unsigned};
use proptest::prelude::*;

use crate::random;

#[test]
fn a_filter_that_cannot_overflow_is_told_from_one_that_can() {
    let filter = |lsb: u32| {
        let m = Module::new("filter");
        let x = m.input("x", signed(16));
        let taps = m.shift_register("x", x, 2);
        let total = ((taps[0] * m.lit(16384, signed(16))).extend(33)
            + (taps[1] * m.lit(16383, signed(16))).extend(33))
        .named("total");
        m.output("y", total.slice(lsb + 15, lsb));
        m.build().unwrap()
    };
    let safe = interval::check(&filter(15), &[]).unwrap();
    assert_eq!(safe.overflows, []);
    assert_eq!(safe.of("total"), Some((-32768 * 32767, 32767 * 32767)));
    let found = interval::check(&filter(14), &[]).unwrap().overflows;
    assert_eq!(found.len(), 1);
    let text = found[0].to_string();
    assert_eq!(text, "`y` can be -65534 to 65532, but signed(16) holds -32768 to 32767");
    assert_eq!(interval::check(&filter(14), &[("x", -1000, 1000)]).unwrap().overflows, []);
    assert!(interval::check(&filter(14), &[("z", 0, 1)]).is_err());
    assert!(interval::check(&filter(14), &[("x", 0, 40000)]).is_err());
}

#[test]
fn negation_and_accumulators_are_found_and_counters_are_not() {
    let m = Module::new("parts");
    let x = m.input("x", signed(8));
    let go = m.input("go", bit());
    m.output("negative", -x);
    let sum = m.reg("sum", signed(12)).enable(go);
    sum.set(sum + x.extend(12));
    m.output("sum_out", sum);
    m.output("count", m.counter("at", 9, go));
    let found = interval::check(&m.build().unwrap(), &[]).unwrap();
    let names: Vec<&str> = found.overflows.iter().map(|o| o.signal.as_str()).collect();
    assert_eq!(names, ["negative", "sum + x"]);
    // What a comparison holds back is not followed: the counter may be any of its four bits.
    assert_eq!(found.of("at"), Some((0, 15)));
    let m = Module::new("walk");
    m.output("y", m.rom("words", signed(9), &[3, -7, 200, 5], m.input("at", unsigned(2))));
    assert_eq!(interval::check(&m.build().unwrap(), &[]).unwrap().of("y"), Some((-7, 200)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No simulated value is ever outside of its interval.
    #[test]
    fn every_value_lies_in_its_interval(recipe in random::recipe(), seed in any::<u64>()) {
        let built = random::build(&recipe);
        let found = interval::check(&built.block, &[]).unwrap();
        let mut sim = Simulator::new(&built.block);
        let mut state = seed | 1;
        for _ in 0..40 {
            for port in built.block.inputs() {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let value = match state % 5 {
                    0 => port.ty.min(),
                    1 => port.ty.max(),
                    _ => port.ty.wrap(state as i64),
                };
                sim.set(&port.name, value).unwrap();
            }
            for (path, low, high) in &found.signals {
                let ty = sim.signal(path).unwrap().ty();
                let value = sim.get(path).unwrap();
                let value = if ty.signed { i128::from(value) } else { i128::from(value as u64) };
                prop_assert!(
                    (*low..=*high).contains(&value),
                    "{path} = {value} not in {low}..={high}"
                );
            }
            sim.step();
        }
    }
}
