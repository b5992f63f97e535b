//! Reads of shared memory that are not noted yet.
//!
//! Between two barriers most words are either read or written. So a read of words that nobody has
//! written since the last barrier is only put on a list: it is noted when a write comes to the same
//! stretch of memory, in its turn among the reads, and dropped at the barrier. What is found is the
//! same.

use super::deferred::{MOST, Read, Step, stretches};
use super::shared_shadow::{Party, SharedShadow};
use crate::exec::alu::by_lane;
use crate::exec::lanes::{Lanes, each};
use crate::exec::shape::{GROUP, Groups, Runs};
use crate::exec::warp::Warp;

impl SharedShadow {
    /// Puts a read of words off; false if it must be noted at once.
    #[inline(always)]
    pub(super) fn defer(&mut self, warp: &Warp, groups: &Groups, runs: &Runs) -> bool {
        if self.byte || self.fenced >= self.interval {
            return false;
        }
        for run in runs.iter() {
            let count = if groups.step == 0 { 1 } else { run.count };
            for stretch in stretches((run.start / 4) as usize, count) {
                if self.deferred.wrote[stretch] >= self.interval {
                    return false;
                }
                self.deferred.read[stretch] = self.now;
            }
        }
        let step = if groups.step == 0 { Step::Same } else { Step::Row };
        let [a, b, c, d] = &groups.starts;
        let word = |start: &u64| (start / 4) as u32;
        self.put_off(warp, [word(a), word(b), word(c), word(d)], step, 1);
        true
    }

    /// The same of any granules: `shape` is their size in bytes, and how many each lane reads.
    pub(super) fn defer_lanes(&mut self, warp: &Warp, offsets: &Lanes, shape: [u64; 2]) -> bool {
        if self.fenced >= self.interval {
            return false;
        }
        let [unit, count] = shape;
        let granules = by_lane(|l| (offsets[l] / unit) as u32);
        for l in each(warp.mask) {
            for stretch in stretches(granules[l] as usize, count as usize) {
                if self.deferred.wrote[stretch] >= self.interval {
                    return false;
                }
                self.deferred.read[stretch] = self.now;
            }
        }
        let index = self.deferred.lanes.len() as u32;
        self.deferred.lanes.push(granules);
        self.put_off(warp, [index; 4], Step::Lanes, count as u32);
        true
    }

    #[inline(always)]
    fn put_off(&mut self, warp: &Warp, starts: [u32; 4], step: Step, count: u32) {
        // Made where it is used: a copy of it takes longer than all else here.
        let read = || Read {
            starts,
            step,
            mask: warp.mask,
            count,
            warp: warp.index,
            pc: warp.pc as u32,
            now: self.now,
            sync_stamp: warp.sync_stamp,
            times: 1,
            apart: [0; 2],
        };
        if self.deferred.reads.last_mut().is_some_and(|last| last.goes_on(&read())) {
            return;
        }
        self.deferred.reads.push(read());
        if self.deferred.reads.len() >= MOST {
            self.settle();
        }
    }

    /// `n` granules from `g` on are about to be read at once: earlier reads of them are noted.
    pub(super) fn reads(&mut self, g: usize, n: usize) {
        let interval = self.interval;
        self.deferred.read[stretches(g, n)].fill(self.now);
        // Where somebody has written nothing is put off.
        let wrote = self.deferred.wrote[stretches(g, n)].iter().all(|stamp| *stamp >= interval);
        if !wrote && !self.deferred.reads.is_empty() {
            self.settle();
        }
    }

    /// `n` granules from `g` on are about to be written: reads of them that were put off are noted.
    #[inline(always)]
    pub(super) fn writes(&mut self, g: usize, n: usize) {
        let interval = self.interval;
        let deferred = &mut self.deferred;
        deferred.wrote[stretches(g, n)].fill(self.now);
        let read = deferred.read[stretches(g, n)].iter().any(|stamp| *stamp >= interval);
        if read && !deferred.reads.is_empty() {
            self.settle();
        }
    }

    /// Whether granules of the stretches of `n` from `g` on have been read, and written, since the
    /// last barrier.
    #[inline(always)]
    pub(super) fn touched(&self, g: usize, n: usize) -> [bool; 2] {
        let since = |stamps: &[u32]| stamps[stretches(g, n)].iter().any(|s| *s >= self.interval);
        [since(&self.deferred.read), since(&self.deferred.wrote)]
    }

    /// Notes the reads that were put off.
    #[cold]
    pub(super) fn settle(&mut self) {
        let now = self.now;
        let reads = std::mem::take(&mut self.deferred.reads);
        let lanes = std::mem::take(&mut self.deferred.lanes);
        for read in &reads {
            self.now = read.now;
            for (starts, pc) in read.each() {
                self.settle_one(read, starts, pc, &lanes);
            }
        }
        self.now = now;
        // Their room is used again.
        self.deferred.reads = reads;
        self.deferred.lanes = lanes;
        self.deferred.drop_all();
    }

    /// Notes a read that was put off, of granules from `starts` on, at `pc`.
    #[inline(always)]
    fn settle_one(&mut self, read: &Read, starts: [u32; 4], pc: usize, lanes: &[[u32; 32]]) {
        // No fence lies between them and the last barrier.
        let told = [0; 32];
        let party = Party { warp: read.warp, pc, sync_stamp: read.sync_stamp, told_stamps: &told };
        if read.step == Step::Lanes || read.count != 1 {
            for l in each(read.mask) {
                let first = lanes[starts[0] as usize][l] as usize;
                for granule in first..first + read.count as usize {
                    self.read(granule, party, 32 * read.warp + l as u32);
                }
            }
            return;
        }
        for (g, start) in starts.iter().enumerate() {
            let mask = read.mask >> (GROUP * g) & 0xff;
            let first = 32 * read.warp + (GROUP * g) as u32;
            if mask == 0xff
                && read.step == Step::Row
                && self.read_run(*start as usize, GROUP, party, first)
            {
                continue;
            }
            for k in each(mask) {
                let at = match read.step {
                    Step::Row => start.wrapping_add(k as u32),
                    Step::Same | Step::Lanes => *start,
                };
                self.read(at as usize, party, first + k as u32);
            }
        }
    }
}
