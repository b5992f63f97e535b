//! The time that processes take for themselves, whatever else the machine does.

use std::time::{Duration, Instant};

use crate::processes::{self, Seen};

/// How many times longer than by its [`Meter`] something may take on the wall's clock.
pub const FAR: u32 = 10;
/// Pauses between two looks: a twentieth of the limit, within these.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];

/// A clock of processes and of all that they start: their processor time together, and the time in
/// which none of them runs or is ready to run. So it stands still while they wait for a processor
/// that others use, and sleeping does not stop it. Processes that have ended count as long as one
/// that has waited for them is there. Without `/proc` it is the clock on the wall.
#[derive(Debug)]
pub struct Meter {
    roots: Vec<u32>,
    looked: Instant,
    /// Processor time at the last look.
    worked: Duration,
    spent: Duration,
}

impl Meter {
    /// The clock of the processes with these numbers, from now on.
    pub fn of(roots: Vec<u32>) -> Meter {
        Meter { roots, looked: Instant::now(), worked: Duration::ZERO, spent: Duration::ZERO }
    }

    /// How often to look if there is a limit. A look costs some milliseconds.
    pub fn pause(limit: Duration) -> Duration {
        (limit / 20).clamp(PAUSES[0], PAUSES[1])
    }

    /// Looks at them, as is done every `pause` or a little more rarely; the time that they took so
    /// far.
    pub fn look(&mut self, pause: Duration) -> Duration {
        let seen = processes::seen(&self.roots);
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.looked);
        self.looked = now;
        self.count(passed, pause, seen);
        self.spent
    }

    /// The time at the last look.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    fn count(&mut self, passed: Duration, pause: Duration, seen: Option<Seen>) {
        let Some(Seen { worked, awake }) = seen else {
            self.spent += passed;
            return;
        };
        let more = worked.saturating_sub(self.worked);
        self.worked = self.worked.max(worked);
        // Who looks late was kept from a processor, too, and knows nothing of the time between.
        let slept = if awake { Duration::ZERO } else { passed.min(pause).saturating_sub(more) };
        self.spent += more + slept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_millis(100);

    /// Ten looks, one every `passed`, at processes that work for `each` of it.
    fn after_ten(passed: Duration, each: Duration, awake: bool) -> Duration {
        let mut meter = Meter::of(Vec::new());
        for k in 1..=10 {
            meter.count(passed, PAUSE, Some(Seen { worked: each * k, awake }));
        }
        meter.spent()
    }

    #[test]
    fn waiting_for_a_processor_does_not_count_and_sleeping_does() {
        let ms = Duration::from_millis;
        // A quiet machine, with one core and with four.
        assert_eq!(after_ten(PAUSE, PAUSE, true), ms(1000));
        assert_eq!(after_ten(PAUSE, PAUSE * 4, true), ms(4000));
        // One on which forty others work; whoever looks is as late.
        assert_eq!(after_ten(PAUSE * 40, PAUSE, true), ms(1000));
        assert_eq!(after_ten(PAUSE, ms(0), true), ms(0));
        // Sleeping, and with short work in between.
        assert_eq!(after_ten(PAUSE, ms(0), false), ms(1000));
        assert_eq!(after_ten(PAUSE, ms(10), false), ms(1000));
        assert_eq!(after_ten(PAUSE * 40, ms(0), false), ms(1000));
        // Where nobody tells, the clock on the wall.
        let mut meter = Meter::of(Vec::new());
        meter.count(ms(70), PAUSE, None);
        assert_eq!(meter.spent(), ms(70));
    }

    #[test]
    fn processes_that_have_ended_take_nothing_back() {
        let mut meter = Meter::of(Vec::new());
        let mut after = |worked: u64, awake| {
            meter.count(PAUSE, PAUSE, Some(Seen { worked: Duration::from_millis(worked), awake }));
            meter.spent().as_millis()
        };
        assert_eq!([after(80, true), after(20, true), after(90, true)], [80, 80, 90]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_work_of_children_and_of_theirs_counts_while_they_run_and_afterwards() {
        use std::io::{BufRead, BufReader};
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};
        // A shell whose child's child works and ends; then its child works without end.
        let work = "k=0; while [ $k -lt 60000 ]; do k=$((k+1)); done";
        let script = format!("(({work}; true); echo; while true; do k=$((k+1)); done); true");
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("a shell");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let worked = || processes::seen(&[child.id()]).unwrap().worked;
        let first = worked();
        assert!(first > Duration::from_millis(10), "of one that has ended: {first:?}");
        // However slow this machine is, the endless one gets on.
        let more = first + Duration::from_millis(50);
        while worked() < more {
            std::thread::yield_now();
        }
        assert!(Meter::of(vec![child.id()]).look(PAUSE) >= more);
        crate::own::kill_group(child.id());
        child.wait().unwrap();
    }
}
