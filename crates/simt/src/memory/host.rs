//! What a driver needs beyond allocating and copying: memory at addresses that the host chose, and
//! questions about ranges.

use std::sync::Arc;

use super::{ALIGN, Allocation, GLOBAL_BASE, Memory, MemoryError};

impl Memory {
    /// As [`Memory::alloc`], at an address that the caller chose: managed and pinned host memory
    /// has the same addresses on host and device. Nothing keeps neighbours at a distance here; the
    /// caller must.
    ///
    /// # Errors
    /// Without room, or if the range meets another allocation or addresses that are not global
    /// memory.
    pub fn alloc_at(&self, base: u64, bytes: u64, name: &str) -> Result<(), MemoryError> {
        if bytes == 0 {
            return Err(MemoryError::ZeroSize);
        }
        let mut table = self.table_mut();
        let no_room = MemoryError::OutOfMemory {
            requested: bytes,
            used: table.used,
            capacity: self.capacity,
        };
        let end = base.checked_add(bytes).filter(|_| base >= GLOBAL_BASE);
        let Some(end) = end.filter(|_| bytes <= self.capacity - table.used) else {
            return Err(no_room);
        };
        let before = table.live.range(..end).next_back();
        if before.is_some_and(|(_, a)| a.base + a.size > base)
            || (base < table.next && end + ALIGN > table.next)
        {
            return Err(no_room);
        }
        let Some(allocation) = Allocation::new(base, bytes, name, false) else {
            return Err(no_room);
        };
        table.used += bytes;
        table.freed.remove(&base);
        table.live.insert(base, Arc::new(allocation));
        Ok(())
    }

    /// Whether `bytes` bytes from `addr` lie within one allocation.
    ///
    /// # Errors
    /// They do not; the error says why.
    pub fn check(&self, addr: u64, bytes: u64) -> Result<(), MemoryError> {
        self.range(addr, bytes).map(drop)
    }

    /// Name of the allocation that began at `base` and was freed.
    pub fn freed(&self, base: u64) -> Option<String> {
        self.table().freed.get(&base).map(|(_, name)| name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_can_be_had_at_a_chosen_address() {
        let memory = Memory::new(1 << 20);
        let base = 0x7000_0000_1000;
        memory.alloc_at(base, 100, "m").unwrap();
        memory.write(base + 96, &[1, 2, 3, 4]).unwrap();
        assert_eq!(memory.find(base + 99).unwrap().name, "m");
        assert!(memory.alloc_at(base + 99, 8, "n").is_err());
        assert!(memory.alloc_at(base - 4, 5, "n").is_err());
        assert!(memory.alloc_at(16, 8, "n").is_err());
        assert!(memory.alloc_at(base + 100, 1 << 20, "n").is_err());
        memory.alloc_at(base + 100, 8, "n").unwrap();
        memory.free(base).unwrap();
        assert_eq!(memory.freed(base).as_deref(), Some("m"));
        memory.alloc_at(base, 100, "again").unwrap();
        assert_eq!(memory.freed(base), None);
        assert_eq!(memory.used(), 108);
    }

    #[test]
    fn a_range_is_checked_as_a_whole() {
        let memory = Memory::new(1 << 20);
        let p = memory.alloc(10, "p").unwrap();
        assert!(memory.check(p + 2, 8).is_ok());
        assert!(memory.check(p + 2, 9).is_err());
    }
}
