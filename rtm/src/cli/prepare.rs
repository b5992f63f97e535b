//! `rtm prepare`: field data made ready for migration.

use std::path::PathBuf;

use clap::Args;
use rtm::io::{TraceFormat, TraceReader, raw};
use rtm::survey::prepare::{Prepared, Steps};
use rtm::{Error, Result};

use super::inspect::RuleArgs;

/// Make traces ready for migration: filter, resample, mute, gain. The steps that are asked for are
/// done in the order of this list; headers keep all other words. Dead, broken and silent traces
/// are left out
#[derive(Args)]
pub struct PrepareArgs {
    /// Traces (.su, .sgy, .segy)
    input: PathBuf,
    /// The new file, of the same format; an old one of that name is replaced at the end
    output: PathBuf,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Time of all traces' first sample in the file, seconds, whatever their headers say (delrt)
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    delay: Option<f64>,
    /// Add to all times, seconds: -0.06 if the source's peak is at 0.06
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_hyphen_values = true)]
    shift: f64,
    /// Keep dead traces and those of zeros (broken ones, with NaN or infinity, are always left out)
    #[arg(long)]
    keep_dead: bool,
    /// Zero-phase band-pass filter: gain 0 below F1 and above F4, 1 from F2 to F3, Hz
    #[arg(long, value_name = "F1,F2,F3,F4")]
    band: Option<String>,
    /// Let all traces begin at this time after the shot, seconds
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    start: Option<f64>,
    /// Resample to this time step, seconds; what a longer one cannot hold is filtered out
    #[arg(long, value_name = "S")]
    dt: Option<f64>,
    /// Silence samples before distance / V + S, with a smooth rise of TAPER seconds (left out: 0)
    #[arg(long, value_name = "V,S[,TAPER]", allow_hyphen_values = true)]
    mute: Option<String>,
    /// Multiply by time after the shot (seconds) to this power
    #[arg(long, value_name = "POWER")]
    gain: Option<f64>,
    /// Divide each sample by the rms of a window of this length around it, seconds
    #[arg(long, value_name = "S")]
    agc: Option<f64>,
    /// Divide each trace by its rms
    #[arg(long)]
    balance: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

impl PrepareArgs {
    /// Prepares the file.
    pub fn run(&self) -> Result<()> {
        let steps = self.steps()?;
        let kinds = (TraceFormat::of(&self.input)?, TraceFormat::of(&self.output)?);
        if kinds.0 != kinds.1 {
            return Err(Error::refused(
                self.output.display(),
                "not the format of the input, whose headers are kept",
                "give both names the same ending",
            ));
        }
        let same = |a: &PathBuf| a.canonicalize().ok();
        if self.input == self.output
            || same(&self.output).is_some_and(|o| same(&self.input) == Some(o))
        {
            return Err(Error::refused(
                self.output.display(),
                "is the input, which would be lost",
                "choose another name",
            ));
        }
        let mut reader = TraceReader::open(&self.input)?;
        let mut rules = self.rules.rules()?;
        rules.delay_s = self.delay;
        reader.set_rules(rules);
        let head = reader.head()?;
        let format = reader.layout().2;
        let mut prepared = Prepared::new(&mut reader, steps)?;
        self.say(&prepared);
        if self.dry_run {
            println!("nothing was written (--dry-run)");
            return Ok(());
        }
        let count = raw::write_raw(&self.output, head, format, &mut || prepared.next_trace())?;
        let out = prepared.left_out;
        println!(
            "{}: {count} traces; left out: {} dead, {} broken, {} of zeros",
            self.output.display(),
            out.dead,
            out.broken,
            out.zeros
        );
        Ok(())
    }

    fn steps(&self) -> Result<Steps> {
        let list = |name: &str, text: &Option<String>, counts: &[usize]| {
            let Some(text) = text else { return Ok(None) };
            let numbers: Option<Vec<f64>> =
                text.split(',').map(|v| v.trim().parse().ok()).collect();
            let fits = numbers.filter(|n| counts.contains(&n.len()));
            fits.map(Some).ok_or_else(|| {
                let fix = format!("write {counts:?} numbers with commas; see rtm prepare --help");
                Error::refused(format!("--{name} {text}"), "no such list of numbers", fix)
            })
        };
        let band = list("band", &self.band, &[4])?.map(|b| [b[0], b[1], b[2], b[3]]);
        let mute = list("mute", &self.mute, &[2, 3])?;
        Ok(Steps {
            shift_s: self.shift,
            keep_dead: self.keep_dead,
            band,
            start_s: self.start,
            dt_s: self.dt,
            mute: mute.map(|m| [m[0], m[1], m.get(2).copied().unwrap_or(0.0)]),
            power: self.gain,
            agc_s: self.agc,
            balance: self.balance,
        })
    }

    /// What is done, a line for each step.
    fn say(&self, prepared: &Prepared) {
        let outline = &prepared.outline;
        let ([ns, ns_out], [dt_s, dt_out_s]) = (outline.ns, outline.dt_s);
        let [first, last] = outline.first_s;
        let steps = [
            Some(format!(
                "read      {} traces of {ns} samples, {} ms apart; {} are dead",
                outline.traces,
                dt_s * 1e3,
                outline.dead
            )),
            (self.shift != 0.0)
                .then(|| format!("shift     {} s are added to all times", self.shift)),
            self.band.as_ref().map(|b| format!("band      {b} Hz, zero phase")),
            self.start.map(|s| format!("start     from {first} ... {last} s to {s} s")),
            self.dt.map(|_| format!("resample  to {} ms", dt_out_s * 1e3)),
            self.mute.as_ref().map(|m| format!("mute      before distance / v + s: {m}")),
            self.gain.map(|p| format!("gain      t^{p}")),
            self.agc.map(|w| format!("agc       window of {w} s")),
            self.balance.then(|| "balance   each trace to rms 1".to_string()),
            Some(format!("write     {ns_out} samples, {} ms apart", dt_out_s * 1e3)),
        ];
        steps.into_iter().flatten().for_each(|step| println!("{step}"));
    }
}
