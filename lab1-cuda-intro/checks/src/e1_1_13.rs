//! Checks of exercise 1.1.13: compiling from the command line.

use std::path::{Component, Path};

use grading::{Answers, Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use simt::cc::{CcFailed, cc, parse};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.13",
    key: "e1_1_13",
    title: "Compiling from the command line",
    points: 4,
    files: &[ANSWERS],
    todo: "Compile the three kernels of kernels/e1_1_13 with `cargo lab cc`; write the command \
        lines into answers/e1_1_13.toml.",
    hints: &[
        ("a", "give -o: the default name is not portable"),
        ("b", "set the macro on the command line"),
        ("c", "a failed compile must end the script"),
        ("o", "`cargo lab cc --help` and `nvcc --help` say what each option does"),
    ],
    checks: &[
        Check {
            name: "lines_run",
            what: "the first line writes the file it should",
            weight: 1,
            run: lines_run,
        },
        Check {
            name: "macros",
            what: "the macro decides the element type",
            weight: 1,
            run: macro_line,
        },
        Check { name: "error_code", what: "an error ends the script", weight: 1, run: error_code },
        Check {
            name: "bad_options",
            what: "what options mean, and what is refused",
            weight: 1,
            run: bad_options,
        },
    ],
};

const ANSWERS: &str = "answers/e1_1_13.toml";
const KERNELS: [&str; 3] = ["right.cu", "macro.cu", "broken.cu"];

/// An empty folder with the three kernels.
fn scratch(t: &Trial) -> Result<tempfile::TempDir, Finding> {
    let grader = |e: std::io::Error| Finding::grader(format!("scratch folder: {e}"));
    let dir = tempfile::tempdir().map_err(grader)?;
    for kernel in KERNELS {
        let text = t.text(&format!("kernels/e1_1_13/{kernel}"))?;
        std::fs::write(dir.path().join(kernel), text).map_err(grader)?;
    }
    Ok(dir)
}

/// A line of a shell: commands, and what stands between them.
#[derive(Debug, PartialEq)]
struct Line {
    commands: Vec<Vec<String>>,
    /// `&&`, `||` or `;` after each command but the last.
    joints: Vec<&'static str>,
}

/// Reads a line as a shell does, as far as a list of compiler calls needs it: words, quotes, `&&`,
/// `||`, `;`.
fn read_line(text: &str) -> Result<Line, String> {
    let mut line = Line { commands: vec![Vec::new()], joints: Vec::new() };
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ';' | '&' | '|' | '\n') => {
                let joint = match c {
                    ';' | '\n' => ";",
                    _ if chars.next_if_eq(&c).is_none() => {
                        return Err(format!("a single `{c}` is not understood here"));
                    }
                    '&' => "&&",
                    _ => "||",
                };
                line.commands.last_mut().expect("never empty").extend(word.take());
                line.joints.push(joint);
                line.commands.push(Vec::new());
            }
            (None, c) if c.is_whitespace() => {
                line.commands.last_mut().expect("never empty").extend(word.take());
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".into());
    }
    line.commands.last_mut().expect("never empty").extend(word);
    // A `;` at the end separates nothing.
    if line.commands.len() > 1 && line.commands.last().is_some_and(Vec::is_empty) {
        line.commands.pop();
        line.joints.pop();
    }
    Ok(line)
}

/// The arguments of `cargo lab cc`.
fn arguments(command: &[String]) -> Result<&[String], String> {
    let words: Vec<&str> = command.iter().take(3).map(String::as_str).collect();
    match words[..] {
        ["cargo", "lab", "cc"] => Ok(&command[3..]),
        _ => Err(format!("expected `cargo lab cc ...`, found `{}`", command.join(" "))),
    }
}

/// The same, if they name no file outside of the folder in which they are run: the judge would read
/// or write it.
fn arguments_inside(command: &[String]) -> Result<&[String], String> {
    let args = arguments(command)?;
    let Ok(parsed) = parse(args) else { return Ok(args) };
    let named = parsed.inputs.iter().chain(&parsed.output).chain(&parsed.include_dirs);
    let stays = |path: &str| {
        let mut parts = Path::new(path).components();
        parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    };
    match named.into_iter().find(|path| !stays(path)) {
        Some(path) => Err(format!("`{path}` lies outside of the folder with the kernels")),
        None => Ok(args),
    }
}

/// What a line did: its exit code, and the messages of its commands.
struct Done {
    code: u8,
    failures: Vec<CcFailed>,
}

/// Runs a line in a folder, as a shell would.
fn run(line: &Line, dir: &Path) -> Result<Done, String> {
    let mut done = Done { code: 0, failures: Vec::new() };
    let mut stop_at_errors = false;
    for (i, command) in line.commands.iter().enumerate() {
        let skipped = match i.checked_sub(1).map(|before| line.joints[before]) {
            Some("&&") => done.code != 0,
            Some("||") => done.code == 0,
            _ => false,
        };
        if skipped || command.is_empty() {
            continue;
        }
        match command.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["set", "-e"] => stop_at_errors = true,
            ["exit"] => return Ok(done),
            ["exit", code] => {
                done.code = code.parse().map_err(|_| format!("exit {code}: not a number"))?;
                return Ok(done);
            }
            _ => match cc(arguments_inside(command)?, dir) {
                Ok(_) => done.code = 0,
                Err(failed) => {
                    done.code = failed.code;
                    done.failures.push(failed);
                    // As `set -e`: a failure that `&&` or `||` looks at does not end the script.
                    if stop_at_errors && line.joints.get(i).is_none_or(|j| *j == ";") {
                        return Ok(done);
                    }
                }
            },
        }
    }
    Ok(done)
}

fn line(a: &Answers, key: &str) -> Result<Line, Finding> {
    read_line(&a.text(key)?).map_err(|e| Finding::wrong(format!("{ANSWERS}: {key}: {e}")))
}

/// Runs the answer `key`, one command, which must write `output`; returns what it wrote.
fn compile(t: &Trial, key: &str, input: &str, output: &str) -> Result<String, Finding> {
    let a = t.answers(ANSWERS)?;
    let wrong = |e: String| Finding::wrong(format!("{ANSWERS}: {key}: {e}"));
    let line = line(&a, key)?;
    let args = arguments(&line.commands[0]).map_err(wrong)?.to_vec();
    let command = parse(&args).map_err(|f| wrong(f.message.trim_end().to_string()))?;
    expect::that(line.commands.len() == 1, || format!("{ANSWERS}: {key}: expected one command"))?;
    expect::that(command.inputs == [input], || {
        format!("{ANSWERS}: {key}: expected the input {input}, found {:?}", command.inputs)
    })?;
    if command.output.as_deref() != Some(output) {
        let found = command.output.unwrap_or_else(|| "no -o".into());
        return Err(wrong(format!("the output must be {output}, found {found}")).hint("a"));
    }
    let dir = scratch(t)?;
    let done = run(&line, dir.path()).map_err(wrong)?;
    if let Some(failed) = done.failures.first() {
        let first = failed.message.lines().next().unwrap_or("").to_string();
        return Err(wrong(format!("exit code {}: {first}", failed.code)).details(&failed.message));
    }
    let text = std::fs::read_to_string(dir.path().join(output));
    let text = text.map_err(|e| wrong(format!("{output} was not written: {e}")))?;
    let has_entry = text.lines().any(|l| {
        let mut words = l.split(|c: char| c.is_whitespace() || c == '(');
        words.any(|w| w == ".entry") && words.next() == Some("add_kernel")
    });
    expect::that(has_entry, || format!("{output} has no entry add_kernel"))?;
    Ok(text)
}

fn lines_run(t: &Trial) -> Outcome {
    let text = compile(t, "right", "right.cu", "add_sm80.ir")?;
    expect::that(text.contains("sm_80"), || {
        format!("{ANSWERS}: right: the output is not for sm_80: give --arch")
    })
    .map_err(|f| f.hint("o"))?;
    Ok(Evidence::new("add_sm80.ir has the entry add_kernel"))
}

/// How often the types f32 and f64 occur in a listing.
fn floats(text: &str) -> (usize, usize) {
    (text.matches("f32").count(), text.matches("f64").count())
}

fn macro_line(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let set = |args: &[String]| {
        parse(args).is_ok_and(|c| c.defines.iter().any(|d| d.starts_with("ELEM=")))
    };
    let line = line(&a, "macro")?;
    if !arguments(&line.commands[0]).is_ok_and(set) {
        let text = format!(
            "{ANSWERS}: macro: the command line does not set ELEM, so the given macro.cu does not \
             compile"
        );
        return Err(Finding::wrong(text).hint("b"));
    }
    let float = compile(t, "macro", "macro.cu", "add_float.ir")?;
    // The same line with another type must give another program.
    let dir = scratch(t)?;
    let args = ["macro.cu", "-o", "double.ir", "-DELEM=double"].map(String::from);
    cc(&args, dir.path()).map_err(|f| Finding::grader(f.message))?;
    let double = std::fs::read_to_string(dir.path().join("double.ir"))
        .map_err(|e| Finding::grader(format!("double.ir: {e}")))?;
    let (of_float, of_double) = (floats(&float), floats(&double));
    expect::that(of_float.0 > 0 && of_float.1 == 0 && of_double.1 > 0, || {
        format!(
            "add_float.ir: f32 occurs {} times, f64 {} times: the element type is not float",
            of_float.0, of_float.1
        )
    })
    .map_err(|f| f.hint("b"))?;
    Ok(Evidence::new(format!(
        "ELEM=float: f32 {} times, f64 {}; ELEM=double: f32 {}, f64 {}",
        of_float.0, of_float.1, of_double.0, of_double.1
    )))
}

fn error_code(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let line = line(&a, "script")?;
    let wrong = |e: String| Finding::wrong(format!("{ANSWERS}: script: {e}"));
    let inputs: Vec<String> = line
        .commands
        .iter()
        .filter_map(|c| parse(arguments(c).ok()?).ok())
        .flat_map(|c| c.inputs)
        .collect();
    expect::that(inputs == ["broken.cu", "right.cu"], || {
        format!(
            "{ANSWERS}: script: expected broken.cu and then right.cu to be compiled, found \
             {inputs:?}"
        )
    })?;
    let dir = scratch(t)?;
    let done = run(&line, dir.path()).map_err(wrong)?;
    let after = dir.path().join("after.ir").exists();
    if after || done.code == 0 {
        let text = format!(
            "broken.cu is refused, but the script goes on: after.ir {}, exit code {}",
            if after { "was written" } else { "was not written" },
            done.code
        );
        return Err(wrong(text).hint("c"));
    }
    let message = done.failures.first().map_or("", |f| f.message.as_str());
    let place = message.lines().find_map(|l| l.trim().strip_prefix("--> "));
    let place = place.filter(|p| p.starts_with("broken.cu:") && p.matches(':').count() == 2);
    let place =
        place.ok_or_else(|| wrong("the first command does not compile broken.cu".into()))?;
    // With a kernel that compiles in its place the second command must run.
    let right = dir.path().join("right.cu");
    std::fs::copy(&right, dir.path().join("broken.cu"))
        .map_err(|e| Finding::grader(e.to_string()))?;
    let done = run(&line, dir.path()).map_err(wrong)?;
    expect::that(done.code == 0 && dir.path().join("after.ir").exists(), || {
        format!("{ANSWERS}: script: without an error in the first file, after.ir must be written")
    })?;
    Ok(Evidence::new(format!("stopped by the error at {place}")))
}

fn bad_options(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let truth = [
        ("options.I", "folder searched for #include"),
        ("options.lineinfo", "code unchanged, source lines named"),
        ("options.G", "optimisation off, for the debugger"),
        ("options.ptxas-options-v", "prints registers and memory used"),
        ("options.use_fast_math", "faster, less exact mathematics"),
    ];
    a.choices(&truth, "o")?;
    let dir = scratch(t)?;
    for bad in ["right.cu --faster", "missing.cu -o x.ir", "right.cu macro.cu -o x.ir"] {
        let args: Vec<String> = bad.split(' ').map(String::from).collect();
        let code = cc(&args, dir.path()).err().map_or(0, |f| f.code);
        expect::that(code == 2, || format!("cargo lab cc {bad}: exit code {code}"))
            .map_err(|f| Finding::grader(f.message))?;
    }
    Ok(Evidence::new("five options known; three bad command lines end with code 2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        read_line(text).unwrap().commands
    }

    #[test]
    fn lines_are_read_as_a_shell_reads_them() {
        assert_eq!(words("a  b"), [["a", "b"]]);
        assert_eq!(words("a \"b c\" 'd'"), [["a", "b c", "d"]]);
        let line = read_line("a b && c; d || e").unwrap();
        assert_eq!(line.joints, ["&&", ";", "||"]);
        assert_eq!(line.commands.len(), 4);
        assert_eq!(read_line("a;").unwrap().commands.len(), 1);
        assert!(
            read_line("a | b").is_err()
                && read_line("a 'b").is_err()
                && read_line("a & b").is_err()
        );
    }

    #[test]
    fn joints_decide_what_runs() {
        let dir = tempfile::tempdir().unwrap();
        // A missing file is an error of code 2, without a compiler.
        let code = |text: &str| run(&read_line(text).unwrap(), dir.path()).unwrap().code;
        let failures =
            |text: &str| run(&read_line(text).unwrap(), dir.path()).unwrap().failures.len();
        assert_eq!(code("cargo lab cc x.cu -o x"), 2);
        assert_eq!(code("cargo lab cc --help"), 0);
        assert_eq!(failures("cargo lab cc x.cu && cargo lab cc y.cu"), 1);
        assert_eq!(failures("cargo lab cc x.cu; cargo lab cc y.cu"), 2);
        assert_eq!(failures("cargo lab cc x.cu || exit 1; cargo lab cc y.cu"), 1);
        assert_eq!(failures("set -e; cargo lab cc x.cu; cargo lab cc y.cu"), 1);
        assert_eq!(failures("cargo lab cc --help || cargo lab cc y.cu"), 0);
        assert!(run(&read_line("nvcc x.cu").unwrap(), dir.path()).is_err());
    }

    #[test]
    fn no_line_names_a_file_outside_of_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(inner.join("x.cu"), "__global__ void f() {}\n").unwrap();
        let done = |args: &str| run(&read_line(&format!("cargo lab cc {args}")).unwrap(), &inner);
        assert!(done("x.cu -o ./x.ir").is_ok_and(|done| done.code == 0));
        let absolute = dir.path().join("out.ir").display().to_string();
        for args in [
            "x.cu -o ../out.ir".to_string(),
            format!("x.cu -o {absolute}"),
            format!("x.cu --output-file={absolute}"),
            "../inner/x.cu -o x.ir".into(),
            "x.cu -o x.ir -I /etc".into(),
            "x.cu -o x.ir -I../..".into(),
        ] {
            assert!(done(&args).is_err(), "{args}");
        }
        assert!(!dir.path().join("out.ir").exists());
    }
}
