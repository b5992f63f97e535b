//! What the program holds: `clRetain...` and `clRelease...` of all objects.

use std::os::raw::c_void;

use super::state::{State, emulated};
use crate::failure::Done;

/// Finds an object of one type by its handle.
type Find<T> = fn(&State, usize) -> Done<&T>;

/// The program holds an object once more.
///
/// # Errors
/// It is none of this type.
pub(super) fn retain<T>(object: *mut c_void, find: Find<T>) -> Done {
    let mut state = emulated()?.lock();
    find(&state, object as usize)?;
    state.retain(object as usize);
    Ok(())
}

/// The program holds an object once less; nobody holds it any more: it is gone.
///
/// # Errors
/// It is none of this type.
pub(super) fn release<T>(object: *mut c_void, find: Find<T>) -> Done {
    let emulated = emulated()?;
    let mut state = emulated.lock();
    find(&state, object as usize)?;
    state.release(emulated, object as usize);
    Ok(())
}
