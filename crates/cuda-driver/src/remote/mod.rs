//! The driver on a judge's device: the program's side ([`program`]) asks by [`wire::channel`], the
//! judge's side ([`judge`]) makes the same call of the emulated driver in its own process, where
//! all state is.
//!
//! How a call crosses follows from the types of its parameters ([`Cross`]); what a pointer to the
//! program's memory stands for is said by hand. Memory that both touch (managed, pinned,
//! registered) lies in the program; the judge has a copy of each such block. A call that names an
//! address in one, and a launch for all managed ones, carries the block's bytes there, and back if
//! they have changed.

pub mod judge;
pub(crate) mod program;

use std::ffi::CString;
use std::os::raw::{c_char, c_void};

use emulation::remote::{Arrived, Parcel};

use crate::abi::Copy2d;

/// How a parameter crosses to the judge and back. The judge never follows a pointer that has
/// crossed: what a parameter points at is a [`Slot`](Cross::Slot) of the judge's own.
pub(crate) trait Cross: Copy {
    /// The parameter on the judge's side.
    type Slot;
    /// Program: what the judge must know.
    ///
    /// # Safety
    /// As for the driver's function.
    unsafe fn send<'a>(self, to: &mut Parcel<std::borrow::Cow<'a, [u8]>>);
    /// Program: writes what came back where the caller wants it; `None` if nothing came.
    ///
    /// # Safety
    /// As for the driver's function.
    unsafe fn receive(self, from: &mut Arrived) -> Option<()>;
    /// Judge: takes what was sent; `None` if it is not there.
    fn slot(from: &mut Arrived) -> Option<Self::Slot>;
    /// Judge: the argument of the call.
    fn pass(slot: &mut Self::Slot) -> Self;
    /// Judge: what goes back.
    fn answer(slot: Self::Slot, to: &mut Parcel);
}

macro_rules! values {
    ($($ty:ty)*) => {$(
        impl Cross for $ty {
            type Slot = $ty;
            unsafe fn send<'a>(self, to: &mut Parcel<std::borrow::Cow<'a, [u8]>>) {
                to.words.push(self as u64);
            }
            unsafe fn receive(self, _: &mut Arrived) -> Option<()> {
                Some(())
            }
            fn slot(from: &mut Arrived) -> Option<$ty> {
                Some(from.word()? as $ty)
            }
            fn pass(slot: &mut $ty) -> $ty {
                *slot
            }
            fn answer(_: $ty, _: &mut Parcel) {}
        }
    )*};
}

values! { u8 u16 u32 i32 u64 usize }

/// A handle, or an address that is only looked up.
impl Cross for *mut c_void {
    type Slot = u64;
    unsafe fn send<'a>(self, to: &mut Parcel<std::borrow::Cow<'a, [u8]>>) {
        to.words.push(self as u64);
    }
    unsafe fn receive(self, _: &mut Arrived) -> Option<()> {
        Some(())
    }
    fn slot(from: &mut Arrived) -> Option<u64> {
        from.word()
    }
    fn pass(slot: &mut u64) -> *mut c_void {
        *slot as *mut c_void
    }
    fn answer(_: u64, _: &mut Parcel) {}
}

macro_rules! results {
    ($($ty:ty: $from:expr, $to:expr;)*) => {$(
        impl Cross for *mut $ty {
            type Slot = Option<$ty>;
            unsafe fn send<'a>(self, to: &mut Parcel<std::borrow::Cow<'a, [u8]>>) {
                to.words.push(u64::from(!self.is_null()));
            }
            unsafe fn receive(self, from: &mut Arrived) -> Option<()> {
                let word = from.word()?;
                if !self.is_null() {
                    let value = $from;
                    // SAFETY: the caller's out-pointer, not null.
                    unsafe { self.write_unaligned(value(word)) };
                }
                Some(())
            }
            fn slot(from: &mut Arrived) -> Option<Option<$ty>> {
                let value = $from;
                Some((from.word()? != 0).then(|| value(0)))
            }
            fn pass(slot: &mut Option<$ty>) -> *mut $ty {
                slot.as_mut().map_or(std::ptr::null_mut(), |value| value)
            }
            fn answer(slot: Option<$ty>, to: &mut Parcel) {
                let word = $to;
                to.words.push(slot.map_or(0, word));
            }
        }
    )*};
}

results! {
    i32: |w: u64| w as i32, |v: i32| v as u64;
    u32: |w: u64| w as u32, |v: u32| v.into();
    u64: |w: u64| w, |v: u64| v;
    usize: |w: u64| w as usize, |v: usize| v as u64;
    f32: |w: u64| f32::from_bits(w as u32), |v: f32| v.to_bits().into();
    *mut c_void: |w: u64| w as *mut c_void, |v: *mut c_void| v as u64;
}

/// Texts.
impl Cross for *const c_char {
    type Slot = Option<CString>;
    unsafe fn send<'a>(self, to: &mut Parcel<std::borrow::Cow<'a, [u8]>>) {
        to.words.push(u64::from(!self.is_null()));
        if !self.is_null() {
            // SAFETY: the caller's text, which ends in NUL.
            let text = unsafe { std::ffi::CStr::from_ptr(self) };
            to.blobs.push(text.to_bytes().to_vec().into());
        }
    }
    unsafe fn receive(self, _: &mut Arrived) -> Option<()> {
        Some(())
    }
    fn slot(from: &mut Arrived) -> Option<Option<CString>> {
        match from.word()? {
            0 => Some(None),
            _ => CString::new(from.blob()?).ok().map(Some),
        }
    }
    fn pass(slot: &mut Option<CString>) -> *const c_char {
        slot.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
    }
    fn answer(_: Option<CString>, _: &mut Parcel) {}
}

macro_rules! never_cross {
    ($($ty:ty: $none:expr;)*) => {$(
        impl Cross for $ty {
            type Slot = ();
            unsafe fn send<'a>(self, _: &mut Parcel<std::borrow::Cow<'a, [u8]>>) {}
            unsafe fn receive(self, _: &mut Arrived) -> Option<()> {
                Some(())
            }
            fn slot(_: &mut Arrived) -> Option<()> {
                Some(())
            }
            fn pass(_: &mut ()) -> $ty {
                $none
            }
            fn answer(_: (), _: &mut Parcel) {}
        }
    )*};
}

// Only of functions that the emulated device refuses.
never_cross! {
    *const c_void: std::ptr::null();
    *const *mut c_void: std::ptr::null();
}

/// The bytes of the host's side of a 2-D copy from its first to its last one, and where the first
/// stands; `None` for sizes that the driver refuses before it touches them.
pub(crate) fn plane_bytes(c: &Copy2d, source: bool) -> Option<(usize, usize)> {
    let (x, y, pitch) = if source {
        (c.src_x_bytes, c.src_y, c.src_pitch)
    } else {
        (c.dst_x_bytes, c.dst_y, c.dst_pitch)
    };
    let pitch = if pitch == 0 { c.width_bytes } else { pitch };
    if c.width_bytes == 0 || c.height == 0 {
        return None;
    }
    if c.height > 1 && x.saturating_add(c.width_bytes) > pitch {
        return None;
    }
    let first = pitch.checked_mul(y)?.checked_add(x)?;
    let all = pitch.checked_mul(c.height - 1)?.checked_add(c.width_bytes)?;
    (all as u64 <= wire::channel::MOST_BLOB).then_some((first, all))
}
