//! Checks of exercise 3.4.2: evolve.

use grading::{About, Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect};
use npb::ft::C64;
use rand::RngExt;
use simt::fault::FaultKind;

use crate::ft::{complex, decay, pairs, squares};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.4.2",
    key: "e3_4_02",
    title: "Evolve",
    points: 2,
    files: &[KERNEL],
    todo: "Write ft_evolve and ft_evolve_tw in kernels/ft_evolve.cu.",
    hints: &[
        ("a", "u0 must stay: the table holds the factors of all iterations"),
        ("b", "t starts at 1, and the exponent is t |k|^2"),
        ("c", "both parts decay: real and imaginary"),
        ("d", "the exponent is t*k2: without t all checksums are equal"),
        ("s", "a thread does one element: i = blockIdx.x * blockDim.x + threadIdx.x"),
        ("n", "threads from n on have nothing to do"),
        ("m", "16 bytes of u0 and 8 of the table in, 16 bytes each out: one request each"),
    ],
    checks: &[
        Check { name: "table", what: "by the table of powers", weight: 2, run: table },
        Check { name: "twiddle", what: "by factors, step by step", weight: 2, run: twiddle },
        Check { name: "ragged", what: "n not a multiple of the block", weight: 1, run: ragged },
        Check { name: "counts", what: "56 bytes for 2 operations", weight: 1, run: counts },
    ],
};

const KERNEL: &str = "kernels/ft_evolve.cu";
const SIZE: [usize; 3] = [32, 16, 8];

fn field(t: &Trial, n: usize) -> Vec<C64> {
    let mut rng = t.rng();
    (0..n).map(|_| C64::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0))).collect()
}

fn power_table() -> Vec<f64> {
    let mut ex = vec![1.0];
    for i in 0..6 * (16 * 16 + 8 * 8 + 4 * 4) {
        ex.push(ex[i] * decay());
    }
    ex
}

/// The table version for the first n elements.
fn launch(t: &Trial, u0: &[C64], iteration: i32, n: usize, block: u32) -> Result<Run, Finding> {
    let map = squares(SIZE);
    t.kernel(KERNEL)
        .compile()?
        .launch("ft_evolve", (n as u32).div_ceil(block), block)
        .output::<[f64; 2]>("u1", n)
        .input("u0", &pairs(&u0[..n]))
        .input("ex", &power_table())
        .input("indexmap", &map[..n])
        .scalar(iteration)
        .scalar(n as i32)
        .on_fault(|f| (f.kind == FaultKind::ReadOnly).then_some("a"))
        .run()
        .map_err(|f| match f.about {
            About::ChangedInput(1) => f.hint("a"),
            _ => f.or_hint("n"),
        })
}

fn by_table(t: &Trial, iteration: i32, n: usize, block: u32) -> Outcome {
    let u0 = field(t, 4096);
    let (ex, map) = (power_table(), squares(SIZE));
    let run = launch(t, &u0, iteration, n, block)?;
    expect::shared_work(&run).map_err(|f| f.hint("s"))?;
    let got = complex(&run.get::<[f64; 2]>("u1")?);
    let with = |exponent: &dyn Fn(usize) -> usize| -> Vec<C64> {
        (0..n).map(|i| u0[i] * ex[exponent(i)]).collect()
    };
    let k2 = |i: usize| map[i] as usize;
    let want = with(&|i| iteration as usize * k2(i));
    let known =
        [("d", with(&k2)), ("b", with(&|i| (iteration as usize).saturating_sub(1) * k2(i)))];
    expect::eq("u1", &pairs(&got), &pairs(&want)).map_err(|f| {
        if (0..n).all(|i| got[i].re == want[i].re || got[i].im == want[i].im) {
            return f.hint("c");
        }
        match known.iter().find(|(_, wrong)| *wrong == got) {
            Some((hint, _)) => f.hint(hint),
            None => f,
        }
    })
}

fn table(t: &Trial) -> Outcome {
    // In iteration 2, "t - 1" is "without t" as well: 3 and more tell them apart.
    for iteration in [1, 3, 6] {
        by_table(t, iteration, 4096, 128)?;
    }
    Ok(Evidence::new("iterations 1, 3 and 6 of T2: bit for bit"))
}

fn twiddle(t: &Trial) -> Outcome {
    let start = field(t, 4096);
    let map = squares(SIZE);
    let tw: Vec<f64> = map.iter().map(|k2| decay().powf(f64::from(*k2))).collect();
    let kernels = t.kernel(KERNEL).compile()?;
    let mut u0 = pairs(&start);
    for step in 1..=3 {
        let run = kernels
            .launch("ft_evolve_tw", 32, 128)
            .inout("u0", &u0)
            .output::<[f64; 2]>("u1", 4096)
            .input("tw", &tw)
            .scalar(4096i32)
            .run()?;
        expect::shared_work(&run).map_err(|f| f.hint("s"))?;
        let want: Vec<[f64; 2]> = u0.iter().zip(&tw).map(|(v, f)| [v[0] * f, v[1] * f]).collect();
        let u1: Vec<[f64; 2]> = run.get("u1")?;
        expect::eq(&format!("u1 after step {step}"), &u1, &want).map_err(|f| f.hint("c"))?;
        u0 = run.get("u0")?;
        expect::eq(&format!("u0 after step {step}"), &u0, &want)?;
    }
    Ok(Evidence::new("three steps: u0 and u1 are multiplied, bit for bit"))
}

fn ragged(t: &Trial) -> Outcome {
    for (n, block) in [(1000, 128), (33, 32), (4095, 256)] {
        by_table(t, 2, n, block).map_err(|f| Finding { hint: None, ..f }.hint("n"))?;
    }
    Ok(Evidence::new("33, 1000 and 4095 elements: nothing beyond is touched"))
}

fn counts(t: &Trial) -> Outcome {
    let n = 4096;
    let run = t
        .kernel(KERNEL)
        .compile()?
        .launch("ft_evolve_tw", 32, 128)
        .inout("u0", &pairs(&field(t, n)))
        .output::<[f64; 2]>("u1", n)
        .input("tw", &vec![0.5; n])
        .scalar(n as i32)
        .run()?;
    let warps = n as u64 / 32;
    expect::at_most(&run, "gld.sec", warps * (16 + 8)).map_err(|f| f.hint("m"))?;
    expect::at_most(&run, "gst.sec", warps * (16 + 16)).map_err(|f| f.hint("m"))?;
    expect::count(&run, "flop", 2 * n as u64)?;
    let table = launch(t, &field(t, n), 3, n, 128)?;
    Ok(Evidence::new(format!(
        "factors: 24 sectors in and 32 out for each warp, 56 bytes for 2 operations; table: {:.1} \
         sectors in, {:.1} out",
        table.total().gld_sec as f64 / warps as f64,
        table.total().gst_sec as f64 / warps as f64
    ))
    .launch(run.report()))
}
