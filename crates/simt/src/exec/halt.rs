//! What stops a warp.

use crate::fault::{Fault, FaultKind};
use crate::source::Location;

/// The windows of the address space that a generic address may lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    Global = 0,
    Shared = 1,
    Local = 2,
    String = 3,
}

/// A warp was stopped.
#[derive(Debug)]
pub(crate) struct Halt {
    /// `None`: another block failed, or the steps are used up.
    pub fault: Option<Fault>,
    /// Lanes that ran into it.
    pub lanes: u32,
    /// Address and size of words whose accesses must be noted to name both sides: the launch is run
    /// again for that.
    pub watch: Vec<(u64, u64)>,
    /// Perhaps a fault: only another attempt, of this kind, can tell.
    pub again: Option<Attempt>,
    out_of_steps: bool,
}

/// What is done otherwise when a launch is run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// Exact shadows for the search for races.
    Exact,
    /// With a log of tested reads.
    Tests,
    /// Marks on values that nobody has written.
    Marks,
    /// All blocks at once, in turns: one waits for a later one.
    Turns,
}

/// A warp that waits at a barrier.
pub(crate) struct Waiting {
    pub warp: u32,
    pub lane: u32,
    pub pc: usize,
}

impl Halt {
    pub fn stopped() -> Box<Halt> {
        Box::new(Halt {
            fault: None,
            lanes: 0,
            watch: Vec::new(),
            again: None,
            out_of_steps: false,
        })
    }

    /// These lanes ran into a fault.
    pub fn fault(fault: Fault, lanes: u32) -> Box<Halt> {
        Box::new(Halt { fault: Some(fault), lanes, ..*Halt::stopped() })
    }

    pub fn out_of_steps() -> Box<Halt> {
        Box::new(Halt { out_of_steps: true, ..*Halt::stopped() })
    }

    /// The launch is to be run again.
    pub fn again(with: Attempt) -> Box<Halt> {
        Box::new(Halt { again: Some(with), ..*Halt::stopped() })
    }

    pub fn is_out_of_steps(&self) -> bool {
        self.out_of_steps
    }
}

/// Counts the threads that run into one fault.
#[derive(Debug)]
pub(crate) struct Count {
    kind: FaultKind,
    at: Location,
    pub threads: u64,
}

impl Count {
    /// Starts with the first fault, if it is of a kind that is counted.
    pub fn of(halt: &Halt) -> Option<Count> {
        let fault = halt.fault.as_ref()?;
        let counted = matches!(
            fault.kind,
            FaultKind::OutOfBoundsGlobal
                | FaultKind::OutOfBoundsShared
                | FaultKind::OutOfBoundsLocal
                | FaultKind::Misaligned
                | FaultKind::Uninitialised
                | FaultKind::DivisionByZero
                | FaultKind::Assert
        );
        let at = fault.site.as_ref()?.at.clone();
        counted.then(|| Count { kind: fault.kind, at, threads: u64::from(halt.lanes.count_ones()) })
    }

    /// Notes another fault; true if it is of the same kind at the same place, so that the count
    /// goes on.
    pub fn goes_on(&mut self, halt: &Halt) -> bool {
        let Some(fault) = &halt.fault else { return false };
        let same = fault.kind == self.kind && fault.site.as_ref().is_some_and(|s| s.at == self.at);
        if same {
            self.threads += u64::from(halt.lanes.count_ones());
        }
        same
    }
}

/// `(x,y,z)`.
pub(super) fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}
