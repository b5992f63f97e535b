//! Launches that are refused, and faults.

use cuda_driver::{After, GraphBuilder, LaunchGraph};
use cust::error::CudaError;
use cust::function::FunctionAttribute;
use cust::launch;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use cust::sys;

use super::{findings, module, rig, why};

const SOURCE: &str = r#"
extern "C" __global__ void fill(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}
extern "C" __global__ void unguarded(int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
extern "C" __global__ void endless(int *out) { while (true) atomicAdd(out, 1); }
extern "C" __global__ void misaligned(char *out) { *(int *)(out + 1) = 5; }
extern "C" __global__ void __launch_bounds__(64) bounded(int *out) { out[threadIdx.x] = 1; }
extern "C" __global__ void dynamic(int *out) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
"#;

struct Kit {
    stream: Stream,
    module: Module,
}

fn kit() -> Kit {
    Kit { stream: Stream::new(StreamFlags::DEFAULT, None).unwrap(), module: module(SOURCE) }
}

#[test]
fn impossible_launches_are_refused_and_spoil_nothing() {
    let _rig = rig();
    let Kit { stream, module } = &kit();
    let out = DeviceBuffer::<i32>::zeroed(4096).unwrap();
    let fill = module.get_function("fill").unwrap();
    let bounded = module.get_function("bounded").unwrap();
    let n = 4096i32;
    // SAFETY: arguments as the kernels have them.
    unsafe {
        let p = out.as_device_ptr();
        assert_eq!(launch!(fill<<<1, 1025, 0, stream>>>(p, n)), Err(CudaError::InvalidValue));
        assert_eq!(why(), "a block of 1025 threads in x is too large: at most 1024");
        assert_eq!(launch!(fill<<<1, (64, 32), 0, stream>>>(p, n)), Err(CudaError::InvalidValue));
        assert_eq!(why(), "a block of 2048 threads is too large: at most 1024");
        assert_eq!(launch!(fill<<<0, 32, 0, stream>>>(p, n)), Err(CudaError::InvalidValue));
        assert_eq!(why(), "`fill` was launched with a grid of size 0 in x");
        assert_eq!(
            launch!(fill<<<(1, 65536), 32, 0, stream>>>(p, n)),
            Err(CudaError::InvalidValue)
        );
        assert_eq!(launch!(fill<<<1, 32, 50000, stream>>>(p, n)), Err(CudaError::InvalidValue));
        assert!(why().contains("50000 bytes of dynamic shared memory"), "{}", why());
        assert_eq!(launch!(bounded<<<1, 65, 0, stream>>>(p)), Err(CudaError::InvalidValue));
        assert!(why().contains("__launch_bounds__ says 64"), "{}", why());
        launch!(fill<<<16, 256, 0, stream>>>(p, n)).unwrap();
    }
    assert_eq!(out.as_host_vec().unwrap()[4095], 4095);
    assert_eq!(findings(), []);
}

#[test]
#[cfg(target_os = "linux")]
fn a_missing_argument_is_told() {
    let _rig = rig();
    let Kit { stream, module } = &kit();
    let out = DeviceBuffer::<i32>::zeroed(32).unwrap();
    let fill = module.get_function("fill").unwrap();
    let p = out.as_device_ptr();
    let mut arguments = [(&raw const p).cast_mut().cast(), std::ptr::null_mut()];
    // SAFETY: the null that follows the one argument is what is tested.
    let code = unsafe {
        sys::cuLaunchKernel(
            fill.to_raw(),
            1,
            1,
            1,
            32,
            1,
            1,
            0,
            stream.as_inner(),
            arguments.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    };
    assert_eq!(code, sys::CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(why(), "kernel `fill` has 2 parameters (out, n), but the launch passes 1");
}

/// Where no kernel can begin before the one in front of it has ended.
#[test]
fn an_early_launch_is_a_launch() {
    let _rig = rig();
    let Kit { stream, module } = &kit();
    let out = DeviceBuffer::<i32>::zeroed(32).unwrap();
    let fill = module.get_function("fill").unwrap();
    let (p, n) = (out.as_device_ptr(), 32i32);
    let mut arguments = [(&raw const p).cast_mut().cast(), (&raw const n).cast_mut().cast()];
    let (function, on) = (fill.to_raw().cast(), stream.as_inner().cast());
    let mut launch = |threads: u32| {
        let arguments = arguments.as_mut_ptr();
        // SAFETY: the parameters of `fill`, which writes n numbers.
        unsafe { cuda_driver::launch_early(function, [1; 3], [threads, 1, 1], 0, on, arguments) }
    };
    assert_eq!(launch(32), 0);
    assert_eq!(launch(2048), sys::CUresult::CUDA_ERROR_INVALID_VALUE as u32);
    assert_eq!(out.as_host_vec().unwrap()[31], 31);
}

/// Each time with the arguments that were there when it was built, in the order in which they stand
/// behind each other; and where it cannot run, it is a launch that cannot.
#[test]
fn a_graph_is_issued_as_often_as_wanted() {
    let _rig = rig();
    let module =
        module("extern \"C\" __global__ void twice(int *x, int add) { *x = 2 * *x + add; }");
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let twice = module.get_function("twice").unwrap();
    let x = DeviceBuffer::from_slice(&[1i32]).unwrap();
    let p = x.as_device_ptr();
    let graph_of = |threads: u32, adds: &[i32]| {
        let mut builder = GraphBuilder::new().unwrap();
        let mut after = Vec::new();
        for add in adds {
            let mut arguments =
                [(&raw const p).cast_mut().cast(), (&raw const *add).cast_mut().cast()];
            // SAFETY: the parameters of `twice`; the buffer lives on.
            let node = unsafe {
                builder.launch(
                    twice.to_raw().cast(),
                    [1; 3],
                    [threads, 1, 1],
                    0,
                    arguments.as_mut_ptr(),
                    &after,
                )
            };
            after = vec![After::Early(node.unwrap())];
        }
        builder.finish().unwrap()
    };
    // SAFETY: as above.
    let issue = |graph: &LaunchGraph| unsafe { graph.issue(stream.as_inner().cast()) };
    let graph = graph_of(1, &[1, 0]);
    assert_eq!((issue(&graph), issue(&graph)), (0, 0));
    assert_eq!(x.as_host_vec().unwrap(), [26]);
    let impossible = graph_of(2048, &[1]);
    assert_eq!(issue(&impossible), sys::CUresult::CUDA_ERROR_INVALID_VALUE as u32);
}

/// How many registers a kernel needs is an estimate here, and a correct program must run.
#[test]
fn registers_refuse_no_launch() {
    let _rig = rig();
    let module = module(
        "extern \"C\" __global__ void hold(float *x) {
    float v[128];
    #pragma unroll
    for (int k = 0; k < 128; k++) v[k] = x[1024 * k + threadIdx.x];
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 128; k++) x[1024 * k + threadIdx.x] = v[127 - k];
}",
    );
    let hold = module.get_function("hold").unwrap();
    let registers = hold.get_attribute(FunctionAttribute::NumRegisters).unwrap();
    assert!(registers * 1024 > 65536, "{registers}");
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let x = DeviceBuffer::<f32>::zeroed(128 * 1024).unwrap();
    // SAFETY: 1024 threads stay within the buffer, which lives on.
    unsafe { launch!(hold<<<1, 1024, 0, stream>>>(x.as_device_ptr())) }.unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn more_shared_memory_is_to_be_had_after_asking() {
    let _rig = rig();
    let Kit { stream, module } = &kit();
    let out = DeviceBuffer::<i32>::zeroed(32).unwrap();
    let dynamic = module.get_function("dynamic").unwrap();
    let bytes = 100_000u32;
    // SAFETY: arguments as the kernel has them.
    unsafe {
        let p = out.as_device_ptr();
        assert_eq!(launch!(dynamic<<<1, 32, bytes, stream>>>(p)), Err(CudaError::InvalidValue));
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let code = sys::cuFuncSetAttribute(dynamic.to_raw(), attribute, bytes as i32);
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
        launch!(dynamic<<<1, 32, bytes, stream>>>(p)).unwrap();
        let code = sys::cuFuncSetAttribute(dynamic.to_raw(), attribute, 300_000);
        assert_eq!(code, sys::CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(out.as_host_vec().unwrap()[31], 31);
}

#[test]
fn a_fault_names_its_line_and_spoils_the_context() {
    let _rig = rig();
    let Kit { stream, module } = &kit();
    let out = DeviceBuffer::<i32>::zeroed(2000).unwrap();
    let unguarded = module.get_function("unguarded").unwrap();
    // SAFETY: arguments as the kernel has them; the access outside is what is tested.
    let result = unsafe { launch!(unguarded<<<8, 256, 0, stream>>>(out.as_device_ptr())) };
    assert_eq!(result, Err(CudaError::IllegalAddress));
    let text = why();
    assert!(text.starts_with("fault[OOB-G]: "), "{text}");
    assert!(text.contains("test.cu:7:") && text.contains("out[2000]"), "{text}");
    // As on a real device, nothing works in this context any more.
    let mut back = vec![0; 2000];
    assert_eq!(out.copy_to(&mut back), Err(CudaError::IllegalAddress));
    assert_eq!(stream.synchronize(), Err(CudaError::IllegalAddress));
    assert!(why().contains("OOB-G"), "{}", why());
    let found = emulation::findings::take_faults();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].threads, 48);
    assert_eq!(found[0].site.as_ref().unwrap().thread, [208, 0, 0]);
    drop(out);
    // A new context starts afresh.
    drop(_rig);
    let _rig = rig();
    let (free, total) = cust::memory::mem_get_info().unwrap();
    assert_eq!(free, total);
    assert_eq!(findings(), []);
}

#[test]
fn each_kind_of_fault_has_its_code() {
    for (kernel, code, class) in [
        ("endless", CudaError::LaunchTimeout, "STEPS"),
        ("misaligned", CudaError::MisalignedAddress, "MISALIGN"),
    ] {
        let _rig = rig();
        let Kit { stream, module } = &kit();
        let out = DeviceBuffer::<i32>::zeroed(64).unwrap();
        let f = module.get_function(kernel).unwrap();
        // SAFETY: arguments as the kernels have them.
        let result = unsafe { launch!(f<<<1, 1, 0, stream>>>(out.as_device_ptr())) };
        assert_eq!(result, Err(code), "{}", why());
        assert_eq!(findings()[0].0, class);
    }
}
