//! Memories.

use crate::draft::Draft;
use crate::handles::{Module, Sig};
use crate::ir::{Item, NodeId, Op, Ram as RamData, RamWrite, Rom};
use crate::types::{MAX_WIDTH, Type};

/// Longest memory: beyond this no device of our tables could hold it.
const MAX_DEPTH: usize = 1 << 20;

/// A memory with one write port.
#[derive(Clone, Copy)]
pub struct Ram<'m> {
    module: &'m Module,
    index: usize,
}

impl Module {
    /// A read-only memory: the word of `words` at `address`, at once. There must be 2^w words for
    /// an address of w bits. Put a register behind it for a clocked one: if it is large, tools then
    /// put it into block RAM.
    #[track_caller]
    pub fn rom<'m>(
        &'m self,
        name: &str,
        ty: Type,
        words: &[i64],
        address: impl Into<Sig<'m>>,
    ) -> Sig<'m> {
        self.any_rom(name, ty, words, address.into(), false)
    }

    /// The same, built of LUTs (distributed memory) whatever its size: tools are told so.
    #[track_caller]
    pub fn distributed_rom<'m>(
        &'m self,
        name: &str,
        ty: Type,
        words: &[i64],
        address: impl Into<Sig<'m>>,
    ) -> Sig<'m> {
        self.any_rom(name, ty, words, address.into(), true)
    }

    #[track_caller]
    fn any_rom<'m>(
        &'m self,
        name: &str,
        ty: Type,
        words: &[i64],
        address: Sig<'m>,
        distributed: bool,
    ) -> Sig<'m> {
        let mut draft = self.open();
        draft.claim(name);
        draft.width_ok(ty, name);
        for (i, &word) in words.iter().enumerate() {
            if (1..=MAX_WIDTH).contains(&ty.width) && !ty.holds(word) {
                draft.error(
                    format!("word {i} of ROM `{name}` is {word}, which does not fit {ty}"),
                    "widen the ROM or correct the word",
                );
                break;
            }
        }
        let ok = draft.address_ok(name, address.id, words.len());
        let rom = draft.net.roms.len();
        draft.net.roms.push(Rom { name: name.to_string(), ty, words: words.to_vec(), distributed });
        let op = if ok { Op::RomRead { rom, address: address.id } } else { Op::Poison };
        self.sig(draft.push(op, ty))
    }

    /// A memory of `depth` words (a power of two), all 0 at power-up.
    #[track_caller]
    pub fn ram(&self, name: &str, depth: usize, ty: Type) -> Ram<'_> {
        let mut draft = self.open();
        draft.claim(name);
        draft.width_ok(ty, name);
        let index = draft.net.rams.len();
        if !depth.is_power_of_two() || !(2..=MAX_DEPTH).contains(&depth) {
            draft.error(
                format!("RAM `{name}` has {depth} words"),
                format!("use a power of two from 2 to {MAX_DEPTH}"),
            );
        }
        draft.net.rams.push(RamData { name: name.to_string(), ty, depth, write: None });
        draft.net.items.push(Item::Ram(index));
        Ram { module: self, index }
    }
}

impl Draft {
    #[track_caller]
    fn address_ok(&mut self, memory: &str, address: NodeId, depth: usize) -> bool {
        let ty = self.net.nodes[address].ty;
        let what = self.net.describe(address);
        if self.is_poison(address) {
            return false;
        }
        if ty.signed || ty.width > 20 || 1usize << ty.width != depth {
            let bits = usize::BITS - depth.saturating_sub(1).leading_zeros();
            self.error(
                format!("`{memory}` has {depth} words but its address `{what}` is {ty}"),
                format!(
                    "address {} words with unsigned({}), or fill the memory up to a power of two",
                    depth.next_power_of_two(),
                    bits.max(1)
                ),
            );
            return false;
        }
        true
    }

    #[track_caller]
    fn ram(&self, index: usize) -> (String, Type, usize) {
        let ram = &self.net.rams[index];
        (ram.name.clone(), ram.ty, ram.depth)
    }
}

impl<'m> Ram<'m> {
    /// Stores `data` at `address` at each edge where `enable` is 1.
    #[track_caller]
    pub fn write(
        self,
        enable: impl Into<Sig<'m>>,
        address: impl Into<Sig<'m>>,
        data: impl Into<Sig<'m>>,
    ) {
        let (enable, address, data) = (enable.into(), address.into(), data.into());
        let mut draft = self.module.open();
        let (name, ty, depth) = draft.ram(self.index);
        draft.address_ok(&name, address.id, depth);
        let (et, dt) = (draft.net.nodes[enable.id].ty, draft.net.nodes[data.id].ty);
        if !et.is_bit() {
            draft.error(format!("the write enable of RAM `{name}` is {et}"), "use one plain bit");
        }
        if dt != ty && !draft.is_poison(data.id) {
            let what = draft.net.describe(data.id);
            draft.error(
                format!("RAM `{name}` holds {ty} but `{what}` is {dt}"),
                crate::signal::conversion(dt, ty),
            );
        }
        let write = RamWrite { enable: enable.id, address: address.id, data: data.id };
        if draft.net.rams[self.index].write.replace(write).is_some() {
            draft.error(
                format!("RAM `{name}` has two write ports"),
                "write it in one place; choose address and data with `mux`",
            );
        }
    }

    /// The word at `address`, at once (distributed memory).
    #[track_caller]
    pub fn read_async(self, address: impl Into<Sig<'m>>) -> Sig<'m> {
        let address = address.into();
        let mut draft = self.module.open();
        let (name, ty, depth) = draft.ram(self.index);
        let ok = draft.address_ok(&name, address.id, depth);
        let op = if ok { Op::RamRead { ram: self.index, address: address.id } } else { Op::Poison };
        Sig { module: self.module, id: draft.push(op, ty) }
    }

    /// The word at `address` one clock later, in a register called `name` (block memory). An
    /// address that is written at the same edge reads as before the write.
    #[track_caller]
    pub fn read_sync(self, name: &str, address: impl Into<Sig<'m>>) -> Sig<'m> {
        let word = self.read_async(address);
        let ty = word.ty();
        let reg = self.module.reg(name, ty).no_reset();
        reg.set(word);
        reg.q
    }
}
