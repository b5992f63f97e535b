//! Thread instructions per second of four kernels, checks on and off: `cargo run --release -p simt --example speed`.

use std::time::Instant;

use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, Program, launch};

const SOURCE: &str = r#"
extern "C" __global__ void add(float *c, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void reduce(float *out, const float *x, const float *unused, int n) {
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
#define T 16
extern "C" __global__ void mm(float *c, const float *a, const float *b, int n) {
    __shared__ float as[T][T], bs[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / T; ++t) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t * T + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
__constant__ float h[1025];
extern "C" __global__ void fir(float *out, const float *x, const float *unused, int len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i < len) {
        for (int k = 0; k < 1025; ++k)
            if (i >= k) sum += h[k] * x[i - k];
        out[i] = sum;
    }
}
"#;

fn main() {
    let options = CompileOptions { file: "speed.cu".into(), ..CompileOptions::default() };
    let program = Program::compile(SOURCE, &options).unwrap_or_else(|e| panic!("{e}"));
    if std::env::args().any(|a| a == "--list") {
        print!("{}", simt::stages::ir(&program, "any"));
        return;
    }
    let device = simt::device::model("h200").expect("the model is there");
    let n = 1usize << 20;
    for (symbol, grid, block, n_arg) in [
        ("add", [4096, 1, 1], [256, 1, 1], n),
        ("reduce", [4096, 1, 1], [256, 1, 1], n),
        ("mm", [16, 16, 1], [16, 16, 1], 256),
        ("fir", [32, 1, 1], [256, 1, 1], 8192),
    ] {
        for checks in [false, true] {
            let mut best = f64::MAX;
            let mut work = 0;
            for _ in 0..4 {
                let memory = Memory::new(1 << 32);
                let instance = Instance::load(&program, &memory).expect("room");
                let data: Vec<u8> = (0..n).flat_map(|i| (i as f32 * 1e-3).to_le_bytes()).collect();
                let buffer = |name| memory.alloc(4 * n as u64, name).expect("room");
                let (c, a, b) = (buffer("c"), buffer("a"), buffer("b"));
                memory.write(a, &data).expect("inside");
                memory.write(b, &data).expect("inside");
                let args = vec![
                    c.to_le_bytes().to_vec(),
                    a.to_le_bytes().to_vec(),
                    b.to_le_bytes().to_vec(),
                    (n_arg as i32).to_le_bytes().to_vec(),
                ];
                let shape = Launch { grid, block, dynamic_shared: 0, args };
                let run = ExecOptions {
                    races: checks,
                    uninit: checks,
                    threads: Some(1),
                    ..ExecOptions::default()
                };
                let start = Instant::now();
                let report = launch(device, &memory, &instance, symbol, &shape, &run);
                best = best.min(start.elapsed().as_secs_f64());
                work = report.unwrap_or_else(|f| panic!("{}", f.render())).total.thread_inst;
            }
            println!(
                "{symbol:8} checks {checks:5}  {:8.2} ms  {:8.1} M thread instructions  {:8.1} M/s",
                best * 1e3,
                work as f64 / 1e6,
                work as f64 / best / 1e6
            );
        }
    }
}
