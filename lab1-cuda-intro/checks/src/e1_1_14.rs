//! Checks of exercise 1.1.14: refactoring.

use grading::{
    Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, host, trace,
};
use rand::RngExt;
use serde_json::{Value, json};
use simt::compile::CompileOptions;
use simt::program::Program;
use wire::{ApiCall, f32_bits, f32_from_bits, f64_from_bits};

use crate::{model, vectors};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.14",
    key: "e1_1_14",
    title: "Refactoring",
    points: 6,
    files: &["src/vecadd/mod.rs", "src/vecadd/device.rs", "src/vecadd/check.rs", KERNEL, HEADER],
    todo: "Fill src/vecadd/device.rs and check.rs, kernels/vecadd/add.cu and add_common.cuh: a \
        library that loads its kernel once and keeps its buffers.",
    hints: &[
        ("d", "use a path relative to the kernel directory"),
        ("c", "protect the header against double inclusion"),
        ("a", "the module is loaded in every call: keep it in the struct"),
        ("e", "keep the buffers in the struct; allocate only if they are too short"),
        ("b", "copy exactly n elements, the buffer may be longer"),
        ("n", "NaN must come out as NaN, and |c - sum| needs the absolute value"),
    ],
    checks: &[
        Check {
            name: "api_only",
            what: "the public interface, and the header's",
            weight: 2,
            run: api_only,
        },
        Check {
            name: "old_cases",
            what: "sizes of 1.1.4, data and errors of 1.1.8",
            weight: 2,
            run: old_cases,
        },
        Check { name: "no_realloc", what: "buffers are kept and grow", weight: 2, run: no_realloc },
        Check { name: "one_load", what: "one module load for all calls", weight: 1, run: one_load },
    ],
};

const KERNEL: &str = "kernels/vecadd/add.cu";
const HEADER: &str = "kernels/vecadd/add_common.cuh";

/// One call of `add`, with the length of c.
struct Sum {
    n: usize,
    a: Vec<f32>,
    b: Vec<f32>,
}

impl Sum {
    fn random(rng: &mut impl rand::Rng, n: usize) -> Sum {
        let mut one = || (0..n).map(|_| rng.random_range(-1e3..1e3)).collect();
        Sum { n, a: one(), b: one() }
    }

    fn want(&self) -> Vec<f32> {
        self.a.iter().zip(&self.b).map(|(a, b)| a + b).collect()
    }

    fn json(&self) -> Value {
        json!({ "n": self.n, "a": f32_bits(&self.a), "b": f32_bits(&self.b) })
    }
}

/// One adder, one call of `add` for each sum.
fn request(sums: &[Sum]) -> Call {
    Call::new("e1_1_14.add_f32", &json!(sums.iter().map(Sum::json).collect::<Vec<_>>()))
}

/// Compares the results of a request.
fn results(reply: &Reply, sums: &[Sum]) -> Result<(), Finding> {
    let lists: Vec<Value> = trace::list(reply, sums.len())?;
    for (sum, bits) in sums.iter().zip(&lists) {
        let c = f32_from_bits(bits).map_err(Finding::grader)?;
        expect::eq(&format!("n = {}: c", sum.n), &c, &sum.want())?;
    }
    Ok(())
}

/// `#include` lines of a kernel file must work in any folder.
fn includes(t: &Trial) -> Result<(), Finding> {
    for file in [KERNEL, HEADER] {
        for (i, line) in t.text(file)?.lines().enumerate() {
            let Some(path) = line.trim().strip_prefix('#').map(str::trim_start) else { continue };
            let Some(path) = path.strip_prefix("include") else { continue };
            let path = path.trim().trim_matches(['"', '<', '>']);
            let absolute = path.starts_with(['/', '\\']) || path.get(1..2) == Some(":");
            expect::that(!absolute, || {
                format!("{file}:{}: absolute path in #include: {path}", i + 1)
            })
            .map_err(|f| f.hint("d"))?;
        }
    }
    Ok(())
}

/// Compiles a source that includes the header `times` times and uses its two functions.
fn with_header(t: &Trial, times: usize) -> Result<(), String> {
    let text = format!(
        "#define ELEM double\n{}extern \"C\" __global__ void probe(ELEM *c)\n{{\n    \
         c[global_index()] = add1(c[0], c[1]);\n}}\n",
        "#include \"add_common.cuh\"\n".repeat(times)
    );
    let options = CompileOptions {
        file: "probe.cu".into(),
        include_dirs: t.include_dirs(KERNEL),
        ..CompileOptions::default()
    };
    Program::compile(&text, &options).map(drop).map_err(|e| e.to_string())
}

fn api_only(t: &Trial) -> Outcome {
    includes(t)?;
    if let Err(text) = with_header(t, 1) {
        let first = text.lines().next().unwrap_or("").to_string();
        return Err(Finding::wrong(format!(
            "{HEADER}: global_index() and add1(a, b) cannot be used: {first}"
        ))
        .details(text));
    }
    if let Err(text) = with_header(t, 2) {
        let first = text.lines().next().unwrap_or("").to_string();
        let finding = Finding::wrong(format!("{HEADER} included twice: {first}"));
        return Err(finding.details(text).hint("c"));
    }
    let mut rng = t.rng();
    let sums = [Sum::random(&mut rng, 5)];
    let none = Sum { n: 0, a: vec![], b: vec![] };
    let short = Sum { n: 5, a: vec![1.0; 4], b: vec![1.0; 5] };
    let long = Sum { n: 5, a: vec![1.0; 5], b: vec![1.0; 6] };
    let calls = [request(&sums), request(&[none]), request(&[short]), request(&[long])];
    let replies = t.host(&calls)?;
    results(&replies[0], &sums)?;
    trace::launched(&replies[0])?;
    host::value(&replies[1]).map_err(|f| f.or_hint("C6"))?;
    expect::that(trace::launches(&replies[1]).is_empty(), || "n = 0: a kernel was launched".into())
        .map_err(|f| f.hint("C6"))?;
    for (reply, what) in replies[2..].iter().zip(["a of 4", "b of 6"]) {
        let (message, _) = host::error(reply)?;
        expect::that(message.contains('5'), || format!("{what}, c of 5 elements: {message}"))?;
    }
    Ok(Evidence::new(
        "VecAdd::new, add and max_abs_err are enough; the header may be included twice",
    ))
}

/// Sizes of exercise 1.1.4.
const SIZES: [usize; 10] = [1, 31, 32, 33, 255, 256, 257, 2000, 2047, 2048];

fn old_cases(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    // The kernel alone, in the judge's emulator.
    let kernels = t.kernel(KERNEL).define("ELEM=int").compile()?;
    for n in SIZES {
        let (a, b) = vectors::ints(t, n);
        let run = vectors::add(
            &kernels,
            (n.div_ceil(256) as u32, 256),
            (&a, &b),
            Some(n as i32),
            |_| None,
        )?;
        expect::eq(&format!("n = {n}: c"), &run.get::<i32>("c")?, &vectors::sum(&a, &b))?;
        if n == 2000 {
            vectors::counts(&run, &model::vector_add(2000, 4, 8, 256, true))?;
        }
    }
    // Through the library.
    let sums: Vec<Sum> = SIZES.iter().map(|n| Sum::random(&mut rng, *n)).collect();
    let (a, b) = vectors::ints(t, 2000);
    let ints = json!([{ "n": 2000, "a": a, "b": b }]);
    let x: Vec<f32> = (0..2000).map(|i| i as f32).collect();
    let y: Vec<f32> = x.iter().map(|x| x * 0.0001).collect();
    let linear = Sum { n: 2000, a: x.clone(), b: y.clone() };
    // Errors: c, a, b and what max_abs_err must say of them.
    let sum = linear.want();
    let spoilt = |i: usize, by: f32| {
        let mut c = sum.clone();
        c[i] += by;
        c
    };
    let cases = [
        (sum.clone(), 0.0),
        (spoilt(7, 0.5), 0.5),
        (spoilt(7, -0.5), 0.5),
        (spoilt(1999, f32::NAN), f64::NAN),
        (spoilt(0, f32::NAN), f64::NAN),
        (spoilt(3, f32::INFINITY), f64::INFINITY),
    ];
    let errors: Vec<_> =
        cases.iter().map(|(c, _)| [f32_bits(c), f32_bits(&x), f32_bits(&y)]).collect();
    let calls = [
        request(&sums),
        Call::new("e1_1_14.add_i32", &ints),
        request(std::slice::from_ref(&linear)),
        Call::new("e1_1_14.max_abs_err", &json!(errors)),
    ];
    let replies = t.host(&calls)?;
    results(&replies[0], &sums)?;
    let c: Vec<Vec<i32>> = trace::value(&replies[1])?;
    expect::eq("int: c", &c.concat(), &vectors::sum(&a, &b))?;
    results(&replies[2], std::slice::from_ref(&linear))?;
    let bits: Value = trace::value(&replies[3])?;
    let found = f64_from_bits(&bits).map_err(Finding::grader)?;
    let found = trace::counted(&replies[3], found, cases.len())?;
    for (k, ((_, want), found)) in cases.iter().zip(found).enumerate() {
        let right =
            found == *want || (found.is_nan() && want.is_nan()) || (found - want).abs() < 1e-4;
        expect::that(right, || format!("max_abs_err, case {k}: expected {want}, got {found}"))
            .map_err(|f| f.hint("n"))?;
    }
    Ok(Evidence::new(format!("right for n = {SIZES:?} and for the data of 1.1.8, error 0")))
}

/// Allocations before each launch, since the launch before it.
fn allocations(api: &[ApiCall]) -> Vec<usize> {
    let mut counts = vec![0];
    for call in api {
        if call.launch.is_some() {
            counts.push(0);
        } else if call.name.starts_with("cuMemAlloc") && call.name != "cuMemAllocHost" {
            *counts.last_mut().expect("never empty") += 1;
        }
    }
    counts.pop();
    counts
}

fn no_realloc(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut sums =
        |sizes: &[usize]| -> Vec<Sum> { sizes.iter().map(|n| Sum::random(&mut rng, *n)).collect() };
    let (equal, smaller, larger) =
        (sums(&[2000, 2000]), sums(&[2000, 1000]), sums(&[100, 3000, 3000]));
    let replies = t.host(&[request(&equal), request(&smaller), request(&larger)])?;
    let names = ["the same size again", "a smaller size", "a larger size"];
    let wants = [vec![3, 0], vec![3, 0], vec![3, 3, 0]];
    for (k, (reply, sums)) in replies.iter().zip([&equal, &smaller, &larger]).enumerate() {
        let what = names[k];
        let tail = |f: Finding| if k == 1 { Finding { hint: None, ..f }.hint("b") } else { f };
        results(reply, sums).map_err(tail)?;
        trace::launched(reply)?;
        for (launch, sum) in reply.launches.iter().zip(sums) {
            expect::that(launch.total.gst_lane == sum.n as u64, || {
                format!("{what}: {} elements were written for n = {}", launch.total.gst_lane, sum.n)
            })
            .map_err(|f| f.hint("b"))?;
        }
        let found = allocations(&reply.api);
        expect::that(found == wants[k], || {
            format!(
                "{what}: expected {:?} allocations before the launches, counted {found:?}",
                wants[k]
            )
        })
        .map_err(|f| f.hint("e"))?;
    }
    Ok(Evidence::new("n = 2000, 2000: 3 and 0 allocations; 100, 3000, 3000: 3, 3 and 0"))
}

fn one_load(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let sums: Vec<Sum> = [10, 20, 10].into_iter().map(|n| Sum::random(&mut rng, n)).collect();
    let reply = t.host(&[request(&sums)])?.remove(0);
    results(&reply, &sums)?;
    let loads = reply.api.iter().filter(|c| c.name.starts_with("cuModuleLoad")).count();
    expect::that(loads == 1, || {
        format!("three calls of add: expected 1 module load, counted {loads}")
    })
    .map_err(|f| f.hint("a"))?;
    Ok(Evidence::new("three calls, one module load"))
}
