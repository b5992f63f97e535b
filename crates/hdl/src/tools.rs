//! Outside programs that look at the same design: GHDL, Icarus, Verilator, Yosys and nextpnr.
//! Nothing here is needed to build, simulate or count a design; what is missing is named.

mod kept;
mod proof;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde::Serialize;

use crate::error::UseError;
use crate::estimate::{Count, Device, Estimate, Multipliers};
use crate::ir::Block;
use crate::types::Type;
use crate::write::{bench, verilog, vhdl};

use kept::{Answer, Call};
pub use proof::{equivalent, same_function};

/// Longest run of a tool in seconds.
const SECONDS: u32 = 240;

/// True if the program can be started.
pub fn found(tool: &str) -> bool {
    ["--version", "-V"].iter().any(|option| Command::new(tool).arg(option).output().is_ok())
}

/// True if missing programs are an error: in CI (`CI=true`), or where `HDL_TOOLS=required` says so.
pub fn required() -> bool {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|v| v == value);
    is("CI", "true") || is("HDL_TOOLS", "required")
}

/// For tests: true if the program is there. Else it says `skipped: NAME is not installed`.
///
/// # Panics
/// If the program is missing where it is [`required`].
pub fn have(tool: &str) -> bool {
    let found = found(tool);
    assert!(found || !required(), "{tool} is missing, and CI=true or HDL_TOOLS=required needs it");
    if !found {
        println!("skipped: {tool} is not installed");
    }
    found
}

/// Runs a program with these words in a folder: what it printed, or why it failed.
pub type Runner<'r> = &'r dyn Fn(&Path, &str, &[&str]) -> Result<String, UseError>;

/// Runs a program in `folder`, as this process would; what it printed as its result, or with its
/// messages as the error.
///
/// # Errors
/// The program is missing, or fails.
pub fn run(folder: &Path, tool: &str, arguments: &[&str]) -> Result<String, UseError> {
    // Not every tool ends on every design.
    let mut command = Command::new("timeout");
    command.args([SECONDS.to_string().as_str(), tool]);
    if !found("timeout") {
        command = Command::new(tool);
    }
    let output = command
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|e| UseError(format!("{tool} cannot be started: {e}")))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => Ok(text),
        false => {
            let messages = text + &String::from_utf8_lossy(&output.stderr);
            Err(UseError(format!("{tool} {}:\n{messages}", arguments.join(" "))))
        }
    }
}

/// What `take` finds in `folder` after these programs ran there one after the other; it is given
/// what the last one printed. They depend on the folder's files and on nothing else, so the answer
/// may be one from [before](kept).
fn ask(
    folder: &Path,
    calls: &[Call<'_>],
    take: impl FnOnce(String) -> Result<String, UseError>,
) -> Result<Answer, UseError> {
    ask_by(&run, folder, calls, take)
}

/// The same, with programs that `run` starts.
fn ask_by(
    run: Runner<'_>,
    folder: &Path,
    calls: &[Call<'_>],
    take: impl FnOnce(String) -> Result<String, UseError>,
) -> Result<Answer, UseError> {
    kept::or_run(folder, calls, || {
        let start = Instant::now();
        let mut printed = String::new();
        for (tool, words) in calls {
            printed = run(folder, tool, words)?;
        }
        let seconds = start.elapsed().as_secs_f64();
        Ok(Answer { text: take(printed)?, seconds })
    })
}

fn put(folder: &Path, name: &str, text: &str) -> Result<(), UseError> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|e| UseError(format!("{}: {e}", path.display())))
}

fn scratch() -> Result<tempfile::TempDir, UseError> {
    tempfile::tempdir().map_err(|e| UseError(format!("no scratch folder: {e}")))
}

fn read(folder: &Path, name: &str) -> Result<String, UseError> {
    let path = folder.join(name);
    std::fs::read_to_string(&path).map_err(|e| UseError(format!("{}: {e}", path.display())))
}

/// The standards of VHDL that the written text keeps, as GHDL's option names them.
pub const STANDARDS: [&str; 2] = ["--std=93c", "--std=08"];

/// What GHDL answers to `cycles` (see [`bench`]), under a standard of [`STANDARDS`].
///
/// # Errors
/// GHDL is missing, or refuses the text.
pub fn ghdl(top: &Block, cycles: &[Vec<i64>], standard: &str) -> Result<String, UseError> {
    ghdl_text(&vhdl::design(top), top, cycles, standard, &run)
}

/// The same for a text that has the entity of `top`: hand-written VHDL in place of the generated,
/// which `run` lets GHDL read.
///
/// # Errors
/// GHDL is missing, or refuses the text.
pub fn ghdl_text(
    text: &str,
    top: &Block,
    cycles: &[Vec<i64>],
    standard: &str,
    run: Runner<'_>,
) -> Result<String, UseError> {
    let folder = scratch()?;
    let f = folder.path();
    put(f, "stimulus.txt", &bench::stimulus(top, cycles))?;
    put(f, "design.vhd", text)?;
    put(f, "bench.vhd", &bench::vhdl(top))?;
    let calls: [Call<'_>; 2] = [
        ("ghdl", &["-a", standard, "design.vhd", "bench.vhd"]),
        ("ghdl", &["-r", standard, bench::BENCH, "--ieee-asserts=disable"]),
    ];
    Ok(ask_by(run, f, &calls, |_| read(f, "response.txt"))?.text)
}

/// A word in hand-written VHDL by which it could reach files or the machine: a design has no
/// business with them.
pub fn forbidden_word(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let forbidden = ["textio", "file", "foreign", "env"];
    words.find_map(|word| forbidden.into_iter().find(|f| *f == word))
}

/// What Icarus Verilog answers to `cycles`.
///
/// # Errors
/// Icarus is missing, or refuses the text.
pub fn icarus(top: &Block, cycles: &[Vec<i64>]) -> Result<String, UseError> {
    let folder = scratch()?;
    let f = folder.path();
    put(f, "stimulus.txt", &bench::stimulus(top, cycles))?;
    put(f, "design.v", &verilog::design(top))?;
    put(f, "bench.v", &bench::verilog(top, cycles.len()))?;
    let calls: [Call<'_>; 2] = [
        ("iverilog", &["-g2001", "-Wall", "-o", "run.vvp", "design.v", "bench.v"]),
        ("vvp", &["run.vvp"]),
    ];
    Ok(ask(f, &calls, |_| read(f, "response.txt"))?.text)
}

/// Random cycles for [`agree`]: every input takes any value of its type, the extremes more often,
/// plain bits mostly 1; the reset, if there is one, is active in the first cycle and now and then.
pub fn random_cycles(top: &Block, n: usize, seed: u64) -> Vec<Vec<i64>> {
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) as i64
    };
    let types: Vec<Type> = top.inputs().iter().map(|p| p.ty).collect();
    let cycle = |i: usize| {
        let reset = top.reset().map(|_| i64::from(i == 0 || next() % 50 == 0));
        let mut value = |ty: &Type| match next() % 8 {
            0 => ty.max(),
            1 => ty.min(),
            _ => ty.wrap(next()),
        };
        reset.into_iter().chain(types.iter().map(&mut value)).collect()
    };
    (0..n).map(cycle).collect()
}

/// Asks every simulator that is installed for the answer to `cycles`: GHDL under both standards on
/// the VHDL, Icarus on the Verilog. Returns the tools that were missing.
///
/// # Errors
/// The first cycle in which one of them and our simulator differ, or a text that is refused.
pub fn agree(top: &Block, cycles: &[Vec<i64>]) -> Result<Vec<&'static str>, UseError> {
    let ours = bench::response(top, cycles)?;
    let same = |tool: &str, theirs: String| {
        let differs = ours.lines().zip(theirs.lines()).position(|(a, b)| a != b);
        let line = |text: &str, n: usize| text.lines().nth(n).unwrap_or_default().to_string();
        match differs {
            Some(n) => Err(UseError(format!(
                "{}: cycle {n}: we say {}, {tool} says {}, inputs {:?}",
                top.name(),
                line(&ours, n),
                line(&theirs, n),
                cycles[n]
            ))),
            None if ours.lines().count() != theirs.lines().count() => {
                Err(UseError(format!("{}: {tool} answers to fewer cycles", top.name())))
            }
            None => Ok(()),
        }
    };
    let mut missing = Vec::new();
    match found("ghdl") {
        false => missing.push("ghdl"),
        true => STANDARDS.iter().try_for_each(|s| same("GHDL", ghdl(top, cycles, s)?))?,
    }
    match found("iverilog") {
        false => missing.push("iverilog"),
        true => same("Icarus", icarus(top, cycles)?)?,
    }
    Ok(missing)
}

/// A synthesis by Yosys for the laboratory's chip.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Synthesis {
    /// What the cells make in our terms; inverters and memories of 16 bits count as LUTs.
    pub count: Count,
    /// Cells by kind.
    pub cells: BTreeMap<String, u32>,
    /// Wall time of the tool in seconds, when it ran.
    pub seconds: f64,
}

/// True if some product of the design must not become a multiplier block.
fn in_logic(top: &Block) -> bool {
    top.hierarchy().iter().any(|b| b.0.multipliers == Some(Multipliers::Logic))
}

/// Synthesises the design with Yosys for Spartan-3 cells. Products become multiplier blocks unless
/// a module of the design has them in logic, or `multipliers` says so.
///
/// # Errors
/// Yosys is missing, or fails.
pub fn yosys(top: &Block, multipliers: Multipliers) -> Result<Synthesis, UseError> {
    let logic = multipliers == Multipliers::Logic || in_logic(top);
    // Whether a memory becomes a block RAM, which our estimate knows.
    let ram = Estimate::new(top, &Device::XC3S700A, multipliers).total.ram_bits > 0;
    let (mut modules, mut seconds) = synthesised(top, logic, ram)?;
    if !ram && modules.values().flat_map(BTreeMap::keys).any(|kind| kind.starts_with("RAMB")) {
        (modules, seconds) = synthesised(top, logic, true)?;
    }
    let blocks = top.hierarchy();
    let own: Vec<&str> = blocks.iter().map(|b| b.name()).collect();
    let mut cells = BTreeMap::new();
    count_cells(&modules, top.name(), &own, 1, &mut cells);
    let sum = |starts: &[&str]| -> u32 {
        let kinds = cells.iter().filter(|(k, _)| starts.iter().any(|s| k.starts_with(s)));
        kinds.map(|(_, n)| n).sum()
    };
    let count = Count {
        // A memory of 16 bits with two ports is made of two LUTs.
        luts: sum(&["LUT", "INV", "RAM16X1S"]) + 2 * sum(&["RAM16X1D"]),
        ffs: sum(&["FD"]),
        multipliers: sum(&["MULT18"]),
        ram_bits: 0,
    };
    Ok(Synthesis { count, cells, seconds })
}

/// What Yosys makes of the design, and in how many seconds. `synth_xilinx` begins with reading a
/// thousand cells of all chips, which takes longer than most designs. Ours need those of its first
/// file alone, but for blocks of `ram`.
fn synthesised(top: &Block, logic: bool, ram: bool) -> Result<(Kinds, f64), UseError> {
    let folder = scratch()?;
    let f = folder.path();
    put(f, "design.v", &verilog::design(top))?;
    let (name, dsp) = (top.name(), if logic { "-nodsp" } else { "" });
    let more = if ram { "read_verilog -lib +/xilinx/cells_xtra.v; " } else { "" };
    let script = format!(
        "read_verilog design.v; read_verilog -lib +/xilinx/cells_sim.v; {more}\
         hierarchy -check -top {name}; \
         synth_xilinx -family xc3s -nosrl -flatten -nowidelut {dsp} -top {name} \
         -run prepare:check; write_json out.json"
    );
    let odd = |e: serde_json::Error| UseError(format!("the netlist of Yosys: {e}"));
    let reduced = |_| {
        let netlist: serde_json::Value =
            serde_json::from_str(&read(f, "out.json")?).map_err(odd)?;
        serde_json::to_string(&kinds(&netlist)).map_err(odd)
    };
    let Answer { text, seconds } = ask(f, &[("yosys", &["-q", "-p", &script])], reduced)?;
    Ok((serde_json::from_str(&text).map_err(odd)?, seconds))
}

/// The number of cells of each kind in each module.
type Kinds = BTreeMap<String, BTreeMap<String, u32>>;

/// All that is looked at in a netlist of some megabytes.
fn kinds(netlist: &serde_json::Value) -> Kinds {
    let mut all = Kinds::new();
    for (name, module) in netlist["modules"].as_object().into_iter().flatten() {
        let module_kinds = all.entry(name.clone()).or_default();
        let cells = module["cells"].as_object().into_iter().flat_map(|cells| cells.values());
        for kind in cells.filter_map(|cell| cell["type"].as_str()) {
            *module_kinds.entry(kind.to_string()).or_insert(0) += 1;
        }
    }
    all
}

/// Cells of `times` instances of a module, those of kept modules of the design (`own`) inside it
/// included.
fn count_cells(
    modules: &Kinds,
    name: &str,
    own: &[&str],
    times: u32,
    into: &mut BTreeMap<String, u32>,
) {
    for (kind, n) in modules.get(name).into_iter().flatten() {
        if own.contains(&kind.as_str()) {
            count_cells(modules, kind, own, times * n, into);
        } else {
            *into.entry(kind.clone()).or_insert(0) += times * n;
        }
    }
}

/// A placement and routing by nextpnr for the iCE40 HX8K.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Routing {
    /// Clock rate in MHz; `None` for a design without a clock.
    pub mhz: Option<f64>,
    /// Logic cells used.
    pub cells: u64,
    /// Wall time of both tools in seconds, when they ran.
    pub seconds: f64,
    /// Our estimate of the clock rate for the same chip.
    pub estimate_mhz: f64,
    /// And of its look-up tables.
    pub estimate_luts: u32,
}

impl std::fmt::Display for Routing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mhz = self.mhz.map_or("-".into(), |mhz| format!("{mhz:.0}"));
        let Routing { cells, seconds, estimate_mhz, estimate_luts, .. } = self;
        write!(
            f,
            "{mhz} MHz, {cells} logic cells in {seconds:.1} s; estimates {estimate_mhz:.0} MHz, \
             {estimate_luts} LUTs"
        )
    }
}

/// Places and routes the design for an iCE40 HX8K (no multiplier blocks) with a fixed seed.
///
/// # Errors
/// Yosys or nextpnr is missing or fails, as for designs with more than 206 pins.
pub fn nextpnr(top: &Block) -> Result<Routing, UseError> {
    let folder = scratch()?;
    let f = folder.path();
    put(f, "design.v", &verilog::design(top))?;
    let script =
        format!("read_verilog design.v; synth_ice40 -flatten -top {} -json out.json", top.name());
    let options =
        "--hx8k --package ct256 --seed 1 --json out.json --report report.json --asc out.asc -q";
    let options: Vec<&str> = options.split(' ').collect();
    let calls: [Call<'_>; 2] = [("yosys", &["-q", "-p", &script]), ("nextpnr-ice40", &options)];
    let Answer { text, seconds } = ask(f, &calls, |_| read(f, "report.json"))?;
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| UseError(format!("the report of nextpnr: {e}")))?;
    let clocks = json["fmax"].as_object().into_iter().flat_map(|o| o.values());
    let rates = clocks.filter_map(|c| c["achieved"].as_f64());
    let mhz = rates.fold(None, |least: Option<f64>, v| Some(least.map_or(v, |l| l.min(v))));
    let cells = json["utilization"]["ICESTORM_LC"]["used"].as_u64().unwrap_or(0);
    let estimate = Estimate::new(top, &Device::HX8K, Multipliers::Logic);
    let (estimate_mhz, estimate_luts) = (estimate.mhz, estimate.total.luts);
    Ok(Routing { mhz, cells, seconds, estimate_mhz, estimate_luts })
}

/// Clocks per second of the design's Verilog under Verilator, over `cycles` clocks in which every
/// input changes.
///
/// # Errors
/// Verilator or a C++ compiler is missing, or fails.
pub fn verilator_rate(top: &Block, cycles: u64) -> Result<f64, UseError> {
    let folder = scratch()?;
    let f = folder.path();
    let name = top.name();
    put(f, "design.v", &verilog::design(top))?;
    let clock = top.clock().unwrap_or("clk");
    let inputs: String =
        top.inputs().iter().map(|p| format!("    top.{} = i * 7919;\n", p.name)).collect();
    let outputs: String =
        top.outputs().iter().map(|p| format!("    sum += top.{};\n", p.name)).collect();
    put(
        f,
        "main.cpp",
        &format!(
            "#include <chrono>\n#include <cstdio>\n#include \"V{name}.h\"\nint main() {{\n  \
             V{name} top;\n  \
             unsigned long long sum = 0;\n  auto start = std::chrono::steady_clock::now();\n  \
             for (unsigned long long i = 0; i < {cycles}ull; i++) {{\n{inputs}    top.{clock} = 0; \
             top.eval();\n{outputs}    \
             top.{clock} = 1; top.eval();\n  }}\n  std::chrono::duration<double> s = \
             std::chrono::steady_clock::now() - start;\n  \
             std::printf(\"%llu %.9f\\n\", sum, s.count());\n}}\n"
        ),
    )?;
    let options =
        ["--cc", "--exe", "--build", "-O3", "-Wno-fatal", "-CFLAGS", "-O3", "--top-module", name];
    run(f, "verilator", &[&options[..], &["design.v", "main.cpp"]].concat())?;
    let program = f.join("obj_dir").join(format!("V{name}"));
    let text = run(f, &program.display().to_string(), &[])?;
    let seconds = text.split_whitespace().nth(1).and_then(|s| s.parse::<f64>().ok());
    seconds
        .map(|s| cycles as f64 / s)
        .ok_or_else(|| UseError(format!("the program of Verilator printed: {text}")))
}
