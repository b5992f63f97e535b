//! Shots shared by several processes, on one host or many.
//!
//! One process, rank 0, hands out shots: whoever is free gets the next one, so a slow host does few
//! and nobody waits. Orders and reports are small messages; a finished shot itself goes into a
//! file, from which rank 0 takes it. What is lost with a process is therefore the shot it was at,
//! and nothing else. How messages travel is left to a [`Ranks`] and its [`Line`]s: by MPI (feature
//! `mpi`), or between threads.
//!
//! Rank 0 works, too: on a thread of its own, because MPI wants to be called from the main thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::watch::Watch;
use crate::shot::Counts;
use crate::{Error, Result};

/// What a rank tells rank 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Report {
    /// All is read and checked: shots may come.
    Ready {
        /// The run's fingerprint as this rank sees it.
        run: String,
    },
    /// So many of a shot's time steps are done.
    Steps(usize, usize),
    /// A shot is finished and in its file.
    Done(Work),
    /// The rank could not start, or its shot failed.
    Failed {
        /// The exit code that belongs to it.
        code: u8,
        /// What went wrong, with the rank's host.
        text: String,
    },
}

/// What a shot took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Calls of each kernel.
    pub counts: Counts,
    /// Most memory for fields, bytes.
    pub bytes: usize,
}

/// What rank 0 answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Do the shot with this index.
    Shot(usize),
    /// There is nothing more to do.
    Stop,
}

/// A rank's line to rank 0. Messages arrive in their order.
pub trait Line {
    /// The host on which this rank runs.
    fn host(&self) -> String;
    /// Sends a report.
    fn report(&self, report: &Report);
    /// Waits for an order.
    fn next_order(&self) -> Order;
    /// Whether a shot that is under way should end early.
    fn stopped(&self) -> bool {
        false
    }
}

/// The other ranks, as rank 0 sees them: 1, 2, ... up to their count.
pub trait Ranks {
    /// How many there are, beside rank 0.
    fn count(&self) -> usize;
    /// Sends an order.
    fn send(&self, rank: usize, order: Order);
    /// The next report that has arrived, and from whom.
    fn receive(&self) -> Option<(usize, Report)>;
    /// Rank 0's host.
    fn host(&self) -> String;
}

/// Which end of the lines a process holds.
pub enum Seat<'a> {
    /// Rank 0.
    First(&'a dyn Ranks),
    /// Another one.
    Other(&'a dyn Line),
}

/// How often a rank tells how far it is.
const NEWS: Duration = Duration::from_millis(250);
/// How long rank 0 sleeps when there are no news: MPI itself would spin.
pub const PAUSE: Duration = Duration::from_millis(2);

/// Asked before each time step whether to go on, with the steps done and all.
pub type Steps<'a> = dyn FnMut(usize, usize) -> bool + 'a;

/// Does shots as long as rank 0 orders some.
pub fn work(
    line: &dyn Line,
    run: &str,
    shot: &mut dyn FnMut(usize, &mut Steps<'_>) -> Result<Work>,
) {
    line.report(&Report::Ready { run: run.into() });
    while let Order::Shot(k) = line.next_order() {
        let mut latest = Instant::now();
        let mut steps = |done: usize, all: usize| {
            if latest.elapsed() >= NEWS || done == all {
                latest = Instant::now();
                line.report(&Report::Steps(done, all));
            }
            !line.stopped()
        };
        match shot(k, &mut steps) {
            Ok(work) => line.report(&Report::Done(work)),
            Err(error) => line.report(&failed(line, &error)),
        }
    }
}

/// Tells that this rank cannot start, and waits until the others know.
pub fn refuse(line: &dyn Line, error: &Error) {
    line.report(&failed(line, error));
    while line.next_order() != Order::Stop {}
}

fn failed(line: &dyn Line, error: &Error) -> Report {
    Report::Failed { code: error.exit_code(), text: format!("on {}: {error}", line.host()) }
}

/// What rank 0 knows of a rank.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// It reads and checks.
    Starting,
    /// It is at a shot: steps done.
    Busy(usize),
    /// It waits for an order.
    Free,
}

/// Hands out the shots `todo`, of `shots` in all, and waits for the last one. `own` is rank 0's
/// share of the work, which calls [`work`] or [`refuse`] with the line it is given; `done` is
/// called for each finished shot. After the first error no shot is handed out; those under way on
/// other ranks come to their end.
///
/// # Errors
/// The first that any rank told, with its rank and host; what `done` refused; the user stopped the
/// run.
pub fn deal(
    ranks: &dyn Ranks,
    run: &str,
    todo: impl IntoIterator<Item = usize>,
    shots: &[i32],
    own: impl FnOnce(&dyn Line) + Send,
    done: &mut dyn FnMut(Work) -> Result<()>,
    watch: &mut dyn Watch,
) -> Result<()> {
    let mut todo: VecDeque<usize> = todo.into_iter().collect();
    let mut finished = shots.len() - todo.len();
    let (sender, reports) = mpsc::channel();
    let (order, orders) = mpsc::channel();
    let stop = AtomicBool::new(false);
    let host = ranks.host();
    std::thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || own(&Thread { host, sender, orders, stop }));
        let send = |rank: usize, message: Order| match rank {
            // A thread that ended early is noticed by its silent line.
            0 => drop(order.send(message)),
            _ => ranks.send(rank, message),
        };
        let mut states = vec![State::Starting; ranks.count() + 1];
        let mut error = None;
        loop {
            let (rank, report) = match ranks.receive() {
                Some(report) => report,
                None => match reports.recv_timeout(PAUSE) {
                    Ok(report) => (0, report),
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => {
                        std::thread::sleep(PAUSE);
                        let text = "on this host: the thread of the shots ended too early".into();
                        (0, Report::Failed { code: 1, text })
                    }
                },
            };
            states[rank] = match report {
                Report::Ready { run: its } => {
                    if its != run {
                        error.get_or_insert(Error::refused(
                            format!("rank {rank}"),
                            "its model, data or parameters are not those of rank 0",
                            "give all hosts the same files",
                        ));
                    }
                    State::Free
                }
                Report::Steps(steps, all) => {
                    states[rank] = State::Busy(steps);
                    let sum = |sum, state: &State| match state {
                        State::Busy(steps) => sum + steps,
                        _ => sum,
                    };
                    if !watch.steps(states.iter().fold(0, sum), all) {
                        stop.store(true, Ordering::Relaxed);
                        error.get_or_insert(Error::Stopped);
                    }
                    State::Busy(steps)
                }
                Report::Done(work) => {
                    finished += 1;
                    if let Err(e) = done(work) {
                        error.get_or_insert(e);
                    }
                    State::Free
                }
                Report::Failed { code, text } => {
                    error.get_or_insert(told(rank, code, &text));
                    State::Free
                }
            };
            for (rank, state) in states.iter_mut().enumerate() {
                if *state == State::Free
                    && error.is_none()
                    && let Some(k) = todo.pop_front()
                {
                    *state = State::Busy(0);
                    watch.shot(finished + 1, shots.len(), shots[k]);
                    send(rank, Order::Shot(k));
                }
            }
            if states.iter().all(|state| *state == State::Free) {
                break;
            }
        }
        (0..states.len()).for_each(|rank| send(rank, Order::Stop));
        error.map_or(Ok(()), Err)
    })
}

/// Ends the run of all other ranks, because rank 0 cannot start.
pub fn dismiss(ranks: &dyn Ranks) {
    let mut starting = ranks.count();
    while starting > 0 {
        match ranks.receive() {
            Some((_, Report::Ready { .. } | Report::Failed { .. })) => starting -= 1,
            Some(_) => {}
            None => std::thread::sleep(PAUSE),
        }
    }
    (1..=ranks.count()).for_each(|rank| ranks.send(rank, Order::Stop));
}

/// An error of another rank, as the error that it is there.
fn told(rank: usize, code: u8, text: &str) -> Error {
    let text = format!("rank {rank} {text}");
    match code {
        2 => Error::Input(text),
        130 => Error::Stopped,
        _ => Error::Device(text),
    }
}

/// The line of rank 0's own thread.
struct Thread<'a> {
    host: String,
    sender: mpsc::Sender<Report>,
    orders: mpsc::Receiver<Order>,
    stop: &'a AtomicBool,
}

impl Line for Thread<'_> {
    fn host(&self) -> String {
        self.host.clone()
    }

    fn report(&self, report: &Report) {
        // Nobody listens any more when rank 0 has ended: then there is nobody to tell.
        let _ = self.sender.send(report.clone());
    }

    fn next_order(&self) -> Order {
        self.orders.recv().unwrap_or(Order::Stop)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Mutex;

    use super::*;

    /// Other ranks as threads.
    struct Threads {
        reports: RefCell<mpsc::Receiver<(usize, Report)>>,
        orders: Vec<mpsc::Sender<Order>>,
    }

    struct Wire {
        rank: usize,
        sender: mpsc::Sender<(usize, Report)>,
        orders: mpsc::Receiver<Order>,
    }

    fn wires(count: usize) -> (Threads, Vec<Wire>) {
        let (sender, reports) = mpsc::channel();
        let (orders, ends): (Vec<_>, Vec<_>) = (0..count).map(|_| mpsc::channel()).unzip();
        let wire = |(k, orders)| Wire { rank: k + 1, sender: sender.clone(), orders };
        let wires = ends.into_iter().enumerate().map(wire).collect();
        (Threads { reports: RefCell::new(reports), orders }, wires)
    }

    impl Ranks for Threads {
        fn count(&self) -> usize {
            self.orders.len()
        }
        fn send(&self, rank: usize, order: Order) {
            self.orders[rank - 1].send(order).unwrap();
        }
        fn receive(&self) -> Option<(usize, Report)> {
            self.reports.borrow().try_recv().ok()
        }
        fn host(&self) -> String {
            "here".into()
        }
    }

    impl Line for Wire {
        fn host(&self) -> String {
            format!("host{}", self.rank)
        }
        fn report(&self, report: &Report) {
            // As MPI would carry it.
            let text = serde_json::to_vec(report).unwrap();
            self.sender.send((self.rank, serde_json::from_slice(&text).unwrap())).unwrap();
        }
        fn next_order(&self) -> Order {
            self.orders.recv().unwrap()
        }
    }

    /// Deals the shots `todo` of `all` to two other ranks and rank 0; `shot` says what becomes of a
    /// rank's shot. The shots that were done, and the outcome.
    fn play(
        all: usize,
        todo: Vec<usize>,
        shot: impl Fn(usize, usize) -> Result<Work> + Sync,
    ) -> (Vec<usize>, Result<()>) {
        let (ranks, wires) = wires(2);
        let did = Mutex::new(Vec::new());
        let serve = |rank: usize, line: &dyn Line| {
            work(line, "run", &mut |k, steps| {
                assert!(steps(1, 1));
                let work = shot(rank, k)?;
                did.lock().unwrap().push(k);
                Ok(work)
            });
        };
        let ids: Vec<i32> = (0..all as i32).collect();
        let mut counted = 0;
        let outcome = std::thread::scope(|scope| {
            for wire in wires {
                scope.spawn(move || serve(wire.rank, &wire));
            }
            let mut done = |work: Work| {
                counted += work.bytes;
                Ok(())
            };
            deal(&ranks, "run", todo, &ids, |line| serve(0, line), &mut done, &mut ())
        });
        let mut did = did.into_inner().unwrap();
        did.sort_unstable();
        assert_eq!(counted, did.len());
        (did, outcome)
    }

    fn done() -> Work {
        Work { bytes: 1, ..Work::default() }
    }

    #[test]
    fn every_shot_is_done_once_and_a_slow_rank_does_few() {
        let slow = Mutex::new(0);
        let (did, outcome) = play(40, (3..40).collect(), |rank, _| {
            if rank == 1 {
                *slow.lock().unwrap() += 1;
                std::thread::sleep(Duration::from_millis(60));
            } else {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(done())
        });
        outcome.unwrap();
        assert_eq!(did, (3..40).collect::<Vec<_>>());
        let slow = *slow.lock().unwrap();
        assert!((1..10).contains(&slow), "{slow}");
        assert_eq!(play(3, vec![], |_, _| Ok(done())).0, [0; 0]);
    }

    #[test]
    fn after_an_error_no_shot_is_dealt_and_the_rank_is_named() {
        let (did, outcome) = play(50, (0..50).collect(), |_, k| {
            std::thread::sleep(Duration::from_millis(1));
            if k == 7 { Err(Error::input("bad trace").in_shot(8)) } else { Ok(done()) }
        });
        let error = outcome.unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("rank ") && text.ends_with(": in shot 8: bad trace"), "{text}");
        assert!(text.contains(" on h"), "{text}");
        assert_eq!(error.exit_code(), 2);
        assert!(!did.contains(&7) && did.len() < 20, "{did:?}");
    }

    #[test]
    fn a_rank_that_cannot_start_or_sees_another_run_ends_it() {
        for case in 0..2 {
            let (ranks, wires) = wires(1);
            let outcome = std::thread::scope(|scope| {
                for wire in wires {
                    scope.spawn(move || match case {
                        0 => refuse(&wire, &Error::Device("no GPU".into())),
                        _ => work(&wire, "other", &mut |_, _| Ok(done())),
                    });
                }
                let own = |line: &dyn Line| work(line, "run", &mut |_, _| Ok(done()));
                deal(&ranks, "run", 0..5, &[1; 5], own, &mut |_| Ok(()), &mut ())
            });
            let text = outcome.unwrap_err().to_string();
            let said = ["rank 1 on host1: no GPU", "rank 1: its model, data or parameters"][case];
            assert!(text.starts_with(said), "{text}");
        }
    }

    #[test]
    fn rank_0_that_cannot_start_sends_the_others_home() {
        let (ranks, wires) = wires(3);
        std::thread::scope(|scope| {
            for wire in wires {
                scope.spawn(move || work(&wire, "run", &mut |_, _| Ok(done())));
            }
            dismiss(&ranks);
        });
    }
}
