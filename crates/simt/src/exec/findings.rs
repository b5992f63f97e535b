//! What a launch is blamed for. A race or the use of a value that nobody has written does not keep
//! a kernel from running on, so it is noted, and the launch goes on for a while: what is found
//! later may matter more.

use super::block::Worker;
use super::halt::Halt;
use super::warp::Warp;
use crate::fault::{Fault, FaultKind, Site};
use crate::order;

/// Findings of a launch that are told at most.
const MAX_FINDINGS: usize = 4;

impl FaultKind {
    /// Lower is worse: what breaks the kernel, what makes its result a matter of chance, what makes
    /// it unknown.
    fn rank(self) -> u8 {
        match self {
            FaultKind::RaceShared | FaultKind::RaceGlobal => 1,
            FaultKind::Uninitialised => 2,
            _ => 0,
        }
    }
}

/// Two findings of one kind have the same lines on their two sides, in either order.
fn same_story(a: &Fault, b: &Fault) -> bool {
    let lines = |f: &Fault| {
        let line = |site: &Option<Site>| site.as_ref().map(|s| (s.at.file.clone(), s.at.line));
        let (site, other) = (line(&f.site), line(&f.other));
        let other = other.or_else(|| site.clone());
        if site < other { [site, other] } else { [other, site] }
    };
    a.kind == b.kind && lines(a) == lines(b)
}

impl Worker<'_> {
    /// A finding of this kind at the warp's instruction need not be described: it was, or there are
    /// enough. Behind the first fault that has ended threads, nothing is: it may be what these
    /// threads have left undone.
    pub(crate) fn known(&self, kind: FaultKind, warp: &Warp) -> bool {
        self.counting.is_some()
            || self.findings.len() >= MAX_FINDINGS
            || self.findings.iter().any(|(k, pc, _)| (*k, *pc) == (kind, warp.pc))
    }

    /// Notes a finding, so that the launch goes on; an error where it cannot, because it will be
    /// run again or somebody looks on.
    pub(crate) fn find(&mut self, warp: &Warp, halt: Box<Halt>) -> Result<(), Box<Halt>> {
        let Some(fault) = &halt.fault else { return Err(halt) };
        if self.world.parallel || self.debugger.is_some() {
            return Err(halt);
        }
        if self.findings.is_empty() {
            self.go_on_a_while();
        }
        self.findings.push((fault.kind, warp.pc, halt));
        Ok(())
    }

    /// All that was found, the worst first, as one; what a launch that ended with `result` is to be
    /// stopped for.
    pub(crate) fn judge(&mut self, result: Result<(), Box<Halt>>) -> Result<(), Box<Halt>> {
        let mut all: Vec<Box<Halt>> = self.findings.drain(..).map(|(_, _, halt)| halt).collect();
        match (self.first_fault(), result) {
            (_, Err(halt)) if halt.again.is_some() => return Err(halt),
            (Some(halt), _) => all.push(halt),
            // The steps were cut short at the first finding.
            (None, Err(halt)) if all.is_empty() || !halt.is_out_of_steps() => all.push(halt),
            _ => {}
        }
        let rank = |halt: &Halt| halt.fault.as_ref().map_or(0, |fault| fault.kind.rank());
        order::sort_by(&mut all, |a, b| rank(a).cmp(&rank(b)));
        let mut all = all.into_iter();
        let Some(mut worst) = all.next() else { return Ok(()) };
        for other in all {
            worst.watch.extend(other.watch);
            if let (Some(fault), Some(other)) = (&mut worst.fault, other.fault)
                && !fault.also.iter().chain([&*fault]).any(|f| same_story(f, &other))
            {
                fault.also.push(other);
            }
        }
        Err(worst)
    }
}
