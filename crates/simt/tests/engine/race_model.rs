//! The search for races in global memory against its definition, over random sequences of accesses.
//!
//! A script of steps is run by all threads; a step is a barrier, a warp barrier, or an access by
//! some threads of one block to elements in a row. Two accesses to one byte by different threads,
//! one of them a store, are a race unless a barrier of their block or warp stands between. Two
//! stores of the same value are no race. The engine must find a race in exactly the scripts that
//! have one, whatever the size of the elements and however its shadow holds them.

use crate::support::bench::Arg::{I, P};
use crate::support::bench::Bench;
use simt::fault::FaultKind;

const SOURCE: &str = "
extern \"C\" __global__ void play(ELEM *x, QUALIFIER ELEM *same_x, const int *script, int steps,
                                  int *sink)
{
    int t = threadIdx.x, sum = 0;
    for (int s = 0; s < steps; s++) {
        const int *step = script + 6 * s;
        if (step[0] == 0)
            __syncthreads();
        else if (step[0] == 1)
            __syncwarp();
        else if (blockIdx.x == step[1] && t >= step[2] && t < step[3]) {
            int i = step[4] + step[5] * t;
            if (step[0] == 2)
                sum += (int)TAKE(same_x[i]);
            else
                x[i] = PUT(s * 160 + blockIdx.x * 80 + t);
        }
    }
    sink[blockIdx.x * blockDim.x + t] = sum;
}
";

const BLOCKS: i32 = 2;
const THREADS: i32 = 80;
const ELEMENTS: usize = 1024;
/// What a step does.
const BARRIER: i32 = 0;
const WARP_BARRIER: i32 = 1;
const READ: i32 = 2;
const WRITE: i32 = 3;

/// Pseudo-random numbers below `n`.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> i32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as i32
    }

    fn one_of(&mut self, list: &[i32]) -> i32 {
        list[self.below(list.len()) as usize]
    }
}

/// A step as the kernel reads it: what, block, first thread, end, offset, stride.
type Step = [i32; 6];

fn random_step(random: &mut Random, writes: bool) -> Step {
    let what = if writes {
        random.one_of(&[
            BARRIER,
            BARRIER,
            WARP_BARRIER,
            READ,
            READ,
            READ,
            WRITE,
            WRITE,
            WRITE,
            WRITE,
        ])
    } else {
        random.one_of(&[BARRIER, WARP_BARRIER, READ])
    };
    let block = random.below(BLOCKS as usize);
    let (lo, hi) = match random.below(3) {
        0 => (0, THREADS),
        1 => (random.one_of(&[0, 16, 32, 64]), random.one_of(&[16, 32, 48, 64, THREADS])),
        _ => (random.below(THREADS as usize), random.below(THREADS as usize + 1)),
    };
    // Mostly each block has elements of its own.
    let own = 512 * if random.below(3) == 0 { 1 - block } else { block };
    let stride = random.one_of(&[0, 1, 1, 1, 1, 2, 3]);
    [what, block, lo, hi, own + random.one_of(&[0, 0, 0, 16, 32, 1, 7, 80]), stride]
}

struct Touch {
    step: usize,
    element: i32,
    block: i32,
    thread: i32,
    /// What is stored, if anything is.
    value: Option<i32>,
}

/// `bytes`: of an element; a value that is stored is cut to them.
fn has_race(script: &[Step], bytes: usize) -> bool {
    let cut = |value: i32| if bytes == 1 { i32::from(value as i8) } else { value };
    let mut touches = Vec::new();
    for (step, [what, block, lo, hi, offset, stride]) in script.iter().enumerate() {
        for thread in *lo..*hi {
            if *what >= READ {
                let element = offset + stride * thread;
                let stored = cut(step as i32 * 160 + block * 80 + thread);
                let value = (*what == WRITE).then_some(stored);
                touches.push(Touch { step, element, block: *block, thread, value });
            }
        }
    }
    touches.iter().enumerate().any(|(k, a)| {
        touches[..k].iter().any(|b| {
            let between = |most: i32| script[b.step..a.step].iter().any(|s| s[0] <= most);
            let ordered = || {
                a.block == b.block
                    && (a.thread == b.thread
                        || between(BARRIER)
                        || a.thread / 32 == b.thread / 32 && between(WARP_BARRIER))
            };
            a.element == b.element && a.value != b.value && !ordered()
        })
    })
}

/// Runs scripts over elements of one type; `read_through`: the pointer that is read through is to
/// `const`, and to a buffer of its own if `apart`, which no step writes.
fn play(
    elem: &str,
    take: &str,
    put: &str,
    bytes: usize,
    qualifier: &str,
    apart: bool,
    scripts: u64,
) -> [u64; 2] {
    let text = format!(
        "#define ELEM {elem}\n#define TAKE(v) {take}\n#define PUT(s) {put}\n\
         #define QUALIFIER {qualifier}\n{SOURCE}"
    );
    let mut t = Bench::new(&text);
    let x = t.buffer("x", &vec![0u8; ELEMENTS * bytes]);
    let read = if apart { t.buffer("y", &vec![0u8; ELEMENTS * bytes]) } else { x };
    let sink = t.buffer("sink", &[0i32; (BLOCKS * THREADS) as usize]);
    let script_buffer = t.buffer("script", &[0i32; 6 * 8]);
    let (mut races, mut fine) = (0, 0);
    for seed in 0..scripts {
        let mut random = Random(seed * 77 + bytes as u64);
        let steps = 2 + random.below(7) as usize;
        let script: Vec<Step> =
            (0..steps).map(|_| random_step(&mut random, !apart || seed % 2 == 0)).collect();
        t.memory.write(script_buffer, bytemuck::cast_slice(&script)).unwrap();
        // What is read from another buffer is never written.
        let model: Vec<Step> = script
            .iter()
            .map(|s| if apart && s[0] == READ { [s[0], s[1], 0, 0, 0, 0] } else { *s })
            .collect();
        let want = has_race(&model, bytes);
        for threads in [1, 2] {
            t.options.threads = Some(threads);
            let args = [P(x), P(read), P(script_buffer), I(steps as i32), P(sink)];
            let found = match t.run("play", BLOCKS as u32, THREADS as u32, &args) {
                Ok(_) => false,
                Err(fault) => {
                    assert_eq!(fault.kind, FaultKind::RaceGlobal, "{}", fault.render());
                    assert!(fault.other.is_some(), "{}", fault.render());
                    true
                }
            };
            assert_eq!(found, want, "{elem}, {threads} threads, seed {seed}: {script:?}");
        }
        *(if want { &mut races } else { &mut fine }) += 1;
    }
    [races, fine]
}

#[test]
fn races_are_found_where_there_are_any() {
    for (elem, take, put, bytes) in [
        ("signed char", "v", "(signed char)(s)", 1),
        ("unsigned short", "v", "(unsigned short)(s)", 2),
        ("int", "v", "s", 4),
        ("double", "v", "(double)(s)", 8),
        ("float4", "v.y", "make_float4(s, s, s, s)", 16),
        ("int3", "v.z", "make_int3(s, s, s)", 12),
    ] {
        for (qualifier, apart, scripts) in
            [("", false, 70), ("const", false, 30), ("const", true, 30)]
        {
            let [races, fine] = play(elem, take, put, bytes, qualifier, apart, scripts);
            assert!(apart || races.min(fine) > scripts / 8, "{races} with races, {fine} without");
        }
    }
}
