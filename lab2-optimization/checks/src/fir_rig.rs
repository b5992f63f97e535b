//! Launches of the FIR kernels on one channel in the judge's own emulator, and their comparison
//! with the model.

use grading::rig::Launcher;
use grading::study::{Sample, Study, Variant};
use grading::{Evidence, Finding, Kernels, Outcome, Run, Trial, expect};
use rand::{Rng, RngExt};
use simt::report::{Counters as Counted, LaunchReport};

use references::fir::filter;

use crate::fir_c::bound;
use references::counts::fir::{Counts, Shape};

/// Steps of emulation for one channel of the lab's sizes.
const STEPS: u64 = 40_000_000;

/// A version of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// `fir1.cu`
    Naive,
    /// `fir2.cu`
    Padded,
    /// `fir3.cu`
    Constant,
    /// `fir4.cu`
    Tiled,
    /// `fir4.cl`
    OpenCl,
    /// `fir5.cu`
    Static,
}

impl Version {
    /// Its kernel file, relative to the lab's folder.
    pub const fn file(self) -> &'static str {
        match self {
            Version::Naive => "kernels/fir1.cu",
            Version::Padded => "kernels/fir2.cu",
            Version::Constant => "kernels/fir3.cu",
            Version::Tiled => "kernels/fir4.cu",
            Version::OpenCl => "kernels/fir4.cl",
            Version::Static => "kernels/fir5.cu",
        }
    }

    /// The kernel compiled for blocks of `k` threads (and order `n`, where the order is the
    /// compiler's).
    ///
    /// # Errors
    /// The compiler's text.
    pub fn compile(self, t: &Trial, k: usize, n: usize) -> Result<Kernels, Finding> {
        let mut file = t.kernel(self.file());
        if self >= Version::Tiled {
            file = file.define(&format!("K={k}"));
        }
        if self == Version::Static {
            file = file.define(&format!("N={n}"));
        }
        file.compile()
    }
}

/// A channel to be filtered.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Version of the kernel.
    pub version: Version,
    /// Threads of a block.
    pub k: usize,
    /// Samples.
    pub x: Vec<f32>,
    /// Coefficients.
    pub h: Vec<f32>,
}

/// The name of the kernel in all files.
pub const KERNEL: &str = "audiofir_kernel";

impl Channel {
    /// Random samples and coefficients.
    pub fn random(version: Version, rng: &mut impl Rng, len: usize, n: usize, k: usize) -> Channel {
        let mut noise = |count| (0..count).map(|_| rng.random_range(-1.0f32..1.0)).collect();
        Channel { version, k, x: noise(len), h: noise(n + 1) }
    }

    /// Order of the filter.
    pub fn n(&self) -> usize {
        self.h.len() - 1
    }

    /// What the model needs to know.
    pub fn shape(&self) -> Shape {
        let base = if self.version == Version::Naive { 0 } else { self.n() };
        Shape { len: self.x.len(), n: self.n(), k: self.k, base, out: 0 }
    }

    /// The model's counts.
    pub fn model(&self) -> Counts {
        let shape = self.shape();
        match self.version {
            Version::Naive => shape.naive(),
            Version::Padded => shape.padded(),
            Version::Constant => shape.constant(),
            Version::Tiled | Version::OpenCl | Version::Static => shape.tiled(),
        }
    }

    /// The launch, to which hints may be added.
    pub fn launcher<'k>(&self, kernels: &'k Kernels) -> Launcher<'k> {
        let (len, n) = (self.x.len(), self.n());
        let blocks = self.shape().blocks();
        let launch = kernels.launch(KERNEL, blocks as u32, self.k as u32).step_limit(STEPS);
        if self.version == Version::Naive {
            return launch
                .output::<f32>("yout", len)
                .input("yin", &self.x)
                .input("coeff", &self.h)
                .scalar(n as i32)
                .scalar(len as i32);
        }
        let l1 = blocks * self.k;
        let mut padded = vec![0.0f32; n + l1];
        padded[n..n + len].copy_from_slice(&self.x);
        let launch = launch.output::<f32>("yout", l1).input("yin", &padded);
        if self.version == Version::OpenCl {
            return launch.input("coeff", &self.h).scalar(n as i32);
        }
        let launch = launch.pointing_at(n as u64);
        let mut table = self.h.clone();
        table.resize(1025.max(n + 1), 0.0);
        match self.version {
            Version::Padded => launch.input("coeff", &self.h).scalar(n as i32),
            Version::Static => launch.constant("fir_coeff", &table),
            _ => launch.constant("fir_coeff", &table).scalar(n as i32),
        }
    }

    /// Compares a run's outputs with the filter in `f64`.
    ///
    /// # Errors
    /// The first wrong outputs.
    pub fn verify(&self, run: &Run) -> Outcome {
        let mut y = run.get::<f32>("yout")?;
        y.truncate(self.x.len());
        self.compare("yout", &y)
    }

    /// Compares outputs with the filter in `f64`.
    ///
    /// # Errors
    /// The first wrong outputs.
    pub fn compare(&self, what: &str, y: &[f32]) -> Outcome {
        let want = filter(&self.x, &self.h);
        let truth: Vec<f64> = want.iter().map(|w| w.0).collect();
        expect::close(what, y, &truth, |i| bound(self.n() + 2, want[i].1))
            .map_err(|f| Finding { message: format!("{} ({})", f.message, self.title()), ..f })
    }

    /// For messages.
    pub fn title(&self) -> String {
        format!("one channel, len {}, order {}, K = {}", self.x.len(), self.n(), self.k)
    }
}

/// Compares every count with the model's, exactly; `hint` names the hint of a count that is wrong.
///
/// # Errors
/// The first count that differs, by source line, with the picture of its worst request.
pub fn exact(
    run: &Run,
    channel: &Channel,
    hint: impl Fn(&'static str) -> Option<&'static str>,
) -> Outcome {
    let want = channel.model();
    for (name, count) in want.named().into_iter().chain([("bar", want.bar)]) {
        expect::count(run, name, count).map_err(|f| {
            let f = Finding { message: format!("{} ({})", f.message, channel.title()), ..f };
            match hint(name) {
                Some(hint) => f.hint(hint),
                None => f,
            }
        })?;
    }
    Ok(Evidence::new(format!(
        "{}: gld {} requests, {} sectors; gst {}/{}; cld {}; shst.wf {}, shld.wf {}; CGMA {:.2}",
        channel.title(),
        want.gld.0,
        want.gld.1,
        want.gst.0,
        want.gst.1,
        want.cld.0,
        want.shst.1,
        want.shld.1,
        want.cgma()
    ))
    .launch(run.report()))
}

/// The study of the five versions over the size of the block.
pub const STUDY: Study = Study {
    name: "fir",
    lab: "lab2",
    title: "FIR filter of order 1024, ten minutes of stereo",
    unit: "output",
    ks: &[128, 256, 384, 512, 640, 768, 896, 1024],
    at_k: 512,
    variants: &[
        Variant { name: "fir1", what: "naive", exercise: "2.1.6" },
        Variant { name: "fir2", what: "padded", exercise: "2.1.7" },
        Variant { name: "fir3", what: "constant", exercise: "2.1.8" },
        Variant { name: "fir4", what: "tiled", exercise: "2.1.9" },
        Variant { name: "fir5", what: "static", exercise: "2.1.10" },
    ],
    run: sample,
    bench: "lab2-bench",
};

/// Outputs of the study's real problem.
const FULL: u64 = 2 * 600 * 44_100;

fn sample(t: &Trial, variant: &Variant, k: u32) -> Result<Sample, Finding> {
    let version = match variant.name {
        "fir1" => Version::Naive,
        "fir2" => Version::Padded,
        "fir3" => Version::Constant,
        "fir4" => Version::Tiled,
        _ => Version::Static,
    };
    let (n, k) = (1024, k as usize);
    if k == 0 || k > 1024 || !k.is_multiple_of(32) {
        return Err(Finding::wrong(format!("K = {k} is not a multiple of 32 up to 1024")));
    }
    // As many outputs as whole blocks need for 2048.
    let len = 2048usize.next_multiple_of(k);
    let kernels = version.compile(t, k, n)?;
    let run = |len: usize| -> Result<LaunchReport, Finding> {
        let channel = Channel::random(version, &mut t.rng(), len, n, k);
        let run = channel.launcher(&kernels).run()?;
        channel.verify(&run)?;
        Ok(run.report().clone())
    };
    let mut report = run(len)?;
    if version == Version::Naive {
        // The first n outputs, which have fewer products, are nothing in ten minutes: the second
        // half alone counts.
        let whole = run(2 * len)?;
        report = LaunchReport {
            total: second_half(&whole.total, &report.total),
            schedule: whole.schedule.less(report.schedule),
            ..report
        };
    }
    Ok(Sample {
        report,
        outputs: len as u64,
        flop_per_output: 2.0 * (n as f64 + 1.0),
        full_outputs: FULL,
        footprint: 8 * FULL,
    })
}

/// The counts of a launch less those of its first half.
fn second_half(whole: &Counted, first: &Counted) -> Counted {
    Counted {
        inst: whole.inst - first.inst,
        thread_inst: whole.thread_inst - first.thread_inst,
        flop: whole.flop - first.flop,
        gld_req: whole.gld_req - first.gld_req,
        gld_sec: whole.gld_sec - first.gld_sec,
        gld_lane: whole.gld_lane - first.gld_lane,
        gld_bytes: whole.gld_bytes - first.gld_bytes,
        ..*first
    }
}
