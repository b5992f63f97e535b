//! Tries every part of the driver API that the labs use, on whatever device there is, and prints
//! what came out.
//!
//! `selftest` prints a table, `selftest --json` the same for machines. Exit code 1 if a check
//! fails. The binary needs no file: carried to a machine with an NVIDIA GPU (and NVRTC) it proves
//! the forwarding there.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use cust::context::{Context, CurrentContext};
use cust::device::DeviceAttribute;
use cust::error::CudaError;
use cust::event::{Event, EventFlags, EventStatus};
use cust::function::{BlockSize, FunctionAttribute};
use cust::memory::{AsyncCopyDestination, LockedBuffer, UnifiedBuffer, mem_get_info};
use cust::module::Module;
use cust::prelude::*;
use cust::stream::StreamWaitEventFlags;
use cust::sys;
use labkit::{Backend, During, Lab, LabError, backend};
use serde::Serialize;

const KERNELS: &str = r#"
__constant__ float coefficients[4];
__device__ int counter = 5;
extern "C" __global__ void add(float *c, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void polynomial(float *y, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = 0.0f;
    for (int k = 3; k >= 0; k--) r = r * x[i] + coefficients[k];
    y[i] = r;
}
extern "C" __global__ void scale(int *x, int factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
extern "C" __global__ void reduce(int *sum, const int *x, int n) {
    __shared__ int part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
extern "C" __global__ void dynamic(int *out) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void count(int by) { atomicAdd(&counter, by); }
extern "C" __global__ void far_away(int *x) { x[1 << 28] = 1; }
__global__ void mangled(int *x) { x[0] = 1; }
"#;

/// What a check found, for the table.
type Outcome = Result<String, LabError>;

struct Kit {
    lab: Lab,
    module: Module,
}

impl Kit {
    fn new() -> Result<Kit, LabError> {
        let lab = Lab::new()?;
        let module = lab.module(KERNELS, &[])?;
        Ok(Kit { lab, module })
    }
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), LabError> {
    if holds { Ok(()) } else { Err(LabError::msg(what())) }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), LabError> {
    ensure(found == expected, || format!("{what}: expected {expected:?}, found {found:?}"))
}

/// `got` is an error with one of these codes.
fn refused<T>(what: &str, got: Result<T, CudaError>, codes: &[CudaError]) -> Outcome {
    match got {
        Ok(_) => Err(LabError::msg(format!("{what}: expected {codes:?}, but it worked"))),
        Err(code) if codes.contains(&code) => Ok(format!("{code:?}")),
        Err(code) => Err(LabError::msg(format!("{what}: expected {codes:?}, found {code:?}"))),
    }
}

fn code_of(code: sys::CUresult) -> Result<(), CudaError> {
    match code {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        sys::CUresult::CUDA_ERROR_INVALID_VALUE => Err(CudaError::InvalidValue),
        sys::CUresult::CUDA_ERROR_INVALID_HANDLE => Err(CudaError::InvalidHandle),
        sys::CUresult::CUDA_ERROR_NOT_SUPPORTED => Err(CudaError::NotSupported),
        _ => Err(CudaError::UnknownError),
    }
}

fn symbols(_: &Kit) -> Outcome {
    let missing = cuda_driver::missing_symbols();
    ensure(missing.is_empty(), || format!("the driver lacks {}", missing.join(", ")))?;
    Ok(format!("{} symbols", cuda_driver::SYMBOLS.len()))
}

fn device(kit: &Kit) -> Outcome {
    let device = kit.lab.device();
    let get = |a| device.get_attribute(a);
    same("warp size", get(DeviceAttribute::WarpSize)?, 32)?;
    same("threads of a block", get(DeviceAttribute::MaxThreadsPerBlock)?, 1024)?;
    let sms = get(DeviceAttribute::MultiprocessorCount)?;
    let cc = (
        get(DeviceAttribute::ComputeCapabilityMajor)?,
        get(DeviceAttribute::ComputeCapabilityMinor)?,
    );
    let attributes = [
        get(DeviceAttribute::ClockRate)?,
        get(DeviceAttribute::MemoryClockRate)?,
        get(DeviceAttribute::GlobalMemoryBusWidth)?,
        get(DeviceAttribute::L2CacheSize)?,
        get(DeviceAttribute::MaxSharedMemoryPerBlock)?,
        get(DeviceAttribute::MaxSharedMemoryPerMultiprocessor)?,
        get(DeviceAttribute::MaxRegistersPerBlock)?,
        get(DeviceAttribute::MaxThreadsPerMultiprocessor)?,
    ];
    ensure(attributes.iter().all(|a| *a > 0), || format!("attributes {attributes:?}"))?;
    Ok(format!(
        "{}, cc {}.{}, {sms} SMs, {} MiB, attributes {attributes:?}",
        device.name()?,
        cc.0,
        cc.1,
        device.total_memory()? >> 20
    ))
}

fn vector_add(kit: &Kit) -> Outcome {
    let n = 100_003usize;
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| i as f32 * 0.0001).collect();
    let (da, db) = (DeviceBuffer::from_slice(&a)?, DeviceBuffer::from_slice(&b)?);
    // SAFETY: the kernel writes all of it.
    let dc = unsafe { DeviceBuffer::<f32>::uninitialized(n) }?;
    let add = kit.module.get_function("add")?;
    let stream = kit.lab.stream();
    kit.lab.take_api_log();
    // SAFETY: arguments as the kernel has them.
    unsafe {
        launch!(add<<<(n as u32).div_ceil(256), 256, 0, stream>>>(
            dc.as_device_ptr(),
            da.as_device_ptr(),
            db.as_device_ptr(),
            n as i32
        ))
        .during("launch of add")?;
    }
    let c = dc.as_host_vec()?;
    let wrong = (0..n).find(|i| c[*i].to_bits() != (a[*i] + b[*i]).to_bits());
    ensure(wrong.is_none(), || format!("c[{}] is wrong", wrong.unwrap_or(0)))?;
    let log = kit.lab.take_api_log();
    let launch = log.iter().find_map(|c| c.launch.as_ref());
    let sizes: Vec<usize> =
        launch.map(|l| l.params.iter().map(|p| p.bytes.len()).collect()).unwrap_or_default();
    same("sizes of the traced arguments", sizes, vec![8, 8, 8, 4])?;
    Ok(format!("{n} elements, bit-exact; arguments traced"))
}

fn reduction(kit: &Kit) -> Outcome {
    let x: Vec<i32> = (0..10_000).collect();
    let dx = DeviceBuffer::from_slice(&x)?;
    let sum = DeviceBuffer::<i32>::zeroed(1)?;
    let reduce = kit.module.get_function("reduce")?;
    let stream = kit.lab.stream();
    // SAFETY: arguments as the kernel has them.
    unsafe {
        launch!(reduce<<<40, 256, 0, stream>>>(sum.as_device_ptr(), dx.as_device_ptr(), 10_000))?;
    }
    same("sum", sum.as_host_vec()?[0], x.iter().sum())?;
    Ok("shared memory, barriers, atomics".into())
}

fn constants(kit: &Kit) -> Outcome {
    let name = c"coefficients".to_owned();
    kit.module.get_global::<[f32; 4]>(&name)?.copy_from(&[1.0, -2.0, 0.5, 0.25])?;
    let x: Vec<f32> = (0..100).map(|i| i as f32 * 0.1).collect();
    let dx = DeviceBuffer::from_slice(&x)?;
    let dy = DeviceBuffer::<f32>::zeroed(100)?;
    let polynomial = kit.module.get_function("polynomial")?;
    let stream = kit.lab.stream();
    // SAFETY: arguments as the kernel has them.
    unsafe {
        launch!(polynomial<<<4, 32, 0, stream>>>(dy.as_device_ptr(), dx.as_device_ptr(), 100))?
    };
    let want: Vec<f32> = x.iter().map(|x| ((0.25 * x + 0.5) * x - 2.0) * x + 1.0).collect();
    // Bit-exact because neither side contracts `a * b + c`.
    same("polynomial", dy.as_host_vec()?, want)?;
    Ok("bit-exact, not contracted".into())
}

fn globals(kit: &Kit) -> Outcome {
    let name = c"counter".to_owned();
    let count = kit.module.get_function("count")?;
    let stream = kit.lab.stream();
    // SAFETY: arguments as the kernel has them.
    unsafe { launch!(count<<<2, 64, 0, stream>>>(3i32))? };
    stream.synchronize()?;
    let mut value = 0;
    kit.module.get_global::<i32>(&name)?.copy_to(&mut value)?;
    same("counter", value, 5 + 2 * 64 * 3)?;
    let none = c"none".to_owned();
    refused(
        "unknown variable",
        kit.module.get_global::<i32>(&none).map(drop),
        &[CudaError::NotFound],
    )?;
    Ok("written by a kernel, read by the host".into())
}

fn macros(kit: &Kit) -> Outcome {
    let source = "extern \"C\" __global__ void put(ELEM *x) { x[0] = ELEM(1) / ELEM(3); }";
    let module = kit.lab.module(source, &["-DELEM=double"])?;
    let put = module.get_function("put")?;
    let x = DeviceBuffer::<f64>::zeroed(1)?;
    let stream = kit.lab.stream();
    // SAFETY: arguments as the kernel has them.
    unsafe { launch!(put<<<1, 1, 0, stream>>>(x.as_device_ptr()))? };
    same("third", x.as_host_vec()?[0], 1.0 / 3.0)?;
    Ok("-DELEM=double".into())
}

fn events(kit: &Kit) -> Outcome {
    let stream = kit.lab.stream();
    let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    refused("elapsed time of nothing", stop.elapsed_time_f32(&start), &[CudaError::InvalidHandle])?;
    let x = DeviceBuffer::from_slice(&vec![1i32; 1 << 16])?;
    let scale = kit.module.get_function("scale")?;
    start.record(stream)?;
    // SAFETY: arguments as the kernel has them.
    unsafe { launch!(scale<<<256, 256, 0, stream>>>(x.as_device_ptr(), 2i32, 1 << 16))? };
    stop.record(stream)?;
    let mut asked = 1;
    while stop.query()? == EventStatus::NotReady {
        asked += 1;
    }
    stop.synchronize()?;
    let ms = stop.elapsed_time_f32(&start)?;
    ensure(ms > 0.0 && ms < 1e4, || format!("elapsed time {ms} ms"))?;
    Ok(format!("{}; asked {asked} times", kit.lab.kernel_time_line(ms)?))
}

fn streams(kit: &Kit) -> Outcome {
    let chunk = 1usize << 14;
    let mut host = LockedBuffer::new(&2i32, 4 * chunk)?;
    let buffer = DeviceBuffer::<i32>::zeroed(4 * chunk)?;
    let scale = kit.module.get_function("scale")?;
    let streams =
        (0..4).map(|_| Stream::new(StreamFlags::DEFAULT, None)).collect::<Result<Vec<_>, _>>()?;
    for (i, stream) in streams.iter().enumerate() {
        let range = i * chunk..(i + 1) * chunk;
        let mut part = buffer.index(range.clone());
        // SAFETY: the buffers live until the context is synchronised.
        unsafe {
            part.async_copy_from(&host[range.clone()], stream)?;
            launch!(scale<<<chunk as u32 / 256, 256, 0, stream>>>(
                part.as_device_ptr(),
                i as i32,
                chunk as i32
            ))?;
            part.async_copy_to(&mut host[range], stream)?;
        }
    }
    CurrentContext::synchronize()?;
    let right = (0..4).all(|i| host[i * chunk..(i + 1) * chunk].iter().all(|v| *v == 2 * i as i32));
    ensure(right, || "a chunk is wrong".into())?;
    Ok("4 streams, pinned memory, asynchronous copies".into())
}

fn order(kit: &Kit) -> Outcome {
    let (one, two) =
        (Stream::new(StreamFlags::DEFAULT, None)?, Stream::new(StreamFlags::DEFAULT, Some(-1))?);
    let data = vec![7i32; 1 << 16];
    let mut buffer = DeviceBuffer::<i32>::zeroed(data.len())?;
    CurrentContext::synchronize()?;
    let scale = kit.module.get_function("scale")?;
    let copied = Event::new(EventFlags::DISABLE_TIMING)?;
    // SAFETY: `data` and `buffer` live on; arguments as the kernel has them.
    unsafe {
        buffer.async_copy_from(&data, &one)?;
        copied.record(&one)?;
        two.wait_event(copied, StreamWaitEventFlags::DEFAULT)?;
        launch!(scale<<<256, 256, 0, two>>>(buffer.as_device_ptr(), 3i32, 1 << 16))?;
    }
    two.synchronize()?;
    ensure(buffer.as_host_vec()?.iter().all(|v| *v == 21), || "the kernel came too early".into())?;
    let findings = kit.lab.take_faults();
    ensure(findings.is_empty(), || format!("{findings:?}"))?;
    Ok(format!("event between streams, priority {}", two.get_priority()?))
}

fn host_function(kit: &Kit) -> Outcome {
    static CALLED: AtomicU32 = AtomicU32::new(0);
    let stream = kit.lab.stream();
    stream.add_callback(Box::new(|| {
        CALLED.fetch_add(1, Ordering::SeqCst);
    }))?;
    stream.synchronize()?;
    same("calls", CALLED.load(Ordering::SeqCst), 1)?;
    Ok("called once".into())
}

fn fills(_: &Kit) -> Outcome {
    let mut buffer = DeviceBuffer::<u32>::zeroed(1000)?;
    same("zeroed", buffer.as_host_vec()?, vec![0; 1000])?;
    buffer.set_8(0x5a)?;
    same("8 bits", buffer.as_host_vec()?, vec![0x5a5a_5a5a; 1000])?;
    buffer.set_16(0x1234)?;
    same("16 bits", buffer.as_host_vec()?, vec![0x1234_1234; 1000])?;
    buffer.set_32(0xdead_beef)?;
    same("32 bits", buffer.as_host_vec()?, vec![0xdead_beef; 1000])?;
    let stream = Stream::new(StreamFlags::DEFAULT, None)?;
    // SAFETY: the buffer lives on.
    unsafe {
        buffer.set_8_async(1, &stream)?;
        buffer.set_16_async(2, &stream)?;
        buffer.set_32_async(3, &stream)?;
    }
    stream.synchronize()?;
    same("asynchronous", buffer.as_host_vec()?, vec![3; 1000])?;
    Ok("8, 16, 32 bits, both ways".into())
}

fn rectangles(_: &Kit) -> Outcome {
    let (width, height) = (5usize, 3usize);
    let (mut base, mut pitch) = (0u64, 0usize);
    // SAFETY: two out-pointers.
    code_of(unsafe { sys::cuMemAllocPitch_v2(&mut base, &mut pitch, width, height, 4) })?;
    let host: Vec<u8> = (0..40).collect();
    let mut back = vec![0u8; width * height];
    let to_device = sys::CUDA_MEMCPY2D {
        srcXInBytes: 2,
        srcY: 1,
        srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: host.as_ptr().cast(),
        srcDevice: 0,
        srcArray: std::ptr::null_mut(),
        srcPitch: 10,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstHost: std::ptr::null_mut(),
        dstDevice: base,
        dstArray: std::ptr::null_mut(),
        dstPitch: pitch,
        WidthInBytes: width,
        Height: height,
    };
    let to_host = sys::CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcHost: std::ptr::null(),
        srcDevice: base,
        srcPitch: pitch,
        dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
        dstHost: back.as_mut_ptr().cast(),
        dstDevice: 0,
        dstPitch: width,
        ..to_device
    };
    // SAFETY: rows 1..4 and columns 2..7 of 4 x 10 bytes; `back` has room for all rows.
    let copied = unsafe {
        code_of(sys::cuMemcpy2D_v2(&to_device)).and(code_of(sys::cuMemcpy2D_v2(&to_host)))
    };
    // SAFETY: allocated above.
    let freed = code_of(unsafe { sys::cuMemFree_v2(base) });
    copied.and(freed)?;
    let want: Vec<u8> = (1..4).flat_map(|y| (2..7).map(move |x| y * 10 + x)).collect();
    same("rectangle", back, want)?;
    Ok(format!("pitch {pitch}"))
}

fn managed(kit: &Kit) -> Outcome {
    let mut data = UnifiedBuffer::new(&3i32, 1000)?;
    data[7] = 10;
    let scale = kit.module.get_function("scale")?;
    let stream = kit.lab.stream();
    for factor in [2i32, 5] {
        // SAFETY: arguments as the kernel has them; the host waits before it looks.
        unsafe { launch!(scale<<<4, 256, 0, stream>>>(data.as_unified_ptr(), factor, 1000))? };
        stream.synchronize()?;
        data[0] += 1;
    }
    same("managed", (data[0], data[1], data[7]), ((3 * 2 + 1) * 5 + 1, 30, 100))?;
    Ok("host and device in turn".into())
}

fn pinned(kit: &Kit) -> Outcome {
    let mut data = LockedBuffer::new(&7i32, 64)?;
    let address = data.as_mut_ptr() as u64;
    let scale = kit.module.get_function("scale")?;
    let stream = kit.lab.stream();
    // SAFETY: arguments as the kernel has them: host and device use the same address.
    unsafe { launch!(scale<<<1, 64, 0, stream>>>(address, -1i32, 64))? };
    stream.synchronize()?;
    ensure(data.iter().all(|v| *v == -7), || format!("{:?}", &data[..4]))?;
    Ok("a kernel writes pinned memory".into())
}

fn counting_memory(_: &Kit) -> Outcome {
    let (before, total) = mem_get_info()?;
    let bytes = 64 << 20;
    let buffer = DeviceBuffer::<u8>::zeroed(bytes)?;
    let (after, _) = mem_get_info()?;
    drop(buffer);
    ensure(before - after >= bytes, || format!("free went from {before} to {after}"))?;
    Ok(format!("{} of {} MiB free", before >> 20, total >> 20))
}

fn occupancy(kit: &Kit) -> Outcome {
    let add = kit.module.get_function("add")?;
    let blocks = add.max_active_blocks_per_multiprocessor(BlockSize::x(256), 0)?;
    let (grid, block) = add.suggested_launch_configuration(0, BlockSize::x(0))?;
    let shared = add.available_dynamic_shared_memory_per_block(2.into(), BlockSize::x(256))?;
    ensure(blocks >= 1 && block >= 32 && grid >= 1, || format!("{blocks} {grid} {block}"))?;
    Ok(format!(
        "256 threads: {blocks} blocks; suggested {grid} x {block}; {shared} B shared for 2 blocks"
    ))
}

fn attributes(kit: &Kit) -> Outcome {
    let reduce = kit.module.get_function("reduce")?;
    same(
        "static shared memory",
        reduce.get_attribute(FunctionAttribute::SharedMemorySizeBytes)?,
        1024,
    )?;
    same("threads", reduce.get_attribute(FunctionAttribute::MaxThreadsPerBlock)?, 1024)?;
    Ok(format!("{} registers", reduce.get_attribute(FunctionAttribute::NumRegisters)?))
}

fn much_shared_memory(kit: &Kit) -> Outcome {
    let dynamic = kit.module.get_function("dynamic")?;
    let stream = kit.lab.stream();
    let out = DeviceBuffer::<i32>::zeroed(32)?;
    let bytes = 90_000u32;
    // SAFETY: arguments as the kernel has them.
    let launch = || unsafe { launch!(dynamic<<<1, 32, bytes, stream>>>(out.as_device_ptr())) };
    refused("90000 bytes without asking", launch(), &[CudaError::InvalidValue])?;
    let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    // SAFETY: a kernel of a live module.
    code_of(unsafe { sys::cuFuncSetAttribute(dynamic.to_raw(), attribute, bytes as i32) })?;
    launch()?;
    same("reversed", out.as_host_vec()?, (0..32).rev().collect())?;
    Ok("90000 bytes after asking, refused before".into())
}

fn threads(kit: &Kit) -> Outcome {
    let lab = Lab::new()?;
    let work = |factor: i32| -> Result<(), LabError> {
        let context = Context::new(lab.device())?;
        CurrentContext::set_current(&context)?;
        let scale = kit.module.get_function("scale")?;
        let stream = Stream::new(StreamFlags::DEFAULT, None)?;
        let data: Vec<i32> = (0..500).collect();
        let buffer = DeviceBuffer::from_slice(&data)?;
        // SAFETY: arguments as the kernel has them.
        unsafe { launch!(scale<<<2, 256, 0, stream>>>(buffer.as_device_ptr(), factor, 500))? };
        stream.synchronize()?;
        same("thread", buffer.as_host_vec()?, data.iter().map(|v| v * factor).collect())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (1..5).map(|t| scope.spawn(move || work(t))).collect();
        running
            .into_iter()
            .map(|t| t.join().unwrap_or_else(|_| Err(LabError::msg("a thread panicked"))))
            .collect::<Result<Vec<()>, _>>()
    })?;
    Ok("4 threads".into())
}

fn refused_launches(kit: &Kit) -> Outcome {
    let scale = kit.module.get_function("scale")?;
    let stream = kit.lab.stream();
    let x = DeviceBuffer::<i32>::zeroed(32)?;
    let p = x.as_device_ptr();
    // SAFETY: arguments as the kernel has them.
    let (block, grid) = unsafe {
        (
            launch!(scale<<<1, 2000, 0, stream>>>(p, 1i32, 32)),
            launch!(scale<<<0, 32, 0, stream>>>(p, 1i32, 32)),
        )
    };
    let block = refused("block of 2000 threads", block, &[CudaError::InvalidValue])?;
    let grid = refused("grid of 0 blocks", grid, &[CudaError::InvalidValue])?;
    // SAFETY: arguments as the kernel has them.
    unsafe {
        launch!(scale<<<1, 32, 0, stream>>>(p, 1i32, 32)).during("launch after refused ones")?
    };
    stream.synchronize()?;
    Ok(format!("block of 2000: {block}, empty grid: {grid}; the context lives on"))
}

fn refused_images(kit: &Kit) -> Outcome {
    let garbage = Module::from_ptx("this is not PTX", &[]);
    let garbage =
        refused("garbage", garbage.map(drop), &[CudaError::InvalidPtx, CudaError::InvalidImage])?;
    let file =
        refused("no file", Module::from_file("none.ptx").map(drop), &[CudaError::FileNotFound])?;
    let broken =
        kit.lab.module("extern \"C\" __global__ void k(int *c) {\n    c[idx] = 1;\n}\n", &[]);
    let message = match broken {
        Err(LabError::Compile { line, .. }) => line,
        other => return Err(LabError::msg(format!("broken source: {:?}", other.map(drop)))),
    };
    ensure(message.contains("idx"), || message.clone())?;
    Ok(format!("garbage: {garbage}, no file: {file}, broken source: {message}"))
}

fn unknown_names(kit: &Kit) -> Outcome {
    let unknown = refused(
        "unknown kernel",
        kit.module.get_function("nothing").map(drop),
        &[CudaError::NotFound],
    )?;
    refused(
        "mangled kernel",
        kit.module.get_function("mangled").map(drop),
        &[CudaError::NotFound],
    )?;
    Ok(format!("{unknown}; without extern \"C\" as well"))
}

fn too_much_memory(_: &Kit) -> Outcome {
    // SAFETY: refused.
    let huge = unsafe { DeviceBuffer::<u8>::uninitialized(1 << 42) };
    refused("4 TiB", huge.map(drop), &[CudaError::OutOfMemory])
}

fn double_free(kit: &Kit) -> Outcome {
    // SAFETY: freeing twice is what is tested; the driver checks.
    let second = unsafe {
        let mut address = 0;
        code_of(sys::cuMemAlloc_v2(&mut address, 64))?;
        code_of(sys::cuMemFree_v2(address))?;
        code_of(sys::cuMemFree_v2(address))
    };
    kit.lab.take_faults();
    refused("second free", second, &[CudaError::InvalidValue])
}

fn bad_copies(_: &Kit) -> Outcome {
    let buffer = DeviceBuffer::from_slice(&[1u8, 2, 3, 4])?;
    let host = vec![0u8; 1 << 26];
    let address = buffer.as_device_ptr().as_raw();
    // SAFETY: the host has the bytes; the driver checks the device's range, which is far too small.
    let code = code_of(unsafe { sys::cuMemcpyHtoD_v2(address, host.as_ptr().cast(), host.len()) });
    refused("copy beyond the buffer", code, &[CudaError::InvalidValue])
}

fn pointer_attributes(_: &Kit) -> Outcome {
    let buffer = DeviceBuffer::from_slice(&[1u8; 100])?;
    let address = buffer.as_device_ptr().as_raw();
    let mut kind = 0u32;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    // SAFETY: this attribute is an unsigned int.
    code_of(unsafe { sys::cuPointerGetAttribute((&raw mut kind).cast(), attribute, address) })?;
    same("kind of memory", kind, 2)?;
    Ok("device memory".into())
}

fn texts(_: &Kit) -> Outcome {
    let text = CudaError::InvalidValue.to_string();
    same("text", text.as_str(), "\"invalid argument\"")?;
    let version = cust::CudaApiVersion::get()?;
    Ok(format!("driver API {}.{}", version.major(), version.minor()))
}

fn bandwidth(kit: &Kit) -> Outcome {
    let n: usize = if backend() == Backend::Cuda { 1 << 26 } else { 1 << 16 };
    let (a, b, c) = (
        DeviceBuffer::<f32>::zeroed(n)?,
        DeviceBuffer::<f32>::zeroed(n)?,
        DeviceBuffer::<f32>::zeroed(n)?,
    );
    let add = kit.module.get_function("add")?;
    let stream = kit.lab.stream();
    let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    let mut best = f32::INFINITY;
    for _ in 0..5 {
        start.record(stream)?;
        // SAFETY: arguments as the kernel has them.
        unsafe {
            launch!(add<<<(n / 256) as u32, 256, 0, stream>>>(
                c.as_device_ptr(),
                a.as_device_ptr(),
                b.as_device_ptr(),
                n as i32
            ))?;
        }
        stop.record(stream)?;
        stop.synchronize()?;
        best = best.min(stop.elapsed_time_f32(&start)?);
    }
    let gbs = 12.0 * n as f64 / (f64::from(best) * 1e6);
    Ok(format!("{}; {gbs:.0} GB/s for n = {n}", kit.lab.kernel_time_line(best)?))
}

/// Last, because a fault spoils the context.
fn illegal_address(kit: &Kit) -> Outcome {
    let far_away = kit.module.get_function("far_away")?;
    let stream = kit.lab.stream();
    let x = DeviceBuffer::<i32>::zeroed(1)?;
    // SAFETY: the access far outside is what is tested.
    let launched = unsafe { launch!(far_away<<<1, 1, 0, stream>>>(x.as_device_ptr())) };
    let result = launched.and_then(|()| stream.synchronize());
    let text = result.map_err(LabError::from).err().map(|e| e.to_string()).unwrap_or_default();
    // A card says the second where the address lies in the window of shared or local memory.
    let codes = [CudaError::IllegalAddress, CudaError::InvalidAddressSpace];
    let code = refused("write far outside", result, &codes)?;
    let mut back = [0];
    refused("copy in a spoilt context", x.copy_to(&mut back), &codes)?;
    kit.lab.take_faults();
    Ok(format!("{code}, also for later calls; {text}"))
}

type Check = fn(&Kit) -> Outcome;

const CHECKS: &[(&str, Check)] = &[
    ("symbols", symbols),
    ("device", device),
    ("error texts, version", texts),
    ("vector add", vector_add),
    ("reduction", reduction),
    ("constant memory", constants),
    ("device variables", globals),
    ("macros", macros),
    ("events", events),
    ("streams", streams),
    ("stream waits for event", order),
    ("host function", host_function),
    ("fills", fills),
    ("2-D copies", rectangles),
    ("managed memory", managed),
    ("pinned memory", pinned),
    ("memory information", counting_memory),
    ("pointer attributes", pointer_attributes),
    ("occupancy", occupancy),
    ("kernel attributes", attributes),
    ("much shared memory", much_shared_memory),
    ("host threads", threads),
    ("refused launches", refused_launches),
    ("refused images", refused_images),
    ("unknown names", unknown_names),
    ("too much memory", too_much_memory),
    ("double free", double_free),
    ("copy beyond a buffer", bad_copies),
    ("bandwidth", bandwidth),
    ("illegal address", illegal_address),
];

#[derive(Serialize)]
struct Line {
    check: &'static str,
    ok: bool,
    detail: String,
    wall_ms: f64,
}

#[derive(Serialize)]
struct Report {
    backend: &'static str,
    device: String,
    checks: Vec<Line>,
}

fn run() -> Result<Report, LabError> {
    let kit = Kit::new()?;
    let device = kit.lab.device().name()?;
    let mut checks = Vec::new();
    for (check, run) in CHECKS {
        let start = Instant::now();
        let outcome = run(&kit);
        let wall_ms = start.elapsed().as_secs_f64() * 1e3;
        let (ok, detail) = match outcome {
            Ok(detail) => (true, detail),
            Err(error) => (false, error.report()),
        };
        checks.push(Line { check, ok, detail, wall_ms });
    }
    Ok(Report { backend: backend().name(), device, checks })
}

fn main() -> ExitCode {
    let json = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--json" => true,
        _ => {
            eprintln!("usage: selftest [--json]");
            return ExitCode::from(2);
        }
    };
    let report = match run() {
        Ok(report) => report,
        Err(error) => return labkit::exit(Err(error)),
    };
    let failed = report.checks.iter().filter(|c| !c.ok).count();
    if json {
        println!("{}", serde_json::to_string_pretty(&report).unwrap_or_default());
    } else {
        println!("back end {}, device {}", report.backend, report.device);
        for c in &report.checks {
            let mark = if c.ok { "ok" } else { "FAILED" };
            println!("{:<24} {mark:<7} {:>9.1} ms  {}", c.check, c.wall_ms, c.detail);
        }
        println!("{} checks, {failed} failed", report.checks.len());
    }
    ExitCode::from(u8::from(failed > 0))
}
