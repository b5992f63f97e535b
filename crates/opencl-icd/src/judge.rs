//! The platform in a judge's device: answers the calls of a program.
//!
//! What the program sends is checked before it is used; what is no call ends the conversation, and
//! is the program's fault.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cl_sys::CL_SUCCESS;
use emulation::remote::{Arrived, Parcel};
use wire::channel::{Frame, Kind};

use crate::api;
use crate::emulated::{self, NOT_YET};
use crate::failure::last_error;
use crate::remote::told;

/// Begin of the names of all calls.
pub const PREFIX: &str = "cl";

/// Before a call of the request: what is left from before counts as given by the host.
pub fn renew() {
    emulated::given_again();
}

/// Answers a call of the platform, whose first word is the program's thread; `None` for what is no
/// call. For [`emulation::judge::with_driver`].
pub fn answer(frame: Frame) -> Option<Frame> {
    let mut from = Arrived::new(frame.words, frame.blobs);
    from.word()?;
    let name = frame.text.as_str();
    let mut to = Parcel::default();
    let made = catch_unwind(AssertUnwindSafe(|| match name {
        "cl over" => {
            let event = usize::try_from(from.word()?).ok()?;
            Some((emulated::over_yet(event).err().map_or(CL_SUCCESS, |f| f.code), 0))
        }
        _ => api::serve(name, &mut from, &mut to),
    }));
    let (status, object) = made.ok().flatten()?;
    let running = emulated::still_running() as u64;
    let mut head: Parcel = Parcel::default();
    let goes = emulated::leaving();
    let places: Vec<u64> = goes.iter().flat_map(|(at, b)| [*at as u64, b.len() as u64]).collect();
    head.list(&places);
    head.blobs.push(goes.into_iter().flat_map(|(_, bytes)| bytes).collect());
    let told = told::take();
    let words: Vec<u64> = told.iter().flat_map(|(words, _)| *words).collect();
    head.list(&words);
    head.blobs.extend(told.into_iter().map(|(_, text)| text));
    head.words.extend([status as u64, if status == NOT_YET { running } else { object }]);
    if status != CL_SUCCESS && status != NOT_YET {
        let last = last_error().filter(|last| last.code == status);
        let (line, report) = last.map(|last| (last.line, last.report)).unwrap_or_default();
        head.blobs.extend([line.into_bytes(), report.into_bytes()]);
    }
    let mut answer = Frame::new(Kind::Driver, "");
    answer.words = head.words;
    answer.words.append(&mut to.words);
    answer.blobs = head.blobs;
    answer.blobs.append(&mut to.blobs);
    Some(answer)
}
