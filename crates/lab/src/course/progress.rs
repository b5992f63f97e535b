//! What the judge is doing, in one line on standard error that goes away: how far it is, a host
//! program that is built or runs long. Where standard error is no terminal, a plain line now and
//! then.

use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use building::{Built, Calm, Parts, Screen, Status, how_far};
use grading::watch::{Doing, observe};

/// What ends within this time is not spoken of.
const QUIET_S: f64 = 2.0;
/// How often the line is written again.
const TICK: Duration = Duration::from_millis(500);

/// There is one terminal.
static LINE: LazyLock<Mutex<Line>> = LazyLock::new(|| Mutex::new(Line::new(Screen::here())));

/// Shows from now on what the judge waits for.
pub(super) fn show() {
    observe(|doing| {
        let mut line = line();
        line.hear(doing);
        line.draw();
    });
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(TICK);
            line().draw();
        }
    });
}

/// Builds `bin` by the given call of cargo, in sight.
pub(crate) fn build(bin: &str, cargo: &mut Command) -> std::io::Result<Built> {
    let since = Instant::now();
    let built = building::run(cargo, &mut |event| {
        let mut line = line();
        line.hear(&Doing::Building { bin, since, event });
        line.draw();
    });
    let mut line = line();
    line.hear(&Doing::Built);
    line.draw();
    built
}

fn line() -> MutexGuard<'static, Line> {
    LINE.lock().unwrap_or_else(|e| e.into_inner())
}

/// Steps of some work are counted as long as this lives.
pub(super) struct Progress(());

impl Progress {
    /// Work called `what` in steps called `unit`; how many there are is told with the first.
    pub(super) fn new(what: &str, unit: &'static str) -> Progress {
        let mut line = line();
        let now = line.now();
        line.count = Some(Count {
            what: what.into(),
            unit,
            done: 0,
            all: 0,
            since: now,
            basis: (now, 0),
            calm: Calm::default(),
        });
        Progress(())
    }

    /// `done` of `all` steps are done; steps may be told out of order. `telling`: the last one was
    /// work of the kind that takes the time.
    pub(super) fn step(&self, done: usize, all: usize, telling: bool) {
        let mut line = line();
        if let Some(count) = &mut line.count {
            count.done = count.done.max(done);
            count.all = all;
            count.basis.1 += usize::from(telling);
        }
        line.draw();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let mut line = line();
        line.count = None;
        line.screen.clear();
    }
}

/// All that the line may say. Times are seconds since `zero`.
struct Line<W: std::io::Write = std::io::Stderr> {
    screen: Screen<W>,
    zero: Instant,
    count: Option<Count>,
    /// The program that is built and since when.
    build: Option<(String, f64, Status)>,
    /// The lab whose submissions another judge marks, and since when this one waits.
    queued: Option<(String, f64)>,
    /// Checks whose host programs run: since when, and for how long they may.
    running: Vec<(String, Instant, Duration)>,
}

/// Work in steps.
struct Count {
    what: String,
    unit: &'static str,
    done: usize,
    all: usize,
    since: f64,
    /// Since when so many telling steps were done.
    basis: (f64, usize),
    calm: Calm,
}

impl Count {
    /// Seconds left; none before there is a basis for saying so.
    fn left(&mut self, now: f64) -> Option<f64> {
        let (since, steps) = self.basis;
        // Checks are many and differ; a submission is like another.
        let enough = if self.unit == "checks" { (self.all / 5).max(5) } else { 1 };
        (steps >= enough).then(|| {
            let raw = (now - since) / steps as f64 * self.all.saturating_sub(self.done) as f64;
            self.calm.follow(now, raw)
        })
    }
}

impl<W: std::io::Write> Line<W> {
    fn new(screen: Screen<W>) -> Line<W> {
        Line {
            screen,
            zero: Instant::now(),
            count: None,
            build: None,
            queued: None,
            running: Vec::new(),
        }
    }

    fn now(&self) -> f64 {
        self.zero.elapsed().as_secs_f64()
    }

    fn hear(&mut self, doing: &Doing) {
        let at = |time: Instant| time.saturating_duration_since(self.zero).as_secs_f64();
        match *doing {
            Doing::Building { bin, since, event } => {
                let since = at(since);
                let now = self.now();
                let (_, _, status) = self.build.get_or_insert_with(|| {
                    self.screen.soon();
                    (bin.to_string(), since, Status::new(Parts::UNKNOWN))
                });
                let was_waiting = status.is_waiting();
                status.hear(now - since, event);
                if status.is_waiting() != was_waiting {
                    self.screen.soon();
                }
            }
            Doing::Built => {
                let now = self.now();
                let took = self.build.take().map_or(0.0, |(_, since, _)| now - since);
                // A long build says nothing about the checks that follow it, and that of the lab
                // itself nothing about the submissions.
                let first = |c: &&mut Count| c.unit == "checks" || c.basis.1 == 0;
                if let Some(count) = self.count.as_mut().filter(first)
                    && took > QUIET_S
                {
                    count.basis = (now, 0);
                }
            }
            Doing::Queued { lab, since } => self.queued = Some((lab.to_string(), at(since))),
            Doing::Alone => {
                self.queued = None;
                let now = self.now();
                if let Some(count) = &mut self.count {
                    (count.since, count.basis.0) = (now, now);
                }
            }
            Doing::Running { check, since, limit } => {
                self.running.push((check.to_string(), since, limit));
            }
            Doing::Ran { check, since } => {
                let found = self.running.iter().position(|r| r.0 == check && r.1 == since);
                if let Some(k) = found {
                    self.running.remove(k);
                }
            }
        }
    }

    fn draw(&mut self) {
        self.draw_at(self.now());
    }

    /// Shows what is awaited: a build before all else, then another judge, then the steps, with the
    /// host program that runs longest.
    fn draw_at(&mut self, now: f64) {
        let long = |since: f64| now - since >= QUIET_S;
        if let Some((bin, since, status)) = self.build.as_mut().filter(|build| long(build.1)) {
            let since = *since;
            self.screen.line(now, |columns| {
                let head = format!("Building {bin}: ");
                let head = if columns < 60 { "" } else { head.as_str() };
                head.to_string() + &status.text(now - since, columns - head.len())
            });
            return;
        }
        if let Some((lab, since)) = self.queued.as_ref().filter(|queued| long(queued.1)) {
            let text = format!(
                "{lab}: waiting for another `cargo lab grade --submissions`, {} s",
                (now - since) as u64
            );
            self.screen.line(now, |columns| text.chars().take(columns).collect());
            return;
        }
        let oldest = self.running.iter().min_by_key(|(_, since, _)| *since);
        let running = oldest.and_then(|(check, since, limit)| {
            let since = since.saturating_duration_since(self.zero).as_secs_f64();
            let seconds = (now - since) as u64;
            // The limit is not the wall clock's: on a busy machine it is farther away.
            let of = limit.as_secs();
            let of = if seconds <= of { format!(" of {of}") } else { String::new() };
            long(since).then(|| format!("{check}, {seconds} s{of}"))
        });
        if let Some(count) = self.count.as_mut().filter(|count| count.all > 0) {
            if !self.screen.is_terminal() && !long(count.since) {
                return;
            }
            let names: Vec<String> = running.into_iter().collect();
            let left = count.left(now);
            self.screen.line(now, |columns| {
                let head = format!("{} ", count.what);
                let (steps, time) = ((count.done, count.all), now - count.since);
                let columns = columns.saturating_sub(head.len());
                head + &how_far(columns, steps, count.unit, time, left, &names)
            });
        } else if let Some(running) = running {
            self.screen
                .line(now, |columns| format!("check {running}").chars().take(columns).collect());
        } else {
            self.screen.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use building::{Event, Said};

    use super::*;

    /// What was written, shared with the screen that writes it.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Written {
        /// What was written since the last call.
        fn take(&self) -> String {
            String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
        }
    }

    fn screen(terminal: bool) -> (Line<Written>, Written) {
        let written = Written::default();
        (Line::new(Screen::new(written.clone(), terminal)), written)
    }

    fn count(unit: &'static str, all: usize) -> Count {
        let calm = Calm::default();
        Count { what: "lab1".into(), unit, done: 0, all, since: 0.0, basis: (0.0, 0), calm }
    }

    #[test]
    fn a_host_program_is_spoken_of_if_it_runs_long_and_until_it_ends() {
        let (mut line, written) = screen(true);
        let (since, limit) = (line.zero, Duration::from_secs(60));
        line.hear(&Doing::Running { check: "1.1.3 multi", since, limit });
        line.draw_at(1.9);
        assert_eq!(written.take(), "");
        line.draw_at(12.2);
        assert!(written.take().contains("check 1.1.3 multi, 12 s of 60\u{1b}[K"));
        line.draw_at(75.0);
        assert!(written.take().contains("check 1.1.3 multi, 75 s\u{1b}[K"));
        line.hear(&Doing::Ran { check: "1.1.3 multi", since });
        line.draw_at(12.3);
        assert_eq!(written.take(), "\r\u{1b}[K");
    }

    #[test]
    fn a_build_is_shown_before_all_else_with_its_parts_and_what_holds_it_up() {
        let (mut line, written) = screen(false);
        line.count = Some(count("checks", 81));
        let since = line.zero;
        let mut hear = |said| {
            let event = Event::Said(said);
            line.hear(&Doing::Building { bin: "lab1-host", since, event: &event });
            line.draw_at(10.0);
            written.take()
        };
        let text = hear(Said::Waiting);
        assert!(text.starts_with("Building lab1-host: waiting for another cargo build"), "{text}");
        let text = hear(Said::Progress { done: 3, total: 9, active: vec!["cust".into()] });
        assert!(text.contains(" 3 of 9 parts, 10 s: cust\n"), "{text}");
        line.hear(&Doing::Built);
        line.draw_at(20.0);
        assert!(written.take().ends_with(" 0 of 81 checks, 20 s\n"));
    }

    #[test]
    fn who_waits_for_another_judge_says_so_and_counts_from_its_end() {
        let (mut line, written) = screen(true);
        let start = line.zero;
        line.zero -= Duration::from_secs(40);
        line.count = Some(Count { all: 50, ..count("submissions", 50) });
        line.hear(&Doing::Queued { lab: "lab2", since: start });
        line.draw_at(41.0);
        assert!(!written.take().contains("waiting"), "of a second nothing is said");
        line.draw_at(52.5);
        let text = written.take();
        let wanted = "lab2: waiting for another `cargo lab grade --submissions`, 12 s\u{1b}[K";
        assert!(text.contains(wanted), "{text}");
        line.hear(&Doing::Alone);
        assert!(line.count.as_ref().unwrap().since >= 40.0);
        line.draw_at(53.0);
        assert!(written.take().contains("0 of 50 submissions"));
    }

    #[test]
    fn the_build_of_a_lab_says_nothing_about_its_submissions() {
        let (mut line, _written) = screen(false);
        let ago = |seconds| line.zero - Duration::from_secs(seconds);
        let (long_ago, event) = (ago(40), Event::Said(Said::Waiting));
        line.zero = long_ago;
        line.count = Some(count("submissions", 8));
        let mut built = |basis| {
            line.count.as_mut().unwrap().basis = basis;
            line.hear(&Doing::Building { bin: "lab1-host", since: long_ago, event: &event });
            line.hear(&Doing::Built);
            line.count.as_ref().unwrap().basis
        };
        let (since, steps) = built((0.0, 0));
        assert!(since >= 40.0 && steps == 0, "counted from the end of the build: {since}");
        assert_eq!(built((5.0, 1)), (5.0, 1), "each one's own build is part of its time");
    }

    #[test]
    fn time_left_is_said_when_there_is_a_basis_and_not_before() {
        let mut checks = count("checks", 80);
        checks.done = 15;
        checks.basis = (0.0, 15);
        assert_eq!(checks.left(10.0), None, "15 of 80 say little");
        checks.done = 40;
        checks.basis = (10.0, 20);
        let left = checks.left(20.0).unwrap();
        assert!((left - 20.0).abs() < 1e-9, "20 in 10 s, 40 are left: {left}");
        // Submissions that were marked before take no time, and say nothing of those to come.
        let mut class = count("submissions", 8);
        class.done = 3;
        assert_eq!(class.left(1.0), None);
        (class.done, class.basis.1) = (4, 1);
        assert!((class.left(60.0).unwrap() - 240.0).abs() < 1e-9);
    }
}
