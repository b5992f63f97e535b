//! Field data through the program: what `rtm inspect` says of a file, what `rtm prepare` makes of
//! it, what `rtm look` draws.

use std::f64::consts::PI;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rtm::io::{Known, Trace, TraceFormat, TraceHeader, TraceReader, read_cube, write_traces};

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
        "receivers lie 20.0 m apart: at 5",
        "and along the line from 37.5 Hz on",
        "differentiate=0.5",
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

fn traces(path: &Path) -> Vec<Trace> {
    TraceReader::open(path).unwrap().map(|t| t.unwrap()).collect()
}

/// Silence ends exactly at `distance / v + s`, for all offsets, and what is later stays.
#[test]
fn prepare_mutes_to_the_sample() {
    let f = Folder(tempfile::tempdir().unwrap());
    line(&f.path("a.sgy"), TraceFormat::Segy, |_, t| t.samples.fill(2.5));
    f.good("prepare a.sgy b.sgy --mute 2000,0.1");
    let found = traces(&f.path("b.sgy"));
    assert_eq!(found.len(), 40);
    for (k, trace) in found.iter().enumerate() {
        // 0.1 s and 100, 120, ... m at 2 ms and 2000 m/s: 75, 80, ... samples.
        let first = 75 + 5 * (k % 10);
        assert!(trace.samples[..first].iter().all(|v| *v == 0.0), "trace {k}");
        assert!(trace.samples[first..].iter().all(|v| *v == 2.5), "trace {k}");
    }
    f.good("prepare a.sgy c.sgy --mute 2000,0.1,0.02");
    let found = &traces(&f.path("c.sgy"))[0].samples;
    let rise = [75, 80, 85].map(|k| found[k]);
    assert!(rise[0] == 0.0 && (rise[1] - 1.25).abs() < 1e-3 && rise[2] == 2.5, "{rise:?}");
}

#[test]
fn prepare_gains_and_balances() {
    let f = Folder(tempfile::tempdir().unwrap());
    let wave = |k: usize, i: usize| (if i.is_multiple_of(2) { 3.0 } else { -3.0 }) * (k + 1) as f32;
    line(&f.path("a.su"), TraceFormat::Su, |k, t| {
        t.header.delay_s = 0.1;
        (0..300).for_each(|i| t.samples[i] = wave(k, i));
        if k == 39 {
            t.samples[7] = f32::NAN;
        }
    });
    let said = f.good("prepare a.su gain.su --gain 2");
    assert!(said.contains("39 traces; left out: 0 dead, 1 broken, 0 of zeros"), "{said}");
    f.good("prepare a.su agc.su --agc 0.1");
    f.good("prepare a.su even.su --balance");
    let [gain, agc, even] = ["gain.su", "agc.su", "even.su"].map(|name| traces(&f.path(name)));
    for k in [0, 17] {
        for i in [0, 150, 299] {
            let t = 0.1 + i as f32 * 0.002;
            let want = wave(k, i) * t * t;
            assert!((gain[k].samples[i] / want - 1.0).abs() < 1e-5, "{k} {i}");
            let sign = wave(k, i).signum();
            assert!((agc[k].samples[i] - sign).abs() < 1e-5, "{k} {i}: {}", agc[k].samples[i]);
            assert!((even[k].samples[i] - sign).abs() < 1e-5, "{k} {i}: {}", even[k].samples[i]);
        }
    }
}

/// Dead and silent traces go; the clock changes; every other byte of the headers stays.
#[test]
fn prepare_resamples_and_keeps_headers() {
    let f = Folder(tempfile::tempdir().unwrap());
    line(&f.path("a.sgy"), TraceFormat::SegyIbm, |k, t| {
        t.header.delay_s = if k < 20 { 0.0 } else { 0.02 };
        match k {
            1 => t.header.dead = true,
            2 => t.samples.fill(0.0),
            _ => (),
        }
    });
    // Words that this program has no use for.
    let mut bytes = fs::read(f.path("a.sgy")).unwrap();
    let each = 240 + 4 * 300;
    for header in bytes[3600..].chunks_exact_mut(each) {
        header[20..24].copy_from_slice(&77i32.to_be_bytes());
        header[230] = 9;
    }
    fs::write(f.path("a.sgy"), &bytes).unwrap();
    let dry = f.good("prepare a.sgy b.sgy --dt 0.004 --start -0.1 --shift -0.02 --dry-run");
    assert!(dry.contains("40 traces of 300 samples, 2 ms apart; 1 are dead"), "{dry}");
    assert!(dry.contains("nothing was written") && !f.path("b.sgy").exists(), "{dry}");
    let said = f.good("prepare a.sgy b.sgy --dt 0.004 --start -0.1 --shift -0.02");
    assert!(said.contains("38 traces; left out: 1 dead, 0 broken, 1 of zeros"), "{said}");
    assert!(!f.path("b.sgy.part").exists());

    // The latest trace ends at 0.598 s: 175 samples from -0.1 s on.
    let new = fs::read(f.path("b.sgy")).unwrap();
    assert_eq!(new.len(), 3600 + 38 * (240 + 4 * 175));
    assert!(new[..3216] == bytes[..3216] && new[3222..3600] == bytes[3222..3600]);
    assert_eq!(new[3216..3222], [0x0f, 0xa0, bytes[3218], bytes[3219], 0, 175]);
    let (old_head, head) = (&bytes[3600 + 3 * each..], &new[3600 + 240 + 4 * 175..]);
    let clock = |k: &usize| (108..110).contains(k) || (114..118).contains(k);
    assert!((0..240).filter(|k| !clock(k)).all(|k| old_head[k] == head[k]));
    let found = traces(&f.path("b.sgy"));
    let header = &found[1].header;
    assert_eq!((header.dt_s, header.delay_s, header.channel), (0.004, -0.1, 4));
    // The wave arrives 0.02 s earlier than before.
    for (trace, channel, late) in [(&found[1], 3, 0.0), (&found[30], 2, 0.02)] {
        let far_m = 100.0 + 20.0 * f64::from(channel);
        for (k, v) in trace.samples.iter().enumerate() {
            let t = -0.1 + 0.004 * k as f64 + 0.02 - late - far_m / 1500.0;
            let q = (PI * 25.0 * t).powi(2);
            let want = (1.0 - 2.0 * q) * (-q).exp();
            assert!((f64::from(*v) - want).abs() < 3e-3, "{channel} {k}: {v} {want}");
        }
    }
}

#[test]
fn prepare_refuses_what_it_cannot_do() {
    let f = Folder(tempfile::tempdir().unwrap());
    line(&f.path("a.su"), TraceFormat::Su, |_, t| t.samples.fill(0.0));
    for (words, says) in [
        ("a.su a.su", "is the input"),
        ("a.su b.sgy", "not the format"),
        ("a.su b.su --band 1,2,3", "--band 1,2,3"),
        ("a.su b.su --band 1,2,300,400", "250 Hz"),
        ("a.su b.su --mute 0,0.1", "mute"),
        ("a.su b.su --dt 0", "dt"),
        ("a.su b.su --agc 0", "agc"),
        ("a.su b.su --start 5", "start 5"),
        ("a.su b.su --keep-dead --dt 0.000001", "65535"),
        ("a.su b.su", "no trace is left"),
    ] {
        let said = f.bad(&format!("prepare {words}"));
        assert!(said.contains(says), "{words}: {said}");
        assert!(!f.path("b.su").exists() && !f.path("b.su.part").exists(), "{words}");
    }
    f.good("prepare a.su b.su --keep-dead");
    assert_eq!(traces(&f.path("b.su")).len(), 40);
}

/// Another program reads what was prepared.
#[test]
fn segyio_reads_prepared_files() {
    let python = ["/usr/bin/python3", "python3"].into_iter().find(|python| {
        let probe = Command::new(python).args(["-c", "import segyio, numpy"]).output();
        probe.is_ok_and(|o| o.status.success())
    });
    let Some(python) = python else {
        assert!(std::env::var("CI").is_err(), "CI installs python3-segyio");
        println!("skipped: there is no Python with segyio (Debian: python3-segyio)");
        return;
    };
    let f = Folder(tempfile::tempdir().unwrap());
    line(&f.path("a.sgy"), TraceFormat::Segy, |k, t| t.header.dead = k == 0);
    f.good("prepare a.sgy b.sgy --dt 0.004 --shift -0.06 --band 3,6,80,120");
    let script = r#"
import segyio
with segyio.open("b.sgy", ignore_geometry=True) as s:
    assert s.tracecount == 39 and len(s.samples) == 150, (s.tracecount, s.samples)
    assert s.bin[segyio.BinField.Interval] == 4000 and s.bin[segyio.BinField.Samples] == 150
    h = s.header[0]
    assert h[segyio.TraceField.TRACE_SAMPLE_INTERVAL] == 4000, h
    assert h[segyio.TraceField.TRACE_SAMPLE_COUNT] == 150, h
    assert h[segyio.TraceField.DelayRecordingTime] == -60, h
    assert h[segyio.TraceField.TraceNumber] == 2 and h[segyio.TraceField.GroupX] == 120, h
    assert 0.5 < abs(s.trace[0]).max() < 1.1
"#;
    let mut command = Command::new(python);
    let output = command.args(["-c", script]).current_dir(f.0.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The wavelet of the direct wave, with its phase, in a file that a run takes; velocities in
/// another unit than m/s.
#[test]
fn wavelets_and_velocities_are_read_with_their_phase_and_unit() {
    let f = Folder(tempfile::tempdir().unwrap());
    line(&f.path("a.su"), TraceFormat::Su, |_, t| t.samples.iter_mut().for_each(|v| *v = -*v));
    let said = f.good("wavelet a.su -o w.txt --svg w.svg --length 0.16");
    assert!(said.contains("direct wave 1500 m/s, offsets 100 to 160 m"), "{said}");
    let phase = said.split("phase there ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(said.contains("peak at 0.0 ms") && ["180", "-180"].contains(&phase), "{said}");
    let zero = f.good("wavelet a.su --method zero");
    assert!(zero.contains("peak at 0.0 ms, phase there 0 degrees"), "{zero}");
    assert!(f.path("w.svg").exists());
    assert!(f.bad("wavelet a.su --offsets 500,900").contains("500 to 900 m"));
    assert!(f.bad("wavelet a.su --offsets 9,5").contains("--offsets 9,5"));
    assert!(f.bad("wavelet a.su --length 0").contains("--length 0"));

    f.good("model --kind constant --velocity 2 --n 9,9,9 --d 10 -o v.npy");
    let shoot = "shoot vfile=v.npy data=s.su wavelet=w.txt fq=20 Lpml=4 tmax=0.05 sources_x=40 \
                 sources_y=40 receivers_x=40 receivers_y=60";
    let error = f.bad(shoot);
    assert!(error.contains("v.npy") && error.contains("vunits=km/s"), "{error}");
    f.good(&format!("{shoot} vunits=km/s"));
    f.good("model --kind constant --velocity 2000 --n 9,9,9 --d 10 -o v.npy");
    let kilometres = fs::read(f.path("s.su")).unwrap();
    f.good(shoot);
    assert_eq!(fs::read(f.path("s.su")).unwrap(), kilometres);
    f.good("model --kind constant --velocity 15000 --n 9,9,9 --d 10 -o v.npy");
    assert!(f.bad(shoot).contains("vunits=ft/s"));
}

/// A line, one plane of points: boundaries would be all of it, so checkpoints are kept.
#[test]
fn a_line_is_migrated_by_default() {
    let f = Folder(tempfile::tempdir().unwrap());
    f.good("model --kind layered --n 21,1,21 --d 10 --layers 2000,120:2600 -o v.npy");
    f.good(
        "shoot vfile=v.npy data=d.su fq=20 Lpml=6 tmax=0.25 sources_x=100 sources_y=0 \
         receivers_x=0:20:11 receivers_y=0",
    );
    let image = |words: &str| {
        let line = "migrate vfile=v.npy data=d.su fq=20 Lpml=6 svg=0 format=npy restart=0 out=out";
        let run = f.run(&format!("{line} {words}"));
        let said = String::from_utf8([run.stdout, run.stderr].concat()).unwrap();
        assert!(run.status.success(), "{said}");
        (said, read_cube(&f.path("out/image.npy"), &Known::default()).unwrap().values)
    };
    let (said, whole) = image("");
    assert!(said.contains("checkpoints are kept") && said.contains("differentiate=0.5"), "{said}");
    // Images by offset add up to that of all.
    let (said, near) = image("offsets=0,50");
    assert!(said.contains("6 traces are left out: dead (trid 2 or 3) or beyond"), "{said}");
    let (_, far) = image("offsets=50,500");
    let sum: Vec<f32> = near.iter().zip(&far).map(|(a, b)| a + b).collect();
    let off = rtm::metrics::relative_l2(&sum, &whole);
    assert!(off < 1e-4 && rtm::metrics::relative_l2(&near, &whole) > 0.01, "{off}");
    let line = "migrate vfile=v.npy data=d.su fq=20 Lpml=6 out=out";
    assert!(f.bad(&format!("{line} offsets=900,1000")).contains("no live trace of d.su"));
    assert!(f.bad(&format!("{line} offsets=5")).contains("offsets = 5"));
}

/// One page of traces and cubes; nothing in it leads outside.
#[test]
fn look_draws_traces_models_and_images_on_one_page() {
    let f = Folder(tempfile::tempdir().unwrap());
    line(&f.path("a.su"), TraceFormat::Su, |_, _| ());
    f.good("model --kind layered --n 21,11,31 --d 10 --layers 1800,120:2400 -o v.npy");
    assert_eq!(f.good("look a.su v.npy --slices 2"), "a.su.html\n");
    let page = fs::read_to_string(f.path("a.su.html")).unwrap();
    // Three gathers and the spectrum; two sections and two depth slices.
    assert_eq!(page.matches("<svg").count(), 8);
    for part in ["Shot 1<", "Shot 4<", "Spectrum<", "Section, y = 50 m<", "z = 200 m<", "(live)"] {
        assert!(page.contains(part), "{part}");
    }
    let outside = page.replace("http://www.w3.org/", "");
    for word in ["http", "src=", "url(", "@import", "<script", "<link"] {
        assert!(!outside.contains(word), "{word}");
    }
    assert!(page.matches("href=").count() == page.matches("href=\"data:image/png;base64,").count());
    f.good("look a.su --wiggles --html w.html");
    let page = fs::read_to_string(f.path("w.html")).unwrap();
    assert!(page.contains("Z\" class=\"f6\"") && !page.contains("image/png"));
    let nothing = fs::read_dir(f.0.path()).unwrap().count();
    for (words, says) in [
        ("a.su --clip 0", "--clip 0"),
        ("a.su --gain -1", "--gain -1"),
        ("v.npy --at 5", "--at 5"),
        ("v.npy --at 500,0", "0 to 200 m"),
        ("none.npy", "none.npy"),
        ("a.txt", "a.txt"),
    ] {
        assert!(f.bad(&format!("look {words} --html b.html")).contains(says), "{words}");
    }
    assert_eq!(fs::read_dir(f.0.path()).unwrap().count(), nothing);
}
