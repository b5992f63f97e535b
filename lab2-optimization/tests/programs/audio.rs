//! The programs audio and audiofir: what they write, print and refuse.

use std::path::Path;
use std::process::Output;

use lab2_optimization::fir::{cpu_line, flop};

use super::{Scratch, run};

fn audiofir(dir: &Path, args: &str) -> Output {
    run(env!("CARGO_BIN_EXE_audiofir"), dir, args)
}

/// The one line on standard error of a refused call.
fn refusal(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    text
}

#[test]
fn bad_options_are_refused_with_code_2() {
    let dir = Scratch::new("options");
    for (args, text) in [
        ("--k 100", "error: --k: expected a multiple of 32 up to 1024, found 100\n"),
        ("--k 2048", "error: --k: expected a multiple of 32 up to 1024, found 2048\n"),
    ] {
        assert_eq!(refusal(&audiofir(&dir.0, args)), text);
    }
    assert!(refusal(&audiofir(&dir.0, "--variant 6")).contains("0..=5"));
    assert!(refusal(&audiofir(&dir.0, "--colour red")).contains("'--colour'"));
}

#[test]
fn five_minutes_of_music_do_not_overflow() {
    let len = 300 * 44_100;
    assert_eq!(flop(1024, len), 4.0 * 1025.0 * len as f64);
    assert_eq!(cpu_line(1000.0, 2e9), "CPU (total!) time = 1000.000 ms ( 2.000 GFLOP/s)");
}

#[cfg(feature = "solutions")]
mod solved {
    use super::*;

    fn audio(dir: &Path, args: &str) -> Output {
        run(env!("CARGO_BIN_EXE_audio"), dir, args)
    }

    fn printed(output: &Output) -> String {
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[test]
    fn testfir_is_exact() {
        let dir = Scratch::new("testfir");
        printed(&audio(&dir.0, "testfir"));
        assert_eq!(std::fs::metadata(dir.0.join("testfir.dat")).expect("written").len(), 168);
        for cpu in ["plain", "par"] {
            let text = printed(&audiofir(&dir.0, &format!("--in testfir.dat --cpu {cpu}")));
            assert!(text.contains("order 3, 2 channels of 9 samples"), "{text}");
            assert!(text.ends_with("greatest error = 0.000e0\n"), "{text}");
        }
        let bytes = std::fs::read(dir.0.join("audiofir_out.dat")).expect("written");
        let out: Vec<f32> =
            bytes.chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert_eq!(out.len(), 18);
        assert_eq!((out[4], out[13]), (2345.0, -2345.0));
    }

    #[test]
    fn music_is_made_spoilt_and_restored() {
        let dir = Scratch::new("music");
        printed(&audio(&dir.0, "synth --seconds 1.5"));
        let text = printed(&audio(&dir.0, "check music.wav"));
        assert!(text.contains("1.50 s, 66150 frames of 2 channels, 16 bits (integers)"), "{text}");
        assert!(text.contains("warning: 1.5 s of sound: 60 to 120 s are best"), "{text}");
        let text = printed(&audio(&dir.0, "spoil"));
        assert!(text.contains("order 1024, 66150 samples per channel"), "{text}");
        for name in ["org.wav", "in.wav", "ref.wav", "response.svg", "ripple.svg", "spectra.svg"] {
            assert!(dir.0.join(name).exists(), "{name}");
        }
        for name in ["org", "in", "ref"] {
            assert!(dir.0.join(format!("spectrogram-{name}.svg")).exists(), "{name}");
        }
        let text = printed(&audiofir(&dir.0, "--cpu par --runs 1 --wav out.wav"));
        let error = text.rsplit(' ').next().and_then(|e| e.trim().parse::<f64>().ok());
        assert!(error.is_some_and(|e| e > 0.0 && e < 1e-5), "{text}");
        let text = printed(&audio(&dir.0, "check out.wav"));
        assert!(text.contains("66150 frames"), "{text}");
    }

    #[test]
    fn files_that_cannot_be_used_are_refused_in_one_line() {
        let dir = Scratch::new("files");
        let text = refusal(&audiofir(&dir.0, "--in nothing.dat"));
        assert!(text.starts_with("error: nothing.dat: ") && text.lines().count() == 1, "{text}");
        std::fs::write(dir.0.join("cut.dat"), [3, 0, 0, 0, 9, 0]).expect("written");
        let text = refusal(&audiofir(&dir.0, "--in cut.dat"));
        let header = "error: cut.dat: file too short for the header (len) (expected 8 bytes, found \
            6 bytes)\n";
        assert_eq!(text, header);
        std::fs::write(dir.0.join("x.mp3"), b"ID3\x03").expect("written");
        let text = refusal(&audio(&dir.0, "check x.mp3"));
        assert_eq!(text, "error: x.mp3: not a WAV file (convert it first)\n");
        assert!(refusal(&audio(&dir.0, "synth --seconds 0.5")).contains("expected 1 to 300"));
        assert!(!dir.0.join("audiofir_out.dat").exists(), "nothing is written");
    }
}
