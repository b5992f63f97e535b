//! Checks of exercise 3.2.4: large rain problems.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use rand::RngExt;
use serde::Deserialize;
use serde_json::json;
use simt::fault::{Fault, FaultKind};
use wire::Outcome as CallOutcome;

use crate::device::{self, f32s};
use crate::rain::{self, Rain};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.2.4",
    key: "e3_2_04",
    title: "Performance",
    points: 4,
    files: &[KERNEL, "src/e3_2_04.rs"],
    todo: "Write the sizes and the launch in src/e3_2_04.rs, and the two kernels of \
        kernels/rain.cu.",
    hints: &[
        ("a", "A is made on the device and stays there: nothing of its size is copied"),
        (
            "b",
            "one block for each column, neighbouring threads on neighbouring rows: one thread for \
             each column reads with a stride of 4m bytes",
        ),
        (
            "c",
            "m * n exceeds an int, and in bytes it exceeds 32 bits: u64 on the host, size_t in the \
             kernel",
        ),
        ("f", "compare before anything is allocated, and name both numbers"),
        (
            "g",
            "sum over the warp, then over the four warps, a barrier between; all threads reach it",
        ),
        (
            "m",
            "A(row, i) = exp(-(days[row] - i)/tau), 0 for i > days[row]; it lies at a[i * m + row]",
        ),
    ],
    checks: &[
        Check { name: "no_copy", what: "a pursuit with A on the device", weight: 2, run: no_copy },
        Check { name: "memory_err", what: "sizes up to 1000 years", weight: 1, run: memory_err },
        Check { name: "sectors", what: "both kernels and their traffic", weight: 2, run: sectors },
    ],
};

const KERNEL: &str = "kernels/rain.cu";

fn diagnose(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::RaceShared | FaultKind::DivergentBarrier => Some("g"),
        _ => None,
    }
}

#[derive(Deserialize)]
struct Found {
    days: Vec<usize>,
    rain: Vec<(usize, u32)>,
    indices: Vec<usize>,
    norms: Vec<u32>,
}

fn no_copy(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let (n, m, k, steps) = (200, 40, 15, 5);
    let tau = rng.random_range(10.0..40.0f32);
    for kernel in [false, true] {
        let request = json!({
            "n": n, "m": m, "k": k, "tau": tau, "seed": rng.random::<u64>(), "kernel": kernel,
            "steps": steps,
        });
        let reply = t.call("e3_2_04.pursue", &request)?;
        let found: Found = device::value(&reply, diagnose)?;
        let mut x = vec![0.0; n];
        found.rain.iter().for_each(|(day, bits)| x[*day] = f32::from_bits(*bits));
        let rain = Rain::of(n, found.days.clone(), x, tau.into());
        // Follow the columns that were chosen: each must be as good as the best.
        let mut r: Vec<f64> = rain.y.iter().map(|v| f64::from(*v)).collect();
        let norms = f32s(&found.norms);
        let norm_y = rain::norm(&r);
        expect::that(norms.len() == steps + 1 && found.indices.len() == steps, || {
            format!("expected {steps} steps, got {}", found.indices.len())
        })?;
        for (step, index) in found.indices.iter().enumerate() {
            let s = rain.products(&r);
            let best = s.iter().fold(0.0f64, |best, s| best.max(s.abs()));
            let i = index.wrapping_sub(1).min(n - 1);
            expect::that(s[i].abs() >= best * (1.0 - 1e-4), || {
                let (got, step) = (s[i].abs(), step + 1);
                format!("step {step}: |s| of column {index} is {got:.4}, the largest is {best:.4}")
            })
            .map_err(|f| f.hint(if kernel { "g" } else { "m" }))?;
            let sigma = s[i] / rain.square(i);
            rain.subtract(&mut r, i, sigma);
            let (want, got) = (rain::norm(&r), f64::from(norms[step + 1]));
            expect::that((got - want).abs() <= 1e-3 * norm_y, || {
                format!("step {}: norm of the residual: expected {want:.5}, got {got:.5}", step + 1)
            })
            .map_err(|f| f.hint("m"))?;
        }
        let to_device =
            |name: &str| name.starts_with("cuMemcpyHtoD") || name.starts_with("cublasSet");
        let copied: u64 =
            reply.api.iter().filter(|c| to_device(&c.name)).filter_map(|c| c.bytes).sum();
        let size = (4 * m * n) as u64;
        expect::that(copied < size / 2, || {
            format!("{copied} bytes were copied to the device; A has {size}")
        })
        .map_err(|f| f.hint("a"))?;
        let own = trace::launches(&reply).iter().filter(|l| l.kernel == "sgemv_t").count();
        let want = if kernel { steps } else { 0 };
        expect::that(own == want, || format!("sgemv_t: expected {want} launches, counted {own}"))
            .map_err(|f| f.hint("C8"))?;
    }
    Ok(Evidence::new(format!("{steps} steps by the library and by the kernel; A was never copied")))
}

fn memory_err(t: &Trial) -> Outcome {
    for years in [0u64, 1, 10, 100, 1000] {
        let got: [u64; 4] = trace::value(&t.call("e3_2_04.shape", &json!(years))?)?;
        let want = [365 * years, 50 * years, 20 * years, 4 * 365 * 50 * years * years];
        expect::eq(&format!("{years} years: n, m, k and bytes"), &got, &want)
            .map_err(|f| f.hint("c"))?;
    }
    let need = 4 * 365 * 50 * 100u64 * 100;
    for free in [need, need + 1, u64::MAX] {
        host::value(&t.call("e3_2_04.fits", &json!([100, free]))?).map_err(|f| f.hint("f"))?;
    }
    let refused = |reply: &grading::Reply, numbers: [u64; 2]| -> Result<(), Finding> {
        let (text, _) = host::error(reply).map_err(|f| f.hint("f"))?;
        let named = numbers.iter().all(|n| text.contains(&n.to_string()));
        expect::that(named, || {
            format!(
                "expected an error that names {} and {} bytes, got {text:?}",
                numbers[0], numbers[1]
            )
        })
        .map_err(|f| f.hint("f"))
    };
    refused(&t.call("e3_2_04.fits", &json!([100, need - 1]))?, [need, need - 1])?;
    // Ten thousand years, which no device has room for.
    let request = json!({
        "n": 3_650_000, "m": 500_000, "k": 200_000, "tau": 30.0, "seed": 1, "kernel": false,
        "steps": 1,
    });
    let reply = t.call("e3_2_04.pursue", &request)?;
    let asked = reply.api.iter().any(|c| c.name == "cuMemAlloc" && c.bytes.unwrap_or(0) > 1 << 40);
    expect::that(!asked && !matches!(reply.outcome, CallOutcome::Ok(_)), || {
        "10,000 years: 7.3 TB were asked for before the free memory was looked at".into()
    })
    .map_err(|f| f.hint("f"))?;
    let (text, _) = host::error(&reply).map_err(|f| f.hint("f"))?;
    expect::that(text.contains("7300000000000"), || {
        format!("10,000 years: expected an error that names 7300000000000 bytes, got {text:?}")
    })
    .map_err(|f| f.hint("f"))?;
    Ok(Evidence::new("1 year 73 kB, 10 years 7.3 MB, 100 years 730 MB, 1000 years 73 GB"))
}

fn sectors(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let kernels = t.kernel(KERNEL).compile()?;
    let mut evidence = Evidence::default();
    for (m, n) in [(256usize, 40usize), (50, 33), (1, 3), (rng.random_range(130..250), 21)] {
        let tau = rng.random_range(5.0..50.0f32);
        let rain = Rain::random(&mut rng, n.max(m), 0, m, tau.into());
        let days: Vec<i32> = rain.days.iter().map(|d| *d as i32).collect();
        let run = kernels
            .launch("gen_a", n as u32, 128u32)
            .output::<f32>("a", m * n)
            .input("days", &days)
            .scalar(m as i32)
            .scalar(tau)
            .on_fault(diagnose)
            .run()?;
        let a = run.get::<f32>("a").map_err(|f| f.hint("m"))?;
        let want: Vec<f64> =
            (0..m * n).map(|at| rain::left(rain.days[at % m], at / m, tau.into())).collect();
        expect::close(&format!("gen_a, m = {m}, n = {n}: a"), &a, &want, |_| 1e-5)
            .map_err(|f| f.hint("m"))?;
        let r: Vec<f32> = (0..m).map(|_| rng.random_range(-1.0..1.0)).collect();
        let product = kernels
            .launch("sgemv_t", n as u32, 128u32)
            .input("a", &a)
            .input("r", &r)
            .output::<f32>("s", n)
            .scalar(m as i32)
            .on_fault(diagnose)
            .run()?;
        let terms = |i: usize| (0..m).map(move |row| (i * m + row, row));
        let sum = |f: &dyn Fn(f64) -> f64| -> Vec<f64> {
            (0..n)
                .map(|i| terms(i).map(|(at, row)| f(f64::from(a[at]) * f64::from(r[row]))).sum())
                .collect()
        };
        let (want, size) = (sum(&|p| p), sum(&f64::abs));
        let bound = (m + 1) as f64 * 2f64.powi(-24);
        expect::close(
            &format!("sgemv_t, m = {m}, n = {n}: s"),
            &product.get::<f32>("s")?,
            &want,
            |i| bound * size[i] + 1e-12,
        )
        .map_err(|f| f.hint("g"))?;
        if m == 256 {
            let least = (m * n / 8) as u64;
            expect::count(&run, "gst.sec", least).map_err(|f| f.hint("b"))?;
            // A, and r once for each column.
            expect::at_most(&product, "gld.sec", 2 * least).map_err(|f| f.hint("b"))?;
            evidence = evidence
                .line(format!(
                    "m = {m}, n = {n}: gen_a stores {least} sectors, sgemv_t loads {} in {} \
                     requests",
                    product.total().gld_sec,
                    product.total().gld_req
                ))
                .launch(product.report());
        }
    }
    Ok(evidence)
}
