//! Tested reads ([`crate::exec::tested`]) and the stores that they meet.
//!
//! A launch in which a race was found is run again with a log of both, by word, and with the
//! values before and after each store. A tested read is looked at here only; other accesses go the
//! common way as well.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::Access;
use super::log::{MAX_WORDS, Read, Store};
use crate::bytecode::{Kind, MemInfo, Op};
use crate::exec::block::Worker;
use crate::exec::halt::{Halt, Window};
use crate::exec::lanes::Lanes;
use crate::exec::warp::Warp;
use crate::exec::world::{memory_bits, register_bits};

/// One lane's access to a granule.
#[derive(Clone, Copy)]
struct Party<'a> {
    warp: &'a Warp,
    thread: u32,
    seq: u32,
    at: u64,
}

impl Worker<'_> {
    /// Notes the accesses of a run of lanes in the log; true if they are tested reads, which are
    /// looked at nowhere else.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    pub(super) fn log_run(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        alloc: usize,
        addr: u64,
        lanes: Range<u32>,
        access: Access,
        addresses: &Lanes,
        seq: u32,
    ) -> Result<bool, Box<Halt>> {
        let world = self.world;
        let unit = world.shadow(alloc).unit;
        let size = u64::from(info.size);
        let inst = &world.code.insts[warp.pc];
        let mem = matches!(inst.op, Op::Mem(_)).then_some(inst.c);
        let whole = size == unit && matches!(access, Access::Read | Access::Write);
        let tested = |mem: &u32| world.tests.is_some_and(|t| t.reads[*mem as usize].is_some());
        let test = mem.filter(|mem| whole && access == Access::Read && tested(mem));
        let test = test.filter(|_| world.log().words.len() < MAX_WORDS);
        if test.is_none() && !access.writes() {
            return Ok(false);
        }
        for (i, lane) in lanes.enumerate() {
            let first = addr + i as u64 * size;
            for at in (first..first + size).step_by(unit as usize) {
                let me = Party { warp, thread: 32 * warp.index + lane, seq, at };
                let fine = match test {
                    Some(mem) => self.log_read(me, mem),
                    None => {
                        let values = whole.then(|| {
                            let a = &world.allocs[alloc];
                            let byte = |k: u64| u64::from(a.byte((at - a.base + k) as usize));
                            let old = (0..unit).rev().fold(0, |word, k| word << 8 | byte(k));
                            [old, stored(warp, info, lane, inst.d)]
                        });
                        let mem = mem.filter(|_| access == Access::Write);
                        self.log_store(me, mem, values)
                    }
                };
                if !fine && !self.known(self.race_kind(Window::Global), warp) {
                    let halt = self.global_race(warp, info, alloc, addresses, (lane, at), access);
                    self.find(warp, halt)?;
                }
            }
        }
        Ok(test.is_some())
    }

    /// Notes a tested read; false if it meets a store that makes a difference.
    fn log_read(&self, me: Party<'_>, mem: u32) -> bool {
        let mut log = self.world.log();
        let log = &mut *log;
        let word = log.words.entry(me.at).or_default();
        let place = word.reads.iter().position(|r| r.mem == mem);
        let place = place.unwrap_or_else(|| {
            word.reads.push(Read { mem, entry: 0 });
            word.reads.len() - 1
        });
        let entry = &mut word.reads[place].entry;
        *entry = self.joined_readers(*entry, me.seq, me.warp, me.thread);
        let mut fine = true;
        for store in &word.stores {
            if !self.readers_before(store.entry, me.warp, me.thread) {
                fine &= self.may_meet(&mut log.said, &mut log.met, mem, store);
            }
        }
        fine
    }

    /// Notes a store; false if it meets a tested read and makes a difference.
    fn log_store(&self, me: Party<'_>, mem: Option<u32>, values: Option<[u64; 2]>) -> bool {
        if values.is_some_and(|[old, new]| old == new) {
            return true;
        }
        let mut log = self.world.log();
        let log = &mut *log;
        if log.words.len() >= MAX_WORDS && !log.words.contains_key(&me.at) {
            return true;
        }
        let word = log.words.entry(me.at).or_default();
        let place = word.stores.iter().position(|s| (s.mem, s.values) == (mem, values));
        let place = place.unwrap_or_else(|| {
            word.stores.push(Store { mem, values, entry: 0 });
            word.stores.len() - 1
        });
        let store = &mut word.stores[place];
        store.entry = self.joined_readers(store.entry, me.seq, me.warp, me.thread);
        let store = *store;
        let mut fine = true;
        for read in &word.reads {
            if !self.readers_before(read.entry, me.warp, me.thread) {
                fine &= self.may_meet(&mut log.said, &mut log.met, read.mem, &store);
            }
        }
        fine
    }

    /// It makes no difference whether the read comes before or after the store.
    fn may_meet(
        &self,
        said: &mut HashMap<(u32, u64), Option<bool>>,
        met: &mut BTreeSet<(u32, u32)>,
        read: u32,
        store: &Store,
    ) -> bool {
        let world = self.world;
        let (Some(tests), Some(mem), Some(values)) = (world.tests, store.mem, store.values) else {
            return false;
        };
        let Some(test) = &tests.reads[read as usize] else { return false };
        let kind = world.code.mems[read as usize].kind;
        let mut says = |bits: u64| {
            *said
                .entry((read, bits))
                .or_insert_with(|| test.says(register_bits(kind, bits), &world.uniforms))
        };
        let own = test.guards.is_some() && test.guards == tests.stores[mem as usize];
        let [before, after] = values.map(&mut says);
        let fine = own || before.is_some() && before == after;
        if fine {
            met.insert((read, mem));
        }
        fine
    }
}

/// The bytes that `lane` stores, by the store at hand, as a number.
fn stored(warp: &Warp, info: &MemInfo, lane: u32, reg: u32) -> u64 {
    match info.kind {
        Kind::W64 => warp.regs.b[reg as usize][lane as usize],
        kind => memory_bits(kind, warp.regs.a[reg as usize][lane as usize]).into(),
    }
}
