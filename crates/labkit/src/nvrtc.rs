//! Kernels for a real GPU: NVRTC compiles the same source to PTX.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use cudarc::nvrtc::safe::{CompileError, CompileOptions, compile_ptx_with_opts};

use crate::LabError;
use crate::kernel::{Options, Source};

/// PTX of the sources that this process has compiled, by text and options.
type Compiled = HashMap<(String, Vec<String>), String>;

fn with_compiled<R>(f: impl FnOnce(&mut Compiled) -> R) -> R {
    static COMPILED: Mutex<Option<Compiled>> = Mutex::new(None);
    f(COMPILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// Compiles for the compute capability `cc`.
///
/// # Errors
/// Messages of the compiler, or one line if there is no NVRTC.
pub(crate) fn compile(
    source: &Source,
    options: &Options,
    cc: (i32, i32),
) -> Result<String, LabError> {
    let key = (source.text.clone(), command_line(source, options, cc));
    if let Some(ptx) = with_compiled(|map| map.get(&key).cloned()) {
        return Ok(ptx);
    }
    // SAFETY: loads the library, as compiling does.
    if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
        return Err(LabError::msg(
            "NVRTC, the CUDA compiler library (libnvrtc.so.13 or .12), was not found: install it \
             (`pip install nvidia-cuda-nvrtc`) and put its folder on LD_LIBRARY_PATH, or run \
             on the emulator with LAB_DEVICE=emulated",
        ));
    }
    let text = without_system_headers(&source.text);
    let options = CompileOptions {
        options: key.1.clone(),
        name: Some(source.name.clone()),
        ..CompileOptions::default()
    };
    let ptx =
        compile_ptx_with_opts(text, options).map_err(|error| refused(source, error))?.to_src();
    with_compiled(|map| map.insert(key, ptx.clone()));
    Ok(ptx)
}

/// PTX of a kernel file for the compute capability `cc`, with options as for
/// [`Lab::module`](crate::Lab::module).
///
/// # Errors
/// The file, an option, the compiler's messages, or one line if there is no NVRTC.
pub fn ptx(file: &Path, options: &[&str], cc: (i32, i32)) -> Result<String, LabError> {
    compile(&file.try_into()?, &Options::parse(options)?, cc)
}

fn command_line(source: &Source, options: &Options, (major, minor): (i32, i32)) -> Vec<String> {
    let mut list = vec![
        format!("--gpu-architecture=compute_{major}{minor}"),
        // Without contraction, results are those of the emulator and of Rust, bit for bit.
        format!("--fmad={}", options.contract),
        "-lineinfo".into(),
    ];
    list.extend(options.defines.iter().map(|d| format!("-D{d}")));
    let dirs = source.include_dirs.iter().chain(&options.include_dirs);
    list.extend(dirs.map(|d| format!("--include-path={}", d.display())));
    list.extend(options.others.iter().filter(|o| o.trim_start_matches('-') != "lineinfo").cloned());
    list
}

/// NVRTC knows `printf`, `sqrtf` and the like by itself and has no folder of system headers: these
/// lines become empty.
fn without_system_headers(text: &str) -> String {
    const KNOWN: [&str; 9] = [
        "stdio.h",
        "stdlib.h",
        "math.h",
        "assert.h",
        "cmath",
        "cstdio",
        "cuda.h",
        "cuda_runtime.h",
        "device_launch_parameters.h",
    ];
    let blank = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        let name = rest.trim().strip_prefix(['<', '"'])?.split(['>', '"']).next()?;
        KNOWN.contains(&name).then_some(())
    };
    let lines: Vec<&str> =
        text.split('\n').map(|line| if blank(line).is_some() { "" } else { line }).collect();
    lines.join("\n")
}

fn refused(source: &Source, error: CompileError) -> LabError {
    match error {
        CompileError::CompileError { log, .. } => {
            let report = log.to_string_lossy().into_owned();
            let first = report.lines().find(|l| l.contains("error"));
            let line = first.unwrap_or("NVRTC refused the kernel").to_owned();
            LabError::Compile { line, report }
        }
        other => LabError::msg(format!("{}: NVRTC: {other:?}", source.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_names_architecture_and_macros() {
        let source = Source {
            name: "k.cu".into(),
            text: String::new(),
            include_dirs: vec!["kernels".into()],
        };
        let options = Options::parse(&["-DN=3", "-lineinfo", "-std=c++17"]).unwrap();
        assert_eq!(
            command_line(&source, &options, (9, 0)),
            [
                "--gpu-architecture=compute_90",
                "--fmad=false",
                "-lineinfo",
                "-DN=3",
                "--include-path=kernels",
                "-std=c++17"
            ]
        );
    }

    #[test]
    fn system_headers_go_and_lines_stay() {
        let text = "#include <stdio.h>\n # include \"math.h\"\n#include \"own.h\"\nint x;";
        assert_eq!(without_system_headers(text), "\n\n#include \"own.h\"\nint x;");
    }
}
