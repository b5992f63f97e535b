//! `cargo lab study matmul`: the four versions of `C = A A^T` over the tile's size.

use grading::study::{Sample, Study, Variant};
use grading::{Finding, Trial};

use crate::mmt::{self, Matrix};
use references::counts::product::Kernel;

/// The study.
pub const STUDY: Study = Study {
    name: "matmul",
    lab: "lab2",
    title: "C = A A^T",
    unit: "1000 products",
    ks: &[8, 16, 24, 32],
    at_k: 16,
    variants: &[
        Variant { name: "mmt1", what: "tiled", exercise: "2.2.1" },
        Variant { name: "mmt2", what: "coalesced", exercise: "2.2.3" },
        Variant { name: "mmt3", what: "padded", exercise: "2.2.2" },
        Variant { name: "mmt4", what: "symmetric", exercise: "2.2.4" },
    ],
    run,
    bench: "lab2-bench",
};

/// The matrix on the emulated device, and the one for which times are predicted and measured:
/// multiples of every K.
const SMALL: (u64, u64) = (192, 192);
const FULL: (u64, u64) = (2400, 6240);

/// Counts are shown for so many multiplications.
const THOUSAND: u64 = 1000;

fn run(t: &Trial, variant: &Variant, k: u32) -> Result<Sample, Finding> {
    let ((m, n), (full_m, full_n)) = (SMALL, FULL);
    let tile = u64::from(k);
    if k == 0 || k > 32 || [m, n, full_m, full_n].iter().any(|size| size % tile != 0) {
        return Err(Finding::wrong(format!(
            "expected a divisor of {m}, {n}, {full_m} and {full_n} up to 32"
        )));
    }
    let file = t.kernel(&format!("kernels/{}.cu", variant.name)).define(&format!("K={k}"));
    let kernels = file.define(&format!("PAD={}", Kernel::best_pad(tile))).compile()?;
    let matrix = Matrix::normal(t, m as usize, n as usize);
    let run = mmt::launch(&kernels, k, &matrix, |_| None)?;
    matrix.compare(&run.get("C")?)?;
    // The symmetric version leaves out less of a small matrix than of a large one: what it does
    // here is worth that much less.
    let computed = |m: u64| match variant.name {
        "mmt4" => (m / tile + 1) as f64 / (2 * m / tile) as f64,
        _ => 1.0,
    };
    let worth = computed(m) / computed(full_m);
    Ok(Sample {
        report: run.report().clone(),
        outputs: ((m * m * n / THOUSAND) as f64 * worth).round() as u64,
        flop_per_output: 2.0 * THOUSAND as f64,
        full_outputs: full_m * full_m * full_n / THOUSAND,
        footprint: 4 * (full_m * full_n + full_m * full_m),
    })
}
