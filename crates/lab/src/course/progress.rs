//! A progress bar on stderr, with the time that is left; nothing where stderr is no terminal.

use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over some number of steps.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Steps told so far; steps may be told out of order.
    most: Mutex<usize>,
}

impl Progress {
    /// A bar called `what` that has not begun.
    pub(super) fn new(what: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len}, {eta} left  {msg}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("#>-"));
        }
        bar.set_prefix(what.to_string());
        Progress { bar, most: Mutex::new(0) }
    }

    /// `done` of `all` steps are done.
    pub(super) fn step(&self, done: usize, all: usize) {
        let mut most = self.most.lock().unwrap_or_else(|e| e.into_inner());
        *most = (*most).max(done);
        self.bar.set_length(all as u64);
        self.bar.set_position(*most as u64);
    }

    /// Shows a text beside the bar.
    pub(super) fn say(&self, text: &str) {
        self.bar.set_message(text.to_string());
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
