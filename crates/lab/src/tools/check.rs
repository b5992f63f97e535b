//! `cargo lab check`: a whole source file as it stands, compiled and run by a small run file, with
//! what compute-sanitizer would find and what ncu would count.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use simt::fault::{Fault, Site};
use simt::render::launch_table;
use simt::report::LaunchReport;
use simt::source::Location;
use simt::texture::{Address, Texture};
use simt::{ExecOptions, Instance, Language, Launch, Memory, Program};

use super::Failure;
use super::args::{self, Elem, Value};
use super::kernel::print_printf;
use super::run_file;
use super::session::{CompileArgs, device_for, extent, pick, source};

const HELP: &str = "\
The run file has one line for each thing to do, in order; # begins a comment:
  buffer NAME RECIPE                device memory, as in `cargo lab kernel`: rand:float:100, out:int:8
  symbol NAME RECIPE                a __device__ or __constant__ variable
  texture NAME BUFFER WxHxD CHANNELS [linear] [wrap|mirror|border] [unit] [values]
                                    of OpenCL C: an image, whose sampler says the rest
  launch KERNEL<<<GRID, BLOCK[, SHARED]>>>(ARG, ...)
                                    ARG is a buffer, a texture, a number, or a recipe;
                                    GRID and BLOCK as in 8 or 8x4; in OpenCL C they are groups and group size
  expect NAME RECIPE [within TOLERANCE]
                                    what the buffer must hold: list:int:1,2,3 or file:want.npy

Without --run it is FILE with the ending .run; without one the file is compiled only.

Example:
  cargo lab check add.cu --run add.run --sarif findings.sarif";

/// Options of `cargo lab check`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// CUDA C file, or OpenCL C file (.cl), with or without host code
    pub file: PathBuf,
    /// What to launch, and what must come out (see below)
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Options of the compiler.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// GPU that is stood in for [default: LAB_GPU, or h200]
    #[arg(long, value_name = "KEY")]
    pub gpu: Option<String>,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the findings in the format SARIF 2.1.0, for editors and servers
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
}

/// Something wrong, as all outputs show it.
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    /// `COMPILE`, `EXPECT`, or the fault's code.
    code: String,
    message: String,
    at: Option<Location>,
    other: Option<Location>,
    /// The whole text for people.
    text: String,
    warning: bool,
}

/// What a check has brought.
#[derive(Default)]
struct Outcome {
    kernels: Vec<String>,
    /// A run file to begin with.
    draft: String,
    launches: Vec<LaunchReport>,
    findings: Vec<Finding>,
}

/// Memory that the run file names.
struct Named {
    base: u64,
    elem: Elem,
    count: usize,
}

impl Args {
    /// Compiles, runs and compares.
    ///
    /// # Errors
    /// A wrong command line, a file that cannot be read, a line of the run file that makes no
    /// sense. Findings are no error: they are shown, and the exit code is 1.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let mut outcome = Outcome::default();
        let (text, options) = source(&self.file, &self.compile)?;
        match Program::compile(&text, &options) {
            Err(refusal) => {
                let sources = &refusal.sources;
                let all = refusal.diagnostics.iter();
                outcome.findings.extend(all.map(|d| of_compiler(d, sources)));
            }
            Ok(program) => {
                let warnings = program.warnings().iter();
                outcome.findings.extend(warnings.map(|d| of_compiler(d, program.sources())));
                outcome.kernels = program.kernels().iter().map(|k| k.name.clone()).collect();
                outcome.draft = run_file::draft(program.kernels());
                if let Some(file) = self.run_file() {
                    let name = file.display().to_string();
                    let lines = std::fs::read_to_string(&file)
                        .map_err(|e| Failure::usage(format!("{name}: {e}")))?;
                    self.execute(&program, &name, &lines, &mut outcome)?;
                }
            }
        }
        if let Some(file) = &self.sarif {
            let text = serde_json::to_string_pretty(&sarif(&outcome.findings));
            std::fs::write(file, text.map_err(Failure::usage)? + "\n")
                .map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
        }
        match self.json {
            true => write_json(out, &outcome)?,
            false => self.write_text(out, &outcome)?,
        }
        Ok(u8::from(outcome.findings.iter().any(|f| !f.warning)))
    }

    fn run_file(&self) -> Option<PathBuf> {
        let beside = || Some(self.file.with_extension("run")).filter(|f| f.is_file());
        self.run.clone().or_else(beside)
    }

    fn execute(
        &self,
        program: &Program,
        file: &str,
        lines: &str,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let device = device_for(self.gpu.as_deref())?;
        let memory = Memory::new(device.memory_bytes);
        let instance = Instance::load(program, &memory).map_err(Failure::usage)?;
        let mut run = Run { device, memory, instance, named: BTreeMap::new() };
        for (number, line) in lines.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let here = |e: String| Failure::usage(format!("{file}:{}: {e}", number + 1));
            let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            match verb {
                "buffer" | "symbol" => run.buffer(verb == "symbol", rest).map_err(here)?,
                "texture" => run.texture(rest).map_err(here)?,
                "launch" => match run.launch(rest).map_err(here)? {
                    Ok(report) => outcome.launches.push(report),
                    Err(fault) => {
                        outcome.findings.push(of_fault(&fault));
                        outcome.findings.extend(fault.also.iter().map(of_fault));
                        return Ok(());
                    }
                },
                "expect" => outcome.findings.extend(run.expect(rest).map_err(here)?),
                _ => {
                    let known = "buffer, symbol, texture, launch, expect";
                    return Err(here(format!("`{verb}` is none of {known}")));
                }
            }
        }
        Ok(())
    }

    fn write_text(&self, out: &mut dyn Write, outcome: &Outcome) -> Result<(), Failure> {
        for f in &outcome.findings {
            for line in f.text.lines() {
                writeln!(out, "========= {line}")?;
            }
            writeln!(out, "=========")?;
        }
        for report in &outcome.launches {
            print_printf(out, report)?;
            write!(out, "{}", launch_table(report))?;
        }
        let errors = outcome.findings.iter().filter(|f| !f.warning).count();
        let plural = if errors == 1 { "" } else { "s" };
        if outcome.launches.is_empty() && errors == 0 {
            let kernels = outcome.kernels.join(", ");
            writeln!(out, "compiled: {}", if kernels.is_empty() { "no kernel" } else { &kernels })?;
            if self.run_file().is_none() && !outcome.kernels.is_empty() {
                let file = self.file.with_extension("run");
                writeln!(out, "nothing was launched: the host's part of a file is not run")?;
                writeln!(
                    out,
                    "{} says what to launch (--help has all); to begin with:",
                    file.display()
                )?;
                write!(out, "{}", outcome.draft)?;
            }
        }
        writeln!(out, "========= ERROR SUMMARY: {errors} error{plural}")?;
        Ok(())
    }
}

/// A program on its way through a run file.
struct Run {
    device: &'static simt::device::DeviceModel,
    memory: Memory,
    instance: Instance,
    named: BTreeMap<String, Named>,
}

impl Run {
    fn buffer(&mut self, symbol: bool, rest: &str) -> Result<(), String> {
        let (name, recipe) = rest.split_once(char::is_whitespace).ok_or("NAME and RECIPE")?;
        let made = args::buffer_of(recipe.trim())?;
        let bytes = (made.count * made.elem.size) as u64;
        let base = if symbol {
            let found = self.instance.global(name);
            let (base, has) = found.ok_or_else(|| format!("there is no variable `{name}`"))?;
            if has != bytes {
                return Err(format!("`{name}` has {has} bytes, but {bytes} are given"));
            }
            base
        } else {
            self.memory.alloc(bytes, name).map_err(|e| e.to_string())?
        };
        if let Some(data) = &made.data {
            self.memory.write(base, data).map_err(|e| e.to_string())?;
        }
        let named = Named { base, elem: made.elem, count: made.count };
        self.named.insert(name.to_string(), named);
        Ok(())
    }

    fn texture(&mut self, rest: &str) -> Result<(), String> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [name, over, size, channels, flags @ ..] = &words[..] else {
            return Err("NAME BUFFER WxHxD CHANNELS".into());
        };
        let buffer = self.named.get(*over).ok_or_else(|| format!("no buffer `{over}`"))?;
        let known = ["linear", "wrap", "mirror", "border", "unit", "values"];
        if let Some(odd) = flags.iter().find(|f| !known.contains(f)) {
            return Err(format!("`{odd}` is none of {}", known.join(", ")));
        }
        let has = |flag: &str| flags.contains(&flag);
        let channels: u32 = channels.parse().map_err(|_| "CHANNELS is 1, 2 or 4")?;
        let size = extent(size)?;
        let bits = 8 * (buffer.elem.size / buffer.elem.lanes) as u32;
        let texture = Texture {
            data: buffer.base,
            size,
            pitch: size[0] * channels * bits / 8,
            channels,
            bits,
            signed: !matches!(buffer.elem.base, args::Base::Int { signed: false, .. }),
            linear: has("linear"),
            address: match () {
                () if has("wrap") => Address::Wrap,
                () if has("mirror") => Address::Mirror,
                () if has("border") => Address::Border,
                () => Address::Clamp,
            },
            unit_coords: has("unit"),
            unit_values: has("values"),
        };
        let base = match self.instance.global(name) {
            Some((base, _)) => base,
            None => {
                let bytes = Texture::BYTES as u64;
                self.memory.alloc(bytes, name).map_err(|e| e.to_string())?
            }
        };
        self.memory.write(base, &texture.bytes()).map_err(|e| e.to_string())?;
        let elem = Elem::parse("u8").ok_or("no bytes")?;
        self.named.insert((*name).to_string(), Named { base, elem, count: Texture::BYTES });
        Ok(())
    }

    fn launch(&mut self, rest: &str) -> Result<Result<LaunchReport, Box<Fault>>, String> {
        let form = "KERNEL<<<GRID, BLOCK>>>(ARG, ...)";
        let (name, rest) = rest.split_once("<<<").ok_or(form)?;
        let (shape, rest) = rest.split_once(">>>").ok_or(form)?;
        let given = rest.trim().strip_prefix('(').and_then(|r| r.strip_suffix(')')).ok_or(form)?;
        let kernel = pick(self.instance.program(), Some(name.trim()))
            .map_err(|e| e.message.trim().to_string())?
            .clone();
        let shape: Vec<&str> = shape.split(',').map(str::trim).collect();
        let [grid, block, shared @ ..] = &shape[..] else { return Err(form.into()) };
        let given: Vec<&str> = given.split(", ").map(str::trim).filter(|a| !a.is_empty()).collect();
        if given.len() != kernel.params.len() {
            let (want, has) = (kernel.params.len(), given.len());
            return Err(format!("`{}` has {want} parameter(s), {has} are given", kernel.name));
        }
        let mut values = Vec::new();
        for (param, text) in kernel.params.iter().zip(given) {
            if let Some(named) = self.named.get(text) {
                values.push(simt::opencl::Arg::Bytes(named.base.to_le_bytes().to_vec()));
                continue;
            }
            let mut bound = args::bind(std::slice::from_ref(param), &[text.to_string()])?;
            values.push(match bound.pop() {
                Some(Value::Scalar(bytes)) => simt::opencl::Arg::Bytes(bytes),
                Some(Value::Local(bytes)) => simt::opencl::Arg::Local(bytes),
                Some(Value::Buffer(b)) => {
                    let bytes = (b.count * b.elem.size) as u64;
                    let base = self.memory.alloc(bytes, &param.name).map_err(|e| e.to_string())?;
                    if let Some(data) = &b.data {
                        self.memory.write(base, data).map_err(|e| e.to_string())?;
                    }
                    simt::opencl::Arg::Bytes(base.to_le_bytes().to_vec())
                }
                _ => simt::opencl::Arg::Bytes(vec![0; 8]),
            });
        }
        let (grid, block) = (extent(grid)?, extent(block)?);
        let launch = match self.instance.program().module().language {
            Language::OpenClC => {
                let global = std::array::from_fn(|a| u64::from(grid[a]) * u64::from(block[a]));
                let range = simt::opencl::NdRange {
                    work_dim: (0..3u32)
                        .rev()
                        .find(|a| global[*a as usize] > 1)
                        .map_or(1, |a| a + 1),
                    offset: [0; 3],
                    global,
                    local: Some(block.map(u64::from)),
                };
                simt::opencl::prepare(self.device, &kernel, &range, &values)
                    .map_err(|e| e.message)?
            }
            Language::CudaC => Launch {
                grid,
                block,
                dynamic_shared: match shared {
                    [] => 0,
                    [n, ..] => n.parse().map_err(|_| format!("`{n}` is no number of bytes"))?,
                },
                args: values
                    .into_iter()
                    .map(|v| match v {
                        simt::opencl::Arg::Bytes(bytes) => bytes,
                        simt::opencl::Arg::Local(_) => Vec::new(),
                    })
                    .collect(),
                ..Launch::default()
            },
        };
        let options = ExecOptions::default();
        let (memory, instance) = (&self.memory, &self.instance);
        Ok(simt::launch(self.device, memory, instance, &kernel.symbol, &launch, &options))
    }

    /// What differs, if something does.
    fn expect(&self, rest: &str) -> Result<Option<Finding>, String> {
        let (name, rest) = rest.split_once(char::is_whitespace).ok_or("NAME and RECIPE")?;
        let (recipe, within) = rest.split_once(" within ").unwrap_or((rest, "0"));
        let within: f64 =
            within.trim().parse().map_err(|_| format!("`{within}` is not a tolerance"))?;
        let got = self.named.get(name).ok_or_else(|| format!("no buffer `{name}`"))?;
        let want = args::buffer_of(recipe.trim())?;
        let data = want.data.ok_or("`out` holds nothing to compare with")?;
        if (want.count, want.elem.size) != (got.count, got.elem.size) {
            return Err(format!(
                "`{name}` has {} elements of {} bytes, the expectation {} of {}",
                got.count, got.elem.size, want.count, want.elem.size
            ));
        }
        let mut bytes = vec![0; data.len()];
        let state = self.memory.read(got.base, &mut bytes).map_err(|e| e.to_string())?;
        let size = got.elem.size;
        let pairs = bytes.chunks_exact(size).zip(data.chunks_exact(size));
        let wrong = pairs.enumerate().filter(|(_, (a, b))| {
            let (a, b) = (want.elem.show(a), want.elem.show(b));
            let close = match (a.parse::<f64>(), b.parse::<f64>()) {
                (Ok(a), Ok(b)) => (a - b).abs() <= within * b.abs().max(1.0),
                _ => false,
            };
            a != b && !close
        });
        let wrong: Vec<String> = wrong
            .map(|(i, (a, b))| {
                format!("{name}[{i}] is {}, want {}", want.elem.show(a), want.elem.show(b))
            })
            .collect();
        let unwritten = state.first_unwritten.map(|at| at as usize / size);
        let message = match (&wrong[..], unwritten) {
            ([], None) => return Ok(None),
            (_, Some(i)) => format!("{name}[{i}] was never written"),
            ([first, ..], None) => format!("{} of {} differ: {first}", wrong.len(), got.count),
        };
        let list: String = wrong.iter().take(10).map(|w| format!("  {w}\n")).collect();
        Ok(Some(Finding {
            code: "EXPECT".into(),
            text: format!("expect[{name}]: {message}\n{list}"),
            message,
            at: None,
            other: None,
            warning: false,
        }))
    }
}

fn of_compiler(d: &simt::diag::Diagnostic, sources: &simt::source::SourceMap) -> Finding {
    Finding {
        code: "COMPILE".into(),
        message: d.message.clone(),
        at: Some(sources.locate(d.span)),
        other: d.related.first().map(|(span, _)| sources.locate(*span)),
        text: d.render(sources),
        warning: d.severity == simt::diag::Severity::Warning,
    }
}

fn of_fault(fault: &Fault) -> Finding {
    let place = |site: &Option<Site>| site.as_ref().map(|s| s.at.clone());
    let alone = Fault { also: Vec::new(), ..fault.clone() };
    Finding {
        code: fault.kind.code().to_string(),
        message: fault.message.clone(),
        at: place(&fault.site),
        other: place(&fault.other),
        text: alone.render(),
        warning: false,
    }
}

fn write_json(out: &mut dyn Write, outcome: &Outcome) -> Result<(), Failure> {
    let findings: Vec<Json> = outcome
        .findings
        .iter()
        .map(|f| {
            json!({
                "code": f.code,
                "level": if f.warning { "warning" } else { "error" },
                "message": f.message,
                "at": f.at.as_ref().map(ToString::to_string),
                "other": f.other.as_ref().map(ToString::to_string),
            })
        })
        .collect();
    let all = json!({
        "kernels": outcome.kernels,
        "findings": findings,
        "launches": outcome.launches,
    });
    writeln!(out, "{}", serde_json::to_string_pretty(&all).map_err(Failure::usage)?)?;
    Ok(())
}

/// The findings as a log of SARIF 2.1.0 (OASIS).
fn sarif(findings: &[Finding]) -> Json {
    let place = |at: &Location| {
        json!({
            "physicalLocation": {
                "artifactLocation": { "uri": Path::new(&at.file).display().to_string() },
                "region": { "startLine": at.line, "startColumn": at.col },
            }
        })
    };
    let results: Vec<Json> = findings
        .iter()
        .map(|f| {
            json!({
                "ruleId": f.code,
                "level": if f.warning { "warning" } else { "error" },
                "message": { "text": f.message },
                "locations": f.at.iter().map(place).collect::<Vec<_>>(),
                "relatedLocations": f.other.iter().map(place).collect::<Vec<_>>(),
            })
        })
        .collect();
    let mut codes: Vec<&str> = findings.iter().map(|f| f.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Json> = codes.iter().map(|c| json!({ "id": c })).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "cargo lab check", "rules": rules } },
            "results": results,
        }],
    })
}
