//! What a shot does again and again, as graphs of launches.
//!
//! Of a small grid the host asks for launches more slowly than the device is done with them. So the
//! calls of some levels are gathered, and what came before in the same order, with the same arrays
//! and at the same distances of time, is issued as one graph. Only the time of its first call is
//! new; the kernels that need it read it from the device's memory.

use labkit::LaunchGraph;

use crate::engine::{Field, Points, Shells, Step};

/// A call that can be part of a graph. Times (samples, levels) count from the first one of its run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Call {
    Step(Step),
    Inject(Field, Points, i32),
    Record(Field, Points, i32),
    SaveShell(Field, Shells, i32),
    LoadShell(Field, Shells, i32),
    Image(Field, Field),
}

impl Call {
    fn time(&mut self) -> Option<&mut i32> {
        match self {
            Call::Inject(.., k) | Call::Record(.., k) => Some(k),
            Call::SaveShell(.., k) | Call::LoadShell(.., k) => Some(k),
            Call::Step(_) | Call::Image(..) => None,
        }
    }
}

/// Steps of a run.
const STEPS: usize = 32;
/// Fewer calls are issued one by one.
const LEAST_CALLS: usize = 8;
/// Runs that are remembered, each with a graph once it has come twice.
const RUNS: usize = 16;

/// Calls that belong together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub calls: Vec<Call>,
    /// Levels that the image's sums still lacked before the first call.
    pub waiting: Option<[Field; 2]>,
}

/// What was made of a run.
#[derive(Debug)]
pub(super) struct Graph {
    pub launches: LaunchGraph,
    /// Levels that the sums still lack after the last call.
    pub waiting: Option<[Field; 2]>,
}

#[derive(Debug)]
struct Known {
    run: Run,
    graph: Option<Graph>,
}

/// The calls that wait to be issued, and the runs that were issued before.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    calls: Vec<Call>,
    steps: usize,
    known: Vec<Known>,
}

impl Repeats {
    /// Adds a call; whether the run is long enough to be issued.
    pub fn add(&mut self, call: Call) -> bool {
        self.calls.push(call);
        self.steps += usize::from(matches!(call, Call::Step(_)));
        self.steps == STEPS
    }

    /// The calls that wait, and the time from which theirs are counted.
    pub fn take(&mut self, waiting: Option<[Field; 2]>) -> (Run, i32) {
        let mut calls = std::mem::take(&mut self.calls);
        self.steps = 0;
        let first = calls.iter_mut().find_map(|call| call.time().copied()).unwrap_or(0);
        calls.iter_mut().filter_map(Call::time).for_each(|k| *k -= first);
        (Run { calls, waiting }, first)
    }

    /// Whether a run has not come before, or is so short that it does not matter; notes it.
    pub fn is_new(&mut self, run: &Run) -> bool {
        if run.calls.len() < LEAST_CALLS {
            return true;
        }
        let new = self.known.iter().all(|known| known.run != *run);
        if new {
            if self.known.len() == RUNS {
                self.known.remove(0);
            }
            self.known.push(Known { run: run.clone(), graph: None });
        }
        new
    }

    /// The graph of a run, if it was kept.
    pub fn graph(&self, run: &Run) -> Option<&Graph> {
        self.known.iter().find(|known| known.run == *run)?.graph.as_ref()
    }

    /// Keeps the graph of a run that is not new.
    pub fn keep(&mut self, run: &Run, graph: Graph) {
        if let Some(known) = self.known.iter_mut().find(|known| known.run == *run) {
            known.graph = Some(graph);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Boundary, Region};

    /// A level of a run forward in time: a step, a sample, a shell.
    fn level(k: i32) -> [Call; 3] {
        let [cur, next] = [k % 2, (k + 1) % 2].map(|level| Field(level as usize));
        let (boundary, region) = (Boundary::Reflecting, Region::All);
        [
            Call::Step(Step { prev: next, cur, next, boundary, region }),
            Call::Inject(next, Points(0), k),
            Call::SaveShell(next, Shells(0), k + 1),
        ]
    }

    /// The run that is full with the last of its steps; what belongs to that one comes with the
    /// next run.
    fn run_from(repeats: &mut Repeats, first: i32, waiting: Option<[Field; 2]>) -> (Run, i32) {
        let calls = (first..).flat_map(level).take_while(|call| !repeats.add(*call)).count();
        assert_eq!(calls, 3 * (STEPS - 1));
        repeats.take(waiting)
    }

    #[test]
    fn a_run_is_new_once_wherever_it_begins_in_time() {
        let mut repeats = Repeats::default();
        let (run, first) = run_from(&mut repeats, 5, None);
        assert_eq!(first, 5);
        assert_eq!(
            run.calls[1..3],
            [Call::Inject(Field(0), Points(0), 0), Call::SaveShell(Field(0), Shells(0), 1)]
        );
        assert!(repeats.is_new(&run));
        let (later, first) = run_from(&mut repeats, 5 + STEPS as i32, None);
        assert_eq!((first, &later), (5 + STEPS as i32, &run));
        assert!(!repeats.is_new(&later) && repeats.graph(&later).is_none());
        // Other levels; other levels that the image lacks.
        for (first, waiting) in [(4, None), (5, Some([Field(0), Field(1)]))] {
            let (other, _) = run_from(&mut repeats, first, waiting);
            assert!(repeats.is_new(&other), "{first}");
        }
    }

    #[test]
    fn short_runs_and_old_ones_stay_new() {
        let mut repeats = Repeats::default();
        let of = |n: usize, k: i32| Run {
            calls: (0..n).map(|i| Call::Record(Field(i), Points(0), k * i as i32)).collect(),
            waiting: None,
        };
        let short = of(LEAST_CALLS - 1, 1);
        assert!(repeats.is_new(&short) && repeats.is_new(&short));
        assert!((0..=RUNS as i32).all(|k| repeats.is_new(&of(LEAST_CALLS, k))));
        assert!(!repeats.is_new(&of(LEAST_CALLS, 1)) && repeats.is_new(&of(LEAST_CALLS, 0)));
    }
}
