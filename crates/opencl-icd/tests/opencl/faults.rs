//! What goes wrong, and what people are told.

use std::os::raw::{c_char, c_void};
use std::sync::Mutex;

use ocl::core::Status;
use ocl::{Buffer, Program};

use crate::support::{NO_EVENT, NO_LIST, emulated, pro_que, queue, refusal};

const SHIFT: &str = "#line 1 \"shift.cl\"
__kernel void shift(__global const float *from, __global float *to) {
    int i = get_global_id(0);
    to[i] = from[i + 1];
}
";

#[test]
fn a_fault_is_told_with_its_line_and_spoils_the_context() {
    let pq = pro_que(emulated(), SHIFT, 64);
    let from = Buffer::builder().queue(pq.queue().clone()).len(64).fill_val(1f32).build().unwrap();
    let to = pq.create_buffer::<f32>().unwrap();
    let kernel = pq.kernel_builder("shift").arg(&from).arg(&to).build().unwrap();
    // SAFETY: the emulated device stops the kernel at its fault.
    let (status, text) = refusal(unsafe { kernel.enq() });
    assert_eq!(status, Status::CL_OUT_OF_RESOURCES);
    assert!(text.contains("fault[OOB-G]") && text.contains("reads from[64]"), "{text}");
    assert!(text.contains("shift.cl:3:") && text.contains("to[i] = from[i + 1];"), "{text}");
    assert!(emulation::findings::take_faults().iter().any(|fault| fault.kernel == "shift"));
    let (status, text) = refusal(to.read(&mut vec![0.0; 64]).enq());
    assert_eq!(status, Status::CL_INVALID_COMMAND_QUEUE);
    assert!(text.contains("from[64]"), "{text}");
    // Another context is as good as new.
    let other = pro_que(emulated(), SHIFT, 63);
    let from =
        Buffer::builder().queue(other.queue().clone()).len(64).fill_val(1f32).build().unwrap();
    let to = other.create_buffer::<f32>().unwrap();
    let kernel = other.kernel_builder("shift").arg(&from).arg(&to).build().unwrap();
    // SAFETY: one element less.
    unsafe { kernel.enq().unwrap() };
}

#[test]
fn the_build_log_shows_the_line() {
    let queue = queue(emulated());
    let source = "#line 1 \"kernels/wrong.cl\"\n__kernel void k(__global float *a) {\n    a[0] = \
        missing;\n}\n";
    let program = Program::builder().src(source).devices(queue.device()).build(&queue.context());
    let text = program.unwrap_err().to_string();
    assert!(text.contains("kernels/wrong.cl:2:12") && text.contains("a[0] = missing;"), "{text}");
}

#[test]
fn wrong_arguments_are_named() {
    let pq = pro_que(emulated(), SHIFT, 64);
    let buffer = pq.create_buffer::<f32>().unwrap();
    // SAFETY: nothing is launched.
    let mut builder = pq.kernel_builder("shift");
    let kernel = builder.arg(&buffer).arg(&buffer).build().unwrap();
    let set = |index, size, value: *const c_void| {
        // SAFETY: a kernel and a value of at least `size` bytes.
        let code = unsafe { cl_sys::clSetKernelArg(kernel.as_core().as_ptr(), index, size, value) };
        (code, opencl_icd::last_error_text().unwrap_or_default())
    };
    let four = 4.0f32;
    let (code, text) = set(1, 4, (&raw const four).cast());
    assert_eq!(code, cl_sys::CL_INVALID_ARG_SIZE);
    assert!(text.contains("argument 1, `__global float* to` of `shift`"), "{text}");
    let (code, text) = set(2, 8, std::ptr::null());
    assert_eq!(code, cl_sys::CL_INVALID_ARG_INDEX);
    assert!(text.contains("has 2 arguments"), "{text}");
    let nonsense = 77usize;
    assert_eq!(set(0, 8, (&raw const nonsense).cast()).0, cl_sys::CL_INVALID_MEM_OBJECT);
    let unset = ocl::core::create_kernel(pq.program(), "shift").unwrap();
    // SAFETY: the launch is refused.
    let launched = unsafe {
        ocl::core::enqueue_kernel(pq.queue(), &unset, 1, None, &[64, 1, 1], None, NO_LIST, NO_EVENT)
    };
    let error = launched.unwrap_err();
    assert_eq!(error.api_status(), Some(Status::CL_INVALID_KERNEL_ARGS));
    let text = opencl_icd::last_error_text().unwrap();
    assert!(
        text.contains("argument 0, `__global const float* from` of `shift`: not set"),
        "{text}"
    );
    let missing = ocl::core::create_kernel(pq.program(), "no_such").unwrap_err();
    assert_eq!(missing.api_status(), Some(Status::CL_INVALID_KERNEL_NAME));
    assert!(opencl_icd::last_error_text().unwrap().contains("(shift)"));
}

#[test]
fn sizes_of_a_launch_are_checked() {
    let pq = pro_que(emulated(), SHIFT, 64);
    let buffer =
        Buffer::builder().queue(pq.queue().clone()).len(65).fill_val(1f32).build().unwrap();
    let to = pq.create_buffer::<f32>().unwrap();
    let kernel = pq.kernel_builder("shift").arg(&buffer).arg(&to).build().unwrap();
    for (global, local, want) in [
        (64usize, 48usize, Status::CL_INVALID_WORK_GROUP_SIZE),
        (4096, 2048, Status::CL_INVALID_WORK_ITEM_SIZE),
    ] {
        // SAFETY: the launch is refused.
        let (status, text) =
            refusal(unsafe { kernel.cmd().global_work_size(global).local_work_size(local).enq() });
        assert_eq!(status, want, "{global} {local}: {text}");
        assert!(!text.is_empty());
    }
    // A refusal spoils nothing.
    // SAFETY: as many elements as there are.
    unsafe { kernel.cmd().local_work_size(32).enq().unwrap() };
}

#[test]
fn memory_read_too_early_is_a_finding() {
    let queue = queue(emulated());
    let buffer = Buffer::<u8>::builder().queue(queue).len(977).build().unwrap();
    buffer.read(&mut vec![0; 977]).enq().unwrap();
    let faults = emulation::findings::take_faults();
    assert!(
        faults
            .iter()
            .any(|f| f.kernel == "clEnqueueReadBuffer" && f.message.contains("never written"))
    );
}

#[test]
fn the_context_is_told() {
    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    extern "C" fn tell(text: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {
        // SAFETY: the platform passes a text that ends in NUL.
        let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned();
        TOLD.lock().unwrap().push(text);
    }
    let device = ocl::Device::first(emulated()).unwrap();
    let mut status = 0;
    // SAFETY: a list of one device, and a callback of the right signature.
    let context = unsafe {
        cl_sys::clCreateContext(
            std::ptr::null(),
            1,
            &device.as_raw(),
            Some(tell),
            std::ptr::null_mut(),
            &mut status,
        )
    };
    assert_eq!(status, 0);
    // SAFETY: a context; the flags exclude one another, which is refused.
    let none = unsafe { cl_sys::clCreateBuffer(context, 3, 16, std::ptr::null_mut(), &mut status) };
    assert!(none.is_null());
    assert_eq!(status, cl_sys::CL_INVALID_VALUE);
    let told = TOLD.lock().unwrap().join("\n");
    assert!(told.contains("clCreateBuffer: CL_INVALID_VALUE: flags of a buffer"), "{told}");
    // SAFETY: the context of above.
    unsafe { cl_sys::clReleaseContext(context) };
}
