//! The laboratory's board as far as a design can see it: the communication block `rimlab00`, which
//! hands over 1024 words and takes 1024 back, and the run report.
//!
//! The design's ports, and the ports of `rimlab00` that they are wired to:
//!
//! | design | width | rimlab00 | contract |
//! |---|---|---|---|
//! | `START_PROC` in | 1 | `START_PROC` | one clock long; both pointers go to 0 with it |
//! | `SRC_DATA` in | 16 | `DOUT_DATA` | the current source word; word 0 is there from the start |
//! | `SRC_RD` out | 1 | `RD_DATA` | at an edge with 1 the next word comes |
//! | `RESULT_DATA` out | 16 | `DIN_RESULT` | the result word |
//! | `RESULT_WR` out | 1 | `WR_RESULT` | at an edge with 1 the result word is stored, up to 1024 of them |
//! | `PROC_WORKING` out | 1 | `PROC_WORKING` | high while the design works; ends the run when it falls |

use std::fmt;
use std::fmt::Write;

use serde::Serialize;

use crate::error::{BuildErrors, UseError};
use crate::handles::Module;
use crate::ir::Block;
use crate::sim::{Probe, Simulator};
use crate::types::{Type, bit, signed, unsigned};

/// Words in each of the two buffers.
pub const WORDS: usize = 1024;

/// The board's clock in MHz.
pub const CLOCK_MHZ: f64 = 50.0;

/// The communication block at trace level: what it shows and stores, clock by clock, without the
/// serial line.
#[derive(Clone, Debug)]
pub struct Rimlab00 {
    source: Vec<i16>,
    result: Vec<i16>,
    read: usize,
    written: usize,
    dropped: usize,
    accept_late: bool,
}

impl Rimlab00 {
    /// Filled with `source` (at most 1024 words, zeros behind); pointers at 0.
    pub fn new(source: &[i16]) -> Rimlab00 {
        let mut source: Vec<i16> = source.iter().take(WORDS).copied().collect();
        source.resize(WORDS, 0);
        Rimlab00 {
            source,
            result: vec![0; WORDS],
            read: 0,
            written: 0,
            dropped: 0,
            accept_late: false,
        }
    }

    /// Stores results also while `PROC_WORKING` is low.
    pub fn accept_late_writes(mut self, accept: bool) -> Rimlab00 {
        self.accept_late = accept;
        self
    }

    /// The word on `DOUT_DATA`; zero behind the last one.
    pub fn dout_data(&self) -> i16 {
        self.source.get(self.read).copied().unwrap_or(0)
    }

    /// One rising edge with the design's outputs as they are before it.
    pub fn edge(&mut self, rd_data: bool, wr_result: bool, din_result: i16, proc_working: bool) {
        if rd_data {
            self.read += 1;
        }
        if wr_result {
            if self.written < WORDS && (proc_working || self.accept_late) {
                self.result[self.written] = din_result;
                self.written += 1;
            } else {
                self.dropped += 1;
            }
        }
    }

    /// The result buffer.
    pub fn result(&self) -> &[i16] {
        &self.result
    }

    /// Result words stored, and writes that were dropped (the buffer was full, or the design was
    /// not working).
    pub fn writes(&self) -> (usize, usize) {
        (self.written, self.dropped)
    }
}

/// The communication block as hardware, for benches in outside simulators. In place of the serial
/// line the host has a port of its own: it writes source words (`HOST_WR`, `HOST_AT`, `HOST_DATA`)
/// and starts (`HOST_GO`) between runs, and reads result words (`HOST_Q` shows the one at
/// `HOST_AT`, one clock later). The other ports are those of the table above. Its contract is that
/// of [`Rimlab00`].
///
/// # Errors
/// None that could happen; it builds like any module.
pub fn rimlab00() -> Result<Block, BuildErrors> {
    let m = Module::new("rimlab00");
    m.doc(
        "Communication block: hands over 1024 source words and stores 1024 results.\nThe serial \
           line is replaced by a parallel port of the host.",
    );
    m.clock("CLK");
    let (go, write, at) =
        (m.input("HOST_GO", bit()), m.input("HOST_WR", bit()), m.input("HOST_AT", unsigned(10)));
    let word = m.input("HOST_DATA", signed(16));
    let (next, store) = (m.input("RD_DATA", bit()), m.input("WR_RESULT", bit()));
    let (result, working) = (m.input("DIN_RESULT", signed(16)), m.input("PROC_WORKING", bit()));

    let start = go.reg("start");
    let read = m.reg("read_pointer", unsigned(11)).comment("stays behind the last word");
    let behind = read.q().bit(10);
    let moved = (next & !behind).mux(read.q() + 1, read.q());
    let read_next = start.mux(0, moved).named("read_next");
    read.set(read_next);
    let source = m.ram("source", WORDS, signed(16));
    source.write(write, at, word);
    let shown = source.read_sync("shown", read_next.truncate(10));
    // A word that the host writes under the pointer is seen at the next edge only.
    let past = behind.named("past");
    m.output("DOUT_DATA", past.mux(0, shown));

    let written = m.reg("write_pointer", unsigned(11)).comment("1024 when the buffer is full");
    let take = (store & working & !written.q().bit(10)).named("take");
    written.set(start.mux(0, take.mux(written.q() + 1, written.q())));
    let results = m.ram("results", WORDS, signed(16));
    results.write(take, written.q().truncate(10), result);
    m.output("START_PROC", start);
    m.output("HOST_Q", results.read_sync("fetched", at));
    m.build()
}

/// What came of one run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Run {
    /// The whole result buffer, 1024 words.
    pub y: Vec<i16>,
    /// Result words that the design stored.
    pub words: usize,
    /// Writes that were dropped: more than 1024, or while not working.
    pub dropped: usize,
    /// Clocks of the start pulse and of all with `PROC_WORKING` high.
    pub cycles: u64,
    /// All clocks from the start pulse to the end of the run.
    pub wall_cycles: u64,
    /// `cycles` at 50 MHz, in milliseconds.
    pub ms: f64,
    /// `cycles` per stored word; 0 if there is none.
    pub cycles_per_word: f64,
    /// False if the design was still working, or never began, at the cycle limit.
    pub finished: bool,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}",
            if self.finished { "Finished." } else { "NOT finished: stopped at the cycle limit." }
        )?;
        writeln!(f, "Result words:     {}", self.words)?;
        writeln!(f, "Net time:         {:.5} ms at {CLOCK_MHZ} MHz", self.ms)?;
        writeln!(f, "Clock cycles:     {}", self.cycles)?;
        write!(f, "Cycles per word:  {:.3}", self.cycles_per_word)?;
        if self.dropped > 0 {
            write!(
                f,
                "\nWarning: {} writes were dropped (buffer full, or PROC_WORKING low)",
                self.dropped
            )?;
        }
        Ok(())
    }
}

/// A board with a design in it. The design keeps its state between runs, as a real one does.
pub struct Fpga {
    sim: Simulator,
    start: Probe,
    data: Probe,
    /// `SRC_RD`, `RESULT_DATA`, `RESULT_WR`, `PROC_WORKING`.
    outputs: [Probe; 4],
    limit: u64,
    accept_late: bool,
}

/// The ports that go to the communication block, with their direction (true for outputs) and type.
pub(crate) const LINK: [(&str, bool, Type); 6] = [
    ("START_PROC", false, bit()),
    ("SRC_DATA", false, signed(16)),
    ("SRC_RD", true, bit()),
    ("RESULT_DATA", true, signed(16)),
    ("RESULT_WR", true, bit()),
    ("PROC_WORKING", true, bit()),
];

impl Fpga {
    /// Loads `design`. An error says which port of the contract is missing or has another type.
    pub fn new(design: &Block) -> Result<Fpga, UseError> {
        let (inputs, outputs) = (design.inputs(), design.outputs());
        let mut faults = String::new();
        for (name, out, ty) in LINK {
            let ports = if out { &outputs } else { &inputs };
            match ports.iter().find(|p| p.name == name) {
                Some(port) if port.ty == ty => {}
                Some(port) => _ = write!(faults, "\n  `{name}` is {} and must be {ty}", port.ty),
                None => {
                    let kind = if out { "output" } else { "input" };
                    _ = write!(faults, "\n  {kind} `{name}` of {ty} is missing");
                }
            }
        }
        if !faults.is_empty() {
            return Err(UseError(format!(
                "`{}` does not fit the communication block:{faults}",
                design.name()
            )));
        }
        let sim = Simulator::new(design);
        let outputs = [
            sim.signal("SRC_RD")?,
            sim.signal("RESULT_DATA")?,
            sim.signal("RESULT_WR")?,
            sim.signal("PROC_WORKING")?,
        ];
        let (start, data) = (sim.input("START_PROC")?, sim.input("SRC_DATA")?);
        Ok(Fpga { sim, start, data, outputs, limit: 1_000_000, accept_late: false })
    }

    /// Gives up after so many clocks (1 000 000 if not set).
    pub fn limit(mut self, cycles: u64) -> Fpga {
        self.limit = cycles;
        self
    }

    /// Stores results also while `PROC_WORKING` is low, and waits for all 1024 of them.
    pub fn accept_late_writes(mut self) -> Fpga {
        self.accept_late = true;
        self
    }

    /// Sets another input of the design, such as the switch `SW0`, until it is set again.
    pub fn set(&mut self, input: &str, value: i64) -> Result<(), UseError> {
        if LINK.iter().any(|(name, ..)| *name == input) {
            return Err(UseError(format!("`{input}` is driven by the communication block")));
        }
        self.sim.set(input, value)
    }

    /// As after switching the board off and on.
    pub fn power_cycle(&mut self) {
        self.sim.power_cycle();
    }

    /// The simulator inside, to look at signals.
    pub fn simulator(&mut self) -> &mut Simulator {
        &mut self.sim
    }

    /// Sends `x` (at most 1024 numbers in -32768..32767, fractions dropped toward zero), runs, and
    /// fetches the result.
    pub fn run(&mut self, x: &[f64]) -> Result<Run, UseError> {
        self.run_watched(x, |_| {})
    }

    /// The same, calling `watch` in every clock before its edge, for example to record a trace.
    pub fn run_watched(
        &mut self,
        x: &[f64],
        mut watch: impl FnMut(&mut Simulator),
    ) -> Result<Run, UseError> {
        let mut link = Rimlab00::new(&words(x)?).accept_late_writes(self.accept_late);
        let [read, data, write, working] = self.outputs;
        let (mut busy_cycles, mut wall, mut began, mut finished) = (0u64, 0u64, false, false);
        while wall < self.limit {
            self.sim.poke(self.start, i64::from(wall == 0));
            self.sim.poke(self.data, i64::from(link.dout_data()));
            let busy = self.sim.peek(working) != 0;
            let late = self.accept_late && link.writes().0 < WORDS;
            if wall > 0 && began && !busy && !late {
                finished = true;
                break;
            }
            began |= busy;
            busy_cycles += u64::from(busy && wall > 0);
            watch(&mut self.sim);
            let (rd, wr) = (self.sim.peek(read) != 0, self.sim.peek(write) != 0);
            link.edge(rd, wr, self.sim.peek(data) as i16, busy);
            self.sim.step();
            wall += 1;
        }
        self.sim.poke(self.start, 0);
        let (stored, dropped) = link.writes();
        let cycles = busy_cycles + 1;
        Ok(Run {
            y: link.result().to_vec(),
            words: stored,
            dropped,
            cycles,
            wall_cycles: wall,
            ms: cycles as f64 / (CLOCK_MHZ * 1e3),
            cycles_per_word: if stored == 0 { 0.0 } else { cycles as f64 / stored as f64 },
            finished,
        })
    }
}

fn words(x: &[f64]) -> Result<Vec<i16>, UseError> {
    if x.len() > WORDS {
        return Err(UseError(format!(
            "{} numbers were given; the board takes at most {WORDS}",
            x.len()
        )));
    }
    let word = |(i, v): (usize, &f64)| match v.trunc() {
        t if (-32768.0..=32767.0).contains(&t) => Ok(t as i16),
        _ => Err(UseError(format!("x[{i}] is {v}; the board takes -32768 to 32767"))),
    };
    x.iter().enumerate().map(word).collect()
}

/// Pins of the Spartan-3A starter board that the labs use.
const PINS: [(&str, &str); 16] = [
    ("CLK", "E12"),
    ("RST", "R13"),
    ("RXD", "E16"),
    ("TXD", "F15"),
    ("SW0", "V8"),
    ("SW1", "U10"),
    ("SW2", "U8"),
    ("SW3", "T9"),
    ("LED0", "R20"),
    ("LED1", "T19"),
    ("LED2", "U20"),
    ("LED3", "U19"),
    ("LED4", "V19"),
    ("LED5", "V20"),
    ("LED6", "Y22"),
    ("LED7", "W21"),
];

/// The constraint file of the board for a top entity: one line per port. Ports that go to the
/// communication block are inside the chip and get none. `more` adds pins (port, pin) for switches,
/// LEDs and others from the board's manual. Every port must have a pin and every pin a port;
/// without its pin a port would land anywhere.
pub fn constraints(top: &Block, more: &[(&str, &str)]) -> Result<String, UseError> {
    let ports: Vec<(String, u32)> =
        (top.clock().into_iter().chain(top.reset()).map(|n| (n.to_string(), 1)))
            .chain(top.inputs().into_iter().chain(top.outputs()).map(|p| (p.name, p.ty.width)))
            .filter(|(name, _)| !LINK.iter().any(|(link, ..)| link == name))
            .collect();
    let mut faults = String::new();
    for (name, _) in more {
        let bare = name.split('<').next().unwrap_or(name);
        if !ports.iter().any(|(port, _)| port == bare) {
            _ = write!(faults, "\n  `{name}` is no port of `{}`", top.name());
        }
    }
    let mut text = format!("# Pins of {}, Spartan-3A starter board\n", top.name());
    for (port, width) in &ports {
        for i in 0..*width {
            let name = if *width == 1 { port.clone() } else { format!("{port}<{i}>") };
            let mut found = more.iter().chain(&PINS).filter(|(known, _)| *known == name);
            match found.next() {
                Some((_, pin)) => _ = writeln!(text, "NET \"{name}\" LOC = \"{pin}\";"),
                None => _ = write!(faults, "\n  port `{name}` has no pin"),
            }
        }
    }
    if faults.is_empty() {
        return Ok(text);
    }
    let known: Vec<&str> = PINS.iter().map(|(n, _)| *n).collect();
    Err(UseError(format!(
        "constraints of `{}`:{faults}\n  known without saying: {}",
        top.name(),
        known.join(", ")
    )))
}
