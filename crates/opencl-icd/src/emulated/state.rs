//! The bookkeeping of the emulated platform: its objects, who holds them, and its clock.

use std::collections::{BTreeMap, VecDeque};
use std::os::raw::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use cl_sys::{
    CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_EVENT, CL_INVALID_KERNEL,
    CL_INVALID_MEM_OBJECT, CL_INVALID_PROGRAM, CL_INVALID_SAMPLER, cl_int,
};
use emulation::evidence;
use emulation::settings::{Settings, settings};
use simt::device::DeviceModel;
use simt::{Instance, KernelInfo, Memory};

use super::callbacks::Call;
use crate::failure::{Done, Failure};
use crate::notify::ContextNotify;

/// Handles are numbers in a range where no system puts memory, and none is given out twice: so they
/// are told apart from the objects of other platforms, which are addresses, and a released one is
/// never mistaken for a later one.
const FIRST: usize = 0x0051_0000_0000_0000;
const BEYOND: usize = 0x0052_0000_0000_0000;

/// Handle of the platform.
pub(crate) const PLATFORM: usize = FIRST + 16;
/// Handle of its device.
pub(crate) const DEVICE: usize = FIRST + 32;
/// Handles of everything else are larger.
const OBJECTS: usize = FIRST + 256;

/// True if a handle is one of the emulated platform's, released or not.
pub(crate) fn ours(handle: *mut c_void) -> bool {
    (FIRST..BEYOND).contains(&(handle as usize))
}

/// True if a handle is an object of the emulated platform that lives.
pub(crate) fn is_object(handle: *mut c_void) -> bool {
    ours(handle) && emulated().is_ok_and(|e| e.lock().objects.contains_key(&(handle as usize)))
}

/// The one emulated device with its memory.
pub(super) struct Emulated {
    pub device: &'static DeviceModel,
    pub memory: Memory,
    pub step_limit: u64,
    state: Mutex<State>,
    /// Told when a command or a user event is over.
    pub over: Condvar,
}

impl Emulated {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The device, made at the first call.
///
/// # Errors
/// `CL_INVALID_VALUE` if the environment asks for a device that cannot be.
pub(super) fn emulated() -> Done<&'static Emulated> {
    static EMULATED: OnceLock<Result<Emulated, String>> = OnceLock::new();
    let made = EMULATED.get_or_init(|| {
        let Settings { device, memory_bytes, step_limit } = settings()?;
        Ok(Emulated {
            device,
            memory: Memory::new(memory_bytes),
            step_limit,
            state: Mutex::new(State::default()),
            over: Condvar::new(),
        })
    });
    made.as_ref().map_err(|line| Failure::value(line.clone()))
}

/// What the platform knows beside the bytes.
#[derive(Default)]
pub(super) struct State {
    pub objects: BTreeMap<usize, Entry>,
    pub clock: Clock,
    last: usize,
    buffers: u64,
}

/// An object with those that hold it.
pub(super) struct Entry {
    /// References of the program: 0 once it has released the object.
    pub count: u32,
    /// References of other objects and of commands.
    pub links: u32,
    pub object: Object,
}

pub(super) enum Object {
    Context(Context),
    Queue(Queue),
    Buffer(Buffer),
    Program(Program),
    Kernel(Box<Kernel>),
    Event(Event),
    Sampler(Sampler),
}

pub(super) struct Context {
    /// As given, with the 0 at the end; empty if none were given.
    pub properties: Vec<isize>,
    pub notify: ContextNotify,
    /// What `notify` wants to be called with, as a number: a pointer would keep the state from
    /// other threads.
    pub data: usize,
    /// The fault that spoilt this context.
    pub fault: Option<Failure>,
}

pub(super) struct Queue {
    pub context: usize,
    pub properties: u64,
    /// Commands that wait for something.
    pub pending: VecDeque<Command>,
    /// Commands that were enqueued.
    pub issued: u64,
    /// Of these, those that the program knows to be over because it waited.
    pub known: u64,
    /// The last barrier or marker-like command that later ones must wait for, if it is not over.
    pub barrier: Option<usize>,
    /// Predicted time at which what was run so far ends, in ns.
    pub end_ns: f64,
    /// The same, of the last barrier.
    pub barrier_ns: f64,
}

pub(super) struct Buffer {
    pub context: usize,
    pub flags: u64,
    pub size: u64,
    /// Address in device memory.
    pub base: u64,
    /// The buffer of which this is a part, and where the part begins.
    pub parent: Option<usize>,
    pub origin: u64,
    /// The program's own memory, as a number.
    pub host: usize,
    pub maps: Vec<Mapping>,
    /// What is called at the end, the last one first.
    pub destructors: Vec<Call>,
    /// Name and size of the elements, once a kernel got the buffer as a pointer.
    pub element: Option<(String, u32)>,
    /// What makes an image of it.
    pub image: Option<Image>,
}

/// What an image is beside its memory.
pub(super) struct Image {
    /// `CL_MEM_OBJECT_IMAGE...`.
    pub kind: u32,
    /// Channel order and channel type.
    pub format: [u32; 2],
    /// Bytes of a texel.
    pub texel: u64,
    /// Texels of a row, rows (or layers of lines), planes (or layers).
    pub size: [u64; 3],
    /// Address of the descriptor that kernels get.
    pub about: u64,
}

pub(super) struct Sampler {
    pub context: usize,
    /// Coordinates go from 0 to 1.
    pub normalized: bool,
    /// `CL_ADDRESS_...`.
    pub addressing: u32,
    /// `CL_FILTER_...`.
    pub filter: u32,
}

/// A part of a buffer that the host may touch.
pub(super) struct Mapping {
    pub pointer: usize,
    pub offset: u64,
    pub size: u64,
    pub writes: bool,
    /// The memory behind the pointer, unless it is the program's; 16 bytes each, for their
    /// alignment.
    pub storage: Vec<u128>,
}

pub(super) struct Program {
    pub context: usize,
    pub source: String,
    pub options: String,
    pub log: String,
    pub build: Build,
}

pub(super) enum Build {
    None,
    Failed,
    Done(Arc<Instance>),
}

pub(super) struct Kernel {
    pub context: usize,
    pub program: usize,
    pub instance: Arc<Instance>,
    /// [`emulation::evidence::identity`] of the program's text.
    pub identity: u64,
    pub info: KernelInfo,
    pub args: Vec<Option<KernelArg>>,
}

#[derive(Clone)]
pub(super) enum KernelArg {
    Bytes(Vec<u8>),
    /// Handle of a buffer, or the null pointer.
    Buffer(Option<usize>),
    /// Handle of an image.
    Image(usize),
    Local(u64),
}

/// Called once, with the status that an event has come to.
type StatusCall = Box<dyn FnOnce(cl_int) + Send>;

pub(super) struct Event {
    pub context: usize,
    /// `None` for a user event.
    pub queue: Option<usize>,
    /// `CL_COMMAND_...`.
    pub kind: u32,
    /// `CL_QUEUED` down to `CL_COMPLETE`, or an error.
    pub status: cl_int,
    /// Number among the commands of its queue.
    pub number: u64,
    /// The program has waited for it.
    pub known: bool,
    pub asked: bool,
    /// Predicted times in ns: queued, submitted, start, end.
    pub times: [f64; 4],
    /// The status that each waits for, and what is called then.
    pub callbacks: Vec<(cl_int, StatusCall)>,
}

/// What a command keeps busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Compute = 0,
    ToDevice = 1,
    ToHost = 2,
    /// Markers, barriers.
    Nothing = 3,
}

/// What a command does; returns its predicted time in ns.
pub(super) type Work = Box<dyn FnOnce(&Emulated, &mut State) -> Done<f64> + Send>;

/// A command that waits.
pub(super) struct Command {
    pub name: &'static str,
    pub event: usize,
    pub queue: usize,
    /// Events of the caller's list.
    pub waits: Vec<usize>,
    /// Events that the order of the queue adds.
    pub after: Vec<usize>,
    pub engine: Engine,
    /// Objects that must live until it is over.
    pub holds: Vec<usize>,
    pub work: Work,
}

/// Predicted time.
#[derive(Default)]
pub(super) struct Clock {
    /// Where the host is, in ns.
    pub host_ns: f64,
    /// Until when each [`Engine`] is busy, in ns.
    pub engine_ns: [f64; 4],
}

macro_rules! objects {
    ($($noun:literal $variant:ident $ty:ty, $get:ident $get_mut:ident $code:ident;)*) => {
        impl Object {
            fn noun(&self) -> &'static str {
                match self {
                    $(Object::$variant(_) => $noun,)*
                }
            }
        }

        impl State {
            $(
                pub fn $get(&self, handle: usize) -> Done<&$ty> {
                    match self.objects.get(&handle) {
                        Some(Entry { object: Object::$variant(found), .. }) => Ok(found),
                        other => Err(self.not($noun, $code, handle, other)),
                    }
                }

                #[allow(dead_code, reason = "samplers never change")]
                pub fn $get_mut(&mut self, handle: usize) -> Done<&mut $ty> {
                    // Twice looked up, because the borrow checker does not follow the error's way
                    // out.
                    self.$get(handle)?;
                    match self.objects.get_mut(&handle) {
                        Some(Entry { object: Object::$variant(found), .. }) => Ok(found),
                        _ => Err(Failure::new($code, "")),
                    }
                }
            )*
        }
    };
}

objects! {
    "a context" Context Context, context context_mut CL_INVALID_CONTEXT;
    "a command queue" Queue Queue, queue queue_mut CL_INVALID_COMMAND_QUEUE;
    "a memory object" Buffer Buffer, buffer buffer_mut CL_INVALID_MEM_OBJECT;
    "a program" Program Program, program program_mut CL_INVALID_PROGRAM;
    "a kernel" Kernel Kernel, kernel kernel_mut CL_INVALID_KERNEL;
    "a sampler" Sampler Sampler, sampler sampler_mut CL_INVALID_SAMPLER;
    "an event" Event Event, event event_mut CL_INVALID_EVENT;
}

impl State {
    fn not(&self, noun: &str, code: cl_int, handle: usize, found: Option<&Entry>) -> Failure {
        let line = match found {
            Some(entry) => format!("expected {noun}, found {}", entry.object.noun()),
            None if handle == 0 => format!("expected {noun}, found null"),
            None if (OBJECTS..=OBJECTS + self.last).contains(&handle) => {
                format!("expected {noun}, found an object that was released before")
            }
            None => format!("expected {noun} of the emulated platform, found something else"),
        };
        Failure::new(code, line)
    }

    /// Keeps a new object, which the program holds once. It holds `parents`.
    pub fn add(&mut self, object: Object) -> usize {
        self.last += 16;
        let handle = OBJECTS + self.last;
        for parent in parents(&object) {
            self.link(parent);
        }
        self.objects.insert(handle, Entry { count: 1, links: 0, object });
        handle
    }

    /// Name for a buffer that no kernel has named yet.
    pub fn new_buffer_name(&mut self) -> String {
        self.buffers += 1;
        format!("buffer{}", self.buffers)
    }

    /// One more object or command holds `handle`.
    pub fn link(&mut self, handle: usize) {
        if let Some(entry) = self.objects.get_mut(&handle) {
            entry.links += 1;
        }
    }

    /// One less.
    pub fn unlink(&mut self, emulated: &Emulated, handle: usize) {
        if let Some(entry) = self.objects.get_mut(&handle) {
            entry.links = entry.links.saturating_sub(1);
            self.sweep(emulated, handle);
        }
    }

    /// The program holds an object once more.
    pub fn retain(&mut self, handle: usize) {
        if let Some(entry) = self.objects.get_mut(&handle) {
            entry.count += 1;
        }
    }

    /// The program holds an object once less.
    pub fn release(&mut self, emulated: &Emulated, handle: usize) {
        if let Some(entry) = self.objects.get_mut(&handle) {
            entry.count = entry.count.saturating_sub(1);
            self.sweep(emulated, handle);
        }
    }

    pub fn count(&self, handle: usize) -> u32 {
        self.objects.get(&handle).map_or(0, |entry| entry.count)
    }

    /// Removes an object that nobody holds.
    fn sweep(&mut self, emulated: &Emulated, handle: usize) {
        let held = |entry: &Entry| entry.count > 0 || entry.links > 0;
        if self.objects.get(&handle).is_none_or(held) {
            return;
        }
        let Some(Entry { object, .. }) = self.objects.remove(&handle) else { return };
        let parents = parents(&object);
        match object {
            Object::Buffer(buffer) => {
                if let Some(image) = &buffer.image {
                    let _ = emulated.memory.free(image.about);
                }
                if buffer.parent.is_none() {
                    evidence::forget(&emulated.memory, buffer.base);
                    // It was allocated with the buffer, so freeing it cannot fail.
                    let _ = emulated.memory.free(buffer.base);
                }
                buffer.destructors.into_iter().rev().for_each(super::callbacks::later);
            }
            Object::Program(Program { build: Build::Done(instance), .. }) => {
                // Its kernels are gone, too: they hold the program.
                if let Some(instance) = Arc::into_inner(instance) {
                    instance.unload(&emulated.memory);
                }
            }
            other => drop(other),
        }
        for parent in parents {
            self.unlink(emulated, parent);
        }
    }
}

/// The objects that one holds.
fn parents(object: &Object) -> Vec<usize> {
    match object {
        Object::Context(_) => Vec::new(),
        Object::Queue(Queue { context, .. })
        | Object::Program(Program { context, .. })
        | Object::Sampler(Sampler { context, .. }) => {
            vec![*context]
        }
        Object::Buffer(Buffer { context, parent, .. }) => {
            [*context].into_iter().chain(*parent).collect()
        }
        Object::Kernel(kernel) => vec![kernel.program],
        Object::Event(Event { context, queue, .. }) => {
            [*context].into_iter().chain(*queue).collect()
        }
    }
}

/// The context of an object.
pub(super) fn context_of(state: &State, handle: usize) -> Option<&Context> {
    let context = match &state.objects.get(&handle)?.object {
        Object::Context(context) => return Some(context),
        Object::Queue(queue) => queue.context,
        Object::Buffer(buffer) => buffer.context,
        Object::Program(program) => program.context,
        Object::Kernel(kernel) => kernel.context,
        Object::Event(event) => event.context,
        Object::Sampler(sampler) => sampler.context,
    };
    state.context(context).ok()
}
