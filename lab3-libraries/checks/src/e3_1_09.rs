//! Checks of exercise 3.1.9: transform, reduce, counted elements, and the type that says where.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, trace};
use rand::RngExt;
use serde_json::{Value, json};
use simt::fault::{Fault, FaultKind};

use crate::device::{self, bits64, f64s};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.1.9",
    key: "e3_1_09",
    title: "Algorithms, written once",
    points: 5,
    files: &[KERNEL, "src/e3_1_09.rs"],
    todo: "Write both systems in src/e3_1_09.rs with the kernels of kernels/algorithms.cu, then \
        the four algorithms over them.",
    hints: &[
        ("a", "element i of a counting range is first + i"),
        (
            "b",
            "begin with IDENTITY, also where a thread has no element: 0 is greater than negative \
             numbers",
        ),
        ("c", "neighbouring threads take neighbouring elements, each once: stride over the grid"),
        ("d", "a barrier between writing and reading the results of the warps"),
        ("e", "all warps of a block, and all blocks: partial has one element for each block"),
        ("f", "the last element is n - 1"),
        (
            "g",
            "one launch, and no element in memory: transform_reduce applies the function on the \
             way, and counted elements are never stored",
        ),
        ("h", "the CPU's system works in parallel: rayon's map and reduce, with O::IDENTITY"),
        ("i", "the middle of interval i is (i + 1/2)/n: count from 0.5"),
        ("j", "the variance is the mean of (x - mean)^2: a second pass, with p = mean"),
        ("k", "least = -(greatest of -x): Negative with Greatest"),
        ("l", "call the methods of `system`: the type of the vector says where they run"),
        ("m", "no elements: nothing to launch, and the result is O::IDENTITY"),
    ],
    checks: &[
        Check { name: "cpu", what: "transform and reduce on the cores", weight: 1, run: cpu },
        Check {
            name: "kernels",
            what: "both kernels, 1 to 40,000 elements",
            weight: 2,
            run: kernels,
        },
        Check { name: "counts", what: "traffic of vectors and of counts", weight: 2, run: counts },
        Check { name: "on_device", what: "the device's system", weight: 2, run: on_device },
        Check { name: "switch", what: "four algorithms on both systems", weight: 3, run: switch },
    ],
};

const KERNEL: &str = "kernels/algorithms.cu";

/// A function in CUDA C, and the same here.
struct Function {
    name: &'static str,
    text: &'static str,
    of: fn(f64, f64) -> f64,
}

const IDENTITY: Function = Function { name: "Identity", text: "x", of: |x, _| x };
const NEGATIVE: Function = Function { name: "Negative", text: "-x", of: |x, _| -x };
const SHIFTED: Function = Function { name: "Shifted", text: "x - p", of: |x, p| x - p };
const SQUARE: Function =
    Function { name: "Square", text: "(x - p) * (x - p)", of: |x, p| (x - p) * (x - p) };

/// An operation in CUDA C, and the same here.
struct Operation {
    name: &'static str,
    text: &'static str,
    identity: (&'static str, f64),
    of: fn(f64, f64) -> f64,
}

const PLUS: Operation =
    Operation { name: "Plus", text: "a + b", identity: ("0.0", 0.0), of: |a, b| a + b };
const GREATEST: Operation = Operation {
    name: "Greatest",
    text: "fmax(a, b)",
    identity: ("-INFINITY", f64::NEG_INFINITY),
    of: f64::max,
};

/// Elements of a vector, or counted ones.
enum Elements {
    Of(Vec<f64>),
    Counting(f64, usize),
}

impl Elements {
    fn all(&self) -> Vec<f64> {
        match self {
            Elements::Of(values) => values.clone(),
            Elements::Counting(first, n) => (0..*n).map(|i| first + i as f64).collect(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Elements::Of(values) => values.len(),
            Elements::Counting(_, n) => *n,
        }
    }

    fn request(&self, f: &Function, operation: Option<&Operation>, p: f64) -> Value {
        let (function, operation) = (f.name, operation.map(|o| o.name));
        match self {
            Elements::Of(values) => {
                let values = bits64(values);
                json!({ "function": function, "operation": operation, "p": p, "elements": values })
            }
            Elements::Counting(first, n) => {
                json!({
                    "function": function, "operation": operation, "p": p, "first": first, "n": n
                })
            }
        }
    }

    fn says(&self) -> String {
        match self {
            Elements::Of(values) => format!("{} elements of a vector", values.len()),
            Elements::Counting(first, n) => format!("{n} elements counted from {first}"),
        }
    }

    /// The hint that a wrong element deserves.
    fn hint(&self) -> &'static str {
        if matches!(self, Elements::Counting(..)) { "a" } else { "e" }
    }
}

/// `n` numbers about `centre`.
fn random(t: &Trial, n: usize, centre: f64) -> Vec<f64> {
    let mut rng = t.rng();
    (0..n).map(|_| centre + rng.random_range(-1.0..1.0f64)).collect()
}

/// A sum of n terms in any order is off by n eps of the sum of their sizes at most; the greatest
/// element is exact.
fn near(o: &Operation, terms: &[f64], got: f64) -> Result<f64, String> {
    let want = terms.iter().copied().fold(o.identity.1, o.of);
    let sizes: f64 = terms.iter().map(|t| t.abs()).sum();
    let bound = if o.name == "Plus" { terms.len() as f64 * f64::EPSILON * sizes } else { 0.0 };
    // Equal infinities, whose difference is NaN, are near.
    if got == want || device::within(got, want, bound) {
        Ok(want)
    } else {
        Err(format!("expected {want}, got {got}"))
    }
}

/// Pairs of function and operation.
const PAIRS: [(&Function, &Operation); 4] =
    [(&IDENTITY, &PLUS), (&SQUARE, &PLUS), (&IDENTITY, &GREATEST), (&NEGATIVE, &GREATEST)];

/// All functions over some ranges, through one system's functions; `used` looks at each reply with
/// the number of elements, and whether it was a reduction.
fn system(
    t: &Trial,
    name: &str,
    ranges: &[Elements],
    used: impl Fn(&Reply, &Elements, bool) -> Result<(), Finding>,
) -> Result<(), Finding> {
    let p = t.rng().random_range(-2.0..2.0);
    for range in ranges {
        // Of no elements no device computes anything.
        let fold = if range.len() == 0 { "nothing" } else { "reduce" };
        let [map, fold] = ["transform", fold].map(|w| format!("e3_1_09.{name}_{w}"));
        let maps = [&SQUARE, &SHIFTED, &NEGATIVE];
        let mut calls: Vec<Call> =
            maps.iter().map(|f| Call::new(&map, &range.request(f, None, p))).collect();
        calls.extend(PAIRS.iter().map(|(f, o)| Call::new(&fold, &range.request(f, Some(o), p))));
        let replies = t.host(&calls)?;
        let elements = range.all();
        for (f, reply) in maps.iter().zip(&replies) {
            let bits: Vec<u64> = device::value(reply, diagnose)?;
            let want: Vec<f64> = elements.iter().map(|x| (f.of)(*x, p)).collect();
            let what = format!("{name}: transform by {} of {}", f.name, range.says());
            expect::eq(&what, &f64s(&bits), &want).map_err(|e| e.hint(range.hint()))?;
            used(reply, range, false)?;
        }
        for ((f, o), reply) in PAIRS.iter().zip(&replies[maps.len()..]) {
            let got = f64::from_bits(device::value(reply, diagnose)?);
            let terms: Vec<f64> = elements.iter().map(|x| (f.of)(*x, p)).collect();
            near(o, &terms, got).map_err(|why| {
                let what = format!("{name}: {} of {} over {}", o.name, f.name, range.says());
                let hint = match range {
                    _ if elements.is_empty() => "m",
                    _ if got == 0.0 && o.name == "Greatest" => "b",
                    range => range.hint(),
                };
                Finding::wrong(format!("{what}: {why}")).hint(hint)
            })?;
            used(reply, range, true)?;
        }
    }
    Ok(())
}

fn cpu(t: &Trial) -> Outcome {
    let text = t.text("src/e3_1_09.rs")?;
    expect::that(text.matches("par_").count() >= 2, || {
        "the CPU's system: both algorithms must run on all cores".into()
    })
    .map_err(|f| f.hint("h"))?;
    let n = t.rng().random_range(1000..4000);
    let ranges = [
        Elements::Of(random(t, n, -3.0)),
        Elements::Counting(0.5, n),
        Elements::Counting(-1e6, 1),
        Elements::Of(Vec::new()),
    ];
    system(t, "cpu", &ranges, |reply, _, _| {
        expect::that(trace::launches(reply).is_empty(), || {
            format!("{}: a kernel was launched", reply.call)
        })
        .map_err(|f| f.hint("l"))
    })?;
    Ok(Evidence::new(format!("{n} elements, one, none; three functions, four reductions")))
}

fn diagnose(fault: &Fault) -> Option<&'static str> {
    let on = fault.target.as_ref().map_or("", |t| t.name.as_str());
    match fault.kind {
        FaultKind::RaceShared | FaultKind::DivergentBarrier => Some("d"),
        FaultKind::Uninitialised if on == "warps" => Some("d"),
        FaultKind::Uninitialised if on == "partial" => Some("e"),
        FaultKind::OutOfBoundsGlobal if matches!(on, "in" | "out") => Some("f"),
        _ => None,
    }
}

/// A launch of either kernel by the judge.
fn launch(
    t: &Trial,
    elements: &Elements,
    f: &Function,
    operation: Option<&Operation>,
    p: f64,
) -> Result<grading::Run, Finding> {
    let counting = matches!(elements, Elements::Counting(..));
    let element = if counting { "ELEMENT=(first + i)" } else { "ELEMENT=in[i]" };
    let mut file = t.kernel(KERNEL).define(element).define(&format!("FUNCTION={}", f.text));
    if let Some(o) = operation {
        file = file
            .define(&format!("COMBINE={}", o.text))
            .define(&format!("IDENTITY=({})", o.identity.0));
    }
    let kernels = file.compile()?;
    let n = elements.len();
    let blocks = n.div_ceil(256).min(64) as u32;
    let kernel = if operation.is_some() { "transform_reduce" } else { "transform" };
    let (vector, first) = match elements {
        Elements::Of(values) => (values.clone(), 0.0),
        Elements::Counting(first, _) => (vec![f64::NAN], *first),
    };
    let launch = kernels
        .launch(kernel, blocks, 256u32)
        .input("in", &vector)
        .scalar(first)
        .scalar(p)
        .scalar(n as u64);
    let launch = match operation {
        Some(_) => launch.output::<f64>("partial", blocks as usize),
        None => launch.output::<f64>("out", n),
    };
    launch.on_fault(diagnose).run()
}

fn kernels(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let last = rng.random_range(30_000..40_000);
    let p = rng.random_range(-2.0..2.0);
    let sizes = [1, 31, 256, 257, last];
    for n in sizes {
        // All below 0: what is not an element must not be the greatest.
        for range in [Elements::Of(random(t, n, -5.0)), Elements::Counting(0.5 - 1e5, n)] {
            let elements = range.all();
            let run = launch(t, &range, &SQUARE, None, p)?;
            let want: Vec<f64> = elements.iter().map(|x| (SQUARE.of)(*x, p)).collect();
            let got = run.get::<f64>("out").map_err(|f| f.hint("f"))?;
            expect::eq(&format!("transform, {}", range.says()), &got, &want)?;
            for (f, o) in [(&SQUARE, &PLUS), (&IDENTITY, &GREATEST)] {
                let run = launch(t, &range, f, Some(o), p)?;
                let partial = run.get::<f64>("partial").map_err(|f| f.hint("e"))?;
                let got = partial.into_iter().fold(o.identity.1, o.of);
                let terms: Vec<f64> = elements.iter().map(|x| (f.of)(*x, p)).collect();
                near(o, &terms, got).map_err(|why| {
                    let text = format!("transform_reduce, {}, {}: {why}", o.name, range.says());
                    Finding::wrong(text).hint(if o.name == "Greatest" { "b" } else { "e" })
                })?;
            }
        }
    }
    Ok(Evidence::new(format!("{sizes:?} elements, of vectors and counted; sums and greatest")))
}

fn counts(t: &Trial) -> Outcome {
    let n = 32 * t.rng().random_range(600..1000usize);
    let blocks = n.div_ceil(256).min(64) as u64;
    // A request of 32 numbers of 8 bytes is 8 sectors.
    let sectors = n as u64 / 4;
    let hint = |id: &'static str| move |f: Finding| f.hint(id);
    let (vector, counted) = (Elements::Of(random(t, n, 0.0)), Elements::Counting(0.0, n));
    let map = launch(t, &vector, &SHIFTED, None, 1.0)?;
    expect::count(&map, "gld.sec", sectors).map_err(hint("c"))?;
    expect::count(&map, "gst.sec", sectors).map_err(hint("c"))?;
    let sum = launch(t, &vector, &SQUARE, Some(&PLUS), 1.0)?;
    expect::count(&sum, "gld.sec", sectors).map_err(hint("c"))?;
    let none = launch(t, &counted, &SQUARE, Some(&PLUS), 1.0)?;
    expect::count(&none, "gld.req", 0).map_err(hint("a"))?;
    for run in [&sum, &none] {
        expect::at_most(run, "gst.req", blocks).map_err(hint("g"))?;
        expect::at_most(run, "atom.lane", 0).map_err(hint("e"))?;
    }
    Ok(Evidence::new(format!("{n} elements: {sectors} sectors from a vector, none if counted"))
        .launch(sum.report()))
}

/// One launch, and no memory beyond what the algorithm needs: a double for each element of the
/// input and of the output, and one for each block.
fn lean(reply: &Reply, elements: &Elements, reduction: bool) -> Result<(), Finding> {
    let launches = trace::launches(reply).len();
    let n = elements.len();
    let wanted = usize::from(n > 0);
    expect::that(launches == wanted, || {
        format!("{}, {}: {launches} launches, expected {wanted}", reply.call, elements.says())
    })
    .map_err(|f| {
        f.hint(if n == 0 {
            "m"
        } else if launches == 0 {
            "l"
        } else {
            "g"
        })
    })?;
    let vectors = u64::from(matches!(elements, Elements::Of(_))) + u64::from(!reduction);
    let bytes = trace::bytes(&reply.api, "cuMemAlloc");
    let bound = 8 * (n as u64 * vectors + 64);
    expect::that(bytes <= bound, || {
        format!(
            "{}, {}: {bytes} bytes of device memory, expected at most {bound}",
            reply.call,
            elements.says()
        )
    })
    .map_err(|f| f.hint("g"))
}

fn on_device(t: &Trial) -> Outcome {
    let n = t.rng().random_range(2000..9000);
    let ranges = [
        Elements::Of(random(t, n, -3.0)),
        Elements::Counting(0.5, n),
        Elements::Counting(-1e6, 1),
        Elements::Of(Vec::new()),
    ];
    system(t, "device", &ranges, lean)?;
    Ok(Evidence::new(format!("{n} elements, one, none; a launch each, none for none")))
}

fn switch(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let n = rng.random_range(2000..6000usize);
    // Far from 0: the mean of the squares less the square of the mean would be rounding.
    let values = random(t, n, rng.random_range(1e7..2e7));
    let mean = values.iter().sum::<f64>() / n as f64;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
    let of = |f: fn(f64, f64) -> f64| values.iter().copied().fold(values[0], f);
    let extent = of(f64::max) - of(f64::min);
    let width = 1.0 / n as f64;
    let pi = width * (0..n).map(|i| 4.0 / (1.0 + ((i as f64 + 0.5) * width).powi(2))).sum::<f64>();
    for (name, on_device) in [("cpu", false), ("device", true)] {
        let call = |what: &str, args: &Value| Call::new(&format!("e3_1_09.{name}_{what}"), args);
        let bits = json!(bits64(&values));
        let replies =
            t.host(&[call("pi", &json!(n)), call("numbers", &bits), call("centred", &bits)])?;
        let got = f64::from_bits(device::value(&replies[0], diagnose)?);
        let check = |what: &str, got: f64, want: f64, bound: f64, hint: &'static str| {
            expect::that(device::within(got, want, bound), || {
                format!("{name}: {what}: expected {want}, got {got}")
            })
            .map_err(|f| f.hint(hint))
        };
        check(&format!("pi by {n} intervals"), got, pi, n as f64 * f64::EPSILON * 8.0, "i")?;
        let got = f64s(&device::value::<Vec<u64>>(&replies[1], diagnose)?);
        // Of the mean, n eps of its size at most; so (x - mean)^2, with |x - mean| < 1, is off by
        // twice that and its own rounding.
        let off = n as f64 * f64::EPSILON * mean.abs();
        check("mean", got[0], mean, off, "l")?;
        check("variance", got[1], variance, 2.0 * off, "j")?;
        check("extent", got[2], extent, 0.0, "k")?;
        let got = f64s(&device::value::<Vec<u64>>(&replies[2], diagnose)?);
        let want: Vec<f64> = values.iter().map(|x| x - mean).collect();
        expect::close(&format!("{name}: centred"), &got, &want, |_| off)
            .map_err(|f| f.hint("l"))?;
        for reply in &replies {
            let launches = trace::launches(reply).len();
            expect::that((launches > 0) == on_device, || {
                format!("{}: {launches} launches", reply.call)
            })
            .map_err(|f| f.hint("l"))?;
        }
        // Pi's elements are counted: nothing goes to the device but a number for each block.
        lean_pi(&replies[0], on_device)?;
    }
    Ok(Evidence::new(format!(
        "n = {n}: pi {pi:.9}, variance {variance:.4}, extent {extent:.4}, on the CPU and on the \
         device"
    )))
}

fn lean_pi(reply: &Reply, on_device: bool) -> Result<(), Finding> {
    if on_device { lean(reply, &Elements::Counting(0.5, 1), true) } else { Ok(()) }
}
