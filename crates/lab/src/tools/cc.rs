//! `cargo lab cc`: compile as `nvcc` does. The work is done in [`simt::cc`], which the labs' checks
//! call too.

use std::io::Write;
use std::path::Path;

use super::Failure;

/// Options of `cargo lab cc`, handed on as they are.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// Options and files; --help lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub args: Vec<String>,
}

impl Args {
    /// Compiles.
    ///
    /// # Errors
    /// Code 1 with the compiler's messages, 2 for a wrong command line.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        match simt::cc::cc(&self.args, Path::new("")) {
            Ok(done) => {
                write!(out, "{}", done.messages)?;
                Ok(0)
            }
            Err(failed) => Err(Failure { code: failed.code, message: failed.message }),
        }
    }
}
