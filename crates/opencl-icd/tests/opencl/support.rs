//! Platforms to run on, and the errors of ocl taken apart.

use ocl::core::Status;
use ocl::{Context, Device, Error, Platform, ProQue, Program, Queue};

/// The emulated platform.
pub fn emulated() -> Platform {
    find(opencl_icd::PLATFORM_NAME).expect("the emulated platform is always there")
}

fn find(name: &str) -> Option<Platform> {
    // Its order does not matter here.
    Platform::list().into_iter().find(|p| p.name().is_ok_and(|found| found.contains(name)))
}

/// The emulated platform and every other one of this machine: a GPU's, where there is one, and
/// PoCL.
///
/// Without PoCL the reason is printed, and under `CI=true` that is an error.
pub fn everywhere() -> Vec<Platform> {
    if find("Portable Computing Language").is_none() {
        assert!(
            std::env::var("CI").as_deref() != Ok("true"),
            "PoCL is missing (Debian package pocl-opencl-icd), and CI=true"
        );
        println!("skipped on PoCL: not installed (Debian package pocl-opencl-icd)");
    }
    let mut list = vec![emulated()];
    list.extend(Platform::list().into_iter().filter(|p| p.as_ptr() != emulated().as_ptr()));
    list
}

/// No events to wait for, and no event wanted.
pub const NO_LIST: Option<&ocl::core::Event> = None;
pub const NO_EVENT: Option<&mut ocl::core::Event> = None;

/// A queue with profiling in a context of its own.
pub fn queue(platform: Platform) -> Queue {
    let device = Device::first(platform).unwrap();
    let context = Context::builder().platform(platform).devices(device).build().unwrap();
    Queue::new(&context, device, Some(ocl::flags::QUEUE_PROFILING_ENABLE)).unwrap()
}

/// A program with a queue.
pub fn pro_que(platform: Platform, source: &str, dims: impl Into<ocl::SpatialDims>) -> ProQue {
    let queue = queue(platform);
    let program =
        Program::builder().src(source).devices(queue.device()).build(&queue.context()).unwrap();
    ProQue::new(queue.context(), queue, program, Some(dims.into()))
}

/// The status in an error of ocl.
pub fn status(error: &Error) -> Status {
    error.api_status().unwrap_or(Status::CL_SUCCESS)
}

/// The status of a call that must fail, and the reason that is kept for people.
pub fn refusal<T>(result: Result<T, impl Into<Error>>) -> (Status, String) {
    let error = result.err().expect("the call must fail").into();
    (status(&error), opencl_icd::last_error_text().unwrap_or_default())
}
