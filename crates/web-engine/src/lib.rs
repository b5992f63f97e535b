//! The workbench behind three functions that a page's worker calls: [`reserve`], [`answer`],
//! [`release`]. `cargo lab site` compiles it; see `docs/browser.md`.
//!
//! A text crosses as its address and its length in the module's memory, in UTF-8. A panic ends the
//! module: the worker is told its text by the import `panicked` and starts a new one.

use std::sync::Once;

#[cfg(feature = "hardware")]
mod hardware;

/// The lab whose exercises are checked here, if any. Labs 4 and 5 are host code throughout, and the
/// kernels of lab 3 are checked through it.
#[cfg(not(any(feature = "hardware", feature = "seismics")))]
const WORKBENCH: workbench::Workbench = workbench::Workbench {
    labs: &[
        #[cfg(feature = "lab1")]
        lab1_checks::LAB,
        #[cfg(feature = "lab2")]
        lab2_checks::LAB,
        #[cfg(feature = "lab6")]
        lab6_checks::LAB,
    ],
};

/// Who answers in this engine.
fn answered(request: &str) -> String {
    #[cfg(feature = "hardware")]
    return hardware::DESK.answer(request);
    #[cfg(all(feature = "seismics", not(feature = "hardware")))]
    return seismics::answer(request);
    #[cfg(not(any(feature = "hardware", feature = "seismics")))]
    WORKBENCH.answer(request)
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    fn panicked(text: *const u8, bytes: usize);
}

/// Off the web there is no page to be told.
#[cfg(not(target_family = "wasm"))]
unsafe fn panicked(_text: *const u8, _bytes: usize) {}

/// Room for a text of so many bytes; the caller fills it and hands it to [`answer`].
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; bytes].into_boxed_slice()).cast()
}

/// Answers the request of `bytes` bytes at `text`. The result is where the answer lies: its length
/// as a little-endian `u32`, then so many bytes. It stays until [`release`].
///
/// # Safety
/// `text` comes from [`reserve`] with the same length, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(text: *mut u8, bytes: usize) -> *mut u8 {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let text = panic.to_string();
            // SAFETY: the page reads the text while it is called.
            unsafe { panicked(text.as_ptr(), text.len()) }
        }));
    });
    // SAFETY: the caller gives back what `reserve` has made.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(text, bytes)) };
    let request = String::from_utf8_lossy(&request);
    let answer = answered(&request);
    let mut out = (answer.len() as u32).to_le_bytes().to_vec();
    out.extend(answer.into_bytes());
    Box::into_raw(out.into_boxed_slice()).cast()
}

/// Frees an answer.
///
/// # Safety
/// `answer` comes from [`answer`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(answer: *mut u8) {
    // SAFETY: the first four bytes are the length of the rest, as `answer` has written them.
    unsafe {
        let mut length = [0; 4];
        std::ptr::copy_nonoverlapping(answer, length.as_mut_ptr(), 4);
        let bytes = 4 + u32::from_le_bytes(length) as usize;
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(answer, bytes)));
    }
}
