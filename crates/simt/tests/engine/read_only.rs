//! Buffers that a kernel has only as pointers to `const`, and all the same writes to: their readers
//! are not noted one by one, so the launch is run again with those that are.

use crate::support::bench::Arg::{I, P};
use crate::support::bench::Bench;
use simt::fault::FaultKind;

/// Reads `in` and writes through an address that says nothing of its buffer.
fn kernel(constness: &str) -> String {
    format!(
        "extern \"C\" __global__ void hidden({constness} int *in, long long *where, int away)
{{
    int *out = (int *)*where;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + away] + 1;
}}"
    )
}

const THREADS: usize = 1024;

/// What is found, and what the buffer of `4 * THREADS` numbers holds in the end: reads begin at
/// element `away`, stores at element `to`.
fn run(constness: &str, cores: usize, away: usize, to: usize) -> (Option<String>, Vec<i32>) {
    let mut t = Bench::new(&kernel(constness));
    t.options.threads = Some(cores);
    let numbers: Vec<i32> = (0..4 * THREADS as i32).collect();
    let x = t.buffer("x", &numbers);
    let place = t.buffer("where", &[x + 4 * to as u64]);
    let result = t.run("hidden", 4, 256, &[P(x), P(place), I(away as i32)]);
    if let Err(fault) = &result {
        assert_eq!(fault.kind, FaultKind::RaceGlobal);
    }
    (result.err().map(|fault| fault.render()), t.read(x, numbers.len()))
}

#[test]
fn what_is_written_all_the_same_is_looked_at_closely() {
    for (away, to, race) in [
        (0, 2 * THREADS, false),
        // Each thread its own word.
        (0, 0, false),
        (1, 0, true),
        // Only a word of the next warp, block.
        (32, 0, true),
        (256, 0, true),
        (THREADS - 1, 0, true),
        (THREADS, 0, false),
    ] {
        let (found, numbers) = run("const", 1, away, to);
        assert_eq!(found.is_some(), race, "{away} {to}: {found:?}");
        for cores in [1, 2, 3] {
            let again = run("const", cores, away, to);
            assert_eq!(again, (found.clone(), numbers.clone()), "{away} {to} on {cores} cores");
        }
        let exact = run("", 1, away, to);
        let plain = found.map(|text| text.replace("const int *in", " int *in"));
        assert_eq!(exact, (plain, numbers.clone()), "{away} {to} without const");
        if !race {
            let want = |i: usize| match i.checked_sub(to) {
                Some(i) if i < THREADS => (i + away + 1) as i32,
                _ => i as i32,
            };
            assert!((0..numbers.len()).all(|i| numbers[i] == want(i)), "{away} {to}");
        }
    }
}

/// On several cores the steps of all are added up now and then, in order after each block.
#[test]
fn the_limit_of_steps_is_the_same_on_several_cores() {
    let source = "extern \"C\" __global__ void work(int *x, int turns)
{
    int sum = 0;
    for (int k = 0; k < turns * (blockIdx.x % 3); k++)
        sum += x[k % 8];
    if (sum < 0)
        x[9] = sum;
}";
    let mut ends = Vec::new();
    for limit in (20_000..60_000).step_by(97) {
        let ended = [1, 2, 3].map(|cores| {
            let mut t = Bench::new(source);
            t.options.threads = Some(cores);
            t.options.step_limit = limit;
            let x = t.buffer("x", &[1i32; 16]);
            match t.run("work", 100, 32, &[P(x), I(40)]) {
                Ok(_) => true,
                Err(fault) => {
                    assert_eq!(fault.kind, FaultKind::StepLimit);
                    false
                }
            }
        });
        assert!(ended == [ended[0]; 3], "{limit}: {ended:?}");
        ends.push(ended[0]);
    }
    assert!(ends.contains(&true) && ends.contains(&false), "some limits are enough, some are not");
}
