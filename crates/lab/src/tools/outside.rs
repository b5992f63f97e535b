//! NVIDIA's tools, where they are installed: nvcc, or NVRTC and ptxas. Nothing needs them; what
//! would use them says so when they are missing.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::session::CompileArgs;

/// `bin` folders of CUDA toolkits: `CUDA_HOME`, `CUDA_PATH`, the usual place.
fn toolkits() -> impl Iterator<Item = PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os);
    named.map(PathBuf::from).chain([PathBuf::from("/usr/local/cuda")])
}

/// The program `name`, on `PATH` or in a CUDA toolkit.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path)
        .chain(toolkits().map(|dir| dir.join("bin")))
        .map(|dir| dir.join(&file))
        .find(|path| path.is_file())
}

/// NVRTC's library lies where the loader looks for it.
fn has_nvrtc() -> bool {
    let list = |name| std::env::var_os(name).unwrap_or_default();
    let (libraries, path) = (list("LD_LIBRARY_PATH"), list("PATH"));
    let usual = ["/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"].map(PathBuf::from);
    let dirs = std::env::split_paths(&libraries)
        .chain(std::env::split_paths(&path))
        .chain(toolkits().map(|dir| dir.join("lib64")))
        .chain(usual);
    dirs.filter_map(|dir| std::fs::read_dir(dir).ok()).flatten().flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libnvrtc.so") || (name.starts_with("nvrtc64") && name.ends_with(".dll"))
    })
}

/// Runs `tool` with `args` and returns what it printed.
///
/// # Errors
/// The tool's own messages if it fails, or why it could not be started.
pub fn run<S: AsRef<OsStr>>(tool: &Path, args: &[S]) -> Result<String, String> {
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

/// The options of the compiler as `nvcc` and NVRTC both spell them.
fn options(args: &CompileArgs) -> Vec<OsString> {
    let mut out: Vec<OsString> = args.define.iter().map(|d| format!("-D{d}").into()).collect();
    for dir in &args.include {
        let mut option = OsString::from("-I");
        option.push(dir);
        out.push(option);
    }
    out.push(format!("--fmad={}", args.fmad).into());
    out
}

/// Runs nvcc on `file` with `mode` (such as `-ptx`), if it is installed.
pub fn nvcc(
    mode: &[&OsStr],
    file: &Path,
    args: &CompileArgs,
    arch: &str,
    to: &Path,
) -> Option<Result<(), String>> {
    let tool = find("nvcc")?;
    let mut all: Vec<OsString> = mode.iter().map(OsString::from).collect();
    all.extend([
        format!("-arch={arch}").into(),
        "-lineinfo".into(),
        "-o".into(),
        to.into(),
        file.into(),
    ]);
    all.extend(options(args));
    Some(run(&tool, &all).map(|_| ()))
}

/// Writes the PTX of `file` to `to`, by nvcc or by NVRTC.
///
/// # Errors
/// What is missing, or what the compiler said.
pub fn ptx(file: &Path, args: &CompileArgs, arch: &str, to: &Path) -> Result<(), String> {
    if let Some(done) = nvcc(&["-ptx".as_ref()], file, args, arch, to) {
        return done;
    }
    if !has_nvrtc() {
        return Err("needs nvcc or NVRTC".into());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut all: Vec<OsString> =
        ["run", "--quiet", "--package", "labkit", "--bin", "labkit-ptx", "--"]
            .map(OsString::from)
            .into();
    all.extend([file.into(), arch.into()]);
    all.extend(options(args));
    let text = run(Path::new(&cargo), &all)?;
    std::fs::write(to, text).map_err(|e| format!("{}: {e}", to.display()))
}

/// Writes the machine code of `file` to `to`, by nvcc, or by ptxas from the PTX.
///
/// # Errors
/// What is missing, or what the compiler said.
pub fn cubin(file: &Path, args: &CompileArgs, arch: &str, to: &Path) -> Result<(), String> {
    if let Some(done) = nvcc(&["-cubin".as_ref()], file, args, arch, to) {
        return done;
    }
    let Some(ptxas) = find("ptxas") else {
        return Err("needs nvcc, or NVRTC and ptxas".into());
    };
    let between = to.with_extension("ptxas-input");
    let made = ptx(file, args, arch, &between).and_then(|()| {
        let all: [OsString; 5] = [
            format!("-arch={arch}").into(),
            "-lineinfo".into(),
            between.clone().into(),
            "-o".into(),
            to.into(),
        ];
        run(&ptxas, &all).map(|_| ())
    });
    // Left behind, it would only waste a little room.
    let _ = std::fs::remove_file(&between);
    made
}
