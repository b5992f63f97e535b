//! Progress on the terminal, and Ctrl-C.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use rtm::run::Watch;
use rtm::{Error, Result};

static STOP: AtomicBool = AtomicBool::new(false);

/// Shows a bar with the time left (on a terminal only) and ends a run at Ctrl-C.
pub struct Terminal {
    bar: ProgressBar,
    shots: usize,
    /// Shots before the present one.
    before: usize,
    /// The first shot of this run: earlier ones cost no time.
    first: Option<usize>,
}

/// Marks of the bar per shot.
const MARKS: usize = 1000;

impl Terminal {
    /// With a bar that is drawn when the first shot begins.
    ///
    /// # Errors
    /// The system refuses to tell of Ctrl-C.
    pub fn new() -> Result<Terminal> {
        static ONCE: Once = Once::new();
        let mut refused = None;
        ONCE.call_once(|| {
            refused = ctrlc::set_handler(|| {
                // Once: end after the present time step. Twice: at once; every file is whole
                // whenever that is.
                if STOP.swap(true, Ordering::SeqCst) {
                    std::process::exit(130);
                }
            })
            .err();
        });
        if let Some(e) = refused {
            return Err(Error::Device(format!("cannot listen for Ctrl-C: {e}")));
        }
        let style = ProgressStyle::with_template("{msg} [{bar:36}] {percent:>3} %, {eta} left")
            .expect("the template is well formed")
            .progress_chars("=> ");
        let bar = ProgressBar::new(0).with_style(style);
        Ok(Terminal { bar, shots: 0, before: 0, first: None })
    }
}

impl Watch for Terminal {
    fn note(&mut self, text: &str) {
        self.bar.suspend(|| eprintln!("note: {text}"));
    }

    fn shot(&mut self, number: usize, shots: usize, id: i32) {
        (self.shots, self.before) = (shots, number - 1);
        let first = *self.first.get_or_insert(number - 1);
        self.bar.set_length(((shots - first) * MARKS) as u64);
        self.bar.set_message(format!("shot {number} of {shots} (number {id})"));
        self.bar.enable_steady_tick(Duration::from_millis(250));
    }

    fn steps(&mut self, done: usize, steps: usize) -> bool {
        let before = self.before - self.first.unwrap_or(0);
        self.bar.set_position((before * MARKS + done * MARKS / steps.max(1)) as u64);
        !STOP.load(Ordering::SeqCst)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
