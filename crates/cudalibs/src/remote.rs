//! The libraries in a program that a judge has started: tables of functions that ask the judge's
//! ([`crate::judge`]), in place of the vendor's.
//!
//! A question has the vendor's name of the function, the bytes of a scalar, 1 if scalars are in
//! device memory, and the arguments, a word each. The answer's first word is the status; then come
//! the results; a text, if there is one, says why it is not success.

use std::cell::{Cell, RefCell};

use crate::opaque::{Handle, Number};

thread_local! {
    /// Scalars are in device memory.
    static ON_DEVICE: Cell<bool> = const { Cell::new(false) };
    /// The judge was asked, and knows of the call.
    static ASKED: Cell<bool> = const { Cell::new(false) };
    /// Why the last call was refused.
    static WHY: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What has come back, without the status.
#[derive(Default)]
pub struct Back {
    pub words: Vec<u64>,
    pub blobs: Vec<Vec<u8>>,
}

/// A call begins.
pub fn forget() {
    ASKED.set(false);
    WHY.take();
}

/// True if the judge was asked since the call began.
pub fn was_asked() -> bool {
    ASKED.get()
}

/// Why the judge refused.
pub fn why() -> Option<String> {
    WHY.take()
}

/// Asks the judge's libraries: the status, and what has come back.
pub fn ask(name: &str, words: Vec<u64>, blobs: Vec<Vec<u8>>) -> (u32, Back) {
    ASKED.set(true);
    let asked = cuda_driver::library::ask(name, words, blobs);
    let refused = |why: String| {
        WHY.set(Some(why));
        // No library's status.
        (u32::MAX, Back::default())
    };
    match asked {
        Ok((mut words, blobs)) if !words.is_empty() => {
            let status = words.remove(0) as u32;
            if status != 0 {
                let text = blobs.first().map(|text| String::from_utf8_lossy(text).into_owned());
                WHY.set(text);
            }
            (status, Back { words, blobs })
        }
        Ok(_) => refused("the judge's device gave no answer".into()),
        Err(error) => refused(error.line),
    }
}

/// A precision, by the bytes of its numbers.
pub trait Precision {
    const BYTES: usize;
}

impl Precision for f32 {
    const BYTES: usize = 4;
}

impl Precision for f64 {
    const BYTES: usize = 8;
}

/// How an argument crosses.
pub trait Argument: Copy {
    /// Its word. `bytes`: of a scalar.
    ///
    /// # Safety
    /// As for the vendor's function.
    unsafe fn word(self, bytes: usize) -> u64;

    /// Puts a result where the caller wants it; `None` if none came.
    ///
    /// # Safety
    /// As for the vendor's function.
    unsafe fn receive(self, _bytes: usize, _words: &mut std::vec::IntoIter<u64>) -> Option<()> {
        Some(())
    }
}

macro_rules! values {
    ($($ty:ty: $word:expr;)*) => {$(
        impl Argument for $ty {
            unsafe fn word(self, _: usize) -> u64 {
                let word = $word;
                word(self)
            }
        }
    )*};
}

values! {
    i32: |v: i32| i64::from(v).cast_unsigned();
    i64: |v: i64| v.cast_unsigned();
    u32: |v: u32| u64::from(v);
    u64: |v: u64| v;
    usize: |v: usize| v as u64;
    f32: |v: f32| u64::from(v.to_bits());
    f64: |v: f64| v.to_bits();
    Handle: |v: Handle| v as u64;
}

impl Argument for *const Number {
    unsafe fn word(self, bytes: usize) -> u64 {
        if ON_DEVICE.get() {
            return self as u64;
        }
        let mut word = [0; 8];
        // SAFETY: the caller's scalar, of so many bytes.
        unsafe { std::ptr::copy_nonoverlapping(self.cast(), word.as_mut_ptr(), bytes) };
        u64::from_le_bytes(word)
    }
}

impl Argument for *mut Number {
    unsafe fn word(self, _: usize) -> u64 {
        if ON_DEVICE.get() { self as u64 } else { 0 }
    }

    unsafe fn receive(self, bytes: usize, words: &mut std::vec::IntoIter<u64>) -> Option<()> {
        if !ON_DEVICE.get() {
            let word = words.next()?.to_le_bytes();
            // SAFETY: the caller gives room for a scalar.
            unsafe { std::ptr::copy_nonoverlapping(word.as_ptr(), self.cast(), bytes) };
        }
        Some(())
    }
}

macro_rules! results {
    ($($ty:ty: $value:expr;)*) => {$(
        impl Argument for *mut $ty {
            unsafe fn word(self, _: usize) -> u64 {
                0
            }

            unsafe fn receive(self, _: usize, words: &mut std::vec::IntoIter<u64>) -> Option<()> {
                let value = $value;
                // SAFETY: the caller's out-pointer.
                unsafe { self.write(value(words.next()?)) };
                Some(())
            }
        }
    )*};
}

results! {
    i32: |word: u64| word as i32;
    Handle: |word: u64| word as Handle;
}

/// Scalars of this thread's next call are in host (0) or device memory (1): `begin` says so before
/// each.
///
/// # Safety
/// None; the type is the vendor's.
pub unsafe extern "C" fn set_pointer_mode(_: Handle, mode: i32) -> u32 {
    ON_DEVICE.set(mode != 0);
    0
}

/// The first two words of a question.
pub fn head(bytes: usize) -> Vec<u64> {
    vec![bytes as u64, ON_DEVICE.get().into()]
}

/// A function that asks for `$symbol`. Each step of the macro names one argument.
macro_rules! forwarder {
    ($field:ident $symbol:literal [$($arg:ident: $ty:ty,)*]) => {
        unsafe extern "C" fn $field<P: $crate::remote::Precision>($($arg: $ty),*) -> u32 {
            use $crate::remote::{Argument, ask, head};
            let mut words = head(P::BYTES);
            // SAFETY: the caller keeps to the vendor's contract.
            words.extend([$(unsafe { Argument::word($arg, P::BYTES) }),*]);
            let (status, back) = ask($symbol, words, Vec::new());
            if status != 0 {
                return status;
            }
            let mut words = back.words.into_iter();
            // SAFETY: as above.
            let got = unsafe { [$(Argument::receive($arg, P::BYTES, &mut words)),*] };
            // Without its results the call has not succeeded.
            if got.contains(&None) { u32::MAX } else { 0 }
        }
    };
    ($field:ident $symbol:literal [$($done:tt)*] $ty:ty, $($rest:ty,)*) => {
        $crate::remote::forwarder! { $field $symbol [$($done)* arg: $ty,] $($rest,)* }
    };
}
pub(crate) use forwarder;
