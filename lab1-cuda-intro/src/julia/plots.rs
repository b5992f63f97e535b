//! The plots of exercise 1.2.2: time over kmax, and how well blocks of different shapes use their warps.

use std::fmt::Write;
use std::path::Path;

use cust::prelude::*;
use lab1_cuda_intro::e1_2_01::View;
use labkit::plot::{Axis, BarChart, LineChart, Series};
use labkit::{Lab, LabError, LaunchReport, kernel_file};

use super::options::Device;
use super::render::Renderer;
use super::session::Session;

/// Values of kmax in the first plot.
pub const KMAX: [u32; 7] = [10, 30, 100, 300, 1000, 3000, 10_000];
/// Shapes of a block in the second plot.
pub const SHAPES: [(u32, u32); 7] =
    [(8, 4), (8, 8), (16, 8), (16, 16), (32, 8), (32, 16), (32, 32)];

/// Writes `julia_kmax.svg`, `julia_shapes.svg` and the numbers behind them, `julia.csv`; prints what it wrote.
///
/// # Errors
/// What rendering or writing says.
pub fn write(dir: &Path, dim: u32) -> Result<(), LabError> {
    let mut csv = String::from("plot,x,series,value\n");
    let mut line = |plot: &str, x: &str, series: &str, value: f64| {
        let _ = writeln!(csv, "{plot},{x},{series},{value}");
    };

    let mut renderer = Renderer::new(dim);
    let (mut cpu, mut gpu) = (Vec::new(), Vec::new());
    let mut gpu_name = String::from("GPU, kernel and copy");
    for kmax in KMAX {
        let session = |device| Session { view: View::default(), kmax, device, open: true };
        let frame = renderer.render(&session(Device::Cpu))?;
        let ms = frame.time.as_secs_f64() * 1e3;
        line("kmax", &kmax.to_string(), "cpu", ms);
        cpu.push((f64::from(kmax), ms));
        let frame = renderer.render(&session(Device::Gpu))?;
        let ms = match &frame.predicted {
            Some((ms, name)) => {
                gpu_name = format!("{name}, kernel only, predicted");
                *ms
            }
            None => frame.time.as_secs_f64() * 1e3,
        };
        line("kmax", &kmax.to_string(), &gpu_name, ms);
        gpu.push((f64::from(kmax), ms));
    }
    let chart = LineChart {
        title: format!("Julia set, {dim} x {dim} pixels"),
        x: Axis::log("kmax"),
        y: Axis::log("time of one picture in ms"),
        series: vec![
            Series { name: "CPU, all cores".into(), points: cpu },
            Series { name: gpu_name, points: gpu },
        ],
    };
    let path = dir.join("julia_kmax.svg");
    chart.write(&path)?;
    println!("wrote {}", path.display());

    let mut bars = Vec::new();
    for shape in SHAPES {
        // A real GPU gives no counts by source line.
        let Some(efficiency) = simd_efficiency(dim, shape)? else { break };
        let name = format!("{}x{}", shape.0, shape.1);
        line("shapes", &name, "simd efficiency", efficiency);
        bars.push((name, efficiency));
    }
    if bars.is_empty() {
        println!("julia_shapes.svg needs the emulator's counts: set LAB_DEVICE=emulated");
    } else {
        let chart = BarChart {
            title: format!("Lanes at work while z = z*z + c is computed, {dim} x {dim} pixels, kmax 200"),
            y_label: "SIMD efficiency".into(),
            bars,
        };
        let path = dir.join("julia_shapes.svg");
        chart.write(&path)?;
        println!("wrote {}", path.display());
    }
    let path = dir.join("julia.csv");
    std::fs::write(&path, csv).map_err(|e| LabError::msg(format!("{}: {e}", path.display())))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Launches the kernel of 1.2.2 with blocks of the given shape and returns the share of lanes at work in its inner loop;
/// `None` on a real GPU.
fn simd_efficiency(dim: u32, (columns, rows): (u32, u32)) -> Result<Option<f64>, LabError> {
    let lab = Lab::new()?;
    let module = lab.module(kernel_file!("e1_2_02.cu"), &[])?;
    let kernel = module.get_function("julia_kernel")?;
    let stream = lab.stream();
    let view = View::default();
    let mut picture = vec![0u8; 4 * dim as usize * dim as usize];
    // SAFETY: the kernel writes every byte before the copy reads it; the arguments match its parameters.
    unsafe {
        let d_pix = DeviceBuffer::<u8>::uninitialized(picture.len())?;
        let grid = (dim.div_ceil(columns), dim.div_ceil(rows));
        launch!(kernel<<<grid, (columns, rows), 0, stream>>>(
            d_pix.as_device_ptr(),
            dim as i32,
            view.dx,
            view.dy,
            view.scale,
            200i32
        ))?;
        stream.synchronize()?;
        d_pix.copy_to(&mut picture)?;
    }
    Ok(lab.take_reports().last().and_then(inner_loop_efficiency))
}

/// SIMD efficiency of the source line with the most floating-point operations.
pub fn inner_loop_efficiency(report: &LaunchReport) -> Option<f64> {
    let line = report.lines.iter().max_by_key(|l| l.counters.flop)?;
    Some(line.counters.simd_efficiency())
}
