//! What the tools share: options on the command line, and what is made of them.

use std::path::{Path, PathBuf};

use simt::device::{self, DeviceModel};
use simt::{CompileOptions, KernelInfo, Language, Program};
use workbench::session::Launching;

use super::Failure;

pub use workbench::session::{Allocated, Session};

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
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent)]
    #[arg(conflicts_with_all = ["grid", "block"])]
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

impl LaunchArgs {
    fn launching(&self) -> Launching {
        Launching {
            kernel: self.kernel.clone(),
            grid: self.grid,
            block: self.block,
            global: self.global,
            local: self.local,
            offset: self.offset.unwrap_or_default(),
            shared: self.shared,
            args: self.args.clone(),
            steps: self.steps,
            races: !self.no_races,
            uninit: !self.no_uninit,
        }
    }
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
    let own = simt::files::folders_of(file);
    let options = CompileOptions {
        language: Language::of_file(&name),
        file: name,
        defines: args.define.clone(),
        include_dirs: own.chain(args.include.iter().cloned()).collect(),
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

/// The kernel called `name`, or the only one; see [`workbench::session::pick`].
///
/// # Errors
/// Lists the kernels of the file.
pub fn pick<'a>(program: &'a Program, name: Option<&str>) -> Result<&'a KernelInfo, Failure> {
    workbench::session::pick(program, name).map_err(Failure::usage)
}

/// Compiles `file`, picks the kernel and puts the arguments into memory.
///
/// # Errors
/// Everything that can be wrong with the command line, with the kernel's signature where arguments
/// do not fit.
pub fn session(file: &Path, args: &LaunchArgs) -> Result<Session, Failure> {
    let device = device_for(args.gpu.as_deref())?;
    let program = compile(file, &args.compile)?;
    Session::new(device, &program, &args.launching()).map_err(Failure::usage)
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
