//! What a shot does again and again, as graphs of launches.
//!
//! Of a small grid the host asks for launches more slowly than the device is done with them. So the
//! calls of some levels are gathered, and what came before in the same order, with the same arrays
//! and at the same distances of time, is issued as one graph. Only the time of its first call is
//! new; the kernels that need it read it from the device's memory.
//!
//! Calls that are gathered can also be done in another order: the source's step back in time and
//! the receivers' become a pair, which reads what both need once.

use labkit::LaunchGraph;

use crate::engine::{Field, Points, Shells, Step};

/// A call that can be part of a graph. Times (samples, levels) count from the first one of its run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Call {
    Step(Step),
    /// Both at once: neither touches a level of the other's.
    Pair(Step, Step),
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
            Call::Step(_) | Call::Pair(..) | Call::Image(..) => None,
        }
    }
}

/// Which of the calls is a step that can be done at once with this later one: a step without
/// layers, behind which nothing but its new level has been touched. No step in place: its previous
/// level could not be read by others meanwhile.
fn partner(calls: &[Call], second: &Step) -> Option<(usize, Step)> {
    let mut touched = Vec::new();
    for (i, call) in calls.iter().enumerate().rev() {
        match *call {
            Call::Inject(field, ..) | Call::Record(field, ..) => touched.push(field),
            Call::SaveShell(field, ..) | Call::LoadShell(field, ..) => touched.push(field),
            Call::Step(first) => {
                let of = |step: &Step| [step.prev, step.cur, step.next];
                let apart = of(&first).iter().all(|field| !of(second).contains(field));
                let bare = first.boundary.layers().is_none();
                let in_place = [&first, second].iter().any(|step| step.next == step.prev);
                let alone = touched.iter().all(|field| *field == first.next);
                return (apart && bare && alone && !in_place).then_some((i, first));
            }
            Call::Pair(..) | Call::Image(..) => return None,
        }
    }
    None
}

/// Levels that the image's sums lack, of one time or two, the first ones first.
pub(super) type Waiting = [Option<[Field; 2]>; 2];

/// Steps of a run, of two fields with levels in turn by three, and an image of each two times: so
/// many, and the next run begins as this one did.
const STEPS: usize = 36;
/// Fewer calls are issued one by one.
const LEAST_CALLS: usize = 8;
/// Runs that are remembered, each with a graph once it has come twice.
const RUNS: usize = 16;

/// Calls that belong together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub calls: Vec<Call>,
    /// Levels that the image's sums still lacked before the first call.
    pub waiting: Waiting,
}

/// What was made of a run.
#[derive(Debug)]
pub(super) struct Graph {
    pub launches: LaunchGraph,
    /// Levels that the sums still lack after the last call.
    pub waiting: Waiting,
}

#[derive(Debug)]
struct Known {
    run: Run,
    graph: Option<Graph>,
}

/// The calls that wait to be issued, and the runs that were issued before.
#[derive(Debug)]
pub(super) struct Repeats {
    /// Whether steps become pairs.
    pairs: bool,
    /// Whether runs become graphs.
    pub graphs: bool,
    calls: Vec<Call>,
    steps: usize,
    known: Vec<Known>,
}

impl Repeats {
    /// No calls yet.
    pub fn new(pairs: bool, graphs: bool) -> Repeats {
        Repeats { pairs, graphs, calls: Vec::new(), steps: 0, known: Vec::new() }
    }

    /// Whether the calls that wait should be issued before this one is added: there are enough, and
    /// it is no part of what they do.
    pub fn ends_before(&self, call: &Call) -> bool {
        matches!(call, Call::Step(_)) && self.steps >= STEPS && self.partner(call).is_none()
    }

    /// Adds a call.
    pub fn add(&mut self, call: Call) {
        self.steps += usize::from(matches!(call, Call::Step(_)));
        match (self.partner(&call), call) {
            (Some((i, first)), Call::Step(second)) => self.calls[i] = Call::Pair(first, second),
            _ => self.calls.push(call),
        }
    }

    fn partner(&self, call: &Call) -> Option<(usize, Step)> {
        match call {
            Call::Step(second) if self.pairs => partner(&self.calls, second),
            _ => None,
        }
    }

    /// The calls that wait, and the time from which theirs are counted.
    pub fn take(&mut self, waiting: Waiting) -> (Run, i32) {
        let mut calls = std::mem::take(&mut self.calls);
        self.steps = 0;
        let first = calls.iter_mut().find_map(|call| call.time().copied()).unwrap_or(0);
        calls.iter_mut().filter_map(Call::time).for_each(|k| *k -= first);
        (Run { calls, waiting }, first)
    }

    /// Whether a run is issued call by call, because it has not come before, or is so short that it
    /// does not matter; notes it.
    pub fn is_new(&mut self, run: &Run) -> bool {
        if !self.graphs || run.calls.len() < LEAST_CALLS {
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
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::engine::{Boundary, Layers, Region};

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

    /// The calls of as many steps as make a run.
    fn run_from(repeats: &mut Repeats, first: i32, waiting: Waiting) -> (Run, i32) {
        for call in (first..).flat_map(level) {
            if repeats.ends_before(&call) {
                break;
            }
            repeats.add(call);
        }
        let (run, first) = repeats.take(waiting);
        assert_eq!(run.calls.len(), 3 * STEPS);
        (run, first)
    }

    #[test]
    fn a_run_is_new_once_wherever_it_begins_in_time() {
        let (mut repeats, nothing) = (Repeats::new(false, true), Waiting::default());
        let (run, first) = run_from(&mut repeats, 5, nothing);
        assert_eq!(first, 5);
        assert_eq!(
            run.calls[1..3],
            [Call::Inject(Field(0), Points(0), 0), Call::SaveShell(Field(0), Shells(0), 1)]
        );
        assert!(repeats.is_new(&run));
        let (later, first) = run_from(&mut repeats, 5 + STEPS as i32, nothing);
        assert_eq!((first, &later), (5 + STEPS as i32, &run));
        assert!(!repeats.is_new(&later) && repeats.graph(&later).is_none());
        // Other levels; other levels that the image lacks.
        for (first, waiting) in [(4, nothing), (5, [Some([Field(0), Field(1)]), None])] {
            let (other, _) = run_from(&mut repeats, first, waiting);
            assert!(repeats.is_new(&other), "{first}");
        }
        repeats.graphs = false;
        assert!(repeats.is_new(&run));
    }

    #[test]
    fn short_runs_and_old_ones_stay_new() {
        let mut repeats = Repeats::new(false, true);
        let of = |n: usize, k: i32| Run {
            calls: (0..n).map(|i| Call::Record(Field(i), Points(0), k * i as i32)).collect(),
            waiting: Waiting::default(),
        };
        let short = of(LEAST_CALLS - 1, 1);
        assert!(repeats.is_new(&short) && repeats.is_new(&short));
        assert!((0..=RUNS as i32).all(|k| repeats.is_new(&of(LEAST_CALLS, k))));
        assert!(!repeats.is_new(&of(LEAST_CALLS, 1)) && repeats.is_new(&of(LEAST_CALLS, 0)));
    }

    /// The level `itr` of a shot on its way back, of fields with levels in turn by three.
    fn level_back(itr: usize) -> Vec<Call> {
        let step = |first: usize, boundary, region| {
            let [prev, cur, next] = [2, 1, 0].map(|ahead| Field(first + (itr + ahead) % 3));
            Step { prev, cur, next, boundary, region }
        };
        let source = step(0, Boundary::Reflecting, Region::Deep);
        let receivers = step(3, Boundary::Cpml(Layers(0)), Region::All);
        let k = itr as i32;
        vec![
            Call::Step(source),
            Call::Inject(source.next, Points(0), k + 1),
            Call::LoadShell(source.next, Shells(0), k),
            Call::Step(receivers),
            Call::Inject(receivers.next, Points(1), k),
            Call::Image(source.next, receivers.next),
        ]
    }

    #[test]
    fn the_way_back_is_pairs_and_each_run_as_the_one_before() {
        let mut repeats = Repeats::new(true, true);
        let mut runs = Vec::new();
        // The run before has ended between the two steps of a pair.
        for call in (0..90).rev().flat_map(level_back).skip(3) {
            if repeats.ends_before(&call) {
                runs.push(repeats.take(Waiting::default()).0);
            }
            repeats.add(call);
        }
        assert!(runs.len() > 3);
        assert!(runs[0].calls.iter().any(|call| matches!(call, Call::Step(_))));
        for run in &runs[1..] {
            assert_eq!(run.calls.len(), STEPS / 2 * 5);
            assert!(matches!(run.calls[0], Call::Pair(..)));
            assert_eq!(run.calls.iter().filter(|c| matches!(c, Call::Pair(..))).count(), STEPS / 2);
            assert_eq!(run, &runs[1]);
        }
        // Whose steps must not become pairs.
        let mut single = Repeats::new(false, true);
        level_back(7).into_iter().for_each(|call| single.add(call));
        assert_eq!(single.take(Waiting::default()).0.calls.len(), 6);
    }

    /// What calls leave: levels, layers, and all that is taken from levels, as numbers.
    fn outcome(calls: &[Call]) -> (Vec<u64>, Vec<u64>) {
        fn mixed(parts: &[u64]) -> u64 {
            parts.iter().fold(7, |sum, part| (sum ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1)
        }
        let mut values: Vec<u64> = (0..10).collect();
        let mut taken = Vec::new();
        let new_level = |step: &Step, values: &[u64]| {
            let layers = step.boundary.layers().map_or(0, |layers| values[8 + layers.0]);
            mixed(&[values[step.prev.0], values[step.cur.0], layers])
        };
        let advance = |steps: &[Step], values: &mut [u64]| {
            let new: Vec<u64> = steps.iter().map(|step| new_level(step, values)).collect();
            for (step, new) in steps.iter().zip(new) {
                values[step.next.0] = new;
                if let Some(layers) = step.boundary.layers() {
                    values[8 + layers.0] = mixed(&[values[8 + layers.0], new]);
                }
            }
        };
        for call in calls {
            match *call {
                Call::Step(step) => advance(&[step], &mut values),
                Call::Pair(first, second) => advance(&[first, second], &mut values),
                Call::Inject(f, _, k) | Call::LoadShell(f, _, k) => {
                    values[f.0] = mixed(&[values[f.0], k as u64]);
                }
                Call::Record(f, ..) | Call::SaveShell(f, ..) => taken.push(values[f.0]),
                Call::Image(a, b) => taken.push(mixed(&[values[a.0], values[b.0]])),
            }
        }
        (values, taken)
    }

    fn some_call() -> impl Strategy<Value = Call> {
        let field = (0..8usize).prop_map(Field);
        let step = (0..2usize, 0..4usize, 1..4usize, 0..4usize, 0..3usize).prop_map(
            |(of, cur, next, prev, layers)| {
                let level = |i: usize| Field(4 * of + i % 4);
                let boundary = layers.checked_sub(1).map(Layers).into();
                let (prev, region) = (level(prev), Region::All);
                Call::Step(Step {
                    prev,
                    cur: level(cur),
                    next: level(cur + next),
                    boundary,
                    region,
                })
            },
        );
        let one = (0..4, field, 0..9).prop_map(|(kind, field, k)| match kind {
            0 => Call::Inject(field, Points(0), k),
            1 => Call::Record(field, Points(0), k),
            2 => Call::SaveShell(field, Shells(0), k),
            _ => Call::LoadShell(field, Shells(0), k),
        });
        let image = (0..4usize, 4..8usize).prop_map(|(a, b)| Call::Image(Field(a), Field(b)));
        prop_oneof![4 => step, 4 => one, 1 => image]
    }

    proptest! {
        #[test]
        fn pairs_leave_what_the_calls_one_by_one_leave(calls in vec(some_call(), 0..40)) {
            let mut repeats = Repeats::new(true, false);
            calls.iter().for_each(|call| repeats.add(*call));
            prop_assert_eq!(outcome(&repeats.calls), outcome(&calls));
        }
    }
}
