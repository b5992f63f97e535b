//! The compiler as a command, with the options of `nvcc` that a course needs. It writes the warp IR
//! of the emulator, so that it works, and does the same, on every machine.

use std::path::{Path, PathBuf};

use crate::diag::Severity;
use crate::language::{CompileOptions, Language};
use crate::program::Program;
use crate::stages;

/// Text of `--help`.
pub const HELP: &str = "\
Compile CUDA C from the command line, as nvcc does; the output is the emulator's warp IR

Usage: cargo lab cc [OPTIONS] FILE.cu...

Options:
  -o FILE                    name of the output; without it FILE.ir beside the current directory's \
  other files
  --arch sm_XX, -arch=sm_XX  architecture that is noted in the output [default: sm_90]
  -D NAME[=VALUE]            define a macro
  -I DIR                     look for #include \"...\" files in DIR, after the folder of the \
  source itself
  --fmad=true|false          fuse a*b+c into one rounding [default: false; nvcc: true]
  --use_fast_math            as nvcc: implies --fmad=true (the emulator's functions stay exact)
  --expt-relaxed-constexpr   kernels may call `constexpr` functions of the host
  --ptxas-options=-v         say what each kernel needs: registers, shared and local memory (also \
  -Xptxas -v)
  -lineinfo                  keep source lines for profiler and sanitizer (the emulator always does)
  -G                         debug code, not optimised (the emulator's code is always debuggable)
  -h, --help                 show this text

Exit code: 0 done, 1 the source has errors, 2 the command line is wrong
";

/// What a successful run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CcDone {
    /// Files written.
    pub outputs: Vec<PathBuf>,
    /// Text for the user: help, warnings, `-v`.
    pub messages: String,
}

/// Why nothing was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CcFailed {
    /// Exit code: 1 the source was refused, 2 the command line or a file is wrong.
    pub code: u8,
    /// Text for the user, ending in a line feed.
    pub message: String,
}

fn usage(message: impl std::fmt::Display) -> CcFailed {
    CcFailed { code: 2, message: format!("error: {message}\n") }
}

/// A command line that made sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Source files.
    pub inputs: Vec<String>,
    /// `-o`.
    pub output: Option<String>,
    /// `--arch`.
    pub arch: String,
    /// `-D`.
    pub defines: Vec<String>,
    /// `-I`.
    pub include_dirs: Vec<String>,
    /// `--fmad=true` or `--use_fast_math`.
    pub contract: bool,
    /// `--ptxas-options=-v`.
    pub verbose: bool,
    /// `--help`.
    pub help: bool,
}

impl Default for Command {
    fn default() -> Command {
        Command {
            inputs: Vec::new(),
            output: None,
            arch: "sm_90".into(),
            defines: Vec::new(),
            include_dirs: Vec::new(),
            contract: false,
            verbose: false,
            help: false,
        }
    }
}

/// Reads a command line (without the program's name).
///
/// # Errors
/// Unknown options, missing values, no input, or several inputs with one `-o`; the code is 2.
pub fn parse(args: &[String]) -> Result<Command, CcFailed> {
    let mut command = Command::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        // `--option=value` and `--option value` are the same, as for nvcc.
        let (name, mut inline) = match arg.split_once('=') {
            Some((name, value)) if arg.starts_with('-') && !arg.starts_with("-D") => {
                (name, Some(value.to_string()))
            }
            _ => (arg.as_str(), None),
        };
        let has_inline = inline.is_some();
        let mut value = || {
            inline
                .take()
                .or_else(|| args.next().cloned())
                .filter(|v| !v.is_empty())
                .ok_or_else(|| usage(format!("option `{name}` needs a value")))
        };
        match name {
            "-h" | "--help" => command.help = true,
            "-o" | "--output-file" => {
                let file = value()?;
                if command.output.replace(file).is_some() {
                    return Err(usage("`-o` is given twice"));
                }
            }
            "-arch" | "--arch" | "--gpu-architecture" => {
                let arch = value()?;
                let number = arch.strip_prefix("sm_").or_else(|| arch.strip_prefix("compute_"));
                let known = number.is_some_and(|n| {
                    (2..=3).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit())
                });
                if !known {
                    return Err(usage(format!("`{arch}` is not an architecture, such as sm_90")));
                }
                command.arch = arch;
            }
            "-D" | "--define-macro" => command.defines.push(value()?),
            "-I" | "--include-path" => command.include_dirs.push(value()?),
            "-fmad" | "--fmad" => {
                command.contract = match value()?.as_str() {
                    "true" => true,
                    "false" => false,
                    other => {
                        return Err(usage(format!(
                            "`{name}`: expected true or false, found `{other}`"
                        )));
                    }
                }
            }
            "-use_fast_math" | "--use_fast_math" => command.contract = true,
            "-expt-relaxed-constexpr" | "--expt-relaxed-constexpr" => {
                command.defines.push("__CUDACC_RELAXED_CONSTEXPR__".into());
            }
            "-Xptxas" | "--ptxas-options" => match value()?.as_str() {
                "-v" | "--verbose" => command.verbose = true,
                other => return Err(usage(format!("`{name}`: only -v is known, not `{other}`"))),
            },
            "-lineinfo" | "--generate-line-info" | "-G" | "--device-debug" => {}
            _ if name.starts_with("-D") && name.len() > 2 => command.defines.push(arg[2..].into()),
            _ if name.starts_with("-I") && name.len() > 2 => {
                command.include_dirs.push(arg[2..].into())
            }
            _ if name.starts_with('-') => {
                return Err(usage(format!(
                    "unknown option `{name}` (cargo lab cc --help lists them)"
                )));
            }
            _ => {
                command.inputs.push(arg.clone());
                continue;
            }
        }
        let takes_no_value = matches!(
            name,
            "-h" | "--help"
                | "-lineinfo"
                | "--generate-line-info"
                | "-G"
                | "--device-debug"
                | "-use_fast_math"
                | "--use_fast_math"
                | "-expt-relaxed-constexpr"
                | "--expt-relaxed-constexpr"
        );
        if takes_no_value && has_inline {
            return Err(usage(format!("option `{name}` takes no value")));
        }
    }
    if command.help {
        return Ok(command);
    }
    if command.inputs.is_empty() {
        return Err(usage("no input file (cargo lab cc --help shows the use)"));
    }
    if command.inputs.len() > 1 && command.output.is_some() {
        return Err(usage(format!(
            "one output file (-o) for {} input files: leave -o out, or compile them one by one",
            command.inputs.len()
        )));
    }
    Ok(command)
}

/// Runs the compiler with `args` as on the command line; relative paths are taken from `dir`.
///
/// All inputs are compiled before the first output is written, so that nothing is written if one of
/// them is refused.
///
/// # Errors
/// See [`CcFailed`].
pub fn cc(args: &[String], dir: &Path) -> Result<CcDone, CcFailed> {
    let command = parse(args)?;
    let mut done = CcDone::default();
    if command.help {
        done.messages = HELP.into();
        return Ok(done);
    }
    let mut texts = Vec::new();
    for input in &command.inputs {
        let path = dir.join(input);
        let bytes = std::fs::read(&path).map_err(|e| usage(format!("{input}: {e}")))?;
        let text = crate::source::decode(bytes);
        let own = crate::files::folders_of(&path);
        let options = CompileOptions {
            file: input.clone(),
            defines: command.defines.clone(),
            include_dirs: own.chain(command.include_dirs.iter().map(|d| dir.join(d))).collect(),
            contract: command.contract,
            language: Language::of_file(input),
            ..CompileOptions::default()
        };
        let program = Program::compile(&text, &options).map_err(|e| {
            let errors = e.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
            let plural = if errors == 1 { "error" } else { "errors" };
            CcFailed { code: 1, message: format!("{e}{errors} {plural} in {input}\n") }
        })?;
        for warning in program.warnings() {
            done.messages += &warning.render(program.sources());
        }
        if command.verbose {
            for kernel in program.kernels() {
                done.messages += &format!("info: {}: {}\n", kernel.name, stages::resources(kernel));
            }
        }
        let output = match &command.output {
            Some(output) => dir.join(output),
            None => {
                let stem = Path::new(input).file_stem().unwrap_or(input.as_ref());
                dir.join(stem).with_extension("ir")
            }
        };
        texts.push((output, stages::ir(&program, &command.arch)));
    }
    for (output, text) in texts {
        std::fs::write(&output, text)
            .map_err(|e| usage(format!("cannot write {}: {e}", output.display())))?;
        done.outputs.push(output);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn options_are_read_in_every_spelling() {
        let want = Command {
            inputs: vec!["a.cu".into()],
            output: Some("x".into()),
            arch: "sm_80".into(),
            defines: vec!["ELEM=float".into(), "N".into()],
            include_dirs: vec!["inc".into()],
            contract: true,
            verbose: true,
            help: false,
        };
        for line in [
            "-o x --arch sm_80 -DELEM=float -DN -Iinc --use_fast_math --ptxas-options=-v a.cu -G",
            "a.cu -o=x -arch=sm_80 -D ELEM=float -D N -I inc -fmad=true -Xptxas -v -lineinfo",
        ] {
            assert_eq!(parse(&words(line)), Ok(want.clone()), "{line}");
        }
        let relaxed = parse(&words("a.cu --expt-relaxed-constexpr")).unwrap();
        assert_eq!(relaxed.defines, ["__CUDACC_RELAXED_CONSTEXPR__"]);
    }

    #[test]
    fn wrong_command_lines_say_what_is_wrong() {
        for (line, part) in [
            ("", "no input file"),
            ("-o x", "no input file"),
            ("a.cu --fast", "unknown option `--fast`"),
            ("a.cu -o", "`-o` needs a value"),
            ("a.cu -o x -o y", "`-o` is given twice"),
            ("a.cu b.cu -o x", "one output file (-o) for 2 input files"),
            ("a.cu --arch hopper", "`hopper` is not an architecture"),
            ("a.cu --fmad=yes", "expected true or false"),
            ("a.cu --ptxas-options=-O3", "only -v"),
            ("a.cu -G=1", "takes no value"),
        ] {
            let failed = parse(&words(line)).unwrap_err();
            assert!(
                failed.code == 2 && failed.message.contains(part),
                "{line}: {}",
                failed.message
            );
            assert!(failed.message.lines().count() == 1, "{line}");
        }
    }

    #[test]
    fn a_missing_file_is_named_and_nothing_is_written() {
        let dir = std::env::temp_dir();
        let failed = cc(&words("no-such-kernel.cu -o no-such-kernel.out"), &dir).unwrap_err();
        assert_eq!(failed.code, 2);
        assert!(failed.message.starts_with("error: no-such-kernel.cu: "), "{}", failed.message);
        assert!(!dir.join("no-such-kernel.out").exists());
    }
}
