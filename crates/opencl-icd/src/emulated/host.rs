//! Memory of the program. In a judge's device it is another process's: what a command takes from
//! there has come with the call, and what it puts there goes back with an answer. Addresses are
//! only names then.

use std::cell::{Cell, RefCell};

use emulation::judge;

use crate::failure::{Done, Failure};

thread_local! {
    /// A judge's device: bytes of the program's memory that came with the call.
    static CAME: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
    /// A judge's device: where the program has room for what is mapped.
    static ROOM: Cell<usize> = const { Cell::new(0) };
    /// A judge's device: bytes for the program, with their addresses there.
    static GOES: RefCell<Vec<(usize, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
}

/// A judge's device: a call begins with this.
pub(crate) fn arrived(bytes: Option<Vec<u8>>, room: usize) {
    CAME.set(bytes);
    ROOM.set(room);
}

/// A judge's device: what goes to the program's memory, in this order. Commands run while a call is
/// answered, so it is the call's thread that has it.
pub(crate) fn leaving() -> Vec<(usize, Vec<u8>)> {
    GOES.take()
}

/// Bytes that a command takes from the program.
pub(super) enum Given {
    /// From this address on, when the command runs.
    Here(usize),
    /// As they were when it was enqueued.
    Sent(Vec<u8>),
}

impl Given {
    /// Of the program's memory at `address`.
    ///
    /// # Errors
    /// A judge's device did not get so many bytes.
    ///
    /// # Safety
    /// `bytes` bytes may be read there until the command is over.
    pub unsafe fn at(address: usize, bytes: u64) -> Done<Given> {
        if !judge::is_one() {
            return Ok(Given::Here(address));
        }
        let came = CAME.take().filter(|came| came.len() as u64 == bytes);
        came.map(Given::Sent).ok_or_else(|| Failure::value("the bytes did not come with the call"))
    }

    /// A part of them; as many as were promised are there.
    pub fn part(&self, offset: u64, bytes: u64) -> &[u8] {
        match self {
            Given::Here(address) => {
                let from = (*address as *const u8).wrapping_add(offset as usize);
                // SAFETY: who made it has promised that they may be read.
                unsafe { std::slice::from_raw_parts(from, bytes as usize) }
            }
            Given::Sent(all) => &all[offset as usize..][..bytes as usize],
        }
    }
}

/// Puts bytes into the program's memory.
///
/// # Safety
/// There is room for them at `address`.
pub(super) unsafe fn put(address: usize, bytes: &[u8]) {
    if !judge::is_one() {
        // SAFETY: the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len());
        }
        return;
    }
    GOES.with_borrow_mut(|goes| match goes.last_mut() {
        Some((first, part)) if first.wrapping_add(part.len()) == address => part.extend(bytes),
        _ => goes.push((address, bytes.to_vec())),
    });
}

/// Room for what is mapped: its address, and the memory, unless it is the program's; 16 bytes each,
/// for their alignment.
///
/// # Errors
/// A judge's device got no address.
pub(super) fn room(bytes: usize) -> Done<(usize, Vec<u128>)> {
    if judge::is_one() {
        return match ROOM.take() {
            0 => Err(Failure::new(cl_sys::CL_MAP_FAILURE, "no memory for the mapping")),
            address => Ok((address, Vec::new())),
        };
    }
    let mut storage = vec![0u128; bytes.div_ceil(size_of::<u128>())];
    Ok((storage.as_mut_ptr() as usize, storage))
}
