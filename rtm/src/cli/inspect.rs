//! `rtm inspect`: what is in a file of traces, and what it suggests for a run.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::path::PathBuf;

use clap::Args;
use rtm::io::header::{Dialect, Endian, SampleFormat};
use rtm::io::{HeaderRules, TraceReader, atomic, text_lines};
use rtm::survey::advice::{Ground, suggestions};
use rtm::survey::inspect::{Inspection, Range};
use rtm::{Error, Result};

/// Say what is in a file of traces: format, text header, shots, places, fold, amplitudes,
/// spectrum, direct wave; and suggest lines for the run file. Nothing is changed
#[derive(Args)]
pub struct InspectArgs {
    /// Traces (.su, .sgy, .segy)
    file: PathBuf,
    /// Write a page with the geometry, the fold and the spectrum drawn
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Smallest velocity of the ground, m/s, for the suggested spacing
    #[arg(long, default_value_t = 1500.0)]
    vmin: f64,
    /// Largest velocity of the ground, m/s, for the suggested time step
    #[arg(long)]
    vmax: Option<f64>,
    /// Order of the differences in space, for the suggested spacing
    #[arg(long, default_value_t = 8)]
    order: usize,
    #[command(flatten)]
    rules: RuleArgs,
}

/// What the user knows of a file's headers
#[derive(Args)]
pub struct RuleArgs {
    /// Where a header word is: word=first byte:bytes or word=another word, such as sx=201:4;
    /// more than one with commas
    #[arg(long, value_name = "WORD=PLACE", value_delimiter = ',')]
    header: Vec<String>,
    /// Unit of the file's lengths: m or ft; left out, what the file says
    #[arg(long, value_name = "UNIT")]
    units: Option<String>,
}

impl RuleArgs {
    /// The rules for the reader.
    pub fn rules(&self) -> Result<HeaderRules> {
        let mut rules = HeaderRules::default();
        for rule in &self.header {
            let (word, place) = rule.split_once('=').ok_or_else(|| {
                Error::refused(format!("--header {rule}"), "no '='", "write it as sx=201:4")
            })?;
            rules.add(word.trim_start_matches("header."), place)?;
        }
        rules.unit_m = match self.units.as_deref() {
            None => None,
            Some("m") => Some(1.0),
            Some("ft") => Some(rtm::io::traces::FOOT_M),
            Some(other) => {
                return Err(Error::refused(
                    format!("--units {other}"),
                    "no such unit",
                    "write m or ft",
                ));
            }
        };
        Ok(rules)
    }
}

impl InspectArgs {
    /// Reads the file and prints.
    pub fn run(&self) -> Result<()> {
        if !(self.vmin > 0.0 && self.vmax.is_none_or(|v| v >= self.vmin)) {
            return Err(Error::refused(
                "--vmin, --vmax",
                "no velocities of a ground",
                "the smallest must be above 0, the largest not below it",
            ));
        }
        let mut reader = TraceReader::open(&self.file)?;
        reader.set_rules(self.rules.rules()?);
        let head = head(&mut reader)?;
        let found = Inspection::read(&mut reader)?;
        let ground = Ground { v_min_mps: self.vmin, v_max_mps: self.vmax, order: self.order };
        let lines = suggestions(&found, &self.file.display().to_string(), ground)?.join("\n");
        let facts = head + &facts(&found);
        print!("{facts}\nsuggestions (lines of a file for par=FILE)\n{lines}\n");
        if let Some(path) = &self.html {
            let name = self.file.file_name().unwrap_or_default().to_string_lossy();
            let page = super::inspect_page::html(&name, &found, &facts, &lines);
            atomic::write_text(path, &page)?;
            println!("\n{}", path.display());
        }
        Ok(())
    }
}

/// One line: a name and what is said of it.
fn row(text: &mut String, name: &str, says: impl Display) {
    _ = writeln!(text, "{name:<12}{says}");
}

/// What stands before the traces.
fn head(reader: &mut TraceReader) -> Result<String> {
    let mut text = String::new();
    let head = reader.head()?;
    let (endian, dialect, format) = reader.layout();
    let order = if endian == Endian::Big { "big-endian" } else { "little-endian" };
    let numbers = match format {
        SampleFormat::Ibm => "IBM numbers of 32 bits (format 1)",
        SampleFormat::I32 => "integers of 32 bits (format 2)",
        SampleFormat::I16 => "integers of 16 bits (format 3)",
        SampleFormat::Ieee => "IEEE numbers of 32 bits (format 5)",
        SampleFormat::Ieee64 => "IEEE numbers of 64 bits (format 6)",
        SampleFormat::I8 => "integers of 8 bits (format 8)",
    };
    let kind = if dialect == Dialect::Su { "Seismic Un*x" } else { "SEG-Y" };
    row(&mut text, "file", reader.path().display());
    row(&mut text, "format", format!("{kind}, {order}, {numbers}"));
    if let Some(binary) = head.get(3200..3600) {
        let extended = head.len() / 3200 - 1;
        let [major, minor] = [binary[300], binary[301]];
        row(&mut text, "revision", format!("{major}.{minor}, {extended} extended text headers"));
        let (code, lines) = text_lines(&head[..3200]);
        row(&mut text, "text", format!("{code}, {} lines that say something", lines.len()));
        lines.iter().for_each(|line| _ = writeln!(text, "  {line}"));
    }
    let unit = if reader.unit_m() == 1.0 { "metres" } else { "feet, shown in metres" };
    row(&mut text, "lengths", unit);
    Ok(text)
}

/// All that was counted and measured.
pub fn facts(found: &Inspection) -> String {
    let mut text = String::new();
    let (ns, dt_s) = (found.ns, found.dt_s());
    let long_s = ns.saturating_sub(1) as f64 * dt_s;
    row(
        &mut text,
        "traces",
        format!("{} of {ns} samples, {} ms apart ({long_s:.3} s)", found.traces, dt_s * 1e3),
    );
    row(
        &mut text,
        "delay",
        format!("first sample at {:.3} ms after the shot", found.delay_s() * 1e3),
    );
    let meaning = |id: &i32| match id {
        0 => " (unknown, taken as live)",
        1 => " (live)",
        2 => " (dead)",
        3 => " (dummy)",
        _ => "",
    };
    let ids = counts(&found.ids, |id| format!("{id}{}", meaning(id)));
    row(&mut text, "trace ids", ids);
    let [least, most] = found.channels;
    row(
        &mut text,
        "shots",
        format!("{} in {} runs of {least} to {most} traces", found.shots, found.runs),
    );
    let apart = |m: Option<f64>| m.map_or("unknown".into(), |m| format!("{m:.2} m"));
    row(
        &mut text,
        "spacing",
        format!(
            "from shot to shot {}, from receiver to receiver {} (the commonest)",
            apart(found.shot_m),
            apart(found.group_m)
        ),
    );
    for (name, ranges) in [("sources", &found.source_m), ("receivers", &found.receiver_m)] {
        let [x, y, z] = ranges.map(metres);
        row(&mut text, name, format!("x {x}, y {y}, z {z}"));
    }
    row(&mut text, "offsets", metres(found.offset_m));
    row(&mut text, "scalco", counts(&found.scalco, i32::to_string));
    let empty = if found.empty.is_empty() { "none".into() } else { found.empty.join(" ") };
    row(&mut text, "empty words", empty);
    let a = &found.amplitudes;
    row(&mut text, "amplitudes", format!("rms {:.4e}, largest {:.4e}", a.rms, a.largest));
    row(
        &mut text,
        "broken",
        format!("{} samples NaN or infinite, {} live traces of zeros", a.broken, a.zeros),
    );
    match found.band() {
        None => row(&mut text, "spectrum", "none: no live trace, or dt is 0"),
        Some(b) => row(
            &mut text,
            "spectrum",
            format!(
                "peak {:.1} Hz, {:.1} to {:.1} Hz at -20 dB (mean of {} traces)",
                b.peak_hz,
                b.low_hz,
                b.high_hz,
                found.spectrum.traces()
            ),
        ),
    }
    match found.direct {
        None => row(&mut text, "direct wave", "none stands out: no estimate of the wavelet's peak"),
        Some(d) => row(
            &mut text,
            "direct wave",
            format!(
                "{:.0} m/s; the wavelet's peak is {:.1} ms after time zero ({} picks, {:.2} ms \
                 off)",
                d.v_mps,
                (d.peak_s * 1e4).round() / 10.0 + 0.0,
                d.picks,
                d.scatter_s * 1e3
            ),
        ),
    }
    if !found.folds.is_empty() {
        _ = writeln!(text, "\n{:>10} {:>10} {:>8}", "along, m", "to", "fold");
        for fold in &found.folds {
            let Range { low, high } = fold.along_m;
            _ = writeln!(text, "{low:>10.1} {high:>10.1} {:>8.1}", fold.fold);
        }
    }
    text
}

fn metres(range: Range) -> String {
    match range.width() {
        w if w < 0.0 => "none".into(),
        0.0 => format!("{:.2} m", range.low),
        _ => format!("{:.2} to {:.2} m", range.low, range.high),
    }
}

/// What occurs how often; not more than six of them.
fn counts<K>(map: &BTreeMap<K, usize>, name: impl Fn(&K) -> String) -> String {
    let shown: Vec<String> =
        map.iter().take(6).map(|(k, n)| format!("{} in {n} traces", name(k))).collect();
    let more = if map.len() > 6 { format!(", and {} more", map.len() - 6) } else { String::new() };
    shown.join(", ") + &more
}
