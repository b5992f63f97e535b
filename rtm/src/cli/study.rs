//! `rtm study` and `rtm verify`: the tables of the thesis with plots, and the checks of the
//! physics.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use figures::{Axis, Chart, Series, panels_in_rows};
use rtm::Result;
use rtm::io::atomic;
use rtm::picture::save;
use rtm::verify::report::{self, Group};
use rtm_studies::study::{self, Study};

use super::backend::BackendArgs;

/// Print a study's table in Markdown; draw it with --svg
#[derive(Args)]
pub struct StudyArgs {
    /// Which
    #[arg(value_enum)]
    study: Study,
    /// At the thesis' size (hours) instead of a laptop's
    #[arg(long)]
    full: bool,
    /// Draw the columns over the first one (over the rows, if that has names; the rows, if the
    /// columns are numbered); axes are logarithmic where values are a factor of 100 apart
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// CPU threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    backend: BackendArgs,
}

impl StudyArgs {
    /// Runs the study.
    pub fn run(&self) -> Result<()> {
        let backend = self.backend.open(self.threads, None)?;
        let mut tee = Tee { seen: Vec::new() };
        let panels = study::run(self.study, self.full, backend.as_ref(), &mut tee)?;
        let Some(path) = &self.svg else { return Ok(()) };
        if let Some((charts, columns)) = panels {
            atomic::write_text(path, &panels_in_rows(&charts, columns).svg())?;
            println!("{}", path.display());
            return Ok(());
        }
        let text = String::from_utf8_lossy(&tee.seen).into_owned();
        let title = text.lines().next().unwrap_or("").split([';', '(']).next().unwrap_or("");
        // "Subject: what the columns are there / back"
        let (title, values) = title.split_once(": ").unwrap_or((title, "value"));
        let values = values.split(" / ").next().unwrap_or(values).trim();
        let (label, all) = columns(&text);
        if all.iter().all(|s| s.points.is_empty()) {
            return Err(rtm::Error::refused(path.display(), "no point to draw", ""));
        }
        let points = || all.iter().flat_map(|s| &s.points);
        let x = scaled(&label, points().map(|p| p.0), Axis::linear);
        let y = scaled(values, points().map(|p| p.1), |label| Axis::linear(label).from_zero());
        let chart = Chart::new(title.trim(), x, y);
        save(path, &chart.with_all(all))?;
        println!("{}", path.display());
        Ok(())
    }
}

/// Run all checks of the physics and print a table in Markdown; fails if one does not hold
#[derive(Args)]
pub struct VerifyArgs {
    /// Only these; all, if none is named
    #[arg(value_enum)]
    groups: Vec<Group>,
    /// CPU threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    backend: BackendArgs,
}

impl VerifyArgs {
    /// Runs the checks.
    pub fn run(&self) -> Result<()> {
        let backend = self.backend.open(self.threads, None)?;
        let both = backend.as_ref();
        report::run(&self.groups, both, both, &mut io::stdout())
    }
}

/// Prints, and remembers what was printed.
struct Tee {
    seen: Vec<u8>,
}

impl Write for Tee {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.seen.extend(bytes);
        io::stdout().write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// A logarithmic axis where the values ask for one: all above 0, and a factor of 100 apart.
fn scaled(label: &str, values: impl Iterator<Item = f64>, linear: fn(&str) -> Axis) -> Axis {
    let (least, most) = values.fold((f64::MAX, 0.0), |(a, b), v| (v.min(a), v.max(b)));
    if least > 0.0 && most >= 100.0 * least { Axis::log(label) } else { linear(label) }
}

/// The columns of a Markdown table as curves, and the name of what they lie over. Where rows have
/// names and columns numbers (`level 25`), the rows are the curves.
fn columns(text: &str) -> (String, Vec<Series>) {
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|l| l.starts_with('|') && !l.starts_with("| ---") && !l.starts_with("|---"))
        .map(|l| l.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let Some((head, body)) = rows.split_first() else { return (String::new(), Vec::new()) };
    // `3100/5000 (...)` counts as 3100; `1, ks_store 20` is a name.
    let number = |cell: &str| {
        let end = cell.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)));
        let (number, rest) = cell.split_at(end.unwrap_or(cell.len()));
        if rest.is_empty() || rest.starts_with(['/', ' ']) {
            number.parse::<f64>().ok()
        } else {
            None
        }
    };
    let named = body.iter().any(|row| number(row[0]).is_none());
    let numbered = |name: &&str| {
        let (what, number) = name.rsplit_once(' ')?;
        Some((what.to_string(), number.parse::<f64>().ok()?))
    };
    let places: Option<Vec<(String, f64)>> = head[1..].iter().map(numbered).collect();
    if let (true, Some(places)) = (named, places) {
        let all = body.iter().map(|row| {
            let cells = places.iter().zip(&row[1..]);
            let points = cells.filter_map(|((_, x), cell)| Some((*x, number(cell)?)));
            Series::line(row[0], points.collect())
        });
        let label = places.first().map_or(String::new(), |(what, _)| what.clone());
        return (label, all.filter(|curve| !curve.points.is_empty()).collect());
    }
    let label = if named { "row" } else { head[0] };
    let first = usize::from(!named);
    let all = (first..head.len())
        .map(|column| {
            let points = body.iter().enumerate().filter_map(|(k, row)| {
                let x = if named { k as f64 } else { number(row[0])? };
                Some((x, number(row.get(column)?)?))
            });
            Series::line(head[column], points.collect())
        })
        .filter(|curve| !curve.points.is_empty())
        .collect();
    (label.into(), all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_becomes_curves() {
        let text = "Title\n\n| ks | a | b |\n| --- | --- | --- |\n| 1 | 2e3 | 5/7 (x) |\n| 4 | 3 | \
                    NaN |\n";
        let (label, all) = columns(text);
        assert_eq!((label.as_str(), all.len()), ("ks", 2));
        assert_eq!(all[0].points, [(1.0, 2000.0), (4.0, 3.0)]);
        assert_eq!(all[1].points, [(1.0, 5.0)]);
        let (label, all) = columns("| name | a |\n|---|---|\n| x | 2 |\n| y | 3 |\n");
        assert_eq!((label.as_str(), all[0].points.clone()), ("row", vec![(0.0, 2.0), (1.0, 3.0)]));
        let (label, all) =
            columns("| case | level 9 | level 4 |\n|---|---|---|\n| f32 | 2 | 3 |\n");
        assert_eq!((label.as_str(), all[0].name.as_str()), ("level", "f32"));
        assert_eq!(all[0].points, [(9.0, 2.0), (4.0, 3.0)]);
        assert_eq!(columns("| name | a |\n|---|---|\n| 1, by segments | 2 |\n").0, "row");
    }
}
