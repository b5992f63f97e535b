//! How long a build still takes: not by the number of its parts, for a few of them take most of the
//! time.

use std::collections::BTreeMap;

/// What the parts of a build cost, in seconds of one core of the machine where they were measured.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Parts that stand out, as cargo calls them, in the order in which they are built.
    pub heavy: &'static [(&'static str, f64)],
    /// How many others there are, about.
    pub others: usize,
}

/// What a part costs that does not stand out.
const OTHER: f64 = 0.4;
/// So many seconds' work at the speed of the machine that was measured count as seen: the beginning
/// tells little.
const PRIOR_S: f64 = 6.0;
/// The share of a heavy part that may count as done while it is not.
const MOST: f64 = 0.95;
/// How fast the estimate follows new insight, in seconds: it must not jump.
const CALM_S: f64 = 5.0;

impl Parts {
    /// Nothing is known.
    pub const UNKNOWN: Parts = Parts { heavy: &[], others: 0 };

    /// Seconds that a build from nothing takes on so many cores.
    pub fn seconds(&self, cores: usize) -> f64 {
        self.work(self.heavy.len() + self.others) / parallel(cores)
    }

    fn work(&self, total: usize) -> f64 {
        let heavy: f64 = self.heavy.iter().map(|(_, cost)| cost).sum();
        heavy + OTHER * total.saturating_sub(self.heavy.len()) as f64
    }
}

/// Parts that are built at a time, on average: they wait for each other.
fn parallel(cores: usize) -> f64 {
    0.95 * cores.clamp(1, 4) as f64
}

/// An estimate that goes down as time goes by and follows new insight slowly.
#[derive(Debug, Default)]
pub struct Calm {
    /// What was said last, and when.
    told: Option<(f64, f64)>,
}

impl Calm {
    /// What is said at `now`, when `raw` seconds seem to be left.
    pub fn follow(&mut self, now: f64, raw: f64) -> f64 {
        let left = match self.told {
            None => raw,
            Some((at, told)) => {
                let expected = (told - (now - at)).max(0.0);
                expected + (raw - expected) * (1.0 - (-(now - at) / CALM_S).exp())
            }
        };
        self.told = Some((now, left));
        left
    }
}

/// The estimate of one build. Times are seconds since any fixed moment.
#[derive(Debug)]
pub(crate) struct Left {
    parts: Parts,
    parallel: f64,
    /// When the first part began.
    since: Option<f64>,
    /// When heavy parts were first seen, and whether they are done.
    seen: BTreeMap<&'static str, (f64, bool)>,
    /// Parts that were there before, at least.
    before: usize,
    done: usize,
    total: usize,
    active: usize,
    /// Packages of which compiling has begun.
    steps: usize,
    calm: Calm,
}

impl Left {
    /// Of a build with these parts on so many cores.
    pub fn new(parts: Parts, cores: usize) -> Left {
        Left {
            parts,
            parallel: parallel(cores),
            since: None,
            seen: BTreeMap::new(),
            before: 0,
            done: 0,
            total: 0,
            active: 0,
            steps: 0,
            calm: Calm::default(),
        }
    }

    /// Another package is compiled.
    pub fn step(&mut self) {
        self.steps += 1;
    }

    /// `done` of `total` parts are done, `active` are under way.
    pub fn progress(&mut self, now: f64, done: usize, total: usize, active: &[String]) {
        self.since.get_or_insert(now);
        // A package has up to three parts: its build script, that script's run, itself.
        self.before = self.before.max(done.saturating_sub(3 * self.steps));
        (self.done, self.total, self.active) = (done, total, active.len());
        for (name, _) in self.parts.heavy {
            let is_active = active.iter().any(|a| a == name);
            if is_active {
                self.seen.entry(name).or_insert((now, false));
            } else if let Some(seen) = self.seen.get_mut(name) {
                seen.1 = true;
            }
        }
    }

    /// Seconds left, if that can be said: nothing is known of a build of which a good part was
    /// there before.
    pub fn at(&mut self, now: f64) -> Option<f64> {
        let since = self.since?;
        let to_build = self.total.saturating_sub(self.before);
        let known = self.parts.heavy.len() + self.parts.others;
        if self.parts.heavy.is_empty() || 4 * to_build < 3 * known {
            return None;
        }
        let mut others_done = self.done.saturating_sub(self.before);
        let mut work_done = 0.0;
        let mut under_way = 0.0;
        for (name, cost) in self.parts.heavy {
            match self.seen.get(name) {
                Some((_, true)) => {
                    others_done = others_done.saturating_sub(1);
                    work_done += cost;
                }
                Some((begun, false)) => under_way += now - begun,
                None => {}
            }
        }
        work_done += OTHER * others_done as f64;
        // The time of all cores without what went into parts of which nothing is known yet.
        let spent = ((now - since) * self.parallel - under_way).max(0.0);
        let speed = (work_done + PRIOR_S) / (spent + PRIOR_S);

        let units_left = self.total.saturating_sub(self.done);
        // A heavy part can be too quick to be seen: no more are to come than cargo still has.
        let mut to_come = units_left.saturating_sub(self.active);
        let mut work_left = 0.0;
        for (name, cost) in self.parts.heavy.iter().rev() {
            match self.seen.get(name) {
                Some((_, true)) => {}
                Some((begun, false)) => {
                    work_left += cost - ((now - begun) * speed).min(MOST * cost);
                }
                None if to_come > 0 => {
                    to_come -= 1;
                    work_left += cost;
                }
                None => {}
            }
        }
        work_left += OTHER * to_come as f64;
        // At the end there are fewer parts than cores.
        let raw = work_left / (speed * self.parallel.min(units_left.max(1) as f64));
        Some(self.calm.follow(now, raw))
    }
}

/// A time for people, rounded as estimates are.
pub fn about(left: f64) -> String {
    let to = |step: f64| (left / step).round() * step;
    match left {
        ..4.0 => "a few seconds".into(),
        ..57.0 => format!("about {} s", to(5.0).max(5.0)),
        ..295.0 => format!("about {}", seconds(to(10.0))),
        _ => format!("about {} min", (left / 60.0).round()),
    }
}

/// A time for people: `31 s`, `2 min 5 s`.
pub fn seconds(time: f64) -> String {
    let all = time.max(0.0) as u64;
    match (all / 60, all % 60) {
        (0, s) => format!("{s} s"),
        (min, 0) => format!("{min} min"),
        (min, s) => format!("{min} min {s} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: Parts = Parts { heavy: &[("big", 40.0), ("top(bin)", 10.0)], others: 100 };

    /// A build of `PARTS` on one core of a machine that is so much slower than the one measured:
    /// what is left, and what the estimate says, at every second.
    fn play(slower: f64) -> Vec<(f64, f64)> {
        let total = PARTS.others + PARTS.heavy.len();
        let mut schedule: Vec<(String, f64)> =
            (0..PARTS.others).map(|k| (format!("small{k}"), OTHER)).collect();
        schedule.extend(PARTS.heavy.iter().map(|(name, cost)| (name.to_string(), *cost)));
        let all: f64 = schedule.iter().map(|(_, cost)| cost * slower).sum();
        let mut left = Left::new(PARTS, 1);
        let mut seen = Vec::new();
        let mut at = 0.0;
        let mut second = 0.0;
        for (done, (name, cost)) in schedule.iter().enumerate() {
            left.step();
            left.progress(at, done, total, std::slice::from_ref(name));
            at += cost * slower;
            while second < at {
                seen.push((all - second, left.at(second).unwrap()));
                second += 1.0;
            }
        }
        seen
    }

    #[test]
    fn the_time_left_follows_the_work_and_not_the_number_of_parts() {
        for slower in [1.0, 0.5, 3.0] {
            let seen = play(slower);
            for (k, (truth, said)) in seen.iter().enumerate() {
                assert!(*said > 0.0, "nothing left at second {k} of {}", seen.len());
                // After the first half the speed is known; the last seconds are few either way.
                if 2 * k > seen.len() {
                    assert!(
                        (said / truth - 1.0).abs() < 0.5 || (said - truth).abs() < 10.0,
                        "{seen:?}"
                    );
                }
            }
            // It moves down as time goes by, and up no faster than calm allows.
            for pair in seen.windows(2) {
                let jump = pair[1].1 - pair[0].1;
                assert!(jump < 0.25 * pair[0].1, "{jump} after {:?}, slower {slower}", pair[0]);
            }
        }
    }

    #[test]
    fn of_a_build_that_was_mostly_there_nothing_is_said() {
        let mut left = Left::new(PARTS, 2);
        assert_eq!(left.at(0.0), None, "before cargo has counted");
        left.progress(0.0, 0, 102, &[]);
        assert!(left.at(0.0).is_some());
        left.step();
        left.progress(0.5, 100, 102, &["big".into()]);
        assert_eq!(left.at(0.5), None);
    }

    #[test]
    fn times_read_well() {
        let said = [0.0, 3.9, 4.1, 27.0, 56.0, 61.0, 118.0, 290.0, 400.0].map(about);
        let want = [
            "a few seconds",
            "a few seconds",
            "about 5 s",
            "about 25 s",
            "about 55 s",
            "about 1 min",
            "about 2 min",
            "about 4 min 50 s",
            "about 7 min",
        ];
        assert_eq!(said, want);
        assert_eq!([0.4, 59.9, 60.0, 125.0].map(seconds), ["0 s", "59 s", "1 min", "2 min 5 s"]);
    }
}
