//! With all checks on, a launch may cost the host at most three times the size of the buffers.
//!
//! The peak of resident memory is a property of a whole process: the test runs itself as a child, which reports its own.

use std::process::Command;

use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, Program};

const ELEMENTS: usize = 12 << 20;
const CHILD: &str = "SIMT_MEMORY_CHILD";

const SOURCE: &str =
    "extern \"C\" __global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
";

/// A value of `/proc/self/status` in bytes.
fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = text.lines().find(|l| l.starts_with(key)).expect("key");
    let kib: u64 = line.split_whitespace().nth(1).and_then(|v| v.parse().ok()).expect("number");
    kib * 1024
}

fn child() {
    let program = Program::compile(SOURCE, &CompileOptions::default()).expect("compiles");
    let memory = Memory::new(1 << 30);
    let instance = Instance::load(&program, &memory).expect("no variables");
    let before = status("VmRSS:");
    let chunk = 1f32.to_le_bytes().repeat(1 << 16);
    let mut args = Vec::new();
    for name in ["a", "b", "c"] {
        let base = memory.alloc(4 * ELEMENTS as u64, name).expect("room");
        if name != "c" {
            for at in (0..4 * ELEMENTS).step_by(chunk.len()) {
                memory.write(base + at as u64, &chunk).expect("inside");
            }
        }
        args.push(base.to_le_bytes().to_vec());
    }
    args.push((ELEMENTS as i32).to_le_bytes().to_vec());
    let blocks = ELEMENTS.div_ceil(256) as u32;
    let launch = Launch { grid: [blocks, 1, 1], block: [256, 1, 1], dynamic_shared: 0, args };
    let options = ExecOptions { step_limit: u64::MAX, ..ExecOptions::default() };
    let device = simt::device::model("h200").expect("a model");
    simt::launch(device, &memory, &instance, "add", &launch, &options).expect("correct kernel");
    println!("used {}", status("VmHWM:").saturating_sub(before));
}

#[test]
fn checks_cost_at_most_three_times_the_buffers() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    if !cfg!(target_os = "linux") {
        println!("skipped: reads /proc/self/status");
        return;
    }
    let out = Command::new(std::env::current_exe().expect("own path"))
        .args(["--exact", "checks_cost_at_most_three_times_the_buffers", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("starts itself");
    let text = String::from_utf8_lossy(&out.stdout);
    let used = text.lines().find_map(|l| l.split("used ").nth(1)?.trim().parse::<u64>().ok());
    let used = used.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&out.stderr)));
    let buffers = 3 * 4 * ELEMENTS as u64;
    println!("buffers {buffers} bytes, process {used} bytes: {:.2}", used as f64 / buffers as f64);
    assert!(used <= 3 * buffers, "{used} bytes for buffers of {buffers}");
}
