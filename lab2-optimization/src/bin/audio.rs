//! Sound for the lab: makes a piece of music, checks files, spoils music with noise and hum,
//! designs the filters, and draws them. `--help` lists the commands.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};
use cuda_driver as _;
use lab2_optimization::audio::design::Design;
use lab2_optimization::audio::report::Levels;
use lab2_optimization::audio::{Frame, audiofir_fft, channel, plots, synth, wav};
use lab2_optimization::e2_1_02::{audiofir, read_in, write_testfir};
use lab2_optimization::e2_1_03::check_wav;
use lab2_optimization::e2_1_04::{design, make_in, soundsc, spoil};
use lab2_optimization::e2_1_05::{audiofir_par, chunk, measure};
use lab2_optimization::fir::{cpu_line, filter64};
use labkit::LabError;
use labkit::picture::save;

/// Sound for lab 2
#[derive(Debug, Parser)]
#[command(name = "audio")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a stereo test piece: decaying harmonics and cymbals
    Synth {
        /// Duration, 1 to 300
        #[arg(long, default_value_t = 60.0)]
        seconds: f64,
        /// Another seed, another piece
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// File to write
        #[arg(long, default_value = "music.wav")]
        out: PathBuf,
    },
    /// Say whether the lab can use a sound file
    Check {
        /// The file
        file: PathBuf,
    },
    /// Add noise and hum to music; write audiofir_in.dat, org.wav, in.wav, ref.wav and pictures
    Spoil {
        /// Music: a WAV file, two channels, 44,100 Hz
        #[arg(long = "in", default_value = "music.wav")]
        input: PathBuf,
        /// Folder for the results
        #[arg(long, default_value = ".")]
        out: PathBuf,
        /// Filter
        #[arg(long, value_enum, default_value_t = Design::Hifi)]
        design: Design,
        /// Seed of the noise
        #[arg(long, default_value_t = 7)]
        seed: u64,
    },
    /// Draw the frequency responses of both filters
    Design {
        /// Folder for the pictures
        #[arg(long, default_value = ".")]
        out: PathBuf,
    },
    /// Time the filters of the CPU side by side
    Compare {
        /// Test problem
        #[arg(long = "in", default_value = "audiofir_in.dat")]
        input: PathBuf,
        /// Runs of each filter, of which the fastest counts; the plain loop runs once
        #[arg(long, default_value_t = 5)]
        runs: usize,
    },
    /// Write the small test problem whose result one sees at a glance
    Testfir {
        /// File to write
        #[arg(long, default_value = "testfir.dat")]
        out: PathBuf,
    },
}

fn main() -> ExitCode {
    labkit::exit(run(Options::parse().command))
}

fn run(command: Command) -> Result<(), LabError> {
    match command {
        Command::Synth { seconds, seed, out } => {
            if !(1.0..=300.0).contains(&seconds) {
                return Err(LabError::refused(format!(
                    "--seconds: expected 1 to 300, found {seconds}"
                )));
            }
            let music = synth::piece(seconds, seed);
            wav::write(&out, &soundsc(&music))?;
            println!("{}: {seconds} s, {} frames", out.display(), music.len());
            Ok(())
        }
        Command::Check { file } => {
            let info = check_wav(&file)?;
            let kind = if info.float { "floating point" } else { "integers" };
            println!(
                "{}: {:.2} s, {} frames of 2 channels, {} bits ({kind}), {:.1} % of the energy \
                 above 5 kHz",
                file.display(),
                info.seconds,
                info.frames,
                info.bits,
                100.0 * info.high_share
            );
            if info.high_share < 0.01 {
                println!("note: few high tones; one will hardly hear what the filter takes away");
            }
            if let Some(warning) = info.warning {
                println!("warning: {warning}");
            }
            Ok(())
        }
        Command::Spoil { input, out, design, seed } => spoil_file(&input, &out, design, seed),
        Command::Design { out } => {
            folder(&out)?;
            draw_designs(&out)
        }
        Command::Compare { input, runs } => compare(&input, runs),
        Command::Testfir { out } => {
            write_testfir(&out)?;
            println!("{}: order 3, 9 samples per channel", out.display());
            Ok(())
        }
    }
}

fn folder(out: &Path) -> Result<(), LabError> {
    std::fs::create_dir_all(out).map_err(|e| LabError::refused(format!("{}: {e}", out.display())))
}

fn draw_designs(out: &Path) -> Result<(), LabError> {
    let (printed, hifi) = (design(Design::Printed)?, design(Design::Hifi)?);
    let filters = [("printed", &printed[..]), ("hifi", &hifi[..])];
    let (response, ripple) = (out.join("response.svg"), out.join("ripple.svg"));
    save(&response, plots::responses(&filters))?;
    save(&ripple, plots::pass_bands(&filters))?;
    println!("{}, {}: |H(f)| of both filters", response.display(), ripple.display());
    Ok(())
}

fn spoil_file(input: &Path, out: &Path, kind: Design, seed: u64) -> Result<(), LabError> {
    check_wav(input)?;
    let org = wav::frames(input, wav::open(input)?)?;
    let coeff = design(kind)?;
    let spoilt = spoil(&org, seed);
    folder(out)?;
    let data = out.join("audiofir_in.dat");
    make_in(&data, &coeff, &spoilt)?;
    let [left, right] = [0, 1].map(|c| filter64(&channel(&spoilt, c), &coeff));
    let reference: Vec<Frame> = left.into_iter().zip(right).map(|(l, r)| [l, r]).collect();
    for (name, frames) in [("org", &org), ("in", &spoilt), ("ref", &reference)] {
        wav::write(&out.join(format!("{name}.wav")), &soundsc(frames))?;
        let picture = plots::spectrogram(name, frames);
        save(&out.join(format!("spectrogram-{name}.svg")), picture)?;
    }
    let spectra = plots::spectra(&[("in", &spoilt), ("org", &org), ("ref", &reference)]);
    save(&out.join("spectra.svg"), spectra)?;
    let back = read_in(&data)?;
    println!("{}: order {}, {} samples per channel", data.display(), back.n(), back.len);
    print!("{}", Levels::measure(&org, &spoilt, &coeff).text());
    println!("listen to org.wav, in.wav and ref.wav; look at spectra.svg and spectrogram-*.svg");
    draw_designs(out)
}

/// A filter on the CPU: output, input, coefficients, samples per channel.
type Filter = fn(&mut [f32], &[f32], &[f32], usize);

fn compare(input: &Path, runs: usize) -> Result<(), LabError> {
    let start = Instant::now();
    let filters: [(&str, Filter, usize); 3] = [
        ("plain loop", audiofir, runs.min(1)),
        ("all cores", |y, x, h, len| audiofir_par(y, x, h, len, &chunk), runs),
        ("FFT, all cores", audiofir_fft, runs),
    ];
    for (name, filter, runs) in filters {
        let mut flop = 0.0;
        let measured =
            measure(runs, &mut || start.elapsed(), &mut || read_in(input), &mut |yout, data| {
                flop = data.flop();
                filter(yout, &data.yin, &data.coeff, data.len);
            })?;
        let line = cpu_line(measured.best.as_secs_f64() * 1e3, flop);
        println!("{name:15} {line}, greatest error {:.1e}", measured.err);
    }
    Ok(())
}
