//! Multiplies the matrix of `matmultran.dat` by its transpose on the GPU and compares with the
//! product in the file: the program of section 2.2.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use lab2_optimization::e2_2_01::{flop, matmultran, read_dat};
use lab2_optimization::mmt::{Config, Variant, max_abs_err};
use lab2_optimization::timing::gpu_line;
use labkit::{Lab, LabError};

/// Multiplies a matrix by its transpose on the GPU.
#[derive(Parser, Debug)]
struct Options {
    /// Version of the kernel, mmt1.cu to mmt4.cu
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    variant: u8,
    /// Rows and columns of a tile
    #[arg(long, default_value_t = 16)]
    k: u32,
    /// Words added to a row of the tile of the transposed matrix (versions 3 and 4)
    #[arg(long, default_value_t = 1)]
    pad: u32,
    /// File with the matrix and its product; `cargo lab matgen` writes one
    #[arg(long = "in", value_name = "FILE", default_value = "matmultran.dat")]
    input: PathBuf,
    /// Print what the launch counts, by source line (on the emulated device)
    #[arg(long)]
    counts: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    if options.k == 0 || options.k > 32 {
        let found = options.k;
        eprintln!(
            "error: --k: expected 1..=32 (a block has K*K threads, at most 1024), found {found}"
        );
        return ExitCode::from(2);
    }
    if options.pad > 32 {
        eprintln!("error: --pad: expected 0..=32, found {}", options.pad);
        return ExitCode::from(2);
    }
    match prepare(&options) {
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
        Ok(work) => labkit::exit(run(&options, work)),
    }
}

/// The data, and a result to be filled.
struct Work {
    m: usize,
    n: usize,
    a: Vec<f32>,
    reference: Vec<f32>,
}

/// Reads the file and refuses tiles that do not fit: bad input, before a device is asked for.
fn prepare(options: &Options) -> Result<Work, LabError> {
    if !options.input.exists() {
        let file = options.input.display();
        return Err(LabError::refused(format!(
            "{file}: there is no such file; make it with `cargo lab matgen`"
        )));
    }
    let dat = read_dat(&options.input)?;
    for (name, size) in [("m", dat.m), ("n", dat.n)] {
        if size % options.k as usize != 0 {
            return Err(LabError::File {
                path: options.input.clone(),
                what: format!("{name} is not a multiple of --k"),
                expected: format!("a multiple of {}", options.k),
                found: size.to_string(),
            });
        }
    }
    Ok(Work { m: dat.m, n: dat.n, a: dat.a, reference: dat.c })
}

fn run(options: &Options, work: Work) -> Result<(), LabError> {
    let Work { m, n, a, reference } = work;
    let variant = Variant::new(options.variant.into()).unwrap_or(Variant::Start);
    let config = Config { variant, k: options.k, pad: Some(options.pad) };
    let lab = Lab::new()?;
    let mut c = vec![0.0; m * m];
    let start = Instant::now();
    let timing = matmultran(&lab, &config, &mut c, &a, m, n)?;
    let gross_ms = start.elapsed().as_secs_f64() * 1e3;
    if m > 0 {
        println!("{}", gpu_line(&lab, timing, flop(m, n))?);
    }
    println!("CPU (total!) time = {gross_ms:.3} ms{}", gross_note());
    println!("max. abs. err. = {:.1e}", max_abs_err(&c, &reference));
    if options.counts {
        let source = std::fs::read_to_string(variant.file().path()?).unwrap_or_default();
        for report in lab.take_reports() {
            print_counts(&report, &source);
        }
    }
    Ok(())
}

fn gross_note() -> &'static str {
    match labkit::backend() {
        labkit::Backend::Cuda => "",
        labkit::Backend::Emulated => " (of this computer: the device is emulated)",
    }
}

/// Requests with their sectors or wavefronts, for each source line that accesses memory.
fn print_counts(report: &labkit::LaunchReport, source: &str) {
    println!(
        "{:>5} {:>9} {:>9} {:>8} {:>9} {:>9} {:>8}  source",
        "line", "gld.req", "gld.sec", "per req", "shst.req", "shst.wf", "per req"
    );
    let per = |total: u64, requests: u64| match requests {
        0 => "-".to_string(),
        _ => format!("{:.2}", total as f64 / requests as f64),
    };
    for line in &report.lines {
        let c = &line.counters;
        if c.gld_req + c.shst_req == 0 {
            continue;
        }
        let text = source.lines().nth((line.at.line as usize).saturating_sub(1)).unwrap_or("");
        println!(
            "{:>5} {:>9} {:>9} {:>8} {:>9} {:>9} {:>8}  {}",
            line.at.line,
            c.gld_req,
            c.gld_sec,
            per(c.gld_sec, c.gld_req),
            c.shst_req,
            c.shst_wf,
            per(c.shst_wf, c.shst_req),
            text.trim()
        );
    }
    let t = &report.total;
    println!(
        "total: gld {} requests, {} sectors; gst {}, {}; shst {} requests, {} wavefronts; shld {}, \
         {}; {} barriers; {} operations",
        t.gld_req,
        t.gld_sec,
        t.gst_req,
        t.gst_sec,
        t.shst_req,
        t.shst_wf,
        t.shld_req,
        t.shld_wf,
        t.bar,
        t.flop
    );
}
