//! `cargo lab occupancy`: resident warps by block size, and what limits them.

use std::io::Write;
use std::path::PathBuf;

use simt::device::DeviceModel;
use simt::occupancy::occupancy;
use simt::stages::{resources, signature};

use super::Failure;
use super::session::{CompileArgs, compile, device_for, pick};

/// Options of `cargo lab occupancy`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// CUDA C file whose kernels give registers and static shared memory
    #[arg(required_unless_present = "regs")]
    pub file: Option<PathBuf>,
    /// Options of the compiler.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Only this kernel of the file
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Registers of a thread (instead of the file's estimate)
    #[arg(long, value_name = "R")]
    pub regs: Option<u32>,
    /// Bytes of shared memory per block (with a file: of `extern __shared__` memory, on top of the
    /// static)
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// Only this block size
    #[arg(long, value_name = "THREADS")]
    pub block: Option<u32>,
    /// GPU that is stood in for [default: LAB_GPU, or h200]
    #[arg(long, value_name = "KEY")]
    pub gpu: Option<String>,
}

impl Args {
    /// Prints one table per kernel.
    ///
    /// # Errors
    /// A wrong command line, a refused kernel, or a block that cannot run at all.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let d = device_for(self.gpu.as_deref())?;
        writeln!(
            out,
            "{}: compute capability {}.{}, {} multiprocessors with {} warps, {} blocks, {} \
             registers and {} KiB of shared memory each",
            d.name,
            d.cc.0,
            d.cc.1,
            d.sms,
            d.max_warps_per_sm,
            d.max_blocks_per_sm,
            d.regs_per_sm,
            d.shared_per_sm / 1024
        )?;
        let Some(file) = &self.file else {
            let regs = self.regs.unwrap_or(0);
            writeln!(out, "\n{regs} registers per thread, {} bytes shared per block", self.shared)?;
            return self.table(out, d, regs, self.shared, None);
        };
        let program = compile(file, &self.compile)?;
        let kernels = match (&self.kernel, program.kernels()) {
            (None, all @ [_, ..]) => all,
            (name, _) => std::slice::from_ref(pick(&program, name.as_deref())?),
        };
        for kernel in kernels {
            writeln!(out, "\n{}: {}", signature(kernel), resources(kernel))?;
            let regs = self.regs.unwrap_or(kernel.registers);
            let shared = kernel.static_shared.saturating_add(self.shared);
            self.table(out, d, regs, shared, kernel.max_threads)?;
        }
        Ok(0)
    }

    fn table(
        &self,
        out: &mut dyn Write,
        d: &DeviceModel,
        regs: u32,
        shared: u32,
        max_threads: Option<u32>,
    ) -> Result<u8, Failure> {
        let most = max_threads.unwrap_or(u32::MAX).min(d.max_threads_per_block);
        let sizes: Vec<u32> = match self.block {
            Some(block) if block > most => {
                return Err(Failure::usage(format!("--block: expected 1..={most}, found {block}")));
            }
            Some(block) => vec![block],
            None => (1..=most / 32).map(|w| 32 * w).collect(),
        };
        writeln!(out, "{:>6} {:>7} {:>6} {:>6}  limited by", "block", "blocks", "warps", "%")?;
        for threads in sizes {
            let o = occupancy(d, threads, regs, shared).map_err(Failure::usage)?;
            let bar = "#".repeat((o.percent / 5.0).round() as usize);
            let row = format!(
                "{threads:>6} {:>7} {:>6} {:>6.1}  {:<13}  {bar}",
                o.blocks, o.warps, o.percent, o.limiter
            );
            writeln!(out, "{}", row.trim_end())?;
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(args: Args) -> Result<String, Failure> {
        let mut out = Vec::new();
        args.run(&mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn args() -> Args {
        Args {
            file: None,
            compile: CompileArgs::default(),
            kernel: None,
            regs: Some(32),
            shared: 8192,
            block: None,
            gpu: Some("rtx3060".into()),
        }
    }

    #[test]
    fn the_table_has_a_row_for_every_multiple_of_a_warp() {
        let text = output(args()).unwrap();
        assert_eq!(text.lines().count(), 4 + 32, "{text}");
        let row = text.lines().last().unwrap();
        assert_eq!(row, "  1024       1     32   66.7  warps          #############");
    }

    #[test]
    fn wrong_values_name_the_limit() {
        let err = |args| output(args).unwrap_err();
        let failed = err(Args { block: Some(2000), ..args() });
        assert_eq!(failed.message, "error: --block: expected 1..=1024, found 2000\n");
        assert!(err(Args { block: Some(0), ..args() }).message.contains("1 to 1024"));
        assert!(err(Args { regs: Some(256), ..args() }).message.contains("255 registers"));
        assert!(err(Args { gpu: Some("x".into()), ..args() }).message.contains("h200"));
    }
}
