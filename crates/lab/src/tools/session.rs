//! What the tools share: compiling a file, binding arguments, and one kernel ready to be launched.

use std::path::{Path, PathBuf};

use simt::device::{self, DeviceModel};
use simt::fault::Fault;
use simt::opencl::{Arg, NdRange};
use simt::report::LaunchReport;
use simt::stages::signature;
use simt::{CompileOptions, ExecOptions, Instance, KernelInfo, Language, Launch, Memory, Program};

use super::Failure;
use super::args::{self, Elem, Value};

/// Options of the compiler.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CompileArgs {
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for #include "..." files in DIR too (the file's own folder comes first)
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Fuse a*b+c into one rounding, as nvcc does unless told otherwise
    #[arg(long)]
    pub fmad: bool,
}

/// Options of a launch.
#[derive(Clone, Debug, clap::Args)]
pub struct LaunchArgs {
    /// Options of the compiler.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Kernel to run, if the file has several
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Work-items of an OpenCL C kernel (a .cl file)
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent, conflicts_with_all = ["grid", "block"])]
    pub global: Option<[u32; 3]>,
    /// Work-items of a group [default: chosen]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent, requires = "global")]
    pub local: Option<[u32; 3]>,
    /// First global id
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = first, requires = "global")]
    pub offset: Option<[u32; 3]>,
    /// Number of blocks
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "1", value_parser = extent)]
    pub grid: [u32; 3],
    /// Threads of a block
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "32", value_parser = extent)]
    pub block: [u32; 3],
    /// Bytes of `extern __shared__` memory
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// Arguments of the kernel, in order or as NAME=... (see below)
    #[arg(long = "arg", value_name = "ARG", num_args = 1.., allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// GPU that is stood in for [default: LAB_GPU, or h200]
    #[arg(long, value_name = "KEY")]
    pub gpu: Option<String>,
    /// Warp instructions after which the launch is stopped
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Do not look for data races
    #[arg(long)]
    pub no_races: bool,
    /// Do not look for reads of never-written memory
    #[arg(long)]
    pub no_uninit: bool,
}

/// `4`, `4,2` or `4x2x1`.
pub fn extent(text: &str) -> Result<[u32; 3], String> {
    let mut out = [1; 3];
    let parts: Vec<&str> = text.split([',', 'x']).collect();
    if parts.len() > 3 {
        return Err("expected one to three numbers, as in 4 or 4,2".into());
    }
    for (slot, part) in out.iter_mut().zip(parts) {
        *slot = part.trim().parse().map_err(|_| format!("`{part}` is not a number from 0 up"))?;
    }
    Ok(out)
}

/// As [`extent`], with 0 for the axes left out.
fn first(text: &str) -> Result<[u32; 3], String> {
    let mut out = extent(text)?;
    out[text.split([',', 'x']).count()..].fill(0);
    Ok(out)
}

/// The device of `--gpu`, else of `LAB_GPU`.
///
/// # Errors
/// Lists the known keys.
pub fn device_for(key: Option<&str>) -> Result<&'static DeviceModel, Failure> {
    match key {
        Some(key) => device::lookup(key),
        None => device::from_env(),
    }
    .map_err(Failure::usage)
}

/// The architecture of `--arch`, else that of `LAB_GPU`, such as `sm_90`.
///
/// # Errors
/// An unknown key in `LAB_GPU`.
pub fn architecture(given: Option<&str>) -> Result<String, Failure> {
    if let Some(arch) = given {
        return Ok(arch.to_string());
    }
    let d = device_for(None)?;
    Ok(format!("sm_{}{}", d.cc.0, d.cc.1))
}

/// The text of a source file, and the options to compile it with.
///
/// # Errors
/// The file cannot be read.
pub fn source(file: &Path, args: &CompileArgs) -> Result<(String, CompileOptions), Failure> {
    let name = file.display().to_string();
    let bytes = std::fs::read(file).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
    let text = simt::source::decode(bytes);
    let own = file.parent().map(|dir| match dir.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => dir.to_path_buf(),
    });
    let options = CompileOptions {
        language: Language::of_file(&name),
        file: name,
        defines: args.define.clone(),
        include_dirs: own.into_iter().chain(args.include.iter().cloned()).collect(),
        contract: args.fmad,
        ..CompileOptions::default()
    };
    Ok((text, options))
}

/// Compiles a file.
///
/// # Errors
/// The compiler's messages, code 1; code 2 if the file cannot be read.
pub fn compile(file: &Path, args: &CompileArgs) -> Result<Program, Failure> {
    let (text, options) = source(file, args)?;
    Program::compile(&text, &options).map_err(|e| Failure::kernel(e.to_string()))
}

/// The kernel called `name` (in the source or for the host), or the only one. Blanks in
/// `sum<int, 4>` do not matter, and the template arguments may be left out if there is one
/// instance.
///
/// # Errors
/// Lists the kernels of the file.
pub fn pick<'a>(program: &'a Program, name: Option<&str>) -> Result<&'a KernelInfo, Failure> {
    let kernels = program.kernels();
    let list = || {
        let lines: Vec<String> = kernels.iter().map(|k| format!("\n  {}", signature(k))).collect();
        lines.concat()
    };
    match (name, kernels) {
        (_, []) => {
            let word = match program.module().language {
                Language::CudaC => "__global__",
                Language::OpenClC => "__kernel",
            };
            Err(Failure::usage(format!("the file has no kernel (no {word} function)")))
        }
        (None, [only]) => Ok(only),
        (None, _) => Err(Failure::usage(format!(
            "the file has several kernels, choose with --kernel:{}",
            list()
        ))),
        (Some(name), _) => {
            let mut instances = kernels.iter().filter(|k| k.name.split('<').next() == Some(name));
            let only = instances.next().filter(|_| instances.next().is_none());
            let named = kernels.iter().find(|k| tight(&k.name) == tight(name) || k.symbol == name);
            named.or(only).ok_or_else(|| {
                Failure::usage(format!("no kernel is called `{name}`; the file has:{}", list()))
            })
        }
    }
}

fn tight(name: &str) -> String {
    name.split_whitespace().collect()
}

/// A buffer in the device's memory.
#[derive(Clone, Debug)]
pub struct Allocated {
    /// The kernel's parameter.
    pub name: String,
    /// Address.
    pub base: u64,
    /// Element type.
    pub elem: Elem,
    /// Number of elements.
    pub count: usize,
    /// It was given as `out`.
    pub is_output: bool,
}

/// A kernel ready to be launched.
#[derive(Debug)]
pub struct Session {
    /// GPU that is stood in for.
    pub device: &'static DeviceModel,
    /// Its memory.
    pub memory: Memory,
    /// The loaded program.
    pub instance: Instance,
    /// The kernel.
    pub kernel: KernelInfo,
    /// Grid, block, arguments.
    pub launch: Launch,
    /// Checks and limits.
    pub options: ExecOptions,
    /// Buffers of the arguments, in the order of the parameters.
    pub buffers: Vec<Allocated>,
}

impl Session {
    /// Compiles `file`, picks the kernel and puts the arguments into memory.
    ///
    /// # Errors
    /// Everything that can be wrong with the command line, with the kernel's signature where
    /// arguments do not fit.
    pub fn new(file: &Path, args: &LaunchArgs) -> Result<Session, Failure> {
        let device = device_for(args.gpu.as_deref())?;
        let program = compile(file, &args.compile)?;
        let kernel = pick(&program, args.kernel.as_deref())?.clone();
        let values = args::bind(&kernel.params, &args.args)
            .map_err(|e| Failure::usage(format!("{e}\n{}", how_to_call(&kernel))))?;
        let memory = Memory::new(device.memory_bytes);
        let full = |e: simt::MemoryError| Failure::usage(e);
        let instance = Instance::load(&program, &memory).map_err(full)?;
        let mut buffers = Vec::new();
        let mut bytes = Vec::new();
        for (param, value) in kernel.params.iter().zip(values) {
            bytes.push(match value {
                Value::Scalar(bytes) => Arg::Bytes(bytes),
                Value::Null => Arg::Bytes(vec![0; 8]),
                Value::Local(bytes) => Arg::Local(bytes),
                Value::Buffer(buffer) => {
                    let size = (buffer.count * buffer.elem.size) as u64;
                    let base = memory.alloc(size, &param.name).map_err(full)?;
                    if let Some(data) = &buffer.data {
                        memory.write(base, data).map_err(full)?;
                    }
                    buffers.push(Allocated {
                        name: param.name.clone(),
                        base,
                        is_output: buffer.data.is_none(),
                        elem: buffer.elem,
                        count: buffer.count,
                    });
                    Arg::Bytes(base.to_le_bytes().to_vec())
                }
            });
        }
        let defaults = ExecOptions::default();
        let options = ExecOptions {
            races: !args.no_races,
            uninit: !args.no_uninit,
            step_limit: args.steps.unwrap_or(defaults.step_limit),
            ..defaults
        };
        let launch = match program.module().language {
            Language::OpenClC => opencl_launch(device, &kernel, args, &bytes)?,
            Language::CudaC => cuda_launch(args, bytes)?,
        };
        Ok(Session { device, memory, instance, kernel, launch, options, buffers })
    }

    /// Launches the kernel.
    ///
    /// # Errors
    /// The fault that stopped it.
    pub fn run(&self) -> Result<LaunchReport, Box<Fault>> {
        let symbol = &self.kernel.symbol;
        simt::launch(self.device, &self.memory, &self.instance, symbol, &self.launch, &self.options)
    }

    /// The warnings of the compiler, with their source lines.
    pub fn warnings(&self) -> String {
        let program = self.instance.program();
        program.warnings().iter().map(|w| w.render(program.sources())).collect()
    }
}

fn cuda_launch(args: &LaunchArgs, values: Vec<Arg>) -> Result<Launch, Failure> {
    if args.global.is_some() {
        let text = "--global is for OpenCL C (.cl files): give --grid and --block";
        return Err(Failure::usage(text));
    }
    let bytes = |arg| match arg {
        Arg::Bytes(bytes) => bytes,
        Arg::Local(_) => Vec::new(),
    };
    Ok(Launch {
        grid: args.grid,
        block: args.block,
        dynamic_shared: args.shared,
        args: values.into_iter().map(bytes).collect(),
        ..Launch::default()
    })
}

/// By `--global` and `--local`, or by `--grid` and `--block`: as many groups, of as many
/// work-items.
fn opencl_launch(
    device: &DeviceModel,
    kernel: &KernelInfo,
    args: &LaunchArgs,
    values: &[Arg],
) -> Result<Launch, Failure> {
    let wide = |v: [u32; 3]| v.map(u64::from);
    let (global, local) = match args.global {
        Some(global) => (wide(global), args.local.map(wide)),
        None => {
            let (grid, block) = (wide(args.grid), wide(args.block));
            (std::array::from_fn(|axis| grid[axis] * block[axis]), Some(block))
        }
    };
    let used = (0..3).rev().find(|axis| global[*axis] > 1);
    let range = NdRange {
        work_dim: used.map_or(1, |axis| axis as u32 + 1),
        offset: wide(args.offset.unwrap_or_default()),
        global,
        local,
    };
    simt::opencl::prepare(device, kernel, &range, values).map_err(|e| Failure::usage(e.message))
}

/// The signature of `kernel`, and arguments that would fit it.
fn how_to_call(kernel: &KernelInfo) -> String {
    let mut first_pointer = true;
    let example: Vec<String> = kernel
        .params
        .iter()
        .map(|p| match &p.pointee {
            Some((to, _)) if p.space == simt::hir::Space::Shared => {
                format!("{}=local:{to}:256", p.name)
            }
            Some((to, _)) => {
                let recipe = if std::mem::take(&mut first_pointer) { "out" } else { "rand" };
                format!("{}={recipe}:{}:1000", p.name, to.replace(' ', "\\ "))
            }
            None => format!("{}=1000", p.name),
        })
        .collect();
    format!("  kernel:     {}\n  for example: --arg {}", signature(kernel), example.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents() {
        assert_eq!(extent("4"), Ok([4, 1, 1]));
        assert_eq!(extent("4,2"), Ok([4, 2, 1]));
        assert_eq!(extent("16x8x2"), Ok([16, 8, 2]));
        for bad in ["", "a", "1,2,3,4", "-1", "1,,2"] {
            assert!(extent(bad).is_err(), "{bad}");
        }
    }
}
