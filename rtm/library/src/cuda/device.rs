//! A GPU, or the emulated one: set-up, kernels from files, arrays, copies that are counted,
//! launches that can be timed.
//!
//! Kernels are files below `kernels/cuda` of the crate that uses them. They are compiled when they
//! are first needed, by NVRTC on a GPU and by the emulator's own compiler else, and kept for later
//! shots.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cust::event::{Event, EventFlags};
use cust::function::Function;
use cust::memory::{
    AsyncCopyDestination, CopyDestination, DeviceBuffer, DeviceCopy, DevicePointer, LockedBuffer,
};
use cust::module::Module;
use cust::stream::Stream;
use labkit::{During, KernelFile, Lab, LaunchGraph};
use rayon::prelude::*;

use crate::{Cube, Error, Real, Result};

/// What was copied between host and device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Copies to the device: models, wavelets, traces.
    pub to_device: usize,
    /// Bytes of them.
    pub to_device_bytes: usize,
    /// Copies to the host: images, recorded traces, snapshots.
    pub to_host: usize,
    /// Bytes of them.
    pub to_host_bytes: usize,
    /// Single numbers to the host: the looks whether a field is still finite.
    pub looks: usize,
}

/// Times of one kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct KernelTimes {
    /// Launches.
    pub launches: usize,
    /// Their times together, milliseconds.
    pub ms: f64,
    /// The median of their times.
    pub median_ms: f64,
}

/// A compiled kernel file.
pub struct Kernels {
    module: Module,
}

impl Kernels {
    /// A kernel that may take so many bytes of dynamic shared memory.
    pub(super) fn function(&self, name: &str, shared: u32) -> Result<Function<'_>> {
        let function = self.module.get_function(name).during(name)?;
        if shared > 48 << 10 {
            use cust::sys::CUfunction_attribute_enum as Attribute;
            let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is alive; the driver refuses a size that there is not.
            unsafe {
                cust::sys::cuFuncSetAttribute(
                    function.to_raw(),
                    attribute,
                    i32::try_from(shared).unwrap_or(i32::MAX),
                );
            }
        }
        Ok(function)
    }

    /// Blocks of a kernel that the device runs at a time; at least one.
    pub(super) fn resident(&self, name: &str, block: [u32; 3], shared: u32) -> Result<usize> {
        use cust::device::DeviceAttribute::MultiprocessorCount;
        let function = self.function(name, shared)?;
        let size = cust::function::BlockSize::xyz(block[0], block[1], block[2]);
        let each = function.max_active_blocks_per_multiprocessor(size, shared as usize)?;
        let device = cust::context::CurrentContext::get_device()?;
        let processors = device.get_attribute(MultiprocessorCount)?;
        Ok((each as usize * processors.max(1) as usize).max(1))
    }
}

/// One argument of a launch: any value as the kernel's parameter has it, arrays as
/// [`DevicePointer`].
pub trait Argument {
    /// Where the value lies.
    fn at(&self) -> *mut c_void;
}

impl<T: Copy> Argument for T {
    fn at(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

/// Where the values of a launch's arguments lie, as the driver asks for them.
pub(super) fn addresses(arguments: &[&dyn Argument]) -> Vec<*mut c_void> {
    arguments.iter().map(|a| <dyn Argument>::at(*a)).collect()
}

/// A launch's extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

impl Extent {
    /// As many blocks as cover `points` threads.
    pub fn cover(points: [usize; 3], block: [u32; 3]) -> Extent {
        let grid = std::array::from_fn(|a| points[a].div_ceil(block[a] as usize).max(1) as u32);
        Extent { grid, block, shared: 0 }
    }

    /// The same in one dimension.
    pub fn line(points: usize, block: u32) -> Extent {
        Extent::cover([points, 1, 1], [block, 1, 1])
    }
}

/// Bytes from which a copy goes through pinned memory.
const LARGE: usize = 4 << 20;
/// Bytes of that memory.
const STAGING: usize = 32 << 20;

/// The device's pinned memory while somebody uses it.
struct Staging<'a>(MutexGuard<'a, Option<LockedBuffer<u8>>>);

impl Deref for Staging<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl DerefMut for Staging<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.0.as_deref_mut().unwrap_or_default()
    }
}

/// A copy by all cores.
fn copy_by_all(from: &[u8], to: &mut [u8]) {
    const PIECE: usize = 1 << 20;
    to.par_chunks_mut(PIECE)
        .zip(from.par_chunks(PIECE))
        .for_each(|(to, from)| to.copy_from_slice(from));
}

type Compiled = HashMap<(&'static str, Vec<String>), Arc<Kernels>>;

/// A device with what was compiled for it.
pub struct Device {
    // Modules and events live in the lab's context: dropped before it.
    compiled: Arc<Mutex<Compiled>>,
    timed: Mutex<Option<Vec<(String, Event, Event)>>>,
    copies: [AtomicUsize; 5],
    graphs: AtomicUsize,
    kept: Mutex<Option<DeviceBuffer<u8>>>,
    pinned: Mutex<Option<LockedBuffer<u8>>>,
    early: bool,
    index: u32,
    lab: Lab,
}

/// Whether it is a GPU of this compute capability or more.
fn can(lab: &Lab, least: i32) -> bool {
    use cust::device::DeviceAttribute::ComputeCapabilityMajor;
    labkit::backend() != labkit::Backend::Emulated
        && lab.device().get_attribute(ComputeCapabilityMajor).is_ok_and(|major| major >= least)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// Opens the device of this number. Without a GPU it is the emulated one (`LAB_DEVICE`,
    /// `LAB_GPU`).
    ///
    /// # Errors
    /// There is no such device.
    pub fn open(index: u32) -> Result<Device> {
        Device::with(index, Arc::default())
    }

    /// The same device once more, with a stream of its own, for work at the same time. What one of
    /// them compiles is there for all.
    ///
    /// # Errors
    /// As `open`.
    pub fn again(&self) -> Result<Device> {
        Device::with(self.index, self.compiled.clone())
    }

    fn with(index: u32, compiled: Arc<Mutex<Compiled>>) -> Result<Device> {
        let lab = Lab::on(index).map_err(|e| {
            Error::Device(format!("device {index} (CUDA_dev) cannot be opened: {}", e.report()))
        })?;
        let copies = std::array::from_fn(|_| AtomicUsize::new(0));
        let (timed, kept) = (Mutex::default(), Mutex::default());
        let early = can(&lab, 9);
        if labkit::backend() != labkit::Backend::Emulated {
            // A GPU would wait for a host that writes down each launch with its arguments.
            labkit::log_no_calls();
        }
        let graphs = AtomicUsize::new(0);
        Ok(Device {
            compiled,
            timed,
            copies,
            graphs,
            kept,
            pinned: Mutex::default(),
            early,
            index,
            lab,
        })
    }

    /// Devices of this machine; 1 if there is only the emulated one.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn count() -> Result<u32> {
        cust::init(cust::CudaFlags::empty())?;
        Ok(cust::device::Device::num_devices()?)
    }

    /// Its name: `NVIDIA H200`, or `NVIDIA H200 (emulated)`.
    pub fn name(&self) -> String {
        let name = self.lab.gpu_name().unwrap_or_else(|_| "unknown GPU".into());
        if self.is_emulated() { format!("{name} (emulated)") } else { name }
    }

    /// Nine tenths of its memory that is free now; the emulated one has the host's.
    ///
    /// # Errors
    /// The driver refuses.
    pub fn spare_bytes(&self) -> Result<u64> {
        self.make_current()?;
        let spare = cust::memory::mem_get_info()?.0 as u64 / 10 * 9;
        let host = crate::strategy::memory::spare_memory();
        Ok(if self.is_emulated() { spare.min(host) } else { spare })
    }

    /// Whether it is the emulated one.
    pub fn is_emulated(&self) -> bool {
        labkit::backend() == labkit::Backend::Emulated
    }

    /// Whether copies from global to shared memory can go without registers (compute capability
    /// 8.0); the emulated device's compiler has no instruction for it.
    pub fn copies_async(&self) -> bool {
        can(&self.lab, 8)
    }

    /// Bytes of shared memory that a block can have, if it asks for them.
    pub(super) fn shared_of_a_block(&self) -> usize {
        use cust::sys::CUdevice_attribute_enum as Attribute;
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let (device, mut bytes) = (self.lab.device().as_raw(), 0);
        // SAFETY: the device exists; the driver writes one number.
        let done = unsafe { cust::sys::cuDeviceGetAttribute(&mut bytes, attribute, device) };
        if done == cust::sys::CUresult::CUDA_SUCCESS { bytes.max(0) as usize } else { 48 << 10 }
    }

    /// Bytes of the second-level cache.
    pub(super) fn cache_bytes(&self) -> usize {
        use cust::device::DeviceAttribute::L2CacheSize;
        self.lab.device().get_attribute(L2CacheSize).map_or(0, |bytes| bytes.max(0) as usize)
    }

    /// Whether a kernel can begin while the one in front of it ends (compute capability 9.0); on
    /// the emulated device every kernel has ended when the next one begins.
    pub fn starts_early(&self) -> bool {
        self.early
    }

    /// An array of zeros that lived in an earlier shot, or a new one: for arrays so large that
    /// making them takes time.
    ///
    /// # Errors
    /// There is too little memory.
    pub fn large_zeros<T: DeviceCopy + bytemuck::Zeroable>(
        &self,
        n: usize,
    ) -> Result<DeviceBuffer<T>> {
        let bytes = n * size_of::<T>();
        let kept = lock(&self.kept).take();
        if let Some(mut kept) = kept.filter(|kept| kept.len() == bytes) {
            kept.set_zero()?;
            let pointer = kept.as_device_ptr().cast::<T>();
            std::mem::forget(kept);
            // SAFETY: the memory is nobody's any more, has this size, and is 256-byte aligned as
            // all of the driver's is.
            return Ok(unsafe { DeviceBuffer::from_raw_parts(pointer, n) });
        }
        self.zeros(n)
    }

    /// Keeps an array for [`Device::large_zeros`]; the one that was kept before is freed.
    pub(super) fn keep<T: DeviceCopy>(&self, array: DeviceBuffer<T>) {
        let (pointer, bytes) = (array.as_device_ptr().cast::<u8>(), array.len() * size_of::<T>());
        std::mem::forget(array);
        // SAFETY: the memory is nobody's any more and has this size.
        let array = unsafe { DeviceBuffer::from_raw_parts(pointer, bytes) };
        *lock(&self.kept) = Some(array);
    }

    /// The lab, for its reports and faults.
    pub fn lab(&self) -> &Lab {
        &self.lab
    }

    /// Makes this device the one that the present thread talks to.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn make_current(&self) -> Result<()> {
        Ok(self.lab.make_current()?)
    }

    /// Lets this device's kernels and copies reach the other's memory directly, where the hardware
    /// can; else copies go through the host.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn allow_peer(&self, other: &Device) -> Result<()> {
        other.make_current()?;
        let mut peer = std::ptr::null_mut();
        // SAFETY: the out-pointer is ours.
        unsafe { cust::sys::cuCtxGetCurrent(&mut peer) };
        self.make_current()?;
        // SAFETY: the context is alive as long as `other`. A refusal (no such link, or allowed
        // already) only makes copies slower.
        unsafe { cust::sys::cuCtxEnablePeerAccess(peer, 0) };
        Ok(())
    }

    /// Compiles a kernel file with the options of a compiler (`-DH=4`), or finds it compiled.
    ///
    /// # Errors
    /// The file or the compiler's messages.
    pub fn kernels(&self, file: KernelFile, options: &[String]) -> Result<Arc<Kernels>> {
        let key = (file.name(), options.to_vec());
        // Held until it is compiled: who wants the same at the same time finds it then.
        let mut compiled = lock(&self.compiled);
        if let Some(found) = compiled.get(&key) {
            return Ok(found.clone());
        }
        let words: Vec<&str> = options.iter().map(String::as_str).collect();
        let kernels = Arc::new(Kernels { module: self.lab.module(file, &words)? });
        compiled.insert(key, kernels.clone());
        Ok(kernels)
    }

    /// An array of zeros.
    ///
    /// # Errors
    /// There is too little memory.
    pub fn zeros<T: DeviceCopy + bytemuck::Zeroable>(&self, n: usize) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::zeroed(n)?)
    }

    /// An array of these values.
    ///
    /// # Errors
    /// There is too little memory.
    pub fn upload<T: DeviceCopy>(&self, values: &[T]) -> Result<DeviceBuffer<T>> {
        self.count_copy(0, size_of_val(values));
        if size_of_val(values) < LARGE {
            return Ok(DeviceBuffer::from_slice(values)?);
        }
        // SAFETY: every element is written below.
        let array = unsafe { DeviceBuffer::uninitialized(values.len())? };
        let mut staging = self.staging()?;
        let per_pass = STAGING / size_of::<T>();
        for (part, from) in values.chunks(per_pass).enumerate() {
            let (n, first) = (from.len(), part * per_pass);
            // SAFETY: both are arrays of as many bytes, and `T` is plain data, which the device is
            // given as it is.
            let bytes = unsafe {
                std::slice::from_raw_parts(from.as_ptr().cast::<u8>(), size_of_val(from))
            };
            copy_by_all(bytes, &mut staging[..bytes.len()]);
            // SAFETY: pinned memory is aligned to pages.
            let pinned = unsafe { std::slice::from_raw_parts(staging.as_ptr().cast::<T>(), n) };
            array.index(first..first + n).copy_from(pinned)?;
        }
        Ok(array)
    }

    /// The values of an array.
    ///
    /// # Errors
    /// What the driver refuses; a kernel before has failed.
    pub fn download<T: DeviceCopy + Default>(&self, array: &DeviceBuffer<T>) -> Result<Vec<T>> {
        self.synchronize()?;
        let mut values = vec![T::default(); array.len()];
        self.count_copy(2, size_of_val(values.as_slice()));
        if size_of_val(values.as_slice()) < LARGE {
            array.copy_to(&mut values)?;
            return Ok(values);
        }
        let mut staging = self.staging()?;
        let per_pass = STAGING / size_of::<T>();
        for (part, to) in values.chunks_mut(per_pass).enumerate() {
            let (n, first) = (to.len(), part * per_pass);
            // SAFETY: pinned memory is aligned to pages, large enough, and holds what any bytes of
            // `T`, plain data, may be.
            let pinned =
                unsafe { std::slice::from_raw_parts_mut(staging.as_mut_ptr().cast::<T>(), n) };
            array.index(first..first + n).copy_to(pinned)?;
            let bytes = size_of_val(to);
            // SAFETY: the bytes of `to`, which is ours alone.
            let to = unsafe { std::slice::from_raw_parts_mut(to.as_mut_ptr().cast::<u8>(), bytes) };
            copy_by_all(&staging[..bytes], to);
        }
        Ok(values)
    }

    /// The pinned memory through which large arrays pass: the driver's own way, through memory that
    /// it pins bit by bit, is several times slower, and one core alone cannot fill a new array fast
    /// enough.
    fn staging(&self) -> Result<Staging<'_>> {
        let mut staging = lock(&self.pinned);
        if staging.is_none() {
            *staging = Some(LockedBuffer::new(&0u8, STAGING)?);
        }
        Ok(Staging(staging))
    }

    /// A single number of the device's, for the host to look at.
    pub(crate) fn look(&self, number: &DeviceBuffer<f64>) -> Result<f64> {
        let mut value = [0.0];
        // On the device's own stream: the default one would wait for other shots, too.
        // SAFETY: both live until the stream has done it, below.
        unsafe { number.async_copy_to(&mut value, self.lab.stream())? };
        self.synchronize()?;
        self.copies[4].fetch_add(1, Ordering::Relaxed);
        Ok(value[0])
    }

    /// Makes a single number of the device's this one, behind what its own stream was given.
    pub(super) fn set_number(&self, number: &DeviceBuffer<i32>, value: i32) -> Result<()> {
        let (address, stream) = (number.as_device_ptr().as_raw(), self.lab.stream().as_inner());
        // SAFETY: the number and the stream are alive.
        accepted("cuMemsetD32Async", unsafe {
            cust::sys::cuMemsetD32Async(address, value as u32, 1, stream)
        })
    }

    /// A dense array, z fastest, as a cube.
    ///
    /// # Errors
    /// What the driver refuses, or the sizes differ.
    pub fn download_cube<T: Real + DeviceCopy>(
        &self,
        array: &DeviceBuffer<T>,
        grid: crate::Grid,
    ) -> Result<Cube<T>> {
        Cube::from_values(grid, self.download(array)?)
    }

    fn count_copy(&self, at: usize, bytes: usize) {
        self.copies[at].fetch_add(1, Ordering::Relaxed);
        self.copies[at + 1].fetch_add(bytes, Ordering::Relaxed);
    }

    /// What was copied since the device was opened.
    pub fn traffic(&self) -> Traffic {
        let [a, b, c, d, e] = std::array::from_fn(|i| self.copies[i].load(Ordering::Relaxed));
        Traffic { to_device: a, to_device_bytes: b, to_host: c, to_host_bytes: d, looks: e }
    }

    /// Graphs of launches that were issued since the device was opened.
    pub fn graphs_issued(&self) -> usize {
        self.graphs.load(Ordering::Relaxed)
    }

    /// Issues a graph behind what the device's own stream was given.
    ///
    /// # Safety
    /// The arrays of its launches are alive until they have run.
    pub(super) unsafe fn issue(&self, graph: &LaunchGraph) -> Result<()> {
        self.graphs.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract.
        match unsafe { graph.issue(self.lab.stream().as_inner().cast()) } {
            0 => Ok(()),
            code => Err(graph_refused(code)),
        }
    }

    /// Launches a kernel on the device's stream; does not wait for it.
    ///
    /// # Errors
    /// The launch is refused; on the emulated device, whatever the kernel does wrong.
    ///
    /// # Safety
    /// The arguments must be those of the kernel, in number and type, and its arrays as long as it
    /// takes them to be.
    pub unsafe fn launch(
        &self,
        kernels: &Kernels,
        name: &str,
        extent: Extent,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe { self.launch_on(self.lab.stream(), kernels, name, extent, arguments) }
    }

    /// As `launch`, on a stream of the caller's.
    ///
    /// # Errors
    /// As `launch`.
    ///
    /// # Safety
    /// As `launch`; and the order of this work with that on other streams is the caller's business.
    pub unsafe fn launch_on(
        &self,
        stream: &Stream,
        kernels: &Kernels,
        name: &str,
        extent: Extent,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe { self.launch_as(false, stream, kernels, name, extent, arguments) }
    }

    /// As `launch_on`, for kernels compiled with EARLY 1 where [`Device::starts_early`]: they begin
    /// while the kernel in front of them in the stream ends.
    ///
    /// # Errors
    /// As `launch`.
    ///
    /// # Safety
    /// As `launch_on`; and the kernel waits for the one in front of it before it touches what that
    /// one writes, or writes what that one reads.
    pub unsafe fn launch_behind(
        &self,
        stream: &Stream,
        kernels: &Kernels,
        name: &str,
        extent: Extent,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe { self.launch_as(self.early, stream, kernels, name, extent, arguments) }
    }

    unsafe fn launch_as(
        &self,
        early: bool,
        stream: &Stream,
        kernels: &Kernels,
        name: &str,
        extent: Extent,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        let function = kernels.function(name, extent.shared)?;
        let mut arguments = addresses(arguments);
        let Extent { grid, block, shared } = extent;
        // SAFETY: the caller's contract. What is refused is tried again below, and then told.
        let early = early
            && lock(&self.timed).is_none()
            && unsafe {
                let (function, stream) = (function.to_raw().cast(), stream.as_inner().cast());
                let arguments = arguments.as_mut_ptr();
                labkit::launch_early(function, grid, block, shared, stream, arguments)
            } == 0;
        if early {
            return Ok(());
        }
        let [gx, gy, gz] = extent.grid;
        let [bx, by, bz] = extent.block;
        let mut timed = lock(&self.timed);
        let start = timed.is_some().then(|| self.event(stream)).transpose()?;
        // SAFETY: the caller's contract.
        unsafe {
            stream
                .launch(&function, (gx, gy, gz), (bx, by, bz), extent.shared, &arguments)
                .during(name)?;
        }
        if let (Some(list), Some(start)) = (timed.as_mut(), start) {
            list.push((name.to_owned(), start, self.event(stream)?));
        }
        Ok(())
    }

    fn event(&self, stream: &Stream) -> Result<Event> {
        let event = Event::new(EventFlags::DEFAULT)?;
        event.record(stream)?;
        Ok(event)
    }

    /// Waits until all launches are done.
    ///
    /// # Errors
    /// A kernel failed.
    pub fn synchronize(&self) -> Result<()> {
        Ok(self.lab.stream().synchronize()?)
    }

    /// Whether launches are timed now.
    pub fn is_timing(&self) -> bool {
        lock(&self.timed).is_some()
    }

    /// From now on every launch is timed; forgets earlier times.
    pub fn start_timing(&self) {
        *lock(&self.timed) = Some(Vec::new());
    }

    /// Ends timing: the times of each kernel, by name.
    ///
    /// # Errors
    /// A kernel failed.
    pub fn stop_timing(&self) -> Result<BTreeMap<String, KernelTimes>> {
        self.synchronize()?;
        let mut times = BTreeMap::<String, Vec<f64>>::new();
        for (name, start, end) in lock(&self.timed).take().unwrap_or_default() {
            times.entry(name).or_default().push(f64::from(end.elapsed_time_f32(&start)?));
        }
        let summary = |mut each: Vec<f64>| {
            each.sort_by(f64::total_cmp);
            let (launches, ms) = (each.len(), each.iter().sum());
            KernelTimes { launches, ms, median_ms: each[launches / 2] }
        };
        Ok(times.into_iter().map(|(name, each)| (name, summary(each))).collect())
    }

    /// Milliseconds that the launches of `work` take on the device, between two events.
    ///
    /// # Errors
    /// Those of `work`; a kernel failed.
    pub fn time_ms(&self, work: impl FnOnce() -> Result<()>) -> Result<f64> {
        let start = self.event(self.lab.stream())?;
        work()?;
        let end = self.event(self.lab.stream())?;
        end.synchronize()?;
        Ok(f64::from(end.elapsed_time_f32(&start)?))
    }
}

/// What the driver said to a graph.
pub(super) fn graph_refused(code: u32) -> Error {
    Error::Device(format!("the driver refuses a graph of launches with the code {code}"))
}

/// A point in a stream's work that another stream can wait for: of the same device or of another.
pub struct Marker(cust::sys::CUevent);

/// What the driver said to a call of its own interface.
fn accepted(what: &str, code: cust::sys::CUresult) -> Result<()> {
    match code {
        cust::sys::CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(Error::Device(format!("{what}: {code:?}"))),
    }
}

impl Marker {
    /// A marker of the current context.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn new() -> Result<Marker> {
        let mut event = std::ptr::null_mut();
        let flags = cust::sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: the out-pointer is ours.
        accepted("cuEventCreate", unsafe { cust::sys::cuEventCreate(&mut event, flags) })?;
        Ok(Marker(event))
    }

    /// Marks what the stream, of the marker's device, has been given so far.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn set(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both are alive.
        accepted("cuEventRecord", unsafe { cust::sys::cuEventRecord(self.0, stream.as_inner()) })
    }

    /// Lets a stream wait until what was marked is done.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn hold(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both are alive.
        accepted("cuStreamWaitEvent", unsafe {
            cust::sys::cuStreamWaitEvent(stream.as_inner(), self.0, 0)
        })
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        // SAFETY: ours, and nobody has it after this. Waits for it that were issued stay valid.
        unsafe { cust::sys::cuEventDestroy_v2(self.0) };
    }
}

/// The address of an array, or null for none.
pub fn address<T: DeviceCopy>(array: Option<&DeviceBuffer<T>>) -> DevicePointer<T> {
    array.map_or_else(DevicePointer::null, |a| a.as_device_ptr())
}
