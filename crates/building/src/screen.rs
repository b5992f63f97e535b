//! One line at the end of standard error that is written again and again; without a terminal, a
//! line now and then.

use std::fs::File;
use std::io::{IsTerminal, Stderr, Write};
use std::process::{Command, Stdio};

/// Seconds between two lines where there is no terminal.
const NOW_AND_THEN_S: f64 = 10.0;
/// Seconds after which the terminal is measured again.
const MEASURE_S: f64 = 5.0;
/// Columns of a line where there is no terminal.
const PLAIN: usize = 120;

/// Where the line stands. Times are seconds since any fixed moment.
#[derive(Debug)]
pub struct Screen<W: Write = Stderr> {
    out: W,
    terminal: bool,
    columns: usize,
    measured: f64,
    /// A line stands there.
    drawn: bool,
    /// When the last line was written where there is no terminal.
    told: Option<f64>,
}

impl Screen {
    /// Standard error.
    pub fn here() -> Screen {
        let named = |name| std::env::var_os(name).is_some_and(|value| value != "dumb");
        // Consoles that understand no control sequences are found on Windows; there the good ones
        // have a name.
        let obeys = if cfg!(unix) { named("TERM") } else { named("TERM") || named("WT_SESSION") };
        Screen::new(std::io::stderr(), std::io::stderr().is_terminal() && obeys)
    }
}

impl<W: Write> Screen<W> {
    /// A screen that writes to `out`.
    pub fn new(out: W, terminal: bool) -> Screen<W> {
        Screen { out, terminal, columns: 80, measured: f64::MIN, drawn: false, told: None }
    }

    /// True if the line can be written again.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Shows what `text` makes for the columns that there are, in place of what stood there.
    /// Without a terminal only from time to time.
    pub fn line(&mut self, now: f64, text: impl FnOnce(usize) -> String) {
        if self.terminal {
            if now - self.measured >= MEASURE_S {
                self.measured = now;
                self.columns = columns().unwrap_or(self.columns);
            }
            // In the last column the cursor would be on its way to the next line. A terminal that
            // became narrower since must not break the line either.
            let text = text(self.columns.saturating_sub(1).max(1));
            self.write(&format!("\r\x1b[?7l{text}\x1b[K\x1b[?7h"));
            self.drawn = true;
        } else if self.told.is_none_or(|told| now - told >= NOW_AND_THEN_S) {
            self.told = Some(now);
            let text = text(PLAIN);
            self.write(&(text + "\n"));
        }
    }

    /// Lets the next line be shown even if there is no terminal.
    pub fn soon(&mut self) {
        self.told = None;
    }

    /// Writes a line that stays.
    pub fn say(&mut self, now: f64, text: &str) {
        self.clear();
        self.told = Some(now);
        self.write(&format!("{text}\n"));
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            self.write("\r\x1b[K");
        }
    }

    fn write(&mut self, text: &str) {
        // In one piece, so that a Ctrl-C leaves no half of a control sequence. Nobody is there to
        // be told of a failure.
        let _ = self.out.write_all(text.as_bytes());
        let _ = self.out.flush();
    }
}

/// How wide the terminal is; `None` without one.
pub fn columns() -> Option<usize> {
    let terminal = File::open("/dev/tty").ok()?;
    let stty = Command::new("stty").arg("size").stdin(terminal).stderr(Stdio::null()).output();
    let text = String::from_utf8(stty.ok()?.stdout).ok()?;
    let columns = text.split_whitespace().nth(1)?.parse().ok()?;
    (columns > 0).then_some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(screen: &Screen<Vec<u8>>) -> String {
        String::from_utf8(screen.out.clone()).unwrap()
    }

    #[test]
    fn a_terminal_shows_one_line_in_place_of_the_other_and_none_at_the_end() {
        let mut screen = Screen::new(Vec::new(), true);
        screen.line(0.0, |_| "one".into());
        screen.line(0.5, |_| "two".into());
        screen.say(0.6, "error: no");
        screen.line(0.7, |_| "three".into());
        screen.clear();
        screen.clear();
        let line = |text: &str| format!("\r\x1b[?7l{text}\x1b[K\x1b[?7h");
        let want = [
            line("one"),
            line("two"),
            "\r\x1b[Kerror: no\n".into(),
            line("three"),
            "\r\x1b[K".into(),
        ];
        assert_eq!(text(&screen), want.concat());
    }

    #[test]
    fn a_file_gets_a_plain_line_now_and_then() {
        let mut screen = Screen::new(Vec::new(), false);
        for second in 0..25 {
            screen.line(f64::from(second), |_| format!("second {second}"));
        }
        screen.soon();
        screen.line(25.0, |_| "something else".into());
        screen.clear();
        assert_eq!(text(&screen), "second 0\nsecond 10\nsecond 20\nsomething else\n");
    }
}
