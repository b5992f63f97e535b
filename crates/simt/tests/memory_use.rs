//! With all checks on, a launch may cost the host at most three times the size of the buffers, for
//! elements of any size and in the ordinary patterns of access.
//!
//! The peak of resident memory is a property of a whole process: the test runs itself as a child
//! for each kernel and type, which reports its own. All buffers are written before, so that the old
//! content of what a kernel writes is kept, too.

use std::process::Command;

use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, Program};

/// Bytes of a buffer.
const BYTES: usize = 8 << 20;
/// Elements in a row of the two-dimensional kernel.
const WIDTH: usize = 1024;
const CHILD: &str = "SIMT_MEMORY_CHILD";

const SOURCE: &str = "
extern \"C\" __global__ void map(const T *a, const T *b, T *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern \"C\" __global__ void in_place(T *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = a[i] + 1;
}

extern \"C\" __global__ void stencil(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = in[i - 1] + in[i] + in[i + 1];
}

extern \"C\" __global__ void tiles(const T *in, T *out, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x % 16, y = blockIdx.y * 16 + threadIdx.x / 16;
    out[y * WIDTH + x] = in[y * WIDTH + x] + 1;
}

extern \"C\" __global__ void lookup(const T *table, const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[((int)in[i] * 7919 + i) % n];
}
";

/// Kernels with the number of their buffers.
const KERNELS: [(&str, usize); 5] =
    [("map", 3), ("in_place", 1), ("stencil", 2), ("tiles", 2), ("lookup", 3)];
const TYPES: [(&str, usize); 4] = [("unsigned char", 1), ("short", 2), ("float", 4), ("double", 8)];

/// A value of `/proc/self/status` in bytes.
fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = text.lines().find(|l| l.starts_with(key)).expect("key");
    let kib: u64 = line.split_whitespace().nth(1).and_then(|v| v.parse().ok()).expect("number");
    kib * 1024
}

/// Runs kernel `k` on elements of type `t`.
fn child(k: usize, t: usize) {
    let ((kernel, buffers), (elem, size)) = (KERNELS[k], TYPES[t]);
    let defines = vec![format!("T={elem}"), format!("WIDTH={WIDTH}")];
    let options = CompileOptions { defines, ..CompileOptions::default() };
    let program = Program::compile(SOURCE, &options).expect("compiles");
    let memory = Memory::new(1 << 30);
    let instance = Instance::load(&program, &memory).expect("no variables");
    let before = status("VmRSS:");
    let chunk = vec![0u8; 1 << 16];
    let mut args = Vec::new();
    for _ in 0..buffers {
        let base = memory.alloc(BYTES as u64, "buffer").expect("room");
        for at in (0..BYTES).step_by(chunk.len()) {
            memory.write(base + at as u64, &chunk).expect("inside");
        }
        args.push(base.to_le_bytes().to_vec());
    }
    let elements = BYTES / size;
    args.push((elements as i32).to_le_bytes().to_vec());
    let grid = match kernel {
        "tiles" => [WIDTH as u32 / 16, (elements / WIDTH / 16) as u32, 1],
        _ => [elements.div_ceil(256) as u32, 1, 1],
    };
    let launch = Launch { grid, block: [256, 1, 1], dynamic_shared: 0, args, ..Launch::default() };
    let options = ExecOptions { step_limit: u64::MAX, ..ExecOptions::default() };
    let device = simt::device::model("h200").expect("a model");
    simt::launch(device, &memory, &instance, kernel, &launch, &options)
        .unwrap_or_else(|fault| panic!("{}", fault.render()));
    println!("used {}", status("VmHWM:").saturating_sub(before));
}

#[test]
fn checks_cost_at_most_three_times_the_buffers() {
    if let Ok(which) = std::env::var(CHILD) {
        let (k, t) = which.split_once(' ').expect("two numbers");
        return child(k.parse().expect("a number"), t.parse().expect("a number"));
    }
    if !cfg!(target_os = "linux") {
        println!("skipped: reads /proc/self/status");
        return;
    }
    let mut greedy = Vec::new();
    for (k, (kernel, buffers)) in KERNELS.iter().enumerate() {
        for (t, (elem, _)) in TYPES.iter().enumerate() {
            let out = Command::new(std::env::current_exe().expect("own path"))
                .args(["--exact", "checks_cost_at_most_three_times_the_buffers", "--nocapture"])
                .env(CHILD, format!("{k} {t}"))
                .output()
                .expect("starts itself");
            let text = String::from_utf8_lossy(&out.stdout);
            let used =
                text.lines().find_map(|l| l.split("used ").nth(1)?.trim().parse::<u64>().ok());
            let used =
                used.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&out.stderr)));
            let ratio = used as f64 / (buffers * BYTES) as f64;
            println!("{kernel:<9} {elem:<13} {ratio:.2}");
            if ratio > 3.0 {
                greedy.push(format!("{kernel} of {elem}: {ratio:.2}"));
            }
        }
    }
    assert!(greedy.is_empty(), "more than three times the buffers: {greedy:?}");
}
