//! The tiled FIR filter with ocl: lab 2's kernel `fir4.cl` on each OpenCL platform of this machine,
//! and on the emulated one.
//!
//! `cargo run -p opencl-icd --example fir -- [KERNEL FILE [SAMPLES [PLATFORM]]]`; PLATFORM is a
//! part of the name of those to use.

use std::path::PathBuf;
use std::process::ExitCode;

use ocl::enums::ProfilingInfo;
use ocl::flags::QUEUE_PROFILING_ENABLE;
use ocl::{Buffer, Context, Device, Event, Kernel, MemFlags, Platform, Program, Queue};
use opencl_icd as _;

/// Order of the filter.
const N: usize = 1024;
/// Work items of a group.
const K: usize = 512;

fn main() -> ExitCode {
    let lab = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lab2-optimization/kernels/fir4.cl");
    let file = std::env::args_os().nth(1).map_or_else(|| lab.into(), PathBuf::from);
    let samples = std::env::args().nth(2).map_or(Ok(1 << 16), |n| n.parse::<usize>());
    let (source, samples) = match (std::fs::read_to_string(&file), samples) {
        (Ok(source), Ok(samples)) if samples > 0 => (source, samples),
        (Err(error), _) => {
            eprintln!("error: {}: {error}", file.display());
            return ExitCode::from(2);
        }
        _ => {
            eprintln!("error: SAMPLES is a number, 1 or more");
            return ExitCode::from(2);
        }
    };
    let source = format!("#line 1 \"fir4.cl\"\n{source}");
    let wanted = std::env::args().nth(3).unwrap_or_default();
    let mut code = ExitCode::SUCCESS;
    let all = Platform::list().into_iter();
    for platform in all.filter(|p| p.name().is_ok_and(|name| name.contains(&wanted))) {
        if let Err(error) = filter(platform, &source, samples) {
            let reason = opencl_icd::last_error_text().unwrap_or_default();
            eprintln!("error: {}\n{reason}", error.to_string().trim());
            code = ExitCode::FAILURE;
        }
    }
    code
}

/// A signal and coefficients that no pattern fits.
fn noise(count: usize, factor: u32) -> Vec<f32> {
    (0..count as u32).map(|i| (i.wrapping_mul(factor) >> 8) as f32 / 16_777_216.0 - 0.5).collect()
}

fn filter(platform: Platform, source: &str, samples: usize) -> ocl::Result<()> {
    let device = Device::first(platform)?;
    let context = Context::builder().platform(platform).devices(device).build()?;
    let queue = Queue::new(&context, device, Some(QUEUE_PROFILING_ENABLE))?;
    let options = format!("-D K={K}");
    let program =
        Program::builder().src(source).devices(device).cmplr_opt(options).build(&context)?;
    let padded = samples.next_multiple_of(K);
    let (signal, coeff) = (noise(samples, 2_654_435_761), noise(N + 1, 2_246_822_519));
    let mut with_zeros = vec![0.0f32; N + padded];
    with_zeros[N..N + samples].copy_from_slice(&signal);
    let read_only = MemFlags::new().read_only();
    let buffer = |data: &[f32]| {
        Buffer::builder()
            .queue(queue.clone())
            .flags(read_only)
            .len(data.len())
            .copy_host_slice(data)
            .build()
    };
    let yin = buffer(&with_zeros)?;
    let table = buffer(&coeff)?;
    let yout = Buffer::<f32>::builder().queue(queue.clone()).len(padded).build()?;
    let kernel = Kernel::builder()
        .program(&program)
        .name("audiofir_kernel")
        .queue(queue.clone())
        .global_work_size(padded)
        .local_work_size(K)
        .arg(&yout)
        .arg(&yin)
        .arg(&table)
        .arg(N as i32)
        .build()?;
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let mut event = Event::empty();
        // SAFETY: the buffers have the sizes that the kernel's head asks for.
        unsafe { kernel.cmd().enew(&mut event).enq()? };
        event.wait_for()?;
        let time = |what| event.profiling_info(what).map(|t| t.time().unwrap_or(0) as f64);
        best = best.min((time(ProfilingInfo::End)? - time(ProfilingInfo::Start)?) * 1e-6);
    }
    let mut found = vec![0.0; padded];
    yout.read(&mut found).enq()?;
    let places = (0..samples).step_by(samples.div_ceil(1000)).chain([samples - 1]);
    let error = places.map(|i| {
        let past = signal[..=i].iter().rev().zip(&coeff);
        let want: f64 = past.map(|(x, h)| f64::from(*x) * f64::from(*h)).sum();
        (f64::from(found[i]) - want).abs()
    });
    let error = error.fold(0.0, |a: f64, b| if b.is_nan() { f64::NAN } else { a.max(b) });
    let predicted = if platform.name()? == opencl_icd::PLATFORM_NAME { " predicted" } else { "" };
    let gflops = 2.0 * (N as f64 + 1.0) * padded as f64 / (best * 1e6);
    println!(
        "{}: {samples} samples, largest error {error:.1e}, {best:.4} ms{predicted}, {gflops:.0} \
         GFLOP/s",
        device.name()?
    );
    Ok(())
}
