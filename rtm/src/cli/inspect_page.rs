//! The page of `rtm inspect --html`: geometry, fold and spectrum drawn, and what was said.

use figures::{Axis, Chart, Series};
use rtm::survey::inspect::Inspection;

use super::page::{escape, figure, page};

/// The page as HTML, pictures inside; `facts` and `lines` are what the command printed.
pub fn html(name: &str, found: &Inspection, facts: &str, lines: &str) -> String {
    let mut body = figure(
        &geometry(found),
        "Sources and receivers from above; of very many, some thousand of them.",
    );
    if !found.folds.is_empty() {
        body += &figure(
            &fold(found),
            "Live traces for each midpoint along the line, half a receiver spacing apart.",
        );
    }
    if found.band().is_some() {
        body += &figure(&spectrum(found), "Mean amplitude spectrum; every trace counts the same.");
    }
    body += &format!(
        "<h2>What is in it</h2>\n<pre tabindex=\"0\">{}</pre>\n\
         <h2>For the run file</h2>\n<pre tabindex=\"0\">{}</pre>\n",
        escape(facts),
        escape(lines)
    );
    page(name, &body)
}

fn geometry(found: &Inspection) -> String {
    let points = |places: &[[f64; 2]]| places.iter().map(|p| (p[0], p[1])).collect();
    Chart::new("Geometry", Axis::linear("x").unit("m", 1.0), Axis::linear("y").unit("m", 1.0))
        .with(Series::points("receivers", points(found.receivers())))
        .with(Series::points("sources", points(found.sources())))
        .svg()
}

fn fold(found: &Inspection) -> String {
    let steps =
        found.folds.iter().flat_map(|f| [(f.along_m.low, f.fold), (f.along_m.high, f.fold)]);
    let x = Axis::linear("along the line").unit("m", 1.0);
    Chart::new("Fold", x, Axis::linear("traces of a midpoint").from_zero())
        .with(Series::line("", steps.collect()).smooth())
        .svg()
}

/// The mean amplitude spectrum of traces.
pub fn spectrum(found: &Inspection) -> String {
    // Beyond the band there is little to see.
    let shown_hz = found.band().map_or(0.0, |b| 2.5 * b.high_hz);
    let curve = found.spectrum.decibels(found.dt_s());
    let curve: Vec<_> =
        curve.into_iter().filter(|p| p.0 <= shown_hz).map(|(f, db)| (f, db.max(-60.0))).collect();
    let last = curve.last().map_or(0.0, |p| p.0);
    let x = Axis::linear("frequency").unit("Hz", 1.0);
    Chart::new("Spectrum", x, Axis::linear("amplitude").unit("dB", 1.0))
        .with(Series::line("traces", curve).smooth())
        .with(Series::line("\u{2212}20 dB", vec![(0.0, -20.0), (last, -20.0)]).reference())
        .svg()
}
