//! The communication block, the run report, constraints and waveforms.

use hdl::board::{Fpga, Rimlab00, WORDS, constraints, rimlab00};
use hdl::tools::{self, have};
use hdl::{Module, Simulator, Trace, bit, signed};
use proptest::prelude::*;

use crate::designs;

#[test]
fn fpgatop_halves_and_negates_in_3073_cycles() {
    let mut fpga = Fpga::new(&crate::fpgatop::fpgatop().unwrap()).unwrap();
    let mut x: Vec<f64> =
        (0..WORDS).map(|n| 30000.0 * (0.02 * std::f64::consts::PI * n as f64).sin()).collect();
    x[3] = -32768.0;
    x[4] = -7.9;
    let run = fpga.run(&x).unwrap();
    let words: Vec<i16> = x.iter().map(|v| v.trunc() as i16).collect();
    assert_eq!(run.y, words.iter().map(|w| w >> 1).collect::<Vec<_>>());
    assert_eq!((run.cycles, run.words, run.dropped, run.finished), (3073, 1024, 0, true));
    assert!(
        (run.ms - 3073.0 / 50e3).abs() < 1e-12 && format!("{:.3}", run.cycles_per_word) == "3.001"
    );
    fpga.set("SW0", 1).unwrap();
    let run = fpga.run(&x).unwrap();
    assert_eq!(run.y, words.iter().map(|w| w.wrapping_neg()).collect::<Vec<_>>());
    assert_eq!((run.y[3], run.cycles), (-32768, 3073));
    assert!(run.to_string().contains("3073"));
}

#[test]
fn short_input_is_padded_and_bad_input_refused() {
    let mut fpga = Fpga::new(&crate::fpgatop::fpgatop().unwrap()).unwrap();
    let run = fpga.run(&[-1.9, 4.9]).unwrap();
    assert_eq!((run.y[0], run.y[1], &run.y[2..]), (-1, 2, &[0; 1022][..]));
    for (x, says) in
        [(vec![40000.0], "x[0]"), (vec![0.0; 1025], "1025"), (vec![0.0, f64::NAN], "x[1]")]
    {
        let error = fpga.run(&x).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    assert!(fpga.set("SRC_DATA", 1).is_err() && fpga.set("SW7", 1).is_err());
    let mut short = Fpga::new(&crate::fpgatop::fpgatop().unwrap()).unwrap().limit(100);
    let run = short.run(&[1.0]).unwrap();
    assert!(!run.finished && run.words == 33);
    let error = Fpga::new(&designs::mixer().unwrap()).err().unwrap().to_string();
    assert!(error.contains("`START_PROC`") && error.contains("`RESULT_WR`"), "{error}");
}

#[test]
fn state_persists_until_the_power_is_cycled() {
    let m = Module::new("total");
    let start = m.input("START_PROC", bit());
    let x = m.input("SRC_DATA", signed(16));
    let working = m.reg("working", bit());
    working.set(start);
    let sum = m.reg("sum", signed(16)).enable(working);
    sum.set(sum + x);
    m.output("SRC_RD", working);
    m.output("RESULT_DATA", sum + x);
    m.output("RESULT_WR", working);
    m.output("PROC_WORKING", working);
    let mut fpga = Fpga::new(&m.build().unwrap()).unwrap();
    assert_eq!(fpga.run(&[5.0]).unwrap().y[0], 5);
    assert_eq!(fpga.run(&[5.0]).unwrap().y[0], 10);
    fpga.power_cycle();
    assert_eq!(fpga.run(&[5.0]).unwrap().y[0], 5);
}

#[test]
fn the_communication_block_keeps_its_contract() {
    let source: Vec<i16> = (0..1024).collect();
    let mut link = Rimlab00::new(&source);
    assert_eq!(link.dout_data(), 0, "the first word falls through");
    link.edge(false, false, 0, true);
    assert_eq!(link.dout_data(), 0, "who asks late reads word 0 twice");
    link.edge(true, false, 0, true);
    assert_eq!(link.dout_data(), 1);
    link.edge(false, true, 7, false);
    assert_eq!(link.writes(), (0, 1), "not working");
    (0..1025).for_each(|i| link.edge(false, true, i, true));
    assert_eq!((link.writes(), link.result()), ((1024, 2), &source[..]), "the 1025th is dropped");
    let mut late = Rimlab00::new(&source).accept_late_writes(true);
    late.edge(false, true, 7, false);
    assert_eq!(late.writes(), (1, 0));
}

#[test]
fn constraints_name_ports_and_nothing_else() {
    let top = crate::fpgatop::fpgatop().unwrap();
    let text = constraints(&top, &[]).unwrap();
    for line in
        ["NET \"CLK\" LOC = \"E12\";", "NET \"RST\" LOC = \"R13\";", "NET \"SW0\" LOC = \"V8\";"]
    {
        assert_eq!(text.matches(line).count(), 1, "{text}");
    }
    assert_eq!(text.matches("NET").count(), 3);
    let m = Module::new("more");
    m.output("LAMP", !m.input("SW0", bit()));
    let more = m.build().unwrap();
    assert!(constraints(&more, &[]).unwrap_err().to_string().contains("port `LAMP` has no pin"));
    assert!(constraints(&more, &[("LAMP", "A1")]).unwrap().contains("\"LAMP\" LOC = \"A1\""));
    let error = constraints(&top, &[("LED9", "A1")]).unwrap_err().to_string();
    assert!(error.contains("`LED9` is no port"), "{error}");
}

#[test]
fn waveforms_hold_what_was_recorded() {
    let mut fpga = Fpga::new(&crate::fpgatop::fpgatop().unwrap()).unwrap().limit(20);
    let mut trace =
        Trace::new(fpga.simulator(), &["START_PROC", "SRC_DATA", "RESULT_DATA", "RESULT_WR"])
            .unwrap();
    fpga.run_watched(&[-100.0, 6.0], |sim| trace.record(sim)).unwrap();
    assert_eq!(trace.values("RESULT_WR").unwrap()[..8], [0, 0, 0, 1, 0, 0, 1, 0]);
    let vcd = trace.vcd("fpgatop");
    assert!(
        vcd.contains("$var wire 16 # SRC_DATA $end") && vcd.contains("b1111111110011100 #"),
        "{vcd}"
    );
    assert!(
        vcd.contains("#0\n1!") && vcd.contains("#10\n0!") && vcd.contains("$enddefinitions $end")
    );
    let svg = trace.svg(0, 8);
    for word in ["clk", "SRC_DATA", "RESULT_WR", ">-50<", "</svg>"] {
        assert!(svg.contains(word), "{word}: {svg}");
    }
    assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    assert!(Trace::new(fpga.simulator(), &["nothing"]).is_err());
}

#[test]
fn the_waveform_file_is_read_by_another_program() {
    let mut fpga = Fpga::new(&crate::fpgatop::fpgatop().unwrap()).unwrap().limit(20);
    let mut trace = Trace::all(fpga.simulator()).unwrap();
    fpga.run_watched(&[-100.0, 6.0], |sim| trace.record(sim)).unwrap();
    let text = trace.vcd("fpgatop");
    let mut parser = vcd::Parser::new(text.as_bytes());
    let header = parser.parse_header().unwrap();
    let code = |name: &str| header.find_var(&["fpgatop", name]).unwrap().code;
    let (data, write) = (code("RESULT_DATA"), code("RESULT_WR"));
    let (mut now, mut written, mut words) = (0, Vec::new(), Vec::new());
    for command in parser {
        match command.unwrap() {
            vcd::Command::Timestamp(t) => now = t,
            vcd::Command::ChangeScalar(id, value) if id == write && value == vcd::Value::V1 => {
                written.push(now / 20);
            }
            vcd::Command::ChangeVector(id, bits) if id == data => words.push(bits.to_string()),
            _ => {}
        }
    }
    assert_eq!(written, [3, 6, 9, 12, 15, 18]);
    assert_eq!(
        words,
        ["0000000000000000", "1111111111001110", "0000000000000011", "0000000000000000"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// The communication block as hardware does what the model says, whatever the design does with
    /// it.
    #[test]
    fn the_communication_block_is_its_model(
        words in prop::collection::vec(any::<i16>(), 1..40),
        moves in prop::collection::vec(
            (any::<bool>(), any::<bool>(), any::<i16>(), prop::bool::weighted(0.8)),
            1..120,
        ),
    ) {
        let mut sim = Simulator::new(&rimlab00().unwrap());
        for (at, word) in words.iter().enumerate() {
            sim.set("HOST_WR", 1).unwrap();
            sim.set("HOST_AT", at as i64).unwrap();
            sim.set("HOST_DATA", (*word).into()).unwrap();
            sim.step();
        }
        sim.set("HOST_WR", 0).unwrap();
        sim.set("HOST_GO", 1).unwrap();
        sim.step();
        sim.set("HOST_GO", 0).unwrap();
        prop_assert_eq!(sim.get("START_PROC").unwrap(), 1);
        sim.step();
        let mut model = Rimlab00::new(&words);
        for (read, write, result, working) in moves {
            prop_assert_eq!(sim.get("DOUT_DATA").unwrap(), i64::from(model.dout_data()));
            for (port, value) in [
                ("RD_DATA", i64::from(read)),
                ("WR_RESULT", i64::from(write)),
                ("DIN_RESULT", result.into()),
                ("PROC_WORKING", i64::from(working)),
            ] {
                sim.set(port, value).unwrap();
            }
            model.edge(read, write, result, working);
            sim.step();
        }
        sim.set("WR_RESULT", 0).unwrap();
        for at in 0..model.writes().0 {
            sim.set("HOST_AT", at as i64).unwrap();
            sim.step();
            prop_assert_eq!(sim.get("HOST_Q").unwrap(), i64::from(model.result()[at]));
        }
    }
}

#[test]
fn the_communication_block_agrees_in_all_simulators() {
    let top = rimlab00().unwrap();
    let missing = tools::agree(&top, &tools::random_cycles(&top, 300, 9)).unwrap();
    missing.into_iter().for_each(|tool| _ = have(tool));
}
