//! The four stencils of exercises 6.1 to 6.4 side by side on the device at hand: the same step, its
//! time, and whether the results agree.

use std::process::ExitCode;

use clap::Parser;
use cust::prelude::*;
use lab6_rtm::volume::{H, SECOND, Volume};
use labkit::{Backend, During, KernelFile, Lab, LabError, backend, kernel_file};

/// Time of one step in four versions.
#[derive(Parser, Debug)]
struct Options {
    /// Points along each axis
    #[arg(long, default_value_t = 48)]
    n: usize,
    /// Steps, of which the fastest counts
    #[arg(long, default_value_t = 3)]
    steps: usize,
}

/// File and kernel, threads of a block, and which axes (0 x, 1 y, 2 z) those of CUDA count; `None`:
/// the kernel marches along it.
type Version = (KernelFile, &'static str, [u32; 3], [Option<usize>; 3]);

fn main() -> ExitCode {
    labkit::exit(run(&Options::parse()))
}

fn run(options: &Options) -> Result<(), LabError> {
    let versions: [Version; 4] = [
        (
            kernel_file!("stencil_naive.cu"),
            "stencil_naive",
            [32, 2, 2],
            [Some(0), Some(1), Some(2)],
        ),
        (
            kernel_file!("stencil_aligned.cu"),
            "stencil_aligned",
            [32, 4, 2],
            [Some(2), Some(1), Some(0)],
        ),
        (
            kernel_file!("stencil_shared.cu"),
            "stencil_shared",
            [32, 8, 1],
            [Some(2), Some(1), Some(0)],
        ),
        (kernel_file!("stencil_queue.cu"), "stencil_queue", [32, 8, 1], [Some(2), Some(1), None]),
    ];
    let lab = Lab::new()?;
    let n = [options.n; 3];
    let volume = Volume::new(n)?;
    let mut field = [(); 3].map(|()| vec![0.0f32; volume.words]);
    for row in volume.rows([0; 3], n)? {
        for (k, i) in (row..row + options.n).enumerate() {
            let x = (i % 977) as f32 * 0.01 + k as f32;
            field[0][i] = x.sin();
            field[1][i] = x.cos();
            field[2][i] = 0.1;
        }
    }
    let [old, cur, v2] = field;
    let (dev_cur, dev_v2) = (DeviceBuffer::from_slice(&cur)?, DeviceBuffer::from_slice(&v2)?);
    let weights = DeviceBuffer::from_slice(&SECOND)?;
    let shape = volume.shape(0);
    println!(
        "{}: one step of {} x {} x {} points, order {}",
        lab.gpu_name()?,
        n[0],
        n[1],
        n[2],
        2 * H
    );
    println!("{:<18}{:>12}{:>12}{:>22}", "kernel", "ms", "Gpoint/s", "largest difference");
    let mut first: Option<Vec<f32>> = None;
    for (file, name, block, axes) in versions {
        let module = lab.module(file, &[])?;
        let kernel = module.get_function(name).during(format!("get_function({name})"))?;
        let naive = name == "stencil_naive";
        if !naive {
            module.get_global::<[f32; H + 1]>(c"weight")?.copy_from(&SECOND)?;
        }
        let blocks = |k: usize| axes[k].map_or(1, |axis| (n[axis] as u32).div_ceil(block[k]));
        let grid = (blocks(0), blocks(1), blocks(2));
        let block = (block[0], block[1], block[2]);
        let stream = lab.stream();
        let mut best = f32::INFINITY;
        let mut next = vec![0.0f32; volume.words];
        for _ in 0..options.steps.max(1) {
            let dev_next = DeviceBuffer::from_slice(&old)?;
            let (start, stop) =
                (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
            start.record(stream)?;
            let (next_at, cur_at) = (dev_next.as_device_ptr(), dev_cur.as_device_ptr());
            // SAFETY: the arguments match the kernels' parameters; all three are levels of this
            // shape, the weights are H + 1.
            unsafe {
                if naive {
                    launch!(kernel<<<grid, block, 0, stream>>>(
                        next_at, cur_at, dev_v2.as_device_ptr(), weights.as_device_ptr(), shape
                    ))
                } else {
                    launch!(kernel<<<grid, block, 0, stream>>>(
                        next_at, cur_at, dev_v2.as_device_ptr(), shape
                    ))
                }
            }
            .during(format!("launch of {name}"))?;
            stop.record(stream)?;
            stop.synchronize()?;
            best = best.min(stop.elapsed_time_f32(&start)?);
            dev_next.copy_to(&mut next)?;
        }
        if next == old {
            println!("{name:<18}   changes nothing: not written yet?");
            continue;
        }
        let reference = first.get_or_insert_with(|| next.clone());
        let off = next.iter().zip(reference.iter()).fold(0f32, |m, (a, b)| {
            let d = (a - b).abs();
            // NaN is the largest of all.
            if d <= m { m } else { d }
        });
        let rate = n.iter().product::<usize>() as f64 / (1e6 * f64::from(best));
        println!("{name:<18}{best:>12.4}{rate:>12.3}{off:>22.1e}");
    }
    if backend() == Backend::Emulated {
        println!("The device is emulated: times are predicted.");
    }
    Ok(())
}
