//! What the checks of the transforms have in common.

use grading::{Evidence, Finding, Outcome, Trial, expect};
use hdl::{Block, Simulator};
use ipcores::fft::{Fft, FftCore, Frames, drive, peak, signal_to_noise};
use rand::{Rng, RngExt};
use serde_json::{Value, json};

/// Parameters of a transform for a request.
pub fn request(fft: Fft) -> Value {
    json!({
        "points": fft.points(), "data_bits": fft.data_bits(),
        "factor_bits": fft.factor_bits(), "rounding": fft.rounds()
    })
}

/// A transform with random widths.
pub fn random_transform(rng: &mut impl Rng, points: u32) -> Result<Fft, Finding> {
    let (data, factor) = (rng.random_range(8..=18), rng.random_range(16..=24));
    let fft = Fft::new(points, data, factor).map_err(|e| Finding::grader(e.to_string()))?;
    Ok(if rng.random() { fft.rounding() } else { fft })
}

/// Random complex samples of `bits` bits.
pub fn samples(rng: &mut impl Rng, bits: u32, n: u32) -> Vec<(i64, i64)> {
    let ty = hdl::signed(bits);
    (0..n).map(|_| (ty.wrap(rng.random()), ty.wrap(rng.random()))).collect()
}

/// Real samples: cosines of amplitude and frequency (in cycles per sample), fractions dropped.
pub fn tones(list: &[(f64, f64)]) -> Vec<(i64, i64)> {
    hdl::stimulus::cosines(1024, list).into_iter().map(|v| (v.trunc() as i64, 0)).collect()
}

/// The exact spectrum, from the definition.
pub fn exact(x: &[(i64, i64)]) -> Vec<(f64, f64)> {
    let n = x.len();
    let turns: Vec<(f64, f64)> =
        (0..n).map(|k| (std::f64::consts::TAU * k as f64 / n as f64).sin_cos()).collect();
    let bin = |k: usize| {
        x.iter().enumerate().fold((0.0, 0.0), |(re, im), (i, &(a, b))| {
            let (s, c) = turns[i * k % n];
            let (a, b) = (a as f64, b as f64);
            (re + a * c + b * s, im + b * c - a * s)
        })
    };
    (0..n).map(bin).collect()
}

/// The transform that the handler `call` builds, with what is declared of it.
pub fn transform(t: &Trial, call: &str, fft: Fft) -> Result<FftCore, Finding> {
    let (block, value) = t.design_and(call, &request(fft))?;
    let declared = |key: &str| value.get(key).and_then(Value::as_u64).unwrap_or(0) as u32;
    Ok(FftCore {
        block,
        fft,
        radix: declared("radix"),
        engine: declared("engine"),
        flush: declared("flush"),
        period: declared("period"),
    })
}

/// Runs frames through a core.
pub fn run(
    core: &FftCore,
    frames: &[Vec<(i64, i64)>],
    schedule: &[u32],
    inverse: bool,
) -> Result<Frames, Finding> {
    let limit = 40_000 * frames.len() as u64;
    let run = drive(&core.block, frames, schedule, inverse, limit)
        .map_err(|e| Finding::wrong(e.to_string()))?;
    expect::that(run.frames.len() == frames.len(), || {
        format!("{} of {} transforms came to an end", run.frames.len(), frames.len())
    })?;
    Ok(run)
}

/// Every bin must be the model's, in order, and `ovflo` with it.
pub fn compare(
    core: &FftCore,
    run: &Frames,
    frames: &[Vec<(i64, i64)>],
    schedule: &[u32],
    inverse: bool,
) -> Result<(), Finding> {
    for (frame, x) in run.frames.iter().zip(frames) {
        let want = core.fft.model(core.radix, schedule, x, inverse);
        let what = format!("X of {} points, shifts {schedule:?}", core.fft.points());
        let flat =
            |bins: &[(i64, i64)]| -> Vec<i64> { bins.iter().flat_map(|b| [b.0, b.1]).collect() };
        expect::eq(&format!("{what} (re, im in turn)"), &flat(&frame.bins), &flat(&want.bins))?;
        expect::that(frame.overflow == want.overflow, || {
            format!("{what}: ovflo is {}, expected {}", frame.overflow, want.overflow)
        })?;
        expect::that(frame.in_order, || format!("{what}: the bins do not come in order"))?;
    }
    Ok(())
}

/// Two frames through a transform of few points, with random widths, shifts and direction.
fn small(t: &Trial, rng: &mut impl Rng, call: &str, points: u32) -> Result<(), Finding> {
    let fft = random_transform(rng, points)?;
    let core = transform(t, call, fft)?;
    let frames = [(); 2].map(|()| samples(rng, fft.data_bits(), points));
    let stages = fft.stages(core.radix).map_err(|e| Finding::grader(e.to_string()))?;
    let shifts: Vec<u32> = (0..stages).map(|_| rng.random_range(0..=3)).collect();
    let inverse = rng.random();
    let run = run(&core, &frames, &shifts, inverse)?;
    compare(&core, &run, &frames, &shifts, inverse)
}

/// Random transforms of small sizes, then 1024 points in their clocks.
pub fn whole(
    t: &Trial,
    call: &str,
    sizes: &[u32],
    schedule: &[u32],
    engine: u32,
    least_snr: f64,
) -> Outcome {
    let mut rng = t.rng();
    let whole = |f: Finding| f.or_hint("whole");
    for &points in sizes {
        small(t, &mut rng, call, points).map_err(whole)?;
    }
    let fft = Fft::lab5();
    let core = transform(t, call, fft).map_err(whole)?;
    let x = tones(&[(8000.0, 0.26)]);
    let frames = [x.clone()];
    let run = run(&core, &frames, schedule, false).map_err(whole)?;
    compare(&core, &run, &frames, schedule, false).map_err(whole)?;
    let frame = &run.frames[0];
    let scale = f64::from(1u32 << schedule.iter().sum::<u32>());
    let snr = signal_to_noise(&frame.bins, &exact(&x), scale);
    expect::that(snr >= least_snr, || {
        format!("signal to noise {snr:.1} dB, expected {least_snr} dB")
    })
    .map_err(whole)?;
    expect::that(core.engine == engine && run.busy == u64::from(core.compute_cycles()), || {
        format!("busy for {} clocks, expected {engine} and those of the pipeline", run.busy)
    })
    .map_err(whole)?;
    let (bin, magnitude) = peak(&frame.bins);
    Ok(Evidence::new(format!(
        "1024 points: {engine} + {} clocks, peak {magnitude:.0} at bin {bin}, signal to noise \
         {snr:.1} dB",
        core.flush
    )))
}

/// What a design of inputs and registers answers: `values` at the inputs called `names` for
/// `clocks` clocks, then all outputs in the order of declaration.
pub fn answer(
    block: &Block,
    names: &[String],
    values: &[i64],
    clocks: u64,
) -> Result<Vec<i64>, Finding> {
    let mut sim = Simulator::new(block);
    for (name, value) in names.iter().zip(values) {
        let input = sim.input(name).map_err(|e| Finding::grader(e.to_string()))?;
        sim.poke(input, *value);
    }
    sim.run(clocks);
    let outputs = sim.ports().1.to_vec();
    Ok(outputs.into_iter().map(|p| sim.peek(p)).collect())
}

/// The values that butterfly `number` of `stage` joins: positions that differ in one digit, and the
/// number of the factor.
pub fn expected_addresses(fft: Fft, radix: u32, stage: u32, number: u32) -> (Vec<i64>, i64) {
    let distance = radix.pow(stage);
    let (high, low) = (number / distance, number % distance);
    let positions = (0..radix).map(|k| i64::from(high * radix * distance + k * distance + low));
    (positions.collect(), i64::from(low * (fft.points() / (radix * distance))))
}

/// Positions and factors of the address generator `call`, for 1024 points.
pub fn check_addresses(t: &Trial, call: &str, radix: u32) -> Outcome {
    let fft = Fft::lab5();
    let block = t.design(call, &request(fft))?;
    let names = ["stage".to_string(), "number".to_string()];
    let stages = fft.stages(radix).map_err(|e| Finding::grader(e.to_string()))?;
    let mut rng = t.rng();
    for stage in 0..stages {
        for _ in 0..12 {
            let number = rng.random_range(0..fft.points() / radix);
            // The second clock: what depends on the stage may have gone through a register.
            let got = answer(&block, &names, &[stage.into(), number.into()], 1)?;
            let (positions, factor) = expected_addresses(fft, radix, stage, number);
            let what = format!("stage {stage}, butterfly {number}");
            let (last, first) = got.split_last().ok_or_else(|| Finding::wrong("no positions"))?;
            expect::that(first == positions, || {
                format!("{what}: expected the positions {positions:?}, got {first:?}")
            })
            .map_err(|f| f.hint("gap"))?;
            expect::that(*last == factor, || {
                format!("{what}: expected the phase factor {factor}, got {last}")
            })
            .map_err(|f| f.hint("factor"))?;
        }
    }
    Ok(Evidence::new(format!("{stages} stages: the right values and factors")))
}

/// The sums of a butterfly, one after the other: real, imaginary.
pub fn expected_sums(fft: Fft, x: &[(i64, i64)], w: &[(i64, i64)]) -> Vec<i64> {
    let times = |(a, b): (i64, i64), (c, d): (i64, i64)| (a * c - b * d, a * d + b * c);
    let unit = 1i64 << fft.fraction();
    let mut terms = vec![(x[0].0 * unit, x[0].1 * unit)];
    terms.extend(x[1..].iter().zip(w).map(|(x, w)| times(*x, *w)));
    let n = x.len();
    // exp(-j 2 pi q m / n) for n = 2 and 4 is a power of -j.
    let turns = [(1, 0), (0, -1), (-1, 0), (0, 1)];
    (0..n)
        .flat_map(|q| {
            let sum = terms.iter().enumerate().fold((0, 0), |(re, im), (m, t)| {
                let turned = times(*t, turns[q * m * (4 / n) % 4]);
                (re + turned.0, im + turned.1)
            });
            [sum.0, sum.1]
        })
        .collect()
}

type Values = Vec<(i64, i64)>;

/// A butterfly by itself: streams of random values, one set per clock; the sums must come four
/// clocks later.
pub fn check_butterfly(
    t: &Trial,
    call: &str,
    radix: u32,
    why: impl Fn(&[i64], &[(i64, i64)], &[(i64, i64)]) -> Option<&'static str>,
) -> Outcome {
    let fft = Fft::lab5();
    let block = t.design(call, &request(fft))?;
    let mut sim = Simulator::new(&block);
    let (inputs, outputs) = (sim.ports().0.to_vec(), sim.ports().1.to_vec());
    let mut rng = t.rng();
    let clocks = u64::from(ipcores::fft::BUTTERFLY_CLOCKS);
    let mut sets: Vec<(Values, Values)> = (0..40)
        .map(|_| {
            let w = (1..radix).map(|_| fft.factor(rng.random_range(0..fft.points()))).collect();
            (samples(&mut rng, fft.data_bits(), radix), w)
        })
        .collect();
    // The largest sums: both parts of all values at their limits, turned by an eighth.
    let ty = hdl::signed(fft.data_bits());
    for (n, limit) in [(20, ty.max()), (21, ty.min())] {
        let turn = vec![fft.factor(fft.points() / 8); radix as usize - 1];
        sets[n] = (vec![(limit, limit); radix as usize], turn);
    }
    let mut seen: Vec<Vec<i64>> = Vec::new();
    for n in 0..sets.len() + clocks as usize {
        if let Some((x, w)) = sets.get(n) {
            let values = x.iter().chain(w).flat_map(|v| [v.0, v.1]);
            inputs.iter().zip(values).for_each(|(&i, v)| sim.poke(i, v));
        }
        if n >= clocks as usize {
            seen.push(outputs.iter().map(|&o| sim.peek(o)).collect());
        }
        sim.step();
    }
    for (n, ((x, w), got)) in sets.iter().zip(&seen).enumerate() {
        let want = expected_sums(fft, x, w);
        // Sums of the right values that come earlier or later.
        let other = |k: usize| sets.get(k).is_some_and(|(x, w)| *got == expected_sums(fft, x, w));
        let late = n > 0 && (other(n - 1) || other(n + 1));
        let mixed = sets.get(n + 1).or(sets.get(n.saturating_sub(1))).is_some_and(|(first, _)| {
            let mut x = x.clone();
            x[0] = first[0];
            *got == expected_sums(fft, &x, w)
        });
        let conjugate: Values = w.iter().map(|w| (w.0, -w.1)).collect();
        let wraps = |(got, want): (&i64, &i64)| (got - want) % (1 << fft.product_bits()) == 0;
        let hint = match () {
            () if late || mixed => Some("wait"),
            () if *got == expected_sums(fft, x, &conjugate) => Some("conjugate"),
            () if got.iter().zip(&want).all(wraps) => Some("wide"),
            () => why(got, x, w),
        };
        expect::eq("sums of the butterfly (re, im in turn)", got, &want)
            .map_err(|f| f.hint(hint.unwrap_or("sums")).details(format!("x = {x:?}, w = {w:?}")))?;
    }
    Ok(Evidence::new("40 butterflies: every bit of the sums, four clocks later"))
}

/// Multiplier blocks of the transform of 1024 points on the laboratory's chip.
pub fn check_cost(t: &Trial, call: &str, blocks: u32) -> Outcome {
    use hdl::estimate::{Device, Estimate, Multipliers};
    // What does not transform costs nothing, however few its blocks.
    small(t, &mut t.rng(), call, 16)?;
    let core = transform(t, call, Fft::lab5())?;
    let e = Estimate::new(&core.block, &Device::XC3S700A, Multipliers::Blocks);
    expect::that(e.total.multipliers == blocks, || {
        format!("expected {blocks} multiplier blocks, counted {}", e.total.multipliers)
    })
    .map_err(|f| f.hint("three"))?;
    Ok(Evidence::new(format!(
        "{} multiplier blocks, about {} LUTs, {} flip-flops",
        e.total.multipliers, e.total.luts, e.total.ffs
    )))
}
