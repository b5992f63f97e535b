//! Fuzzing: random kernels against a scalar interpreter, and damaged sources that must end with a
//! message.
//!
//! Each of the two tests runs a number of seeds in a row: `SIMT_FUZZ_SEED` is the first (1),
//! `SIMT_FUZZ_COUNT` how many (what a test run has the time for). A failure says how to repeat its
//! seed alone and leaves the source in `SIMT_FUZZ_DIR` (the folder for temporary files of the
//! build); what was found and mended is kept in `tests/regressions`. Long runs:
//! `cargo test --profile fuzz -p simt --test fuzz` at full speed, with overflows still caught.
//! `SIMT_CORPUS` says where the corpus lies, for a binary that was carried to another machine.

#[path = "../support/mod.rs"]
mod support;

mod functions;
mod generate;
mod interpret;
mod mutate;
mod print;
mod random;
mod shrink;
mod tree;
mod value;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use random::Random;
use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, Program};
use support::case::{Case, execute};
use tree::{Kernel, Place, Ty};
use value::Value;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn keep(name: &str, text: &str) -> PathBuf {
    let folder = std::env::var("SIMT_FUZZ_DIR").unwrap_or(env!("CARGO_TARGET_TMPDIR").into());
    let path = PathBuf::from(folder).join(name);
    std::fs::write(&path, text).expect("folder for temporary files");
    path
}

/// Runs `work` on a thread of its own and waits for it: a hang becomes a failure that names its
/// source.
fn watched<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = send.send(work());
    });
    receive.recv_timeout(Duration::from_secs(300)).unwrap_or_else(|_| panic!("{what} hangs"))
}

/// How a kernel failed: a class to compare by, and the details.
type Failure = (String, String);

/// Failures after which a run gives up.
const MAX_FAILURES: usize = 10;
/// Smaller kernels that are tried in place of one that fails.
const MAX_TRIES: usize = 5000;

/// Calls `step`, the body of the test `name`, with `count` seeds in a row, or as many as
/// `SIMT_FUZZ_COUNT` says, over the cores; it is told the number of its core. It goes on after a
/// failure, to find others.
fn repeat(name: &str, count: u64, step: impl Fn(u64, usize) -> Result<(), String> + Sync) {
    let first = number("SIMT_FUZZ_SEED", 1);
    let count = number("SIMT_FUZZ_COUNT", count);
    let next = AtomicU64::new(0);
    let failed = Mutex::new(BTreeMap::new());
    let give_up = || failed.lock().expect("a list").len() >= MAX_FAILURES;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for core in 0..cores {
            let (next, step, failed, give_up) = (&next, &step, &failed, &give_up);
            scope.spawn(move || {
                while !give_up() {
                    let done = next.fetch_add(1, Ordering::Relaxed);
                    if done >= count {
                        break;
                    }
                    let seed = first.wrapping_add(done);
                    if let Err(text) = step(seed, core) {
                        failed.lock().expect("a list").insert(seed, text);
                    }
                }
            });
        }
    });
    let done = next.into_inner().min(count);
    let failed = failed.into_inner().expect("a list");
    println!("seeds from {first}: {done} cases");
    failed.values().for_each(|text| println!("{text}\n"));
    let again = |seed: &u64| {
        format!("SIMT_FUZZ_SEED={seed} SIMT_FUZZ_COUNT=1 cargo test -p simt --test fuzz {name}\n")
    };
    assert!(
        failed.is_empty(),
        "{} of {done} seeds from {first} fail; to repeat:\n{}",
        failed.len(),
        failed.keys().map(again).collect::<String>()
    );
}

fn inputs() -> (Vec<i32>, Vec<f32>) {
    let mut r = Random(99);
    let ints = (0..64).map(|_| r.bits() as i32 >> r.below(31)).collect();
    let floats = (0..64).map(|_| (r.below(20_001) as f32 - 10_000.0) / 64.0).collect();
    (ints, floats)
}

fn le<T: Copy, const N: usize>(v: &[T], f: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    v.iter().flat_map(|x| f(*x)).collect()
}

/// Compiles and runs a kernel; what differs from the reference, if anything.
fn try_kernel(kernel: &Kernel, options: &ExecOptions) -> Result<(), Failure> {
    let text = kernel.text();
    let outcome = catch_unwind(AssertUnwindSafe(|| run_text(kernel, &text, options)));
    let got = match outcome {
        Ok(result) => result?,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            return Err(("panic".into(), text.unwrap_or_default()));
        }
    };
    let (in_ints, in_floats) = inputs();
    let want = interpret::run(kernel, &in_ints, &in_floats);
    let differs = |class: &str, ty: &dyn Fn(usize) -> Ty, got: &[u8], want: &[Value]| {
        let stride = got.len() / want.len().max(1);
        let found = want.iter().enumerate().find_map(|(at, want)| {
            let got = Value::from_bytes(ty(at), &got[at * stride..]);
            (!got.is(*want)).then(|| format!("{class}[{at}] is {got:?}, want {want:?}"))
        });
        found.map_or(Ok(()), |text| Err((class.to_string(), text)))
    };
    differs("sums", &|k| kernel.tallies[k].1, &got.sums, &want.tallies)?;
    let wide = |v: &[i64]| v.iter().map(|v| Value::Int(i128::from(*v))).collect::<Vec<_>>();
    differs("out", &|_| Ty::I64, &got.out, &wide(&want.ints))?;
    let floats: Vec<Value> = want.floats.iter().map(|v| Value::F64(*v)).collect();
    differs("fout", &|_| Ty::F64, &got.fout, &floats)?;
    let own: Vec<i64> = want.own.iter().map(|v| i64::from(*v)).collect();
    differs("own", &|_| Ty::I32, &got.own, &wide(&own))?;
    let marks: Vec<i64> = want.marks.iter().map(|v| i64::from(*v)).collect();
    differs("marks", &|_| Ty::I32, &got.marks, &wide(&marks))?;
    if options.races && want.races && got.remarks == 0 {
        return Err(("no remark".into(), "threads test a word that others store".into()));
    }
    if kernel.boards == 0 && got.remarks > 0 {
        return Err(("remark".into(), "no thread tests a word that others store".into()));
    }
    for ((a, want), got) in want.arrays.iter().zip(&got.arrays) {
        differs(&format!("g{a}"), &|_| kernel.arrays[*a], got, want)?;
    }
    Ok(())
}

/// The buffers after the launch.
struct Outputs {
    sums: Vec<u8>,
    out: Vec<u8>,
    fout: Vec<u8>,
    own: Vec<u8>,
    marks: Vec<u8>,
    /// Races that make no difference.
    remarks: usize,
    arrays: Vec<Vec<u8>>,
}

fn run_text(kernel: &Kernel, text: &str, options: &ExecOptions) -> Result<Outputs, Failure> {
    let compile = CompileOptions { file: "fuzz.cu".into(), ..CompileOptions::default() };
    let program = Program::compile(text, &compile)
        .map_err(|e| (format!("compile: {}", e.diagnostics[0].message), e.to_string()))?;
    let memory = Memory::new(1 << 26);
    let instance = Instance::load(&program, &memory).expect("room for the table");
    let (ints, floats) = inputs();
    let threads = kernel.threads() * kernel.blocks();
    let fill = |name: &str, bytes: Vec<u8>| {
        let base = memory.alloc(bytes.len() as u64, name).expect("room");
        memory.write(base, &bytes).expect("fresh allocation");
        base
    };
    let start = Value::Int(i128::from(interpret::TALLY_START));
    let sums = kernel.tallies.iter().flat_map(|(_, ty)| {
        let mut bytes = start.bytes(*ty);
        bytes.resize(8, 0);
        bytes
    });
    let sums = fill("sums", sums.collect());
    let out = fill("out", vec![0; threads * 64]);
    let fout = fill("fout", vec![0; threads * 64]);
    let own = fill("own", vec![0; threads * 4]);
    let marks = fill("marks", vec![0; kernel.boards.max(1) * 64]);
    let (_, carried) = kernel.carried.layout(&kernel.structs);
    let home = memory.alloc((carried * threads) as u64, "home").expect("room");
    let int_in = fill("in", le(&ints, i32::to_le_bytes));
    let float_in = fill("fin", le(&floats, f32::to_le_bytes));
    let pointers = [int_in, float_in, sums, out, fout, own, marks, home];
    let mut args: Vec<Vec<u8>> = pointers.iter().map(|p| p.to_le_bytes().to_vec()).collect();
    args.push(given_bytes(kernel));
    args.extend([kernel.parameter, kernel.level()].map(|v| v.to_le_bytes().to_vec()));
    let arrays: Vec<(u64, usize)> = kernel
        .in_place(Place::Global)
        .into_iter()
        .map(|a| {
            let bytes = kernel.arrays[a].size() * 8 * threads;
            (fill(&format!("g{a}"), vec![0; bytes]), bytes)
        })
        .collect();
    args.extend(arrays.iter().map(|(base, _)| base.to_le_bytes().to_vec()));
    let [bx, by] = kernel.block;
    let [gx, gy] = kernel.grid;
    let dynamic_shared =
        if kernel.dynamic { (kernel.shared[1].size() * kernel.threads()) as u32 } else { 0 };
    let launch =
        Launch { grid: [gx, gy, 1], block: [bx, by, 1], dynamic_shared, args, ..Launch::default() };
    let device = simt::device::model("h200").expect("a model");
    let report = simt::launch(device, &memory, &instance, "fuzz", &launch, options)
        .map_err(|fault| (format!("fault {}", fault.kind.code()), fault.render()))?;
    let read = |base: u64, size: usize| {
        let mut bytes = vec![0; size];
        memory.read(base, &mut bytes).expect("own buffer");
        bytes
    };
    Ok(Outputs {
        sums: read(sums, kernel.tallies.len() * 8),
        out: read(out, threads * 64),
        fout: read(fout, threads * 64),
        own: read(own, threads * 4),
        marks: read(marks, kernel.boards * 64),
        remarks: report.harmless_races.len(),
        arrays: arrays.into_iter().map(|(base, bytes)| read(base, bytes)).collect(),
    })
}

/// The bytes of the parameter that is an object.
fn given_bytes(kernel: &Kernel) -> Vec<u8> {
    let (offsets, size) = kernel.given.layout(&kernel.structs);
    let fields = kernel.given.fields(&kernel.structs);
    let mut bytes = vec![0; size];
    for ((value, ty), at) in interpret::given(kernel).into_iter().zip(fields).zip(offsets) {
        bytes[at..at + ty.size()].copy_from_slice(&value.bytes(ty));
    }
    bytes
}

/// The smallest kernel found that fails in the same way.
fn shrunk(kernel: Kernel, class: &str, options: &ExecOptions) -> Kernel {
    let mut best = kernel;
    let mut tries = 0;
    'again: loop {
        for smaller in shrink::smaller(&best) {
            tries += 1;
            if tries > MAX_TRIES {
                return best;
            }
            if try_kernel(&smaller, options).is_err_and(|(c, _)| c == class) {
                best = smaller;
                continue 'again;
            }
        }
        return best;
    }
}

#[test]
fn random_kernels_do_what_a_scalar_interpreter_does() {
    kept::once!();
    repeat("random_kernels", 1000, |seed, core| {
        let kernel = generate::kernel(seed);
        let options = ExecOptions {
            races: seed % 4 != 0,
            uninit: seed % 4 != 1,
            threads: Some(1 + (seed % 3) as usize),
            ..ExecOptions::default()
        };
        keep(&format!("fuzz-last-kernel-{core}.cu"), &kernel.text());
        let (kernel, options, result) = watched(&format!("kernel of seed {seed}"), move || {
            let result = try_kernel(&kernel, &options);
            (kernel, options, result)
        });
        let Err((class, details)) = result else { return Ok(()) };
        let small = shrunk(kernel, &class, &options);
        let details = try_kernel(&small, &options).err().map_or(details, |(_, d)| d);
        let path = keep(&format!("fuzz-{seed}.cu"), &small.text());
        Err(format!(
            "seed {seed}: {class}\n{details}\n{}<<<{:?}, {:?}>>>(parameter {})\nin {}",
            small.text(),
            small.grid,
            small.block,
            small.parameter,
            path.display()
        ))
    });
}

#[test]
fn damaged_sources_end_with_a_message() {
    kept::once!(Case::corpus_dir().join(".."));
    let folders = ["", "faulty", "regressions", "language", "world", "opencl", "opencl/faulty"];
    let cases: Vec<Case> = folders
        .iter()
        .flat_map(|f| match *f {
            "" | "faulty" => Case::folder(&Case::corpus_dir().join(f)),
            f => Case::folder(&Case::corpus_dir().join("..").join(f)),
        })
        .flatten()
        .collect();
    repeat("damaged_sources", 2500, |seed, core| {
        let mut r = Random(seed);
        let (mut case, other) = (cases[r.below(cases.len())].clone(), r.below(cases.len()));
        case.text = mutate::mutate(&mut r, &case.text, &cases[other].text);
        let path = keep(&format!("fuzz-last-source-{core}.cu"), &case.text);
        let survived = watched(&format!("seed {seed} in {}", path.display()), move || {
            catch_unwind(AssertUnwindSafe(|| {
                let Ok(program) = case.compile() else { return };
                let options = ExecOptions {
                    step_limit: 1 << 13,
                    threads: Some(2),
                    printf_limit: 1 << 16,
                    ..ExecOptions::default()
                };
                // what the kernel does is its own affair; it must come to an end
                let _ = execute(&case, &program, &options);
            }))
            .is_ok()
        });
        if !survived {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let kept = keep(&format!("fuzz-source-{seed}.cu"), &text);
            return Err(format!("seed {seed}: a panic; the source is {}", kept.display()));
        }
        Ok(())
    });
}
