//! The program's side: what a function of the platform asks of the judge's device.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use cl_sys::{
    CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_MEM_COPY_HOST_PTR,
    CL_MEM_USE_HOST_PTR, CL_OUT_OF_RESOURCES, CL_PROGRAM_BINARIES, CL_SUCCESS,
};
use emulation::remote::{Arrived, Parcel};
use emulation::threads;
use wire::channel::{Client, Frame, Kind};

use super::parameter::Parameter;
use super::shape::{Shape, taken};
use crate::emulated::{NOT_YET, host_bytes, later};
use crate::failure::{Done, Failure};
use crate::notify::{ContextNotify, EventNotify, Notify};

/// A parameter of a call: its name, whether it is a pointer, and the word.
pub(crate) type Given = (&'static str, bool, u64);

type Sent<'a> = Parcel<Cow<'a, [u8]>>;

/// What the program's threads share.
struct Shared {
    /// Calls that were answered, those that only asked again left out.
    answered: u64,
    callbacks: Vec<Callback>,
    mappings: Vec<Mapping>,
}

/// A function of the program, by its address, and what it wants to be called with.
#[derive(Clone, Copy)]
struct Callback {
    of: Told,
    function: u64,
    data: u64,
}

/// What a callback is about.
#[derive(Clone, Copy)]
enum Told {
    Context,
    Event,
    Object,
}

/// A part of a buffer that the program may touch.
struct Mapping {
    buffer: u64,
    pointer: usize,
    bytes: usize,
    writes: bool,
    /// The memory, if it is not the program's.
    storage: Vec<u128>,
    /// The bytes came, or none come.
    settled: bool,
}

/// One call at a time, and the answer's bytes are in their place before the next begins.
static SHARED: Mutex<Shared> =
    Mutex::new(Shared { answered: 0, callbacks: Vec::new(), mappings: Vec::new() });
/// Told when a call was answered.
static ANSWERED: Condvar = Condvar::new();

fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gone() -> Failure {
    Failure::new(CL_OUT_OF_RESOURCES, "the judge's device is gone")
}

/// Asks for a call: the object that it made, or 0.
///
/// # Errors
/// As the call; the judge's device is gone.
///
/// # Safety
/// As for the platform's function of that name.
pub(crate) unsafe fn ask(client: &Client, name: &'static str, given: &[Given]) -> Done<u64> {
    if name == "clEnqueueMapBuffer" {
        // SAFETY: the caller's promise.
        return unsafe { map(client, name, given) };
    }
    // SAFETY: the caller's promise.
    let (made, mut back) = unsafe { exchange(client, name, given, 0) }?;
    // SAFETY: the caller's out-pointers.
    unsafe { receive(given, &mut back) }?;
    if name == "clEnqueueUnmapMemObject" {
        unmapped(given[1].2, given[2].2);
    }
    Ok(made)
}

/// Asks for a call with `room` for what it maps; the object that it made, and what else came back.
///
/// # Safety
/// As [`ask`].
unsafe fn exchange(
    client: &Client,
    name: &'static str,
    given: &[Given],
    room: usize,
) -> Done<(u64, Arrived)> {
    // SAFETY: the caller's promise.
    let sent = unsafe { send(name, given, room) };
    let mut question = frame(name);
    question.words.extend(sent.words);
    question.blobs = sent.blobs;
    let mut answer = converse(client, &question)?;
    let mut held = 0;
    while answer.status == NOT_YET {
        wait(answer.answered);
        // A command that was enqueued already is not enqueued again.
        held = held.max(answer.made);
        answer = match held {
            0 => converse(client, &question)?,
            event => converse(client, &over(event))?,
        };
    }
    if held != 0 {
        // The event is the caller's, if the command went well and it wants it.
        answer.back = Arrived::new(Vec::new(), Vec::new());
        match given.last().filter(|(_, _, at)| answer.status == CL_SUCCESS && *at != 0) {
            // SAFETY: the caller's out-pointer, the last parameter of all commands.
            Some((_, _, at)) => unsafe { (*at as *mut u64).write_unaligned(held) },
            None => release(client, held),
        }
    }
    match answer.status {
        CL_SUCCESS => Ok((answer.made, answer.back)),
        code => Err(Failure { code, line: answer.line, report: answer.report }),
    }
}

fn frame<'a>(name: &str) -> Frame<Cow<'a, [u8]>> {
    let mut frame = Frame::new(Kind::Driver, name);
    frame.words.push(threads::number());
    frame
}

/// The question whether a command is over that a call has enqueued and waits for.
fn over<'a>(event: u64) -> Frame<Cow<'a, [u8]>> {
    let mut frame = frame("cl over");
    frame.words.push(event);
    frame
}

fn release(client: &Client, event: u64) {
    let mut frame = frame("clReleaseEvent");
    frame.words.extend([event, 0, 0]);
    let _ = converse(client, &frame);
}

struct Answer {
    status: i32,
    made: u64,
    line: String,
    report: String,
    back: Arrived,
    /// How many calls were answered by then.
    answered: u64,
}

/// Asks; bytes for the program's memory are in their place, and callbacks on their way.
fn converse(client: &Client, question: &Frame<Cow<'_, [u8]>>) -> Done<Answer> {
    let mut shared = shared();
    let frame = client.ask(question).map_err(|_| gone())?;
    let mut back = Arrived::new(frame.words, frame.blobs);
    let told = settle(&mut shared, &mut back).ok_or_else(gone)?;
    let (status, made) = (back.word().ok_or_else(gone)? as i32, back.word().ok_or_else(gone)?);
    let (mut line, mut report) = (String::new(), String::new());
    if status != CL_SUCCESS && status != NOT_YET {
        for text in [&mut line, &mut report] {
            *text = String::from_utf8_lossy(&back.blob().ok_or_else(gone)?).into_owned();
        }
    }
    if status != NOT_YET {
        shared.answered += 1;
    }
    let answered = shared.answered;
    drop(shared);
    ANSWERED.notify_all();
    told.into_iter().for_each(|(deferred, call)| match deferred {
        true => later(call),
        false => call(),
    });
    Ok(Answer { status, made, line, report, back, answered })
}

/// Waits until another thread's call was answered: nothing else can end what is waited for.
fn wait(answered: u64) {
    let since = |shared: &mut Shared| shared.answered == answered;
    drop(ANSWERED.wait_while(shared(), since).unwrap_or_else(PoisonError::into_inner));
}

type Call = Box<dyn FnOnce() + Send>;

/// What every answer begins with: bytes for the program's memory, and callbacks with whether they
/// may come later.
fn settle(shared: &mut Shared, back: &mut Arrived) -> Option<Vec<(bool, Call)>> {
    let places = back.list()?;
    let bytes = back.blob()?;
    let mut rest = bytes.as_slice();
    for [address, length] in places.as_chunks().0 {
        let (part, later) = rest.split_at_checked(*length as usize)?;
        rest = later;
        for mapping in &mut shared.mappings {
            mapping.settled |= mapping.pointer == *address as usize;
        }
        // SAFETY: where a call of the program has said that this is to go; a command may use it
        // until the program knows that it is over.
        unsafe {
            std::ptr::copy_nonoverlapping(part.as_ptr(), *address as *mut u8, part.len());
        }
    }
    let mut calls = Vec::new();
    for [token, deferred, object, status] in back.list()?.as_chunks().0 {
        let text = back.blob()?;
        let found = shared.callbacks.get(usize::try_from(*token).ok()?.checked_sub(1)?).copied();
        calls.push((*deferred != 0, found?.call(*object, *status as i32, text)));
    }
    Some(calls)
}

impl Callback {
    fn call(self, object: u64, status: i32, text: Vec<u8>) -> Call {
        let Callback { of, function, data } = self;
        Box::new(move || {
            let (object, data) = (object as *mut c_void, data as *mut c_void);
            // SAFETY: the program's function, of the type that it was given as, called as the
            // manual says, with the data that it gave for that.
            unsafe {
                match of {
                    Told::Context => {
                        let text = CString::new(text).unwrap_or_default();
                        if let Some(f) = ContextNotify::of(function) {
                            f(text.as_ptr(), std::ptr::null(), 0, data);
                        }
                    }
                    Told::Event => {
                        if let Some(f) = EventNotify::of(function) {
                            f(object, status, data);
                        }
                    }
                    Told::Object => {
                        if let Some(f) = Notify::of(function) {
                            f(object, data);
                        }
                    }
                }
            }
        })
    }
}

/// The words and bytes of a call.
///
/// # Safety
/// As [`ask`].
unsafe fn send<'a>(name: &str, given: &[Given], room: usize) -> Sent<'a> {
    let words: Vec<u64> = given.iter().map(|(_, _, word)| *word).collect();
    let mut sent = Sent::default();
    for (at, (parameter, pointer, word)) in given.iter().enumerate() {
        let shape = Shape::of(parameter, *pointer);
        sent.words.push(match shape {
            Shape::Value => *word,
            Shape::Callback if *word == 0 => 0,
            Shape::Callback => {
                let of = match name {
                    "clSetEventCallback" => Told::Event,
                    "clCreateContext" | "clCreateContextFromType" => Told::Context,
                    _ => Told::Object,
                };
                let data = words.get(at + 1).copied().unwrap_or(0);
                let mut shared = shared();
                shared.callbacks.push(Callback { of, function: *word, data });
                shared.callbacks.len() as u64
            }
            // There are no binaries, and the list of pointers is the caller's.
            Shape::Room { .. } if name == "clGetProgramInfo" => {
                u64::from(*word != 0 && words[1] != u64::from(CL_PROGRAM_BINARIES))
            }
            _ => u64::from(*word != 0),
        });
        if *word == 0 {
            continue;
        }
        match shape {
            Shape::Takes { count, size } => {
                let bytes = taken(&words, at, count, size).unwrap_or(0);
                // SAFETY: the caller's promise: it is read by the function.
                sent.blobs.push(unsafe { memory(*word, bytes) });
            }
            // SAFETY: as above.
            Shape::Text => sent.blobs.push(unsafe { text(*word as *const c_char) }),
            Shape::Texts => {
                let lengths = words.get(at + 1).copied().unwrap_or(0) as *const usize;
                for i in 0..words[at - 1] as usize {
                    // SAFETY: the caller's list of texts, and as many lengths; a text has that
                    // length or ends in NUL.
                    let bytes = unsafe {
                        let start = (*word as *const *const c_char).add(i).read_unaligned();
                        let length =
                            if lengths.is_null() { 0 } else { lengths.add(i).read_unaligned() };
                        match (start.is_null(), length) {
                            (true, _) => None,
                            (_, 0) => Some(text(start)),
                            _ => Some(memory(start as u64, length)),
                        }
                    };
                    sent.words.push(bytes.is_some().into());
                    sent.blobs.push(bytes.unwrap_or_default());
                }
            }
            Shape::UntilZero => {
                let list = *word as *const u64;
                // SAFETY: the caller's list of pairs, whose last key is 0.
                let keys = (0..).take_while(|i| unsafe { list.add(2 * i).read_unaligned() } != 0);
                // SAFETY: as many.
                sent.blobs.push(unsafe { memory(*word, 16 * keys.count()) });
            }
            _ => {}
        }
    }
    // SAFETY: the caller's promise.
    let memory = unsafe { host_memory(name, &words) };
    sent.words.extend([room as u64, memory.is_some().into()]);
    sent.blobs.extend(memory);
    sent
}

/// # Safety
/// So many bytes may be read.
unsafe fn memory<'a>(address: u64, bytes: usize) -> Cow<'a, [u8]> {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(address as *const u8, bytes) }.into()
}

/// # Safety
/// A text that ends in NUL.
unsafe fn text<'a>(at: *const c_char) -> Cow<'a, [u8]> {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(at) }.to_bytes().into()
}

/// The program's memory that a command reads.
///
/// # Safety
/// As [`ask`].
unsafe fn host_memory<'a>(name: &str, words: &[u64]) -> Option<Cow<'a, [u8]>> {
    let (at, bytes) = match name {
        "clCreateBuffer" => {
            let wanted = words[1] & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
            (words[3], if wanted { words[2] as usize } else { 0 })
        }
        "clEnqueueWriteBuffer" => (words[5], words[4] as usize),
        "clEnqueueWriteBufferRect" => {
            let (origin, region) = (words[4] as *const usize, words[5] as *const usize);
            // SAFETY: the caller's triples.
            let range = unsafe { host_bytes(origin, region, words[8] as usize, words[9] as usize) };
            let (first, bytes) = range.unwrap_or_default();
            (if words[10] == 0 { 0 } else { words[10].wrapping_add(first as u64) }, bytes)
        }
        "clEnqueueUnmapMemObject" => {
            let shared = shared();
            let mapping = shared.mapping(words[1], words[2]).filter(|m| m.writes);
            mapping.map_or((0, 0), |m| (m.pointer as u64, m.bytes))
        }
        _ => (0, 0),
    };
    // SAFETY: the caller's promise.
    (at != 0 && bytes > 0).then(|| unsafe { memory(at, bytes) })
}

/// Writes what a call gave back where the caller wants it.
///
/// # Safety
/// As [`ask`].
unsafe fn receive(given: &[Given], back: &mut Arrived) -> Done {
    for (parameter, pointer, at) in given.iter().filter(|(_, _, at)| *at != 0) {
        let (Shape::Room { .. } | Shape::Gives { .. }) = Shape::of(parameter, *pointer) else {
            continue;
        };
        // Of a command that was waited for nothing comes.
        let Some(bytes) = back.blob() else { return Ok(()) };
        // SAFETY: the caller's room, of which the judge knows how much there is.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), *at as *mut u8, bytes.len()) };
    }
    Ok(())
}

impl Shared {
    fn mapping(&self, buffer: u64, pointer: u64) -> Option<&Mapping> {
        self.mappings.iter().find(|m| m.buffer == buffer && m.pointer == pointer as usize)
    }
}

/// Maps a part of a buffer, into memory of the program's.
///
/// # Safety
/// As [`ask`].
unsafe fn map(client: &Client, name: &'static str, given: &[Given]) -> Done<u64> {
    let &[_, (_, _, buffer), (_, _, blocking), (_, _, flags), _, (_, _, bytes), .., wanted] = given
    else {
        return Err(gone());
    };
    let bytes = bytes as usize;
    let mut storage: Vec<u128> = Vec::new();
    let rooms = bytes.div_ceil(size_of::<u128>());
    let room = match storage.try_reserve_exact(rooms) {
        Ok(()) => {
            storage.resize(rooms, 0);
            storage.as_mut_ptr() as usize
        }
        Err(_) => 0,
    };
    let writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    let settled = flags & (CL_MAP_READ | CL_MAP_WRITE) == 0;
    // The bytes may come with the answer.
    let mapping = Mapping { buffer, pointer: room, bytes, writes, storage, settled };
    shared().mappings.push(mapping);
    // The event is asked for, to wait for it.
    let mut event = 0u64;
    let mut asked = given.to_vec();
    asked[2].2 = 0;
    if let Some(last) = asked.last_mut() {
        last.2 = &raw mut event as u64;
    }
    // SAFETY: the caller's promise; the event is ours.
    let mapped = unsafe { exchange(client, name, &asked, room) }.and_then(|(pointer, mut back)| {
        // SAFETY: as above.
        unsafe { receive(&asked, &mut back) }.map(|()| pointer)
    });
    let pointer = match mapped {
        Ok(pointer) => pointer,
        Err(failure) => {
            shared().mappings.retain(|m| m.pointer != room);
            return Err(failure);
        }
    };
    if pointer as usize != room {
        // The buffer lies in memory of the program's.
        let mut shared = shared();
        if let Some(mapping) = shared.mappings.iter_mut().find(|m| m.pointer == room) {
            (mapping.pointer, mapping.storage) = (pointer as usize, Vec::new());
        }
    }
    let mut done = Ok(());
    if blocking != 0 {
        done = wait_for(client, event);
    }
    match (wanted.2, &done) {
        (0, _) | (_, Err(_)) => release(client, event),
        // SAFETY: the caller's out-pointer.
        (at, Ok(())) => unsafe { (at as *mut u64).write_unaligned(event) },
    }
    done.map(|()| pointer)
}

/// Waits until a command is over.
fn wait_for(client: &Client, event: u64) -> Done {
    loop {
        let answer = converse(client, &over(event))?;
        match answer.status {
            NOT_YET => wait(answer.answered),
            CL_SUCCESS => return Ok(()),
            code => return Err(Failure { code, line: answer.line, report: answer.report }),
        }
    }
}

/// A mapping is undone. Its memory stays if the bytes are still to come there.
fn unmapped(buffer: u64, pointer: u64) {
    let mut shared = shared();
    let found = |m: &Mapping| m.buffer == buffer && m.pointer == pointer as usize;
    if let Some(index) = shared.mappings.iter().position(found) {
        let mapping = shared.mappings.swap_remove(index);
        if !mapping.settled {
            std::mem::forget(mapping.storage);
        }
    }
}
