//! The mini-app Fletcher: a source in the middle of a built-in model, snapshots every 10 ms, and a
//! report of its speed.

use std::path::{Path, PathBuf};
use std::time::Instant;

use rtm::strategy::memory::spare_memory;
use rtm::{Error, Result};

use super::layout::BORDER;
use super::rsf::Snapshots;
use super::{Form, Medium, Model, Propagator, source};

/// Time between snapshots, seconds.
pub const SNAPSHOT_S: f32 = 0.01;

/// Steps of a run, at most: more would only be a slip of the pen.
const MOST_STEPS: f64 = 1e8;

/// What the mini-app is asked for, by its own arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The medium.
    pub form: Form,
    /// Points of the model along x, y, z.
    pub n: [usize; 3],
    /// Points of the random boundary on each face, around the model.
    pub absorb: usize,
    /// Spacing along x, y, z, metres.
    pub d_m: [f64; 3],
    /// Time step, seconds.
    pub dt_s: f64,
    /// Time to reach, seconds.
    pub tmax_s: f64,
}

impl Case {
    /// Refuses numbers that cannot be.
    ///
    /// # Errors
    /// Names the first wrong argument.
    pub fn check(&self) -> Result<()> {
        if self.n.contains(&0) {
            let what = format!("{} x {} x {} points", self.n[0], self.n[1], self.n[2]);
            return Err(Error::refused("NX, NY, NZ", what, "at least 1 each"));
        }
        // Medium and ten coefficients: more than that is needed later, but less never.
        let bytes = self.samples_a_step() * (size_of::<Medium>() + 10 * size_of::<f32>()) as f64;
        let spare = spare_memory();
        if bytes > spare as f64 {
            return Err(Error::Memory(format!(
                "{} x {} x {} points with {} more on each face need {:.0} GiB of memory, {} GiB \
                 are free: make the model smaller",
                self.n[0],
                self.n[1],
                self.n[2],
                self.absorb,
                (bytes / f64::from(1 << 30)).ceil(),
                spare >> 30
            )));
        }
        for (name, value) in ["DX", "DY", "DZ", "DT", "TMAX"]
            .into_iter()
            .zip(self.d_m.iter().chain([&self.dt_s, &self.tmax_s]))
        {
            if !(value.is_finite() && *value > 0.0) {
                return Err(Error::refused(
                    format!("{name} = {value}"),
                    "not positive",
                    "a number above 0",
                ));
            }
        }
        if self.tmax_s / self.dt_s > MOST_STEPS {
            return Err(Error::refused(
                format!("TMAX = {} with DT = {}", self.tmax_s, self.dt_s),
                format!("{:.0} steps", self.tmax_s / self.dt_s),
                format!("at most {MOST_STEPS}"),
            ));
        }
        Ok(())
    }

    /// The model, random boundary included.
    pub fn model(&self) -> Model {
        Model::fletcher(self.form, self.n, self.absorb, self.d_m)
    }

    /// Time steps: in single precision, as the mini-app counts them.
    pub fn steps(&self) -> usize {
        (self.tmax_s as f32 / self.dt_s as f32).ceil() as usize
    }

    /// The point that emits: the middle of the grid, which the mini-app counts with its border.
    pub fn source(&self) -> [usize; 3] {
        self.n.map(|n| (n + 2 * (self.absorb + BORDER)) / 2 - BORDER)
    }

    /// Points that are computed in all steps.
    pub fn samples(&self) -> f64 {
        self.samples_a_step() * self.steps() as f64
    }

    /// Points that are computed in each step.
    fn samples_a_step(&self) -> f64 {
        self.n.iter().map(|n| *n as f64 + 2.0 * self.absorb as f64).product()
    }
}

/// What a run was.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Seconds of the steps alone.
    pub steps_s: f64,
    /// Seconds with snapshots.
    pub total_s: f64,
    /// Million points times steps per second of the steps alone.
    pub msamples_per_s: f64,
    /// Header of the snapshots, if they were wanted.
    pub snapshots: Option<PathBuf>,
}

/// Runs a case from rest. With a folder, snapshots are written there as `FORM.rsf`: at rest, and
/// whenever 10 ms have passed.
///
/// # Errors
/// The device fails; a file cannot be written; the field becomes infinite.
pub fn run(case: &Case, device: &mut dyn Propagator, folder: Option<&Path>) -> Result<Report> {
    case.check()?;
    let layout = super::VolumeLayout::new(case.n.map(|n| n + 2 * case.absorb), case.d_m);
    let start = Instant::now();
    let mut snapshots =
        folder.map(|dir| Snapshots::create(dir, case.form.name(), layout)).transpose()?;
    if let Some(file) = &mut snapshots {
        file.add(&device.fields()?[0])?;
    }
    let steps = case.steps();
    let samples: Vec<f32> = (0..steps).map(|k| source(k as f64 * case.dt_s)).collect();
    let (mut done, mut steps_s, mut taken) = (0, 0.0, 1);
    while done < steps {
        // Up to the next snapshot, with the sums that the mini-app makes.
        let due = |k: usize| k as f32 * case.dt_s as f32 >= taken as f32 * SNAPSHOT_S;
        let until = match &snapshots {
            Some(_) => (done + 1..steps).find(|&k| due(k)).unwrap_or(steps),
            None => steps,
        };
        steps_s += device.advance(&samples[done..until])?;
        done = until;
        if let Some(file) = &mut snapshots
            && due(done)
        {
            let [p, _] = device.fields()?;
            if let Some(bad) = p.iter().find(|v| !v.is_finite()) {
                return Err(Error::Diverged(format!("the field is {bad} after {done} steps")));
            }
            file.add(&p)?;
            taken += 1;
        }
    }
    let snapshots = snapshots.map(|file| file.finish(case.dt_s)).transpose()?;
    Ok(Report {
        steps_s,
        total_s: start.elapsed().as_secs_f64(),
        msamples_per_s: case.samples() / steps_s * 1e-6,
        snapshots,
    })
}

impl Report {
    /// The mini-app's lines: times, `MSamples/s`, memory, and a line of comma-separated values.
    pub fn text(&self, case: &Case) -> String {
        let memory = high_water_mark_kib()
            .map_or(String::new(), |kib| format!("Memory High Water Mark is {kib} kB\n"));
        let Case { form, n: [nx, ny, nz], absorb, d_m: [dx, dy, dz], dt_s, .. } = case;
        format!(
            "Execution time (s) is {:.6}\nTotal execution time (s) is {:.6}\n\
             MSamples/s {:.0}\n{memory}\
             rtm,{},{nx},{ny},{nz},{absorb},{dx:.2},{dy:.2},{dz:.2},{dt_s:.6},{:.6},{:.6},{:.6},\
             {:.0}\n",
            self.steps_s,
            self.total_s,
            self.msamples_per_s,
            form.name(),
            case.steps() as f64 * dt_s,
            self.steps_s,
            self.total_s,
            self.msamples_per_s,
        )
    }

    /// What the mini-app writes as Report.csv.
    pub fn csv(&self, case: &Case) -> String {
        let [sx, sy, sz] = case.n.map(|n| n + 2 * (case.absorb + BORDER));
        format!(
            "sx; {sx}; sy; {sy}; sz; {sz}; bord; {BORDER};  st; {}; \nwalltime; {:.6}; MSamples; \
             {:.6}; HWM;  {}; HWMUnit;  kB;\n",
            case.steps(),
            self.steps_s,
            self.msamples_per_s,
            high_water_mark_kib().unwrap_or(0)
        )
    }
}

/// The most memory that this process has had, where the system tells.
fn high_water_mark_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
