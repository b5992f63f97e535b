//! Programs that try to exhaust the machine: each must end with a result or an error, in bounded
//! time and memory.

use std::fmt::Write;
use std::sync::mpsc;
use std::time::Duration;

use simt::fault::FaultKind;
use simt::report::LaunchReport;
use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, MemoryError, Program};

/// What `work` returns; a hang becomes a failure.
fn within_minutes<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = send.send(work());
    });
    receive.recv_timeout(Duration::from_secs(240)).expect("comes to an end")
}

fn compile(text: &str) -> Result<Program, String> {
    let text = text.to_string();
    within_minutes(move || {
        let options = CompileOptions { file: "k.cu".into(), ..CompileOptions::default() };
        Program::compile(&text, &options).map_err(|e| e.to_string())
    })
}

fn refused(text: &str) -> String {
    match compile(text) {
        Ok(_) => panic!("compiled"),
        Err(message) => {
            assert!(message.contains("k.cu:"), "no place in: {message}");
            assert!(message.len() < 100_000, "a message of {} bytes", message.len());
            message
        }
    }
}

/// Runs the kernel `k` of `text`, whose only parameter is a pointer to 1024 ints.
fn run(text: &str, grid: u32, block: u32, options: ExecOptions) -> Result<LaunchReport, FaultKind> {
    let program = compile(text).unwrap_or_else(|e| panic!("{e}"));
    within_minutes(move || {
        let memory = Memory::new(1 << 26);
        let instance = Instance::load(&program, &memory).expect("room");
        let base = memory.alloc(4096, "x").expect("room");
        memory.write(base, &[0; 4096]).expect("own buffer");
        let launch = Launch {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: 0,
            args: vec![base.to_le_bytes().to_vec()],
            ..Launch::default()
        };
        let device = simt::device::model("h200").expect("a model");
        simt::launch(device, &memory, &instance, "k", &launch, &options).map_err(|f| f.kind)
    })
}

fn kernel(body: &str) -> String {
    format!("extern \"C\" __global__ void k(int *x)\n{{\n{body}\n}}\n")
}

#[test]
fn a_loop_without_end_is_stopped() {
    for body in [
        "while (true) ;",
        "for (;;) x[threadIdx.x] = 1;",
        "do { x[threadIdx.x]++; } while (x[threadIdx.x] > 0);",
    ] {
        let options = ExecOptions { step_limit: 1 << 20, ..ExecOptions::default() };
        assert_eq!(run(&kernel(body), 1, 32, options).unwrap_err(), FaultKind::StepLimit, "{body}");
    }
}

#[test]
fn a_lock_that_is_never_free_is_stopped() {
    let body = "while (atomicCAS(x, 0, 1) != 0) ;\nx[1] += 1;";
    let options = ExecOptions { step_limit: 1 << 20, ..ExecOptions::default() };
    assert_eq!(run(&kernel(body), 4, 64, options).unwrap_err(), FaultKind::StepLimit);
}

#[test]
fn a_hundred_gigabytes_are_not_there() {
    let memory = Memory::new(1 << 30);
    for bytes in [100 << 30, u64::MAX, u64::MAX - 511, 1 << 63] {
        assert!(matches!(memory.alloc(bytes, "big"), Err(MemoryError::OutOfMemory { .. })));
    }
    // a large device hands out addresses, but the host pays only for what is touched
    let memory = Memory::new(141 << 30);
    if let Ok(base) = memory.alloc(100 << 30, "big") {
        memory.write(base + (99 << 30), &[1, 2, 3]).expect("inside");
        memory.free(base).expect("allocated");
    }
}

#[test]
fn arrays_beyond_every_limit_are_refused() {
    for declaration in [
        "__shared__ int s[1 << 20];",
        "__shared__ int s[1 << 30];",
        "__shared__ double s[4294967295u][4294967295u];",
        "int s[1 << 28];",
        "int s[2147483647][2147483647][2147483647];",
    ] {
        let text = kernel(&format!("{declaration}\ns[threadIdx.x] = 1;\nx[0] = s[0] != 0;"));
        // refused by the compiler or at the launch, but not tried
        if compile(&text).is_ok() {
            let fault = run(&text, 1, 32, ExecOptions::default()).unwrap_err();
            assert!(matches!(fault, FaultKind::BadLaunch | FaultKind::OutOfMemory), "{fault:?}");
        }
    }
    let global = "__device__ int big[1 << 30][1 << 10];\n".to_string() + &kernel("big[1][1] = 1;");
    if let Ok(program) = compile(&global) {
        assert!(Instance::load(&program, &Memory::new(1 << 30)).is_err());
    }
}

#[test]
fn deep_nesting_is_refused_or_compiled() {
    for n in [50, 1000, 100_000] {
        let bracket = kernel(&format!("x[0] = {}1{};", "(".repeat(n), ")".repeat(n)));
        let minus = kernel(&format!("x[0] = {}1;", "- ".repeat(n)));
        let stars = kernel(&format!("int {}p; x[0] = 1;", "*".repeat(n)));
        let blocks = kernel(&format!("{}x[0] = 1;{}", "{".repeat(n), "}".repeat(n)));
        let ifs = kernel(&format!("{}x[0] = 1;", "if (x[0] == 0) ".repeat(n)));
        let elses = kernel(&format!("{}x[0] = 1;", "if (x[0]) x[1] = 1; else ".repeat(n)));
        let sums = kernel(&format!("x[0] = 1{};", " + x[1]".repeat(n)));
        let choices = kernel(&format!("x[0] = {}3;", "x[1] ? 2 : ".repeat(n)));
        let assigned = kernel(&format!("{}1;", "x[0] = ".repeat(n)));
        let indices = kernel(&format!("x[{}0{}] = 1;", "x[".repeat(n), "]".repeat(n)));
        let shut = kernel(&format!("x{} = 1;", "[0]".repeat(n)));
        let scopes =
            format!("{}{}", "namespace a {".repeat(n), "}".repeat(n)) + &kernel("x[0] = 1;");
        let lambda =
            kernel(&format!("auto f = {}1{};", "[=]() { return ".repeat(n), "; }".repeat(n)));
        let templates = kernel(&format!("{}int{} v;", "A<".repeat(n), ">".repeat(n)));
        let all = [
            bracket, minus, stars, blocks, ifs, elses, sums, choices, assigned, indices, shut,
            scopes, lambda, templates,
        ];
        for (which, text) in all.iter().enumerate() {
            let result = compile(text);
            if n == 50 && ![2, 10, 12, 13].contains(&which) {
                assert!(result.is_ok(), "{which}: {}", result.err().unwrap_or_default());
            }
        }
    }
}

#[test]
fn long_programs_compile() {
    let mut body = String::new();
    for i in 0..3000 {
        let _ = writeln!(body, "x[{}] += {i} * x[{}];", i % 1024, (i * 7) % 1024);
    }
    assert!(compile(&kernel(&body)).is_ok());
}

#[test]
fn macro_bombs_are_refused() {
    let mut bomb = String::from("#define A0 1 + 1\n");
    for i in 1..40 {
        let _ = writeln!(bomb, "#define A{i} A{} + A{}", i - 1, i - 1);
    }
    refused(&(bomb + &kernel("x[0] = A39;")));
    let mut calls = String::from("#define F0(a) a a a a a a a a\n");
    for i in 1..20 {
        let _ = writeln!(calls, "#define F{i}(a) F{}(F{}(a))", i - 1, i - 1);
    }
    refused(&(calls + &kernel("x[0] = 0 F19(+ 1);")));
    let paste = "#define P(a, b) a##b\n#define Q(a) P(a, a)\n#define R(a) Q(Q(Q(Q(Q(Q(Q(a)))))))\n"
        .to_string()
        + &kernel("x[0] = R(R(R(R(xxxxxxxxxxxxxxxx))));");
    refused(&paste);
    // a macro that names itself is left alone
    assert!(
        compile(
            &("#define x x\n#define y z\n#define z y\n".to_string()
                + &kernel("int y = 1; x[0] = y;"))
        )
        .is_ok()
    );
}

#[test]
fn recursion_is_refused_or_stopped() {
    let templates = "template <int N> __device__ int f() { return f<N + 1>() + 1; }\n".to_string()
        + &kernel("x[0] = f<0>();");
    refused(&templates);
    let doubled = "template <int N, class T> struct B { B<N + 1, B<N, T>> b; };\n".to_string()
        + &kernel("B<0, int> b;");
    refused(&doubled);
    let twice = "template <int N> __device__ int g() { return g<N - 1>() + g<N - 1>(); }\n\
                 template <> __device__ int g<0>() { return 1; }\n"
        .to_string()
        + &kernel("x[0] = g<40>();");
    // instances are shared, but code that is copied into its caller grows twofold with each step
    if let Ok(program) = compile(&twice) {
        drop(program);
        let options = ExecOptions { step_limit: 1 << 18, ..ExecOptions::default() };
        assert_eq!(run(&twice, 1, 1, options).unwrap_err(), FaultKind::StepLimit);
    }
    let endless =
        "__device__ int h(int n) { return h(n + 1) + 1; }\n".to_string() + &kernel("x[0] = h(0);");
    // 1,000 calls deep, and twice as many calls with each level
    let options = || ExecOptions { step_limit: 1 << 18, ..ExecOptions::default() };
    assert_eq!(run(&endless, 1, 32, options()).unwrap_err(), FaultKind::StepLimit);
    let twice = "__device__ int h(int n) { return n ? h(n - 1) + h(n - 1) : 1; }\n".to_string()
        + &kernel("x[0] = h(40);");
    assert_eq!(run(&twice, 1, 1, options()).unwrap_err(), FaultKind::StepLimit);
    let unknown_bound = "__device__ constexpr int c(int n) { return n <= 0 ? 0 : c(n + 1) + 1; }\n"
        .to_string()
        + &kernel("int a[c(1)]; x[0] = 1;");
    refused(&unknown_bound);
}

#[test]
fn calls_that_multiply_are_refused_or_compiled() {
    let mut text = String::from("__device__ int f0(int v) { return v + 1; }\n");
    for i in 1..40 {
        let _ =
            writeln!(text, "__device__ int f{i}(int v) {{ return f{0}(v) + f{0}(v + 1); }}", i - 1);
    }
    text += &kernel("x[0] = f39(1);");
    // 2^39 calls: either the compiler says that the function is too large, or the step budget ends
    // it
    if compile(&text).is_ok() {
        let options = ExecOptions { step_limit: 1 << 18, ..ExecOptions::default() };
        assert_eq!(run(&text, 1, 1, options).unwrap_err(), FaultKind::StepLimit);
    }
}

#[test]
fn unrolling_is_bounded() {
    let body = "#pragma unroll\nfor (int i = 0; i < 100000; ++i)\n#pragma unroll\n\
                for (int j = 0; j < 100000; ++j)\nx[0] = i + j;";
    let options = ExecOptions { step_limit: 1 << 18, ..ExecOptions::default() };
    assert_eq!(run(&kernel(body), 1, 1, options).unwrap_err(), FaultKind::StepLimit);
}

#[test]
fn printing_without_end_is_cut() {
    let body =
        "for (int i = 0; i < 200000; ++i) printf(\"line %d of thread %d\\n\", i, threadIdx.x);";
    let options =
        ExecOptions { step_limit: 1 << 24, printf_limit: 1 << 16, ..ExecOptions::default() };
    let report = run(&kernel(body), 1, 2, options).expect("ends");
    assert!(report.printf.len() <= 1 << 16, "{}", report.printf.len());
    assert!(report.printf_lost > 390_000, "{} lost", report.printf_lost);
    let wide = kernel("printf(\"%2000000000d %*d\\n\", 1, 2000000000, 1);");
    if compile(&wide).is_ok()
        && let Ok(report) = run(&wide, 1, 1, ExecOptions::default())
    {
        assert!(report.printf.len() <= 1 << 20);
    }
}

#[test]
fn billions_of_empty_blocks_end() {
    let options = ExecOptions { step_limit: 1 << 22, ..ExecOptions::default() };
    let result = run(&kernel(""), 2_147_483_647, 1, options.clone());
    assert!(matches!(result, Ok(_) | Err(FaultKind::StepLimit)), "{result:?}");
    let result =
        run(&kernel("if (blockIdx.x == 5) x[threadIdx.x] = 1;"), 2_147_483_647, 1024, options);
    assert_eq!(result.unwrap_err(), FaultKind::StepLimit);
}

#[test]
fn launches_beyond_the_limits_are_refused() {
    let text = kernel("x[0] = 1;");
    for (grid, block) in [(0, 1), (1, 0), (1, 1025), (2_147_483_648, 1), (u32::MAX, u32::MAX)] {
        let fault = run(&text, grid, block, ExecOptions::default()).unwrap_err();
        assert_eq!(fault, FaultKind::BadLaunch, "<<<{grid}, {block}>>>");
    }
}

#[test]
fn arguments_of_the_wrong_size_are_refused() {
    let program = compile(&kernel("x[0] = 1;")).expect("valid");
    let memory = Memory::new(1 << 20);
    let instance = Instance::load(&program, &memory).expect("no variables");
    let device = simt::device::model("h200").expect("a model");
    let lists: [&[usize]; 5] = [&[], &[4], &[0], &[8, 8], &[1000]];
    for sizes in lists {
        let args = sizes.iter().map(|n| vec![0; *n]).collect();
        let launch =
            Launch { grid: [1; 3], block: [1; 3], dynamic_shared: 0, args, ..Launch::default() };
        let options = ExecOptions::default();
        let fault = simt::launch(device, &memory, &instance, "k", &launch, &options).unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadLaunch, "{sizes:?}");
        let fault = simt::launch(device, &memory, &instance, "no", &launch, &options).unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadLaunch);
    }
}

#[test]
fn odd_sources_are_refused_with_a_place() {
    for text in [
        "}",
        "{",
        "\"",
        "'",
        "/*",
        "#",
        "#include",
        "#include <no_such_header.h>",
        "#include \"../../etc/passwd\"",
        "#define",
        "#if",
        "#if 1 / 0\n#endif",
        "#else",
        "#endif",
        "#error stop",
        "\\",
        "é",
        "\u{feff}int",
        "__global__",
        "__global__ void",
        "template",
        "template <",
        "struct",
        "struct S {",
        "int a[",
        "int a[-1];",
        "enum E { A = 1 / 0 };",
        "__global__ void k(int x[1 / 0]) {}",
        "namespace {",
        "extern \"C\"",
        "extern \"D\" {}",
        "typedef",
        "using",
        "operator",
        "__global__ void k() { goto a; }",
        "__global__ void k() { asm(\"\"); }",
        "__global__ void k() { throw 1; }",
        "__global__ void k() { try { } catch (...) { } }",
        "__global__ void k() { int *p = new int; }",
        "int x = x;;;;(",
        "#include \"k.cu\"",
        "#define A(\n",
        "#define A(x,x) 1\n",
        "#line 5",
        "0x",
        "1e",
        "08",
        "'ab",
        "\"\\",
        "u8\"x",
    ] {
        let result = compile(&format!("{text}\n__global__ void last(int *x) {{ x[0] = 1; }}\n"));
        if let Err(message) = result {
            assert!(message.contains("error: "), "{text}: {message}");
        }
    }
}
