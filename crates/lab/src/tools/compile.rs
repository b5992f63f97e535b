//! `cargo lab compile`: every stage between the source and the machine code, each in a file of its own.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};

use simt::{Program, stages};

use super::Failure;
use super::outside::{find, nvcc_options, run};
use super::session::{CompileArgs, device_for, source};

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
    /// A refused kernel (the stages before the error are written), or a folder that cannot be written.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let arch = match &self.arch {
            Some(arch) => arch.clone(),
            None => {
                let d = device_for(None)?;
                format!("sm_{}{}", d.cc.0, d.cc.1)
            }
        };
        let (text, options) = source(&self.file, &self.compile)?;
        std::fs::create_dir_all(&self.keep)
            .map_err(|e| Failure::usage(format!("{}: {e}", self.keep.display())))?;
        self.keep(
            out,
            "ii",
            "source after the preprocessor",
            &stages::preprocessed(&text, &options),
        )?;
        self.keep(out, "tokens", "tokens with their places", &stages::tokens(&text, &options))?;
        let program =
            Program::compile(&text, &options).map_err(|e| Failure::kernel(e.to_string()))?;
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
        let Some(nvcc) = find("nvcc") else {
            for (extension, what) in [
                ("ptx", "PTX, the virtual machine code: needs nvcc"),
                ("cubin", "machine code: needs nvcc with ptxas"),
                ("nvcc/", "all of nvcc's own stages: needs nvcc"),
            ] {
                writeln!(out, "{:>10}  .{extension:<8} {what} (not installed)", "-")?;
            }
            return Ok(());
        };
        let stages = self.keep.join("nvcc");
        std::fs::create_dir_all(&stages)
            .map_err(|e| Failure::usage(format!("{}: {e}", stages.display())))?;
        let runs: [(&str, &str, &[&OsStr]); 3] = [
            ("ptx", "PTX, the virtual machine code", &["-ptx".as_ref()]),
            ("cubin", "machine code", &["-cubin".as_ref()]),
            (
                "o",
                "object file with all of it; nvcc's own stages are in nvcc/",
                &["-c".as_ref(), "--keep".as_ref(), "--keep-dir".as_ref(), stages.as_os_str()],
            ),
        ];
        let common = nvcc_options(&self.compile);
        for (extension, what, mode) in runs {
            let path = self.path(extension);
            let arch = OsString::from(format!("-arch={arch}"));
            let mut args: Vec<&OsStr> = mode.to_vec();
            args.extend([arch.as_os_str(), "-o".as_ref(), path.as_os_str(), self.file.as_os_str()]);
            args.extend(common.iter().map(OsString::as_os_str));
            match run(&nvcc, &args) {
                Ok(_) => listed(out, &path, what)?,
                Err(e) => writeln!(out, "{:>10}  .{extension:<8} {what}: {e}", "-")?,
            }
        }
        Ok(())
    }
}

fn listed(out: &mut dyn Write, path: &Path, what: &str) -> Result<(), Failure> {
    let bytes = std::fs::metadata(path).map_or(0, |m| m.len());
    writeln!(out, "{bytes:>10}  {}  {what}", path.display())?;
    Ok(())
}
