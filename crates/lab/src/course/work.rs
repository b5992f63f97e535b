//! The student's loop: run, watch, hint.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, SystemTime};

use grading::overlay::read;
use grading::report::{exercise_text, first_finding, wrapped};
use grading::{Exercise, Lab, Options, Work, grade};
use simt::{CompileOptions, Language, Program};

use super::handout::{aim, section};
use super::state::fresh_seed;
use super::{App, say};

/// How often `watch` looks at the files.
const POLL: Duration = Duration::from_millis(200);

impl App {
    /// Checks one exercise; exit code 1 if a check fails.
    pub(super) fn run_exercise(
        &self,
        name: Option<&str>,
        seed: Option<u64>,
        all: bool,
        out: &mut dyn Write,
    ) -> Result<u8, String> {
        let Some((lab, exercise)) = self.exercise_or_next(name)? else { return all_done(out) };
        let done = self.check(lab, exercise, seed.unwrap_or_else(fresh_seed), all, out)?;
        if done && let Some((_, next)) = self.open_after(lab) {
            say(out, &format!("Next: cargo lab run {}   {}\n", next.number(), next.title))?;
        }
        Ok(u8::from(!done))
    }

    /// Checks one exercise of the student's own work, prints and remembers the result; true with
    /// full marks.
    fn check(
        &self,
        lab: &Lab,
        exercise: &'static Exercise,
        seed: u64,
        all: bool,
        out: &mut dyn Write,
    ) -> Result<bool, String> {
        let options = Options { only: vec![exercise], ..Options::new(seed) };
        let host = self.place.own_host(lab).on_device_at_hand();
        let work = Work { host: Arc::new(host), ..self.place.own_work(lab) };
        let result = grade(&self.place, lab, &work, &options);
        for exercise in &result.exercises {
            self.remember_work(lab, exercise)?;
            let text = match all {
                true => exercise_text(exercise, self.paint, columns()),
                false => first_finding(exercise, self.paint, columns()),
            };
            say(out, &text)?;
        }
        if result.done() {
            return Ok(true);
        }
        if result.exercises.iter().any(|exercise| !exercise.not_started) {
            say(out, &self.warnings(lab, exercise))?;
        }
        let findings = result.exercises.iter().flat_map(|e| &e.checks).filter_map(|c| c.finding());
        if let Some(text) = findings.filter_map(|f| elsewhere(lab, exercise, &f.message)).next() {
            say(out, &wrapped("  ", &text, columns()))?;
        }
        let number = exercise.number();
        let again = format!(
            "(seed {seed}; all findings of it: cargo lab run {number} --all --seed {seed})\n"
        );
        say(out, &self.paint.faint(&again))?;
        Ok(false)
    }

    /// What the compiler warns of in the exercise's kernels, such as `if (i = 5)`. Files that need
    /// macros of the host are left alone.
    fn warnings(&self, lab: &Lab, exercise: &Exercise) -> String {
        let dir = self.place.lab_dir(lab);
        let kernels =
            exercise.files.iter().filter(|rel| rel.ends_with(".cu") || rel.ends_with(".cl"));
        let of_kernel = |rel: &&str| {
            let options = CompileOptions {
                language: Language::of_file(rel),
                file: rel.to_string(),
                include_dirs: vec![dir.join(rel).parent()?.to_path_buf()],
                ..CompileOptions::default()
            };
            let program = Program::compile(&read(&dir, rel).ok()?, &options).ok()?;
            let all = program.warnings().iter();
            Some(all.map(|warning| warning.render(program.sources())).collect::<String>())
        };
        kernels.filter_map(of_kernel).collect()
    }

    /// Checks an exercise now and whenever one of its files is saved. Without a name it goes on to
    /// the next exercise when one is done.
    pub(super) fn watch(
        &self,
        name: Option<&str>,
        runs: Option<usize>,
        out: &mut dyn Write,
    ) -> Result<u8, String> {
        let mut left = runs.unwrap_or(usize::MAX);
        let keys = Keys::listen();
        let (mut chosen, mut all) = (None, false);
        // What was seen of an exercise that is done now stays above the next one.
        let mut clear = true;
        loop {
            let (lab, exercise) = match chosen.take() {
                Some(next) => next,
                None => match self.exercise_or_next(name)? {
                    Some(next) => next,
                    None => return all_done(out),
                },
            };
            loop {
                let before = self.times(lab, exercise);
                let above =
                    if std::mem::replace(&mut clear, true) { "\u{1b}[2J\u{1b}[H" } else { "\n" };
                if std::io::stdout().is_terminal() {
                    say(out, above)?;
                }
                let done =
                    self.check(lab, exercise, fresh_seed(), std::mem::take(&mut all), out)?;
                left = left.saturating_sub(1);
                if left == 0 {
                    return Ok(u8::from(!done));
                }
                if done && name.is_none() {
                    clear = false;
                    break;
                }
                let files: Vec<&str> = exercise.files.to_vec();
                let note = format!("Waiting for a save of {}\n{KEYS}\n\n", files.join(", "));
                say(out, &self.paint.faint(&note))?;
                match self.wait(lab, exercise, &before, &keys, out)? {
                    Said::Saved => {}
                    Said::Details => all = true,
                    Said::Quit => return Ok(u8::from(!done)),
                    Said::Next => {
                        chosen = self.exercises().skip_while(|(_, e)| e.id != exercise.id).nth(1);
                        break;
                    }
                }
            }
        }
    }

    /// Waits for a save or a word that asks for another check; hints and the list are shown
    /// meanwhile.
    fn wait(
        &self,
        lab: &Lab,
        exercise: &Exercise,
        before: &BTreeMap<PathBuf, Option<SystemTime>>,
        keys: &Keys,
        out: &mut dyn Write,
    ) -> Result<Said, String> {
        loop {
            out.flush().map_err(|e| format!("output: {e}"))?;
            match keys.0.recv_timeout(POLL) {
                Ok('h') => drop(self.hint(Some(exercise.number()), out)?),
                Ok('l') => self.list(Some(lab.id), out).map(drop)?,
                Ok('d') => return Ok(Said::Details),
                Ok('n') => return Ok(Said::Next),
                Ok('q') => return Ok(Said::Quit),
                Ok(_) => say(out, &format!("{KEYS}\n"))?,
                // Without a keyboard there are no words, and `recv` does not wait.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(POLL),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.times(lab, exercise) != *before {
                return Ok(Said::Saved);
            }
        }
    }

    /// When the exercise's files and the lab's kernels, which they may include, were last saved.
    fn times(&self, lab: &Lab, exercise: &Exercise) -> BTreeMap<PathBuf, Option<SystemTime>> {
        let dir = self.place.lab_dir(lab);
        let time = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
        let mut times: BTreeMap<PathBuf, Option<SystemTime>> = exercise
            .files
            .iter()
            .map(|rel| dir.join(rel))
            .map(|path| (path.clone(), time(&path)))
            .collect();
        for entry in std::fs::read_dir(dir.join("kernels")).into_iter().flatten().flatten() {
            times.insert(entry.path(), time(&entry.path()));
        }
        times
    }

    /// Three steps for whoever has nothing yet: what to think of, where to look, nearly the line.
    /// Then the hints that the last check named: a mistake that nobody has made needs none.
    fn hints(&self, lab: &Lab, exercise: &Exercise) -> Vec<String> {
        let mut hints = self.steps(lab, exercise);
        let state = self.state();
        let named = state.results.get(exercise.id).map(|r| r.hints.clone()).unwrap_or_default();
        hints.extend(named.into_iter().map(|hint| format!("From the last check: {hint}")));
        hints
    }

    /// The steps for whoever has nothing yet.
    pub(crate) fn steps(&self, lab: &Lab, exercise: &Exercise) -> Vec<String> {
        let handout = self.place.lab_dir(lab).join("README.md");
        let handout = std::fs::read_to_string(handout).unwrap_or_default();
        let number = exercise.number();
        let mut hints = vec![match section(&handout, number).and_then(aim) {
            Some(aim) => format!("Think of what it is about: {aim}"),
            None => exercise.todo.to_string(),
        }];
        let places = exercise.files.iter().map(|rel| {
            let text = self.place.skeleton(lab, rel).unwrap_or_default();
            let comment = grading::region::comment_of(rel);
            let line = text.lines().position(|l| l.trim() == format!("{comment} <lab"));
            format!("{}/{rel}:{}", lab.package, line.map_or(1, |l| l + 2))
        });
        let places = places.collect::<Vec<_>>().join(", ");
        hints.push(format!(
            "Look at section {number} of {}/README.md, and at {places}",
            lab.package
        ));
        hints.extend(lab.nearly(exercise).map(|text| format!("Nearly the line: {text}")));
        hints
    }

    /// Shows the hints so far and one more.
    pub(super) fn hint(&self, name: Option<&str>, out: &mut dyn Write) -> Result<u8, String> {
        let Some((lab, exercise)) = self.exercise_or_next(name)? else { return all_done(out) };
        let hints = self.hints(lab, exercise);
        let mut state = self.state();
        let shown = state.hints.entry(exercise.id.to_string()).or_insert(0);
        *shown = (*shown + 1).min(hints.len());
        let mut text = format!("{}  {}\n", self.paint.strong(exercise.id), exercise.title);
        for (k, hint) in hints.iter().take(*shown).enumerate() {
            let number = format!("  {} ", self.paint.note(&format!("{}.", k + 1)));
            text += &wrapped(&number, hint, columns());
        }
        text += &if *shown < hints.len() {
            format!("  ({} more: call again)\n", hints.len() - *shown)
        } else {
            format!(
                "  That is all; {}/README.md, section {}, has the rest.\n",
                lab.package,
                exercise.number()
            )
        };
        self.keep(&state)?;
        say(out, &text)?;
        Ok(0)
    }
}

/// Whose file it is that keeps the whole lab from being compiled, if it is another exercise's.
fn elsewhere(lab: &Lab, exercise: &Exercise, message: &str) -> Option<String> {
    let broken = |rel: &&&str| message.contains(&format!(" at {}/{rel}:", lab.package));
    let mut others = lab.exercises.iter().filter(|other| other.id != exercise.id);
    let (other, rel) = others.find_map(|e| Some((e, e.files.iter().find(broken)?)))?;
    if exercise.files.contains(rel) {
        return None;
    }
    Some(format!(
        "{rel} is exercise {0}'s: a lab is compiled as a whole. Mend it, or put it aside with \
         `cargo lab reset {0}`, which keeps yours beside it",
        other.number()
    ))
}

/// What `watch` listens to.
const KEYS: &str = "h hint, n next exercise, l list, d details, q quit (and Enter)";

/// What ends the wait for a save.
enum Said {
    Saved,
    Details,
    Next,
    Quit,
}

/// First letters of the lines typed.
struct Keys(Receiver<char>);

impl Keys {
    /// Reads standard input from now on, if it is a terminal.
    fn listen() -> Keys {
        let (send, receive) = channel();
        if std::io::stdin().is_terminal() {
            // The thread ends with the program: nothing else can end a read.
            std::thread::spawn(move || {
                for line in std::io::stdin().lines().map_while(Result::ok) {
                    let key = line.trim().chars().next().unwrap_or('?').to_ascii_lowercase();
                    if send.send(key).is_err() {
                        break;
                    }
                }
            });
        }
        Keys(receive)
    }
}

/// Columns of the terminal, 100 without one.
fn columns() -> usize {
    building::columns().filter(|_| std::io::stdout().is_terminal()).unwrap_or(100)
}

fn all_done(out: &mut dyn Write) -> Result<u8, String> {
    say(out, super::status::ALL_DONE)?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_exercises_mistake_is_named_as_such() {
        let lab = super::super::LABS.iter().find(|lab| lab.id == "lab2").unwrap();
        let of = |number: &str| lab.exercise(number).unwrap();
        let text =
            "the host code does not compile: error: no at lab2-optimization/src/e2_1_13.rs:1:2";
        let told = elsewhere(lab, of("2.2.1"), text).unwrap();
        assert!(told.starts_with("src/e2_1_13.rs is exercise 2.1.13's") && told.contains("reset"));
        assert_eq!(elsewhere(lab, of("2.1.13"), text), None);
        assert_eq!(elsewhere(lab, of("2.2.1"), "c[0] is wrong"), None);
    }
}
