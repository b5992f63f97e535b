//! Parameters of the exported functions as words.

use std::os::raw::{c_char, c_void};

use cl_sys::cl_image_format;

use super::told;
use crate::notify::{ContextNotify, EventNotify, Notify};

/// A parameter of an exported function.
pub(crate) trait Parameter: Copy {
    /// It leads somewhere; else it is a number, a handle, or an address that only names a place.
    const POINTER: bool;
    /// As a number.
    fn word(self) -> u64;
    /// What [`word`](Parameter::word) was made of.
    fn of(word: u64) -> Self;
    /// The argument of the judge's call, which must not be a function of the program.
    fn judged(word: u64) -> Self {
        Self::of(word)
    }
}

macro_rules! parameters {
    ($pointer:literal: $($ty:ty)*) => {$(
        impl Parameter for $ty {
            const POINTER: bool = $pointer;
            fn word(self) -> u64 {
                self as u64
            }
            fn of(word: u64) -> $ty {
                word as $ty
            }
        }
    )*};
}

parameters! { false: u32 i32 u64 usize *mut c_void }
parameters! {
    true: *const c_void *mut *mut c_void *const *mut c_void *mut u32 *mut i32 *mut usize
    *const usize *const isize *const c_char *mut c_char *const *const c_char *const *const u8
    *mut cl_image_format
}

macro_rules! functions {
    ($($ty:ty: $judged:expr;)*) => {$(
        impl Parameter for $ty {
            const POINTER: bool = true;
            fn word(self) -> u64 {
                self.map_or(0, |function| function as usize as u64)
            }
            fn of(word: u64) -> $ty {
                // SAFETY: null is `None`; anything else was a function of this type.
                unsafe { std::mem::transmute(word as usize) }
            }
            fn judged(word: u64) -> $ty {
                if word == 0 { None } else { $judged }
            }
        }
    )*};
}

functions! {
    ContextNotify: told::TELL_CONTEXT;
    EventNotify: told::TELL_EVENT;
    Notify: told::TELL_OBJECT;
}
