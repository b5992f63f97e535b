//! The memory of one emulated device: allocations at numeric addresses, far apart, with initialised
//! state per byte.
//!
//! Addresses are numbers in a 47-bit space and never host pointers. Around every allocation lies a
//! red zone at least as large as the allocation and at least 1 MiB, so that an index that runs out
//! of one buffer never falls into another. An address is not used again after `free`, so a stale
//! pointer is told from a good one.

mod host;
mod store;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::fault::Fault;
pub(crate) use compiler::bytecode::{GLOBAL_BASE, LOCAL_BASE, SHARED_BASE, STRING_BASE};
pub(crate) use store::{Allocation, PAGE_WORDS, SavedPage};

const ADDRESS_END: u64 = 1 << 47;
const ALIGN: u64 = 512;
const MIN_RED_ZONE: u64 = 1 << 20;
/// Freed allocations that are remembered by name.
const REMEMBERED: usize = 4096;

/// What the memory refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// An allocation does not fit.
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes in use.
        used: u64,
        /// Bytes of the device.
        capacity: u64,
    },
    /// An allocation of 0 bytes.
    ZeroSize,
    /// No allocation begins at (for `free`) or contains (else) this address.
    NoAllocation {
        /// Address.
        address: u64,
    },
    /// The allocation was freed before.
    Freed {
        /// Address.
        address: u64,
        /// Its name.
        name: String,
    },
    /// The range leaves its allocation.
    OutOfRange {
        /// Name of the allocation.
        name: String,
        /// First byte of the range, counted from the start of the allocation.
        offset: u64,
        /// Length of the range in bytes.
        bytes: u64,
        /// Size of the allocation in bytes.
        size: u64,
    },
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryError::OutOfMemory { requested, used, capacity } => write!(
                f,
                "out of device memory: {requested} bytes asked for, {} of {capacity} bytes free",
                capacity - used
            ),
            MemoryError::ZeroSize => f.write_str("an allocation needs at least 1 byte"),
            MemoryError::NoAllocation { address } => {
                write!(f, "no allocation at address {address:#x}")
            }
            MemoryError::Freed { address, name } => {
                write!(f, "`{name}` at {address:#x} was freed before")
            }
            MemoryError::OutOfRange { name, offset, bytes, size } => write!(
                f,
                "bytes {offset}..{} of `{name}` asked for, but it has {size} bytes",
                offset.saturating_add(*bytes)
            ),
        }
    }
}

impl std::error::Error for MemoryError {}

/// What is known of the bytes that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadState {
    /// Offset, from the start of the range, of the first byte that nobody had written.
    pub first_unwritten: Option<u64>,
}

/// An allocation, for people and for bookkeeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocationInfo {
    /// First address.
    pub base: u64,
    /// Bytes.
    pub size: u64,
    /// Name for messages.
    pub name: String,
}

impl AllocationInfo {
    fn of(allocation: &Allocation) -> AllocationInfo {
        AllocationInfo { base: allocation.base, size: allocation.size, name: allocation.name() }
    }
}

/// The memory of one device. All methods may be called from several threads.
#[derive(Debug)]
pub struct Memory {
    capacity: u64,
    table: RwLock<Table>,
}

#[derive(Debug)]
struct Table {
    live: BTreeMap<u64, Arc<Allocation>>,
    freed: BTreeMap<u64, (u64, String)>,
    next: u64,
    used: u64,
}

/// Where an address lies that no live allocation contains.
#[derive(Clone, Debug)]
pub(crate) enum Near {
    /// In the red zone of a live allocation.
    Live(Arc<Allocation>),
    /// In a freed allocation or its red zone: base, size, name.
    Freed(u64, u64, String),
    /// Nowhere near anything.
    Nothing,
}

fn red_zone(size: u64) -> u64 {
    size.next_multiple_of(ALIGN).max(MIN_RED_ZONE)
}

impl Memory {
    /// An empty memory of `capacity` bytes. Host memory is taken only for what is written.
    pub fn new(capacity: u64) -> Memory {
        let table =
            Table { live: BTreeMap::new(), freed: BTreeMap::new(), next: GLOBAL_BASE, used: 0 };
        Memory { capacity, table: RwLock::new(table) }
    }

    fn table(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn table_mut(&self) -> RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Allocates `bytes` bytes that count as never written; the address is a multiple of 512.
    ///
    /// # Errors
    /// If the device has not enough memory left, or for 0 bytes.
    pub fn alloc(&self, bytes: u64, name: &str) -> Result<u64, MemoryError> {
        self.alloc_in(bytes, name, false)
    }

    /// As [`Memory::alloc`], perhaps in constant memory, which kernels cannot write.
    pub(crate) fn alloc_in(
        &self,
        bytes: u64,
        name: &str,
        constant: bool,
    ) -> Result<u64, MemoryError> {
        if bytes == 0 {
            return Err(MemoryError::ZeroSize);
        }
        let mut table = self.table_mut();
        let no_room = MemoryError::OutOfMemory {
            requested: bytes,
            used: table.used,
            capacity: self.capacity,
        };
        if bytes > self.capacity - table.used {
            return Err(no_room);
        }
        if bytes > ADDRESS_END {
            return Err(no_room);
        }
        let zone = red_zone(bytes);
        let base = (table.next + zone).next_multiple_of(ALIGN);
        let next = base + bytes.next_multiple_of(ALIGN) + zone;
        if next > ADDRESS_END {
            return Err(no_room);
        }
        let Some(allocation) = Allocation::new(base, bytes, name, constant) else {
            return Err(no_room);
        };
        table.next = next;
        table.used += bytes;
        table.live.insert(base, Arc::new(allocation));
        Ok(base)
    }

    /// Gives the allocation at `base` another name; does nothing if there is none.
    pub fn rename(&self, base: u64, name: &str) {
        if let Some(allocation) = self.table().live.get(&base) {
            allocation.rename(name);
        }
    }

    /// Frees the allocation that begins at `base`.
    ///
    /// # Errors
    /// If it was freed before, or no allocation begins there.
    pub fn free(&self, base: u64) -> Result<(), MemoryError> {
        let mut table = self.table_mut();
        let Some(allocation) = table.live.remove(&base) else {
            return Err(match table.freed.get(&base) {
                Some((_, name)) => MemoryError::Freed { address: base, name: name.clone() },
                None => MemoryError::NoAllocation { address: base },
            });
        };
        table.used -= allocation.size;
        if table.freed.len() >= REMEMBERED {
            table.freed.pop_first();
        }
        table.freed.insert(base, (allocation.size, allocation.name()));
        Ok(())
    }

    /// Writes `bytes` at `dst`.
    ///
    /// # Errors
    /// If the range does not lie in one allocation.
    pub fn write(&self, dst: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let allocation = self.range(dst, bytes.len() as u64)?;
        allocation.write(dst - allocation.base, bytes);
        Ok(())
    }

    /// Reads `out.len()` bytes at `src`. Never-written bytes read as a fixed pattern and are
    /// reported.
    ///
    /// # Errors
    /// If the range does not lie in one allocation.
    pub fn read(&self, src: u64, out: &mut [u8]) -> Result<ReadState, MemoryError> {
        let allocation = self.range(src, out.len() as u64)?;
        Ok(ReadState { first_unwritten: allocation.read(src - allocation.base, out) })
    }

    /// Copies `bytes` bytes; bytes never written stay so. The ranges may overlap.
    ///
    /// # Errors
    /// If a range does not lie in one allocation.
    pub fn copy(&self, dst: u64, src: u64, bytes: u64) -> Result<(), MemoryError> {
        let from = self.range(src, bytes)?;
        let to = self.range(dst, bytes)?;
        to.copy_from(dst - to.base, &from, src - from.base, bytes);
        Ok(())
    }

    /// Writes `pattern` `count` times in a row.
    ///
    /// # Errors
    /// If the range does not lie in one allocation.
    pub fn fill(&self, dst: u64, pattern: &[u8], count: u64) -> Result<(), MemoryError> {
        let bytes = (pattern.len() as u64).saturating_mul(count);
        let allocation = self.range(dst, bytes)?;
        allocation.fill(dst - allocation.base, pattern, count);
        Ok(())
    }

    /// Where an undefined value in the range came from, if a kernel has stored one there that it
    /// made of memory that nobody had written: the fault of reading that. For those who take
    /// results to the host.
    pub fn origin(&self, addr: u64, bytes: u64) -> Option<Fault> {
        let allocation = self.containing(addr)?;
        let start = addr - allocation.base;
        allocation.origin(start..start.saturating_add(bytes))
    }

    /// The allocation that contains `addr`.
    pub fn find(&self, addr: u64) -> Option<AllocationInfo> {
        self.containing(addr).map(|a| AllocationInfo::of(&a))
    }

    /// All live allocations by address, those of module variables included.
    pub fn allocations(&self) -> Vec<AllocationInfo> {
        self.table().live.values().map(|a| AllocationInfo::of(a)).collect()
    }

    /// Bytes allocated.
    pub fn used(&self) -> u64 {
        self.table().used
    }

    /// Bytes of the device.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    fn containing(&self, addr: u64) -> Option<Arc<Allocation>> {
        let table = self.table();
        let (_, allocation) = table.live.range(..=addr).next_back()?;
        (addr - allocation.base < allocation.size).then(|| Arc::clone(allocation))
    }

    /// The allocation that contains the whole range. An empty range may stand at the end.
    fn range(&self, addr: u64, bytes: u64) -> Result<Arc<Allocation>, MemoryError> {
        let near = match self.containing(addr) {
            Some(allocation) => Near::Live(allocation),
            None => self.near(addr),
        };
        match near {
            Near::Live(a) => {
                if addr >= a.base && bytes <= a.size.saturating_sub(addr - a.base) {
                    return Ok(a);
                }
                let offset = addr.wrapping_sub(a.base);
                if addr < a.base || offset > a.size {
                    return Err(MemoryError::NoAllocation { address: addr });
                }
                Err(MemoryError::OutOfRange { name: a.name(), offset, bytes, size: a.size })
            }
            Near::Freed(base, size, name) if addr >= base && addr - base < size => {
                Err(MemoryError::Freed { address: addr, name })
            }
            _ => Err(MemoryError::NoAllocation { address: addr }),
        }
    }

    /// What lies around an address outside all live allocations.
    pub(crate) fn near(&self, addr: u64) -> Near {
        let table = self.table();
        let before = table.live.range(..=addr).next_back().map(|(_, a)| a);
        let after = table.live.range(addr..).next().map(|(_, a)| a);
        let freed = table.freed.range(..=addr).next_back();
        if let Some((base, (size, name))) = freed
            && addr - base < *size
        {
            return Near::Freed(*base, *size, name.clone());
        }
        if let Some(a) = before
            && addr - a.base <= a.size + red_zone(a.size)
        {
            return Near::Live(Arc::clone(a));
        }
        if let Some(a) = after
            && a.base - addr <= red_zone(a.size)
        {
            return Near::Live(Arc::clone(a));
        }
        if let Some((base, (size, name))) = freed
            && addr - base <= size + red_zone(*size)
        {
            return Near::Freed(*base, *size, name.clone());
        }
        Near::Nothing
    }

    /// All live allocations in the order of their addresses: what a launch sees.
    pub(crate) fn snapshot(&self) -> Vec<Arc<Allocation>> {
        self.table().live.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_aligned_and_far_apart() {
        let memory = Memory::new(1 << 30);
        let mut spans = Vec::new();
        for bytes in [1, 511, 4096, 5 << 20, 12] {
            let base = memory.alloc(bytes, "x").unwrap();
            assert_eq!(base % 512, 0);
            spans.push((base, bytes));
        }
        for (i, (a, n)) in spans.iter().enumerate() {
            for (b, m) in &spans[i + 1..] {
                let gap = b - (a + n);
                assert!(gap >= *n && gap >= *m && gap >= 1 << 20);
            }
        }
    }

    #[test]
    fn bytes_come_back_and_unwritten_ones_are_told() {
        let memory = Memory::new(1 << 20);
        let p = memory.alloc(10, "p").unwrap();
        memory.write(p + 1, &[1, 2, 3, 4, 5, 6]).unwrap();
        let mut out = [0; 8];
        let state = memory.read(p + 1, &mut out).unwrap();
        assert_eq!(out[..6], [1, 2, 3, 4, 5, 6]);
        assert_eq!(state.first_unwritten, Some(6));
        assert_eq!(memory.read(p + 2, &mut out[..3]).unwrap().first_unwritten, None);
        assert_eq!(memory.read(p, &mut out[..3]).unwrap().first_unwritten, Some(0));
    }

    #[test]
    fn ranges_outside_are_refused_with_the_name() {
        let memory = Memory::new(1 << 20);
        let p = memory.alloc(10, "p").unwrap();
        let error = memory.write(p + 8, &[0; 3]).unwrap_err();
        assert_eq!(error.to_string(), "bytes 8..11 of `p` asked for, but it has 10 bytes");
        assert!(matches!(memory.write(p - 1, &[0]), Err(MemoryError::NoAllocation { .. })));
        assert!(memory.write(p + 10, &[]).is_ok());
    }

    #[test]
    fn freeing_twice_and_using_freed_memory_are_errors() {
        let memory = Memory::new(1 << 20);
        let p = memory.alloc(10, "p").unwrap();
        assert_eq!(memory.used(), 10);
        memory.free(p).unwrap();
        assert_eq!(memory.used(), 0);
        assert_eq!(memory.free(p), Err(MemoryError::Freed { address: p, name: "p".into() }));
        assert!(matches!(memory.write(p, &[1]), Err(MemoryError::Freed { .. })));
        assert_eq!(memory.free(p + 512), Err(MemoryError::NoAllocation { address: p + 512 }));
    }

    #[test]
    fn capacity_is_kept() {
        let memory = Memory::new(100);
        let p = memory.alloc(60, "p").unwrap();
        let error = memory.alloc(41, "q").unwrap_err();
        assert_eq!(error, MemoryError::OutOfMemory { requested: 41, used: 60, capacity: 100 });
        memory.free(p).unwrap();
        assert!(memory.alloc(100, "q").is_ok());
        assert_eq!(memory.alloc(0, "z"), Err(MemoryError::ZeroSize));
        let endless = Memory::new(u64::MAX);
        assert!(matches!(endless.alloc(u64::MAX, "e"), Err(MemoryError::OutOfMemory { .. })));
    }

    #[test]
    fn copy_keeps_what_was_never_written() {
        let memory = Memory::new(1 << 20);
        let p = memory.alloc(64, "p").unwrap();
        let q = memory.alloc(64, "q").unwrap();
        memory.write(p + 3, &[7; 9]).unwrap();
        memory.copy(q + 5, p, 20).unwrap();
        let mut out = [0; 9];
        assert_eq!(memory.read(q + 8, &mut out).unwrap().first_unwritten, None);
        assert_eq!(out, [7; 9]);
        assert_eq!(memory.read(q + 5, &mut out).unwrap().first_unwritten, Some(0));
        // overlapping, both ways
        memory.write(p, &(0..20).collect::<Vec<u8>>()).unwrap();
        memory.copy(p + 2, p, 10).unwrap();
        let mut out = [0; 12];
        memory.read(p, &mut out).unwrap();
        assert_eq!(out, [0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn fill_repeats_the_pattern() {
        let memory = Memory::new(1 << 20);
        let p = memory.alloc(64, "p").unwrap();
        memory.fill(p + 1, &[1, 2, 3], 4).unwrap();
        let mut out = [0; 12];
        memory.read(p + 1, &mut out).unwrap();
        assert_eq!(out, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
        let error = memory.fill(p + 1, &[0; 8], u64::MAX / 4).unwrap_err();
        assert!(error.to_string().starts_with("bytes 1..18446744073709551615 of `p`"));
    }
}
