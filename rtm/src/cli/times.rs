//! `rtm times`: models of a GPU's run times, measured, fitted, tested and compared with whole
//! shots.

use std::path::PathBuf;

use clap::Args;
use rtm::Result;
use rtm::cuda::{Cuda, Options};
use rtm::io::atomic;
use rtm_studies::times::calibrate::{Settings, block_study, report, trade_off};

/// Measure the kernels of a GPU over sizes and orders, fit the thesis' models of run time, test
/// them on cases held out, and predict whole shots beside their measured times. On the emulated
/// device all times are those of its model
#[derive(Args)]
pub struct TimesArgs {
    /// Number of the GPU
    #[arg(long, default_value_t = 0)]
    device: u32,
    /// A few small cases: what the emulated device takes whatever is said here
    #[arg(long)]
    small: bool,
    /// Instead: time and memory of a shot by each strategy
    #[arg(long)]
    trade_off: bool,
    /// Instead: the study of blocks, with axes up to this many threads (the thesis has 32)
    #[arg(long, value_name = "THREADS")]
    blocks: Option<u32>,
    /// Draw the fits, speed-ups or blocks, too: SVG files in this folder
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,
}

impl TimesArgs {
    /// Measures and prints.
    pub fn run(&self) -> Result<()> {
        let mut cuda = Cuda::new(self.device, Options::best())?;
        let small = self.small || cuda.device().is_emulated();
        let settings = if small { Settings::small() } else { Settings::whole() };
        let (text, drawn) = match (self.trade_off, self.blocks) {
            (true, _) => (trade_off(&mut cuda, &settings)?, Vec::new()),
            (false, Some(limit)) => {
                let (n, order) = if small { ([12, 12, 32], 4) } else { ([200, 128, 200], 10) };
                block_study(&cuda, n, order, limit.clamp(2, 32))?
            }
            (false, None) => report(&mut cuda, &settings)?,
        };
        print!("{text}");
        if let Some(folder) = &self.svg {
            for picture in drawn {
                let path = folder.join(picture.name).with_extension("svg");
                atomic::write_text(&path, &picture.svg)?;
                println!("{}", path.display());
            }
        }
        Ok(())
    }
}
