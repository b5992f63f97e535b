//! Field data through the program: what `rtm inspect` says of a file.

use std::f64::consts::PI;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rtm::io::{Trace, TraceFormat, TraceHeader, write_traces};

const DT_S: f64 = 0.002;

struct Folder(tempfile::TempDir);

impl Folder {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rtm"));
        command.args(line.split_whitespace()).current_dir(self.0.path()).output().unwrap()
    }

    /// Runs a command that must succeed; its standard output.
    fn good(&self, line: &str) -> String {
        let output = self.run(line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "rtm {line}\n{errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must refuse its input; what it says.
    fn bad(&self, line: &str) -> String {
        let output = self.run(line);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code().is_some_and(|c| c != 0 && c < 100), "rtm {line}\n{text}");
        assert!(text.starts_with("error: ") && text.contains("fix: "), "rtm {line}\n{text}");
        text
    }
}

/// Four shots of ten receivers, 20 m apart, the first 100 m from the source: a direct wave at
/// 1500 m/s with a Ricker wavelet of 25 Hz, whose peak is at time zero.
fn line(path: &Path, format: TraceFormat, change: impl Fn(usize, &mut Trace)) {
    let mut traces = (0..40).map(|k| {
        let (shot, channel) = (k / 10, k % 10);
        let (x, far_m) = (40.0 * shot as f64, 100.0 + 20.0 * channel as f64);
        let sample = |i: usize| {
            let q = (PI * 25.0 * (i as f64 * DT_S - far_m / 1500.0)).powi(2);
            ((1.0 - 2.0 * q) * (-q).exp()) as f32
        };
        let header = TraceHeader {
            shot: shot as i32 + 1,
            channel: channel as i32 + 1,
            source_m: [x, 0.0, 5.0],
            receiver_m: [x + far_m, 0.0, 5.0],
            dt_s: DT_S,
            ..Default::default()
        };
        let mut trace = Trace { header, samples: (0..300).map(sample).collect() };
        change(k, &mut trace);
        Ok(trace)
    });
    write_traces(path, format, "A LINE OF THE TESTS", &mut traces).unwrap();
}

#[test]
fn inspect_says_what_is_in_a_file_and_draws_it() {
    let f = Folder(tempfile::tempdir().unwrap());
    line(&f.path("a.sgy"), TraceFormat::SegyIbm, |k, t| t.header.dead = k == 3);
    let said = f.good("inspect a.sgy --vmin 1500 --vmax 4000 --html a.html");
    for part in [
        "SEG-Y, big-endian, IBM numbers of 32 bits (format 1)",
        "C 2 A LINE OF THE TESTS",
        "40 of 300 samples, 2 ms apart (0.598 s)",
        "1 (live) in 39 traces, 2 (dead) in 1 traces",
        "4 in 4 runs of 10 to 10 traces",
        "from shot to shot 40.00 m, from receiver to receiver 20.00 m",
        "offsets     100.00 to 280.00 m",
        "direct wave 1500 m/s; the wavelet's peak is 0.0 ms after time zero",
        "data=a.sgy",
        "fq=24.",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(!said.contains("wavelet_zero"), "{said}");
    // The suggestions are a file of words that the program reads.
    let lines = said.split("par=FILE)\n").nth(1).unwrap().split("\n\n").next().unwrap();
    fs::write(f.path("run.par"), lines).unwrap();
    let options = f.good("options par=run.par");
    assert!(options.contains("\ndata = \"a.sgy\"") && options.contains("\ndt = 0.00"), "{options}");
    let page = fs::read_to_string(f.path("a.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 3, "geometry, fold, spectrum");
    assert!(page.contains("A LINE OF THE TESTS"));
}

#[test]
fn inspect_names_what_looks_wrong() {
    let f = Folder(tempfile::tempdir().unwrap());
    line(&f.path("a.su"), TraceFormat::Su, |k, t| {
        t.header.shot = 1 + k as i32 % 4;
        t.header.source_m = [0.0; 3];
        t.header.receiver_m = [0.0; 3];
        if k == 6 {
            t.samples[9] = f32::NAN;
        }
    });
    let said = f.good("inspect a.su");
    for part in ["have no places", "susort fldr tracf", "the first in trace 7", "none stands out"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    // Channel numbers as the receivers' places.
    let said = f.good("inspect a.su --header gx=tracf --units ft");
    assert!(said.contains("x 0.30 to 3.05 m") || said.contains("x 0.30 to 3.05"), "{said}");
    assert!(f.bad("inspect a.su --header gx=foo").contains("header.gx = foo"));
    assert!(f.bad("inspect a.su --units cm").contains("--units cm"));
    assert!(f.bad("inspect a.su --vmin 0").contains("--vmin"));
    assert!(f.bad("inspect none.su").contains("no such file"));
    let whole = fs::read(f.path("a.su")).unwrap();
    fs::write(f.path("cut.su"), &whole[..whole.len() - 5]).unwrap();
    assert!(f.bad("inspect cut.su").contains("truncated"));
}
