//! Hardware exercises: the child builds the student's design and hands over its netlist; the judge
//! reads it as data, checks it anew, and simulates it in its own process. What the child says a
//! design does is never asked.

use hdl::board::{Fpga, Run, WORDS};
use hdl::{Block, Type, UseError, tools};
use serde_json::Value;
use wire::Outcome;

use crate::{About, Class, Finding, Trial, host};

/// Longest run of a design on the board, in clocks: a design that is still working then hangs.
pub const CLOCKS: u64 = 40_000;

impl Trial {
    /// The design that the handler `call` builds: its value is the block as JSON, or an object with
    /// it as `design`. For the same arguments all checks get the same design, whatever the program
    /// would answer the second time.
    ///
    /// # Errors
    /// The builder's mistakes as the student sees them; a crash or a time-out of the child; a
    /// netlist that is none.
    pub fn design(&self, call: &str, args: &Value) -> Result<Block, Finding> {
        self.design_and(call, args).map(|(block, _)| block)
    }

    /// The same, with the handler's whole value, for what a student declares beside the design.
    ///
    /// # Errors
    /// As [`Trial::design`].
    pub fn design_and(&self, call: &str, args: &Value) -> Result<(Block, Value), Finding> {
        let reply = self.first_answer(call, args)?;
        let value = match &reply.outcome {
            Outcome::Err { message, report, .. } if reply.faults.is_empty() => {
                return Err(refused(call, message, report));
            }
            _ => host::value(&reply)?,
        };
        let design = value.get("design").unwrap_or(value);
        let block = serde_json::from_value(design.clone()).map_err(|e| {
            Finding::new(Class::NotGradable, format!("{call}: the program's reply is no design"))
                .details(e.to_string())
        })?;
        Ok((block, value.clone()))
    }

    /// What GHDL answers to `cycles` with this VHDL, which has the entity of `top`. A stranger's
    /// text is read inside of the sandbox.
    ///
    /// # Errors
    /// GHDL refuses the text, or its run fails.
    pub fn ghdl(&self, text: &str, top: &Block, cycles: &[Vec<i64>]) -> Result<String, UseError> {
        let host = &self.work().host;
        tools::ghdl_text(text, top, cycles, "--std=08", &|folder, tool, words| {
            host.tool(folder, tool, words)
        })
    }
}

/// A refused design: the first mistake in the message, its remedy and the others below.
fn refused(call: &str, mistakes: &str, report: &str) -> Finding {
    let (first, rest) = mistakes.split_once('\n').unwrap_or((mistakes, ""));
    let finding = Finding::wrong(format!("{call}: the design is refused: {first}"));
    let finding = if report.is_empty() { finding } else { finding.details(report) };
    finding.details(rest).about(About::RefusedDesign)
}

/// Inputs and outputs must be exactly these, in any order; clock and reset are not among them.
///
/// # Errors
/// Names the ports that are missing, of another type, or too many.
pub fn ports(
    block: &Block,
    inputs: &[(&str, Type)],
    outputs: &[(&str, Type)],
) -> Result<(), Finding> {
    let mut faults = Vec::new();
    for (kind, want, have) in
        [("input", inputs, block.inputs()), ("output", outputs, block.outputs())]
    {
        for (name, ty) in want {
            match have.iter().find(|p| p.name == *name) {
                Some(port) if port.ty == *ty => {}
                Some(port) => {
                    faults.push(format!("{kind} `{name}` is {} and must be {ty}", port.ty));
                }
                None => faults.push(format!("{kind} `{name}` of {ty} is missing")),
            }
        }
        let known = |name: &str| want.iter().any(|(own, _)| *own == name);
        let more = have.iter().filter(|p| !known(&p.name));
        faults.extend(more.map(|p| format!("{kind} `{}` is not asked for", p.name)));
    }
    let Some(first) = faults.first() else { return Ok(()) };
    let message = format!("the ports of `{}`: {first}", block.name());
    Err(Finding::wrong(message).details(faults.join("\n")))
}

/// The design on the board, as after power-up.
///
/// # Errors
/// Wrong, if it has not the board's ports.
pub fn board(block: &Block) -> Result<Fpga, Finding> {
    let fpga = Fpga::new(block).map_err(|e| Finding::wrong(e.to_string()))?;
    Ok(fpga.limit(CLOCKS))
}

/// Runs `x` on the board to the end.
///
/// # Errors
/// Time, if it is still working after [`CLOCKS`] clocks; wrong, if it stored another number of
/// words than 1024.
pub fn run(fpga: &mut Fpga, x: &[f64]) -> Result<Run, Finding> {
    let run = fpga.run(x).map_err(|e| Finding::grader(e.to_string()))?;
    if !run.finished {
        let text = format!(
            "the design does not finish: PROC_WORKING never rose, or was still high after \
             {CLOCKS} clocks ({} words stored)",
            run.words
        );
        return Err(Finding::new(Class::Time, text));
    }
    if run.words != WORDS || run.dropped > 0 {
        return Err(Finding::wrong(format!(
            "the design stores {} words and must store {WORDS} ({} more were dropped: buffer \
             full, or PROC_WORKING low)",
            run.words, run.dropped
        )));
    }
    Ok(run)
}
