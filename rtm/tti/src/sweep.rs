//! Speed over the size of the grid, several runs of each case: figure 1 of Brumati's document.

use std::path::Path;
use std::str::FromStr;

use figures::{Axis, Chart, Series};
use rtm::io::atomic;
use rtm::{Error, Result};

use super::fletcher::Case;
use super::{Method, Model, Propagator, source};

/// Sizes `first`, `first + step`, ... up to `last`, written FIRST:STEP:LAST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The smallest.
    pub first: usize,
    /// From one to the next.
    pub step: usize,
    /// None is larger.
    pub last: usize,
}

impl Sizes {
    /// All of them.
    pub fn all(self) -> impl Iterator<Item = usize> {
        (self.first..=self.last).step_by(self.step)
    }
}

impl FromStr for Sizes {
    type Err = Error;

    fn from_str(text: &str) -> Result<Sizes> {
        let numbers: Option<Vec<usize>> =
            text.split(':').map(|word| word.parse().ok().filter(|n| *n > 0)).collect();
        match numbers.as_deref() {
            Some(&[first, step, last]) if first <= last => Ok(Sizes { first, step, last }),
            _ => Err(Error::refused(
                format!("sizes '{text}'"),
                "not understood",
                "FIRST:STEP:LAST, numbers above 0, as 88:32:600",
            )),
        }
    }
}

/// What the runs of one case have given.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Points of the model along each axis.
    pub n: usize,
    /// Which method.
    pub method: Method,
    /// How many runs.
    pub runs: usize,
    /// Mean of their speeds, MSamples/s.
    pub mean: f64,
    /// Their standard deviation (0 for a single run), MSamples/s.
    pub deviation: f64,
}

const HEAD: &str = "grid,method,runs,mean MSamples/s,deviation";

impl Row {
    fn csv(&self) -> String {
        let Row { n, method, runs, mean, deviation } = self;
        format!("{n},{},{runs},{mean:.2},{deviation:.2}", method.name())
    }

    fn parse(line: &str) -> Option<Row> {
        let cells: Vec<&str> = line.split(',').collect();
        let [n, method, runs, mean, deviation] = cells[..] else { return None };
        Some(Row {
            n: n.parse().ok()?,
            method: method.parse().ok()?,
            runs: runs.parse().ok()?,
            mean: mean.parse().ok()?,
            deviation: deviation.parse().ok()?,
        })
    }
}

/// Rows that a table of an earlier start holds; none if there is no such file.
///
/// # Errors
/// The file is none of ours.
pub fn read(path: &Path) -> Result<Vec<Row>> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(Vec::new()) };
    let mut lines = text.lines();
    let rows: Option<Vec<Row>> = match lines.next() {
        Some(HEAD) => lines.map(Row::parse).collect(),
        _ => None,
    };
    rows.ok_or_else(|| {
        Error::refused(
            path.display(),
            "no table of a sweep",
            "name another file for --csv, or remove this one",
        )
    })
}

/// Writes the table.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, rows: &[Row]) -> Result<()> {
    let lines = rows.iter().map(Row::csv);
    let text: Vec<String> = std::iter::once(HEAD.into()).chain(lines).collect();
    atomic::write_text(path, &format!("{}\n", text.join("\n")))
}

/// Mean and standard deviation (of a sample) of some values.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}

/// Times a case: a run that does not count, then `runs` of `case.steps()` steps each.
///
/// # Errors
/// The device fails.
pub fn measure(
    case: &Case,
    method: Method,
    runs: usize,
    open: impl FnOnce(&Model, Method) -> Result<Box<dyn Propagator>>,
) -> Result<Row> {
    let model = case.model();
    let mut device = open(&model, method)?;
    drop(model);
    let samples: Vec<f32> = (0..case.steps()).map(|k| source(k as f64 * case.dt_s)).collect();
    device.advance(&samples)?;
    let mut speeds = Vec::new();
    for _ in 0..runs {
        speeds.push(case.samples() / device.advance(&samples)? * 1e-6);
    }
    let (mean, deviation) = mean_and_deviation(&speeds);
    Ok(Row { n: case.n[0], method, runs, mean, deviation })
}

/// How much faster one method is than another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Mean over the sizes, less 1.
    pub mean: f64,
    /// Standard deviation over the sizes.
    pub deviation: f64,
    /// The least size from which on each size gains more than both deviations together.
    pub least: Option<usize>,
    /// The size at which the faster method is fastest.
    pub peak: usize,
}

/// Gain of `method` over `base` at the sizes that both have; none, if there is no such size.
pub fn gain(rows: &[Row], base: Method, method: Method) -> Option<Gain> {
    let find = |n, of| rows.iter().find(|r| r.n == n && r.method == of);
    let mut pairs: Vec<(&Row, &Row)> = rows
        .iter()
        .filter(|row| row.method == method)
        .filter_map(|row| Some((find(row.n, base)?, row)))
        .collect();
    pairs.sort_by_key(|(_, row)| row.n);
    let gains: Vec<f64> = pairs.iter().map(|(b, m)| m.mean / b.mean - 1.0).collect();
    let (mean, deviation) = mean_and_deviation(&gains);
    let peak = pairs.iter().max_by(|a, b| a.1.mean.total_cmp(&b.1.mean))?.1.n;
    let shows = |(b, m): &&(&Row, &Row)| m.mean - b.mean > b.deviation + m.deviation;
    let least = pairs.iter().rev().take_while(shows).last().map(|(_, row)| row.n);
    Some(Gain { mean, deviation, least, peak })
}

/// What the rows say, method by method beside the first one.
pub fn summary(rows: &[Row], methods: &[Method]) -> String {
    let mut text = String::new();
    let Some((base, others)) = methods.split_first() else { return text };
    for method in others {
        let Some(g) = gain(rows, *base, *method) else { continue };
        let least = g.least.map_or("at no size".into(), |n| format!("from {n}^3 on"));
        text += &format!(
            "{} over {}: {:.1} % faster on average, standard deviation over the sizes {:.2} %; \
             beyond the runs' deviations {least}; fastest at {}^3\n",
            method.name(),
            base.name(),
            100.0 * g.mean,
            100.0 * g.deviation,
            g.peak
        );
    }
    text
}

/// Speed over size, a line for each method, with the deviations of the runs.
pub fn chart(title: &str, rows: &[Row], methods: &[Method]) -> Chart {
    let x = Axis::linear("points along each axis").whole();
    let chart = Chart::new(title, x, Axis::linear("MSamples/s").from_zero());
    chart.with_all(methods.iter().map(|method| {
        let mut of: Vec<&Row> = rows.iter().filter(|r| r.method == *method).collect();
        of.sort_by_key(|row| row.n);
        let points = of.iter().map(|r| (r.n as f64, r.mean)).collect();
        let errors = of.iter().map(|r| (r.mean - r.deviation, r.mean + r.deviation)).collect();
        Series::line(method.name(), points).errors(errors)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(n: usize, method: Method, mean: f64, deviation: f64) -> Row {
        Row { n, method, runs: 10, mean, deviation }
    }

    #[test]
    fn gains_have_mean_deviation_least_size_and_peak() {
        let mut rows = Vec::new();
        // No gain at 88; one within the deviations at 120; then 10 and 30 %.
        for (n, base, shared) in
            [(88, 100.0, 90.0), (120, 100.0, 101.0), (152, 200.0, 220.0), (184, 150.0, 195.0)]
        {
            rows.push(row(n, Method::Base, base, 1.0));
            rows.push(row(n, Method::Shared, shared, 1.0));
        }
        rows.push(row(216, Method::Shared, 999.0, 1.0));
        let g = gain(&rows, Method::Base, Method::Shared).unwrap();
        assert!((g.mean - 0.0775).abs() < 1e-12, "{g:?}");
        // Deviations from the mean: -0.1775, -0.0675, 0.0225, 0.2225.
        assert!((g.deviation - 0.169_386_1).abs() < 1e-6, "{g:?}");
        assert_eq!((g.least, g.peak), (Some(152), 152));
        assert_eq!(gain(&rows, Method::Best, Method::Shared), None);
        let text = summary(&rows, &[Method::Base, Method::Shared]);
        assert!(text.contains("7.8 % faster") || text.contains("7.7 % faster"), "{text}");
        assert!(text.contains("from 152^3 on"), "{text}");
    }

    #[test]
    fn tables_are_read_back_and_others_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sweep.csv");
        assert_eq!(read(&path).unwrap(), []);
        let rows = [row(88, Method::Base, 12.25, 0.5), row(120, Method::SharedQueue, 7.0, 0.0)];
        write(&path, &rows).unwrap();
        assert_eq!(read(&path).unwrap(), rows);
        for text in ["something else\n", "", &format!("{HEAD}\n88,base,10,fast,0\n")] {
            std::fs::write(&path, text).unwrap();
            let said = read(&path).unwrap_err().to_string();
            assert!(said.contains("sweep.csv") && said.contains("--csv"), "{said}");
        }
    }

    #[test]
    fn sizes_are_those_of_the_document() {
        let sizes: Sizes = "88:32:600".parse().unwrap();
        let all: Vec<usize> = sizes.all().collect();
        assert_eq!((all.len(), all[0], all[12], all[16]), (17, 88, 472, 600));
        for wrong in ["88", "88:0:600", "600:32:88", "a:1:2", "1:2:3:4"] {
            assert!(wrong.parse::<Sizes>().unwrap_err().to_string().contains(wrong));
        }
    }

    #[test]
    fn each_case_is_run_as_often_as_asked_and_once_before() {
        struct Clock(std::rc::Rc<std::cell::Cell<usize>>);
        impl Propagator for Clock {
            fn name(&self) -> String {
                String::new()
            }
            fn advance(&mut self, samples: &[f32]) -> Result<f64> {
                assert_eq!(samples.len(), 4);
                self.0.set(self.0.get() + 1);
                // The first run is slow; the others take 2 and 1 seconds.
                Ok([2.0, 1.0][self.0.get() % 2] * if self.0.get() == 1 { 100.0 } else { 1.0 })
            }
            fn fields(&mut self) -> Result<[Vec<f32>; 2]> {
                Ok([Vec::new(), Vec::new()])
            }
            fn set_fields(&mut self, _: [&[f32]; 2], _: [&[f32]; 2]) -> Result<()> {
                Ok(())
            }
        }
        let case = Case {
            form: super::super::Form::Tti,
            n: [8; 3],
            absorb: 1,
            d_m: [12.5; 3],
            dt_s: 0.001,
            tmax_s: 0.004,
        };
        let runs = std::rc::Rc::new(std::cell::Cell::new(0));
        let open =
            |_: &Model, _| -> Result<Box<dyn Propagator>> { Ok(Box::new(Clock(runs.clone()))) };
        let found = measure(&case, Method::Best, 2, open).unwrap();
        assert_eq!(runs.get(), 3);
        // 10^3 points, 4 steps: 4000 samples in 2 s, and in 1 s.
        assert!((found.mean - 0.003).abs() < 1e-9, "{found:?}");
        assert!((found.deviation - 0.002 / 2.0f64.sqrt()).abs() < 1e-9, "{found:?}");
    }
}
