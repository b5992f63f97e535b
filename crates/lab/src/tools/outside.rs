//! NVIDIA's tools, where they are installed. Nothing needs them; what uses them says so when they are missing.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program `name`: on `PATH`, or in the `bin` folder of a CUDA toolkit (`CUDA_HOME`, `CUDA_PATH`, the usual place).
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os);
    let toolkits = toolkits.map(PathBuf::from).chain([PathBuf::from("/usr/local/cuda")]);
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path)
        .chain(toolkits.map(|dir| dir.join("bin")))
        .map(|dir| dir.join(&file))
        .find(|path| path.is_file())
}

/// Runs `tool` with `args` and returns what it printed.
///
/// # Errors
/// The tool's own messages if it fails, or why it could not be started.
pub fn run(tool: &Path, args: &[&std::ffi::OsStr]) -> Result<String, String> {
    let output = Command::new(tool)
        .args(args)
        .output()
        .map_err(|e| format!("{} cannot be started: {e}", tool.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} failed ({}):\n{text}{errors}", tool.display(), output.status))
}

/// The options of the compiler as `nvcc` spells them.
pub fn nvcc_options(args: &super::session::CompileArgs) -> Vec<std::ffi::OsString> {
    let mut out = Vec::new();
    for define in &args.define {
        out.push(format!("-D{define}").into());
    }
    for dir in &args.include {
        out.push("-I".into());
        out.push(dir.clone().into_os_string());
    }
    out.push(format!("--fmad={}", args.fmad).into());
    out
}
