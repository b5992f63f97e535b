//! Fuzzing: random kernels against a scalar interpreter, and damaged sources that must end with a message.
//!
//! `SIMT_FUZZ_SECONDS` says how long each of the two runs (3 s by default), `SIMT_FUZZ_SEED` where it begins (1). A failure
//! names its seed and leaves the source in the folder for temporary files of the build; what was found and mended is kept in
//! `tests/regressions`.

#[path = "../support/mod.rs"]
mod support;

mod generate;
mod interpret;
mod mutate;
mod random;
mod shrink;
mod tree;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use random::Random;
use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, Program};
use support::case::{Case, execute};
use tree::Kernel;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn keep(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("folder for temporary files");
    path
}

/// Runs `work` on a thread of its own and waits for it: a hang becomes a failure that names its source.
fn watched<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = send.send(work());
    });
    receive.recv_timeout(Duration::from_secs(300)).unwrap_or_else(|_| panic!("{what} hangs"))
}

/// How a kernel failed: a class to compare by, and the details.
type Failure = (String, String);

/// Calls `step` with one seed after the other until the time is over.
fn repeat(mut step: impl FnMut(u64)) {
    let begin = Instant::now();
    let limit = Duration::from_secs(number("SIMT_FUZZ_SECONDS", 3));
    let mut seed = number("SIMT_FUZZ_SEED", 1);
    let mut count = 0u64;
    while begin.elapsed() < limit {
        step(seed);
        seed = seed.wrapping_add(1);
        count += 1;
    }
    println!("{count} cases in {} s", begin.elapsed().as_secs());
    assert!(count > 0);
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
    let (sums, ints, floats) = match outcome {
        Ok(result) => result?,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            return Err(("panic".into(), text.unwrap_or_default()));
        }
    };
    let (in_ints, in_floats) = inputs();
    let want = interpret::run(kernel, &in_ints, &in_floats);
    if sums != want.sums {
        return Err(("sums".into(), format!("sums {sums:?}, want {:?}", want.sums)));
    }
    for (at, (got, want)) in ints.iter().zip(&want.ints).enumerate() {
        if got != want {
            let text = format!("thread {}, out {}: {got}, want {want}", at / 8, at % 8);
            return Err(("ints".into(), text));
        }
    }
    for (at, (got, want)) in floats.iter().zip(&want.floats).enumerate() {
        let equal = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
        if !equal {
            let text = format!("thread {}, fout {}: {got:?}, want {want:?}", at / 8, at % 8);
            return Err(("floats".into(), text));
        }
    }
    Ok(())
}

type Outputs = ([i32; 4], Vec<i64>, Vec<f64>);

fn run_text(kernel: &Kernel, text: &str, options: &ExecOptions) -> Result<Outputs, Failure> {
    let compile = CompileOptions { file: "fuzz.cu".into(), ..CompileOptions::default() };
    let program = Program::compile(text, &compile)
        .map_err(|e| (format!("compile: {}", e.diagnostics[0].message), e.to_string()))?;
    let memory = Memory::new(1 << 26);
    let instance = Instance::load(&program, &memory).expect("no globals");
    let (ints, floats) = inputs();
    let threads = (kernel.block * kernel.grid) as usize;
    let fill = |name: &str, bytes: Vec<u8>| {
        let base = memory.alloc(bytes.len() as u64, name).expect("room");
        memory.write(base, &bytes).expect("fresh allocation");
        base
    };
    let int_in = fill("in", le(&ints, i32::to_le_bytes));
    let float_in = fill("fin", le(&floats, f32::to_le_bytes));
    let sums = fill("sums", vec![0; 16]);
    let out = fill("out", vec![0; threads * 64]);
    let fout = fill("fout", vec![0; threads * 64]);
    let pointers = [int_in, float_in, sums, out, fout];
    let mut args: Vec<Vec<u8>> = pointers.iter().map(|p| p.to_le_bytes().to_vec()).collect();
    args.push(kernel.parameter.to_le_bytes().to_vec());
    let launch =
        Launch { grid: [kernel.grid, 1, 1], block: [kernel.block, 1, 1], dynamic_shared: 0, args };
    let device = simt::device::model("h200").expect("a model");
    simt::launch(device, &memory, &instance, "fuzz", &launch, options)
        .map_err(|fault| (format!("fault {}", fault.kind.code()), fault.render()))?;
    let read = |base: u64, size: usize| {
        let mut bytes = vec![0; size];
        memory.read(base, &mut bytes).expect("own buffer");
        bytes
    };
    let sums = read(sums, 16);
    let words = |bytes: Vec<u8>| -> Vec<[u8; 8]> {
        bytes.chunks_exact(8).map(|c| c.try_into().expect("8 bytes")).collect()
    };
    Ok((
        std::array::from_fn(|k| i32::from_le_bytes(sums[4 * k..4 * k + 4].try_into().expect("4"))),
        words(read(out, threads * 64)).into_iter().map(i64::from_le_bytes).collect(),
        words(read(fout, threads * 64)).into_iter().map(f64::from_le_bytes).collect(),
    ))
}

/// The smallest kernel found that fails in the same way.
fn shrunk(kernel: Kernel, class: &str, options: &ExecOptions) -> Kernel {
    let mut best = kernel;
    let deadline = Instant::now() + Duration::from_secs(60);
    'again: while Instant::now() < deadline {
        for smaller in shrink::smaller(&best) {
            if try_kernel(&smaller, options).is_err_and(|(c, _)| c == class) {
                best = smaller;
                continue 'again;
            }
        }
        break;
    }
    best
}

#[test]
fn random_kernels_do_what_a_scalar_interpreter_does() {
    repeat(|seed| {
        let kernel = generate::kernel(seed);
        let options = ExecOptions {
            races: seed % 4 != 0,
            uninit: seed % 4 != 1,
            threads: Some(1 + (seed % 3) as usize),
            ..ExecOptions::default()
        };
        keep("fuzz-last-kernel.cu", &kernel.text());
        let (kernel, options, result) = watched(&format!("kernel of seed {seed}"), move || {
            let result = try_kernel(&kernel, &options);
            (kernel, options, result)
        });
        let Err((class, details)) = result else { return };
        let small = shrunk(kernel, &class, &options);
        let details = try_kernel(&small, &options).err().map_or(details, |(_, d)| d);
        let path = keep(&format!("fuzz-{seed}.cu"), &small.text());
        panic!(
            "seed {seed}: {class}\n{details}\n{}<<<{}, {}>>>(parameter {})\nin {}",
            small.text(),
            small.grid,
            small.block,
            small.parameter,
            path.display()
        );
    });
}

#[test]
fn damaged_sources_end_with_a_message() {
    let folders = ["", "faulty", "regressions"];
    let cases: Vec<Case> = folders
        .iter()
        .flat_map(|f| match *f {
            "regressions" => Case::folder(&Case::corpus_dir().join("../regressions")),
            f => Case::folder(&Case::corpus_dir().join(f)),
        })
        .flatten()
        .collect();
    repeat(|seed| {
        let mut r = Random(seed);
        let (mut case, other) = (cases[r.below(cases.len())].clone(), r.below(cases.len()));
        case.text = mutate::mutate(&mut r, &case.text, &cases[other].text);
        let path = keep("fuzz-last-source.cu", &case.text);
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
            panic!("seed {seed}: a panic; the source is {}", kept.display());
        }
    });
}
