//! The judge's side: takes what has crossed apart, lets the emulated platform make the call, and
//! puts together what goes back.
//!
//! What the program sends is checked before it is used; what is no call ends the conversation, and
//! is the program's fault.

use std::cell::RefCell;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use cl_sys::{CL_SUCCESS, cl_event, cl_int};
use emulation::remote::{Arrived, Parcel};
use wire::channel::{Frame, Kind};

use super::{MOST_ROOM, Shape, taken};
use crate::api::{self, ContextNotify, EventNotify, Notify};
use crate::emulated::{self, NOT_YET};
use crate::failure::last_error;

/// Begin of the names of all calls.
pub const PREFIX: &str = "cl";

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
    let told = TOLD.take();
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

/// The parameters of a call that has crossed.
pub(crate) struct Crossed {
    shapes: Vec<Shape>,
    /// As they were sent.
    sent: Vec<u64>,
    /// As they are passed on.
    passed: Vec<u64>,
    /// What the pointers among these lead to.
    memory: Vec<Vec<u64>>,
}

impl Crossed {
    /// Parameters of these names, which are pointers or not; `None` for what is not sent by ours.
    pub fn new(parameters: &[(&str, bool)], from: &mut Arrived) -> Option<Crossed> {
        let shapes: Vec<Shape> = parameters.iter().map(|(name, p)| Shape::of(name, *p)).collect();
        let (mut sent, mut texts) = (Vec::new(), Vec::new());
        for shape in &shapes {
            sent.push(from.word()?);
            if let (Shape::Texts, [.., count, given]) = (shape, sent.as_slice())
                && *given != 0
            {
                texts = (0..*count).map(|_| from.word()).collect::<Option<Vec<u64>>>()?;
            }
        }
        let (mut passed, mut memory) = (sent.clone(), Vec::new());
        let mut keep = |mut bytes: Vec<u64>| {
            let at = bytes.as_mut_ptr() as u64;
            memory.push(bytes);
            at
        };
        for at in 0..shapes.len() {
            let before = at.checked_sub(1);
            let forced = before.is_some_and(|b| matches!(shapes[b], Shape::Room { .. }));
            passed[at] = match shapes[at] {
                // The number of the program's function.
                Shape::Value if before.is_some_and(|b| shapes[b] == Shape::Callback) => {
                    if sent[at - 1] != 0 { sent[at - 1] } else { sent[at] }
                }
                Shape::Value | Shape::Callback => continue,
                // How many there are is asked for in any case.
                Shape::Gives { .. } if sent[at] != 0 || forced && sent[at - 1] != 0 => {
                    keep(vec![0])
                }
                // Set by the texts before.
                Shape::Nothing if !texts.is_empty() => continue,
                Shape::Nothing | Shape::Gives { .. } => 0,
                _ if sent[at] == 0 => 0,
                Shape::Takes { count, size } => {
                    let bytes = taken(&sent, at, count, size)?;
                    keep(aligned(&from.blob().filter(|b| b.len() == bytes)?, 0))
                }
                Shape::Text => keep(aligned(&from.blob().filter(|text| !text.contains(&0))?, 1)),
                // Keys and values; a list that does not end ends here.
                Shape::UntilZero => keep(aligned(&from.blob()?, 24)),
                Shape::Texts => {
                    let (mut places, mut lengths) = (Vec::new(), Vec::new());
                    for there in &texts {
                        let text = from.blob()?;
                        lengths.push(text.len() as u64);
                        // Of the length 0 is one that ends in NUL.
                        places.push(if *there == 0 { 0 } else { keep(aligned(&text, 1)) });
                    }
                    *passed.get_mut(at + 1)? = keep(lengths);
                    keep(places)
                }
                Shape::Room { size } => {
                    let count = sent[before?].min((MOST_ROOM / size) as u64);
                    passed[before?] = count;
                    keep(vec![0; (count as usize * size).div_ceil(8)])
                }
            };
        }
        let (room, some) = (usize::try_from(from.word()?).ok()?, from.word()? != 0);
        emulated::arrived(if some { Some(from.blob()?) } else { None }, room);
        Some(Crossed { shapes, sent, passed, memory })
    }

    /// The arguments of the call. Pointers lead to memory of this value's own.
    pub fn arguments(&self) -> impl Iterator<Item = u64> + use<> {
        self.passed.clone().into_iter()
    }

    /// What a call gives back that went well.
    pub fn give(&self, to: &mut Parcel) {
        for (at, shape) in self.shapes.iter().enumerate().filter(|(at, _)| self.sent[*at] != 0) {
            let bytes = match *shape {
                Shape::Gives { size } => size,
                Shape::Room { size } => {
                    let there = self.word_at(at + 1).min(self.passed[at - 1]);
                    there as usize * size
                }
                _ => continue,
            };
            let memory = self.memory_at(at).into_iter().flatten();
            to.blobs.push(memory.flat_map(|word| word.to_le_bytes()).take(bytes).collect());
        }
    }

    fn memory_at(&self, at: usize) -> Option<&Vec<u64>> {
        self.memory.iter().find(|memory| memory.as_ptr() as u64 == self.passed[at])
    }

    fn word_at(&self, at: usize) -> u64 {
        self.memory_at(at).and_then(|memory| memory.first()).copied().unwrap_or(0)
    }
}

/// Bytes at an address that suits any number, with so many zeros behind them.
fn aligned(bytes: &[u8], zeros: usize) -> Vec<u64> {
    let all: Vec<u8> = bytes.iter().copied().chain(std::iter::repeat_n(0, zeros + 7)).collect();
    all.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

type Told = ([u64; 4], Vec<u8>);

thread_local! {
    /// Functions of the program that are to be called: the function's number, whether it may wait,
    /// an object, a status; a text.
    static TOLD: RefCell<Vec<Told>> = const { RefCell::new(Vec::new()) };
}

fn tell(data: *mut c_void, object: *mut c_void, status: cl_int, text: &[u8]) {
    let words = [data as u64, emulated::deferred().into(), object as u64, status as u64];
    TOLD.with_borrow_mut(|told| told.push((words, text.to_vec())));
}

unsafe extern "C" fn tell_context(
    text: *const c_char,
    _: *const c_void,
    _: usize,
    data: *mut c_void,
) {
    // SAFETY: the platform's text, which ends in NUL.
    tell(data, std::ptr::null_mut(), 0, unsafe { CStr::from_ptr(text) }.to_bytes());
}

unsafe extern "C" fn tell_event(event: cl_event, status: cl_int, data: *mut c_void) {
    tell(data, event, status, &[]);
}

unsafe extern "C" fn tell_object(object: *mut c_void, data: *mut c_void) {
    tell(data, object, 0, &[]);
}

/// What stands here for functions of the program.
pub(super) const TELL_CONTEXT: ContextNotify = Some(tell_context);
/// The same, for events.
pub(super) const TELL_EVENT: EventNotify = Some(tell_event);
/// The same, for programs and memory.
pub(super) const TELL_OBJECT: Notify = Some(tell_object);
