//! OpenCL C: textbook kernels must run and give the right results, wrong ones must be stopped or
//! refused at their line, and PoCL must agree with the expected results wherever it is installed.
//!
//! The files lie in `tests/opencl`; their format is that of the corpus, see [`support::case`].
//! `CORPUS=name` picks files.

mod pocl;
mod reference;

use std::collections::BTreeMap;
use std::path::Path;

use crate::reference::World;
use crate::support::case::{Buffer, Case, Data, Generator, Outcome, Stop, execute};
use proptest::prelude::*;
use simt::opencl::{Arg, NdRange};
use simt::{ExecOptions, Instance, Memory, Program};

fn cases(folder: &str) -> Vec<Case> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opencl").join(folder);
    let filter = std::env::var("CORPUS").unwrap_or_default();
    let cases = Case::folder(&dir).expect("folder");
    cases.into_iter().filter(|c| c.name.contains(&filter)).collect()
}

fn options(threads: usize) -> ExecOptions {
    ExecOptions { threads: Some(threads), step_limit: 1 << 20, ..ExecOptions::default() }
}

/// What a buffer must hold at the end, by its name: references and literal lists.
fn wanted(case: &Case) -> BTreeMap<String, (Data, Option<f64>)> {
    let fill = |b: &Buffer| {
        let bytes = b.generator.bytes(b.elem, b.count).expect("generator");
        Data::from_bytes(b.elem, &bytes.unwrap_or_else(|| vec![0; b.count * b.elem.size()]))
    };
    let mut world = World(case.buffers.iter().map(|b| (b.name.clone(), fill(b))).collect());
    if let Some((_, reference)) = reference::ALL.iter().find(|(name, _)| *name == case.name) {
        reference(&mut world);
    }
    let mut out = BTreeMap::new();
    for (name, tolerance) in &case.checks {
        out.insert(name.clone(), (world.0[name].clone(), *tolerance));
    }
    for (name, words) in &case.expected {
        let buffer = case.buffers.iter().find(|b| b.name == *name).expect("a buffer");
        let bytes = Generator::List(words.clone()).bytes(buffer.elem, buffer.count);
        let bytes = bytes.unwrap_or_else(|e| panic!("{} {name}: {e}", case.name)).expect("a list");
        out.insert(name.clone(), (Data::from_bytes(buffer.elem, &bytes), None));
    }
    out
}

fn differences(case: &Case, buffers: &BTreeMap<String, Data>, least: Option<f64>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, (want, tolerance)) in wanted(case) {
        let float = matches!(want, Data::F32(_) | Data::F64(_));
        let tolerance = match (tolerance, least.filter(|_| float)) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        if let Some(text) = buffers[&name].difference(&want, tolerance) {
            wrong.push(format!("{name}{text}"));
        }
    }
    wrong
}

fn run(case: &Case, threads: usize) -> Result<Outcome, String> {
    let program = case.compile().map_err(|e| e.to_string())?;
    execute(case, &program, &options(threads)).map_err(|e| e.to_string())
}

fn report(failures: Vec<String>, of: usize) {
    assert!(failures.is_empty(), "{} of {of} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_kernel_gives_the_right_results_and_counts() {
    let cases = cases(".");
    let mut failures = Vec::new();
    for case in &cases {
        let outcome = match run(case, 1) {
            Ok(outcome) => outcome,
            Err(text) => {
                failures.push(format!("== {}\n{text}", case.name));
                continue;
            }
        };
        let mut wrong = differences(case, &outcome.buffers, None);
        for (run, counters) in case.runs.iter().zip(&outcome.counters) {
            let fields = serde_json::to_value(counters).expect("plain data");
            for (counter, want, reason) in &run.counts {
                let got = fields[counter].as_u64();
                if got != Some(*want) {
                    wrong.push(format!(
                        "{}: {counter} is {got:?}, want {want}: {reason}",
                        run.kernel
                    ));
                }
            }
        }
        let printed: Vec<&str> = outcome.printed.lines().collect();
        if !case.prints.is_empty() && printed != case.prints {
            wrong.push(format!("printed {printed:#?}"));
        }
        if run(case, 4).as_ref() != Ok(&outcome) {
            wrong.push("another outcome on four threads".into());
        }
        if !wrong.is_empty() {
            failures.push(format!("== {}\n{}", case.name, wrong.join("\n")));
        }
    }
    report(failures, cases.len());
}

#[test]
fn every_case_is_checked() {
    let cases = cases(".");
    for case in &cases {
        let kept = !case.checks.is_empty() || !case.expected.is_empty() || !case.prints.is_empty();
        assert!(kept, "{} is not checked", case.name);
        let reference = reference::ALL.iter().any(|(name, _)| *name == case.name);
        assert!(case.checks.is_empty() || reference, "{} has no reference", case.name);
    }
}

/// What PoCL on a CPU does not have: halves in variables, and pointers without a word.
const NOT_ON_POCL: [&str; 3] = ["half_values", "atomics_c11", "sub_groups"];

/// PoCL is another compiler and another machine: what it computes must be what the references say.
#[test]
fn pocl_agrees() {
    let cases = cases(".");
    let pocl = match pocl::Pocl::open() {
        Ok(pocl) => pocl,
        Err(reason) => {
            assert!(std::env::var_os("CI").is_none(), "PoCL is missing: {reason}");
            println!("skipped: {reason}");
            return;
        }
    };
    kept::once!(loaded; concat!(env!("CARGO_MANIFEST_DIR"), "/tests/opencl"));
    let mut failures = Vec::new();
    for case in cases.iter().filter(|c| !NOT_ON_POCL.contains(&&*c.name)) {
        let wrong = match pocl.run(case) {
            Ok(buffers) => differences(case, &buffers, Some(2e-5)),
            Err(text) => vec![text],
        };
        if !wrong.is_empty() {
            failures.push(format!("== {}\n{}", case.name, wrong.join("\n")));
        }
    }
    report(failures, cases.len());
}

/// What the compiler refuses, PoCL refuses as well, except where we refuse more: features of later
/// versions.
#[test]
fn every_faulty_kernel_is_stopped_at_its_line() {
    let cases = cases("faulty");
    let mut failures = Vec::new();
    for case in &cases {
        if let Some(text) = misjudged(case) {
            failures.push(format!("== {}\n{text}", case.name));
        }
    }
    report(failures, cases.len());
}

fn misjudged(case: &Case) -> Option<String> {
    let line = case.marked_lines("fault").first().copied();
    let program = match case.compile() {
        Ok(program) => program,
        Err(refusal) => {
            let text = refusal.to_string();
            let at = refusal.diagnostics.first().map(|d| refusal.sources.locate(d.span).line);
            let right = case.error.as_ref().is_some_and(|want| text.contains(want)) && at == line;
            return (!right).then_some(text);
        }
    };
    let Some(want) = &case.fault else { return Some("compiled".into()) };
    let fault = match execute(case, &program, &ExecOptions { step_limit: 1 << 14, ..options(2) }) {
        Ok(_) => return Some("ran to its end".into()),
        Err(Stop::Setup(text)) => return Some(text),
        Err(Stop::Fault(fault)) => fault,
    };
    let site = fault.site.as_ref();
    let mut right = want.codes.iter().any(|c| c == fault.kind.code());
    right &= site.map(|s| s.at.line) == line;
    if let Some((name, index)) = &want.target {
        right &= fault.target.as_ref().is_some_and(|t| t.name == *name && t.index == *index);
    }
    right &= want.thread.is_none() || want.thread == site.map(|s| s.thread);
    right &= want.block.is_none() || want.block == site.map(|s| s.block);
    (!right).then(|| format!("want {want:?}\n{}target {:?}", fault.render(), fault.target))
}

#[test]
fn kernels_say_what_a_host_asks() {
    let text = "typedef struct { float4 a; int b; } pair;
        __kernel __attribute__((vec_type_hint(float4)))
        __attribute__((reqd_work_group_size(8, 4, 1)))
        void k(__global const float * restrict x, __local int4 *s, __constant uchar *c, float3 v,
               pair p, uint n) {}";
    let options = simt::opencl::build_options("k.cl", "").unwrap();
    let program = Program::compile(text, &options).unwrap_or_else(|e| panic!("{e}"));
    let kernel = program.kernel("k").expect("k");
    assert_eq!(kernel.work_group, Some([8, 4, 1]));
    assert_eq!(kernel.attributes, ["vec_type_hint(float4)", "reqd_work_group_size(8, 4, 1)"]);
    use simt::hir::Space;
    let found: Vec<_> =
        kernel.params.iter().map(|p| (p.type_name.as_str(), p.space, p.size, p.align)).collect();
    let want = [
        ("float*", Space::Global, 8, 8),
        ("int4*", Space::Shared, 8, 8),
        ("uchar*", Space::Constant, 8, 8),
        ("float3", Space::Local, 16, 16),
        ("pair", Space::Local, 32, 16),
        ("uint", Space::Local, 4, 4),
    ];
    assert_eq!(found, want);
    let flags: Vec<_> = kernel.params.iter().map(|p| (p.is_const, p.is_restrict)).collect();
    assert_eq!(flags[..3], [(true, true), (false, false), (true, false)]);
}

#[test]
fn wrong_launches_are_refused() {
    use simt::opencl::LaunchErrorKind as K;
    let text = "__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
        void k(__global int *x, __local int *s, int n) {}
        __kernel void free_size(__global int *x) { x[get_global_id(0)] = 1; }";
    let options = simt::opencl::build_options("k.cl", "").unwrap();
    let program = Program::compile(text, &options).unwrap_or_else(|e| panic!("{e}"));
    let device = simt::device::model("h200").expect("a model");
    let kernel = program.kernel("k").expect("k");
    let range = |global: u64, local: Option<u64>| NdRange {
        work_dim: 1,
        offset: [0; 3],
        global: [global, 1, 1],
        local: local.map(|n| [n, 1, 1]),
    };
    let right = [Arg::Bytes(vec![0; 8]), Arg::Local(64), Arg::Bytes(vec![0; 4])];
    let check = |r: &NdRange, args: &[Arg]| simt::opencl::check(device, kernel, r, args);
    assert_eq!(check(&range(64, None), &right), Ok([8, 1, 1]));
    let kind = |r: &NdRange, args: &[Arg]| check(r, args).unwrap_err().kind;
    assert_eq!(kind(&range(64, Some(16)), &right), K::WorkGroupSize);
    assert_eq!(kind(&range(60, None), &right), K::WorkGroupSize);
    assert_eq!(kind(&range(0, None), &right), K::GlobalWorkSize);
    assert_eq!(kind(&range(64, None), &right[..2]), K::ArgCount);
    let swapped = [right[0].clone(), right[2].clone(), right[1].clone()];
    assert_eq!(kind(&range(64, None), &swapped), K::ArgValue { index: 1 });
    let narrow = [right[0].clone(), right[1].clone(), Arg::Bytes(vec![0; 2])];
    assert_eq!(kind(&range(64, None), &narrow), K::ArgSize { index: 2 });
    let huge = [right[0].clone(), Arg::Local(1 << 30), right[2].clone()];
    assert_eq!(kind(&range(64, None), &huge), K::OutOfResources);
    let bad = NdRange { work_dim: 4, ..range(64, None) };
    assert_eq!(kind(&bad, &right), K::WorkDimension);
    let free = program.kernel("free_size").expect("free_size");
    let chosen = simt::opencl::work_group(device, free, &range(1000, None)).unwrap();
    assert_eq!(chosen, [250, 1, 1]);
    let plane = NdRange { work_dim: 2, global: [96, 7, 1], ..range(1, None) };
    let chosen = simt::opencl::work_group(device, free, &plane).unwrap();
    assert_eq!(chosen, [96, 1, 1]);
}

/// Runs a kernel of one work-item on an input and an output of `words` 32-bit words.
fn once(text: &str, input: &[u32], words: usize) -> Vec<u32> {
    let options = simt::opencl::build_options("once.cl", "").unwrap();
    let program = Program::compile(text, &options).unwrap_or_else(|e| panic!("{e}{text}"));
    let memory = Memory::new(1 << 20);
    let instance = Instance::load(&program, &memory).expect("load");
    let bytes: Vec<u8> = input.iter().flat_map(|w| w.to_le_bytes()).collect();
    let x = memory.alloc(bytes.len().max(4) as u64, "x").expect("x");
    memory.write(x, &bytes).expect("write");
    let y = memory.alloc(4 * words as u64, "y").expect("y");
    memory.fill(y, &[0], 4 * words as u64).expect("fill");
    let one = NdRange { work_dim: 1, offset: [0; 3], global: [1; 3], local: None };
    let args = [x, y].map(|a| Arg::Bytes(a.to_le_bytes().to_vec()));
    let device = simt::device::model("h200").expect("a model");
    let result =
        simt::opencl::launch(device, &memory, &instance, "k", &one, &args, &ExecOptions::default());
    result.unwrap_or_else(|f| panic!("{}{text}", f.render()));
    let mut out = vec![0; 4 * words];
    memory.read(y, &mut out).expect("read");
    out.chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

/// Compilers for devices with a `size_t` of 32 bits take sizes in `mul24`; clang for 64 bits does
/// not.
#[test]
fn sizes_in_mul24_are_cut_with_a_warning() {
    let text = "kernel void k(global uint *x, global uint *y) {
        y[0] = mul24(get_global_size(0) + 6, (size_t)x[0]);
        y[1] = mul24((long)x[0], -3L);
    }";
    assert_eq!(once(text, &[5], 2), [35, -15i32 as u32]);
    let options = simt::opencl::build_options("once.cl", "").unwrap();
    let warned = Program::compile(text, &options).unwrap().warnings().len();
    assert_eq!(warned, 2);
    let vectors = "kernel void k(global long4 *x) { x[0] = mul24(x[0], x[1]); }";
    let refused = Program::compile(vectors, &options).unwrap_err().to_string();
    assert!(refused.contains("`mul24` works on `int` and `uint`, this is `long`"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Any swizzle reads, and any swizzle without repetition writes, the components it names.
    #[test]
    fn swizzles_pick_and_place(
        n in prop::sample::select(vec![2usize, 4, 8, 16]),
        seed in prop::collection::vec(0usize..16, 16),
        order in Just((0..16usize).collect::<Vec<_>>()).prop_shuffle(),
        length in prop::sample::select(vec![2usize, 4, 8, 16]),
    ) {
        let length = length.min(n);
        let digits = |list: &[usize]| list.iter().map(|k| format!("{k:x}")).collect::<String>();
        let read: Vec<usize> = seed.iter().take(length).map(|k| k % n).collect();
        let write: Vec<usize> = order.into_iter().filter(|k| *k < n).take(length).collect();
        let text = format!(
            "__kernel void k(__global const int *x, __global int *y) {{
                int{n} v = vload{n}(0, x), w = 0;
                w.s{} = v.s{};
                vstore{n}(w, 0, y);
            }}",
            digits(&write), digits(&read)
        );
        let input: Vec<u32> = (0..n as u32).map(|k| 100 + k).collect();
        let mut want = vec![0; n];
        for (to, from) in write.iter().zip(&read) {
            want[*to] = input[*from];
        }
        prop_assert_eq!(once(&text, &input, n), want);
    }

    /// Conversions of floats to integers, saturated and rounded, are Rust's.
    #[test]
    fn conversions_are_those_of_rust(bits: u32, small in -70_000.0f32..70_000.0) {
        let text = "__kernel void k(__global const float *x, __global int *y) {
                for (int i = 0; i < 2; ++i, y += 8) {
                    y[0] = convert_int_sat(x[i]);
                    y[1] = convert_int_sat_rte(x[i]);
                    y[2] = convert_int_sat_rtp(x[i]);
                    y[3] = convert_int_sat_rtn(x[i]);
                    y[4] = convert_uint_sat(x[i]);
                    y[5] = convert_short_sat_rte(x[i]);
                    y[6] = convert_uchar_sat(x[i]);
                    y[7] = as_int(convert_float_rtz(convert_int_sat(x[i])));
                }
            }";
        let got = once(text, &[bits, small.to_bits()], 16);
        for (x, got) in [f32::from_bits(bits), small].into_iter().zip(got.chunks(8)) {
            let toward_zero = |v: i32| {
                let near = v as f32;
                let beyond = f64::from(near).abs() > f64::from(v).abs();
                near.to_bits() - u32::from(beyond)
            };
            let want = [
                x as i32 as u32,
                x.round_ties_even() as i32 as u32,
                x.ceil() as i32 as u32,
                x.floor() as i32 as u32,
                x as u32,
                i32::from(x.round_ties_even() as i16) as u32,
                u32::from(x as u8),
                toward_zero(x as i32),
            ];
            prop_assert_eq!(got, &want[..], "{}", x);
        }
    }

    /// Operators on vectors are the operators on their components.
    #[test]
    fn operators_work_by_component(
        a in prop::array::uniform4(any::<i32>()),
        b in prop::array::uniform4(1i32..1000),
    ) {
        let text = "__kernel void k(__global const int4 *x, __global int4 *y) {
                int4 a = x[0], b = x[1];
                y[0] = a + b; y[1] = a - b; y[2] = a * b; y[3] = a / b; y[4] = a % b;
                y[5] = a & b; y[6] = a | b; y[7] = a ^ b; y[8] = a << b; y[9] = a >> b;
                y[10] = a < b; y[11] = a == b; y[12] = a ? a : b; y[13] = ~a; y[14] = -a;
            }";
        let input: Vec<u32> = a.iter().chain(&b).map(|v| *v as u32).collect();
        let got = once(text, &input, 60);
        let truth = |t: bool| -i32::from(t);
        let mut want = Vec::new();
        let all: [fn(i32, i32) -> i32; 10] = [
            i32::wrapping_add, i32::wrapping_sub, i32::wrapping_mul, i32::wrapping_div,
            i32::wrapping_rem, |a, b| a & b, |a, b| a | b, |a, b| a ^ b,
            |a, b| a.wrapping_shl(b as u32), |a, b| a.wrapping_shr(b as u32),
        ];
        for f in all {
            want.extend(a.iter().zip(&b).map(|(a, b)| f(*a, *b) as u32));
        }
        let rest: [&dyn Fn(i32, i32) -> i32; 5] = [
            &|a, b| truth(a < b), &|a, b| truth(a == b), &|a, b| if a < 0 { a } else { b },
            &|a, _| !a, &|a, _| a.wrapping_neg(),
        ];
        for f in rest {
            want.extend(a.iter().zip(&b).map(|(a, b)| f(*a, *b) as u32));
        }
        prop_assert_eq!(got, want);
    }
}
