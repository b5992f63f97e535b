//! The workbench behind three functions that a page's worker calls: [`reserve`], [`answer`],
//! [`release`]. `cargo lab site` compiles it; see `docs/browser.md`.
//!
//! A text crosses as its address and its length in the module's memory, in UTF-8. A panic ends the
//! module: the worker is told its text by the import `panicked` and starts a new one.

use std::sync::Once;

#[cfg(feature = "hardware")]
mod hardware;

/// The exercises of an engine's lab: those of which a browser can check something. The others'
/// checks are left out of the program.
#[cfg(any(feature = "lab1", feature = "lab2", feature = "lab3", feature = "lab6"))]
mod exercises {
    use grading::{Exercise, Lab};

    #[cfg(feature = "lab1")]
    use lab1_checks::LAB;
    #[cfg(feature = "lab2")]
    use lab2_checks::LAB;
    #[cfg(feature = "lab3")]
    use lab3_checks::LAB;
    #[cfg(feature = "lab6")]
    use lab6_checks::LAB;

    /// The lab of this engine.
    pub const SHOWN: Lab = Lab { exercises: &IN_BROWSER, ..LAB };

    const IN_BROWSER: [Exercise; count()] = {
        let mut out = [LAB.exercises[0]; count()];
        let (mut from, mut to) = (0, 0);
        while from < LAB.exercises.len() {
            if LAB.in_browser(&LAB.exercises[from]) {
                out[to] = LAB.exercises[from];
                to += 1;
            }
            from += 1;
        }
        out
    };

    const fn count() -> usize {
        let (mut k, mut count) = (0, 0);
        while k < LAB.exercises.len() {
            count += LAB.in_browser(&LAB.exercises[k]) as usize;
            k += 1;
        }
        count
    }
}

/// Questions about kernels, and the exercises of one lab, if any. Labs 4 and 5 are host code
/// throughout.
#[cfg(not(any(feature = "hardware", feature = "seismics")))]
const WORKBENCH: workbench::Workbench = workbench::Workbench {
    labs: &[
        #[cfg(any(feature = "lab1", feature = "lab2", feature = "lab3", feature = "lab6"))]
        exercises::SHOWN,
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
