//! Control flow, integers, and the C++ that kernels use.

use super::{List, World};

pub const ALL: List = &[
    ("control_flow", control_flow),
    ("integers", integers),
    ("language", language),
    ("preprocessor", preprocessor),
    ("printing", printing),
    ("globals", globals),
    ("pointers", pointers),
];

fn control_flow(w: &mut World) {
    let x = w.get::<i32>("x");
    w.fill("nested", 256, |i| nest(i as i32, x[i]));
    w.fill("switched", 256, |i| choose(i as i32, x[i]));
    w.fill("loops", 256, |i| loops(i as i32, x[i]));
    w.fill("circuits", 256, |i| circuit(x[i]));
    w.fill("collatz", 256, |i| {
        let (mut n, mut steps) = (i as u32 + 1, 0);
        while n != 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    });
}

fn nest(i: i32, v: i32) -> i32 {
    match v {
        ..0 if v % 2 == 0 => 3,
        ..0 if i & 4 != 0 => -33,
        ..0 if i & 8 != 0 => -63,
        ..0 => -3,
        0..25 => (0..v).fold(0, |r, k| if k % 3 == 0 { r + k } else { r ^ k }),
        46.. => 5,
        41.. => 4,
        31.. => 3,
        _ => 2,
    }
}

fn choose(i: i32, v: i32) -> i32 {
    let r = match v % 8 {
        0 => 100,
        1 | 2 => 230,
        3 => 30,
        4 => 2 * i + 7,
        -1 if i % 2 == 0 => 1009,
        -1 => 0,
        -2 => 1000,
        _ => 7,
    };
    match i & 3 {
        2 => r,
        3 => 1 - r,
        _ => r + 1,
    }
}

fn loops(i: i32, v: i32) -> i32 {
    let mut n = v.abs() + 2;
    let mut r = (2..=n).find(|d| n % d == 0).unwrap_or(n);
    let mut turns = 0;
    while n != 7 {
        r += n;
        n = if n % 2 != 0 { n - 3 } else { n / 2 };
        if n <= 20 {
            r += 1000;
        }
        if n <= 0 {
            break;
        }
        turns += 1;
        if turns >= 10 {
            break;
        }
    }
    while r % 5 != 0 {
        // k counts 2, 1, 0 and stops at i % 3: that many steps of 5 come before
        r -= 1 + 5 * (2 - i % 3);
    }
    while r >= 4000 {
        r -= 100;
    }
    r + turns
}

fn circuit(v: i32) -> i32 {
    let a = v > 20;
    let mut n = i32::from(v > 0);
    n += match v {
        ..-10 => 0,
        3 => 1,
        _ => 2,
    };
    n += i32::from(a);
    let c = if a { 10 } else { 20 };
    let d = v + 1;
    let e = 3 * v + 2 * if d > 5 { d } else { d - 1 };
    n + c + i32::from(a) * 100 + 200 + e * 1000 + 2 * (d - 1)
}

fn integers(w: &mut World) {
    let (a, b) = (w.get::<i64>("a"), w.get::<i64>("b"));
    w.fill("wide", 128, |i| {
        let (x, y) = (a[i], b[i]);
        let mut v = x.wrapping_mul(y);
        v ^= x / y;
        v = v.wrapping_add((x % y) << 7);
        v = v.wrapping_sub((x >> 3) | ((x as u64) >> 40) as i64);
        v = (v << 5).wrapping_sub(!v);
        if x > y {
            v = v.wrapping_add(((i128::from(x << 30) * i128::from(y << 30)) >> 64) as i64);
        }
        v
    });
    let words = w.get::<u32>("words");
    w.fill("bits", 128, |i| {
        let word = words[i];
        let mut r = word.count_ones() as i32
            + 100 * word.leading_zeros() as i32
            + 10_000 * (word.trailing_zeros() as i32 + 1);
        r ^= (word.reverse_bits() >> 7) as i32;
        r += ((u64::from(word) * 0x9e37_79b9) >> 32) as i32 & 0xffff;
        r -= (word >> 8) as i32 & 0xff;
        let wide = u64::from(word);
        r += (wide << 20 | i as u64).count_ones() as i32
            + wide.leading_zeros() as i32
            + (wide << 3).trailing_zeros() as i32
            + 1;
        let high = (i64::from(word as i32) * -5) >> 32;
        r.wrapping_add(high as i32).wrapping_add(word.abs_diff(77) as i32 + 1) - 3 * i as i32
    });
    w.fill("narrow", 128, |i| {
        let v = a[i];
        let c = i32::from((v as i8).wrapping_add(100));
        let u = i32::from((v as u8).wrapping_sub(50));
        let s = i32::from(((v >> 8) as i16).wrapping_shl(2));
        let h = i32::from((v * 3) as u16);
        let i = i as i32 - 64;
        c + 1000 * u - s + (h >> 1) + (v & 1) as i32 + i / 3 + i % 3 - 3 - 7
    });
    let modulus = 1_000_000_007u64;
    w.fill("powers", 64, |i| {
        let (mut result, i) = (1, i as u64);
        for _ in 0..1000 * i + 17 {
            result = result * (3 + i) % modulus;
        }
        result
    });
    w.fill("primes", 200, |n| u8::from(n >= 2 && (2..n).all(|d| n % d != 0)));
}

fn language(w: &mut World) {
    let (x, f) = (w.get::<i32>("x"), w.get::<f32>("f"));
    w.fill("overloads", 64, |i| {
        let (n, v) = (x[i], f[i]);
        let both = if n > 0 { 2.5 * v + (2 * n) as f32 } else { v };
        (2 * n) as f32 + 2.5 * v + both + (v * 3.0 + 0.5) + (v * 2.0 + 0.5) + (v + v)
    });
    w.fill("generic", 64, |i| {
        let ring: i32 = (2..6).map(|k| x[(i + k) % 64] + k as i32).sum::<i32>() + 100;
        let larger = (2.5 * i as f64).max(1.5) as i32;
        ring + x[i].max(5) + (i as i32).max(3) + larger + 120 + 8
    });
    w.fill("stack", 64, |i| {
        let n = x[i].unsigned_abs() % 8 + 1;
        let items = (0..n).map(|k| k + i as u32);
        if n % 2 == 0 {
            items.sum::<u32>() as i32
        } else {
            items.rev().fold(1u32, u32::wrapping_mul) as i32
        }
    });
    w.fill("lambdas", 64, |i| {
        let sum = x[..i % 5].iter().fold(1, |a, b| a * 3 + b);
        let i = i as i32;
        x[i as usize].pow(2) + i + 3 + 15 - 2 * i + 2000 + sum
    });
    let mut fractions = Vec::new();
    for i in 0..64 {
        let (mut a, mut b) = ((x[i as usize], 3), (2, i + 1));
        let sum = (2 * (a.0 * b.1 + b.0 * a.1), a.1 * b.1);
        if b.0 * a.1 < a.0 * b.1 {
            (a, b) = (b, a);
        }
        a.1 *= 2;
        let equal = a.0 * b.1 == b.0 * a.1;
        let value = sum.0 as f32 / sum.1 as f32;
        fractions.push(sum.0 - a.0 + if equal { 5 } else { 0 } + (value * 8.0) as i32);
        fractions.push(sum.1 + a.1);
    }
    w.set("fractions", fractions);
    w.fill("shapes", 64, |i| {
        let (wide, high) = (f[i], f[i] + 1.0);
        wide * high * 2.0 + high * 2.0
    });
}

fn preprocessor(w: &mut World) {
    w.fill("y", 32, |i| {
        let t = i as i32;
        let looked_up = [1, 20, 300, -3][i % 4];
        2 * (t + t.max(10)) + 40 + 9 + looked_up + 1000 + 16 + 5 + 8 + 65 + 1
    });
}

fn printing(_: &mut World) {}

fn globals(w: &mut World) {
    let (x, table) = (w.get::<i32>("x"), w.get::<i32>("table"));
    w.fill("y", 96, |i| {
        let v = x[i];
        let entry = if v % 2 != 0 { table[v as usize] } else { v * v };
        entry + 6 + (v << [1, 2][i & 1])
    });
    w.set("calls", vec![5 + 2 * 3]);
    w.set("history", vec![2.0f32, 6.0, 10.0]);
}

fn pointers(w: &mut World) {
    let x = w.get::<i32>("x");
    w.fill("medians", 128, |i| {
        let mut near: Vec<i32> = (0..5).map(|k| x[(i + k).saturating_sub(2).min(127)]).collect();
        near.sort_unstable();
        near[2]
    });
    let sorted = w.get::<i32>("sorted");
    w.fill("places", 128, |i| sorted.iter().filter(|v| **v < x[i]).count() as i32);
    w.fill("walks", 64, |t| {
        let by = t as i32 % 7 + 1;
        let (q, r) = (x[t] / by, x[t] % by);
        let cell = |k: i32| k * q + r;
        let sum = cell(8 * (t as i32 & 1) + t as i32 % 4) + cell(6) + 12;
        let steps: i32 = x[t..].iter().step_by(16).sum();
        sum + steps + if t % 3 != 0 { 60 } else { 15 }
    });
    let systems = w.get::<f64>("systems");
    let mut solutions = Vec::new();
    for t in 0..16 {
        let mut a = [[0.0; 5]; 4];
        for (r, row) in a.iter_mut().enumerate() {
            for (c, v) in row.iter_mut().enumerate().take(4) {
                *v = systems[(t + r * 4 + c) % 64] + if r == c { 8.0 } else { 0.0 };
            }
            row[4] = (r + 1) as f64;
        }
        for p in 0..4 {
            for r in p + 1..4 {
                let factor = a[r][p] / a[p][p];
                #[allow(clippy::needless_range_loop)] // two rows of one matrix
                for c in p..5 {
                    a[r][c] -= factor * a[p][c];
                }
            }
        }
        let mut y = [0.0; 4];
        for r in (0..4).rev() {
            let known: f64 = (r + 1..4).map(|c| a[r][c] * y[c]).sum();
            y[r] = (a[r][4] - known) / a[r][r];
        }
        solutions.extend(y);
    }
    w.set("solutions", solutions);
}
