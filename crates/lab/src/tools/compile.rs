//! `cargo lab compile`: every stage between the source and the machine code, each in a file of its
//! own.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use simt::diag::CompileError;
use simt::{Program, stages};

use super::Failure;
use super::outside;
use super::session::{CompileArgs, architecture, source};

/// Options of `cargo lab compile`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// CUDA C file
    pub file: PathBuf,
    /// Folder for the files (made if it is missing)
    #[arg(long, value_name = "DIR")]
    pub keep: PathBuf,
    /// Options of the compiler.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Architecture for PTX and machine code [default: that of LAB_GPU]
    #[arg(long, value_name = "sm_XX")]
    pub arch: Option<String>,
}

impl Args {
    /// Writes the stages; those that need a missing tool are named.
    ///
    /// # Errors
    /// A refused kernel (the stages before the error are written), or a folder that cannot be
    /// written.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let arch = architecture(self.arch.as_deref())?;
        let (text, options) = source(&self.file, &self.compile)?;
        std::fs::create_dir_all(&self.keep)
            .map_err(|e| Failure::usage(format!("{}: {e}", self.keep.display())))?;
        let refused = |e: CompileError| Failure::kernel(e.to_string());
        let source = stages::preprocess(&text, &options).map_err(refused)?;
        self.keep(out, "ii", "source after the preprocessor", &source)?;
        let tokens = stages::tokens(&text, &options).map_err(refused)?.join("\n") + "\n";
        self.keep(out, "tokens", "tokens with their places", &tokens)?;
        let program = Program::compile(&text, &options).map_err(refused)?;
        self.keep(out, "tree", "typed tree", &stages::tree(program.module()))?;
        self.keep(out, "ir", "warp IR of the emulator", &stages::ir(&program, &arch))?;
        self.vendor_stages(out, &arch)?;
        Ok(0)
    }

    fn path(&self, extension: &str) -> PathBuf {
        let stem = self.file.file_stem().unwrap_or(OsStr::new("kernel"));
        self.keep.join(stem).with_extension(extension)
    }

    fn keep(
        &self,
        out: &mut dyn Write,
        extension: &str,
        what: &str,
        text: &str,
    ) -> Result<(), Failure> {
        let path = self.path(extension);
        std::fs::write(&path, text)
            .map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
        listed(out, &path, what)
    }

    /// PTX and machine code, made by NVIDIA's tools.
    fn vendor_stages(&self, out: &mut dyn Write, arch: &str) -> Result<(), Failure> {
        let (ptx, cubin) = (self.path("ptx"), self.path("cubin"));
        let made = outside::ptx(&self.file, &self.compile, arch, &ptx);
        vendor(out, &ptx, "PTX", made)?;
        let made = outside::cubin(&self.file, &self.compile, arch, &cubin);
        vendor(out, &cubin, "SASS", made)?;

        let stages = self.keep.join("nvcc");
        let what = "all of nvcc's own stages";
        if outside::find("nvcc").is_none() {
            return vendor(out, &stages, what, Err("needs nvcc".into()));
        }
        std::fs::create_dir_all(&stages)
            .map_err(|e| Failure::usage(format!("{}: {e}", stages.display())))?;
        let mode = ["-c".as_ref(), "--keep".as_ref(), "--keep-dir".as_ref(), stages.as_os_str()];
        let object = stages.join("object.o");
        if let Some(done) = outside::nvcc(&mode, &self.file, &self.compile, arch, &object) {
            vendor(out, &stages, what, done)?;
        }
        Ok(())
    }
}

fn vendor(
    out: &mut dyn Write,
    path: &Path,
    what: &str,
    made: Result<(), String>,
) -> Result<(), Failure> {
    match made {
        Ok(()) => listed(out, path, what),
        Err(e) => Ok(writeln!(out, "{:>10}  {}  {what}: {e}", "-", path.display())?),
    }
}

fn listed(out: &mut dyn Write, path: &Path, what: &str) -> Result<(), Failure> {
    let bytes = std::fs::metadata(path).map_or(0, |m| m.len());
    writeln!(out, "{bytes:>10}  {}  {what}", path.display())?;
    Ok(())
}
