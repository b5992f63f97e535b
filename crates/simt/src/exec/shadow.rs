//! Data races in shared and global memory.

use super::access::Lanes;
use super::block::{Warp, Worker};
use super::fault::Raise;
use super::world::World;
use crate::bytecode::MemInfo;

/// Last accesses to each granule of shared memory.
#[derive(Debug, Default)]
pub(crate) struct SharedShadow {}

/// Stamps for accesses to global memory.
#[derive(Debug, Default)]
pub(crate) struct GlobalClock {}

/// A word whose accesses are noted.
#[derive(Debug)]
pub(crate) struct Watch {}

impl SharedShadow {
    pub fn new(_: &World<'_>) -> SharedShadow {
        SharedShadow::default()
    }
    pub fn next_block(&mut self) {}
    pub fn barrier(&mut self) {}
}

impl GlobalClock {
    pub fn next_block(&mut self) {}
    pub fn barrier(&mut self) {}
}

impl Worker<'_> {
    pub fn watch(&mut self, _: u64) {}
    pub(crate) fn race_row(
        &mut self,
        _: &Warp,
        _: &MemInfo,
        _: usize,
        _: u64,
        _: bool,
    ) -> Result<(), Box<Raise>> {
        Ok(())
    }
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn race_lanes(
        &mut self,
        _: &Warp,
        _: &MemInfo,
        _: usize,
        _: &Lanes,
        _mask: u32,
        _write: bool,
        _atomic: bool,
    ) -> Result<(), Box<Raise>> {
        Ok(())
    }
    pub(crate) fn shared_race_row(
        &mut self,
        _: &Warp,
        _: &MemInfo,
        _: u64,
        _: bool,
    ) -> Result<(), Box<Raise>> {
        Ok(())
    }
    pub(crate) fn shared_race_lanes(
        &mut self,
        _: &Warp,
        _: &MemInfo,
        _: &Lanes,
        _write: bool,
        _atomic: bool,
    ) -> Result<(), Box<Raise>> {
        Ok(())
    }
    /// Accesses of the warp up to now come before those after.
    pub(crate) fn warp_synchronised(&mut self, _: &mut Warp) {}
    pub(crate) fn fenced(&mut self, _: &Warp) {}
}
