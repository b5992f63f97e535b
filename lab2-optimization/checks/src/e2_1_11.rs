//! Checks of exercise 2.1.11: resources, occupancy, and the driver's suggestion.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, trace};
use rand::{Rng, RngExt};
use serde_json::{Value, json};
use simt::report::LaunchReport;

use crate::fir_c;
use crate::fir_rig::{Channel, Version};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.11",
    key: "e2_1_11",
    title: "Further attempts",
    points: 8,
    files: &["src/e2_1_11.rs", ANSWERS],
    todo: "Write kernel_resources, occupancy, suggestion and the two lines in src/e2_1_11.rs, run \
        `cargo lab study fir`, and answer in answers/e2_1_11.toml.",
    hints: &[
        ("d", "count whole warps: 33 threads are two"),
        ("e", "mind the limit of blocks per SM"),
        ("a", "registers are allocated in units of 256 per warp"),
        ("b", "warps per SM in steps of 4"),
        (
            "c",
            "1 KiB per block is reserved (from compute capability 8.0 on), and the sum is rounded \
             up to the unit",
        ),
        ("r", "NumRegisters and SharedMemorySizeBytes are attributes of the function"),
        (
            "s",
            "suggested_launch_configuration(0, BlockSize::x(0)): no dynamic shared memory, no \
             limit",
        ),
        ("w", "the widths are those of C's \"%5d\" and \"%3d\""),
        (
            "p",
            "the table of `cargo lab study fir` has A and B; `cargo lab occupancy --block K --regs \
             32 --shared BYTES` answers for your K",
        ),
        (
            "x",
            "bonus: entry p of a block holds sample start - n + p; its first n outputs are wrapped \
             round",
        ),
    ],
    checks: &[
        Check {
            name: "resources",
            what: "registers and shared memory of a kernel",
            weight: 1,
            run: resources,
        },
        Check {
            name: "occupancy40",
            what: "the calculator in 40 cases",
            weight: 4,
            run: occupancy40,
        },
        Check {
            name: "suggestion",
            what: "the driver's suggestion, and its lines",
            weight: 1,
            run: suggestion,
        },
        Check { name: "errors", what: "blocks that cannot be", weight: 1, run: errors },
        Check { name: "answers", what: "what the study says", weight: 2, run: answers },
        Check { name: "bonus", what: "overlap-save (bonus, no points)", weight: 0, run: bonus },
    ],
};

const ANSWERS: &str = "answers/e2_1_11.toml";

/// Limits of a multiprocessor in the order in which the handler takes them: warps, blocks,
/// registers, their unit, shared bytes, their unit, reserved bytes.
type Limits = [u32; 7];

/// The five generations of the exercise.
const GENERATIONS: [(&str, Limits); 5] = [
    ("5.0", [64, 32, 65_536, 256, 64 << 10, 256, 0]),
    ("7.5", [32, 16, 65_536, 256, 64 << 10, 256, 0]),
    ("8.0", [64, 32, 65_536, 256, 164 << 10, 128, 1024]),
    ("8.6", [48, 16, 65_536, 256, 100 << 10, 128, 1024]),
    ("9.0", [64, 32, 65_536, 256, 228 << 10, 128, 1024]),
];

/// Ways to be wrong, by the hint's id.
const MISTAKES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Blocks, warps, percent and limiter, by trying one block after the other; with a student's
/// mistake if asked for.
fn truth(
    limits: Limits,
    threads: u32,
    regs: u32,
    smem: u32,
    mistake: &str,
) -> (u32, u32, f64, &'static str) {
    let [warps, blocks, registers, unit, shared, shared_unit, reserved] = limits;
    let per_block = if mistake == "d" { (threads / 32).max(1) } else { threads.div_ceil(32) };
    let round = |x: u32, to: u32| x.div_ceil(to) * to;
    let per_warp = if mistake == "a" { 32 * regs } else { round(32 * regs, unit) };
    let mut room = registers.checked_div(per_warp).unwrap_or(u32::MAX);
    if mistake != "b" && room != u32::MAX {
        room -= room % 4;
    }
    let bytes = round(smem + if mistake == "c" { 0 } else { reserved }, shared_unit);
    let fits = |b: u32| {
        [
            (b * per_block <= warps, "Warps"),
            (b <= blocks || mistake == "e", "Blocks"),
            (b * per_block <= room, "Registers"),
            (b * bytes <= shared, "Shared"),
        ]
    };
    let mut resident = 0;
    while fits(resident + 1).iter().all(|(ok, _)| *ok) {
        resident += 1;
    }
    let limiter = fits(resident + 1).into_iter().find(|(ok, _)| !ok).map_or("", |(_, name)| name);
    let percent = match mistake {
        "d" => 100.0 * f64::from(resident * threads) / f64::from(32 * warps),
        _ => 100.0 * f64::from(resident * per_block) / f64::from(warps),
    };
    (resident, resident * per_block, percent, limiter)
}

type Case = (usize, u32, u32, u32);

/// The handout's cases, those in which each mistake shows, and random ones: 40 in all.
fn cases(rng: &mut impl Rng) -> Vec<Case> {
    let mut list: Vec<Case> = Vec::new();
    for device in [0, 4] {
        list.extend((1..=8).map(|i| (device, 128 * i, 32, 4 * (1024 + 128 * i))));
    }
    list.extend([
        (3, 1024, 32, 8192),
        (0, 1024, 40, 8192),
        (2, 1024, 40, 8192),
        (4, 1024, 40, 8192),
    ]);
    list.extend([
        (4, 33, 32, 0),
        (0, 32, 8, 0),
        (4, 32, 16, 0),
        (1, 96, 33, 0),
        (4, 96, 40, 0),
        (3, 64, 72, 6000),
        // An eighth of the shared memory: seven blocks, because of what is reserved in each.
        (4, 64, 16, (228 << 10) / 8),
    ]);
    list.extend([(4, 1, 0, 0), (2, 32, 255, 48 << 10)]);
    while list.len() < 40 {
        let case = (
            rng.random_range(0..5),
            rng.random_range(1..=1024),
            rng.random_range(1..=64),
            rng.random_range(0..32 << 10),
        );
        let (device, threads, regs, smem) = case;
        if truth(GENERATIONS[device].1, threads, regs, smem, "").0 > 0 {
            list.push(case);
        }
    }
    list
}

fn ask(t: &Trial, cases: &[Case]) -> Result<Vec<Value>, Finding> {
    let request: Vec<_> = cases
        .iter()
        .map(|(d, threads, regs, smem)| (GENERATIONS[*d].1, threads, regs, smem))
        .collect();
    trace::list(&t.call("e2_1_11.occupancy", &json!(request))?, request.len())
}

fn occupancy40(t: &Trial) -> Outcome {
    let cases = cases(&mut t.rng());
    let found = ask(t, &cases)?;
    for ((d, threads, regs, smem), value) in cases.iter().zip(&found) {
        let (cc, limits) = GENERATIONS[*d];
        let want = truth(limits, *threads, *regs, *smem, "");
        let what =
            format!("compute capability {cc}, {threads} threads, {regs} registers, {smem} bytes");
        let Ok((blocks, warps, bits, limiter)) =
            serde_json::from_value::<(u32, u32, u64, String)>(value.clone())
        else {
            return Err(Finding::wrong(format!(
                "{what}: expected {want:?}, found an error: {value}"
            )));
        };
        let got = (blocks, warps, f64::from_bits(bits), limiter.as_str());
        let same = |a: (u32, u32, f64, &str), b: (u32, u32, f64, &str)| {
            (a.0, a.1) == (b.0, b.1) && (a.2 - b.2).abs() < 1e-9
        };
        if same(got, want) && got.3 == want.3 {
            continue;
        }
        let finding = Finding::wrong(format!(
            "{what}: expected (blocks, warps, percent, limiter) = {want:?}, found {got:?}"
        ));
        let known =
            MISTAKES.into_iter().find(|m| same(got, truth(limits, *threads, *regs, *smem, m)));
        let percent_only = (got.0, got.1) == (want.0, want.1);
        return Err(match known.or(percent_only.then_some("d")) {
            Some(hint) => finding.hint(hint),
            None => finding,
        });
    }
    Ok(Evidence::new(
        "40 cases on five generations, among them the handout's: K = 128, 256, ..., 1024 on 5.0 \
         and 9.0",
    ))
}

fn errors(t: &Trial) -> Outcome {
    let bad = [
        (4, 0, 32, 0),
        (4, 1025, 32, 0),
        (0, 128, 256, 0),
        (4, 2000, 300, 0),
        (1, 64, 32, 65 << 10),
    ];
    // Whoever refuses everything has refused nothing.
    let good = ask(t, &[(4, 128, 32, 0)])?;
    expect::that(!good[0].is_string(), || {
        format!("128 threads, 32 registers, 0 bytes: refused: {}", good[0])
    })?;
    for (case, value) in bad.iter().zip(ask(t, &bad)?) {
        let (_, threads, regs, smem) = case;
        expect::that(value.is_string(), || {
            format!(
                "{threads} threads, {regs} registers, {smem} bytes: expected Err(...), found \
                 {value}"
            )
        })
        .map_err(|f| f.hint("C5"))?;
    }
    Ok(Evidence::new(
        "0 and 1025 threads, 256 registers, 65 KiB of shared memory where there are 64: refused",
    ))
}

/// The kernel as the judge's own compiler sees it.
fn compiled(t: &Trial, version: Version, k: usize) -> Result<LaunchReport, Finding> {
    let kernels = version.compile(t, k, 1024)?;
    let channel = Channel::random(version, &mut t.rng(), 32, 1024, k);
    Ok(channel.launcher(&kernels).run()?.report().clone())
}

const KERNELS: [(u32, Version, usize); 3] =
    [(4, Version::Tiled, 512), (5, Version::Static, 512), (4, Version::Tiled, 128)];

/// Asks the handler of this name about each of the kernels.
fn about_kernels(t: &Trial, name: &str) -> Result<Vec<Reply>, Finding> {
    t.host(&KERNELS.map(|(file, _, k)| Call::new(name, &json!({ "file": file, "k": k }))))
}

fn resources(t: &Trial) -> Outcome {
    let mut evidence = Evidence::default();
    let replies = about_kernels(t, "e2_1_11.resources")?;
    for ((file, version, k), reply) in KERNELS.into_iter().zip(&replies) {
        let (regs, smem): (u32, u32) = trace::value(reply)?;
        let want = compiled(t, version, k)?;
        let bytes = 4 * (1024 + k as u32);
        let right = if reply.backend == "cuda" {
            (1..=255).contains(&regs)
        } else {
            regs == want.registers
        };
        expect::that(right && smem == bytes, || {
            format!(
                "fir{file}.cu, K = {k}: expected {} registers and {bytes} bytes of shared memory, \
                 found {regs} and {smem}",
                want.registers
            )
        })
        .map_err(|f| f.hint("r"))?;
        evidence = evidence.line(format!("fir{file}.cu, K = {k}: {regs} registers, {smem} bytes"));
    }
    Ok(evidence)
}

fn suggestion(t: &Trial) -> Outcome {
    let device = simt::device::from_env().map_err(Finding::grader)?;
    let mut evidence = Evidence::default();
    let replies = about_kernels(t, "e2_1_11.suggestion")?;
    for ((file, version, k), reply) in KERNELS.into_iter().zip(&replies) {
        let got: (u32, u32) = trace::value(reply)?;
        let r = compiled(t, version, k)?;
        // The largest of the blocks that keep most threads resident.
        let resident = |threads: u32| {
            simt::occupancy::occupancy(device, threads, r.registers, r.static_shared)
                .map_or(0, |o| o.blocks)
        };
        let best = (1..=32).map(|w| 32 * w).max_by_key(|n| (resident(*n) * n, *n)).unwrap_or(32);
        let want = (resident(best) * device.sms, best);
        let right = if reply.backend == "cuda" { got.0 > 0 && got.1 > 0 } else { got == want };
        expect::that(right, || {
            format!("fir{file}.cu, K = {k}: expected (blocks, length) = {want:?}, found {got:?}")
        })
        .map_err(|f| f.hint("s"))?;
        evidence =
            evidence.line(format!("fir{file}.cu, K = {k}: at least {} blocks of {}", got.0, got.1));
    }
    let lines = [((264, 1024), (4, 512)), ((12, 32), (10_000, 64))];
    let calls = lines.map(|both| Call::new("e2_1_11.lines", &json!(both)));
    for ((suggested, actual), reply) in lines.into_iter().zip(&t.host(&calls)?) {
        let lines: [String; 2] = trace::value(reply)?;
        let want = [
            format!("Quasi-optimal cfg.: >={:>5} blocks of length {}", suggested.0, suggested.1),
            format!("Actual configuration: {:>3} blocks of length {}", actual.0, actual.1),
        ];
        expect::that(lines == want, || format!("expected {want:?}, found {lines:?}"))
            .map_err(|f| f.hint("w"))?;
    }
    Ok(evidence)
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let mut rng = a.own()?;
    // Between the rows of the study's table, and two rows of it.
    let k = 128 * rng.random_range(2..8) + 32 * rng.random_range(1..4);
    let row = rng.random_range(1..8);
    let (short, long) = (128 * row, 128 * rng.random_range(row + 1..9));
    let a = a.about(format!("K = {k}; A = {short}, B = {long}"));
    let channel = |k| Channel::random(Version::Tiled, &mut t.rng(), 2 * k, 1024, k);
    let model = channel(512).model();
    let per_output = |k: usize| channel(k).model().gld.1 as f64 / (2 * k) as f64;
    let own = truth(GENERATIONS[4].1, k as u32, 32, 4 * (1024 + k as u32), "").2;
    let truth = [
        // A fused multiply-add of a warp is 64 operations.
        ("loads_per_fma", model.shld.0 as f64 / (model.flop as f64 / 64.0), 0.01),
        ("percent", own, 0.06),
        ("traffic_ratio", per_output(short) / per_output(long), 0.02),
    ];
    for (key, want, tolerance) in truth {
        a.is_near(key, want, tolerance, "p")?;
    }
    Ok(Evidence::new(
        "one shared load per multiply-add; K = 256 and 1024 tie in occupancy, not in traffic",
    ))
}

fn bonus(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let sizes = [(1, 0), (9, 3), (513, 64), (2048, 1024), (7000, 1024), (6145, 1024)];
    let cases = sizes.into_iter().flat_map(|(len, n)| fir_c::signals(&mut rng, len, n));
    let cases: Vec<fir_c::Case> = cases.filter(|c| c.yin.iter().all(|v| !v.is_nan())).collect();
    let calls: Vec<_> = cases.iter().map(|c| Call::new("e2_1_11.fft", &c.request())).collect();
    let replies = t.host(&calls)?;
    if let Ok((message, _)) = grading::host::error(&replies[0])
        && message.contains("not been attempted")
    {
        return Ok(Evidence::new("not attempted"));
    }
    for (case, reply) in cases.iter().zip(&replies) {
        let bits: Vec<u32> = trace::value(reply)?;
        let size: f64 = case.coeff.iter().map(|h| f64::from(h.abs())).sum();
        for (c, x) in case.channels().into_iter().enumerate() {
            let top = x.iter().fold(0.0f64, |m, v| m.max(f64::from(v.abs())));
            let y: Vec<f32> =
                bits.iter().skip(c * case.len).take(case.len).map(|b| f32::from_bits(*b)).collect();
            let want: Vec<f64> =
                references::fir::filter(x, &case.coeff).iter().map(|w| w.0).collect();
            let name = ["left", "right"][c];
            expect::close(name, &y, &want, |_| 1e-5 * size * top).map_err(|f| {
                Finding { message: format!("{} ({})", f.message, case.title()), ..f }.hint("x")
            })?;
        }
    }
    Ok(Evidence::new("the bonus: overlap-save is right to 1e-5 of sum|h| max|x|"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// Two ways to the same number: trying block after block here, a formula in the engine.
    #[test]
    fn trying_agrees_with_the_engine_s_formula() {
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(3);
        let devices = ["gtx750", "", "a100", "", "h200"];
        for (d, threads, regs, smem) in cases(&mut rng) {
            let Some(model) = simt::device::model(devices[d]) else { continue };
            let o = simt::occupancy::occupancy(model, threads, regs, smem).unwrap();
            let (blocks, warps, percent, limiter) =
                truth(GENERATIONS[d].1, threads, regs, smem, "");
            assert_eq!((o.blocks, o.warps, o.percent), (blocks, warps, percent));
            assert_eq!(format!("{:?}", o.limiter), limiter);
        }
    }

    #[test]
    fn every_mistake_shows_in_some_case() {
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(4);
        let cases = cases(&mut rng);
        assert_eq!(cases.len(), 40);
        for m in MISTAKES {
            let shows = |(d, t, r, s): &Case| {
                truth(GENERATIONS[*d].1, *t, *r, *s, m) != truth(GENERATIONS[*d].1, *t, *r, *s, "")
            };
            assert!(cases.iter().any(shows), "{m}");
        }
    }
}
