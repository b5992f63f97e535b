//! Kernels from source text to results and counts.

use crate::support::bench::Arg::{self, F, I, P};
use crate::support::bench::Bench;
use simt::device::model;
use simt::fault::FaultKind;
use simt::predict::Bound;
use simt::report::LaunchReport;
use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, Program};

const VECADD: &str = r#"
extern "C" __global__ void add(float *c, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
"#;

#[test]
fn vector_add() {
    let t = Bench::new(VECADD);
    let n = 2000;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let y: Vec<f32> = x.iter().map(|v| v * 0.25).collect();
    let (a, b, c) = (t.buffer("a", &x), t.buffer("b", &y), t.empty::<f32>("c", n));
    let r = t.run("add", 8, 256, &[P(c), P(a), P(b), I(n as i32)]).unwrap();
    let z: Vec<f32> = t.read(c, n);
    assert!((0..n).all(|i| z[i] == x[i] + y[i]));
    assert_eq!((r.total.gld_req, r.total.gld_sec, r.total.gld_lane), (126, 500, 4000));
    assert_eq!((r.total.gst_req, r.total.gst_sec), (63, 250));
    assert_eq!(r.total.flop, 2000);
    assert_eq!((r.total.br_exec, r.total.br_div), (64, 1));
}

#[test]
fn the_unguarded_vector_add_runs_out_of_bounds_in_48_threads() {
    let t = Bench::new(&VECADD.replace("if (i < n)", ""));
    let x = vec![1f32; 2000];
    let (a, b, c) = (t.buffer("x", &x), t.buffer("y", &x), t.empty::<f32>("z", 2000));
    let f = t.run("add", 8, 256, &[P(c), P(a), P(b), I(2000)]).unwrap_err();
    assert_eq!(f.kind, FaultKind::OutOfBoundsGlobal);
    assert_eq!(
        f.message,
        "thread (208,0,0) of block (7,0,0) reads a[2000], but a has 2000 elements"
    );
    assert_eq!(f.threads, 48);
}

/// The search for races tells 2^21 - 1 pairs of block and barrier interval apart.
#[test]
fn a_launch_too_large_for_the_search_for_races_says_so() {
    let t = Bench::new(
        "extern \"C\" __global__ void touch(int *x, int turns) {
    for (int i = 0; i < turns; i++) {
        if (x[blockIdx.x] < 0) return;
        __syncthreads();
    }
}",
    );
    let x = t.buffer("x", &[0i32; 4]);
    let report = t.run("touch", 4, 1, &[P(x), I(1 << 18)]).unwrap();
    assert!(!report.races_given_up);
    let report = t.run("touch", 4, 1, &[P(x), I((1 << 19) + 1)]).unwrap();
    assert!(report.races_given_up);
}

#[test]
fn tiled_matrix_product() {
    let t = Bench::new(
        r#"
#define T 16
extern "C" __global__ void mm(float *c, const float *a, const float *b, int n) {
    __shared__ float as[T][T];
    __shared__ float bs[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / T; ++t) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t * T + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; ++k)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
"#,
    );
    let n = 64usize;
    let x: Vec<f32> = (0..n * n).map(|i| (i % 13) as f32).collect();
    let y: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 - 3.0).collect();
    let (a, b, c) = (t.buffer("a", &x), t.buffer("b", &y), t.empty::<f32>("c", n * n));
    let r = t.run3("mm", [4, 4, 1], [16, 16, 1], 0, &[P(c), P(a), P(b), I(n as i32)]).unwrap();
    let z: Vec<f32> = t.read(c, n * n);
    for i in 0..n {
        for j in 0..n {
            let want: f32 = (0..n).map(|k| x[i * n + k] * y[k * n + j]).sum();
            assert_eq!(z[i * n + j], want, "{i} {j}");
        }
    }
    assert_eq!(r.total.flop, 2 * (n * n * n) as u64);
    assert_eq!(r.total.bar, 16 * 8);
}

#[test]
fn block_reduction_with_shuffles() {
    let t = Bench::new(
        r#"
extern "C" __global__ void sum(const float *x, float *out, int n) {
    __shared__ float part[32];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d);
        if (threadIdx.x == 0)
            atomicAdd(out, v);
    }
}
"#,
    );
    let n = 10_000;
    let x: Vec<f32> = (0..n).map(|i| (i % 10) as f32).collect();
    let (a, out) = (t.buffer("x", &x), t.buffer("out", &[0f32]));
    t.run("sum", 4, 256, &[P(a), P(out), I(n)]).unwrap();
    assert_eq!(t.read::<f32>(out, 1)[0], x.iter().sum::<f32>());
}

#[test]
fn loops_breaks_and_functions() {
    let t = Bench::new(
        r#"
__device__ int collatz(int x) {
    int steps = 0;
    while (true) {
        if (x == 1) return steps;
        if (x % 2) { x = 3 * x + 1; ++steps; continue; }
        x /= 2;
        ++steps;
        if (steps > 1000) break;
    }
    return -1;
}
__device__ void swap(int &a, int &b) { int t = a; a = b; b = t; }
extern "C" __global__ void k(int *out, float f) {
    int i = threadIdx.x;
    int a = i, b = 7;
    if (i & 1) swap(a, b);
    int local[8];
    for (int j = 0; j < 8; ++j) local[j] = j * i;
    int s = 0;
    switch (i % 4) {
        case 0: s = 10;
        case 1: s += 1; break;
        case 2: s = 5; break;
        default: s = -1;
    }
    out[i] = collatz(i + 1) * 1000 + a * 10 + local[i % 8] + s * 100000 + (int)f;
}
"#,
    );
    let out = t.empty::<i32>("out", 64);
    t.run("k", 1, 64, &[P(out), F(2.9)]).unwrap();
    let got: Vec<i32> = t.read(out, 64);
    for i in 0..64i32 {
        let (mut x, mut steps) = (i + 1, 0);
        while x != 1 {
            x = if x % 2 == 1 { 3 * x + 1 } else { x / 2 };
            steps += 1;
        }
        let a = if i & 1 == 1 { 7 } else { i };
        let s = [11, 1, 5, -1][(i % 4) as usize];
        assert_eq!(got[i as usize], steps * 1000 + a * 10 + (i % 8) * i + s * 100_000 + 2, "{i}");
    }
}

/// The tiled FIR of lab 2, with the tap loop rolled or not.
fn fir(unroll: &str) -> (LaunchReport, u64) {
    let text = format!(
        r#"
#define N 1024
#define K 128
__constant__ float h[N + 1];
extern "C" __global__ void fir(float *out, const float *x, int len) {{
    __shared__ float y[N + K];
    int t = threadIdx.x, base = blockIdx.x * K;
    for (int j = t; j < N + K; j += K) {{
        int p = base + j - N;
        y[j] = p >= 0 && p < len ? x[p] : 0.0f;
    }}
    __syncthreads();
    float sum = 0;
    {unroll}
    for (int k = 0; k <= N; ++k)
        sum += h[k] * y[N + t - k];
    out[base + t] = sum;
}}
"#
    );
    let t = Bench::new(&text);
    let x: Vec<f32> = (0..512).map(|i| ((i * 7) % 11) as f32).collect();
    let taps: Vec<f32> = (0..1025).map(|i| ((i * 3) % 5) as f32).collect();
    let (h, _) = t.instance.global("h").unwrap();
    t.memory.write(h, bytemuck::cast_slice(&taps)).unwrap();
    let (a, out) = (t.buffer("x", &x), t.empty::<f32>("out", 512));
    let r = t.run("fir", 4, 128, &[P(out), P(a), I(512)]).unwrap();
    let got: Vec<f32> = t.read(out, 512);
    for i in 0..512usize {
        let want: f32 = (0..=i.min(1024)).map(|k| taps[k] * x[i - k]).sum();
        assert_eq!(got[i], want, "{i}");
    }
    let line = text.lines().position(|l| l.contains("for (int k = 0")).unwrap() as u32 + 1;
    let tests = r.lines.iter().filter(|l| l.at.line == line).map(|l| l.counters.br_exec).sum();
    (r, tests)
}

#[test]
fn an_unrolled_loop_has_no_tests_and_no_address_arithmetic() {
    let (rolled, tests) = fir("");
    assert_eq!(tests, 16 * 1026);
    let (unrolled, tests) = fir("#pragma unroll");
    assert_eq!(tests, 0);
    let (a, b) = (unrolled.total, rolled.total);
    assert!(a.inst as f64 <= 0.6 * b.inst as f64, "{} {}", a.inst, b.inst);
    assert_eq!(
        (a.flop, a.cld_req, a.shld_req, a.shld_wf),
        (b.flop, b.cld_req, b.shld_req, b.shld_wf)
    );
    assert_eq!(a.shld_req, 16 * 1025);
    assert_eq!(a.cld_ser, 0);
}

#[test]
fn contraction_fuses_only_when_asked_for() {
    let text = "extern \"C\" __global__ void k(float *o, float a, float b, float c) { \
                o[0] = a * b + c; o[1] = c - a * b; float s = c; s += a * b; o[2] = s; \
                o[3] = __fmul_rn(a, b) + c; }";
    let (a, b, c) = (1.000_000_1f32, 1.000_000_3f32, -1.000_000_4f32);
    for contract in [false, true] {
        let options = CompileOptions { file: "k.cu".into(), contract, ..CompileOptions::default() };
        let t = Bench::with(text, &options);
        let o = t.empty::<f32>("o", 4);
        let r = t.run("k", 1, 1, &[P(o), F(a), F(b), F(c)]).unwrap();
        let got: Vec<f32> = t.read(o, 4);
        let want = match contract {
            false => [a * b + c, c - a * b, a * b + c, a * b + c],
            true => [a.mul_add(b, c), (-a).mul_add(b, c), a.mul_add(b, c), a * b + c],
        };
        assert_eq!(got, want);
        assert_eq!(r.total.flop, 8);
    }
}

/// Notes `i`, `n` and `c[i]` of thread 3 at each statement of line 6.
struct Watcher {
    seen: Vec<(u32, u32, String, String)>,
}

impl simt::exec::debug::Debugger for Watcher {
    fn statement(&mut self, at: &simt::exec::debug::Stopped<'_>) -> simt::exec::debug::Action {
        if at.location().line == 6 {
            let value = |name: &str| {
                let (id, _) = at.variables().find(|(_, l)| l.name == name).unwrap();
                at.variable(id, 3).unwrap().to_string()
            };
            let place = value("c").trim_start_matches("0x").to_owned();
            let c = u64::from_str_radix(&place, 16).unwrap();
            let byte = at.read(c + 12, 1, 3).unwrap()[0];
            let state = format!("{} {:?}", value("i"), byte);
            self.seen.push((at.warp(), at.mask(), value("n"), state));
        }
        simt::exec::debug::Action::Go
    }
}

#[test]
fn a_debugger_sees_variables_masks_and_memory() {
    let text =
        VECADD.replace("        c[i]", "    {\n        c[i]").replace("b[i];\n", "b[i];\n    }\n");
    let options = CompileOptions { file: "k.cu".into(), ..CompileOptions::default() };
    let program = Program::compile(&text, &options).unwrap().debug_build().unwrap();
    let memory = Memory::new(1 << 30);
    let instance = Instance::load(&program, &memory).unwrap();
    let t = Bench { memory, instance, options: ExecOptions::default() };
    let x = vec![1f32; 40];
    let (a, b, c) = (t.buffer("a", &x), t.buffer("b", &x), t.empty::<f32>("c", 40));
    let args: Vec<Vec<u8>> = [P(c), P(a), P(b), I(40)].iter().map(Arg::bytes).collect();
    let shape =
        Launch { grid: [1, 1, 1], block: [64, 1, 1], dynamic_shared: 0, args, ..Launch::default() };
    let mut watcher = Watcher { seen: Vec::new() };
    let device = model("h200").unwrap();
    let r =
        simt::launch_debug(device, &t.memory, &t.instance, "add", &shape, &t.options, &mut watcher);
    r.unwrap();
    let want = [
        (0, u32::MAX, "40".to_string(), "3 None".to_string()),
        (1, 0xff, "40".to_string(), "35 Some(0)".to_string()),
    ];
    assert_eq!(watcher.seen, want);
    assert_eq!(t.read::<f32>(c, 40), vec![2f32; 40]);
}

#[test]
fn a_launch_that_the_driver_would_refuse_is_refused_with_the_parameter() {
    let t = Bench::new(VECADD);
    let refuse = |grid, block, shared, args: &[Arg]| {
        let fault = t.run3("add", grid, block, shared, args).unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadLaunch);
        fault.message
    };
    let good = [P(0), P(0), P(0), I(1)];
    assert!(refuse([0, 1, 1], [32, 1, 1], 0, &good).contains("grid of size 0 in x"));
    assert!(refuse([1, 1, 1], [32, 0, 1], 0, &good).contains("block of size 0 in y"));
    assert!(refuse([1, 1, 1], [2000, 1, 1], 0, &good).contains("at most 1024"));
    assert!(refuse([1, 1, 1], [64, 32, 1], 0, &good).contains("2048 threads"));
    assert!(refuse([1, 70_000, 1], [32, 1, 1], 0, &good).contains("70000 blocks in y"));
    assert!(refuse([1, 1, 1], [32, 1, 1], 1 << 20, &good).contains("1048576 bytes of shared"));
    assert!(refuse([1, 1, 1], [32, 1, 1], 0, &good[..3]).contains("4 parameters (c, a, b, n)"));
    let wide = [P(0), P(0), P(0), P(1)];
    assert!(refuse([1, 1, 1], [32, 1, 1], 0, &wide).contains("`n` is a `int` of 4 bytes, but 8"));
    assert!(t.run("sub", 1, 1, &good).unwrap_err().message.contains("no kernel `sub`"));
}

/// Counts of one launch of `body` as `k(float4 *v, float *x, int n)` with one warp.
fn counts(body: &str) -> simt::report::Counters {
    report(body).total
}

fn report(body: &str) -> LaunchReport {
    let text = format!(
        "struct Pair {{ float a; float b; }};\n\
         extern \"C\" __global__ void k(float4 *v, float *x, int n)\n{{\n{body}\n}}\n"
    );
    let t = Bench::new(&text);
    let v = t.buffer("v", &[1f32; 4096]);
    let x = t.buffer("x", &[1f32; 4096]);
    t.run("k", 1, 32, &[P(v), P(x), I(32)]).unwrap_or_else(|f| panic!("{}", f.render()))
}

#[test]
fn requests_and_sectors_are_those_of_the_source() {
    let c = counts("float4 a = v[threadIdx.x]; x[threadIdx.x] = a.x + a.w;");
    assert_eq!((c.gld_req, c.gld_sec, c.gld_bytes, c.gst_req, c.gst_sec), (1, 16, 512, 1, 4));
    let c = counts("x[threadIdx.x] = v[threadIdx.x].y;");
    assert_eq!((c.gld_req, c.gld_sec), (1, 16));
    let c = counts("Pair *p = (Pair *)x; Pair q = p[threadIdx.x]; x[2 * threadIdx.x] = q.b;");
    assert_eq!((c.gld_req, c.gld_sec, c.gst_sec), (2, 16, 8));
    let c = counts("x[threadIdx.x] += 1; x[threadIdx.x]++;");
    assert_eq!((c.gld_req, c.gst_req, c.flop), (2, 2, 64));
    let c = counts(
        "const float *p = x + threadIdx.x; float s = *p++; s += *p; x[threadIdx.x + 64] = s;",
    );
    assert_eq!((c.gld_req, c.gld_sec, c.gst_req), (2, 4 + 5, 1));
    let c = counts("x[threadIdx.x * 8 + 64] = x[0];");
    assert_eq!((c.gld_sec, c.gst_sec), (1, 32));
    let c = counts(
        "float f = x[threadIdx.x]; float g = x[threadIdx.x]; x[threadIdx.x + 32] = f * g + 2.0f;",
    );
    assert_eq!((c.gld_req, c.flop), (2, 64));
    let c = counts(
        "double *d = (double *)v; __shared__ double s[64]; s[threadIdx.x] = 1; __syncwarp(); \
         d[threadIdx.x] = s[threadIdx.x];",
    );
    assert_eq!((c.shst_req, c.shst_wf, c.shld_wf, c.gst_sec), (1, 2, 2, 8));
    let c = counts(
        "__shared__ float s[32][32]; s[threadIdx.x][0] = 1; __shared__ float t[32][33]; \
         t[threadIdx.x][0] = 1;",
    );
    assert_eq!((c.shst_req, c.shst_wf), (2, 33));
    // As an H200 counts: all lanes at one place take one wavefront for 8 bytes and two for 16,
    // neighbours that share the same.
    let c = counts(
        "__shared__ float4 s[32]; s[threadIdx.x] = v[threadIdx.x]; __syncwarp(); \
         float4 f = s[n % 32], g = s[threadIdx.x / 2]; float2 h = *(float2 *)&s[n % 8]; \
         x[threadIdx.x] = f.x + f.w + g.y + h.x;",
    );
    assert_eq!((c.shst_req, c.shst_wf, c.shld_req, c.shld_wf), (1, 4, 3, 2 + 2 + 1));
    let c = counts("float a[4]; a[n % 4] = 1; x[threadIdx.x] = a[n % 4];");
    assert_eq!((c.lst_req, c.lld_req), (1, 1));
    let c = counts(
        "float a[4];\n#pragma unroll\nfor (int i = 0; i < 4; ++i) a[i] = i;\n\
         x[threadIdx.x] = a[0] + a[3];",
    );
    assert_eq!((c.lst_req, c.lld_req, c.br_exec), (0, 0, 0));
}

#[test]
fn branches_are_counted_at_source_level() {
    let branches = |body: &str| {
        let c = counts(body);
        (c.br_exec, c.br_div)
    };
    assert_eq!(branches("if (threadIdx.x < 16) x[threadIdx.x] = 1;"), (1, 1));
    assert_eq!(branches("if (n > 16) x[threadIdx.x] = 1;"), (1, 0));
    assert_eq!(branches("for (int i = 0; i < 4; ++i) x[threadIdx.x] = i;"), (5, 0));
    assert_eq!(branches("if (n > 1 && threadIdx.x > 3) x[threadIdx.x] = 1;"), (2, 1));
    assert_eq!(branches("x[threadIdx.x] = threadIdx.x < 5 || n > 3 ? 1 : 2;"), (2, 1));
    assert_eq!(
        branches("switch (threadIdx.x % 3) { case 0: x[threadIdx.x] = 1; break; case 1: break; }"),
        (1, 1)
    );
    assert_eq!(branches("int i = 0; do { ++i; } while (i < 3); x[threadIdx.x] = i;"), (3, 0));
    assert_eq!(
        branches("for (int i = 0; i < (int)threadIdx.x; ++i) x[threadIdx.x] = i;"),
        (32, 31)
    );
}

#[test]
fn atomics_count_equal_addresses() {
    let c = counts("atomicAdd(&x[threadIdx.x % 4], 1.0f);");
    assert_eq!((c.atom_req, c.atom_lane, c.atom_ser), (1, 32, 7));
}

/// Milliseconds of one resource in the prediction of a launch of `body` with one warp.
fn part(body: &str, bound: Bound) -> f64 {
    let prediction = report(body).prediction;
    prediction.parts.iter().find(|p| p.bound == bound).map_or(0.0, |p| p.ms)
}

#[test]
fn predictions_know_double_precision_and_atomics() {
    let double = "double d = n; for (int i = 0; i < 9; ++i) d = d * 0.5 + 1; x[threadIdx.x] = d;";
    assert!(part(double, Bound::F64) > 0.0);
    assert_eq!(part(double, Bound::F32), 0.0);
    let single = "float d = n; for (int i = 0; i < 9; ++i) d = d * 0.5f + 1; x[threadIdx.x] = d;";
    assert_eq!(part(single, Bound::F64), 0.0);
    assert!(part(single, Bound::F32) > 0.0);
    let atomics = |at: &str| part(&format!("atomicMax((int *)x + {at}, n);"), Bound::Atomics);
    assert!(atomics("threadIdx.x % 2") > 2.0 * atomics("threadIdx.x"));
}

#[test]
fn the_clock_counts_instructions_of_the_block() {
    let t = Bench::new(
        "extern \"C\" __global__ void k(int *x) { long long a = clock64(); x[threadIdx.x] = 1; \
         x[threadIdx.x] += 2; long long b = clock64(); x[threadIdx.x] = (int)(b - a); }",
    );
    let x = t.empty::<i32>("x", 64);
    t.run("k", 1, 64, &[P(x)]).unwrap();
    let got: Vec<i32> = t.read(x, 64);
    assert!(got.iter().all(|d| *d == got[0] && *d > 3), "{got:?}");
}

#[test]
fn a_lane_that_breaks_out_of_an_unrolled_loop_keeps_its_counter() {
    for pragma in ["", "#pragma unroll", "#pragma unroll 4"] {
        let t = Bench::new(&format!(
            "extern \"C\" __global__ void k(int *x) {{ int i; int s = 0;\n{pragma}\n\
             for (i = 0; i < 8; ++i) {{ if (i == (int)threadIdx.x) break; if (i & 1) continue; \
             s += 10; }} x[threadIdx.x] = s + i; }}"
        ));
        let x = t.empty::<i32>("x", 32);
        t.run("k", 1, 32, &[P(x)]).unwrap();
        let want: Vec<i32> = (0..32).map(|t: i32| t.min(8) + (t.min(8) + 1) / 2 * 10).collect();
        assert_eq!(t.read::<i32>(x, 32), want, "{pragma}");
    }
}

#[test]
fn lanes_that_continue_do_not_use_what_they_skipped() {
    // Found by fuzzing: the result of `in + 1` was shared with lanes that had not computed it.
    let t = Bench::new(
        "extern \"C\" __global__ void k(int *x, int n) { int v = 0; for (int i = 0; i < 3; \
         ++i) { if ((threadIdx.x + i) % 2) continue; v += n * 7; } x[threadIdx.x] = v + n * 7; \
         int w = 0;\n#pragma unroll\n\
         for (int i = 0; i < 3; ++i) { if ((threadIdx.x + i) % 2) continue; w += n * 9; } \
         x[threadIdx.x] += w; }",
    );
    let x = t.empty::<i32>("x", 32);
    t.run("k", 1, 32, &[P(x), I(5)]).unwrap();
    let want: Vec<i32> = (0..32).map(|t| (2 - t % 2) * 35 + 35 + (2 - t % 2) * 45).collect();
    assert_eq!(t.read::<i32>(x, 32), want);
}

#[test]
fn unsigned_values_that_wrap_stay_small_when_widened() {
    let t = Bench::new(
        "extern \"C\" __global__ void k(double *x) { unsigned long long v = threadIdx.x - \
         !threadIdx.x + 10; x[threadIdx.x] = v; }",
    );
    let x = t.empty::<f64>("x", 2);
    t.run("k", 1, 2, &[P(x)]).unwrap();
    assert_eq!(t.read::<f64>(x, 2), [9.0, 11.0]);
}
