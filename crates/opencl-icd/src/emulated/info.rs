//! Answers to questions: the bytes of a value, written as far as the caller has room.

use std::os::raw::{c_char, c_void};

use crate::failure::{Done, Failure};

/// The bytes of an answer.
pub(super) struct Answer(Vec<u8>);

macro_rules! number {
    ($($ty:ty)*) => {
        $(impl From<$ty> for Answer {
            fn from(value: $ty) -> Answer {
                Answer(value.to_ne_bytes().to_vec())
            }
        })*
    };
}

number!(u32 i32 u64 usize isize);

impl From<bool> for Answer {
    /// A `cl_bool`.
    fn from(value: bool) -> Answer {
        u32::from(value).into()
    }
}

impl From<&str> for Answer {
    /// Text with the NUL at its end.
    fn from(text: &str) -> Answer {
        Answer([text.as_bytes(), b"\0"].concat())
    }
}

impl From<&[usize]> for Answer {
    fn from(list: &[usize]) -> Answer {
        Answer(list.iter().flat_map(|n| n.to_ne_bytes()).collect())
    }
}

impl From<&[isize]> for Answer {
    fn from(list: &[isize]) -> Answer {
        Answer(list.iter().flat_map(|n| n.to_ne_bytes()).collect())
    }
}

/// Where the answer to a question goes: `param_value_size`, `param_value`, `param_value_size_ret`.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub size: usize,
    pub at: *mut c_void,
    pub size_ret: *mut usize,
}

impl Room {
    /// Gives the answer.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` if there is too little room.
    ///
    /// # Safety
    /// `at` is null or has room for `size` bytes; `size_ret` is null or may be written.
    pub unsafe fn give(self, answer: impl Into<Answer>) -> Done {
        let Answer(bytes) = answer.into();
        if !self.at.is_null() {
            if self.size < bytes.len() {
                return Err(Failure::value(format!(
                    "the answer has {} bytes, but there is room for {}",
                    bytes.len(),
                    self.size
                )));
            }
            // SAFETY: room for `size` bytes, which suffices.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at.cast(), bytes.len()) };
        }
        if !self.size_ret.is_null() {
            // SAFETY: the caller's out-pointer.
            unsafe { self.size_ret.write_unaligned(bytes.len()) };
        }
        Ok(())
    }
}

/// Gives a list of objects as the functions with `num_entries` do: as many as there is room for,
/// and their number.
///
/// # Errors
/// `CL_INVALID_VALUE` if nothing is asked, or a list without room.
///
/// # Safety
/// `at` is null or has room for `room` entries; `number` is null or may be written.
pub(crate) unsafe fn give_list(
    list: &[usize],
    room: u32,
    at: *mut *mut c_void,
    number: *mut u32,
) -> Done {
    if at.is_null() && number.is_null() {
        return Err(Failure::value("neither a list nor a number is asked for"));
    }
    if !at.is_null() && room == 0 {
        return Err(Failure::value("a list with room for 0 entries"));
    }
    if !at.is_null() {
        for (i, handle) in list.iter().take(room as usize).enumerate() {
            // SAFETY: one of `room` entries.
            unsafe { at.add(i).write_unaligned(*handle as *mut c_void) };
        }
    }
    if !number.is_null() {
        // SAFETY: the caller's out-pointer.
        unsafe { number.write_unaligned(list.len() as u32) };
    }
    Ok(())
}

/// A list of the caller.
///
/// # Errors
/// `CL_INVALID_VALUE` if only one of list and number is there.
///
/// # Safety
/// `list` is null or has `count` entries.
pub(super) unsafe fn list<T: Copy>(what: &str, list: *const T, count: u32) -> Done<Vec<T>> {
    if list.is_null() != (count == 0) {
        return Err(Failure::value(format!(
            "{what}: a list and its length {count} that do not fit"
        )));
    }
    // SAFETY: the caller's list of `count` entries.
    Ok((0..count as usize).map(|i| unsafe { list.add(i).read_unaligned() }).collect())
}

/// Three sizes of the caller.
///
/// # Errors
/// `CL_INVALID_VALUE` for a null pointer.
///
/// # Safety
/// `at` is null or has three entries.
pub(super) unsafe fn three(what: &str, at: *const usize) -> Done<[u64; 3]> {
    if at.is_null() {
        return Err(Failure::value(format!("{what} is null")));
    }
    // SAFETY: three entries.
    Ok([0, 1, 2].map(|i| unsafe { at.add(i).read_unaligned() } as u64))
}

/// Text of the caller.
///
/// # Safety
/// `text` is null or ends in NUL.
pub(super) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: ends in NUL.
    unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
