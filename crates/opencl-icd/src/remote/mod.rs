//! The platform on a judge's device: the program's side ([`program`]) asks by [`wire::channel`], the
//! judge's side ([`judge`]) makes the same call of the emulated platform in its own process, where
//! all objects are.
//!
//! Each parameter crosses as a word: a value, or whether a pointer is null. What a pointer leads to
//! follows from the parameter's [`Shape`], and the judge counts how much that is by its own means.
//! Memory of the program crosses with the command that takes it from there, and what a command puts
//! there with the answer to the call in which it ran ([`crate::emulated::host`]).

pub mod judge;
pub(crate) mod program;

use std::os::raw::{c_char, c_void};

use cl_sys::cl_image_format;

use crate::api::{ContextNotify, EventNotify, Notify};

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
    true: *const c_void *mut *mut c_void *const *mut c_void *mut u32 *mut i32 *mut usize *const usize
    *const isize *const c_char *mut c_char *const *const c_char *const *const u8
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
    ContextNotify: judge::TELL_CONTEXT;
    EventNotify: judge::TELL_EVENT;
    Notify: judge::TELL_OBJECT;
}

/// What a parameter stands for, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// The word itself.
    Value,
    /// Memory that the function reads: as many elements of that size as the value of another
    /// parameter says.
    Takes { count: Count, size: usize },
    /// Text that ends in NUL.
    Text,
    /// A list of texts; the parameter before says how many.
    Texts,
    /// A list of words that ends in 0.
    UntilZero,
    /// Room for as many elements as the parameter before says; the one behind is told how many
    /// there are.
    Room { size: usize },
    /// A number or handle that the function gives back.
    Gives { size: usize },
    /// A function of the program, which is called with the next parameter.
    Callback,
    /// What the emulated platform does not look at.
    Nothing,
}

/// How many elements there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Fixed(usize),
    /// As the parameter before says.
    Before,
    /// As the parameter behind says.
    Behind,
    /// As the third parameter says, and not more than three.
    Dimensions,
}

/// Most bytes of a [`Room`](Shape::Room).
const MOST_ROOM: usize = 64 << 20;

impl Shape {
    fn of(name: &str, pointer: bool) -> Shape {
        use Count::{Before, Behind, Dimensions, Fixed};
        let takes = |count, size| Shape::Takes { count, size };
        match name {
            "param_value" => Shape::Room { size: 1 },
            _ if !pointer => Shape::Value,
            // A command takes from there, or puts something there.
            "ptr" | "host_ptr" => Shape::Value,
            "platforms" | "devices" | "kernels" | "image_formats" => Shape::Room { size: 8 },
            "event" | "param_value_size_ret" => Shape::Gives { size: 8 },
            "num_platforms" | "num_devices" | "num_kernels_ret" | "num_image_formats" => {
                Shape::Gives { size: 4 }
            }
            "device_list" | "mem_objects" | "event_list" | "event_wait_list" => takes(Before, 8),
            "properties" => Shape::UntilZero,
            "buffer_create_info" => takes(Fixed(16), 1),
            "arg_value" => takes(Before, 1),
            "pattern" => takes(Behind, 1),
            "region" | "buffer_origin" | "host_origin" | "src_origin" | "dst_origin" => {
                takes(Fixed(3), 8)
            }
            "global_work_offset" | "global_work_dims" | "local_work_dims" => takes(Dimensions, 8),
            "options" | "kernel_name" => Shape::Text,
            "strings" => Shape::Texts,
            "pfn_notify" => Shape::Callback,
            _ => Shape::Nothing,
        }
    }
}

/// Bytes behind the parameter `at` of a call with these words, if it takes so many.
fn taken(words: &[u64], at: usize, count: Count, size: usize) -> Option<usize> {
    let count = match count {
        Count::Fixed(count) => count,
        Count::Before => usize::try_from(*words.get(at.checked_sub(1)?)?).ok()?,
        Count::Behind => usize::try_from(*words.get(at + 1)?).ok()?,
        Count::Dimensions => (*words.get(2)?).min(3) as usize,
    };
    count.checked_mul(size)
}
