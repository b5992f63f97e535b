//! The desk of lab 5: run a core on the board, or build its files and its report. A run of a
//! transform also draws what it made over the exact spectrum.
//!
//! ```sh
//! cargo run -p lab5-fpga-ip --bin cores -- list
//! cargo run -p lab5-fpga-ip --bin cores -- run fft_radix4 --late --tone 8000,0.26
//! cargo run -p lab5-fpga-ip --bin cores -- build mag16 --tools
//! ```

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use figures::{Axis, Chart, Series};
use ipcores::fft::{RADIX2_SCHEDULE, RADIX4_SCHEDULE};

fn main() -> ExitCode {
    let code = hdl::desk::main(&lab5_fpga_ip::designs::DESIGNS);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [verb, name, rest @ ..] = arguments.as_slice()
        && verb == "run"
        && name.starts_with("fft_")
        && code == ExitCode::SUCCESS
    {
        let given = rest.iter().position(|word| word == "--out").and_then(|at| rest.get(at + 1));
        let folder = Path::new(given.map_or("fpga-out", String::as_str));
        match spectrum(folder, name) {
            Ok(wrote) => println!("wrote {wrote}"),
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::from(2);
            }
        }
    }
    code
}

/// Draws the words of `NAME.csv` (n, x, y), which are magnitudes of bins, over those of the exact
/// transform of x, divided as the design's schedule does. Returns the picture's path.
fn spectrum(folder: &Path, name: &str) -> Result<String, String> {
    let table = folder.join(format!("{name}.csv"));
    let text = std::fs::read_to_string(&table).map_err(|e| format!("{}: {e}", table.display()))?;
    let row = |line: &str| {
        let mut cells = line.split(',').map(|cell| cell.parse::<f64>().unwrap_or(0.0));
        (cells.nth(1).unwrap_or(0.0), cells.next().unwrap_or(0.0))
    };
    let (x, y): (Vec<f64>, Vec<f64>) = text.lines().skip(1).map(row).unzip();
    let shifts: u32 = match name {
        "fft_radix4" => RADIX4_SCHEDULE.iter().sum(),
        _ => RADIX2_SCHEDULE.iter().sum(),
    };
    let scale = f64::from(1u32 << shifts);
    let exact: Vec<f64> = (0..x.len()).map(|bin| magnitude(&x, bin) / scale).collect();
    let points = |values: &[f64]| values.iter().enumerate().map(|(k, v)| (k as f64, *v)).collect();
    let axes = (Axis::linear("bin").whole(), Axis::linear("magnitude").from_zero());
    let chart = Chart::new(&format!("{name}: 1024 bins"), axes.0, axes.1)
        .with(Series::line("design", points(&y)).smooth())
        .with(Series::line("exact", points(&exact)).smooth().reference());
    let path = folder.join(format!("{name}_spectrum.svg"));
    std::fs::write(&path, chart.svg()).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path.display().to_string())
}

/// `|sum of x(n) exp(-j 2 pi n k / N)|`, fractions of x dropped as the board does.
fn magnitude(x: &[f64], k: usize) -> f64 {
    let turn = std::f64::consts::TAU / x.len() as f64;
    let (re, im) = x.iter().enumerate().fold((0.0, 0.0), |(re, im), (n, v)| {
        let (sin, cos) = (turn * (n * k % x.len()) as f64).sin_cos();
        (re + v.trunc() * cos, im - v.trunc() * sin)
    });
    f64::hypot(re, im)
}
