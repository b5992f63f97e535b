//! What the kernels ask of a device: counts of the emulated one beside measured speeds, as a table
//! and as a picture.

use std::fmt::Write;
use std::path::Path;

use figures::Roofline;
use rtm::picture::save;
use rtm::{Error, Result};

use super::gpu::Gpu;
use super::kernel::Kernel;
use super::{Form, Method, Model, Propagator};

/// Counts of one kernel for each computed point and step.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// Which kernel.
    pub kernel: Kernel,
    /// Floating-point operations; a fused multiply and add is two.
    pub flop: f64,
    /// Bytes of global memory that the L1 cache was asked for, in sectors of 32.
    pub l1_bytes: f64,
    /// Bytes that device memory must move if each value moves once.
    pub memory_bytes: f64,
    /// Wavefronts of shared memory for 32 points.
    pub shared: f64,
    /// Million points per second that the model of the device predicts.
    pub predicted: f64,
}

/// Runs one step of each method on the emulated device and counts, on `n` points: some hundred
/// thousand are enough.
///
/// # Errors
/// There is a real device, which does not count; a kernel fails.
pub fn counts(n: [usize; 3]) -> Result<Vec<Counts>> {
    if labkit::backend() != labkit::Backend::Emulated {
        return Err(Error::refused(
            "roofline",
            "counts come from the emulated device",
            "set LAB_DEVICE=emulated, and give measured speeds with --measured",
        ));
    }
    let model = Model::fletcher(Form::Tti, n, 0, [12.5; 3]);
    let points = model.layout.points() as f64;
    Method::ALL
        .into_iter()
        .map(|method| {
            let kernel = Kernel::new(method);
            let mut gpu = Gpu::new(&model, kernel.clone(), 1e-3, n.map(|n| n / 2))?;
            gpu.advance(&[1.0])?;
            let report = gpu
                .take_reports()
                .pop()
                .ok_or_else(|| Error::Device("the emulated device reported no launch".into()))?;
            let c = &report.total;
            // Two levels of both fields are read, one is written.
            let volumes = (kernel.numbers() + 6) as f64;
            Ok(Counts {
                kernel,
                flop: c.flop as f64 / points,
                l1_bytes: (c.gld_sec + c.gst_sec) as f64 * 32.0 / points,
                memory_bytes: volumes * 4.0,
                shared: (c.shld_wf + c.shst_wf) as f64 * 32.0 / points,
                predicted: points / report.predicted_ms * 1e-3,
            })
        })
        .collect()
}

/// The counts as a table; `measured` has million points per second by method.
pub fn table(counts: &[Counts], measured: &[(Method, f64)]) -> String {
    let mut text = format!(
        "{:12} {:>11} {:>13} {:>17} {:>17} {:>19} {:>18} {:>15}\n",
        "kernel",
        "flop/point",
        "L1 bytes/point",
        "memory bytes/point",
        "shared wavefronts",
        "predicted MSamples/s",
        "measured MSamples/s",
        "measured TFLOP/s"
    );
    for c in counts {
        let speed = measured.iter().find(|(m, _)| *m == c.kernel.method).map(|(_, s)| *s);
        let (speed, tflops) = match speed {
            Some(s) => (format!("{s:.0}"), format!("{:.2}", s * c.flop * 1e-6)),
            None => ("-".into(), "-".into()),
        };
        let _ = writeln!(
            text,
            "{:12} {:>11.0} {:>14.0} {:>18.0} {:>17.0} {:>20.0} {:>19} {:>16}",
            c.kernel.method.name(),
            c.flop,
            c.l1_bytes,
            c.memory_bytes,
            c.shared,
            c.predicted,
            speed,
            tflops
        );
    }
    text
}

/// Draws GFLOP/s over operations per byte asked of the L1 cache, with the roofs of the emulated
/// device: its memory, its L1 cache and its arithmetic. Each kernel is a cross at the predicted
/// speed, and a line from there to one at the measured speed, if that is known.
///
/// # Errors
/// The file cannot be written.
pub fn draw(path: &Path, counts: &[Counts], measured: &[(Method, f64)]) -> Result<()> {
    let device = simt::device::from_env().map_err(Error::Input)?;
    let peak = device.peak_f32_gflops();
    let slope =
        |name: &str, bytes: f64| (format!("{name} {:.1} TB/s", 1e-12 * bytes), 1e-9 * bytes);
    let mut points = Vec::new();
    for c in counts {
        let name = c.kernel.method.name();
        let mut point = |how: &str, msamples: f64| {
            points.push((format!("{name}, {how}"), c.flop / c.l1_bytes, msamples * c.flop * 1e-3));
        };
        point("predicted", c.predicted);
        if let Some((_, speed)) = measured.iter().find(|(m, _)| *m == c.kernel.method) {
            point("measured", *speed);
        }
    }
    let picture = figures::roofline(&Roofline {
        title: format!("TTI kernels on {}", device.name),
        note: "Counts of the emulated device".into(),
        x: "floating-point operations per byte asked of L1".into(),
        slopes: vec![
            slope("device memory", device.dram_bytes_per_s()),
            slope("L1 cache", 128.0 * f64::from(device.sms) * device.clock_hz()),
        ],
        peaks: vec![(format!("f32 {:.1} TFLOP/s", 1e-3 * peak), peak)],
        points,
    });
    save(path, &picture)
}
