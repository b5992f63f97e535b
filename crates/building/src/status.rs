//! What a build is doing, in one line.

use crate::cargo::Event;
use crate::left::{Left, Parts, about, seconds};
use crate::said::Said;

/// What was heard of a build. Times are seconds since it was begun.
#[derive(Debug)]
pub struct Status {
    left: Left,
    /// Done and all parts, names of those under way.
    progress: Option<(usize, usize, Vec<String>)>,
    /// What cargo does before it compiles.
    step: String,
    /// Since when another cargo holds the folder.
    waiting: Option<f64>,
}

impl Status {
    /// Of a build with these parts.
    pub fn new(parts: Parts) -> Status {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Status {
            left: Left::new(parts, cores),
            progress: None,
            step: "cargo begins".into(),
            waiting: None,
        }
    }

    /// Takes in what `run` tells.
    pub fn hear(&mut self, now: f64, event: &Event) {
        let Event::Said(said) = event else { return };
        match said {
            Said::Waiting => _ = self.waiting.get_or_insert(now),
            Said::Words(_) => {}
            Said::Progress { done, total, active } => {
                self.waiting = None;
                self.left.progress(now, *done, *total, active);
                self.progress = Some((*done, *total, active.clone()));
            }
            Said::Step(step) => {
                self.waiting = None;
                self.step = step.clone();
                if step.starts_with("Compiling ") {
                    self.left.step();
                }
            }
        }
    }

    /// True while another cargo holds the folder.
    pub fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// What is done and how long it still takes, in at most so many columns.
    pub fn text(&mut self, now: f64, columns: usize) -> String {
        if let Some(since) = self.waiting {
            let time = seconds(now - since);
            let full = format!("waiting for another cargo build in this folder ({time})");
            return fitting(columns, [full, format!("waiting for another build ({time})")]);
        }
        let elapsed = seconds(now);
        let Some((done, total, active)) = &self.progress else {
            return cut(&format!("{elapsed}: {}", self.step), columns);
        };
        let left = self.left.at(now);
        how_far(columns, (*done, *total), "parts", now, left, active)
    }
}

/// How far some work is, in at most so many columns: a bar, `43 of 128 parts`, the time it took,
/// the time that is left, if that can be said, and as many names of what is under way as fit.
pub fn how_far(
    columns: usize,
    (done, total): (usize, usize),
    unit: &str,
    elapsed: f64,
    left: Option<f64>,
    names: &[String],
) -> String {
    let elapsed = seconds(elapsed);
    let (full, short) = match left.map(about) {
        Some(left) => {
            let bare = left.trim_start_matches("about ").replace("a few seconds", "seconds");
            (format!("{elapsed}, {left} left"), format!("{elapsed}, {bare} left"))
        }
        None => (elapsed.clone(), elapsed),
    };
    let text = fitting(
        columns,
        [
            format!("{} {done} of {total} {unit}, {full}", bar(done, total, 20)),
            format!("{} {done} of {total} {unit}, {full}", bar(done, total, 8)),
            format!("{done} of {total} {unit}, {full}"),
            format!("{done}/{total}, {short}"),
        ],
    );
    with_names(text, names, columns)
}

/// `[====>     ]`.
fn bar(done: usize, total: usize, cells: usize) -> String {
    let full = cells * done / total.max(1);
    let head = if full < cells { ">" } else { "" };
    format!("[{:<cells$}]", "=".repeat(full) + head)
}

/// The first text that fits, else what fits of the last.
fn fitting<const N: usize>(columns: usize, texts: [String; N]) -> String {
    let fits = texts.iter().find(|text| text.chars().count() <= columns);
    fits.or(texts.last()).map(|text| cut(text, columns)).unwrap_or_default()
}

/// The text and as many names as fit.
fn with_names(mut text: String, names: &[String], columns: usize) -> String {
    for (k, name) in names.iter().enumerate() {
        let more = format!("{}{name}", if k == 0 { ": " } else { ", " });
        if text.chars().count() + more.chars().count() > columns {
            break;
        }
        text += &more;
    }
    text
}

/// As much of the text as fits.
fn cut(text: &str, columns: usize) -> String {
    text.chars().take(columns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: Parts = Parts { heavy: &[("simt", 40.0)], others: 127 };

    fn progress(done: usize, active: &[&str]) -> Event {
        let active = active.iter().map(|a| a.to_string()).collect();
        Event::Said(Said::Progress { done, total: 128, active })
    }

    #[test]
    fn a_line_says_how_far_the_build_is() {
        let mut status = Status::new(PARTS);
        assert_eq!(status.text(0.0, 80), "0 s: cargo begins");
        status.hear(0.5, &Event::Said(Said::Step("Downloading 14 crates".into())));
        assert_eq!(status.text(2.0, 80), "2 s: Downloading 14 crates");
        for _ in 0..20 {
            status.hear(3.0, &Event::Said(Said::Step("Compiling x v1".into())));
        }
        status.hear(3.0, &progress(43, &["simt", "hdl"]));
        let wide = status.text(31.0, 80);
        assert!(wide.starts_with("[======>             ] 43 of 128 parts, 31 s, about "), "{wide}");
        assert!(wide.ends_with(" left: simt, hdl"), "{wide}");
        for columns in [60, 40, 30] {
            let narrow = status.text(31.0, columns);
            assert!(narrow.chars().count() <= columns, "{columns} columns: {narrow}");
            assert!(narrow.contains("31 s") && narrow.contains("43"), "{narrow}");
        }
        // Time moves it even if cargo says nothing.
        assert_ne!(status.text(32.0, 80), wide);
    }

    #[test]
    fn another_build_is_named_while_it_holds_the_folder() {
        let mut status = Status::new(PARTS);
        status.hear(1.0, &Event::Said(Said::Waiting));
        status.hear(5.0, &Event::Silence);
        let text = "waiting for another cargo build in this folder (12 s)";
        assert_eq!(status.text(13.0, 80), text);
        assert_eq!(status.text(13.0, 40), "waiting for another build (12 s)");
        assert!(status.is_waiting());
        status.hear(14.0, &progress(0, &[]));
        assert!(!status.is_waiting());
        assert!(status.text(14.0, 80).contains(" 0 of 128 parts"), "{}", status.text(14.0, 80));
    }

    #[test]
    fn without_a_basis_there_is_no_time_left() {
        let mut status = Status::new(Parts::UNKNOWN);
        status.hear(1.0, &progress(127, &["lab(bin)"]));
        let want = "[===================>] 127 of 128 parts, 1 min 5 s: lab(bin)";
        assert_eq!(status.text(65.0, 80), want);
    }
}
