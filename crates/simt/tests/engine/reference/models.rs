//! Simulations, statistics, learning.

use super::{List, World};

pub const ALL: List = &[
    ("monte_carlo", monte_carlo),
    ("curand_pi", curand_pi),
    ("black_scholes", black_scholes),
    ("rows", rows),
    ("nbody", nbody),
    ("fractals", fractals),
    ("kmeans", kmeans),
    ("time_steps", time_steps),
    ("doubles", doubles),
];

fn monte_carlo(w: &mut World) {
    let mut hits = 0;
    for i in 0..256u32 {
        let mut state = 12345u32.wrapping_add(7919 * i);
        let mut uniform = || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 8) as f32 / 16_777_216.0
        };
        for _ in 0..50 {
            let (x, y) = (uniform(), uniform());
            hits += u32::from(x * x + y * y <= 1.0);
        }
    }
    w.set("hits", vec![hits]);
    let mut states = w.get::<u32>("states");
    let mut per_thread = Vec::new();
    for s in &mut states {
        let mut next = || {
            *s ^= *s << 13;
            *s ^= *s >> 17;
            *s ^= *s << 5;
            u64::from(*s >> 1)
        };
        let mut inside = 0;
        for _ in 0..40 {
            let (x, y) = (next(), next());
            inside += u32::from(x * x + y * y < 1 << 62);
        }
        per_thread.push(inside);
    }
    w.set("states", states);
    w.set("per_thread", per_thread);
}

fn curand_pi(w: &mut World) {
    w.set("pi", vec![std::f32::consts::PI]);
    w.set("normals", vec![0.0f32, 1.0]);
}

/// The error function by its series with positive terms only, good to a few units in the last
/// place.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x.abs(), x.abs());
    for k in 1..400 {
        term *= 2.0 * x * x / f64::from(2 * k + 1);
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum * x.signum()
}

fn black_scholes(w: &mut World) {
    let (price, strike) = (w.get::<f32>("price"), w.get::<f32>("strike"));
    let years = w.get::<f32>("years");
    let (r, sigma) = (0.02f64, 0.30f64);
    let polynomial = |d: f64| {
        let k = 1.0 / (1.0 + 0.2316419 * d.abs());
        let a = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
        let series = a.iter().rev().fold(0.0, |s, c| k * (c + s));
        let tail = (-0.5 * d * d).exp() / std::f64::consts::TAU.sqrt() * series;
        if d > 0.0 { 1.0 - tail } else { tail }
    };
    let exact = |d: f64| 0.5 + 0.5 * erf(d / 2f64.sqrt());
    let call = |i: usize, normal: &dyn Fn(f64) -> f64| {
        let (s, x, t) = (f64::from(price[i]), f64::from(strike[i]), f64::from(years[i]));
        let d1 = ((s / x).ln() + (r + 0.5 * sigma * sigma) * t) / (sigma * t.sqrt());
        let (n1, n2) = (normal(d1), normal(d1 - sigma * t.sqrt()));
        let worth = x * (-r * t).exp();
        (s * n1 - worth * n2, worth * (1.0 - n2) - s * (1.0 - n1))
    };
    w.fill("call", 300, |i| call(i, &polynomial).0 as f32);
    w.fill("put", 300, |i| call(i, &polynomial).1 as f32);
    w.fill("exact_call", 300, |i| call(i, &exact).0);
}

fn rows(w: &mut World) {
    let x: Vec<f64> = w.get::<f32>("x").into_iter().map(f64::from).collect();
    let (gamma, beta) = (w.get::<f32>("gamma"), w.get::<f32>("beta"));
    let (mut soft, mut normed, mut best) = (Vec::new(), Vec::new(), Vec::new());
    for row in x.chunks(100) {
        let sum: f64 = row.iter().map(|v| v.exp()).sum();
        soft.extend(row.iter().map(|v| (v.exp() / sum) as f32));
        let mean = row.iter().sum::<f64>() / 100.0;
        let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 100.0;
        for (c, v) in row.iter().enumerate() {
            let scaled = (v - mean) / (variance + 1e-5).sqrt();
            normed.push((scaled * f64::from(gamma[c]) + f64::from(beta[c])) as f32);
        }
        let top = row.iter().copied().fold(f64::MIN, f64::max);
        best.push(row.iter().position(|v| *v == top).unwrap_or(0) as i32);
    }
    w.set("soft", soft);
    w.set("normed", normed);
    w.set("best", best);
    w.fill("active", 1600, |i| {
        let v = x[i];
        let y = match i % 4 {
            0 => v.max(0.0),
            1 => 1.0 / (1.0 + (-v).exp()),
            2 => v.tanh(),
            _ => 0.5 * v * (1.0 + erf(v / 2f64.sqrt())),
        };
        y as f32
    });
}

fn nbody(w: &mut World) {
    let bodies: Vec<f64> = w.get::<f32>("bodies").into_iter().map(f64::from).collect();
    let velocity = w.get::<f32>("velocity");
    let (mut moved, mut faster) = (Vec::new(), Vec::new());
    for (i, me) in bodies.chunks(4).enumerate() {
        let mut pull = [0.0; 3];
        for other in bodies.chunks(4) {
            let d = [other[0] - me[0], other[1] - me[1], other[2] - me[2]];
            let r2 = d.iter().map(|c| c * c).sum::<f64>() + 1e-3;
            for (p, c) in pull.iter_mut().zip(d) {
                *p += c * other[3].abs() / (r2 * r2.sqrt());
            }
        }
        for axis in 0..3 {
            let v = f64::from(velocity[3 * i + axis]) + pull[axis] * 0.01;
            faster.push(v as f32);
            moved.push((me[axis] + v * 0.01) as f32);
        }
        moved.push(me[3] as f32);
    }
    w.set("velocity", faster);
    w.set("moved", moved);
    let charges: Vec<f64> = w.get::<f32>("charges").into_iter().map(f64::from).collect();
    w.fill("potential", 256, |i| {
        let (x, y) = ((i % 16) as f64 * 0.25, (i / 16) as f64 * 0.25);
        let term =
            |q: &[f64]| q[3] / ((x - q[0]).powi(2) + (y - q[1]).powi(2) + q[2] * q[2]).sqrt();
        charges.chunks(4).map(term).sum::<f64>() as f32
    });
}

fn fractals(w: &mut World) {
    w.fill("mandel", 1024, |i| {
        let (px, py) = ((i % 32) as f32, (i / 32) as f32);
        let (x0, y0) = (-2.0 + 3.0 * px / 32.0, -1.5 + 3.0 * py / 32.0);
        let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
        while x * x + y * y <= 4.0 && n < 100 {
            (x, y) = (x * x - y * y + x0, 2.0 * x * y + y0);
            n += 1;
        }
        n
    });
    w.fill("julia", 2500, |i| {
        let (x, y) = ((i % 50) as i32, (i / 50) as i32);
        let mut r = 1.5 * (25 - x) as f32 / 25.0;
        let mut im = 1.5 * (25 - y) as f32 / 25.0;
        for k in 0..200 {
            (r, im) = (r * r - im * im + -0.8, im * r + r * im + 0.156);
            if r * r + im * im > 1000.0 {
                return k;
            }
        }
        200u8
    });
}

fn kmeans(w: &mut World) {
    let (points, centres) = (w.get::<f32>("points"), w.get::<f32>("centres"));
    let distance = |p: &[f32], c: &[f32]| (p[0] - c[0]).powi(2) + (p[1] - c[1]).powi(2);
    let (mut sums, mut counts, mut owner) = (vec![0.0f32; 10], vec![0i32; 5], Vec::new());
    for p in points.chunks(2) {
        let mut nearest = 0;
        for (k, c) in centres.chunks(2).enumerate() {
            if distance(p, c) < distance(p, &centres[2 * nearest..]) {
                nearest = k;
            }
        }
        owner.push(nearest as i32);
        sums[2 * nearest] += p[0];
        sums[2 * nearest + 1] += p[1];
        counts[nearest] += 1;
    }
    w.fill("moved", 10, |i| sums[i] / counts[i / 2].max(1) as f32);
    w.set("owner", owner);
    w.set("sums", sums);
    w.set("counts", counts);
}

fn time_steps(w: &mut World) {
    let start: Vec<f64> = (0..200)
        .map(|i| if i == 0 || i == 199 { 0.0 } else { (-((i - 100) as f64 / 10.0).powi(2)).exp() })
        .collect();
    let (mut before, mut now) = (start.clone(), start);
    for _ in 0..3 {
        let mut after = vec![0.0; 200];
        for i in 1..199 {
            let bend = now[i - 1] - 2.0 * now[i] + now[i + 1];
            after[i] = 2.0 * now[i] - before[i] + 0.5 * bend;
        }
        (before, now) = (now, after);
    }
    w.set("now", now.iter().map(|v| *v as f32).collect());
    let (mut pos, mut vel) = (w.get::<f32>("pos"), w.get::<f32>("vel"));
    for (x, v) in pos.iter_mut().zip(&mut vel) {
        for _ in 0..50 {
            *x += *v * 0.01;
            if *x < 0.0 {
                (*x, *v) = (-*x, -*v);
            } else if *x > 1.0 {
                (*x, *v) = (2.0 - *x, -*v);
            }
        }
    }
    w.set("pos", pos);
    w.set("vel", vel);
    let angle = w.get::<f64>("angle");
    w.fill("energy", 64, |i| {
        let h = 0.01;
        let f = |s: [f64; 2]| [s[1], -s[0].sin()];
        let add = |s: [f64; 2], d: [f64; 2], h: f64| [s[0] + h * d[0], s[1] + h * d[1]];
        let mut s = [angle[i], 0.0];
        for _ in 0..100 {
            let a = f(s);
            let b = f(add(s, a, h / 2.0));
            let c = f(add(s, b, h / 2.0));
            let d = f(add(s, c, h));
            for k in 0..2 {
                s[k] += h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]);
            }
        }
        s[1] * s[1] / 2.0 - s[0].cos()
    });
}

fn doubles(w: &mut World) {
    let x = w.get::<f64>("x");
    let common = |v: f64| {
        v.sin() * v.cos()
            + (v * 0.25).tan()
            + (-v).exp()
            + v.ln()
            + v.log10()
            + v.log2()
            + (-v).exp2()
            + v.sqrt()
            + v.cbrt()
            + v.powf(1.5)
            + v.atan2(2.0)
            + (v / 4.0).asin()
            + (v / 4.0).acos()
            + v.atan()
            + v.tanh()
            + v.hypot(3.0)
            + erf(v)
            + 7.0 % v
            + v.abs()
            + v.max(1.0)
            + v.min(2.0)
            - v
            + v.mul_add(v, 1.0)
    };
    w.fill("functions", 200, |i| {
        let v = x[i];
        common(v) + v.sinh() + v.cosh() + v.ln_1p() + (-v).exp_m1()
    });
    w.fill("singles", 200, |i| {
        let v = f64::from(x[i] as f32);
        (common(v) + 1.0 / v.sqrt() + 1.0 / v + (-v).exp()) as f32
    });
    w.fill("roots", 64, |i| ((i + 1) as f64).sqrt());
    let h = 1.0 / 4096.0;
    let term = |i: u32| h * 4.0 / (1.0 + ((f64::from(i) + 0.5) * h).powi(2));
    w.set("integral", vec![(0..4096).map(term).sum::<f64>()]);
    w.fill("rounded", 200, |i| {
        let v = (x[i] - 1.5) * 10.0;
        v.floor()
            + 10.0 * v.ceil()
            + 100.0 * v.trunc()
            + 1000.0 * v.round()
            + 10000.0 * v.round_ties_even()
            + v.round_ties_even()
            + v.trunc()
            + f64::from(v as f32)
            + 0.0
    });
    w.fill("parts", 128, |i| {
        let v = x[i / 2];
        if i % 2 == 0 {
            v * 100.0 + v.trunc()
        } else {
            v.fract() + f64::from_bits(v.to_bits() & !0xffff_ffff)
        }
    });
}
