//! What the OpenCL kernels must compute: plain loops.

use half::f16;

use crate::reference::{List, World};

pub const ALL: List = &[
    ("vector_add", vector_add),
    ("reduction", reduction),
    ("scan", scan),
    ("matmul", matmul),
    ("transpose", transpose),
    ("histogram", histogram),
    ("stencil", stencil),
    ("nbody", nbody),
    ("mandelbrot", mandelbrot),
    ("bitonic", bitonic),
    ("spmv", spmv),
    ("fir", fir),
    ("fdtd3d", fdtd3d),
    ("shift_register", shift_register),
    ("fifo", fifo),
    ("work_items", work_items),
    ("integers", integers),
    ("mathematics", mathematics),
    ("async_copy", async_copy),
    ("structs", structs),
    ("half_values", half_values),
    ("atomics_c11", atomics_c11),
    ("as_clang_reads", as_clang_reads),
    ("packed", packed),
    ("sub_groups", sub_groups),
];

fn vector_add(w: &mut World) {
    let (a, b) = (w.get::<f32>("a"), w.get::<f32>("b"));
    let sum = |i: usize| a[i] + b[i];
    w.fill("plain", 1000, sum);
    w.fill("wide", 1000, sum);
    w.fill("upper", 1000, |i| if i < 500 { 0.0 } else { sum(i) });
}

fn reduction(w: &mut World) {
    let x = w.get::<i32>("x");
    w.fill("part", 16, |g| x[256 * g..256 * (g + 1)].iter().sum::<i32>());
    w.set("sum", vec![x.iter().sum::<i32>()]);
    w.set("largest", vec![x.iter().copied().max().unwrap_or(0)]);
}

fn scan(w: &mut World) {
    let x = w.get::<i32>("x");
    w.fill("inclusive", 512, |i| x[i / 128 * 128..=i].iter().sum::<i32>());
    w.fill("exclusive", 512, |i| x[i / 128 * 128..i].iter().sum::<i32>());
}

fn matmul(w: &mut World) {
    let (a, b) = (w.get::<f32>("a"), w.get::<f32>("b"));
    for name in ["naive", "tiled"] {
        w.fill(name, 1024, |i| {
            (0..32).fold(0.0, |sum, k| sum + a[i / 32 * 32 + k] * b[k * 32 + i % 32])
        });
    }
}

fn transpose(w: &mut World) {
    let x = w.get::<f32>("x");
    w.fill("y", 2048, |i| x[i % 32 * 64 + i / 32]);
}

fn histogram(w: &mut World) {
    let data = w.get::<u8>("data");
    w.fill("bins", 256, |v| data.iter().filter(|d| usize::from(**d) == v).count() as u32);
    let odd = data.iter().filter(|d| *d & 1 == 1).count() as u32;
    w.set("odd", vec![odd, 1024]);
}

fn stencil(w: &mut World) {
    let u = w.get::<f32>("u");
    w.fill("v", 1024, |i| {
        let (x, y) = (i % 32, i / 32);
        if x == 0 || x == 31 || y == 0 || y == 31 {
            return 0.0;
        }
        0.25 * (u[i - 1] + u[i + 1] + u[i - 32] + u[i + 32])
    });
}

fn nbody(w: &mut World) {
    let bodies = w.get::<f32>("bodies");
    let mut out = Vec::new();
    for me in bodies.chunks(4) {
        let mut sum = [0.0f64; 3];
        for other in bodies.chunks(4) {
            let d: [f64; 3] = std::array::from_fn(|k| f64::from(other[k]) - f64::from(me[k]));
            let square = d.iter().map(|v| v * v).sum::<f64>() + f64::from(0.01f32);
            let pull = f64::from(other[3]) / (square * square.sqrt());
            sum.iter_mut().zip(d).for_each(|(s, d)| *s += d * pull);
        }
        out.extend(sum.map(|v| v as f32));
        out.push(0.0);
    }
    w.set("accel", out);
}

fn mandelbrot(w: &mut World) {
    let mut steps = Vec::new();
    for i in 0..1024 {
        let (cx, cy) =
            (-2.0f32 + 0.078125 * (i % 32) as f32, -1.25f32 + 0.078125 * (i / 32) as f32);
        let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
        while n < 50 && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            n += 1;
        }
        steps.push(n);
    }
    let mut colours = Vec::new();
    for n in &steps {
        let part = |f: i32| (n * f * 5).min(255) as u8;
        match n {
            50 => colours.extend([0, 0, 0, 255]),
            _ => colours.extend([part(1), part(2), part(4), 255]),
        }
    }
    w.set("steps", steps);
    w.set("colours", colours);
}

fn bitonic(w: &mut World) {
    let mut x = w.get::<i32>("x");
    for (k, part) in x.chunks_mut(8).enumerate() {
        part.sort_unstable();
        if k % 2 == 1 {
            part.reverse();
        }
    }
    w.set("x", x);
    let mut y = w.get::<u32>("y");
    y.chunks_mut(128).for_each(<[u32]>::sort_unstable);
    w.set("y", y);
}

fn spmv(w: &mut World) {
    let (vals, x) = (w.get::<f32>("vals"), w.get::<f32>("x"));
    for name in ["scalar", "group"] {
        w.fill(name, 64, |r| (0..3).fold(0.0, |sum, k| sum + vals[3 * r + k] * x[r + k]));
    }
}

fn fir(w: &mut World) {
    let (x, taps) = (w.get::<f32>("x"), w.get::<f32>("taps"));
    for name in ["y", "z"] {
        w.fill(name, 256, |i| (0..8).fold(0.0, |sum, k| sum + taps[k] * x[i + k]));
    }
}

fn fdtd3d(w: &mut World) {
    let (u, old) = (w.get::<f32>("u"), w.get::<f32>("old"));
    let weight = [-2.5f32, 1.333_333_4, -0.083_333_33];
    w.fill("new", 4096, |i| {
        let (x, y, z) = (i % 16, i / 16 % 16, i / 256);
        let first = x < 8 && y < 8;
        let second = (4..12).contains(&x) && (4..12).contains(&y);
        let inner = x >= 2 && y >= 2 && (2..14).contains(&z);
        if !(first || second) || !inner {
            return 0.0;
        }
        let mut sum = 3.0 * weight[0] * u[i];
        for k in 1..=2 {
            let near = u[i - k] + u[i + k] + u[i - 16 * k] + u[i + 16 * k];
            sum += weight[k] * (near + u[i - 256 * k] + u[i + 256 * k]);
        }
        2.0 * u[i] - old[i] + 0.1 * sum
    });
}

fn shift_register(w: &mut World) {
    let a = w.get::<i32>("in");
    w.fill("out", 512, |i| {
        let (x, y) = (i % 16, i / 16);
        if x == 0 || x == 15 || y == 0 || y == 31 {
            return 0;
        }
        a[i - 16] + a[i - 1] + a[i + 1] + a[i + 16] - 4 * a[i]
    });
}

fn fifo(w: &mut World) {
    let a = w.get::<i32>("in");
    w.fill("out", 100, |i| 2 * a[i] + 1);
    w.set("ends", vec![100, 100]);
}

fn work_items(w: &mut World) {
    w.fill("out", 240, |i| {
        let (n, k) = (i / 10, i % 10);
        let id = [n % 4, n / 4 % 3, n / 12];
        let (local, first) = ([2, 3, 1], [10, 20, 30]);
        let value = match (k / 3, k % 3) {
            (0, d) => first[d] + id[d],
            (1, d) => id[d] % local[d],
            (2, d) => id[d] / local[d],
            _ => 3,
        };
        value as i32
    });
    w.set("sizes", vec![8, 6, 1, 4, 2, 1, 2, 3, 1, 3, 5, 0, 2, 1]);
}

fn integers(w: &mut World) {
    let (a, b) = (w.get::<i32>("a"), w.get::<i32>("b"));
    let (mut i, mut u, mut c, mut l) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (x, y) in a.into_iter().zip(b) {
        let wide = |v: i32| i64::from(v);
        let low24 = |v: i32| v << 8 >> 8;
        i.extend([
            x.wrapping_abs(),
            x.abs_diff(y) as i32,
            x.saturating_add(y),
            x.saturating_sub(y),
            ((wide(x) + wide(y)) >> 1) as i32,
            ((wide(x) + wide(y) + 1) >> 1) as i32,
            ((wide(x) * wide(y)) >> 32) as i32,
            ((wide(x) * wide(y)) >> 32) as i32 + 3,
            x.rotate_left(y as u32 & 31),
            x.leading_zeros() as i32 + 100 * y.count_ones() as i32,
            x.clamp(-1_000_000, 1_000_000),
            low24(x >> 9)
                .wrapping_mul(low24(y >> 9))
                .wrapping_add(7)
                .wrapping_add(low24(x >> 10).wrapping_mul(3)),
        ]);
        let (p, q) = (x as u32, y as u32);
        let big = |v: u32| u64::from(v);
        u.extend([
            p,
            p.abs_diff(q),
            p.saturating_add(q),
            p.saturating_sub(q),
            ((big(p) + big(q)) >> 1) as u32,
            ((big(p) + big(q) + 1) >> 1) as u32,
            ((big(p) * big(q)) >> 32) as u32,
            (big(p) * big(q >> 20) + 5).min(big(u32::MAX)) as u32,
            (p & !0xff00_ff00) | (q & 0xff00_ff00),
            p.min(q) ^ p.max(7),
        ]);
        let (s, t) = (x as i8, y as i8);
        let (s16, t16) = (i16::from(s), i16::from(t));
        c.extend([
            s.saturating_add(t),
            s.saturating_sub(t),
            ((s16 + t16) >> 1) as i8,
            ((s16 * t16) >> 8) as i8,
            s.rotate_left(t as u32 & 7),
            (s.leading_zeros() + 16 * t.count_ones()) as i8,
            ((x >> 20).clamp(0, 255) >> 1) as i8,
            (x >> 20).clamp(-128, 127) as i8,
        ]);
        let (m, n) = (wide(x) << 32 | wide(y) & 0xffff_ffff, wide(y) << 32 | wide(x) & 0xffff_ffff);
        let huge = |v: i64| i128::from(v);
        l.extend([
            m.saturating_add(n),
            ((huge(m) * huge(n)) >> 64) as i64,
            m.rotate_left(n as u32 & 63),
            i64::from(m.leading_zeros() + n.count_ones()),
            ((huge(m) + huge(n) + 1) >> 1) as i64,
            f32::from_bits(p) as i64,
        ]);
    }
    w.set("i", i);
    w.set("u", u);
    w.0.insert("c".into(), crate::support::case::Data::I8(c));
    w.set("l", l);
}

fn mathematics(w: &mut World) {
    let (x, y) = (w.get::<f32>("x"), w.get::<f32>("y"));
    let (mut one, mut twice) = (Vec::new(), Vec::new());
    for (a, b) in x.iter().zip(&y) {
        let (a, b) = (f64::from(*a), f64::from(*b));
        let exponent = (b.log2().floor() as i32) + 1;
        let smooth = ((a + 1.0) / 3.0).clamp(0.0, 1.0);
        let step = if a < 0.5 { 0.0 } else { 1.0 };
        let flags = f64::from(u8::from(a < b)) + 2.0;
        let values = [
            a.sin() + b.cos(),
            a.exp() * b.ln(),
            b.powf(a),
            a * a * a,
            b.cbrt(),
            a * b + 1.0,
            a * b - 1.0,
            a.clamp(-1.0, 1.0),
            a + (b - a) * 0.25,
            step + 2.0 * a.signum(),
            smooth * smooth * (3.0 - 2.0 * smooth),
            a.to_degrees() - b.to_radians(),
            a - a.floor() + 10.0 * a.floor(),
            b / 2f64.powi(exponent) + f64::from(exponent),
            a,
            a.sin() + a.cos(),
            4.0 * a + f64::from(exponent - 1),
            1.0 / b + a / b,
            a.hypot(b) + a % b + a.abs(),
            flags + if a > 0.0 { std::f64::consts::PI } else { 0.0 },
        ];
        one.extend(values.map(|v| v as f32));
        twice.extend([a.exp() * std::f64::consts::PI, b.exp() * std::f64::consts::PI]);
    }
    let mut four: Vec<f32> = Vec::new();
    for (a, b) in x.chunks(4).zip(y.chunks(4)) {
        let a: [f64; 4] = std::array::from_fn(|k| f64::from(a[k]));
        let b: [f64; 4] = std::array::from_fn(|k| f64::from(b[k]));
        let dot = |p: [f64; 4], q: [f64; 4]| p.iter().zip(q).map(|(x, y)| x * y).sum::<f64>();
        let way: [f64; 4] = std::array::from_fn(|k| a[k] - b[k]);
        four.extend((0..4).map(|k| (b[k].sqrt() + a[k].max(0.5)) as f32));
        four.extend((0..4).map(|k| (a[k].clamp(0.0, 1.0) + (a[k] + b[k]) / 2.0) as f32));
        let turn = |i: usize, k: usize| (a[i] * b[k] - a[k] * b[i]) as f32;
        four.extend([turn(1, 2), turn(2, 0), turn(0, 1), 0.0]);
        let lengths = [dot(a, b), dot(a, a).sqrt(), dot(way, way).sqrt(), dot(b, b).sqrt()];
        four.extend(lengths.map(|v| v as f32));
        four.extend(a.map(|v| (v.sin() - v.cos()) as f32));
    }
    w.set("one", one);
    w.set("twice", twice);
    w.set("four", four);
}

fn async_copy(w: &mut World) {
    let x = w.get::<f32>("x");
    w.fill("y", 512, |i| {
        let (group, t) = (i / 128, i % 128);
        if t % 2 == 1 { 0.0 } else { 2.0 * x[64 * group + 63 - t / 2] }
    });
}

fn structs(w: &mut World) {
    let mut p = w.get::<f32>("parts");
    for part in p.chunks_mut(8) {
        for k in 0..3 {
            part[k] += part[4 + k] * 0.25;
            part[k] += part[4 + k] * 0.25;
        }
        part[7] += 0.5;
    }
    let sum = |k: usize| p.chunks(8).fold(0.0, |sum, part| sum + part[k]);
    let out = vec![sum(0), sum(1), sum(2), 4.0, 32.0, 16.0 + 64.0 + 2.0, 1.0, 2.0];
    w.set("parts", p);
    w.set("out", out);
}

/// Every operation is rounded to half; `f32` holds the products and roots of halves closely enough
/// for that (11 bits in 24).
fn half_values(w: &mut World) {
    let values = |w: &World, name: &str| -> Vec<f16> {
        w.get::<u16>(name).iter().map(|bits| f16::from_bits(*bits)).collect()
    };
    let (x, y) = (values(w, "x"), values(w, "y"));
    let round = |v: f32| f16::from_f32(v).to_f32();
    let (a, b) = (|i: usize| x[i].to_f32(), |i: usize| y[i].to_f32());
    let bits = |v: f32| f16::from_f32(v).to_bits();
    w.fill("sum", 64, |i| bits(round(a(i) * b(i)) + 0.5));
    w.fill("root", 64, |i| bits(round(round(2.0 * a(i)).sqrt()) - 1.0));
    w.fill("packed", 64, |i| {
        let least = |i: usize| round(a(i).min(b(i)) / (1 + i % 4) as f32);
        bits(if a(i) < b(i) { -least(i) } else { least(i / 4 * 4 + 3 - i % 4) })
    });
    // The neighbours of the nearest half, on the side that is asked for.
    let directed = |v: f32, up: bool| {
        let near = f16::from_f32(v);
        match (up && near.to_f32() < v, !up && near.to_f32() > v) {
            (true, _) => near.to_bits() + 1,
            (_, true) => near.to_bits() - 1,
            _ => near.to_bits(),
        }
    };
    w.fill("up", 64, |i| directed(a(i) / 3.0, true));
    w.fill("down", 64, |i| directed(a(i) / 3.0, false) | 0x8000);
}

fn atomics_c11(w: &mut World) {
    let data = w.get::<i32>("data");
    w.set("sum", vec![data.iter().sum::<i32>(), 0, 0b1111, -8]);
    w.set("most", vec![data.iter().copied().max().unwrap_or(-1)]);
    w.fill("tickets", 256, |i| 2 * i as i32 + 256);
    w.set("product", vec![(0..64).fold(1u32, |p, _| p.wrapping_mul(3))]);
}

fn as_clang_reads(w: &mut World) {
    let x = w.get::<f32>("x");
    w.fill("y", 16, |i| x[i] * x[i] + x[i].max(3.0) + 0.25 + (x[i] * 2.0 + 1.0));
}

fn packed(w: &mut World) {
    const SIZE: usize = 37;
    let raw: Vec<u8> = w.get::<u32>("raw").iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut back = [0u8; 160];
    for i in 0..4 {
        let from = 3 - i;
        let mut r: [u8; SIZE] = raw[SIZE * from..][..SIZE].try_into().unwrap_or([0; SIZE]);
        let mut set = |at: usize, bytes: &[u8]| {
            let old = r[at..at + bytes.len()].to_vec();
            r[at..at + bytes.len()].copy_from_slice(bytes);
            old
        };
        let number = set(1, &[0; 4]);
        let number = u32::from_le_bytes([number[0], number[1], number[2], number[3]]);
        set(1, &(number.wrapping_add(0x01020304) ^ 0x80).to_le_bytes());
        set(5, &(-2.0 * (from as f64 + 0.5)).to_le_bytes());
        set(13, &f16::from_f32(from as f32 * 3.0).to_le_bytes());
        let small = set(15, &[0; 2]);
        set(15, &i16::from_le_bytes([small[0], small[1]]).wrapping_add(1).to_le_bytes());
        set(21, &(-2.0f32).to_le_bytes());
        let tag = set(0, &[0])[0];
        set(0, &[tag]);
        set(17, &f32::from(tag).to_le_bytes());
        let bits = set(25, &[0; 8]);
        let bits: Vec<u8> =
            bits.iter().enumerate().map(|(k, b)| b ^ if k % 2 == 1 { 255 } else { 0 }).collect();
        set(25, &bits);
        back[SIZE * i..][..SIZE].copy_from_slice(&r);
    }
    let words = back.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    w.set("back", words.collect::<Vec<u32>>());
}

fn sub_groups(w: &mut World) {
    let x = w.get::<i32>("x");
    let first = |i: usize| i / 16 * 16;
    let group = |i: usize| x[first(i)..][..16].to_vec();
    w.fill("sums", 48, |i| 1000 * group(i).iter().sum::<i32>() + 30 + i as i32 / 16);
    w.fill("scans", 48, |i| {
        let below: i32 = x[first(i)..i].iter().sum();
        below + 1000 * x[first(i)..=i].iter().max().copied().unwrap_or(0)
    });
    w.fill("moved", 96, |k| {
        let (i, lane) = (k % 48, k % 16);
        let of = |lane: usize| group(i)[lane % 16];
        if k < 48 {
            let more = if lane + 3 < 16 { 0 } else { 1000 };
            let y = of(lane + 3);
            return (y + more) * 2 + more - y;
        }
        let up = if lane >= 2 { of(lane - 2) + 500 } else { of(lane + 14) };
        up + of(lane ^ 5) + of(15 - lane) + of(4)
    });
    w.fill("rows", 96, |k| (k as u32 ^ 16) + 1);
    w.fill("halves", 48, |i| match i / 16 {
        1 => group(i).iter().min().copied().unwrap_or(0),
        _ => 1,
    });
}
