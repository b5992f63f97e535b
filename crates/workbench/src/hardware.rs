//! Hardware: what a design is made of, what it costs, and what its signals do in a run.
//!
//! Questions of their own, so that an engine for kernels does not carry them:
//!
//! | `op` | asks |
//! |---|---|
//! | `designs` | which designs are known by name |
//! | `design` | block diagrams, estimates and texts of a design |
//! | `simulate` | every signal, result and charts of a run |
//! | `netlist` | the design as JSON, as the judge of a lab gets it |
//!
//! A design is named, `{"given": "fpgatop"}`, or comes along, `{"netlist": {..}}`.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use figures::{Axis, Chart, Series, base64};
use hdl::board::{CLOCK_MHZ, Fpga, WORDS};
use hdl::desk::Design;
use hdl::estimate::{Device, Estimate, Multipliers, RIMLAB00};
use hdl::write::{verilog, vhdl};
use hdl::{Block, Probe, Simulator, Type, diagram, interval, stimulus};
use serde::Deserialize;
use serde_json::{Value, json};

/// Changes of signals that one run records; what comes later is not kept.
const MOST_CHANGES: usize = 300_000;
/// Clocks of a run on the board: a design that is still working then is stopped.
const BOARD_CLOCKS: u64 = 100_000;
/// Clocks of a run without the board.
const FREE_CLOCKS: u64 = 256;
/// The widest number that a page's arithmetic holds; wider ones cross as text.
const EXACT_BITS: u32 = 53;

/// Who answers: the designs that it knows by name.
#[derive(Clone, Copy)]
pub struct Desk {
    /// The designs.
    pub designs: &'static [Design],
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Request {
    Designs,
    Design { design: Which },
    Simulate(Simulate),
    Netlist { design: Which },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Which {
    Given(String),
    Netlist(Box<Block>),
}

#[derive(Deserialize)]
struct Simulate {
    design: Which,
    #[serde(default)]
    signal: Signal,
    /// Inputs that the board does not drive.
    #[serde(default)]
    set: BTreeMap<String, i64>,
}

/// What the board sends to the design.
#[derive(Deserialize, Default)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Signal {
    #[default]
    Sine,
    Pulses,
    Step,
    /// Amplitude and frequency in cycles per sample of each.
    Tones {
        tones: Vec<(f64, f64)>,
    },
}

impl Signal {
    fn samples(&self) -> Vec<f64> {
        match self {
            Signal::Sine => stimulus::sine(WORDS, 30000.0, 100.0),
            Signal::Pulses => stimulus::pulses(WORDS, 16, 32767.0),
            Signal::Step => stimulus::step(WORDS, 0..20, 32767.0),
            Signal::Tones { tones } => stimulus::cosines(WORDS, tones),
        }
    }
}

impl Desk {
    /// Answers a request, both as JSON.
    pub fn answer(&self, request: &str) -> String {
        let answer = match serde_json::from_str(request) {
            Ok(request) => self.of(request).unwrap_or_else(|text| json!({ "error": text })),
            Err(e) => json!({ "error": format!("the request cannot be read: {e}") }),
        };
        answer.to_string()
    }

    fn of(&self, request: Request) -> Result<Value, String> {
        match request {
            Request::Designs => {
                let one = |d: &Design| json!({ "name": d.name, "what": d.what });
                Ok(self.designs.iter().map(one).collect())
            }
            Request::Design { design } => Ok(explain(&self.block(design)?)),
            Request::Simulate(request) => {
                let block = self.block(request.design)?;
                simulate(&block, &request.signal, &request.set)
            }
            Request::Netlist { design } => Ok(json!(self.block(design)?)),
        }
    }

    fn block(&self, which: Which) -> Result<Block, String> {
        match which {
            Which::Netlist(block) => Ok(*block),
            Which::Given(name) => {
                let design = self.designs.iter().find(|d| d.name == name);
                let design = design.ok_or_else(|| format!("there is no design {name} here"))?;
                (design.build)().map_err(|mistakes| mistakes.to_string())
            }
        }
    }
}

/// Modules with their diagrams, the top first; costs; texts; what the board says of the ports.
fn explain(block: &Block) -> Value {
    let module = |b: &Block| {
        let source = picture(&diagram::svg(b));
        let inside = b.instances().into_iter();
        let inside = inside.map(|(name, module)| json!({ "name": name, "module": module }));
        json!({ "name": b.name(), "diagram": source, "instances": inside.collect::<Vec<_>>() })
    };
    let styles = [
        (Device::XC3S700A, Multipliers::Blocks),
        (Device::XC3S700A, Multipliers::Logic),
        (Device::HX8K, Multipliers::Logic),
    ];
    let estimates = styles.map(|(device, style)| {
        let mut value = json!(Estimate::new(block, &device, style));
        value["products"] = json!(style);
        value["taken"] = json!((device == Device::XC3S700A).then_some(RIMLAB00));
        value
    });
    let overflows = match interval::check(block, &[]) {
        Ok(found) => found.overflows.iter().map(ToString::to_string).collect(),
        Err(e) => vec![e.to_string()],
    };
    let port = |p: hdl::Port| json!({ "name": p.name, "type": p.ty.to_string() });
    json!({
        "name": block.name(),
        "inputs": block.inputs().into_iter().map(port).collect::<Vec<_>>(),
        "outputs": block.outputs().into_iter().map(port).collect::<Vec<_>>(),
        "modules": block.hierarchy().iter().rev().map(module).collect::<Vec<_>>(),
        "estimates": estimates,
        "overflows": overflows,
        "board": Fpga::new(block).err().map(|e| e.to_string()),
        "clock_mhz": CLOCK_MHZ,
        "vhdl": vhdl::design(block),
        "verilog": verilog::design(block),
    })
}

/// Runs the design on the board, or with inputs that change at random where it does not fit.
fn simulate(block: &Block, signal: &Signal, set: &BTreeMap<String, i64>) -> Result<Value, String> {
    let states = states(block);
    match Fpga::new(block) {
        Ok(fpga) => {
            let x = signal.samples();
            let mut fpga = fpga.limit(BOARD_CLOCKS).accept_late_writes();
            for (port, value) in set {
                fpga.set(port, *value).map_err(|e| e.to_string())?;
            }
            let mut seen = Recorder::new(fpga.simulator())?;
            let run = fpga.run_watched(&x, |sim| seen.record(sim)).map_err(|e| e.to_string())?;
            let y: Vec<f64> = run.y.iter().map(|y| f64::from(*y)).collect();
            let mut answer = seen.answer(&states);
            answer["report"] = run.to_string().into();
            answer["charts"] = charts(&x, &y);
            Ok(answer)
        }
        Err(_) => {
            let mut sim = Simulator::new(block);
            for (port, value) in set {
                sim.set(port, *value).map_err(|e| e.to_string())?;
            }
            let free: Vec<_> =
                block.inputs().into_iter().filter(|p| !set.contains_key(&p.name)).collect();
            let free: Result<Vec<Probe>, _> = free.iter().map(|p| sim.input(&p.name)).collect();
            let free = free.map_err(|e| e.to_string())?;
            let mut seen = Recorder::new(&mut sim)?;
            // Numbers without a pattern, the same in every run.
            let mut state = 0x9E37_79B9_7F4A_7C15_u64;
            for _ in 0..FREE_CLOCKS {
                for input in &free {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    sim.poke(*input, state as i64 >> 8);
                }
                seen.record(&mut sim);
                sim.step();
            }
            Ok(seen.answer(&states))
        }
    }
}

/// An SVG as the address of an image.
fn picture(svg: &str) -> String {
    format!("data:image/svg+xml;base64,{}", base64(svg.as_bytes()))
}

/// What the page shows of a run's samples: titles and pictures.
fn charts(x: &[f64], y: &[f64]) -> Value {
    let chart = |title: &str, of: fn(&str, &[f64], &[f64]) -> Chart| {
        let drawn = picture(&of(title, x, y).svg());
        json!({ "title": title, "picture": drawn })
    };
    json!([chart("The first 256 samples", samples), chart("Amplitude of each frequency", spectra),])
}

/// Input and output; the output above, so that of equal ones it is seen.
fn both(chart: Chart, x: Vec<(f64, f64)>, y: Vec<(f64, f64)>) -> Chart {
    let [input, output] = [("input", x), ("output", y)].map(|(n, p)| Series::line(n, p).smooth());
    chart.with(input.style(1)).with(output.style(0)).size(640.0, 260.0)
}

fn samples(title: &str, x: &[f64], y: &[f64]) -> Chart {
    let of = |values: &[f64]| (0..256).zip(values).map(|(k, v)| (f64::from(k), *v)).collect();
    let chart = Chart::new(title, Axis::linear("sample").whole(), Axis::linear("value"));
    both(chart, of(x), of(y))
}

fn spectra(title: &str, x: &[f64], y: &[f64]) -> Chart {
    let of = |values: &[f64]| {
        let decibels = |a: f64| 20.0 * (a.max(1e-3) / 32768.0).log10();
        let place = |k: usize| k as f64 / values.len() as f64;
        spectrum(values).into_iter().enumerate().map(|(k, a)| (place(k), decibels(a))).collect()
    };
    let up = Axis::linear("dB of full scale").range(-120.0, 0.0);
    both(Chart::new(title, Axis::linear("cycles per sample"), up), of(x), of(y))
}

/// Names of the states of the top's state machines, by the register's name.
fn states(block: &Block) -> BTreeMap<String, Vec<String>> {
    let design = json!(block);
    let top = design["modules"].as_array().and_then(|modules| modules.last());
    let registers = top.and_then(|top| top["net"]["regs"].as_array()).into_iter().flatten();
    let named = registers.filter_map(|register| {
        let states: Vec<String> = serde_json::from_value(register["states"].clone()).ok()?;
        Some((register["name"].as_str()?.to_string(), states))
    });
    named.filter(|(_, states)| !states.is_empty()).collect()
}

/// All signals of a run, as what changes in which clock.
struct Recorder {
    signals: Vec<(String, Probe)>,
    /// For each signal its last value, and its changes: clock and value in turn.
    last: Vec<Option<i64>>,
    changes: Vec<Vec<Value>>,
    kept: usize,
    clocks: u64,
    full: bool,
}

impl Recorder {
    fn new(sim: &mut Simulator) -> Result<Recorder, String> {
        let probe = |name: &String| sim.signal(name).map(|probe| (name.clone(), probe));
        let signals: Result<Vec<_>, _> = sim.names().iter().map(probe).collect();
        let signals = signals.map_err(|e| e.to_string())?;
        let (last, changes) = (vec![None; signals.len()], vec![Vec::new(); signals.len()]);
        Ok(Recorder { signals, last, changes, kept: 0, clocks: 0, full: false })
    }

    fn record(&mut self, sim: &mut Simulator) {
        self.full |= self.kept > MOST_CHANGES;
        if self.full {
            return;
        }
        for (k, (_, probe)) in self.signals.iter().enumerate() {
            let value = sim.peek(*probe);
            if self.last[k].replace(value) != Some(value) {
                self.changes[k].extend([json!(self.clocks), number(value, probe.ty())]);
                self.kept += 1;
            }
        }
        self.clocks += 1;
    }

    fn answer(self, states: &BTreeMap<String, Vec<String>>) -> Value {
        let signals = self.signals.iter().zip(self.changes).map(|((name, probe), changes)| {
            let ty = probe.ty();
            json!({
                "name": name,
                "width": ty.width,
                "signed": ty.signed,
                "states": states.get(name),
                "changes": changes,
            })
        });
        let signals: Vec<Value> = signals.collect();
        json!({ "clocks": self.clocks, "more": self.full, "signals": signals })
    }
}

fn number(value: i64, ty: Type) -> Value {
    match (ty.width > EXACT_BITS, ty.signed) {
        (false, _) => json!(value),
        (true, true) => json!(value.to_string()),
        (true, false) => json!((value as u64).to_string()),
    }
}

/// Amplitudes of the frequencies k / n, k = 0 .. n / 2, of n samples: the definition, as n is 1024.
fn spectrum(x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let table: Vec<(f64, f64)> = (0..n).map(|i| (TAU * i as f64 / n as f64).sin_cos()).collect();
    let one = |k: usize| {
        let sum = x.iter().enumerate().fold((0.0, 0.0), |(re, im), (i, v)| {
            let (sin, cos) = table[i * k % n];
            (re + v * cos, im - v * sin)
        });
        let scale = if k == 0 || 2 * k == n { 1.0 } else { 2.0 } / n as f64;
        (scale * f64::hypot(sum.0, sum.1) * 1000.0).round() / 1000.0
    };
    (0..=n / 2).map(one).collect()
}

#[cfg(test)]
mod tests {
    use hdl::{Module, bit, signed};

    use super::*;

    /// Adds what comes in, while it is told to.
    fn adder() -> Result<Block, hdl::BuildErrors> {
        let m = Module::new("adder");
        m.clock("CLK");
        let x = m.input("x", signed(60));
        let go = m.input("go", bit());
        let state = m.states("phase", &["REST", "ADD"]);
        let sum = m.reg("sum", signed(60));
        m.process("adding", || {
            state.case("REST", || m.when(go, || state.go("ADD")));
            state.case("ADD", || sum.set(sum + x));
        });
        m.output("total", sum);
        m.build()
    }

    const DESK: Desk = Desk { designs: &[Design { name: "adder", what: "a sum", build: adder }] };

    fn ask(request: Value) -> Value {
        serde_json::from_str(&DESK.answer(&request.to_string())).unwrap()
    }

    #[test]
    fn a_netlist_is_explained_as_the_design_of_that_name() {
        let given = ask(json!({ "op": "design", "design": { "given": "adder" } }));
        assert_eq!(given["modules"][0]["name"], "adder");
        assert!(given["board"].as_str().unwrap().contains("START_PROC"));
        assert!(given["vhdl"].as_str().unwrap().contains("entity adder"));
        let netlist = json!(adder().unwrap());
        assert_eq!(ask(json!({ "op": "netlist", "design": { "given": "adder" } })), netlist);
        assert_eq!(ask(json!({ "op": "design", "design": { "netlist": netlist } })), given);
        for (bad, words) in [
            (json!({ "given": "none" }), "there is no design none"),
            (json!({ "netlist": { "modules": [] } }), "without a module"),
        ] {
            let said = ask(json!({ "op": "design", "design": bad }));
            assert!(said["error"].as_str().unwrap().contains(words), "{said}");
        }
    }

    #[test]
    fn a_run_has_every_signal_with_states_and_wide_numbers_as_text() {
        let run = json!({
            "op": "simulate",
            "design": { "given": "adder" },
            "set": { "x": -3, "go": 1 },
        });
        let said = ask(run);
        let of = |name: &str| {
            let all = said["signals"].as_array().unwrap();
            all.iter().find(|s| s["name"] == name).unwrap().clone()
        };
        assert_eq!(said["clocks"], FREE_CLOCKS);
        assert_eq!(of("phase")["states"], json!(["REST", "ADD"]));
        assert_eq!(of("phase")["changes"], json!([0, 0, 1, 1]));
        assert_eq!(of("sum")["changes"][3], "-3");
        assert_eq!(of("total")["changes"], of("sum")["changes"]);
        let bad = json!({ "op": "simulate", "design": { "given": "adder" }, "set": { "y": 1 } });
        assert!(ask(bad)["error"].as_str().unwrap().contains("`y`"));
    }

    #[test]
    fn charts_name_their_lines_and_axes() {
        let x = stimulus::cosines(1024, &[(16384.0, 0.25)]);
        let y: Vec<f64> = x.iter().map(|v| v / 2.0).collect();
        let (waves, tones) = (samples("first", &x, &y).svg(), spectra("amplitude", &x, &y).svg());
        for text in [">first<", ">input<", ">output<", ">sample<", ">value<"] {
            assert!(waves.contains(text), "{text}");
        }
        for text in [">amplitude<", ">input<", ">cycles per sample<", ">dB of full scale<"] {
            assert!(tones.contains(text), "{text}");
        }
        let both = charts(&x, &y);
        assert_eq!(both[0]["picture"], picture(&samples("The first 256 samples", &x, &y).svg()));
        assert_eq!(both[1]["title"], "Amplitude of each frequency");
    }

    #[test]
    fn a_spectrum_has_the_amplitude_of_a_tone_in_its_place() {
        let x = stimulus::cosines(64, &[(10.0, 0.25), (3.0, 0.0)]);
        let found = spectrum(&x);
        assert_eq!((found.len(), found[0], found[16], found[17]), (33, 3.0, 10.0, 0.0));
    }
}
