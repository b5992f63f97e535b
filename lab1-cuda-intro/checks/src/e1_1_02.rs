//! Checks of exercise 1.1.2: one error path, any element type, the device's name.

use bytemuck::Pod;
use grading::{
    Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Run, Trial, expect, host, trace,
};
use rand::RngExt;
use serde_json::{Value, json};

use crate::model;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.2",
    key: "e1_1_02",
    title: "Make the program presentable",
    points: 6,
    files: &["src/e1_1_02.rs", KERNEL, ANSWERS],
    todo: "Fill the regions of src/e1_1_02.rs and kernels/e1_1_02.cu, then the line numbers in \
        answers/e1_1_02.toml.",
    hints: &[
        ("a", "ELEM is not used in the kernel: bits were added as int"),
        ("d", "return Err, do not panic: `?` instead of unwrap"),
        ("c", "check the lengths before touching the device"),
        ("l", "check_len(\"a\", a.len(), c.len())? makes the error: it names both lengths"),
        ("e", "say which call failed: `.during(\"get_function(...)\")?`"),
        ("b", "major comes before minor: capability 9.0 is major 9, minor 0"),
        ("s", "open src/e1_1_02.rs with line numbers: each stage is one line of add_with_kernel"),
    ],
    checks: &[
        Check { name: "i32", what: "sums of int", weight: 1, run: i32 },
        Check { name: "f32", what: "sums of float", weight: 2, run: f32 },
        Check { name: "f64", what: "sums of double", weight: 1, run: f64 },
        Check {
            name: "length_err",
            what: "vectors of different lengths are refused",
            weight: 2,
            run: length_err,
        },
        Check {
            name: "bad_name",
            what: "an unknown kernel is an error that names the call",
            weight: 1,
            run: bad_name,
        },
        Check {
            name: "device_line",
            what: "name and compute capability",
            weight: 2,
            run: device_line,
        },
        Check {
            name: "counts",
            what: "sectors of a block with an almost empty last warp",
            weight: 1,
            run: counts,
        },
        Check { name: "answers", what: "the five stages", weight: 2, run: answers },
    ],
};

const KERNEL: &str = "kernels/e1_1_02.cu";
const SOURCE: &str = "src/e1_1_02.rs";
const ANSWERS: &str = "answers/e1_1_02.toml";

/// The student's kernel, compiled for one element type, on one block.
fn launch<T: Pod>(t: &Trial, elem: &str, a: &[T], b: &[T]) -> Result<Run, Finding> {
    let kernels = t.kernel(KERNEL).define(&format!("ELEM={elem}")).compile()?;
    kernels
        .launch("add_kernel", 1, a.len() as u32)
        .output::<T>("c", a.len())
        .input("a", a)
        .input("b", b)
        .run()
}

/// Sums by the student's host function; floats are given and returned as bit patterns.
fn ask(t: &Trial, name: &str, a: Value, b: Value) -> Result<Reply, Finding> {
    let reply = t.call(name, &json!({ "a": a, "b": b }))?;
    host::value(&reply)?;
    trace::launched(&reply)?;
    Ok(reply)
}

/// Both sizes of the exercise.
const SIZES: [usize; 2] = [5, 257];

fn i32(t: &Trial) -> Outcome {
    for n in SIZES {
        let (a, b) = crate::vectors::ints(t, n);
        let want = crate::vectors::sum(&a, &b);
        let run = launch(t, "int", &a, &b)?;
        expect::eq("c", &run.get::<i32>("c")?, &want)?;
        let c: Vec<i32> = trace::value(&ask(t, "e1_1_02.add_i32", json!(a), json!(b))?)?;
        expect::eq("i32: c", &c, &want)?;
    }
    // A block of more than 1024 threads is refused, and the caller must hear of it.
    let (a, b) = crate::vectors::ints(t, 1025);
    let reply = t.call("e1_1_02.add_i32", &json!({ "a": a, "b": b }))?;
    host::error(&reply).map_err(|f| f.or_hint("C3"))?;
    Ok(Evidence::new(format!("right for n = {SIZES:?}")))
}

fn f32(t: &Trial) -> Outcome {
    for n in SIZES {
        let mut rng = t.rng();
        let mut one = || (0..n).map(|_| rng.random_range(-1e3..1e3)).collect::<Vec<f32>>();
        let (mut a, mut b) = (one(), one());
        (a[0], b[0]) = (1.5, 2.25);
        let want: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        let c = launch(t, "float", &a, &b)?.get::<f32>("c")?;
        as_int(&a, &b, &c)?;
        expect::eq("f32: c", &c, &want)?;
        let bits = |v: &[f32]| json!(v.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        let c: Vec<u32> = trace::value(&ask(t, "e1_1_02.add_f32", bits(&a), bits(&b))?)?;
        let c: Vec<f32> = c.into_iter().map(f32::from_bits).collect();
        as_int(&a, &b, &c)?;
        expect::eq("f32: c", &c, &want)?;
    }
    Ok(Evidence::new(format!("right to the last bit for n = {SIZES:?}")))
}

/// Recognises a kernel that adds the bit patterns.
fn as_int(a: &[f32], b: &[f32], c: &[f32]) -> Result<(), Finding> {
    let bits = |k: usize| a[k].to_bits().wrapping_add(b[k].to_bits());
    if c.len() == a.len() && (0..c.len()).all(|k| c[k].to_bits() == bits(k)) {
        let text = format!(
            "f32: {} + {} gave {:?}: the kernel added the bit patterns as int",
            a[0], b[0], c[0]
        );
        return Err(Finding::wrong(text).hint("a"));
    }
    Ok(())
}

fn f64(t: &Trial) -> Outcome {
    for n in SIZES {
        let mut rng = t.rng();
        let mut one = || (0..n).map(|_| rng.random_range(-1e3..1e3)).collect::<Vec<f64>>();
        let (a, b) = (one(), one());
        let want: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        let run = launch(t, "double", &a, &b)
            .map_err(|f| if f.hint.as_deref() == Some("C2") { f.hint("a") } else { f })?;
        expect::eq("f64: c", &run.get::<f64>("c")?, &want)?;
        let bits = |v: &[f64]| json!(v.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        let c: Vec<u64> = trace::value(&ask(t, "e1_1_02.add_f64", bits(&a), bits(&b))?)?;
        let c: Vec<f64> = c.into_iter().map(f64::from_bits).collect();
        expect::eq("f64: c", &c, &want)?;
    }
    Ok(Evidence::new(format!("right to the last bit for n = {SIZES:?}")))
}

fn length_err(t: &Trial) -> Outcome {
    // Lengths of c, a, b.
    let cases = [(5, 4, 5), (5, 5, 3), (4, 5, 5)];
    let calls =
        cases.map(|(c, a, b)| Call::new("e1_1_02.lengths", &json!({ "c": c, "a": a, "b": b })));
    for ((c, a, b), reply) in cases.into_iter().zip(t.host(&calls)?) {
        let what = format!("c of {c}, a of {a}, b of {b} elements");
        let (message, _) = host::error(&reply).map_err(|f| {
            let panicked = f.hint.as_deref() == Some("C5");
            Finding { message: format!("{what}: {}", f.message), ..f }.hint(if panicked {
                "d"
            } else {
                "c"
            })
        })?;
        // The length that differs must be told, whatever the wording.
        expect::that(reply.faults.is_empty() && trace::launches(&reply).is_empty(), || {
            format!("{what}: the kernel ran on them before they were refused: {message}")
        })
        .map_err(|f| f.hint("c"))?;
        let other = if a == c { b } else { a };
        expect::that(
            message.contains(&other.to_string()) && message.contains(&c.to_string()),
            || format!("{what}: the error does not name both lengths: {message}"),
        )
        .map_err(|f| f.hint("l"))?;
    }
    Ok(Evidence::new("refused before the device was touched"))
}

fn bad_name(t: &Trial) -> Outcome {
    let reply = t.call("e1_1_02.bad_name", &json!({ "kernel": "no_such_kernel" }))?;
    let (message, code) = host::error(&reply)
        .map_err(|f| if f.hint.as_deref() == Some("C5") { f.hint("d") } else { f.hint("C3") })?;
    let named = message.contains("no_such_kernel");
    expect::that(named && (message.contains("NotFound") || code.contains("NOT_FOUND")), || {
        format!("expected an error that names the call and NotFound, got: {message}")
    })
    .map_err(|f| f.hint("e"))?;
    Ok(Evidence::new(message.to_string()))
}

fn device_line(t: &Trial) -> Outcome {
    #[derive(serde::Deserialize)]
    struct Device {
        line: String,
        ordinal: i32,
        name: String,
        major: i32,
        minor: i32,
    }
    let d: Device = trace::value(&t.call("e1_1_02.device_line", &json!(null))?)?;
    let line = |major, minor| {
        format!("Device {}: \"{}\", compute capability = {major}.{minor}", d.ordinal, d.name)
    };
    if d.line == line(d.minor, d.major) && d.major != d.minor {
        let text =
            format!("capability {}.{} is printed as {}.{}", d.major, d.minor, d.minor, d.major);
        return Err(Finding::wrong(text).hint("b"));
    }
    expect::same("device_line", &d.line, &line(d.major, d.minor))?;
    Ok(Evidence::new(d.line))
}

fn counts(t: &Trial) -> Outcome {
    let n = 257;
    let ones = vec![1.0f32; n];
    let run = launch(t, "float", &ones, &ones)?;
    expect::count(&run, "flop", n as u64)?;
    let ints = vec![1; n];
    expect::count(&launch(t, "int", &ints, &ints)?, "flop", 0)?;
    crate::vectors::counts(&run, &model::vector_add(n as u64, 4, 1, n as u64, false))
}

/// The answers are line numbers of the student's own file: that line must do what the answer says.
fn answers(t: &Trial) -> Outcome {
    let text = t.text(SOURCE)?;
    let lines: Vec<&str> = text.lines().collect();
    let a = t.answers(ANSWERS)?;
    let does = |key: &str, marks: &[&str]| {
        let number = a.int(key)?;
        let line = usize::try_from(number).ok().and_then(|n| lines.get(n.wrapping_sub(1)));
        let code = line.map_or("", |l| l.split("//").next().unwrap_or("").trim());
        if marks.iter().any(|m| code.contains(m)) {
            return Ok((number, code));
        }
        let text = format!("{ANSWERS}: {key} = {number}, but that line of {SOURCE} is `{code}`");
        Err(Finding::wrong(text).hint("s"))
    };
    let (allocation, code) = does("allocation", &["uninitialized", "zeroed", "cuda_malloc"])?;
    does("host_to_device", &["from_slice", "copy_from", "as_dbuf"])?;
    does("launch", &["launch!", ".launch("])?;
    does("device_to_host", &["copy_to", "as_host_vec"])?;
    let release = a.text("release")?;
    let bound = code.strip_prefix("let ").map(|c| c.trim_start().trim_start_matches("mut "));
    let name = bound.and_then(|c| c.split(|c: char| !c.is_alphanumeric() && c != '_').next());
    expect::that(name == Some(release.as_str()), || {
        format!("{ANSWERS}: line {allocation} does not bind a variable {release}: `{code}`")
    })
    .map_err(|f| f.hint("s"))?;
    Ok(Evidence::new(format!("{release} is freed where its scope ends")))
}
