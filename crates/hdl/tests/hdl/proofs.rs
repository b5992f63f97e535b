//! Proofs by Yosys that a design built of small parts is the operator that it stands for, whatever
//! comes in. A proof that cannot fail is none: each is asked about a wrong design as well.

use hdl::tools::{have, same_function};
use hdl::{Block, Module, Sig, bit, signed, unsigned};

/// A sum of full adders, a bit each. `wrong` leaves out the carry into the top bit.
fn ripple(wrong: bool) -> Block {
    let m = Module::new("ripple");
    let (a, b) = (m.input("a", unsigned(16)), m.input("b", unsigned(16)));
    let mut carry = m.lit(0, bit());
    let mut sum: Vec<Sig> = Vec::new();
    for i in 0..16 {
        let (x, y) = (a.bit(i), b.bit(i));
        let half = x ^ y;
        sum.push(if wrong && i == 15 { half } else { half ^ carry });
        carry = (x & y) | (half & carry);
    }
    sum.reverse();
    m.output("y", m.concat(&sum).reg("sum"));
    m.build().unwrap()
}

fn adder() -> Block {
    let m = Module::new("adder");
    let y = m.input("a", unsigned(16)) + m.input("b", unsigned(16));
    m.output("y", y.reg("sum"));
    m.build().unwrap()
}

/// A signed product as a sum of shifted rows, the row of the sign bit subtracted; the rows in a
/// register before they are added.
fn shift_and_add(wrong: bool) -> Block {
    let m = Module::new("shift_and_add");
    let (a, b) = (m.input("a", signed(5)), m.input("b", signed(5)));
    let zero = m.lit(0, signed(10));
    let mut sum = zero;
    for i in 0..5 {
        let row = b.bit(i).mux(a.extend(10) << i, zero).reg(&format!("row{i}"));
        sum = if i == 4 && !wrong { sum - row } else { sum + row };
    }
    m.output("y", sum.reg("sum"));
    m.build().unwrap()
}

fn multiplier() -> Block {
    let m = Module::new("multiplier");
    let product = m.input("a", signed(5)) * m.input("b", signed(5));
    m.output("y", product.reg("product").reg("late"));
    m.build().unwrap()
}

/// Eight words added up: in pairs as a tree, or one after the other.
fn total(tree: bool) -> Block {
    let m = Module::new("total");
    let words: Vec<Sig> = (0..8).map(|i| m.input(&format!("x{i}"), signed(8))).collect();
    let mut sums: Vec<Sig> = words.iter().map(|x| x.extend(11)).collect();
    while sums.len() > 1 {
        let step = if tree { sums.len() } else { 2 };
        let (now, rest) = sums.split_at(step);
        sums = now.chunks(2).map(|two| two[0] + two[1]).chain(rest.iter().copied()).collect();
    }
    m.output("y", sums[0].reg("sum"));
    m.build().unwrap()
}

#[test]
fn structures_are_proven_to_be_the_operators() {
    if !have("yosys") {
        return;
    }
    for (structure, behaviour) in [
        (ripple(false), adder()),
        (shift_and_add(false), multiplier()),
        (total(true), total(false)),
    ] {
        same_function(&structure, &behaviour, 8).unwrap_or_else(|e| panic!("{e}"));
    }
    for (wrong, behaviour) in [(ripple(true), adder()), (shift_and_add(true), multiplier())] {
        let refused = same_function(&wrong, &behaviour, 8).unwrap_err().to_string();
        assert!(refused.contains("proof did fail"), "{}: {refused}", wrong.name());
    }
}
