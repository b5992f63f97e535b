//! `cargo lab study`: all variants of a kernel over K. Counts and predicted times come from the
//! emulated device, measured times from a card if there is one; both stand side by side.

pub(crate) mod plot;
mod point;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use grading::study::{Measured, Study, TableStudy};
use grading::{Host, Lab, Trial, Work};
use simt::device::DeviceModel;
use simt::render::RooflinePoint;

use super::{App, progress, say};
use point::Point;

/// The studies of the course.
pub const STUDIES: &[Study] = lab2_checks::STUDIES;

/// The studies that make tables of another kind.
pub const TABLES: &[&[TableStudy]] =
    &[lab3_checks::TABLES, lab4_checks::TABLES, lab5_checks::TABLES];

/// Seed of the inputs: a study is to be the same at every run.
const SEED: u64 = 1;

/// Options of `cargo lab study`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which study: fir, matmul, ep, ft, npb, lab4, lab5
    name: String,
    /// Take the reference solutions in place of your files
    #[arg(long)]
    solutions: bool,
    /// Values of K, in place of the study's own
    #[arg(long, value_delimiter = ',')]
    ks: Vec<u32>,
    /// Folder for the CSV file and the plots; without it the lab's `plots`
    #[arg(long)]
    out: Option<PathBuf>,
    /// Do not measure, even if there is a GPU
    #[arg(long)]
    no_measure: bool,
    /// Files are written without a word.
    #[arg(skip)]
    quiet: bool,
}

impl Args {
    /// The study of the reference solutions, not measured, its files in `folder`.
    pub(super) fn of_solutions(name: &str, folder: &Path) -> Args {
        let out = Some(folder.to_path_buf());
        Args {
            name: name.into(),
            solutions: true,
            ks: Vec::new(),
            out,
            no_measure: true,
            quiet: false,
        }
    }

    /// The study in a report, its files in `folder`, which it does not name.
    pub(super) fn for_report(name: &str, solutions: bool, folder: &Path) -> Args {
        let out = Some(folder.to_path_buf());
        Args { name: name.into(), solutions, ks: Vec::new(), out, no_measure: false, quiet: true }
    }
}

impl App {
    /// Runs a study; exit code 1 if a variant could not run.
    pub(super) fn study(&self, args: &Args, out: &mut dyn Write) -> Result<u8, String> {
        if let Some(study) = TABLES.concat().iter().find(|s| s.name == args.name) {
            return self.tables(study, args, out);
        }
        let study = STUDIES.iter().find(|s| s.name == args.name).ok_or_else(|| {
            let mut names: Vec<&str> = STUDIES.iter().map(|s| s.name).collect();
            names.extend(TABLES.concat().iter().map(|s| s.name));
            format!("there is no study {}: choose one of {}", args.name, names.join(", "))
        })?;
        let lab = self.labs.iter().find(|l| l.id == study.lab);
        let lab = lab.ok_or_else(|| format!("this course has no {}", study.lab))?;
        let device = simt::device::from_env()?;
        let ks = if args.ks.is_empty() { study.ks } else { &args.ks[..] };

        let mut failed = Vec::new();
        let mut points = self.emulate(study, lab, args, ks, &mut failed)?;
        let measure = !args.no_measure && emulation::backend() == emulation::Backend::Cuda;
        if measure {
            match self.measure(study, lab, args, ks) {
                Ok(times) => {
                    for p in &mut points {
                        let is = |m: &&Measured| m.variant == p.variant.name && m.k == p.k;
                        p.measured = times.iter().find(is).cloned();
                    }
                }
                Err(text) => say(out, &format!("Not measured: {text}\n"))?,
            }
        }

        say(out, &table::text(study, &points, device, measure)?)?;
        for text in &failed {
            say(out, &format!("{} {text}\n", self.paint.bad("not run")))?;
        }
        let folder = args.out.clone().unwrap_or_else(|| self.place.lab_dir(lab).join("plots"));
        for (name, text) in files(study, &points, device)? {
            self.save(args, &folder.join(name), &text, out)?;
        }
        let csv = folder.join(format!("{}.csv", lab.id));
        let old = std::fs::read_to_string(&csv).unwrap_or_default();
        self.save(args, &csv, &table::csv(study, &points, device, &old)?, out)?;
        Ok(u8::from(!failed.is_empty()))
    }

    /// The files that a study looks at: the student's, or the solutions. Host code runs on the
    /// device at hand, unless nothing is to be measured.
    fn studied(&self, lab: &Lab, args: &Args) -> Result<Work, String> {
        let at_hand = |host: Host| if args.no_measure { host } else { host.on_device_at_hand() };
        if !args.solutions {
            let host = Arc::new(at_hand(self.place.own_host(lab)));
            return Ok(Work { host, ..self.place.own_work(lab) });
        }
        self.solution_dir_exists(lab)?;
        Ok(self.place.solution_work(lab, at_hand(self.place.solution_host())))
    }

    fn tables(&self, study: &TableStudy, args: &Args, out: &mut dyn Write) -> Result<u8, String> {
        let lab = self.labs.iter().find(|l| l.id == study.lab);
        let lab = lab.ok_or_else(|| format!("this course has no {}", study.lab))?;
        let exercise = lab
            .exercise(study.exercise)
            .ok_or_else(|| format!("{} has no exercise {}", lab.id, study.exercise))?;
        let work = self.studied(lab, args)?;
        let trial = Trial::new(lab, exercise, "study", &work, SEED);
        let tables = match (study.run)(&trial) {
            Ok(tables) => tables,
            Err(finding) => {
                let details = finding.details.trim_end();
                let details = if finding.message.contains(details) { "" } else { details };
                let text = format!("{} {finding}\n{details}", self.paint.bad("not run:"));
                say(out, &format!("{}\n", text.trim_end()))?;
                return Ok(1);
            }
        };
        say(out, &tables.text)?;
        let folder = args.out.clone().unwrap_or_else(|| self.place.lab_dir(lab).join("plots"));
        for (name, text) in tables.files {
            self.save(args, &folder.join(name), &text, out)?;
        }
        Ok(0)
    }

    fn save(
        &self,
        args: &Args,
        path: &Path,
        text: &str,
        out: &mut dyn Write,
    ) -> Result<(), String> {
        grading::overlay::write(path, text)?;
        if args.quiet {
            return Ok(());
        }
        let shown = path.strip_prefix(&self.place.root).unwrap_or(path);
        say(out, &format!("wrote {}\n", shown.display()))
    }

    /// Runs every variant at every K on the emulated device; what cannot run is told once per
    /// variant.
    fn emulate(
        &self,
        study: &Study,
        lab: &Lab,
        args: &Args,
        ks: &[u32],
        failed: &mut Vec<String>,
    ) -> Result<Vec<Point>, String> {
        let work = self.studied(lab, args)?;
        let mut points = Vec::new();
        for variant in study.variants {
            let exercise = lab
                .exercise(variant.exercise)
                .ok_or_else(|| format!("{} has no exercise {}", lab.id, variant.exercise))?;
            let trial = Trial::new(lab, exercise, "study", &work, SEED);
            for &k in ks {
                match (study.run)(&trial, variant, k) {
                    Ok(sample) => points.push(Point { variant, k, sample, measured: None }),
                    Err(finding) => {
                        failed.push(format!(
                            "{} (exercise {}), K = {k}: {}",
                            variant.name, variant.exercise, finding.message
                        ));
                        break;
                    }
                }
            }
        }
        Ok(points)
    }

    /// Times on the card, by the lab's own program.
    fn measure(
        &self,
        study: &Study,
        lab: &Lab,
        args: &Args,
        ks: &[u32],
    ) -> Result<Vec<Measured>, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut options = vec!["--package", lab.package, "--bin", study.bench];
        if args.solutions {
            options.extend(["--features", "solutions"]);
        }
        let failed = |e| format!("cargo cannot be run: {e}");
        let mut build = Command::new(&cargo);
        build.current_dir(&self.place.root).arg("build").args(&options);
        let built = progress::build(study.bench, &mut build).map_err(failed)?;
        if !built.status.success() {
            return Err(built.words.lines().last().unwrap_or("no reason given").to_string());
        }
        let mut command = Command::new(cargo);
        command.current_dir(&self.place.root).args(["run", "--quiet"]).args(&options);
        let list: Vec<String> = ks.iter().map(u32::to_string).collect();
        command.args(["--", study.name, "--ks", &list.join(",")]);
        let output = command.output().map_err(failed)?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(text.lines().last().unwrap_or("no reason given").to_string());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}

/// The plots: name and content.
fn files(
    study: &Study,
    points: &[Point],
    device: &DeviceModel,
) -> Result<Vec<(String, String)>, String> {
    let named = |what: &str| format!("{}_{what}.svg", study.name);
    let mut files = vec![
        (named("traffic"), plot::traffic(study, points)),
        (named("speedup"), plot::speedup(study, points, device)?),
    ];
    let mut roof = Vec::new();
    for p in points.iter().filter(|p| p.k == study.at_k) {
        let ms = p.sample.predict(device)?.ms;
        if let Some(mut point) = RooflinePoint::of(&p.sample.report) {
            point.label = p.variant.name.into();
            point.gflops = p.sample.gflops(ms);
            roof.push(point);
        }
    }
    files.push((named("roofline"), plot::roofline_svg(device, &roof)));
    Ok(files)
}
