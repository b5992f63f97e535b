//! `rtm wavelet`: the source's wavelet from recorded traces.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use figures::{Axis, Chart, Series};
use rtm::io::{TraceReader, atomic};
use rtm::picture::save;
use rtm::survey::estimate::{self, Look, Phase};
use rtm::survey::inspect::Inspection;
use rtm::{Error, Result};

use super::inspect::RuleArgs;

/// What a wavelet is made of
#[derive(Clone, Copy, ValueEnum)]
enum Method {
    /// The direct wave: traces moved to one time and added; its phase is the source's
    Direct,
    /// The mean spectrum, with zero phase
    Zero,
    /// The mean spectrum, with minimum phase
    Minimum,
}

/// Estimate the source's wavelet from traces, say what phase it has, and write it for wavelet=FILE
#[derive(Args)]
pub struct WaveletArgs {
    /// Traces (.su, .sgy, .segy)
    file: PathBuf,
    /// What it is made of
    #[arg(long, value_enum, default_value = "direct")]
    method: Method,
    /// Its length, seconds; left out: four periods of the spectrum's peak
    #[arg(long, value_name = "S")]
    length: Option<f64>,
    /// Offsets of the traces whose direct wave is taken, metres; left out: the nearest third
    #[arg(long, value_name = "NEAR,FAR")]
    offsets: Option<String>,
    /// Write it: lines 'time value'
    #[arg(short, long, value_name = "FILE.txt")]
    out: Option<PathBuf>,
    /// Draw it
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleArgs,
}

impl WaveletArgs {
    /// Estimates, prints, writes.
    pub fn run(&self) -> Result<()> {
        let mut reader = TraceReader::open(&self.file)?;
        reader.set_rules(self.rules.rules()?);
        let found = Inspection::read(&mut reader)?;
        let band = found.band().ok_or_else(|| {
            let fix = "see what `rtm inspect` says of the file";
            Error::refused(self.file.display(), "no live trace with a time step", fix)
        })?;
        let length_s = self.length.unwrap_or(4.0 / band.peak_hz);
        if !(length_s > 4.0 * found.dt_s() && length_s.is_finite()) {
            return Err(Error::refused(
                format!("--length {length_s}"),
                "less than four samples",
                "write seconds, such as 0.2",
            ));
        }
        let wavelet = match self.method {
            Method::Direct => {
                let wave = found.direct.ok_or_else(|| {
                    Error::refused(
                        self.file.display(),
                        "no direct wave stands out",
                        "use --method zero or --method minimum",
                    )
                })?;
                let offsets_m = self.offsets_m(&found)?;
                println!(
                    "direct wave {:.0} m/s, offsets {:.0} to {:.0} m",
                    wave.v_mps, offsets_m[0], offsets_m[1]
                );
                estimate::direct(&mut reader, wave, offsets_m, length_s)?
            }
            Method::Zero => estimate::statistical(&mut reader, Phase::Zero, length_s)?,
            Method::Minimum => estimate::statistical(&mut reader, Phase::Minimum, length_s)?,
        };
        let title = match Look::of(&wavelet) {
            None => "all zeros".to_string(),
            Some(look) => format!(
                "envelope's peak at {:.1} ms, phase there {:.0} degrees, spectrum's peak {:.1} Hz",
                (look.peak_s * 1e4).round() / 10.0 + 0.0,
                look.phase_deg.round() + 0.0,
                look.peak_hz
            ),
        };
        println!("{title}");
        let time = |k: usize| wavelet.start_s + k as f64 * wavelet.dt_s;
        if let Some(path) = &self.out {
            let mut text = format!("# {}: {title}\n", self.file.display());
            for (k, v) in wavelet.samples.iter().enumerate() {
                _ = writeln!(text, "{:.6} {v:e}", time(k));
            }
            atomic::write_text(path, &text)?;
            println!("{}", path.display());
        }
        if let Some(path) = &self.svg {
            let samples = wavelet.samples.iter().enumerate();
            let curve = samples.map(|(k, v)| (time(k), f64::from(*v))).collect();
            let x = Axis::linear("time").unit("s", 1.0);
            let chart = Chart::new("Wavelet", x, Axis::linear("amplitude")).note(&title);
            save(path, &chart.with(Series::line("", curve).smooth()))?;
            println!("{}", path.display());
        }
        Ok(())
    }

    fn offsets_m(&self, found: &Inspection) -> Result<[f64; 2]> {
        let Some(text) = &self.offsets else {
            let range = found.offset_m;
            return Ok([range.low, range.low + range.width() / 3.0]);
        };
        let numbers: Option<Vec<f64>> = text.split(',').map(|v| v.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[near, far]) if near <= far => Ok([near, far]),
            _ => Err(Error::refused(
                format!("--offsets {text}"),
                "not two numbers that rise",
                "write NEAR,FAR in metres, such as 100,400",
            )),
        }
    }
}
