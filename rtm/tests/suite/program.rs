//! The program as its users meet it: run with good and bad input, killed in the middle, and its
//! files read by others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_rtm");

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(&line.split_whitespace().collect::<Vec<_>>()).output().unwrap()
    }

    /// Runs a command that must succeed; its standard output.
    fn good(&self, line: &str) -> String {
        let output = self.run(line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "rtm {line}\n{errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must fail with an exit code and a message that has all of `said`.
    fn bad(&self, line: &str, code: i32, said: &[&str]) {
        let output = self.run(line);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "rtm {line}\n{text}");
        assert!(text.starts_with("error: "), "rtm {line}\n{text}");
        for part in said.iter().chain(&["fix: "]) {
            assert!(text.contains(part), "rtm {line}\nwanted: {part}\n{text}");
        }
    }

    /// A tiny model and its survey of three shots.
    fn survey(&self) {
        self.good("model --kind layered --n 25,11,25 --d 10 --layers 1800,120:2400 -o v.bin");
        let words = "fq=20 Lpml=6 dt_rec=0.002 tmax=0.3 sources_x=60:60:3 sources_y=50 \
            receivers_x=0:20:13 receivers_y=30,70";
        fs::write(self.path("run.par"), words).unwrap();
        let said = self.good("shoot par=run.par vfile=v.bin data=d.su");
        assert!(said.contains("3 shots, 78 traces of 150 samples"), "{said}");
    }
}

const MIGRATE: &str = "migrate par=run.par vfile=v.bin data=d.su mute=1800,0.06";

/// The Ricker wavelet of the survey as a file, its time 0 `zero_s` before its peak.
fn wavelet(zero_s: f64) -> String {
    let ricker = |t: f64| {
        let q = (std::f64::consts::PI * 20.0 * t).powi(2);
        (1.0 - 2.0 * q) * (-q).exp()
    };
    let times = (-120..=120).map(|k| f64::from(k) * 5e-4);
    times.map(|t| format!("{} {}\n", t + zero_s, ricker(t))).collect()
}

fn equal(a: &Path, b: &Path) -> bool {
    fs::read(a).unwrap() == fs::read(b).unwrap()
}

#[test]
fn mistakes_are_answered_with_place_reason_and_fix() {
    let f = Folder::new();
    f.survey();
    f.bad("migrate par=none.toml", 1, &["none.toml", "no such file"]);
    f.bad("migrate fq=20 vfil=v.bin", 2, &["'vfil'", "did you mean vfile?"]);
    f.bad("migrate vfile=v.bin", 2, &["fq", "give fq=HZ"]);
    f.bad("migrate fq=20", 2, &["vfile", "vcte"]);
    f.bad("migrate fq=20 vfile=v.bin", 2, &["data", "rtm shoot"]);
    f.bad("migrate fq=20 vfile=v.bin pplo=1 data=d.su", 2, &["pplo = 1", "alias"]);
    f.bad("migrate fq=20 vfile=v.bin strategy=4 data=d.su", 2, &["unstable", "use 6"]);
    f.bad(
        "migrate fq=20 vfile=v.bin nx=26 ny=11 nz=25 data=d.su",
        2,
        &["v.bin", "[26, 11, 25]", "[25, 11, 25]"],
    );
    f.bad("migrate fq=20 vfile=v.bin data=d.su ishot=3", 2, &["3 shots", "0 to 2"]);
    f.bad(
        "migrate fq=20 vfile=v.bin data=d.su Lpml=6 lext=0",
        2,
        &["receiver 1 of shot 1", "left face", "lext"],
    );
    f.bad(
        "migrate fq=20 vfile=v.bin data=d.su Lpml=40 strategy=store memory=100M",
        1,
        &["memory", "strategy=random"],
    );
    f.bad("migrate fq=20 vfile=v.bin data=d.su Lpml=6 memory=100k", 1, &["memory", "explain"]);
    f.bad(
        "shoot par=run.par vfile=v.bin data=e.su receivers_x=0:20:14",
        2,
        &["receiver 27 of shot 1", "x = 260", "rext"],
    );
    f.bad(
        "shoot par=run.par vfile=v.bin data=e.su streamer=1,2",
        2,
        &["streamer = 1,2", "five numbers"],
    );
    f.bad("shoot par=run.par vfile=v.bin data=e.dat", 2, &["e.dat", ".su"]);
    f.bad(
        "shoot par=run.par vfile=v.bin data=e.su sources_x=1:2",
        2,
        &["sources_x = 1:2", "first:step:count"],
    );
    f.bad(
        "model --kind layered --layers 1,2 --n 3,3,3 --d 5",
        2,
        &["layers: '2'", "depth:velocity"],
    );
    f.bad("model --from v.bin --d 20", 2, &["[20.0, 20.0, 20.0]", "v.bin.toml"]);
    f.bad("image d.su --shot 9", 2, &["shot 9", "3 shots"]);

    let bytes = fs::read(f.path("v.bin")).unwrap();
    fs::write(f.path("v.bin"), &bytes[..bytes.len() - 4]).unwrap();
    f.bad(MIGRATE, 2, &["v.bin", "27496 bytes", "are 27500", "truncated"]);
    let mut nan = bytes.clone();
    nan[4 * 300..4 * 301].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(f.path("v.bin"), &nan).unwrap();
    f.bad(MIGRATE, 2, &["v.bin", "ix = 1, iy = 1, iz = 0 is NaN"]);
    let mut slow = bytes.clone();
    slow[..4].copy_from_slice(&(-1500f32).to_le_bytes());
    fs::write(f.path("v.bin"), &slow).unwrap();
    f.bad(MIGRATE, 2, &["v.bin", "-1500 m/s"]);
    fs::write(f.path("v.bin"), &bytes).unwrap();
    let data = fs::read(f.path("d.su")).unwrap();
    fs::write(f.path("d.su"), &data[..data.len() - 100]).unwrap();
    f.bad(MIGRATE, 2, &["d.su", "no whole number of traces", "truncated"]);
    fs::write(f.path("d.su"), &data).unwrap();
    #[cfg(target_os = "linux")]
    f.bad(
        "model --from v.bin -o /dev/full",
        1,
        &["/dev/full", "the disk is full", "free some space"],
    );
    fs::write(f.path("file"), "").unwrap();
    f.bad(&format!("{MIGRATE} out=file"), 1, &["file", "cannot be"]);
}

#[test]
fn a_step_that_would_be_unstable_is_replaced_and_said() {
    let f = Folder::new();
    f.survey();
    let output = f.run(&format!("{MIGRATE} dt=0.01 nshots=1 rfile=0 svg=0"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && said.contains("dt = 0.01 s is unstable with order 8"),
        "{said}"
    );
}

/// Spec 4.6: apertures decide how much of the model a shot takes, up to the whole; outside of it
/// the image is 0.
#[test]
fn apertures_cut_the_model() {
    kept::once!(PROGRAM);
    let f = Folder::new();
    f.survey();
    // Shot 0: source at x = 60 m, receivers from 0 to 240 m: all of x; 25 points, and 6 layers on
    // each side.
    let explain = "explain par=run.par vfile=v.bin data=d.su";
    assert!(f.good(explain).contains("largest submodel 37 x 23 x 37 points"));
    let said = f.good(&format!("{explain} bpad=0 fpad=10 opad=100"));
    // y: from 30 to 70 m and 10 m more; z: 100 m below the source.
    assert!(said.contains("largest submodel 37 x 18 x 23 points"), "{said}");
    // Too thin for the shells of saved boundaries.
    f.good(&format!(
        "{MIGRATE} strategy=checkpoints nshots=1 bpad=0 fpad=10 opad=100 art_rem_method=0 out=a"
    ));
    let bytes = fs::read(f.path("a/image.bin")).unwrap();
    let at = |ix: usize, iy: usize, iz: usize| {
        let i = 4 * ((ix * 11 + iy) * 25 + iz);
        f32::from_le_bytes(bytes[i..i + 4].try_into().unwrap())
    };
    assert!(at(12, 5, 9) != 0.0);
    assert_eq!((at(12, 2, 9), at(12, 9, 9), at(12, 5, 12)), (0.0, 0.0, 0.0));
}

/// Spec C44: every dump has the stated size, and the image does not depend on dumps.
#[test]
fn dumps_have_their_sizes() {
    kept::once!(PROGRAM);
    let f = Folder::new();
    f.survey();
    f.good(&format!("{MIGRATE} out=plain nshots=1 crop=0"));
    f.good(&format!(
        "{MIGRATE} out=all nshots=1 crop=0 strategy=random rdtype=0 smovie=1 sbackmovie=1 rmovie=1 \
         seffmovie=1 \
         seffbackmovie=1 movie_every=20 resampfile=1 velextfile=1 velresampfile=1 subvelfile=1 \
         revolutionfile=1 \
         rshotfile=1 rshotfile_raw=1 rfile_raw=1 rdfile=1 illumfile=1 velrand1file=1 \
         velrand2file=1 psgraphfile=1"
    ));
    let size =
        |name: &str| fs::metadata(f.path(name)).unwrap_or_else(|e| panic!("{name}: {e}")).len();
    // 25 x 11 x 25 points and 6 layers on each face; nt = 190 levels of the largest stable step,
    // 1.887 ms, make 0.36 s: 0.3 s of the traces,
    let (whole, inner) = (37 * 23 * 37 * 4, 25 * 11 * 25 * 4);
    // and the 0.06 s of the wavelet before its peak
    let nt = 190;
    let frames = |first: usize| (first..nt).filter(|k| k % 20 == 0).count() as u64;
    for (name, want) in [
        ("all/image.bin", whole),
        ("all/image-raw.bin", whole),
        ("all/illumination.bin", whole),
        ("all/image-after-00001.bin", whole),
        ("all/shot-00001-image.bin", inner),
        ("all/shot-00001-image-raw.bin", inner),
        ("all/model-extended.bin", whole),
        ("all/model-resampled.bin", whole),
        ("all/shot-00001-model.bin", whole),
        ("all/shot-00001-velrand1.bin", whole),
        ("all/shot-00001-velrand2.bin", whole),
        ("all/shot-00001-resampled.su", 26 * (240 + 4 * nt as u64)),
        ("all/shot-00001-smovie.bin", frames(1) * whole),
        ("all/shot-00001-sbackmovie.bin", frames(0) * whole),
        ("all/shot-00001-rmovie.bin", frames(0) * whole),
        ("all/shot-00001-seffmovie.bin", frames(1) * inner),
        ("all/shot-00001-seffbackmovie.bin", frames(0) * inner),
    ] {
        assert_eq!(size(name), want, "{name}");
    }
    let envelope = fs::read_to_string(f.path("all/rd.txt")).unwrap();
    assert_eq!(envelope.lines().count(), 7);
    assert!(envelope.contains("0.500000 0.500000"), "{envelope}");
    assert!(size("all/submodels.svg") > 500 && size("all/image.svg") > 500);
    assert!(!f.path("plain/restart.bin").exists());
}

/// A pipe: who opens it at one end waits until somebody opens the other, so a test can hold a run
/// where it comes to this file.
#[cfg(unix)]
fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The files of finished shots in a folder.
#[cfg(unix)]
fn kept(folder: &Path) -> Vec<PathBuf> {
    let names = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = names.map(|name| name.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "bin" || e == "su"));
    paths
}

/// Waits until what a run has written says so; the run must not end before.
#[cfg(unix)]
fn until(child: &mut std::process::Child, holds: impl Fn() -> bool) {
    while !holds() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended too soon");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Spec C45: killed at any moment and started again, the image has the same bits, and finished
/// shots are not repeated.
#[test]
#[cfg(unix)]
fn a_killed_run_goes_on_to_the_same_bits() {
    let f = Folder::new();
    f.survey();
    let line = format!("{MIGRATE} strategy=checkpoints ks_store=5 imgcond=5");
    let start = |out: &str| {
        let line = format!("{line} {out}");
        let words: Vec<&str> = line.split_whitespace().collect();
        f.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    f.good(&format!("{line} out=whole"));

    // Killed a little later each time: before, in and behind shots and writes.
    for wait in (0..6).map(|k| Duration::from_millis(10 + 50 * k)) {
        let mut child = start("out=killed");
        std::thread::sleep(wait);
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
    }
    f.good(&format!("{line} out=killed"));
    assert!(equal(&f.path("whole/image.bin"), &f.path("killed/image.bin")));

    // Killed for certain in the second shot, and then in the third: the last run does only that.
    let hold = |out: &str, shots: &[&str]| {
        fs::create_dir_all(f.path(out)).unwrap();
        for (done, shot) in shots.iter().enumerate() {
            let shot = f.path(&format!("{out}/shot-{shot}-model.bin"));
            pipe(&shot);
            let mut child = start(&format!("out={out} subvelfile=1"));
            until(&mut child, || kept(&f.path(&format!("{out}/finished"))).len() == done + 1);
            child.kill().unwrap();
            child.wait().unwrap();
            fs::remove_file(shot).unwrap();
        }
    };
    hold("steps", &["00002", "00003"]);
    // A shot is kept in a file of its part of the image, not with the whole image.
    let files = kept(&f.path("steps/finished"));
    let sizes: Vec<u64> = files.iter().map(|path| fs::metadata(path).unwrap().len()).collect();
    assert_eq!(sizes, [3 * 4 * 25 * 11 * 25 + 112; 2]);
    assert!(!f.path("steps/restart.bin").exists());
    let resumed = f.good(&format!("{line} out=steps"));
    assert!(resumed.contains("(2 of them in an earlier run)"), "{resumed}");
    assert!(!f.path("steps/finished").exists());
    assert!(equal(&f.path("whole/image.bin"), &f.path("steps/image.bin")));

    // Data that have changed since, or another wavelet, are not added to what was made of the old.
    hold("mixed", &["00002"]);
    let data = fs::read(f.path("d.su")).unwrap();
    let mut muted = data.clone();
    muted[240 + 400..240 + 500].fill(0);
    fs::write(f.path("d.su"), &muted).unwrap();
    let refused = f.run(&format!("{line} out=mixed"));
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{text}");
    for part in ["mixed/finished", "have changed", "restart=0"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // In a shot that was not finished they may.
    fs::write(f.path("d.su"), [&data[..data.len() - 100], &[0; 100]].concat()).unwrap();
    f.good(&format!("{line} out=mixed"));
    fs::write(f.path("d.su"), &data).unwrap();

    // The state of a run with other parameters is not taken.
    fs::create_dir_all(f.path("other")).unwrap();
    fs::write(
        f.path("other/restart.bin"),
        b"RTM restart, v2\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    )
    .unwrap();
    f.bad(&format!("{line} out=other"), 2, &["other/restart.bin", "other parameters", "restart=0"]);
}

/// A stopped modelling run goes on, too, and ends with the same file.
#[test]
#[cfg(unix)]
fn ctrl_c_ends_between_steps_and_the_run_goes_on() {
    let f = Folder::new();
    f.survey();
    // Shots that take a while, so that there is time for a signal.
    let line = "shoot par=run.par vfile=v.bin data=e.su tmax=1.5";
    f.good(&line.replace("e.su", "whole.su"));
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut child = f.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let folder = f.path("e.su.shots");
    until(&mut child, || kept(&folder).len() == 1);
    // While it is stopped it cannot end; the signals come when it goes on.
    let signal = |name: &str| {
        let kill = Command::new("kill").args([name, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
    };
    signal("-STOP");
    let done = kept(&folder).len();
    assert!(done < 3, "the run has ended before it could be stopped: take a larger tmax");
    signal("-INT");
    signal("-CONT");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("stopped; the same command goes on"), "{said}");
    assert!(!f.path("e.su").exists());
    assert_eq!(kept(&folder).len(), done, "the shot that was stopped is not kept");
    let output = f.run(line);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let resumed = format!("{done} shots were modelled before");
    assert!(output.status.success() && said.contains(&resumed), "{said}");
    assert!(equal(&f.path("whole.su"), &f.path("e.su")));
    assert!(!f.path("e.su.shots").exists());
}

/// Spec C02 to C05, C10: the same survey through other formats, the same image.
#[test]
fn formats_and_selections_agree() {
    kept::once!(PROGRAM);
    let f = Folder::new();
    f.survey();
    f.good(&format!("{MIGRATE} out=a"));
    for model in ["v.npy", "v.su", "v.sgy"] {
        f.good(&format!("model --from v.bin -o {model}"));
    }
    f.good("shoot par=run.par vfile=v.npy data=d.sgy");
    for (k, (model, data)) in
        [("v.npy", "d.sgy"), ("v.su", "d.su"), ("v.sgy", "d.sgy")].iter().enumerate()
    {
        f.good(&format!("migrate par=run.par vfile={model} data={data} mute=1800,0.06 out=b{k}"));
        assert!(
            equal(&f.path("a/image.bin"), &f.path(&format!("b{k}/image.bin"))),
            "{model} {data}"
        );
    }
    // The sum of two halves is the whole, up to rounding: shots 0 and 2, and shot 1.
    f.good(&format!("{MIGRATE} out=c incshot=2"));
    f.good(&format!("{MIGRATE} out=d ishot=1 nshots=1"));
    let read = |name: &str| -> Vec<f32> {
        let bytes = fs::read(f.path(name)).unwrap();
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let (all, odd, even) = (read("a/image.bin"), read("c/image.bin"), read("d/image.bin"));
    let most = all.iter().fold(0f32, |m, v| m.max(v.abs()));
    for i in 0..all.len() {
        assert!((all[i] - odd[i] - even[i]).abs() <= 1e-5 * most, "{i}");
    }
    // A constant model needs no file.
    let said =
        f.good("explain vcte=2000 nx=25 ny=11 nz=25 dx=10 dy=10 dz=10 par=run.par data=d.su");
    assert!(said.contains("2000 to 2000 m/s") && said.contains("boundaries (6) *"), "{said}");
}

#[test]
fn streamers_trail_the_source_and_wavelets_come_from_files() {
    kept::once!(PROGRAM);
    let f = Folder::new();
    f.survey();
    // Behind the first source, at x = 60: 40, 20 and 0; the fourth receiver of each cable is
    // outside of the model.
    let said = f.good("shoot par=run.par vfile=v.bin data=s.su streamer=2,20,4,20,20 nshots=1");
    assert!(said.contains("6 traces"), "{said}");
    fs::write(f.path("w.txt"), wavelet(0.0)).unwrap();
    f.good("shoot par=run.par vfile=v.bin data=w.su wavelet=w.txt");
    // The same, its times counted from its start.
    fs::write(f.path("late.txt"), wavelet(0.06)).unwrap();
    f.good("shoot par=run.par vfile=v.bin data=late.su wavelet=late.txt wavelet_zero=0.06");
    let read = |name: &str| -> Vec<f32> {
        let bytes = fs::read(f.path(name)).unwrap();
        let traces = bytes.chunks_exact(240 + 600).flat_map(|t| t[240..].chunks_exact(4));
        traces.map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let (ours, theirs) = (read("d.su"), read("w.su"));
    let most = ours.iter().fold(0f32, |m, v| m.max(v.abs()));
    let apart = |theirs: &[f32]| {
        ours.iter().zip(theirs).fold(0f32, |m, (a, b)| m.max((a - b).abs())) / most
    };
    assert!(apart(&theirs) < 2e-3 && most > 0.0, "{} {most}", apart(&theirs));
    assert!(apart(&read("late.su")) < 2e-3, "{}", apart(&read("late.su")));
    // Traces that begin 40 ms later are the same from there on, and say so.
    f.good("shoot par=run.par vfile=v.bin data=delayed.su delay=0.04 tmax=0.26");
    let bytes = fs::read(f.path("delayed.su")).unwrap();
    let each = 240 + 4 * 130;
    assert_eq!((bytes.len(), &bytes[108..110]), (78 * each, &40i16.to_le_bytes()[..]));
    for (k, trace) in bytes.chunks_exact(each).enumerate() {
        let samples = trace[240..].chunks_exact(4);
        let samples = samples.map(|b| f32::from_le_bytes(b.try_into().unwrap()));
        assert!(samples.eq(ours[k * 150 + 20..][..130].iter().copied()), "trace {k}");
    }
}

/// Spec C62, on a coarse grid: three strategies, one image.
#[test]
fn the_salt_is_the_same_by_all_strategies() {
    kept::once!(PROGRAM);
    let f = Folder::new();
    let said = f.good("salt --coarser 8 --shots 1 --out salt");
    let error = |name: &str| -> f64 {
        let row = said.lines().find(|l| l.starts_with(&format!("| {name} |"))).expect(&said);
        row.split('|').nth(2).unwrap().trim().parse().unwrap()
    };
    assert_eq!(error("checkpoints"), 0.0);
    assert!((1e-8..1e-5).contains(&error("boundaries")), "{said}");
    // An image of nothing, or of something else, would be 1 or more away.
    assert!((0.02..0.2).contains(&error("random")), "{said}");
    for name in ["salt/salt.svg", "salt/random/image.svg", "salt/boundaries/difference.bin"] {
        assert!(f.path(name).exists(), "{name}");
    }
    // Begun again, it takes what is there, and makes only what is not.
    let when = |name: &str| fs::metadata(f.path(name)).unwrap().modified().unwrap();
    let kept = ["salt/salt.su", "salt/checkpoints/image.bin", "salt/boundaries/image.bin"];
    let before = kept.map(when);
    fs::remove_file(f.path("salt/random/image.bin")).unwrap();
    let again = f.good("salt --coarser 8 --shots 1 --out salt");
    assert_eq!(before, kept.map(when));
    let cut = |text: &str| -> Vec<String> {
        text.lines().map(|l| l.rsplit_once(" | ").map_or(l, |l| l.0).into()).collect()
    };
    assert_eq!(cut(&said), cut(&again));
    // What was made of something else is not taken.
    fs::write(f.path("salt/salt.su.ended"), "fq=7\n1 1 1 1\n").unwrap();
    f.good("salt --coarser 8 --shots 1 --out salt");
    assert!(when(kept[0]) > before[0] && when(kept[1]) == before[1]);
}

#[test]
fn studies_are_tables_and_plots() {
    kept::once!(PROGRAM);
    let f = Folder::new();
    let said = f.good("study checkpoints --svg c.svg");
    assert!(said.contains("| 48 | 61213 | 2055140736 |"), "{said}");
    let said = f.good("study storage");
    assert!(said.contains("| 50 | 4.00 | 1226 | 726 |"), "{said}");
    assert!(fs::metadata(f.path("c.svg")).unwrap().len() > 2000);
    let said = f.good("study wavefields --svg w.svg");
    assert_eq!(said.matches("| source: ").count(), 2, "{said}");
    // Two places of the source, four levels, three fields each with its colour bar.
    let drawn = fs::read_to_string(f.path("w.svg")).unwrap();
    assert_eq!(drawn.matches("image/png").count(), 48);
}

/// The checks that are drawn for the page on verification: each finds what the page says.
#[test]
fn checks_of_the_physics_are_drawn_with_their_numbers() {
    kept::once!(PROGRAM);
    let f = Folder::new();
    // The last cell of each row of a table.
    let last = |said: &str| -> Vec<f64> {
        let rows = said.lines().filter(|l| l.starts_with('|')).skip(2);
        let cell = |l: &str| l.trim_end_matches('|').rsplit('|').next().unwrap().trim().to_string();
        rows.map(|l| cell(l).trim_end_matches(" m").parse().unwrap()).collect()
    };
    let orders = last(&f.good("study dispersion --svg dispersion.svg"));
    assert!(orders.windows(2).all(|r| r[0] <= r[1]) && orders.last() == Some(&1.0), "{orders:?}");
    let sinc = last(&f.good("study between --svg between.svg"));
    assert!(sinc[0] > 0.1 && sinc[4..].iter().all(|e| *e <= 1e-3), "{sinc:?}");
    let ghost = last(&f.good("study ghost --svg ghost.svg"));
    assert!(ghost.len() == 2 && ghost.iter().all(|e| *e < 1e-3), "{ghost:?}");
    assert_eq!(last(&f.good("study hill --svg hill.svg")), [150.0, 200.0]);
    for (name, word) in [
        ("dispersion", "order 16"),
        ("between", "nearest"),
        ("ghost", "formula"),
        ("hill", "heights"),
    ] {
        let drawn = fs::read_to_string(f.path(&format!("{name}.svg"))).unwrap();
        assert!(drawn.contains(word), "{name}");
    }
}

/// A sweep's table is kept, and what it holds is not run again.
#[test]
fn a_sweep_goes_on_after_the_cases_of_its_table() {
    let f = Folder::new();
    let head = "grid,method,runs,mean MSamples/s,deviation\n";
    fs::write(f.path("s.csv"), format!("{head}10,base,10,100.00,1.00\n10,best,10,150.00,1.00\n"))
        .unwrap();
    let case = "fletcher TTI 8 8 8 2 12.5 12.5 12.5 0.001 0.002";
    let said =
        f.good(&format!("{case} --sweep 10:4:14 --runs 2 --csv s.csv --svg s.svg --threads 1"));
    assert!(said.contains("best over base: "), "{said}");
    let table = fs::read_to_string(f.path("s.csv")).unwrap();
    assert!(table.contains("\n10,best,10,150.00,1.00\n14,base,2,"), "{table}");
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(fs::read_to_string(f.path("s.svg")).unwrap().contains(">best<"));
}

/// On the GPU, or the emulated one.
#[cfg(feature = "cuda")]
#[test]
fn checks_run_on_other_back_ends() {
    kept::once!(PROGRAM, crate::KERNELS);
    let said = Folder::new().good("verify space --backend cuda");
    assert!(said.contains("| order in space of the Laplacian, order 8 | 7.8919e0 |"), "{said}");
}

/// Order 16 wants more shared memory for a block than this GPU has: blocks are smaller then.
#[cfg(feature = "cuda")]
#[test]
fn a_gpu_with_little_shared_memory_gives_the_same_bits() {
    kept::once!(PROGRAM, crate::KERNELS);
    let (folder, line) = (Folder::new(), "agree --n 41 --layers 4 --order 16 --steps 4 --within 0");
    let mut command = folder.command(&line.split(' ').collect::<Vec<_>>());
    let output = command.env("LAB_DEVICE", "emulated").env("LAB_GPU", "t4").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Files that other programs read (segyio of Debian and PyPI) and write (NumPy).
#[test]
fn segyio_reads_our_files() {
    let python = ["/usr/bin/python3", "python3"].into_iter().find(|python| {
        let probe = Command::new(python).args(["-c", "import segyio, numpy"]).output();
        probe.is_ok_and(|o| o.status.success())
    });
    let Some(python) = python else {
        assert!(std::env::var("CI").is_err(), "CI installs python3-segyio");
        println!("skipped: there is no Python with segyio (Debian: python3-segyio)");
        return;
    };
    let f = Folder::new();
    f.survey();
    f.good("shoot par=run.par vfile=v.bin data=d.sgy");
    f.good("model --from v.bin -o v.sgy");
    f.good("model --from v.bin -o v.npy");
    let script = r#"
import segyio, numpy as np
with segyio.open("d.sgy", ignore_geometry=True) as s:
    assert s.tracecount == 78, s.tracecount
    assert s.bin[segyio.BinField.Interval] == 2000 and s.bin[segyio.BinField.Format] == 5
    h = s.header[27]
    assert h[segyio.TraceField.FieldRecord] == 2, h
    scale = h[segyio.TraceField.SourceGroupScalar]
    x = h[segyio.TraceField.SourceX] * (1 if scale >= 0 else -1 / scale)
    assert x in (120, 1.2e2), (h, scale)
    assert h[segyio.TraceField.GroupX] == 0 and h[segyio.TraceField.GroupY] == 70
    assert "WRITTEN BY RTM" in segyio.tools.wrap(s.text[0])
    ours = s.trace.raw[:]
raw = np.fromfile("d.su", dtype="<i4").reshape(78, 60 + 150)
assert np.array_equal(ours, raw[:, 60:].view("<f4"))
with segyio.su.open("d.su", endian="little", ignore_geometry=True) as s:
    assert s.tracecount == 78 and np.array_equal(s.trace.raw[:], ours)
with segyio.open("v.sgy", iline=189, xline=193) as s:
    assert segyio.tools.cube(s).shape == (25, 11, 25)
    assert np.array_equal(segyio.tools.cube(s), np.fromfile("v.bin", "<f4").reshape(25, 11, 25))
ours = np.load("v.npy")
assert ours.dtype == np.float32 and np.array_equal(
    ours,
    np.fromfile("v.bin", "<f4").reshape(25, 11, 25),
)
np.save("fortran.npy", np.asfortranarray(ours.astype(">f8")))
"#;
    let output =
        Command::new(python).args(["-c", script]).current_dir(f.0.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    f.good("model --from fortran.npy --d 10 -o back.bin");
    assert!(equal(&f.path("back.bin"), &f.path("v.bin")));
}

/// The demo puts its reflectors within half a cell of the truth.
#[test]
fn the_demo_finds_its_reflectors() {
    kept::once!(PROGRAM);
    let f = Folder::new();
    let said = f.good("demo --small --out demo");
    let rows: Vec<&str> = said.lines().filter(|l| l.contains(" to ")).collect();
    assert_eq!(rows.len(), 2, "{said}");
    for row in rows {
        let words: Vec<f64> = row.split_whitespace().filter_map(|w| w.parse().ok()).collect();
        let [_, _, truth, found] = words[..] else { panic!("{row}") };
        assert!((truth - found).abs() <= 5.0, "{row}");
    }
    let page = fs::read_to_string(f.path("demo/index.html")).unwrap();
    assert!(!page.contains("://") && page.matches("</tr>").count() == 3, "{page}");
    for name in ["model.svg", "wave.svg", "shot.svg", "image.svg", "depth.svg"] {
        assert!(page.contains(&format!("src=\"{name}\"")), "{name}");
        assert!(fs::metadata(f.path("demo").join(name)).unwrap().len() > 2000, "{name}");
    }
}
