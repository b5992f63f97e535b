//! Vector addition with ocl: lab 1's kernel `add.cl` on each OpenCL platform of this machine, and
//! on the emulated one.
//!
//! `cargo run -p opencl-icd --example vecadd -- [KERNEL FILE]`

use std::path::PathBuf;
use std::process::ExitCode;

use ocl::enums::ProfilingInfo;
use ocl::flags::QUEUE_PROFILING_ENABLE;
use ocl::{Buffer, Context, Device, Event, Kernel, Platform, Program, Queue};
// Brings the functions of OpenCL: the machine's, and those of the emulated platform.
use opencl_icd as _;

const N: usize = 1 << 20;
/// Work items of a group.
const GROUP: usize = 256;

fn main() -> ExitCode {
    let lab = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lab1-cuda-intro/kernels/add.cl");
    let file = std::env::args_os().nth(1).map_or_else(|| lab.into(), PathBuf::from);
    let source = match std::fs::read_to_string(&file) {
        Ok(source) => source,
        Err(error) => {
            eprintln!("error: {}: {error}", file.display());
            return ExitCode::from(2);
        }
    };
    // The compilers of all platforms then name the file in their messages.
    let source = format!("#line 1 \"add.cl\"\n{source}");
    let mut code = ExitCode::SUCCESS;
    for platform in Platform::list() {
        if let Err(error) = add(platform, &source) {
            // What the emulated platform knows beyond the status: the source line.
            let reason = opencl_icd::last_error_text().unwrap_or_default();
            eprintln!("error: {}\n{reason}", error.to_string().trim());
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn add(platform: Platform, source: &str) -> ocl::Result<()> {
    let device = Device::first(platform)?;
    let context = Context::builder().platform(platform).devices(device).build()?;
    let queue = Queue::new(&context, device, Some(QUEUE_PROFILING_ENABLE))?;
    let program =
        Program::builder().src(source).devices(device).cmplr_opt("-D ELEM=int").build(&context)?;
    let a: Vec<i32> = (0..N as i32).collect();
    let b: Vec<i32> = a.iter().map(|i| 10_000 - i).collect();
    let buffer = |data: &[i32]| {
        Buffer::builder().queue(queue.clone()).len(data.len()).copy_host_slice(data).build()
    };
    let (a, b) = (buffer(&a)?, buffer(&b)?);
    let c = Buffer::<i32>::builder().queue(queue.clone()).len(N).build()?;
    let kernel = Kernel::builder()
        .program(&program)
        .name("add_kernel")
        .queue(queue.clone())
        .global_work_size(N.next_multiple_of(GROUP))
        .local_work_size(GROUP)
        .arg(&c)
        .arg(&a)
        .arg(&b)
        .arg(N as i32)
        .build()?;
    let mut event = Event::empty();
    // SAFETY: three buffers of N elements and N, as the kernel has them.
    unsafe { kernel.cmd().enew(&mut event).enq()? };
    let mut found = vec![0; N];
    c.read(&mut found).enq()?;
    let wrong = found.iter().position(|c| *c != 10_000);
    let time = |what| event.profiling_info(what).map(|t| t.time().unwrap_or(0) as f64);
    let ms = (time(ProfilingInfo::End)? - time(ProfilingInfo::Start)?) * 1e-6;
    let predicted = if platform.name()? == opencl_icd::PLATFORM_NAME { " predicted" } else { "" };
    let verdict = match wrong {
        None => "right".to_owned(),
        Some(i) => format!("c[{i}] is {}, expected 10000", found[i]),
    };
    println!("{}: {N} sums, {verdict}, {ms:.4} ms{predicted}", device.name()?);
    Ok(())
}
