//! `rtm look`: a page of gathers, sections, spectra and depth slices.

use std::path::{Path, PathBuf};

use clap::Args;
use figures::{Axis, Chart, Series};
use rtm::io::{Known, TraceFormat, TraceReader, atomic, read_cube};
use rtm::look::{self, View, Wanted};
use rtm::picture::{Scale, chart_of, wiggles_of};
use rtm::survey::inspect::Inspection;
use rtm::{Error, Result};

use super::inspect::{RuleArgs, facts};
use super::inspect_page::spectrum;
use super::page::{escape, figure, page};

/// Draw what is in files of traces, models and images: gathers, sections, spectra, depth slices,
/// on one page that opens from a file and asks for nothing outside of it
#[derive(Args)]
pub struct LookArgs {
    /// Traces (.su, .sgy, .segy) or cubes (raw with its .toml, .npy), as many as you like
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The page; left out, the first file's name with .html after it
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Shots whose traces are drawn, spread over the file; 0: all traces as one section
    #[arg(long, default_value_t = 3)]
    gathers: usize,
    /// Depth slices of a cube, spread over its depths
    #[arg(long, default_value_t = 3)]
    slices: usize,
    /// Where a cube's upright sections cross, metres; the middle if left out
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    at: Option<String>,
    /// Multiply traces by time and images by depth to this power, to lift what lies deep
    #[arg(long, value_name = "POWER", default_value_t = 0.0, allow_hyphen_values = true)]
    gain: f64,
    /// Share of the values that are not clipped
    #[arg(long, default_value_t = 0.99)]
    clip: f64,
    /// Draw traces as wiggles: for gathers of a hundred traces at most
    #[arg(long)]
    wiggles: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

impl LookArgs {
    /// Reads the files and writes the page.
    pub fn run(&self) -> Result<()> {
        let wanted = self.wanted()?;
        let mut body = String::new();
        let names = names(&self.files);
        for (path, name) in self.files.iter().zip(&names) {
            body += &format!("<h2>{}</h2>\n", escape(name));
            body += &match TraceFormat::of(path) {
                Ok(_) => self.traces(path, wanted)?,
                Err(_) => cube(path, wanted)?,
            };
        }
        let html = self.html.clone().unwrap_or_else(|| {
            let mut name = self.files[0].clone().into_os_string();
            name.push(".html");
            name.into()
        });
        atomic::write_text(&html, &page(&names.join(", "), &body))?;
        println!("{}", html.display());
        Ok(())
    }

    fn wanted(&self) -> Result<Wanted> {
        let refuse = |name: &str, value: &dyn std::fmt::Display, fix: &str| {
            Err(Error::refused(format!("--{name} {value}"), "no such value", fix))
        };
        if !(self.clip > 0.0 && self.clip <= 1.0) {
            return refuse("clip", &self.clip, "write a share above 0, at most 1, such as 0.99");
        }
        if !(0.0..=10.0).contains(&self.gain) {
            return refuse("gain", &self.gain, "write a power from 0 to 10, such as 1.5");
        }
        let at_m = match &self.at {
            None => None,
            Some(text) => {
                let numbers: Option<Vec<f64>> =
                    text.split(',').map(|v| v.trim().parse().ok()).collect();
                match numbers.as_deref() {
                    Some(&[x, y]) if x.is_finite() && y.is_finite() => Some([x, y]),
                    _ => return refuse("at", text, "write two numbers, x,y in metres"),
                }
            }
        };
        let LookArgs { gathers, slices, gain, clip, .. } = *self;
        Ok(Wanted { gathers, slices, at_m, power: gain, clip })
    }

    fn traces(&self, path: &Path, wanted: Wanted) -> Result<String> {
        let mut reader = TraceReader::open(path)?;
        reader.set_rules(self.rules.rules()?);
        let found = Inspection::read(&mut reader)?;
        let mut body = pictures(look::of_traces(&mut reader, wanted)?, self.wiggles)?;
        if found.band().is_some() {
            body += &figure(&spectrum(&found), "Mean amplitude spectrum of the traces.");
        }
        let facts = escape(&facts(&found));
        body += &format!(
            "<details><summary>What is in it</summary><pre tabindex=\"0\">{facts}</pre></details>\n"
        );
        Ok(body)
    }
}

/// The files' names, with their folders where two files have one name.
fn names(files: &[PathBuf]) -> Vec<String> {
    let alike = |path: &Path| files.iter().filter(|f| f.file_name() == path.file_name()).count();
    let name = |path: &PathBuf| {
        let parts = if alike(path) > 1 { 2 } else { 1 };
        let kept: PathBuf = path.iter().skip(path.iter().count().saturating_sub(parts)).collect();
        kept.to_string_lossy().into_owned()
    };
    files.iter().map(name).collect()
}

fn cube(path: &Path, wanted: Wanted) -> Result<String> {
    let cube = read_cube(path, &Known::default())?;
    let (grid, (low, high)) = (cube.grid, cube.range());
    let [n, d, from] = [grid.n.map(|n| n as f64), grid.d_m, grid.origin_m]
        .map(|v| format!("{} x {} x {}", v[0], v[1], v[2]));
    let mut body = format!(
        "<p>{n} points, {d} m apart, the first at {from} m; values from {low:.4e} to \
         {high:.4e}.</p>\n"
    );
    body += &pictures(look::of_cube(&cube, wanted)?, false)?;
    let curve = look::depth_spectrum(&cube);
    if !look::is_model(&cube) && !curve.is_empty() {
        let shown = curve.into_iter().map(|(k, db)| (1e3 * k, db.max(-60.0))).collect();
        let chart = Chart::new(
            "Spectrum along depth",
            Axis::linear("cycles per kilometre"),
            Axis::linear("amplitude").unit("dB", 1.0),
        );
        let svg = chart.with(Series::line("", shown).smooth()).svg();
        body += &figure(&svg, "Mean amplitude spectrum of the image's columns.");
    }
    Ok(body)
}

fn pictures(views: Vec<View>, wiggles: bool) -> Result<String> {
    let draw = |v: View| {
        let chart = match v.scale {
            Scale::Signed(share) if wiggles => wiggles_of(&v.title, &v.slice, share)?,
            scale => chart_of(&v.title, &v.slice, scale)?,
        };
        Ok(figure(&chart.svg(), &format!("{}: {}.", v.title, v.says)))
    };
    views.into_iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_are_told_apart_by_their_folders() {
        let files = ["salt.bin", "a/image.bin", "s/b/image.bin"].map(PathBuf::from);
        assert_eq!(names(&files), ["salt.bin", "a/image.bin", "b/image.bin"]);
    }
}
