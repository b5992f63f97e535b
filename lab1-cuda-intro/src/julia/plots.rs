//! The plots of exercise 1.2.2: time and work over kmax, and how well blocks of different shapes
//! use their warps.

use std::path::Path;

use cust::prelude::*;
use lab1_cuda_intro::e1_2_01::View;
use lab1_cuda_intro::e1_2_02::DIM_BLOCK;
use lab1_cuda_intro::figures::{Axis, Chart, Series, csv};
use labkit::{Lab, LabError, LaunchReport, kernel_file};

use super::device::Device;
use super::render::Renderer;
use super::session::Session;

/// Values of kmax in the first plot.
pub const KMAX: [u32; 7] = [10, 30, 100, 300, 1000, 3000, 10_000];
/// Shapes of a block in the second plot.
pub const SHAPES: [(u32, u32); 7] =
    [(8, 4), (8, 8), (16, 8), (16, 16), (32, 8), (32, 16), (32, 32)];

/// Values of kmax whose work is counted, and the picture for that.
const WORK: ([u32; 3], u32) = ([10, 200, 10_000], 100);

/// Writes `julia_kmax` and `julia_shapes` into `dir`, as SVG and as CSV, and `julia_work.csv`;
/// prints what it wrote.
///
/// # Errors
/// What rendering or writing says.
pub fn write(dir: &Path, dim: u32) -> Result<(), LabError> {
    let save = |name: &str, text: &str| {
        let path = dir.join(name);
        labkit::picture::save(&path, text)?;
        println!("wrote {}", path.display());
        Ok::<(), LabError>(())
    };
    let mut renderer = Renderer::new(dim);
    let mut cpu = Series::line("CPU", Vec::new());
    let mut gpu = Series::line("GPU with copy", Vec::new());
    for kmax in KMAX {
        for (device, series) in [(Device::Cpu, &mut cpu), (Device::Gpu, &mut gpu)] {
            let session = Session { view: View::default(), kmax, device, open: true };
            let frame = renderer.render(&session)?;
            let mut ms = frame.time.as_secs_f64() * 1e3;
            if let Some((predicted, name)) = &frame.predicted {
                series.name = format!("kernel on {name} (predicted)");
                ms = *predicted;
            }
            series.points.push((f64::from(kmax), ms));
        }
    }
    let series = [cpu, gpu];
    save("julia_kmax.csv", &csv("kmax", &series))?;
    let title = format!("Julia set, {dim} x {dim} pixels");
    let time = Axis::log("time of one picture").unit("s", 1e-3);
    save("julia_kmax.svg", &Chart::new(&title, Axis::log("kmax"), time).with_all(series).svg())?;

    let counted = "needs the emulator's counts: set LAB_DEVICE=emulated";
    let (steps, small) = WORK;
    let mut work = String::from("kmax,warp_instructions\n");
    for kmax in steps {
        let Some(report) = run(small, (DIM_BLOCK, DIM_BLOCK), kmax)? else {
            println!("julia_work and julia_shapes {counted}");
            return Ok(());
        };
        let (inst, _) = inner_loop(&report).unwrap_or_default();
        work += &format!("{kmax},{inst}\n");
    }
    save("julia_work.csv", &work)?;

    let (mut names, mut shares) = (Vec::new(), Vec::new());
    for shape in SHAPES {
        let report = run(dim, shape, 200)?;
        let (_, efficiency) = report.as_ref().and_then(inner_loop).unwrap_or_default();
        names.push(format!("{}x{}", shape.0, shape.1));
        shares.push(efficiency);
    }
    let rows = names.iter().zip(&shares);
    let lines: String = rows.map(|(name, share)| format!("{name},{share:.4}\n")).collect();
    save("julia_shapes.csv", &format!("shape,simd_efficiency\n{lines}"))?;
    let title = format!("SIMD efficiency of z = z*z + c, {dim} x {dim} pixels");
    let shares = shares.into_iter().map(|s| 100.0 * s).collect();
    let (x, y) = (Axis::names("shape of the block", names), Axis::linear("lanes at work (%)"));
    save("julia_shapes.svg", &Chart::new(&title, x, y.range(0.0, 105.0)).bars("", shares).svg())
}

/// Launches the kernel of 1.2.2 with blocks of the given shape; `None` on a real GPU, which counts
/// nothing.
fn run(dim: u32, (columns, rows): (u32, u32), kmax: u32) -> Result<Option<LaunchReport>, LabError> {
    let lab = Lab::new()?;
    let module = lab.module(kernel_file!("e1_2_02.cu"), &[])?;
    let kernel = module.get_function("julia_kernel")?;
    let stream = lab.stream();
    let view = View::default();
    let mut picture = vec![0u8; 4 * dim as usize * dim as usize];
    // SAFETY: the kernel writes every byte before the copy reads it; the arguments match its
    // parameters.
    unsafe {
        let d_pix = DeviceBuffer::<u8>::uninitialized(picture.len())?;
        let grid = (dim.div_ceil(columns), dim.div_ceil(rows));
        launch!(kernel<<<grid, (columns, rows), 0, stream>>>(
            d_pix.as_device_ptr(),
            dim as i32,
            view.dx,
            view.dy,
            view.scale,
            kmax as i32
        ))?;
        stream.synchronize()?;
        d_pix.copy_to(&mut picture)?;
    }
    Ok(lab.take_reports().pop())
}

/// Warp instructions and SIMD efficiency of the source line with the most floating-point
/// operations.
fn inner_loop(report: &LaunchReport) -> Option<(u64, f64)> {
    let line = report.lines.iter().max_by_key(|l| l.counters.flop)?;
    Some((line.counters.inst, line.counters.simd_efficiency()))
}
