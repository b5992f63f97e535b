//! `cargo lab sass`: the machine code of a kernel where NVIDIA's tools are installed, else the warp
//! IR.

use std::io::Write;
use std::path::PathBuf;

use simt::stages;

use super::Failure;
use super::outside;
use super::session::{CompileArgs, architecture, compile};

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
        let arch = architecture(self.arch.as_deref())?;
        let is_cubin = self.file.extension().is_some_and(|e| e == "cubin");
        let cuobjdump = outside::find("cuobjdump").map(|tool| (tool, "-sass"));
        let Some((disassembler, mode)) =
            cuobjdump.or_else(|| outside::find("nvdisasm").map(|tool| (tool, "-c")))
        else {
            return self.without(out, &arch, "needs cuobjdump or nvdisasm");
        };
        if is_cubin {
            let text = outside::run(&disassembler, &[mode.as_ref(), self.file.as_os_str()]);
            write!(out, "{}", text.map_err(Failure::usage)?)?;
            return Ok(0);
        }
        let cubin = std::env::temp_dir().join(format!("lab-sass-{}.cubin", std::process::id()));
        if let Err(e) = outside::cubin(&self.file, &self.compile, &arch, &cubin) {
            return self.without(out, &arch, &e);
        }
        let listing = outside::run(&disassembler, &[mode.as_ref(), cubin.as_os_str()]);
        // Left behind, it would only waste a little room in the temporary folder.
        let _ = std::fs::remove_file(&cubin);
        write!(out, "{}", listing.map_err(Failure::usage)?)?;
        Ok(0)
    }

    /// The warp IR instead, and why.
    fn without(&self, out: &mut dyn Write, arch: &str, why: &str) -> Result<u8, Failure> {
        if self.file.extension().is_some_and(|e| e == "cubin") {
            return Err(Failure::usage(format!("machine code: {why}")));
        }
        let program = compile(&self.file, &self.compile)?;
        writeln!(out, "note: machine code: {why}; this is the emulator's warp IR\n")?;
        write!(out, "{}", stages::ir(&program, arch))?;
        Ok(0)
    }
}
