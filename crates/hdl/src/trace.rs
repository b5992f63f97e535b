//! Recorded signals: waveforms as a VCD file for any viewer, and as an SVG timing diagram for a
//! report.

use std::fmt::Write;

use crate::error::UseError;
use crate::sim::{Probe, Simulator};

/// Values of chosen signals, clock by clock.
#[derive(Clone, Debug)]
pub struct Trace {
    names: Vec<String>,
    probes: Vec<Probe>,
    /// One row per clock, values as they are before the edge.
    rows: Vec<Vec<i64>>,
}

impl Trace {
    /// Will record the signals `names` of `sim`.
    pub fn new(sim: &Simulator, names: &[&str]) -> Result<Trace, UseError> {
        let probes = names.iter().map(|n| sim.signal(n)).collect::<Result<_, _>>()?;
        Ok(Trace { names: names.iter().map(|n| n.to_string()).collect(), probes, rows: vec![] })
    }

    /// Will record every named signal.
    pub fn all(sim: &Simulator) -> Result<Trace, UseError> {
        let names: Vec<&str> = sim.names().iter().map(String::as_str).collect();
        Trace::new(sim, &names)
    }

    /// Records the present clock. Call it once before each `step`.
    pub fn record(&mut self, sim: &mut Simulator) {
        self.rows.push(self.probes.iter().map(|&p| sim.peek(p)).collect());
    }

    /// Values of one recorded signal in all clocks.
    pub fn values(&self, name: &str) -> Option<Vec<i64>> {
        let at = self.names.iter().position(|n| n == name)?;
        Some(self.rows.iter().map(|row| row[at]).collect())
    }

    /// The trace as a VCD file: 20 ns per clock. A clock begins with its rising
    /// edge, so that registers change with the edge that sets them.
    pub fn vcd(&self, top: &str) -> String {
        let mut out =
            format!("$timescale 1ns $end\n$scope module {top} $end\n$var wire 1 ! clock $end\n");
        for (i, (name, probe)) in self.names.iter().zip(&self.probes).enumerate() {
            let (path, last) = name.rsplit_once('.').unwrap_or(("", name));
            let scopes: Vec<&str> = path.split('.').filter(|s| !s.is_empty()).collect();
            scopes.iter().for_each(|s| _ = writeln!(out, "$scope module {s} $end"));
            _ = writeln!(out, "$var wire {} {} {last} $end", probe.ty().width, identifier(i));
            scopes.iter().for_each(|_| out += "$upscope $end\n");
        }
        out += "$upscope $end\n$enddefinitions $end\n";
        let mut before: Option<&Vec<i64>> = None;
        for (n, row) in self.rows.iter().enumerate() {
            _ = writeln!(out, "#{}\n1!", 20 * n);
            for (i, (&value, probe)) in row.iter().zip(&self.probes).enumerate() {
                if before.is_some_and(|b| b[i] == value) {
                    continue;
                }
                let bits = probe.ty().bits(value);
                _ = match probe.ty().width {
                    1 => writeln!(out, "{bits}{}", identifier(i)),
                    _ => writeln!(out, "b{bits} {}", identifier(i)),
                };
            }
            _ = writeln!(out, "#{}\n0!", 20 * n + 10);
            before = Some(row);
        }
        _ = writeln!(out, "#{}", 20 * self.rows.len());
        out
    }

    /// A timing diagram of the clocks `from` up to but not including `to` (as far as they were
    /// recorded): the clock on top, then one row per signal in the order of recording.
    pub fn svg(&self, from: usize, to: usize) -> String {
        let to = to.min(self.rows.len());
        let rows = &self.rows[from.min(to)..to];
        let signals = self.names.iter().zip(&self.probes).enumerate().map(|(i, (name, probe))| {
            let values = rows.iter().map(|row| row[i]).collect();
            figures::Signal { name: name.clone(), bit: probe.ty().is_bit(), values }
        });
        figures::timing("Timing diagram", &signals.collect::<Vec<_>>(), from).svg()
    }
}

/// Short names of signals in a VCD file: printable characters after `!`, which is the clock.
fn identifier(mut i: usize) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from(b'"' + (i % 93) as u8));
        i /= 93;
        if i == 0 {
            return text;
        }
    }
}

/// The timing diagram of the first `clocks` clocks of a run of `x` on the board, with all of its
/// ports. Empty if the design does not fit the board.
pub fn timing(design: &crate::Block, x: &[f64], clocks: usize) -> String {
    let Ok(mut fpga) = crate::board::Fpga::new(design) else { return String::new() };
    let ports = design.inputs().into_iter().chain(design.outputs()).map(|p| p.name);
    let names: Vec<String> = ports.collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Ok(mut trace) = Trace::new(fpga.simulator(), &names) else { return String::new() };
    let mut fpga = fpga.limit(clocks as u64);
    match fpga.run_watched(x, |sim| trace.record(sim)) {
        Ok(_) => trace.svg(0, clocks),
        Err(_) => String::new(),
    }
}
