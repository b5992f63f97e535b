//! Designs as JSON: what is written is read again, and no text whatever makes a simulator or writer
//! fail.

use hdl::{Block, Module, Simulator, bit, signed, unsigned};

fn example() -> Block {
    let inner = {
        let m = Module::new("scale");
        let x = m.input("x", signed(8));
        m.output("y", (x * m.lit(-3, signed(4))).reg("product"));
        m.build().unwrap()
    };
    let m = Module::new("top");
    m.async_reset("rst");
    let x = m.input("x", signed(8));
    let state = m.states("state", &["LOW", "HIGH"]);
    let count = m.reg("count", unsigned(3));
    m.process("walk", || {
        state.case("LOW", || m.when(x.gt(5), || state.go("HIGH")));
        state.case("HIGH", || {
            count.set(count + 1);
            m.when_else(x.msb(), || state.go("LOW"), || count.set(0));
        });
    });
    let ram = m.ram("store", 8, signed(8));
    ram.write(state.is("HIGH"), count, x);
    let a = m.instance("u_a", &inner).connect("x", x);
    let b = m.instance("u_b", &inner).connect("x", ram.read_async(count));
    m.output("y", a.out("y") + b.out("y"));
    m.output("word", m.rom("words", unsigned(5), &(0..8).collect::<Vec<_>>(), count));
    m.build().unwrap()
}

#[test]
fn what_is_read_is_what_was_written() {
    let block = example();
    let text = serde_json::to_string(&block).unwrap();
    let again: Block = serde_json::from_str(&text).unwrap();
    assert_eq!(again, block);
    assert_eq!(text.matches("\"name\":\"scale\"").count(), 1, "each module once");
    let (mut a, mut b) = (Simulator::new(&block), Simulator::new(&again));
    for n in 0..200i64 {
        for sim in [&mut a, &mut b] {
            sim.set("x", (n * 37) % 256 - 128).unwrap();
            sim.step();
        }
        assert_eq!(a.get("y").unwrap(), b.get("y").unwrap());
    }
}

/// Numbers at random places are changed: whatever is still taken must run.
#[test]
fn no_text_makes_the_simulator_fail() {
    let text = serde_json::to_string(&example()).unwrap();
    let places: Vec<usize> =
        text.bytes().enumerate().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
    let (mut taken, mut refused) = (0, 0);
    for (k, &at) in places.iter().enumerate() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = b'0' + ((bytes[at] - b'0') + 1 + (k % 9) as u8) % 10;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        match serde_json::from_str::<Block>(&text) {
            Err(_) => refused += 1,
            Ok(block) => {
                taken += 1;
                let mut sim = Simulator::new(&block);
                sim.run(20);
                _ = hdl::write::vhdl::design(&block) + &hdl::write::verilog::design(&block);
                _ = hdl::estimate::Estimate::new(
                    &block,
                    &hdl::estimate::Device::XC3S700A,
                    hdl::estimate::Multipliers::Blocks,
                );
            }
        }
    }
    assert!(refused > 100 && taken > 5, "{taken} taken, {refused} refused");
}

#[test]
fn a_tower_of_instances_is_refused() {
    let mut block = {
        let m = Module::new("m0");
        m.output("y", !m.input("x", bit()));
        m.build().unwrap()
    };
    for level in 1..3 {
        let m = Module::new(&format!("m{level}"));
        let x = m.input("x", bit());
        let a = m.instance("a", &block).connect("x", x);
        m.output("y", m.instance("b", &block).connect("x", a.out("y")).out("y"));
        block = m.build().unwrap();
    }
    // Each further module holds two of the one before.
    let mut design = serde_json::to_value(&block).unwrap();
    let modules = design["modules"].as_array_mut().unwrap();
    for level in 3..40 {
        if level == 8 {
            let small = serde_json::json!({ "modules": modules });
            assert!(serde_json::from_value::<Block>(small).is_ok(), "a small tower is taken");
        }
        let mut next = modules[level - 1].clone();
        next["net"]["name"] = format!("m{level}").into();
        next["inside"] = serde_json::json!([level - 1, level - 1]);
        modules.push(next);
    }
    let error = serde_json::from_value::<Block>(design).unwrap_err().to_string();
    assert!(error.contains("at most 400000"), "{error}");
}
