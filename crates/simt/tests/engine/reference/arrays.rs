//! Arrays element by element, stencils, pictures.

use super::{List, World};

pub const ALL: List = &[
    ("vector_add", vector_add),
    ("saxpy", saxpy),
    ("transpose", transpose),
    ("stencils", stencils),
    ("convolution", convolution),
    ("fir", fir),
    ("automata", automata),
    ("images", images),
    ("layouts", layouts),
    ("vectors", vectors),
    ("half_precision", half_precision),
    ("indexing", indexing),
    ("strings", strings),
    ("shared_memory", shared_memory),
];

fn vector_add(w: &mut World) {
    let (a, b) = (w.get::<f32>("a"), w.get::<f32>("b"));
    for name in ["guarded", "strided", "consecutive", "wide"] {
        w.fill(name, 1000, |i| a[i] + b[i]);
    }
    w.fill("shifted", 999, |i| a[i + 1] + b[i + 1]);
}

fn saxpy(w: &mut World) {
    let (x, y) = (w.get::<f32>("x"), w.get::<f32>("y"));
    w.fill("y", 512, |i| 2.5 * x[i] + y[i]);
    let (x, y) = (w.get::<f64>("dx"), w.get::<f64>("dy"));
    w.fill("dy", 512, |i| y[i] + -0.75 * x[i]);
    let (x, mut y) = (w.get::<f32>("sx"), w.get::<f32>("sy"));
    for i in 0..100 {
        y[2 * i] += 3.0 * x[3 * i];
    }
    w.set("sy", y);
}

fn transpose(w: &mut World) {
    let m = w.get::<f32>("in");
    w.set("copied", m.clone());
    for name in ["naive", "tiled", "padded"] {
        w.fill(name, 6144, |i| m[i % 64 * 96 + i / 64]);
    }
}

fn stencils(w: &mut World) {
    let x = w.get::<i32>("line");
    w.fill("line_out", 1024, |i| x[i..i + 7].iter().sum::<i32>());
    let p = w.get::<f32>("plate");
    w.fill("plate_out", 1024, |i| {
        let (x, y) = (i % 32, i / 32);
        if x == 0 || y == 0 || x == 31 || y == 31 {
            return 0.0;
        }
        let around = p[i - 1] + p[i + 1] + p[i - 32] + p[i + 32];
        p[i] + 0.2 * (around - 4.0 * p[i])
    });
    let b = w.get::<f32>("box");
    w.fill("box_out", 4096, |i| {
        let (x, y, z) = (i % 16, i / 16 % 16, i / 256);
        if [x, y, z].iter().any(|c| *c == 0 || *c == 15) {
            return 0.0;
        }
        b[i - 256] + b[i + 256] + b[i - 1] + b[i + 1] + b[i - 16] + b[i + 16] - 6.0 * b[i]
    });
}

fn convolution(w: &mut World) {
    let (x, taps) = (w.get::<f32>("signal"), w.get::<f32>("taps"));
    w.fill("filtered", 500, |i| {
        (0..7)
            .filter(|j| (3..503).contains(&(i + j)))
            .fold(0.0, |sum, j| sum + taps[j] * x[i + j - 3])
    });
    let (p, mask) = (w.get::<f32>("picture"), w.get::<f32>("mask"));
    w.fill("blurred", 1800, |i| {
        let (x, y) = ((i % 50) as i32, (i / 50) as i32);
        let mut sum = 0.0;
        for dy in -2..=2 {
            for dx in -2..=2 {
                let at = (y + dy).clamp(0, 35) * 50 + (x + dx).clamp(0, 49);
                sum += mask[((dy + 2) * 5 + dx + 2) as usize] * p[at as usize];
            }
        }
        sum / 256.0
    });
}

fn fir(w: &mut World) {
    let (c, x) = (w.get::<f32>("c"), w.get::<f32>("x"));
    for name in ["plain", "constant", "tiled", "unrolled"] {
        w.fill(name, 1024, |i| (0..33).fold(0.0, |sum, k| sum + c[k] * x[i + k]));
    }
}

fn life(now: &[i32]) -> Vec<i32> {
    (0..1024)
        .map(|i| {
            let (x, y) = (i % 32, i / 32);
            let around = [31, 0, 1].iter().flat_map(|dy| [31, 0, 1].map(|dx| (dx, *dy)));
            let alive: i32 = around
                .filter(|d| *d != (0, 0))
                .map(|(dx, dy)| now[(y + dy) % 32 * 32 + (x + dx) % 32])
                .sum();
            i32::from(alive == 3 || alive == 2 && now[i] == 1)
        })
        .collect()
}

fn automata(w: &mut World) {
    let next = life(&w.get::<i32>("cells"));
    w.set("tiled", life(&next));
    w.set("next", next);
    let rule = w.get::<u32>("rule");
    let cell = |i: i32| {
        let i = i.rem_euclid(256) as usize;
        rule[i / 32] >> (i % 32) & 1
    };
    w.fill("rule_next", 8, |word| {
        (0..32).fold(0, |bits, b| {
            let i = word as i32 * 32 + b;
            bits | (cell(i - 1) ^ (cell(i) | cell(i + 1))) << b
        })
    });
}

fn images(w: &mut World) {
    let (width, height) = (40usize, 30usize);
    let rgba = w.get::<u8>("rgba");
    let part = |i: usize, c: usize| f32::from(rgba[4 * i + c]);
    w.fill("grey", 1200, |i| (0.299 * part(i, 0) + 0.587 * part(i, 1) + 0.114 * part(i, 2)) as u8);
    let grey = w.get::<u8>("grey");
    w.fill("edges", 1200, |i| {
        let (x, y) = (i % width, i / width);
        if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
            return 0;
        }
        let p = |dx: i32, dy: i32| i32::from(grey[(i as i32 + dy * 40 + dx) as usize]);
        let gx = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
        let gy = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
        (gx.abs() + gy.abs()).min(255) as u8
    });
    w.fill("bright", 4800, |i| {
        let v = f32::from(rgba[i]);
        if i % 4 == 3 { rgba[i] } else { (v * 1.25 + 60.0).min(255.0) as u8 }
    });
    let flipped = w.get::<u8>("flipped");
    w.fill("flipped", 1200, |i| flipped[(height - 1 - i / width) * width + i % width]);
    w.fill("blur", 1200, |i| {
        let (x, y) = (i % width, i / width);
        let (from, to) = (x.saturating_sub(2), (x + 3).min(width));
        let sum: usize = (from..to).map(|c| usize::from(grey[y * width + c])).sum();
        (sum / (to - from)) as u8
    });
}

fn layouts(w: &mut World) {
    let (aos, soa) = (w.get::<f32>("aos"), w.get::<f32>("soa"));
    w.fill("aos", 768, |i| aos[i] + 2.0 * (i % 3 + 1) as f32);
    w.fill("soa", 768, |i| soa[i] + 2.0 * (i / 256 + 1) as f32);
    w.set("sizes", vec![24, 16, 4, 12, 16, 16, 127, 13]);
}

fn vectors(w: &mut World) {
    let a = w.get::<f32>("a");
    w.fill("b", 256, |i| a[(63 - i / 4) * 4 + (i + 1) % 4]);
    let n = w.get::<i32>("n");
    let mut m = Vec::new();
    for v in n.chunks(4) {
        let (x, y) = (v[0] * v[1], v[2] - v[3]);
        m.extend([x + 1 + i32::from(x > y), y]);
    }
    w.set("m", m);
    let d = w.get::<f64>("d");
    w.set("e", d.chunks(2).map(|v| (v[0] * v[0] + v[1] * v[1]).sqrt()).collect());
    let bytes = w.get::<u8>("bytes");
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    w.set("words", bytes.chunks(4).map(word).collect());
}

fn half_precision(w: &mut World) {
    let h: Vec<half::f16> = w.get::<f32>("x").iter().map(|v| half::f16::from_f32(*v)).collect();
    w.set("h", h.iter().map(|v| v.to_bits()).collect());
    w.set("back", h.iter().map(|v| v.to_f32()).collect());
    w.set("sums", h.chunks(2).map(|v| v[0].to_f32() + v[1].to_f32()).collect());
}

fn indexing(w: &mut World) {
    w.fill("flat", 1536, |i| {
        let (x, y, z) = (i % 8, i / 8 % 32, i / 256);
        (x + 100 * y + 10_000 * z + 9_000_000) as u32
    });
    w.fill("lanes", 96, |i| {
        let from = (i % 32 + 9) % 32;
        (from / 8 % 2 * 10 + from / 16) as u32
    });
    let mut votes = Vec::new();
    for b in 0..4 {
        votes.push((0..96).filter(|t| t % (b + 2) == 0).count() as i32);
        votes.push(i32::from((0..96).all(|t| t < 95 + b)));
        votes.push(i32::from((0..96).any(|t| t == 32 * b + 1)));
    }
    w.set("votes", votes);
}

fn strings(w: &mut World) {
    let text = w.get::<u8>("text");
    w.fill("cipher", 300, |i| text[i] + 3);
    w.set("matches", vec![text.windows(2).filter(|p| *p == b"ab").count() as i32]);
    let (a, b) = (&text[..30], &text[100..130]);
    let mut row: Vec<i32> = (0..=30).collect();
    for i in 1..=30 {
        let mut next = vec![i as i32];
        for j in 1..=30 {
            let change = row[j - 1] + i32::from(a[i - 1] != b[j - 1]);
            next.push(change.min(row[j] + 1).min(next[j - 1] + 1));
        }
        row = next;
    }
    w.set("distance", vec![row[30]]);
    let digits = w.get::<u8>("digits");
    w.fill("valid", 20, |i| {
        let sum: u32 = digits[16 * i..16 * i + 16]
            .iter()
            .enumerate()
            .map(|(k, d)| u32::from(*d) * if k % 2 == 0 { 2 } else { 1 })
            .map(|d| if d > 9 { d - 9 } else { d })
            .sum();
        u8::from(sum.is_multiple_of(10))
    });
}

fn shared_memory(w: &mut World) {
    let x = w.get::<i32>("x");
    w.fill("y", 64, |i| x[63 - i]);
    w.fill("z", 64, |i| x[63 - i]);
    w.fill("several", 64, |i| {
        let o = (i + 1) % 64;
        x[o] as f32 * 0.5 + x[o] as f32 * 20.0 + o as f32 + 64.0
    });
    let cell = |x: usize, y: usize, z: usize| (x + 10 * y + 100 * z) as i32;
    w.fill("cube", 60, |i| {
        let (x, y, z) = (i % 5, i / 5 % 4, i / 20);
        (0..5).map(|k| cell(k, y, z)).sum::<i32>()
            + (0..4).map(|k| cell(x, k, z)).sum::<i32>()
            + (0..3).map(|k| cell(x, y, k)).sum::<i32>()
    });
    let mut line: Vec<f32> = x.iter().map(|v| *v as f32).collect();
    for _ in 0..2 {
        let at = |i: isize| if (0..64).contains(&i) { line[i as usize] } else { 0.0 };
        line = (0..64).map(|i| 0.25 * (at(i - 1) + 2.0 * at(i) + at(i + 1))).collect();
    }
    w.set("smooth", line);
    let positive: Vec<i32> = x.iter().copied().filter(|v| *v > 0).collect();
    let mut queue = vec![-1; 65];
    queue[0] = positive.len() as i32;
    queue[64] = positive.iter().sum();
    w.set("queue", queue);
}
