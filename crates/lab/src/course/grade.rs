//! `cargo lab grade`: the judge. Marks do not depend on the machine: host code runs on the emulated
//! device.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args as ClapArgs;
use grading::moved::{self, Marks, Move};
use grading::report::{
    Graded, Page, classroom50, csv, gradescope, html, json, junit, lab_text, statistics,
};
use grading::roster::Roster;
use grading::rules::Rules;
use grading::submission::{Batch, Done, Found, Guard, TIME, find, folder_of};
use grading::{Exercise, Host, Lab, Options, Place, Work, grade};

use super::progress::Progress;
use super::state::fresh_seed;
use super::{App, say};

/// From so many submissions on the judge is compiled with an optimiser first: that takes about as
/// long as it saves with so many of lab 2.
const CLASS: usize = 50;

/// Whose work is marked, and what is written.
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// Labs, such as lab1, and exercises, such as 1.1.3; without any, all labs
    #[arg(value_name = "LAB|EXERCISE")]
    what: Vec<String>,
    /// Mark the reference solutions
    #[arg(long, conflicts_with = "submissions")]
    solutions: bool,
    /// Mark every folder in DIR
    #[arg(long, value_name = "DIR")]
    submissions: Option<PathBuf>,
    /// Seed of the random inputs; without it, the one made at the first call
    #[arg(long)]
    seed: Option<u64>,
    /// Make a new seed
    #[arg(long, conflicts_with = "seed")]
    fresh: bool,
    /// Where the results of submissions are kept (default: target/lab/results/DIR)
    #[arg(long, value_name = "DIR", requires = "submissions")]
    results: Option<PathBuf>,
    /// Mark submissions again that were marked on the same files
    #[arg(long, requires = "submissions")]
    again: bool,
    /// Submissions at a time (default: one per core)
    #[arg(long, value_name = "N", requires = "submissions")]
    jobs: Option<usize>,
    /// Seconds for one submission, without what other programs keep it waiting (default: 300)
    #[arg(long, value_name = "SECONDS", requires = "submissions",
        value_parser = clap::value_parser!(u64).range(10..=86_400))]
    submission_time: Option<u64>,
    /// Run the submissions' code with your own rights, without the sandbox
    #[arg(long, requires = "submissions")]
    trust: bool,
    /// Only say what this machine protects itself with from the submissions' code
    #[arg(long)]
    explain_sandbox: bool,
    /// Write JSON to FILE (or to the terminal, in place of the table)
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Write JUnit XML
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    junit: Option<PathBuf>,
    /// Write a page
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    html: Option<PathBuf>,
    /// Address of the handbook's folder, as seen from the page: verdicts and hints lead there
    #[arg(long, value_name = "ADDRESS", requires = "html")]
    handbook: Option<String>,
    /// Write CSV (with --roster: that list with the marks in it)
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    csv: Option<PathBuf>,
    /// Class list for --csv: Moodle's grading worksheet, Canvas' gradebook, or a table of names
    #[arg(long, value_name = "FILE", requires = "submissions", requires = "csv")]
    roster: Option<PathBuf>,
    /// Weights, deadlines, exercises left out, seeds (default: course.toml in the course's folder)
    #[arg(long, value_name = "FILE", requires = "submissions")]
    rules: Option<PathBuf>,
    /// Write a page for each student, DIR/NAME/feedback.html
    #[arg(long, value_name = "DIR", requires = "submissions")]
    feedback: Option<PathBuf>,
    /// Write how the class did, by exercise and by check
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-",
        requires = "submissions")]
    statistics: Option<PathBuf>,
    /// Write whose marks moved since the last call, and why, as CSV
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-",
        requires = "submissions")]
    moved: Option<PathBuf>,
    /// Write Classroom 50's result.json, in whole points
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-",
        conflicts_with = "submissions")]
    classroom50: Option<PathBuf>,
    /// Write Gradescope's results.json (for submissions: a folder with one file each)
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    gradescope: Option<PathBuf>,
}

/// A lab to be marked.
struct Chosen<'a> {
    lab: &'a Lab,
    /// Only these exercises; none: all.
    only: Vec<&'static Exercise>,
}

impl App {
    /// Marks, prints and writes. Exit code 0 if everything was graded; 1 if the grader itself
    /// failed somewhere, or the solutions have not full marks.
    pub(super) fn grade(&self, args: &Args, out: &mut dyn Write) -> Result<u8, String> {
        if args.explain_sandbox {
            return explain_sandbox(out);
        }
        let labs = self.chosen(args)?;
        // What may be wrong with the instructor's files is said before an hour of grading.
        let mut rules = self.rules(args)?;
        let roster = args.roster.as_deref().map(read_roster).transpose()?;
        let (mut graded, mut summary) = match &args.submissions {
            Some(dir) => self.grade_submissions(args, &labs, dir, &mut rules)?,
            None => (vec![self.grade_one(args, &labs)?], String::new()),
        };
        let mut filled = None;
        let mut moves = Vec::new();
        if let Some(dir) = &args.submissions {
            let count = rules.apply(graded.clone(), &self.labs);
            moves = self.moves(&self.results(args, dir)?, &graded, &count, &rules)?;
            graded = count;
            if rules != Rules::default() {
                summary += &self.totals(&graded, &rules);
            }
            for one in &moves {
                summary += &format!("{} {one}\n", self.paint.note("moved:"));
            }
            filled = roster.map(|roster| roster.fill(&graded, &rules));
            for text in filled.iter().flat_map(|f| &f.warnings) {
                summary += &format!("{} {text}\n", self.paint.note("warning:"));
            }
        }
        if args.submissions.is_none() {
            for lab in graded.iter().flat_map(|g| &g.labs) {
                summary += &lab_text(lab, self.paint, false);
                let again = format!("(seed {})\n", lab.seed);
                summary += &self.paint.faint(&again);
            }
        }
        let table = filled.map_or_else(|| csv(&graded), |filled| filled.csv);
        let to_terminal = self.write_reports(args, &graded, &table, &moves, out)?;
        if !to_terminal {
            say(out, &summary)?;
        }
        match args.statistics.as_deref() {
            // For people, as the summary is.
            Some(to) if to == Path::new("-") => say(out, &format!("\n{}", statistics(&graded)))?,
            Some(to) => grading::overlay::write(to, &statistics(&graded))?,
            None => {}
        }
        let labs = || graded.iter().flat_map(|g| &g.labs);
        let unfair = labs().any(|l| l.grader_at_fault());
        if unfair {
            let text = "Some check failed by the grader's own fault: these marks are not final.\n";
            let _ = std::io::stderr().write_all(self.paint.bad(text).as_bytes());
        }
        Ok(u8::from(unfair || (args.solutions && !labs().all(|l| l.done()))))
    }

    /// What the command line names: each lab once, in the course's order, with its exercises if not
    /// all are meant.
    fn chosen(&self, args: &Args) -> Result<Vec<Chosen<'_>>, String> {
        let mut named = Vec::new();
        for name in &args.what {
            let (lab, exercise) = self.named(name)?;
            if args.submissions.is_some() && exercise.is_some() {
                return Err(format!(
                    "submissions are marked by whole labs: write {} in place of {name}",
                    lab.id
                ));
            }
            named.push((lab.id, exercise));
        }
        let mut chosen = Vec::new();
        for lab in &self.labs {
            let of: Vec<_> =
                named.iter().filter(|(id, _)| *id == lab.id).map(|(_, e)| *e).collect();
            if named.is_empty() || !of.is_empty() {
                let whole = of.iter().any(Option::is_none);
                let only = if whole { Vec::new() } else { of.into_iter().flatten().collect() };
                chosen.push(Chosen { lab, only });
            }
        }
        Ok(chosen)
    }

    /// The seed of the command line, of an earlier call, or a new one, which is kept.
    fn seed(&self, args: &Args) -> Result<u64, String> {
        let mut state = self.state();
        if let Some(seed) = args.seed.or(state.seed.filter(|_| !args.fresh)) {
            return Ok(seed);
        }
        let seed = fresh_seed();
        state.seed = Some(seed);
        self.keep(&state)?;
        Ok(seed)
    }

    fn grade_one(&self, args: &Args, labs: &[Chosen<'_>]) -> Result<Graded, String> {
        let seed = self.seed(args)?;
        let name = if args.solutions { "solutions" } else { "own work" };
        let mut graded = Graded { name: name.into(), labs: Vec::new() };
        for Chosen { lab, only } in labs {
            let progress = Progress::new(lab.id, "checks");
            let tell = |done, all| progress.step(done, all, done > 0);
            let options = Options { only: only.clone(), progress: &tell, ..Options::new(seed) };
            let judged = |host: Host| -> Result<Host, String> {
                Ok(host.with_judge(this_program()?, self.place.device(lab)))
            };
            let work = if args.solutions {
                self.solution_dir_exists(lab)?;
                self.place.solution_work(lab, judged(self.place.solution_host())?)
            } else {
                let host = judged(self.place.own_host(lab))?;
                Work { host: Arc::new(host), ..self.place.own_work(lab) }
            };
            let result = grade(&self.place, lab, &work, &options);
            drop(progress);
            if !args.solutions {
                self.remember(lab, &result.exercises)?;
            }
            graded.labs.push(result);
        }
        Ok(graded)
    }

    /// An error that says what is missing, if the course at hand is a student pack.
    pub(super) fn solution_dir_exists(&self, lab: &Lab) -> Result<(), String> {
        if self.place.solution_dir(lab).is_dir() {
            return Ok(());
        }
        Err(format!(
            "this course has no solutions of {}: they are not part of a student pack",
            lab.id
        ))
    }

    fn grade_submissions(
        &self,
        args: &Args,
        labs: &[Chosen<'_>],
        dir: &Path,
        rules: &mut Rules,
    ) -> Result<(Vec<Graded>, String), String> {
        let Found { mut submissions, mut warnings } = find(dir, &self.labs)?;
        let all: Vec<_> = submissions.iter().map(|s| (s.name.as_str(), s.dir.as_path())).collect();
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        let graded = labs.iter().map(|chosen| chosen.lab.id);
        warnings.extend(graded.filter_map(|lab| rules.without_submission(lab, &names)));
        warnings.extend(rules.take_times(&all));
        for pair in submissions.windows(2).filter(|pair| pair[0].name == pair[1].name) {
            warnings.push(format!(
                "{} is there more than once: one counts, as of attempts",
                pair[0].name
            ));
        }
        for submission in &mut submissions {
            submission.seed = rules.seed(&submission.name);
        }
        let place = judging(&self.place, submissions.len(), args.trust);
        let program = judge_of(&place)?;
        let guard = if args.trust { Guard::Trust } else { Guard::probe(&program) };
        let results = self.results(args, dir)?;
        let seed = self.seed(args)?;
        let mut graded: Vec<Graded> =
            submissions.iter().map(|s| Graded { name: s.name.clone(), labs: Vec::new() }).collect();
        let mut summary = format!("protected by: {}\n", guard.summary());
        let warn = |text: &str| format!("{} {text}\n", self.paint.note("warning:"));
        warnings.iter().for_each(|text| summary += &warn(text));
        for Chosen { lab, .. } in labs {
            let batch = Batch {
                place: &place,
                lab,
                results: results.join(lab.id),
                seed,
                again: args.again,
                jobs: args.jobs.unwrap_or(0),
                guard: guard.clone(),
                worker: Some(program.clone()),
                time: args.submission_time.map_or(TIME, Duration::from_secs),
            };
            let progress = Progress::new(lab.id, "submissions");
            progress.step(0, submissions.len(), false);
            let tell = |ended: usize, done: &Done| {
                // One that is kept from an earlier call, or was not begun, takes no time.
                let marked = done.record.result.exercises.iter().any(|e| !e.not_started);
                progress.step(ended, submissions.len(), marked && !done.kept);
            };
            let all = batch.run(&submissions, tell)?;
            drop(progress);
            let kept = all.iter().filter(|d| d.kept).count();
            let seed = match &rules.secret {
                Some(_) => "each student's own seed".into(),
                None => format!("seed {seed}"),
            };
            summary += &format!("{}  {}  ({seed})\n", self.paint.strong(lab.id), lab.title);
            for Done { record, .. } in &all {
                let warnings = record.result.warnings.iter();
                warnings.for_each(|text| summary += &warn(&format!("{}: {text}", record.name)));
            }
            for (graded, done) in graded.iter_mut().zip(&all) {
                let result = &done.record.result;
                summary += &format!(
                    "  {:>6} / {:<4} {}\n",
                    result.earned,
                    result.points.to_string(),
                    done.record.name
                );
                graded.labs.push(result.clone());
            }
            summary +=
                &format!("  {} marked, {kept} kept from an earlier call\n", all.len() - kept);
            for change in all.iter().flat_map(|d| &d.changes) {
                summary += &format!("  {} {change}\n", self.paint.note("changed:"));
            }
            summary += &format!("  results: {}\n", results.join(lab.id).display());
        }
        Ok((graded, summary))
    }

    /// Where the results of the submissions in `dir` are kept.
    fn results(&self, args: &Args, dir: &Path) -> Result<PathBuf, String> {
        if let Some(results) = &args.results {
            return Ok(results.clone());
        }
        let folder = dir.canonicalize().map_err(|e| format!("{}: {e}", dir.display()))?;
        let folder = folder.file_name().map(PathBuf::from).unwrap_or_default();
        Ok(self.place.state_dir().join("results").join(folder))
    }

    /// Whose marks moved since the last call; those of this one are kept for the next.
    fn moves(
        &self,
        results: &Path,
        graded: &[Graded],
        count: &[Graded],
        rules: &Rules,
    ) -> Result<Vec<Move>, String> {
        let now = Marks::of(graded, count, rules);
        let before = Marks::kept(results);
        now.keep(before.as_ref(), results)?;
        Ok(before.map_or(Vec::new(), |before| now.moved_since(&before)))
    }

    /// The rules of the command line, else those in the course's folder, else none.
    fn rules(&self, args: &Args) -> Result<Rules, String> {
        match &args.rules {
            Some(path) => Rules::read(path, &self.labs),
            None if args.submissions.is_some() => self.class_rules(),
            None => Ok(Rules::default()),
        }
    }

    /// The rules in the course's folder; without that file, none.
    pub(super) fn class_rules(&self) -> Result<Rules, String> {
        let own = self.place.root.join("course.toml");
        if own.is_file() { Rules::read(&own, &self.labs) } else { Ok(Rules::default()) }
    }

    /// What counts by the rules, in per cent, with what lateness took.
    fn totals(&self, graded: &[Graded], rules: &Rules) -> String {
        let mut out = format!("{}  by the rules\n", self.paint.strong("total"));
        for one in graded {
            out += &format!("  {:>6} %    {}\n", rules.total(one), one.name);
            for lab in &one.labs {
                if let Some(late) = lab.late {
                    out += &format!("              {}: {late}\n", lab.lab);
                }
            }
        }
        out
    }

    /// Writes what was asked for; true if something went to the terminal.
    fn write_reports(
        &self,
        args: &Args,
        graded: &[Graded],
        table: &str,
        moves: &[Move],
        out: &mut dyn Write,
    ) -> Result<bool, String> {
        let handbook = args.handbook.as_ref().map(|to| format!("{}/", to.trim_end_matches('/')));
        // Of one's own work also what passed checks have seen: pictures, counts by line.
        let gallery = args.submissions.is_none();
        let page = Page { title: "Marks".into(), handbook, gallery, ..Page::default() };
        let texts = [(&args.json, json as fn(&[Graded]) -> String), (&args.junit, junit)];
        let mut files: Vec<(PathBuf, String)> =
            texts.iter().filter_map(|(to, make)| Some(((*to).clone()?, make(graded)))).collect();
        if let (Some(to), [one]) = (&args.classroom50, graded) {
            let text = classroom50(one, |name| std::env::var(name).ok(), &now());
            files.push((to.clone(), text));
        }
        files.extend(args.moved.iter().map(|to| (to.clone(), moved::csv(moves))));
        files.extend(args.csv.iter().map(|to| (to.clone(), table.to_string())));
        if let Some(to) = &args.html {
            files.push((to.clone(), html(graded, &page)));
        }
        for one in args.feedback.iter().flat_map(|_| graded) {
            let dir = args.feedback.clone().unwrap_or_default();
            let page = html(std::slice::from_ref(one), &page);
            files.push((dir.join(folder_of(&one.name)).join("feedback.html"), page));
        }
        match (&args.gradescope, graded) {
            (Some(to), [one]) if args.submissions.is_none() => {
                files.push((to.clone(), gradescope(one)));
            }
            (Some(dir), all) => {
                if dir == Path::new("-") {
                    return Err("--gradescope: with --submissions it needs a folder".into());
                }
                let to = |g: &Graded| dir.join(folder_of(&g.name)).join("results.json");
                let file = |g: &Graded| (to(g), gradescope(g));
                files.extend(all.iter().map(file));
            }
            (None, _) => {}
        }
        let mut to_terminal = false;
        for (to, text) in files {
            if to == Path::new("-") {
                to_terminal = true;
                say(out, &text)?;
            } else {
                grading::overlay::write(&to, &text)?;
            }
        }
        Ok(to_terminal)
    }
}

/// Now, in UTC, in the form of RFC 3339.
fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    grading::clock::utc(since.map_or(0, |since| since.as_secs()))
}

fn read_roster(path: &Path) -> Result<Roster, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| failed(&e))?;
    Roster::parse(&text).map_err(|e| failed(&e))
}

/// The course, whose judge is compiled with an optimiser if so many submissions are worth it.
fn judging(place: &Place, submissions: usize, trust: bool) -> Place {
    let profile = (submissions >= CLASS && !trust).then_some("judge");
    Place { profile, ..place.clone() }
}

/// The program that becomes stages and workers: this one, or the same from the profile of `place`.
fn judge_of(place: &Place) -> Result<PathBuf, String> {
    let Some(build) = place.judge() else { return this_program() };
    build.of_the_course().map_err(|f| format!("{}\n{}", f.message, f.details))
}

fn this_program() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|e| format!("this program: {e}"))
}

/// Exit code 0 if submissions may be graded here without `--trust`, else 1.
fn explain_sandbox(out: &mut dyn Write) -> Result<u8, String> {
    let Guard::Sandbox { protection, .. } = Guard::probe(&this_program()?) else { return Ok(1) };
    say(out, &protection.to_string())?;
    match protection.refusal() {
        None => Ok(0),
        Some(_) => {
            say(out, &format!("\n{}\n", grading::workshop::refusal(&protection)))?;
            Ok(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The profiles in which the judge, if not this program, and lab 2's device are built.
    fn profiles(submissions: usize, trust: bool) -> [Option<String>; 2] {
        let place = judging(&Place::at("/course"), submissions, trust);
        let device = place.device(&lab2_checks::LAB).expect("a device of its own");
        [place.judge().map(|build| build.profile.expect("one")), device.profile]
    }

    #[test]
    fn a_class_of_fifty_has_a_judge_with_an_optimiser() {
        let judge = Some("judge".to_string());
        assert_eq!(profiles(49, false), [None, None]);
        assert_eq!(profiles(50, false), [judge.clone(), judge]);
        assert_eq!(profiles(50, true), [None, None], "with --trust there is no sandbox");
        let manifest = include_str!("../../../../Cargo.toml");
        assert!(manifest.contains("\n[profile.judge]\n"), "cargo knows no such profile");
    }
}
