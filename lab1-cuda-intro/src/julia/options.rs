//! Command line of `julia`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use clap::error::ErrorKind;
use lab1_cuda_intro::e1_2_01::View;

use super::device::Device;
use super::session::{MAX_KMAX, Press, Session, parse_keys};

/// Draws the Julia set of c = -0.123 + 0.745i (exercises 1.2.1 and 1.2.2).
///
/// Without --png, --keys and --plots it opens a window. Keys: p centre under the mouse, z nearer, Z
/// farther, = start again, i and I half and twice the steps, d other device, s save, Esc end.
#[derive(Clone, Debug, PartialEq, Parser)]
#[command(name = "julia")]
pub struct Options {
    /// Who computes
    #[arg(long, value_enum, default_value = "cpu")]
    pub device: Device,
    /// Columns and rows of the picture
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(2..=16384))]
    pub dim: u32,
    /// Steps after which a point counts as a prisoner
    #[arg(long, default_value_t = 200)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_KMAX)))]
    pub kmax: u32,
    /// Centre of the picture and half its width
    #[arg(long, value_name = "DX,DY,SCALE", default_value = "0,0,1.5")]
    #[arg(allow_hyphen_values = true, value_parser = parse_view)]
    pub view: View,
    /// Keys to press instead of opening a window, such as "p@500,300 z z"
    #[arg(long, value_name = "KEYS")]
    pub keys: Option<String>,
    /// File for the picture, instead of opening a window
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Folder for the plots: time over kmax, SIMD efficiency over the block's shape
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
}

impl Options {
    /// Reads the command line; the first argument is the program's name.
    ///
    /// # Errors
    /// The text for the terminal (for --help too) and the exit code.
    pub fn read<I, A>(args: I) -> Result<Options, (String, u8)>
    where
        I: IntoIterator<Item = A>,
        A: Into<OsString> + Clone,
    {
        let options = Options::try_parse_from(args).map_err(|e| {
            let text = e.to_string();
            match e.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => (text, 0),
                // One line says it all: what was given, and what is allowed.
                ErrorKind::ValueValidation => {
                    (format!("{}\n", text.lines().next().unwrap_or("")), 2)
                }
                _ => (text, 2),
            }
        })?;
        options.script().map_err(|e| (format!("error: {e}\n"), 2))?;
        Ok(options)
    }

    /// The keys of `--keys`.
    ///
    /// # Errors
    /// Says which key is wrong.
    pub fn script(&self) -> Result<Vec<Press>, String> {
        parse_keys(self.keys.as_deref().unwrap_or(""), self.dim)
    }

    /// What is shown first.
    pub fn session(&self) -> Session {
        Session { view: self.view, kmax: self.kmax, device: self.device, open: true }
    }
}

fn parse_view(text: &str) -> Result<View, String> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|t| t.trim().parse().ok()).collect();
    let Some([dx, dy, scale]) = numbers.as_deref() else {
        return Err("expected three numbers DX,DY,SCALE".into());
    };
    if !(dx.is_finite() && dy.is_finite()) {
        return Err(format!("the centre must be finite, found {dx},{dy}"));
    }
    if !(scale.is_finite() && *scale > 0.0) {
        return Err(format!("the scale must be greater than 0, found {scale}"));
    }
    Ok(View { dx: *dx, dy: *dy, scale: *scale })
}
