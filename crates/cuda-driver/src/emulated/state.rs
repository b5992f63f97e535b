//! The bookkeeping of the emulated driver and its clock.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use emulation::findings;
use emulation::settings::{Settings, settings};
use simt::device::DeviceModel;
use simt::fault::FaultKind;
use simt::{Instance, Memory, MemoryError};

use super::order::{Access, Extent, History, Order};
use crate::abi::Handle;
use crate::failure::{Done, Failure};
use crate::{code, names};

/// The one emulated device.
pub(super) struct Driver {
    pub device: &'static DeviceModel,
    pub memory: Memory,
    /// Warp instructions after which a launch is stopped: `LAB_STEP_LIMIT`.
    pub step_limit: u64,
    state: Mutex<State>,
    /// Held while a kernel runs.
    engine: Mutex<()>,
}

impl Driver {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn lock_engine(&self) -> MutexGuard<'_, ()> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The device, made at the first call.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if the environment asks for a device that cannot be.
pub(super) fn driver() -> Done<&'static Driver> {
    static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
    let made = DRIVER.get_or_init(|| {
        let Settings { device, memory_bytes, step_limit } = settings()?;
        Ok(Driver {
            device,
            memory: Memory::new(memory_bytes),
            step_limit,
            state: Mutex::new(State::default()),
            engine: Mutex::new(()),
        })
    });
    made.as_ref().map_err(|line| Failure::invalid(line.clone()))
}

/// What the driver knows beside the bytes.
#[derive(Default)]
pub(super) struct State {
    pub initialised: bool,
    pub contexts: BTreeMap<usize, Context>,
    pub primary: Primary,
    pub streams: BTreeMap<usize, Stream>,
    pub events: BTreeMap<usize, Event>,
    pub modules: BTreeMap<usize, Module>,
    pub functions: BTreeMap<usize, Function>,
    /// Device memory by base address.
    pub allocations: BTreeMap<u64, Note>,
    /// Pinned, registered and managed host memory by address.
    pub host: BTreeMap<u64, HostBlock>,
    /// A judge's device: where the program has put the block of host memory that is allocated now.
    pub offered: Option<u64>,
    /// A judge's device: blocks of host memory that were freed and the program does not know of
    /// yet.
    pub freed: Vec<u64>,
    /// What the program has waited for.
    pub waited: Order,
    /// Predicted time at which the host is.
    pub host_ms: f64,
    /// Predicted time until which each [`Engine`] is busy.
    pub engine_ms: [f64; 4],
    last_handle: usize,
    allocation_count: u64,
}

/// A context.
#[derive(Default)]
pub(super) struct Context {
    pub flags: u32,
    pub limits: BTreeMap<i32, usize>,
    pub cache_config: i32,
    pub shared_config: i32,
    /// The fault that spoilt this context.
    pub fault: Option<Failure>,
}

/// The context that all users of the device share.
#[derive(Default)]
pub(super) struct Primary {
    pub handle: Option<usize>,
    pub users: u32,
    pub flags: u32,
}

/// A stream; handle 0 is the legacy default stream.
#[derive(Default)]
pub(super) struct Stream {
    pub context: usize,
    pub flags: u32,
    pub priority: i32,
    /// What lies before the stream's next operation.
    pub order: Order,
    /// Number of the stream's last operation.
    pub last: u64,
    /// Predicted time at which the stream's work ends.
    pub ready_ms: f64,
    pub asked: bool,
}

/// Do not wait for the default stream (`CU_STREAM_NON_BLOCKING`).
pub(super) const NON_BLOCKING: u32 = 1;

/// An event.
pub(super) struct Event {
    pub context: usize,
    pub timing: bool,
    pub record: Option<Record>,
    pub asked: bool,
}

/// Where an event was recorded last.
#[derive(Clone)]
pub(super) struct Record {
    pub stream: usize,
    pub number: u64,
    pub order: Order,
    pub ms: f64,
}

/// A loaded module.
pub(super) struct Module {
    pub context: usize,
    pub instance: Arc<Instance>,
    /// [`emulation::evidence::identity`] of its text.
    pub identity: u64,
}

/// A kernel of a module.
pub(super) struct Function {
    pub module: usize,
    pub symbol: String,
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`, if it was set.
    pub max_dynamic_shared: Option<u32>,
    pub cache_config: i32,
}

/// What the driver notes about an allocation of device memory.
pub(super) struct Note {
    pub context: usize,
    pub size: u64,
    /// Name and size of the elements, once a kernel got the allocation as a pointer.
    pub element: Option<(String, u32)>,
    pub history: History,
}

/// Memory of the host that the device may touch.
pub(super) struct HostBlock {
    pub context: usize,
    pub size: u64,
    /// Where its bytes are: at the block's own address, but in a judge's device, which has a copy
    /// of the program's.
    pub home: u64,
    pub kind: HostKind,
    /// The same addresses exist in device memory.
    pub mirrored: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostKind {
    Pinned,
    Registered,
    Managed,
}

/// What an operation keeps busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Compute = 0,
    ToDevice = 1,
    ToHost = 2,
    /// Events and host functions.
    Nothing = 3,
}

/// An operation that was issued.
pub(super) struct Issued {
    pub stream: usize,
    pub number: u64,
    /// What lies before it and itself.
    pub order: Order,
    /// Predicted time of its end.
    pub end_ms: f64,
}

thread_local! {
    /// Contexts of this thread; the last one is current.
    static CURRENT: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn with_current<R>(f: impl FnOnce(&mut Vec<usize>) -> R) -> R {
    CURRENT.with_borrow_mut(f)
}

impl State {
    /// A handle that was never given out before. Handles look like addresses, but nothing is there.
    pub fn new_handle(&mut self) -> usize {
        self.last_handle += 16;
        0x5100_0000 + self.last_handle
    }

    /// Name for an allocation that no kernel has named yet.
    pub fn new_buffer_name(&mut self) -> String {
        self.allocation_count += 1;
        format!("buffer{}", self.allocation_count)
    }

    /// Fails before `cuInit`.
    pub fn ready(&self) -> Done {
        if self.initialised { Ok(()) } else { Err(Failure::code(code::NOT_INITIALIZED)) }
    }

    /// Handle of the current context, spoilt or not.
    pub fn current_handle(&self) -> Done<usize> {
        self.ready()?;
        match with_current(|list| list.last().copied()) {
            None | Some(0) => Err(Failure::new(
                code::INVALID_CONTEXT,
                "no context is current on this thread: make one (`Lab::new()`, \
                 `cust::quick_init()`) and keep it alive",
            )),
            Some(handle) if self.contexts.contains_key(&handle) => Ok(handle),
            Some(_) => Err(Failure::new(
                code::CONTEXT_IS_DESTROYED,
                "the context of this thread was destroyed: keep it alive as long as it is used",
            )),
        }
    }

    /// Handle of the current context.
    ///
    /// # Errors
    /// Without one, or if a fault has spoilt it.
    pub fn context(&self) -> Done<usize> {
        let handle = self.current_handle()?;
        match &self.contexts[&handle].fault {
            None => Ok(handle),
            Some(fault) => Err(Failure {
                line: format!("an earlier launch failed: {}", fault.line),
                ..fault.clone()
            }),
        }
    }

    /// The stream behind a handle that a caller gave.
    pub fn stream_handle(&self, handle: Handle) -> Done<usize> {
        let handle = handle as usize;
        if handle <= 2 {
            return Ok(0);
        }
        if self.streams.contains_key(&handle) {
            return Ok(handle);
        }
        let gone = names::stream_number(handle).is_some();
        let line = if gone { "the stream was destroyed before" } else { "this is not a stream" };
        Err(Failure::new(code::INVALID_HANDLE, line))
    }

    /// The event behind a handle that a caller gave.
    pub fn event_mut(&mut self, handle: Handle) -> Done<&mut Event> {
        self.events
            .get_mut(&(handle as usize))
            .ok_or_else(|| Failure::new(code::INVALID_HANDLE, "this is not an event, or no longer"))
    }

    fn blocking(stream: usize, flags: u32) -> bool {
        stream == 0 || flags & NON_BLOCKING == 0
    }

    /// Puts an operation of `ms` predicted milliseconds into a stream.
    pub fn issue(&mut self, stream: usize, engine: Engine, ms: f64) -> Issued {
        let (mut order, mut start) = self.before(stream);
        start = start.max(self.host_ms);
        if engine != Engine::Nothing {
            start = start.max(self.engine_ms[engine as usize]);
        }
        let number = order.step(stream);
        let end_ms = start + ms;
        self.engine_ms[engine as usize] = end_ms;
        let s = self.streams.entry(stream).or_default();
        s.order = order.clone();
        s.last = number;
        s.ready_ms = end_ms;
        s.asked = false;
        Issued { stream, number, order, end_ms }
    }

    /// What lies before the next operation of a stream, and the predicted time of its end. The
    /// legacy default stream waits for all streams that block, and they wait for it.
    fn before(&self, stream: usize) -> (Order, f64) {
        let mut order = self.waited.clone();
        let mut ms = 0.0f64;
        let blocks = self.streams.get(&stream).is_none_or(|s| Self::blocking(stream, s.flags));
        for (handle, other) in &self.streams {
            let waits = *handle == stream
                || (stream == 0 && Self::blocking(*handle, other.flags))
                || (*handle == 0 && blocks);
            if waits {
                order.join(&other.order);
                ms = ms.max(other.ready_ms);
            }
        }
        (order, ms)
    }

    /// The host waits until a stream is done.
    pub fn wait_for_stream(&mut self, stream: usize) {
        let (order, ms) = self.before(stream);
        self.wait_for(&order, ms);
    }

    /// The host waits for everything.
    pub fn wait_for_all(&mut self) {
        let all: Vec<(Order, f64)> =
            self.streams.values().map(|s| (s.order.clone(), s.ready_ms)).collect();
        for (order, ms) in all {
            self.wait_for(&order, ms);
        }
    }

    /// The host waits for a point in time.
    pub fn wait_for(&mut self, order: &Order, ms: f64) {
        self.waited.join(order);
        self.host_ms = self.host_ms.max(ms);
    }

    /// Notes that an operation touched bytes of an allocation, and reports a collision with another
    /// stream.
    pub fn touch(
        &mut self,
        memory: &Memory,
        issued: &Issued,
        base: u64,
        extent: Extent,
        writes: bool,
        what: &str,
    ) {
        let Some(note) = self.allocations.get_mut(&base) else { return };
        let access = Access {
            stream: issued.stream,
            number: issued.number,
            writes,
            extent,
            what: what.into(),
        };
        let Some(old) = note.history.add(access, &issued.order, &self.waited) else { return };
        let name = memory.find(base).map_or_else(String::new, |a| a.name);
        let verb = |writes| if writes { "writes" } else { "reads" };
        let message = format!(
            "{what} in stream {} {} `{name}`, which {} in stream {} {}: nothing orders \
             the two (wait for an event, or synchronise)",
            names::stream_number(issued.stream).unwrap_or(0),
            verb(writes),
            old.what,
            names::stream_number(old.stream).unwrap_or(0),
            verb(old.writes),
        );
        findings::add_finding(FaultKind::RaceGlobal, what, message, None);
    }
}

/// A failure of device memory as the driver reports it.
pub(super) fn memory_failure(error: &MemoryError) -> Failure {
    let code = match error {
        MemoryError::OutOfMemory { .. } => code::OUT_OF_MEMORY,
        _ => code::INVALID_VALUE,
    };
    Failure::new(code, error.to_string())
}

/// Writes a result through a pointer of the caller.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a null pointer.
///
/// # Safety
/// `at` is null or may be written.
pub(crate) unsafe fn give<T>(at: *mut T, value: T) -> Done {
    if at.is_null() {
        return Err(Failure::invalid("a pointer for a result is null"));
    }
    // SAFETY: the caller's promise; not null.
    unsafe { at.write_unaligned(value) };
    Ok(())
}

/// Refuses a setting that is not one of `0..=last`.
pub(super) fn in_range(what: &str, value: i32, last: i32) -> Done {
    if (0..=last).contains(&value) {
        Ok(())
    } else {
        Err(Failure::invalid(format!("{what}: expected 0..={last}, found {value}")))
    }
}

/// Text of the caller.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a null pointer.
///
/// # Safety
/// `text` is null or ends in NUL.
pub(crate) unsafe fn text<'a>(text: crate::abi::Text) -> Done<std::borrow::Cow<'a, str>> {
    if text.is_null() {
        return Err(Failure::invalid("a name is null"));
    }
    // SAFETY: the caller's promise; not null.
    Ok(unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_stream_waits_for_blocking_streams_and_they_for_it() {
        let mut s = State::default();
        s.streams.insert(100, Stream::default());
        s.streams.insert(200, Stream { flags: NON_BLOCKING, ..Stream::default() });
        let one = s.issue(100, Engine::Compute, 2.0);
        let free = s.issue(200, Engine::ToHost, 1.0);
        assert_eq!((one.end_ms, free.end_ms), (2.0, 1.0));
        let legacy = s.issue(0, Engine::ToDevice, 1.0);
        assert_eq!(legacy.end_ms, 3.0);
        assert!(legacy.order.has(100, one.number) && !legacy.order.has(200, free.number));
        let next = s.issue(100, Engine::Nothing, 0.0);
        assert_eq!(next.end_ms, 3.0);
        assert!(next.order.has(0, legacy.number));
        assert!(!s.waited.has(100, one.number));
        s.wait_for_stream(0);
        assert!(s.waited.has(100, one.number) && !s.waited.has(200, free.number));
        s.wait_for_all();
        assert!(s.waited.has(200, free.number));
    }
}
