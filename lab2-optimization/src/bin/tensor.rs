//! Multiplies a matrix by its transpose by the tensor cores, in numbers of fewer bits: time and
//! error, section 2.3.

use std::process::ExitCode;

use clap::Parser;
use lab2_optimization::tensor::{Errors, Kind, errors, errors_of_floats, product};
use labkit::{Backend, Lab, LabError, backend};

/// Multiplies a matrix by its transpose by the tensor cores: time and error.
#[derive(Parser, Debug)]
struct Options {
    /// Rows of the matrix [default: 4096 on a GPU, 256 on the emulated device]
    ///
    /// The emulated device takes some seconds for 256 x 256, and eight times as long for twice as
    /// many rows and columns.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    m: Option<u16>,
    /// Columns of the matrix [default: as many]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    n: Option<u16>,
    /// Repetitions on a GPU; the shortest counts
    #[arg(long, default_value_t = 10)]
    runs: usize,
}

fn main() -> ExitCode {
    labkit::exit(run(&Options::parse()))
}

fn run(options: &Options) -> Result<(), LabError> {
    let lab = Lab::new()?;
    let emulated = backend() == Backend::Emulated;
    let m = usize::from(options.m.unwrap_or(if emulated { 256 } else { 4096 }));
    let n = options.n.map_or(m, usize::from);
    let runs = if emulated { 1 } else { options.runs };
    let a = noise(m * n);
    let note = if emulated { " (emulated)" } else { "" };
    println!("A A^T, A {m} x {n} from -1 to 1, {}{note}", lab.gpu_name()?);
    println!("error: of an element of C, over the sum of its products' absolute values\n");
    println!(
        "{:<11} {:>4} {:>8} {:>10} {:>8} {:>13} {:>9}",
        "numbers", "bits", "products", "ms", "TFLOP/s", "largest error", "rms error"
    );
    let line = |name: &str, bits: u32, products: &str, time: [String; 2], e: Errors| {
        let [ms, rate] = time;
        println!(
            "{name:<11} {bits:>4} {products:>8} {ms:>10} {rate:>8} {:>13.1e} {:>9.1e}",
            e.largest, e.rms
        );
    };
    let none = || ["-".to_owned(), "-".to_owned()];
    let mut c = vec![0.0; m * m];
    for kind in Kind::ALL {
        let ms = f64::from(product(&lab, kind, &mut c, &a, [m, n], runs)?.kernel_ms);
        let rate = 2.0 * (m * m * n) as f64 / ms / 1e9;
        let time = if emulated { none() } else { [format!("{ms:.3}"), format!("{rate:.1}")] };
        let products = kind.products().to_string();
        line(kind.name(), kind.bits(), &products, time, errors(&c, &a, [m, n]));
    }
    line("float, CPU", 24, "1", none(), errors_of_floats(&a, [m, n]));
    if emulated {
        println!(
            "\nNo times: the emulated device makes a product of a warp from shuffles. Its sums\n\
             are those of an H200, bit by bit."
        );
    } else {
        println!("\nTFLOP/s as if all of C were computed.");
    }
    Ok(())
}

/// Numbers from -1 to 1 that look like chance (the mixing of SplitMix64 by Steele, Lea and Flood,
/// 2014).
fn noise(count: usize) -> Vec<f32> {
    let value = |i: usize| {
        let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(value).collect()
}
