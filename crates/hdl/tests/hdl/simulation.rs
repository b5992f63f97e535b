//! The simulator against arithmetic done by hand.

use hdl::{Block, Module, Simulator, bit, signed, unsigned};

use crate::designs;

/// Full convolution by plain loops.
fn convolve(x: &[i64], h: &[i64]) -> Vec<i64> {
    (0..x.len()).map(|n| (0..h.len().min(n + 1)).map(|k| h[k] * x[n - k]).sum()).collect()
}

fn noise(n: usize) -> Vec<i64> {
    let mut state = 0x1234_5678_9abc_def1u64;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            i64::from(state as i16)
        })
        .collect()
}

fn samples_in_results_out(block: &Block, x: &[i64], latency: usize) -> Vec<i64> {
    let mut sim = Simulator::new(block);
    let mut y = Vec::new();
    for n in 0..x.len() + latency {
        sim.set("x", x.get(n).copied().unwrap_or(0)).unwrap();
        if n >= latency {
            y.push(sim.get("y").unwrap());
        }
        sim.step();
    }
    y
}

#[test]
fn transposed_fir_is_a_convolution() {
    let x = noise(300);
    let block = designs::fir_transposed(&designs::LAB5).unwrap();
    assert_eq!(samples_in_results_out(&block, &x, 1), convolve(&x, &designs::LAB5));
}

#[test]
fn systolic_fir_is_a_convolution() {
    let x = noise(300);
    let block = designs::fir_systolic(&designs::LAB5).unwrap();
    // Tap k sees its sample 2k + 1 clocks late and has 8 - k sums before it, so all meet after 8 +
    // 2 clocks.
    assert_eq!(samples_in_results_out(&block, &x, 10), convolve(&x, &designs::LAB5));
}

#[test]
fn serial_distributed_arithmetic_is_a_convolution() {
    let mut x = noise(60);
    x[5] = -32768;
    x[6] = -32768;
    let h = [16383, -14335, 12287, -32768, 8191, 6143];
    let block = designs::fir_da_serial(&h).unwrap();
    let mut sim = Simulator::new(&block);
    let (mut y, mut n, mut ready_at) = (Vec::new(), 0, Vec::new());
    sim.set("nd", 1).unwrap();
    while y.len() < x.len() {
        sim.set("din", x.get(n).copied().unwrap_or(0)).unwrap();
        n += sim.get("rfd").unwrap() as usize;
        if sim.get("rdy").unwrap() == 1 {
            y.push(sim.get("dout").unwrap());
            ready_at.push(sim.cycles());
        }
        sim.step();
        assert!(sim.cycles() < 2000, "no results");
    }
    assert_eq!(y, convolve(&x, &h));
    assert!(ready_at.windows(2).all(|w| w[1] - w[0] == 16));
}

#[test]
fn registers_obey_enable_clear_and_reset() {
    let m = Module::new("controls");
    m.async_reset("rst");
    let x = m.input("x", unsigned(4));
    let en = m.input("en", bit());
    let clr = m.input("clr", bit());
    let r = m.reg("r", unsigned(4)).init(9).enable(en).clear(clr);
    r.set(x);
    let free = m.reg("free", unsigned(4)).no_reset();
    free.set(x);
    m.output("y", r);
    m.output("z", free);
    let mut sim = Simulator::new(&m.build().unwrap());
    assert_eq!(sim.get("y"), Ok(9));
    let mut after = |x, en, clr, rst| {
        for (name, value) in [("x", x), ("en", en), ("clr", clr), ("rst", rst)] {
            sim.set(name, value).unwrap();
        }
        let before = sim.get("y").unwrap();
        sim.step();
        (before, sim.get("y").unwrap(), sim.get("z").unwrap())
    };
    assert_eq!(after(3, 0, 0, 0), (9, 9, 3));
    assert_eq!(after(3, 1, 0, 0), (9, 3, 3));
    assert_eq!(after(4, 1, 1, 0), (3, 9, 4), "clear wins over enable");
    assert_eq!(after(5, 1, 0, 0), (9, 5, 5));
    assert_eq!(after(6, 1, 0, 1), (9, 9, 6), "reset acts at once and spares `free`");
}

#[test]
fn a_value_named_and_stored_keeps_its_value_in_reset() {
    let m = Module::new("named_sum");
    m.async_reset("rst");
    let x = m.input("x", unsigned(4));
    let sum = (x + 1).named("sum");
    let r = sum.reg("r");
    m.output("y", r + sum);
    let mut sim = Simulator::new(&m.build().unwrap());
    sim.set("x", 3).unwrap();
    sim.set("rst", 1).unwrap();
    assert_eq!((sim.get("sum"), sim.get("y")), (Ok(4), Ok(4)));
    sim.step();
    assert_eq!((sim.get("sum"), sim.get("r"), sim.get("y")), (Ok(4), Ok(0), Ok(4)));
}

#[test]
fn ram_reads_the_old_word_where_it_is_written() {
    let m = Module::new("memory");
    let we = m.input("we", bit());
    let at = m.input("at", unsigned(3));
    let x = m.input("x", signed(8));
    let ram = m.ram("words", 8, signed(8));
    ram.write(we, at, x);
    m.output("now", ram.read_async(at));
    m.output("late", ram.read_sync("q", at));
    let mut sim = Simulator::new(&m.build().unwrap());
    sim.set("we", 1).unwrap();
    sim.set("at", 5).unwrap();
    sim.set("x", -7).unwrap();
    sim.step();
    assert_eq!((sim.get("now"), sim.get("late")), (Ok(-7), Ok(0)));
    sim.set("x", 9).unwrap();
    sim.step();
    assert_eq!((sim.get("now"), sim.get("late")), (Ok(9), Ok(-7)));
    sim.power_cycle();
    assert_eq!((sim.get("now"), sim.get("late")), (Ok(0), Ok(0)));
}

#[test]
fn signals_inside_instances_are_found_by_path() {
    let mut sim = Simulator::new(&designs::mixer().unwrap());
    sim.set("run", 1).unwrap();
    sim.set("x", -5).unwrap();
    sim.run(40);
    assert_eq!(sim.get("late"), Ok(-5));
    assert_eq!(sim.get("u_a.x"), Ok(-5));
    assert!(sim.names().iter().any(|n| n == "u_b.product"));
    let error = sim.get("u_c.x").unwrap_err().to_string();
    assert!(error.contains("u_b.product"), "{error}");
    let error = sim.set("x", 200).unwrap_err().to_string();
    assert!(error.contains("-128 to 127"), "{error}");
}

#[test]
fn counters_wrap_where_they_should() {
    let m = Module::new("counters");
    let go = m.input("go", bit());
    m.output("a", m.counter("ten", 9, go));
    m.output("b", m.counter("eight", 7, go));
    let mut sim = Simulator::new(&m.build().unwrap());
    sim.set("go", 1).unwrap();
    for n in 0..50 {
        assert_eq!((sim.get("a"), sim.get("b")), (Ok(n % 10), Ok(n % 8)));
        sim.step();
    }
}

/// A simulator that is asked for every signal computes all of them in each cycle; one that is asked
/// for the outputs makes a plan for these. Both must see the same, before, at and after the change,
/// and the second must know the other signals when it is asked for them late.
#[test]
fn a_plan_for_the_outputs_computes_what_everything_computes() {
    for block in [
        designs::fir_transposed(&designs::LAB5).unwrap(),
        designs::fir_systolic(&[-32768, 32767, 1, -1, 0, 5]).unwrap(),
        designs::fir_da_serial(&designs::LAB5).unwrap(),
        designs::mixer().unwrap(),
        look_ups(),
        lines(),
    ] {
        let (mut all, mut few) = (Simulator::new(&block), Simulator::new(&block));
        let names = all.names().to_vec();
        let stimulus = noise(5000);
        for (n, &sample) in stimulus.iter().enumerate() {
            for (i, port) in block.inputs().iter().enumerate() {
                // Data change in each clock, bits now and then.
                let value = if port.ty.is_bit() { sample >> (8 + i) & 1 } else { sample << i };
                for sim in [&mut all, &mut few] {
                    sim.set(&port.name, port.ty.wrap(value)).unwrap();
                }
            }
            if let Some(reset) = block.reset().filter(|_| n % 997 < 2) {
                all.set(reset, 1 - n as i64 % 997).unwrap();
                few.set(reset, 1 - n as i64 % 997).unwrap();
            }
            let seen: Vec<i64> = names.iter().map(|name| all.get(name).unwrap()).collect();
            for port in block.outputs() {
                let value = few.get(&port.name).unwrap();
                assert_eq!(value, all.get(&port.name).unwrap(), "{} {n}", port.name);
            }
            if n % 1000 == 999 {
                let late: Vec<i64> = names.iter().map(|name| few.get(name).unwrap()).collect();
                assert_eq!(late, seen, "{} {n}", block.name());
            }
            all.step();
            few.step();
        }
    }
}

/// Memories, a state, tables of narrow signals, choices among wide ones, shifts by signals.
fn look_ups() -> Block {
    let m = Module::new("look_ups");
    let x = m.input("x", signed(24));
    let go = m.input("go", bit());
    let count = m.reg("count", unsigned(5));
    count.set(go.mux(count.q() + 1, count.q() ^ 9));
    let low = count.q().slice(2, 0);
    let parity = low.bit(0) ^ low.bit(1) ^ low.bit(2);
    let sine = m.rom("sines", signed(12), &[0, 707, 1000, 707, 0, -707, -1000, -707], low);
    let turned = (sine * x).named("turned");
    let ram = m.ram("kept", 32, signed(24));
    ram.write(go & parity, count.q(), x);
    let kept = ram.read_async(count.q() ^ 3);
    let wide = low.eq(3).mux(
        turned,
        low.eq(5).mux(
            kept.extend(36),
            (parity & low.lt(6)).mux(x.extend(36) - turned, (x.extend(36) << 4).shr_by(low)),
        ),
    );
    let (upper, lower) = (count.q().bit(4), count.q().bit(3));
    let bank = upper.mux(lower.mux(x, kept), lower.mux(kept << 1, x >> 1));
    let total = m.reg("total", signed(36));
    total.set(go.mux(total.q() + wide + bank.extend(36), -total.q()));
    m.output("low_half", total.q().slice(17, 0));
    m.output("sum", total.q());
    m.output("step", wide);
    m.build().unwrap()
}

/// The same by arithmetic: what goes into a line comes out later, before and behind the plan.
#[test]
fn delay_lines_delay_and_rings_turn() {
    let mut sim = Simulator::new(&lines());
    let x = noise(2000);
    let ago = |n: usize, clocks: usize| n.checked_sub(clocks).map_or(0, |n| x[n]);
    for (n, &sample) in x.iter().enumerate() {
        sim.set("x", sample).unwrap();
        let sum = ago(n, 9) + ago(n, 10);
        for (name, value) in [
            ("late_1", ago(n, 1)),
            ("late_6", ago(n, 6)),
            ("branch_4", ago(n, 7)),
            ("sums_3", i64::from(sum as i16)),
            ("ring0", (n % 4) as i64 + 1),
            ("same", -77),
            ("fixed_late_3", if n < 4 { 3 * i64::from(n == 3) } else { -100 }),
        ] {
            assert_eq!(sim.get(name), Ok(value), "{name} {n}");
        }
        let shifted = (sample * i64::from(sum as i16)) >> (n % 4 + 1);
        sim.step();
        assert_eq!(sim.get("narrow"), Ok(i64::from(shifted as i16)), "{n}");
        assert_eq!(sim.get("lost"), Ok(i64::from(shifted != i64::from(shifted as i16))), "{n}");
    }
}

/// Delay lines that branch, registers in a ring, some that never change, a long memory, a value
/// that is shifted, narrowed and compared.
fn lines() -> Block {
    let m = Module::new("lines");
    m.async_reset("rst");
    let x = m.input("x", signed(16));
    let go = m.input("go", bit());
    let late = m.shift_register("late_", x, 6);
    let branch = m.shift_register("branch_", late[2], 4);
    let sums = m.shift_register("sums_", late[5] + branch[3], 3);
    let ring: Vec<_> =
        (0..4).map(|i| m.reg(&format!("ring{i}"), unsigned(3)).init(i + 1)).collect();
    (0..4).for_each(|i| ring[i].set(ring[(i + 1) % 4].q()));
    let same = m.reg("same", signed(9)).init(-77);
    same.set(same.q());
    let fixed = m.reg("fixed", signed(9)).init(3);
    fixed.set(m.lit(-100, signed(9)));
    let fixed_late = m.shift_register("fixed_late_", fixed.q(), 3);
    let long = m.ram("long", 1 << 14, signed(16));
    let at = m.reg("at", unsigned(14));
    at.set(at.q() + 8191);
    long.write(go, at.q(), sums[2]);
    let before = long.read_sync("before", at.q() - 8191 * 2);
    let shifted = (x * sums[2]).named("shifted").shr_by(ring[0].q());
    let narrow = shifted.truncate(16);
    let lost = shifted.ne(narrow.extend(32));
    m.output("held", (same.q().extend(11) + fixed_late[2].extend(11)).reg("held_q"));
    m.output("word", before);
    m.output("narrow", narrow.reg("narrow_q"));
    m.output("lost", lost.reg("lost_q"));
    m.output("ringing", ring[1].q() + ring[3].q());
    m.build().unwrap()
}
