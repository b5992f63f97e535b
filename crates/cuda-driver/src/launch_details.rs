//! What the trace keeps of a launch.

use emulation::Symbol;
use emulation::backend::{Chosen, chosen};
use wire::{LaunchCall, ParamCall};

use crate::abi::{Handle, Pointers};
use crate::arguments::{Slot, read};
use crate::{code, emulated, names};

/// Kernel, sizes and arguments of a launch.
///
/// # Safety
/// The pointers are those of a `cuLaunchKernel` call that has not returned to its caller yet.
pub(crate) unsafe fn describe(
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    params: Pointers,
    extra: Pointers,
) -> LaunchCall {
    let kernel = names::kernel_name(function as usize);
    let slots = match chosen() {
        Chosen::Real(_) => real_slots(function),
        _ => emulated::parameter_slots(function),
    };
    // SAFETY: the caller's promise.
    let values = unsafe { read(&kernel, &slots, params, extra) }.unwrap_or_default();
    let params = slots
        .into_iter()
        .zip(values)
        .map(|(slot, bytes)| ParamCall { name: slot.name, type_name: slot.type_name, bytes })
        .collect();
    LaunchCall { kernel, grid, block, shared, params }
}

/// Sizes and offsets as a real driver tells them (since CUDA 12.4); empty if it does not.
fn real_slots(function: Handle) -> Vec<Slot> {
    static SYMBOL: Symbol = Symbol::new("cuFuncGetParamInfo\0");
    type Info = unsafe extern "C" fn(Handle, usize, *mut usize, *mut usize) -> u32;
    let Chosen::Real(library) = chosen() else { return Vec::new() };
    let Some(address) = SYMBOL.address(library) else { return Vec::new() };
    // SAFETY: the driver's function of this name has this signature.
    let info: Info = unsafe { std::mem::transmute(address) };
    let mut slots = Vec::new();
    // A kernel has at most 4 KiB of parameters (32 KiB on the newest devices).
    while slots.len() < 32 << 10 {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: `function` was accepted by a launch; the driver writes two sizes, or refuses an
        // index beyond the last.
        if unsafe { info(function, slots.len(), &mut offset, &mut size) } != code::SUCCESS {
            break;
        }
        slots.push(Slot { name: String::new(), type_name: String::new(), offset, size });
    }
    slots
}
