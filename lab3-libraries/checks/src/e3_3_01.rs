//! Checks of exercise 3.3.1: the generator and its jump.

use grading::{Call, Check, Class, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use npb::random::{A, MASK, SCALE, jump, next, power};
use rand::RngExt;
use serde_json::json;

use crate::own::written;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.3.1",
    key: "e3_3_01",
    title: "The generator and its jump",
    points: 4,
    files: &[FILE, "kernels/npb.cuh"],
    todo: "Write lcg, uniform, randlc, pow46 and seed_at in src/e3_3_01.rs, then lcg46 and pow46 \
        in kernels/npb.cuh.",
    hints: &[
        ("a", "the mask is 2^46 - 1: 46 ones"),
        ("b", "use wrapping multiplication: 2^46 divides 2^64, so what is lost does not matter"),
        ("c", "the last bit of the exponent is lost: go on while n > 0"),
        ("d", "the casts truncate: `.trunc()`, as `(int)` in C"),
        ("e", "46 bits do not fit f32: compute the number in f64"),
        ("own", "write it yourself: what the crate npb has is there to be compared with"),
        ("j", "k steps are one multiplication by a^k"),
        (
            "g",
            "the device's functions are those of the CPU in unsigned long long; one multiplication \
             and one `&` a step",
        ),
    ],
    checks: &[
        Check {
            name: "states",
            what: "the first states, and their numbers",
            weight: 1,
            run: states,
        },
        Check { name: "forms", what: "the benchmark's form, 10^6 steps", weight: 2, run: forms },
        Check { name: "pow", what: "powers", weight: 1, run: pow },
        Check { name: "jump", what: "jumps are many steps", weight: 1, run: jumps },
        Check { name: "period", what: "the period is 2^44", weight: 1, run: period },
        Check { name: "device", what: "the same on the device", weight: 2, run: device },
    ],
};

const FILE: &str = "src/e3_3_01.rs";

/// The generator must be the student's own.
fn own(t: &Trial) -> Result<(), Finding> {
    written(t, FILE, &["npb"])
}

/// A panic in this exercise is an overflow.
fn overflow(finding: Finding) -> Finding {
    match finding.class {
        Class::Crash => Finding { hint: None, ..finding }.hint("b"),
        _ => finding,
    }
}

/// State after n steps, and the exclusive or of all numbers' bits.
fn walk(mut s: u64, n: u64) -> (u64, u64) {
    let mut bits = 0;
    for _ in 0..n {
        s = next(s);
        bits ^= (s as f64 * SCALE).to_bits();
    }
    (s, bits)
}

fn states(t: &Trial) -> Outcome {
    own(t)?;
    let first: [u64; 4] = [32883653486115, 55063727434591, 39106144873291, 46899331031975];
    let seeds = [271_828_183, 314_159_265, t.rng().random_range(0..1u64 << 45) * 2 + 1];
    for (i, seed) in seeds.into_iter().enumerate() {
        let reply = t.call("e3_3_01.steps", &json!([seed, 1000]))?;
        let (s, bits, six): (u64, u64, Vec<u64>) = trace::value(&reply).map_err(overflow)?;
        if i == 0 {
            expect::eq("states", &six[..4], &first).map_err(|f| f.hint("a"))?;
        }
        let want = walk(seed, 1000);
        expect::same("state after 1000 steps", &s, &want.0).map_err(|f| f.hint("a"))?;
        expect::same("the bits of 1000 numbers", &bits, &want.1).map_err(|f| f.hint("e"))?;
    }
    Ok(Evidence::new("the first states of both benchmarks' seeds and of a random one"))
}

fn forms(t: &Trial) -> Outcome {
    own(t)?;
    let n = 1_000_000;
    for seed in [271_828_183, t.rng().random_range(0..1u64 << 45) * 2 + 1] {
        let reply = t.call("e3_3_01.randlc", &json!([seed, n]))?;
        let (x, bits): (u64, u64) = trace::value(&reply)?;
        let (s, want) = walk(seed, n);
        let what = format!("seed {seed}: state after 10^6 steps of randlc");
        expect::same(&what, &f64::from_bits(x), &(s as f64)).map_err(|f| f.hint("d"))?;
        expect::same("the bits of 10^6 numbers of randlc", &bits, &want)
            .map_err(|f| f.hint("d"))?;
    }
    Ok(Evidence::new("10^6 steps: both forms give the same numbers, bit for bit"))
}

fn pow(t: &Trial) -> Outcome {
    own(t)?;
    let mut rng = t.rng();
    let mut list: Vec<[u64; 2]> = [0, 1, 2, 3, 512, 8192, 1 << 17].map(|n| [A, n]).to_vec();
    list.extend((0..50).map(|_| [rng.random::<u64>() & MASK, rng.random_range(0..1u64 << 44)]));
    let found: Vec<u64> =
        trace::list(&t.call("e3_3_01.pow46", &json!(list))?, list.len()).map_err(overflow)?;
    for ([a, n], found) in list.iter().zip(found) {
        let want = power(*a, *n);
        expect::same(&format!("pow46({a}, {n})"), &found, &want).map_err(|f| f.hint("c"))?;
    }
    Ok(Evidence::new(format!(
        "a^512 = {}, a^8192 = {}, 50 random powers",
        power(A, 512),
        power(A, 8192)
    )))
}

fn jumps(t: &Trial) -> Outcome {
    own(t)?;
    let mut rng = t.rng();
    let s0 = 271_828_183u64;
    let mut list: Vec<[u64; 2]> = [0, 1, 2, 1 << 17, 1_000_000].map(|k| [s0, k]).to_vec();
    list.extend(
        (0..20).map(|_| [rng.random_range(0..1u64 << 45) * 2 + 1, rng.random_range(0..5000)]),
    );
    let found: Vec<u64> =
        trace::list(&t.call("e3_3_01.seed_at", &json!(list))?, list.len()).map_err(overflow)?;
    for ([s, k], found) in list.iter().zip(found) {
        let want = jump(*s, *k);
        expect::same(&format!("seed_at({s}, {k})"), &found, &want).map_err(|f| f.hint("j"))?;
    }
    Ok(Evidence::new("0, 1, 2, 2^17, 10^6 and 20 random numbers of steps"))
}

fn period(t: &Trial) -> Outcome {
    own(t)?;
    let s = t.rng().random_range(0..1u64 << 45) * 2 + 1;
    let calls = [
        Call::new("e3_3_01.pow46", &json!([[A, 1u64 << 44], [A, 1u64 << 43]])),
        Call::new("e3_3_01.seed_at", &json!([[s, 1u64 << 44]])),
    ];
    let replies = t.host(&calls)?;
    let powers: Vec<u64> = trace::value(&replies[0]).map_err(overflow)?;
    expect::same("a^(2^44)", &powers[0], &1).map_err(|f| f.hint("c"))?;
    expect::that(powers[1] != 1, || "a^(2^43) is 1: the period would be half as long".into())
        .map_err(|f| f.hint("c"))?;
    let back: Vec<u64> = trace::value(&replies[1]).map_err(overflow)?;
    expect::same(&format!("the state 2^44 steps after {s}"), &back[0], &s)
        .map_err(|f| f.hint("j"))?;
    Ok(Evidence::new("a^(2^44) = 1, a^(2^43) is not"))
}

fn device(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let kernels = t.kernel("kernels/e3_3_01.cu").compile()?;
    let seeds: Vec<u64> = (0..32).map(|_| rng.random_range(0..1u64 << 45) * 2 + 1).collect();
    let run = kernels
        .launch("lcg_steps", 1, 32)
        .output::<u64>("out", 32)
        .input("s", &seeds)
        .scalar(1000i32)
        .run()?;
    let want: Vec<u64> = seeds.iter().map(|s| jump(*s, 1000)).collect();
    expect::eq("lcg46, 1000 steps", &run.get::<u64>("out")?, &want).map_err(|f| f.hint("a"))?;
    let states: Vec<f64> = seeds.iter().map(|s| *s as f64).collect();
    let slow = kernels
        .launch("randlc_steps", 1, 32)
        .output::<f64>("out", 32)
        .input("s", &states)
        .scalar(1000i32)
        .run()?;
    let (fast, slow) = (run.total().inst, slow.total().inst);
    expect::that(3 * fast <= slow, || {
        format!(
            "1000 steps of lcg46 are {fast} instructions, of randlc {slow}: expected a third \
            or less"
        )
    })
    .map_err(|f| f.hint("g"))?;
    let exponents: Vec<u64> =
        (0..32).map(|i| if i < 8 { i } else { rng.random_range(0..1 << 44) }).collect();
    let powers = kernels
        .launch("powers", 1, 32)
        .output::<u64>("out", 32)
        .input("a", &seeds)
        .input("n", &exponents)
        .run()?;
    let want: Vec<u64> = seeds.iter().zip(&exponents).map(|(a, n)| power(*a, *n)).collect();
    expect::eq("pow46", &powers.get::<u64>("out")?, &want).map_err(|f| f.hint("c"))?;
    Ok(Evidence::new(format!(
        "1000 steps: {fast} instructions, {slow} for the form in double precision"
    )))
}
