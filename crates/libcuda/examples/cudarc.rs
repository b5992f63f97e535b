//! Lab 1's program with `cudarc` in place of `cust`: `c = a + b` with the kernel of 1.1.4.
//! docs/other-programs.md puts the two side by side.
//!
//! `cargo run -p libcuda --example cudarc -- N` runs it on the emulated device. It names no
//! library of ours: with the vendor's driver and NVRTC it runs on a GPU as it is.

use std::error::Error;

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};

const KERNEL: &str = include_str!("../../../lab1-cuda-intro/kernels/add.cu");
const THREADS: u32 = 256;

fn main() -> Result<(), Box<dyn Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(5), |n| n.parse())?;
    let a: Vec<i32> = (1..=n as i32).collect();
    let b: Vec<i32> = a.iter().map(|x| 10 * x).collect();

    let context = CudaContext::new(0)?;
    let (major, minor) = context.compute_capability()?;
    println!("Device 0: \"{}\", compute capability = {major}.{minor}", context.name()?);
    let options = CompileOptions {
        name: Some("add.cu".into()),
        options: vec!["-DELEM=int".into(), format!("--gpu-architecture=compute_{major}{minor}")],
        ..CompileOptions::default()
    };
    let module = context.load_module(compile_ptx_with_opts(KERNEL, options)?)?;
    let add = module.load_function("add_kernel")?;

    let stream = context.default_stream();
    let (device_a, device_b) = (stream.clone_htod(&a)?, stream.clone_htod(&b)?);
    let mut device_c = stream.alloc_zeros::<i32>(n)?;
    let blocks = (n as u32).div_ceil(THREADS).max(1);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let size = n as i32;
    let event = || stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
    let start = event()?;
    // SAFETY: the kernel takes three pointers, each to `size` numbers, and `size`.
    unsafe {
        stream
            .launch_builder(&add)
            .arg(&mut device_c)
            .arg(&device_a)
            .arg(&device_b)
            .arg(&size)
            .launch(config)
    }?;
    let end = event()?;
    let c = stream.clone_dtoh(&device_c)?;

    if let Some(i) = (0..n).find(|i| c[*i] != a[*i] + b[*i]) {
        return Err(format!("c[{i}] is {}, not {}", c[i], a[i] + b[i]).into());
    }
    if n <= 8 {
        println!("{a:?} + {b:?} = {c:?}");
    }
    println!("{n} elements are right; the kernel took {:.3} ms", start.elapsed_ms(&end)?);
    Ok(())
}
