//! Proofs by Yosys: that two texts, or two designs, are the same for every input at every clock.

use super::{Call, ask, put, read, scratch};
use crate::error::UseError;
use crate::ir::Block;
use crate::write::{verilog, vhdl};

/// Has Yosys prove that the VHDL, synthesised by GHDL, and the Verilog of the design are the same.
/// Made for designs without multipliers; products take it too long.
///
/// # Errors
/// A tool is missing, or the proof fails.
pub fn equivalent(top: &Block) -> Result<(), UseError> {
    let folder = scratch()?;
    let f = folder.path();
    put(f, "design.vhd", &vhdl::design(top))?;
    put(f, "gate.v", &verilog::design(top))?;
    let calls: [Call<'_>; 2] = [
        ("ghdl", &["-a", "--std=08", "design.vhd"]),
        ("ghdl", &["--synth", "--std=08", "--out=verilog", top.name()]),
    ];
    let text = ask(f, &calls, Ok)?.text;
    // GHDL 2.0 writes the arithmetic shift of a signed number with the sign of the logical one.
    let arithmetic = |line: &str| match line.contains("$signed(") {
        true => line.replace(" >> ", " >>> "),
        false => line.to_string(),
    };
    let text: String = text.lines().map(|line| arithmetic(line) + "\n").collect();
    // GHDL lowers the case of names.
    let gold = top.name().to_ascii_lowercase();
    let lower = |text: &str| text.to_ascii_lowercase();
    put(f, "gate.v", &lower(&read(f, "gate.v")?))?;
    put(f, "gold.v", &lower(&text))?;
    let prepare = "proc; flatten; memory; async2sync; opt_clean";
    let script = format!(
        "read_verilog gold.v; hierarchy -top {gold}; {prepare}; design -stash gold; \
         read_verilog gate.v; hierarchy -top {gold}; {prepare}; design -stash gate; \
         design -copy-from gold -as gold {gold}; design -copy-from gate -as gate {gold}; \
         equiv_make gold gate both; hierarchy -top both; opt_clean; \
         equiv_simple; equiv_induct -seq 5; equiv_status -assert"
    );
    ask(f, &[("yosys", &["-q", "-p", &script])], Ok).map(drop)
}

/// Has Yosys prove that two designs of the same ports give the same outputs in every clock from
/// power-up on, whatever comes in: by induction over at most `clocks` clocks, so at least as many
/// as the outputs remember. Products of more than a few bits take it too long.
///
/// # Errors
/// Yosys is missing; the proof does not come to an end; or the designs differ, which reads "proof
/// did fail".
pub fn same_function(left: &Block, right: &Block, clocks: u32) -> Result<(), UseError> {
    let folder = scratch()?;
    let f = folder.path();
    let mut script = String::new();
    for (side, block) in [("left", left), ("right", right)] {
        put(f, &format!("{side}.v"), &verilog::design(block))?;
        script += &format!(
            "read_verilog {side}.v; hierarchy -top {}; proc; setattr -mod -unset keep_hierarchy; \
             flatten; memory; async2sync; dffunmap; opt_clean; \
             rename -top {side}; design -stash {side}; ",
            block.name()
        );
    }
    for side in ["left", "right"] {
        script += &format!("design -copy-from {side} -as {side} {side}; ");
    }
    script += &format!(
        "miter -equiv -flatten -make_outputs left right both; hierarchy -top both; opt -full; \
         sat -verify -prove trigger 0 -tempinduct -seq 1 -maxsteps {clocks} both"
    );
    ask(f, &[("yosys", &["-q", "-p", &script])], Ok).map(drop)
}
