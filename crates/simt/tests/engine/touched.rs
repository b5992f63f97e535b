//! Which bytes a launch touched.

use std::ops::Range;

use crate::support::bench::Arg::{I, P};
use crate::support::bench::Bench;
use simt::ExecOptions;

/// Reads of `x` at which lanes stand `step` apart, from `shift` on; the kind of the buffer tells
/// how closely its readers are noted.
fn kernel(element: &str, constness: &str) -> String {
    format!(
        "extern \"C\" __global__ void touch({constness} {element} *x, int *sum, int step, int shift,
                                  int rounds, int limit) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    for (int k = 0; k < rounds; k++)
        if (i < limit)
            s += x[i * step + shift - k] + x[shift];
    sum[i] = s;
}}"
    )
}

/// Runs of consecutive elements of `size` bytes.
fn ranges(read: &[bool], size: u64) -> Vec<Range<u64>> {
    let mut out: Vec<Range<u64>> = Vec::new();
    for at in (0..read.len() as u64).filter(|at| read[*at as usize]) {
        match out.last_mut() {
            Some(last) if last.end == at * size => last.end += size,
            _ => out.push(at * size..(at + 1) * size),
        }
    }
    out
}

#[test]
fn what_is_read_is_told_to_the_byte() {
    for (element, size) in [("int", 4), ("char", 1), ("double", 8)] {
        for constness in ["const", ""] {
            let mut t = Bench::new(&kernel(element, constness));
            for (threads, [step, shift, rounds, limit]) in [
                (1, [[1, 0, 1, 96], [1, 7, 3, 96], [0, 5, 1, 96], [3, 40, 2, 96], [5, 9, 1, 33]]),
                (2, [[1, 0, 1, 96], [1, 16, 17, 90], [2, 1, 2, 96], [33, 3, 1, 96], [0, 0, 1, 0]]),
            ]
            .into_iter()
            .flat_map(|(threads, cases)| cases.map(|case| (threads, case)))
            {
                t.options =
                    ExecOptions { touched: true, threads: Some(threads), ..ExecOptions::default() };
                let x = t.buffer("x", &vec![0u8; 4096 * size]);
                let sum = t.empty::<i32>("sum", 96);
                let args = [P(x), P(sum), I(step), I(shift), I(rounds), I(limit)];
                let report = t.run("touch", 3, 32, &args).unwrap();
                let mut read = vec![false; 4096];
                for (i, k) in (0..limit).flat_map(|i| (0..rounds).map(move |k| (i, k))) {
                    read[(i * step + shift - k) as usize] = true;
                    read[shift as usize] = true;
                }
                let found = report.touched.iter().find(|touched| touched.base == x);
                let found = found.map_or(Vec::new(), |touched| touched.read.clone());
                let want = ranges(&read, size as u64);
                assert_eq!(found, want, "{element} {constness} {step} {shift} {rounds} {limit}");
            }
        }
    }
}
