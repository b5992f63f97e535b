//! One kernel ready to be launched: its arguments in memory, and how it is to run.

use serde::Deserialize;
use simt::device::DeviceModel;
use simt::fault::Fault;
use simt::opencl::{Arg, NdRange};
use simt::report::LaunchReport;
use simt::stages::signature;
use simt::{ExecOptions, Instance, KernelInfo, Language, Launch, Memory, Program};

use crate::args::{self, Elem, Value};

/// How a kernel is launched, as `cargo lab kernel` and the playground take it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Launching {
    /// Kernel, if the file has several.
    pub kernel: Option<String>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Work-items of an OpenCL C kernel; without it, those of grid and block.
    pub global: Option<[u32; 3]>,
    /// Work-items of a group.
    pub local: Option<[u32; 3]>,
    /// First global id.
    pub offset: [u32; 3],
    /// Bytes of `extern __shared__` memory.
    pub shared: u32,
    /// Arguments, see [`args`].
    pub args: Vec<String>,
    /// Warp instructions after which the launch is stopped.
    pub steps: Option<u64>,
    /// Look for data races.
    pub races: bool,
    /// Look for reads of never-written memory.
    pub uninit: bool,
}

impl Default for Launching {
    /// One block of a warp, all checks on.
    fn default() -> Launching {
        Launching {
            kernel: None,
            grid: [1; 3],
            block: [32, 1, 1],
            global: None,
            local: None,
            offset: [0; 3],
            shared: 0,
            args: Vec::new(),
            steps: None,
            races: true,
            uninit: true,
        }
    }
}

/// The kernel called `name` (in the source or for the host), or the only one. Blanks in
/// `sum<int, 4>` do not matter, and the template arguments may be left out if there is one
/// instance.
///
/// # Errors
/// Lists the kernels of the file.
pub fn pick<'a>(program: &'a Program, name: Option<&str>) -> Result<&'a KernelInfo, String> {
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
            Err(format!("the file has no kernel (no {word} function)"))
        }
        (None, [only]) => Ok(only),
        (None, _) => Err(format!("the file has several kernels, choose with --kernel:{}", list())),
        (Some(name), _) => {
            let mut instances = kernels.iter().filter(|k| k.name.split('<').next() == Some(name));
            let only = instances.next().filter(|_| instances.next().is_none());
            let named = kernels.iter().find(|k| tight(&k.name) == tight(name) || k.symbol == name);
            named
                .or(only)
                .ok_or_else(|| format!("no kernel is called `{name}`; the file has:{}", list()))
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
    /// Picks the kernel and puts the arguments into memory.
    ///
    /// # Errors
    /// What is wrong, with the kernel's signature where arguments do not fit.
    pub fn new(
        device: &'static DeviceModel,
        program: &Program,
        how: &Launching,
    ) -> Result<Session, String> {
        let kernel = pick(program, how.kernel.as_deref())?.clone();
        let values = args::bind(&kernel.params, &how.args)
            .map_err(|e| format!("{e}\n{}", how_to_call(&kernel)))?;
        let memory = Memory::new(device.memory_bytes);
        let full = |e: simt::MemoryError| e.to_string();
        let instance = Instance::load(program, &memory).map_err(full)?;
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
            races: how.races,
            uninit: how.uninit,
            step_limit: how.steps.unwrap_or(defaults.step_limit),
            ..defaults
        };
        let launch = match program.module().language {
            Language::OpenClC => opencl_launch(device, &kernel, how, &bytes)?,
            Language::CudaC => cuda_launch(how, bytes)?,
        };
        Ok(Session { device, memory, instance, kernel, launch, options, buffers })
    }

    /// Launches the kernel and looks at what the host takes of it.
    ///
    /// # Errors
    /// The fault that stopped it.
    pub fn run(&self) -> Result<LaunchReport, Box<Fault>> {
        let symbol = &self.kernel.symbol;
        simt::launch(self.device, &self.memory, &self.instance, symbol, &self.launch, &self.options)
    }

    /// [`Session::run`]; then the shown buffers must not have been made of never-written memory.
    ///
    /// # Errors
    /// The fault that stopped the kernel, or that a buffer shows.
    pub fn run_and_take(&self) -> Result<LaunchReport, Box<Fault>> {
        let report = self.run()?;
        let origin = |b: &Allocated| self.memory.origin(b.base, (b.count * b.elem.size) as u64);
        let fault: Option<Fault> = self.shown(&report).find_map(origin);
        fault.map_or(Ok(report), |fault| Err(Box::new(fault)))
    }

    /// The buffers that the kernel wrote, and those given as outputs.
    pub fn shown<'a>(&'a self, report: &'a LaunchReport) -> impl Iterator<Item = &'a Allocated> {
        self.buffers.iter().filter(|b| b.is_output || report.written.contains(&b.base))
    }

    /// The bytes of a buffer, and the index of the first element that was never written.
    ///
    /// # Errors
    /// The memory has no such buffer.
    pub fn content(&self, buffer: &Allocated) -> Result<(Vec<u8>, Option<usize>), String> {
        let mut bytes = vec![0; buffer.count * buffer.elem.size];
        let state = self.memory.read(buffer.base, &mut bytes).map_err(|e| e.to_string())?;
        Ok((bytes, state.first_unwritten.map(|offset| offset as usize / buffer.elem.size)))
    }

    /// The warnings of the compiler, with their source lines.
    pub fn warnings(&self) -> String {
        let program = self.instance.program();
        program.warnings().iter().map(|w| w.render(program.sources())).collect()
    }
}

fn cuda_launch(how: &Launching, values: Vec<Arg>) -> Result<Launch, String> {
    if how.global.is_some() {
        return Err("--global is for OpenCL C (.cl files): give --grid and --block".into());
    }
    let bytes = |arg| match arg {
        Arg::Bytes(bytes) => bytes,
        Arg::Local(_) => Vec::new(),
    };
    Ok(Launch {
        grid: how.grid,
        block: how.block,
        dynamic_shared: how.shared,
        args: values.into_iter().map(bytes).collect(),
        ..Launch::default()
    })
}

/// By `--global` and `--local`, or by `--grid` and `--block`: as many groups, of as many
/// work-items.
fn opencl_launch(
    device: &DeviceModel,
    kernel: &KernelInfo,
    how: &Launching,
    values: &[Arg],
) -> Result<Launch, String> {
    let wide = |v: [u32; 3]| v.map(u64::from);
    let (global, local) = match how.global {
        Some(global) => (wide(global), how.local.map(wide)),
        None => {
            let (grid, block) = (wide(how.grid), wide(how.block));
            (std::array::from_fn(|axis| grid[axis] * block[axis]), Some(block))
        }
    };
    let used = (0..3).rev().find(|axis| global[*axis] > 1);
    let range = NdRange {
        work_dim: used.map_or(1, |axis| axis as u32 + 1),
        offset: wide(how.offset),
        global,
        local,
    };
    simt::opencl::prepare(device, kernel, &range, values).map_err(|e| e.message)
}

/// The signature of `kernel`, and arguments that would fit it.
fn how_to_call(kernel: &KernelInfo) -> String {
    let arguments = kernel.params.iter().map(|p| {
        let recipe = args::example(p, "out", 1000).replace(' ', "\\ ");
        format!("{}={recipe}", p.name)
    });
    let example: Vec<String> = arguments.collect();
    format!("  kernel:     {}\n  for example: --arg {}", signature(kernel), example.join(" "))
}
