//! Every mistake is found when the module is built, named and answered with a fix.

use hdl::{Module, bit, signed, unsigned};

fn errors(f: impl Fn(&Module)) -> String {
    let m = Module::new("part");
    f(&m);
    match m.build() {
        Ok(_) => panic!("the mistake was not found"),
        Err(errors) => errors.to_string(),
    }
}

fn says(text: &str, parts: &[&str]) {
    for part in parts.iter().chain(&["module `part`", "fix: "]) {
        assert!(text.contains(part), "{text}\n\nlacks: {part}");
    }
}

#[test]
fn types_must_agree() {
    let text = errors(|m| {
        let a = m.input("a", signed(8));
        let b = m.input("b", unsigned(9));
        m.output("y", a + b);
    });
    says(&text, &["`a` is signed(8) and `b` is unsigned(9)", ".as_signed()"]);
    assert_eq!(text.matches("module `part`").count(), 1, "one mistake, one error:\n{text}");
    let text = errors(|m| {
        let a = m.input("a", signed(8));
        m.reg("r", signed(9)).set(a);
        m.output("y", m.lit(300, signed(8)));
    });
    says(
        &text,
        &["register `r` is signed(9)", ".extend(9)", "300 does not fit signed(8)", "-128 to 127"],
    );
}

#[test]
fn widths_have_a_limit() {
    says(
        &errors(|m| {
            let a = m.input("a", signed(40));
            m.output("y", a * a);
        }),
        &["80 bits wide", "within 64 bits"],
    );
    says(&errors(|m| m.output("y", m.input("a", unsigned(65)))), &["`a` is 65 bits wide"]);
    says(&errors(|m| m.output("y", m.input("a", unsigned(0)))), &["`a` is 0 bits wide"]);
    says(
        &errors(|m| m.output("y", m.input("a", unsigned(4)).slice(4, 1))),
        &["`a` is unsigned(4)", "no bits 4 down to 1"],
    );
}

#[test]
fn drivers_must_be_exactly_one() {
    let text = errors(|m| {
        let a = m.input("a", bit());
        let r = m.reg("r", bit());
        r.set(a);
        r.set(!a);
        let w = m.wire("w", bit());
        w.drive(a);
        w.drive(!a);
        m.reg("never", bit());
        m.wire("open_end", bit());
        m.output("y", r.q() & w.q());
    });
    says(
        &text,
        &[
            "register `r` has two drivers",
            "wire `w` has two drivers",
            "`never` is never set",
            "`open_end` is never driven",
        ],
    );
    let text = errors(|m| {
        let a = m.input("a", bit());
        let r = m.reg("r", bit());
        m.process("one", || r.set(a));
        m.process("two", || r.set(!a));
        m.output("y", r);
    });
    says(&text, &["register `r` has two drivers"]);
}

#[test]
fn combinational_loops_are_found_through_instances() {
    let text = errors(|m| {
        let a = m.input("a", bit());
        let round = m.wire("round", bit());
        let inside = Module::new("gate");
        let p = inside.input("p", bit());
        inside.output("q", !p);
        let gate = inside.build().unwrap();
        let u = m.instance("u_gate", &gate).connect("p", round);
        round.drive((u.out("q") & a).named("joined"));
        m.output("y", round);
    });
    says(&text, &["combinational loop", "`round`", "`joined`", "`u_gate.q`", "with a register"]);
}

#[test]
fn names_must_suit_both_languages() {
    let text = errors(|m| {
        let a = m.input("Signal", bit());
        let b = m.input("always", bit()) & m.input("x__y", bit());
        let c = a.named("one") & b.named("One");
        m.output("y", c);
    });
    says(
        &text,
        &[
            "`Signal` is a reserved word",
            "`always` is a reserved",
            "`x__y` is not a name",
            "`one` and `One` are the same",
        ],
    );
    says(
        &errors(|m| {
            let clk = m.input("CLK", bit());
            m.output("y", clk.reg("r"));
        }),
        &["`CLK` has the name of the clock port"],
    );
}

#[test]
fn ports_must_be_used_and_connected() {
    says(
        &errors(|m| {
            m.input("idle", bit());
            m.output("y", m.input("a", bit()));
        }),
        &["input `idle` is not used", ".unused()"],
    );
    let text = errors(|m| {
        let scale = crate::fpgatop::fpgatop().unwrap();
        let a = m.input("a", signed(15));
        let u = m.instance("u_top", &scale).connect("SRC_DATA", a).connect("SW9", a);
        m.output("y", u.out("RESULT"));
    });
    says(
        &text,
        &[
            "`u_top` of `fpgatop` needs a reset",
            "input `SRC_DATA` of `fpgatop` is signed(16) but `a` is signed(15)",
            "no input `SW9`",
            "no output `RESULT`",
            "nothing drives its `START_PROC`, `SW0`",
        ],
    );
}

#[test]
fn memories_and_states_are_checked() {
    let text = errors(|m| {
        let at = m.input("at", unsigned(3));
        let ram = m.ram("store", 12, unsigned(4));
        let s = m.states("state", &["GO", "STOP"]);
        m.process("run", || s.case("HALT", || {}));
        m.when(at.eq(0), || {});
        m.output("y", m.rom("words", unsigned(4), &[1, 2, 16], at) + ram.read_async(at));
    });
    says(
        &text,
        &[
            "RAM `store` has 12 words",
            "`state` has no state `HALT`",
            "its states are GO, STOP",
            "outside a process",
            "word 2 of ROM `words` is 16",
            "`words` has 3 words but its address `at` is unsigned(3)",
            "RAM `store` is never written",
        ],
    );
}

#[test]
fn every_mistake_names_the_line_that_made_it() {
    let m = Module::new("part");
    let a = m.input("a", signed(8));
    let first = line!() + 1;
    m.reg("never", bit());
    m.output("y", a.max(m.lit(3, signed(9))));
    let b = m.input("b", signed(8));
    m.output("z", (a << 9) + b.slice(9, 1));
    let text = m.build().unwrap_err().to_string();
    for line in [first, first + 1, first + 3] {
        assert!(text.contains(&format!("errors.rs:{line})")), "line {line}: {text}");
    }
}
