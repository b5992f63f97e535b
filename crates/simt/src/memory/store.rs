//! The bytes of one allocation, shared between threads without locks: 32-bit words and a bit per
//! byte that says whether it was ever written.
//!
//! Words are kept xored with a poison pattern, so that fresh zero pages, which cost no host memory,
//! read as poison.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, RwLock};

use crate::fault::Fault;

/// What never-written words read as.
pub(crate) const POISON: u32 = 0xcbad_cbad;
/// Words of a page of the undo log.
pub(crate) const PAGE_WORDS: usize = 1024;

/// Words that are loaded with no loop around them; in WebAssembly they make a vector.
const SOME: usize = if cfg!(target_family = "wasm") { 4 } else { 8 };

/// One allocation.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// First address.
    pub base: u64,
    /// Bytes.
    pub size: u64,
    /// Kernels may only read it, and reads count as constant requests.
    pub constant: bool,
    name: RwLock<String>,
    words: Vec<AtomicU32>,
    /// Four bits a word.
    init: Vec<AtomicU32>,
    /// Every byte was written: the bits need not be looked at.
    all_init: AtomicBool,
    /// Where undefined values that kernels stored came from, the newest last.
    origins: RwLock<Vec<(Range<u64>, Arc<Fault>)>>,
}

/// Ranges whose origins are kept; older ones go first.
const MAX_ORIGINS: usize = 4096;

fn zeroed(len: usize) -> Option<Vec<AtomicU32>> {
    bytemuck::allocation::try_zeroed_slice_box::<AtomicU32>(len).ok().map(Into::into)
}

impl Allocation {
    /// `None` if the host has no memory for it.
    pub fn new(base: u64, size: u64, name: &str, constant: bool) -> Option<Allocation> {
        let count = usize::try_from(size.div_ceil(4)).ok()?;
        Some(Allocation {
            base,
            size,
            constant,
            name: RwLock::new(name.into()),
            words: zeroed(count)?,
            init: zeroed(count.div_ceil(8))?,
            all_init: AtomicBool::new(false),
            origins: RwLock::default(),
        })
    }

    pub fn name(&self) -> String {
        self.name.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    pub fn rename(&self, name: &str) {
        *self.name.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = name.into();
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Word `i`.
    #[inline]
    pub fn load(&self, i: usize) -> u32 {
        self.words[i].load(Relaxed) ^ POISON
    }

    /// Sets word `i`; the initialised bits are the caller's business.
    #[inline]
    pub fn store(&self, i: usize, value: u32) {
        self.words[i].store(value ^ POISON, Relaxed);
    }

    /// Reads `N` words from `i` on, a multiple of eight; the caller has checked the range.
    #[inline]
    pub fn load_row<const N: usize>(&self, i: usize, out: &mut [u32; N]) {
        let row = self.words[i..i + N].as_chunks::<SOME>().0;
        for (c, out) in out.as_chunks_mut::<SOME>().0.iter_mut().enumerate() {
            for k in 0..SOME {
                out[k] = row[c][k].load(Relaxed) ^ POISON;
            }
        }
    }

    /// Stores `N` words from `i` on.
    #[inline]
    pub fn store_row<const N: usize>(&self, i: usize, values: &[u32; N]) {
        let row = &self.words[i..i + N];
        let mut flipped = *values;
        for o in &mut flipped {
            *o ^= POISON;
        }
        for (w, v) in row.iter().zip(&flipped) {
            w.store(*v, Relaxed);
        }
    }

    /// Replaces the bits of word `i` under `mask`, leaving the others to whoever writes them at the
    /// same time.
    #[inline]
    pub fn store_bits(&self, i: usize, value: u32, mask: u32) {
        let value = (value ^ POISON) & mask;
        let _ = self.words[i].fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | value));
    }

    /// Replaces word `i` by `f` of it, atomically, and returns the old value.
    #[inline]
    pub fn update(&self, i: usize, mut f: impl FnMut(u32) -> u32) -> u32 {
        let old = self.words[i].fetch_update(Relaxed, Relaxed, |w| Some(f(w ^ POISON) ^ POISON));
        old.unwrap_or_else(|w| w) ^ POISON
    }

    /// True if all bytes were written.
    #[inline]
    pub fn is_all_init(&self) -> bool {
        self.all_init.load(Relaxed)
    }

    /// The four bits of word `i`, one a byte, lowest first.
    #[inline]
    pub fn init_bits(&self, i: usize) -> u32 {
        self.init[i / 8].load(Relaxed) >> (4 * (i % 8)) & 15
    }

    /// Marks bytes of word `i` as written.
    #[inline]
    pub fn mark_bits(&self, i: usize, bits: u32) {
        let cell = &self.init[i / 8];
        let bits = bits << (4 * (i % 8));
        if cell.load(Relaxed) & bits != bits {
            cell.fetch_or(bits, Relaxed);
        }
    }

    /// True if all bytes of words `i..i + n` were written.
    #[inline]
    pub fn is_init_row(&self, i: usize, n: usize) -> bool {
        let (first, last) = (i / 8, (i + n - 1) / 8);
        let head = u32::MAX << (4 * (i % 8));
        let tail = u32::MAX >> (28 - 4 * ((i + n - 1) % 8));
        let cells = &self.init[first..=last];
        cells.iter().enumerate().all(|(k, cell)| {
            let mut want = u32::MAX;
            if k == 0 {
                want &= head;
            }
            if k == last - first {
                want &= tail;
            }
            cell.load(Relaxed) & want == want
        })
    }

    /// Marks bytes of word `i` as never written.
    pub fn unmark_bits(&self, i: usize, bits: u32) {
        self.all_init.store(false, Relaxed);
        self.set_init_bits(i, 15 & !bits, 0);
    }

    /// Where an undefined value in a range of bytes came from, if a kernel stored it.
    pub fn origin(&self, bytes: Range<u64>) -> Option<Fault> {
        let origins = self.origins.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        let still_there = |range: &Range<u64>| {
            let mut common = range.start.max(bytes.start)..range.end.min(bytes.end);
            common.any(|at| !self.is_byte_init(at as usize))
        };
        // The newest say why the memory is as it is; of one launch, the first.
        let (_, last) = origins.iter().rfind(|(range, _)| still_there(range))?;
        let of_launch = |fault: &Fault| fault.kernel == last.kernel;
        let first = origins.iter().find(|(range, fault)| of_launch(fault) && still_there(range));
        first.map(|(_, fault)| Fault::clone(fault))
    }

    /// Notes where undefined values in ranges of bytes came from.
    pub fn leave_origins(&self, mut origins: Vec<(Range<u64>, Arc<Fault>)>) {
        let mut all = self.origins.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        all.append(&mut origins);
        let old = all.len().saturating_sub(MAX_ORIGINS);
        all.drain(..old);
    }

    /// Marks all bytes of words `i..i + n` as written.
    #[inline]
    pub fn mark_row(&self, i: usize, n: usize) {
        let (first, last) = (i / 8, (i + n - 1) / 8);
        let head = u32::MAX << (4 * (i % 8));
        let tail = u32::MAX >> (28 - 4 * ((i + n - 1) % 8));
        for k in first..=last {
            let mut want = u32::MAX;
            if k == first {
                want &= head;
            }
            if k == last {
                want &= tail;
            }
            if self.init[k].load(Relaxed) & want != want {
                self.init[k].fetch_or(want, Relaxed);
            }
        }
    }

    /// Sets the four bits of word `i` to exactly `bits`.
    fn set_init_bits(&self, i: usize, keep: u32, bits: u32) {
        let shift = 4 * (i % 8);
        let _ = self.init[i / 8].fetch_update(Relaxed, Relaxed, |old| {
            Some(old & !(!keep << shift & 15 << shift) | bits << shift)
        });
    }

    /// Content and initialised bits of a page of [`PAGE_WORDS`] words, for the undo log. A page
    /// that was never written is `None`. `room`: memory for the content.
    pub fn save_page(&self, page: usize, room: impl FnOnce() -> Vec<u32>) -> Option<SavedPage> {
        let first = page * PAGE_WORDS;
        let last = (first + PAGE_WORDS).min(self.words.len());
        let mut init = Vec::new();
        if !self.is_all_init() {
            let bits = &self.init[first / 8..last.div_ceil(8)];
            let all = |value: u32| bits.iter().all(|c| c.load(Relaxed) == value);
            if all(0) {
                return None;
            }
            if !all(u32::MAX) {
                init = bits.iter().map(|c| c.load(Relaxed)).collect();
            }
        }
        // By way of some words nearby: the stores to the page, whose lines are far away, are wide
        // ones then, so that more of them are on their way at a time.
        let mut words = room();
        words.clear();
        words.reserve_exact(last - first);
        let mut some = [0; 256];
        for from in self.words[first..last].chunks(some.len()) {
            let some = &mut some[..from.len()];
            some.iter_mut().zip(from).for_each(|(word, from)| *word = from.load(Relaxed));
            words.extend_from_slice(some);
        }
        Some(SavedPage { words, init })
    }

    /// Puts a page back as [`Allocation::save_page`] found it.
    pub fn restore_page(&self, page: usize, saved: Option<&SavedPage>) {
        let first = page * PAGE_WORDS;
        let last = (first + PAGE_WORDS).min(self.words.len());
        let (words, init) = (&self.words[first..last], &self.init[first / 8..last.div_ceil(8)]);
        match saved {
            Some(saved) => {
                words.iter().zip(&saved.words).for_each(|(w, s)| w.store(*s, Relaxed));
                let all = std::iter::repeat(&u32::MAX);
                let bits = saved.init.iter().chain(all);
                init.iter().zip(bits).for_each(|(w, s)| w.store(*s, Relaxed));
            }
            None => {
                words.iter().for_each(|w| w.store(0, Relaxed));
                init.iter().for_each(|w| w.store(0, Relaxed));
            }
        }
    }

    /// Host write of `bytes` at byte `offset`; the range has been checked.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        let mut at = offset as usize;
        let end = at + bytes.len();
        let mut rest = bytes;
        if !at.is_multiple_of(4) {
            let (head, tail) = rest.split_at((4 - at % 4).min(rest.len()));
            for b in head {
                self.store_byte(at, *b, true);
                at += 1;
            }
            rest = tail;
        }
        let (whole, tail) = rest.as_chunks::<4>();
        for (w, chunk) in self.words[at / 4..].iter().zip(whole) {
            w.store(u32::from_le_bytes(*chunk) ^ POISON, Relaxed);
        }
        if !whole.is_empty() {
            self.mark_row(at / 4, whole.len());
        }
        at += 4 * whole.len();
        for b in tail {
            self.store_byte(at, *b, true);
            at += 1;
        }
        if offset == 0 && end as u64 == self.size {
            self.all_init.store(true, Relaxed);
        }
    }

    /// Host read; returns the offset in `out` of the first byte that was never written.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Option<u64> {
        let start = offset as usize;
        let len = out.len();
        let mut at = 0;
        while at < len && !(start + at).is_multiple_of(4) {
            out[at] = self.byte(start + at);
            at += 1;
        }
        let (whole, tail) = out[at..].as_chunks_mut::<4>();
        for (chunk, w) in whole.iter_mut().zip(&self.words[((start + at) / 4).min(self.words())..])
        {
            *chunk = (w.load(Relaxed) ^ POISON).to_le_bytes();
        }
        let tail_at = start + at + 4 * whole.len();
        for (k, b) in tail.iter_mut().enumerate() {
            *b = self.byte(tail_at + k);
        }
        if self.is_all_init() || len == 0 {
            return None;
        }
        let (first, last) = (start.div_ceil(4), (start + len) / 4);
        if last > first && self.is_init_row(first, last - first) {
            let edges = (start..(first * 4).min(start + len)).chain(last * 4..start + len);
            return edges.into_iter().find(|b| !self.is_byte_init(*b)).map(|b| (b - start) as u64);
        }
        (start..start + len).find(|b| !self.is_byte_init(*b)).map(|b| (b - start) as u64)
    }

    /// Copies bytes and their initialised state; ranges may overlap.
    pub fn copy_from(&self, dst: u64, from: &Allocation, src: u64, bytes: u64) {
        let mut content = vec![0; bytes as usize];
        let known = from.read(src, &mut content).is_none();
        if known {
            self.write(dst, &content);
            return;
        }
        let init: Vec<bool> =
            (0..bytes as usize).map(|k| from.is_byte_init(src as usize + k)).collect();
        self.all_init.store(false, Relaxed);
        for (k, (b, init)) in content.into_iter().zip(init).enumerate() {
            self.store_byte(dst as usize + k, b, init);
        }
    }

    /// Writes `pattern` `count` times.
    pub fn fill(&self, offset: u64, pattern: &[u8], count: u64) {
        // Whole patterns up to some size at once, so that the word path of `write` does the work.
        let reps = (65_536 / pattern.len().max(1)).max(1).min(count as usize);
        let chunk = pattern.repeat(reps);
        let end = offset + pattern.len() as u64 * count;
        let mut at = offset;
        while at < end {
            let n = chunk.len().min((end - at) as usize);
            self.write(at, &chunk[..n]);
            at += n as u64;
        }
        if offset == 0 && end == self.size {
            self.all_init.store(true, Relaxed);
        }
    }

    /// Byte `at`.
    pub fn byte(&self, at: usize) -> u8 {
        (self.load(at / 4) >> (8 * (at % 4))) as u8
    }

    fn is_byte_init(&self, at: usize) -> bool {
        self.init_bits(at / 4) >> (at % 4) & 1 == 1
    }

    fn store_byte(&self, at: usize, value: u8, init: bool) {
        let shift = 8 * (at % 4);
        if init {
            self.store_bits(at / 4, u32::from(value) << shift, 0xff << shift);
            self.mark_bits(at / 4, 1 << (at % 4));
        } else {
            self.store_bits(at / 4, POISON, 0xff << shift);
            self.set_init_bits(at / 4, 15 & !(1 << (at % 4)), 0);
        }
    }
}

/// A page of the undo log.
#[derive(Debug)]
pub(crate) struct SavedPage {
    /// As they are stored.
    pub words: Vec<u32>,
    /// Empty if all bytes were written.
    init: Vec<u32>,
}
