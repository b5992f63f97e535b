//! `cargo lab sass`: the machine code of a kernel where NVIDIA's tools are installed, else the warp IR.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;

use simt::stages;

use super::Failure;
use super::outside::{find, nvcc_options, run};
use super::session::{CompileArgs, compile, device_for};

/// Options of `cargo lab sass`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// CUDA C file, or machine code (.cubin)
    pub file: PathBuf,
    /// Options of the compiler.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Architecture [default: that of LAB_GPU]
    #[arg(long, value_name = "sm_XX")]
    pub arch: Option<String>,
}

impl Args {
    /// Prints the listing.
    ///
    /// # Errors
    /// A kernel that is refused, or a tool that fails.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let arch = match &self.arch {
            Some(arch) => arch.clone(),
            None => {
                let d = device_for(None)?;
                format!("sm_{}{}", d.cc.0, d.cc.1)
            }
        };
        let is_cubin = self.file.extension().is_some_and(|e| e == "cubin");
        let disassembler =
            find("cuobjdump").map(|t| (t, "-sass")).or(find("nvdisasm").map(|t| (t, "-c")));
        let compiler = find("nvcc");
        let mut missing = Vec::new();
        if compiler.is_none() && !is_cubin {
            missing.push("nvcc");
        }
        if disassembler.is_none() {
            missing.push("cuobjdump or nvdisasm");
        }
        let (Some((disassembler, mode)), true) = (disassembler, missing.is_empty()) else {
            let missing = missing.join(" and ");
            if is_cubin {
                return Err(Failure::usage(format!(
                    "machine code needs {missing}, which is not installed"
                )));
            }
            let program = compile(&self.file, &self.compile)?;
            writeln!(
                out,
                "note: machine code needs {missing} (not installed); this is the emulator's warp IR\n"
            )?;
            write!(out, "{}", stages::ir(&program, &arch))?;
            return Ok(0);
        };
        let (cubin, temporary) = match compiler {
            Some(nvcc) if !is_cubin => {
                let cubin =
                    std::env::temp_dir().join(format!("lab-sass-{}.cubin", std::process::id()));
                let options = nvcc_options(&self.compile);
                let arch = OsString::from(format!("-arch={arch}"));
                let mut args: Vec<&OsStr> = vec![
                    "-cubin".as_ref(),
                    "-lineinfo".as_ref(),
                    arch.as_os_str(),
                    "-o".as_ref(),
                    cubin.as_os_str(),
                    self.file.as_os_str(),
                ];
                args.extend(options.iter().map(OsString::as_os_str));
                run(&nvcc, &args).map_err(Failure::kernel)?;
                (cubin, true)
            }
            _ => (self.file.clone(), false),
        };
        let listing = run(&disassembler, &[mode.as_ref(), cubin.as_os_str()]);
        if temporary {
            // Left behind, it would only waste a little room in the temporary folder.
            let _ = std::fs::remove_file(&cubin);
        }
        write!(out, "{}", listing.map_err(Failure::usage)?)?;
        Ok(0)
    }
}
