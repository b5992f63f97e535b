//! Pictures of ideas: how something works, computed and drawn.

mod anisotropy;
mod escape;
mod imaging;

use self::anisotropy::wavefronts;
use self::escape::escape;
use self::imaging::imaging;
use crate::chart::{Chart, Series, stacked_panels};
use crate::{Anchor, Axis, Sheet, text_width};

/// Where a picture lies in the repository, and what draws it.
pub type Idea = (&'static str, fn() -> Sheet);

/// Each with its place in the repository.
pub const ALL: &[Idea] = &[
    ("lab1-cuda-intro/pictures/divergence.svg", divergence),
    ("lab1-cuda-intro/pictures/escape.svg", escape),
    ("lab1-cuda-intro/pictures/sectors.svg", sectors),
    ("lab2-optimization/pictures/banks.svg", banks),
    ("lab2-optimization/pictures/halo.svg", halo),
    ("lab2-optimization/pictures/padding.svg", padding),
    ("lab3-libraries/pictures/points.svg", points),
    ("lab3-libraries/pictures/pursuit.svg", pursuit),
    ("lab4-fpga/pictures/adders.svg", adders),
    ("lab4-fpga/pictures/pipeline.svg", pipeline),
    ("lab5-fpga-ip/pictures/distributed.svg", distributed),
    ("lab5-fpga-ip/pictures/butterflies.svg", butterflies),
    ("lab6-rtm/pictures/imaging.svg", imaging),
    ("lab6-rtm/pictures/queue.svg", queue),
    ("lab6-rtm/pictures/stencil.svg", stencil),
    ("lab6-rtm/pictures/cpml.svg", cpml),
    ("rtm/pictures/strategies.svg", strategies),
    ("rtm/pictures/wavefronts.svg", wavefronts),
];

const TEXT: f64 = 15.0;

impl Sheet {
    fn left(&mut self, x: f64, y: f64, text: &str) {
        self.text((x, y), TEXT, Anchor::Start, "", text);
    }

    fn quiet(&mut self, x: f64, y: f64, text: &str) {
        self.text((x, y), TEXT, Anchor::Start, "s", text);
    }

    fn middle(&mut self, x: f64, y: f64, text: &str) {
        self.text((x, y), TEXT, Anchor::Middle, "", text);
    }

    /// A box with a text in its middle: light in a coloured box, quiet in a plain one.
    fn cell(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), class: &str, text: &str) {
        self.rect((x, y), (w, h), 2.0, class);
        let size = if text_width(text, 14.0) > w { 12.0 } else { 14.0 };
        let ink = match class {
            "p" => "s",
            class if class.starts_with('f') => "b",
            _ => "",
        };
        self.text((x + 0.5 * w, y + 0.5 * h + 5.0), size, Anchor::Middle, ink, text);
    }

    /// What boxes of a class, with a hatch or a text in them, mean.
    fn key(&mut self, (x, y): (f64, f64), class: &str, (hatch, text): (usize, &str), says: &str) {
        self.cell((x, y - 13.0), (16.0, 16.0), class, text);
        self.hatch((x, y - 13.0), (16.0, 16.0), hatch);
        self.left(x + 24.0, y, says);
    }
}

/// A warp of eight lanes at `if (x < 3) a; else b;`.
fn divergence() -> Sheet {
    let mut s = Sheet::new(700.0, 300.0, "A warp parts at an if and meets behind it");
    type AtWork = fn(usize) -> bool;
    let steps: [(&str, AtWork); 5] = [
        ("if (lane < 3)", |_| true),
        ("a = f(x);", |l| l < 3),
        ("else b = g(x);", |l| l >= 3),
        ("c = a + b;", |_| true),
        ("y[i] = c;", |_| true),
    ];
    let says = "A warp issues one instruction for all of its lanes; those that it is not for wait";
    s.left(20.0, 28.0, says);
    for l in 0..8 {
        s.middle(228.0 + 44.0 * l as f64, 58.0, &l.to_string());
    }
    s.quiet(150.0, 58.0, "lane");
    for (k, (text, at_work)) in steps.iter().enumerate() {
        let y = 70.0 + 40.0 * k as f64;
        s.left(20.0, y + 21.0, text);
        let busy = (0..8).filter(|l| at_work(*l)).count();
        for l in 0..8 {
            let x = 210.0 + 44.0 * l as f64;
            match at_work(l) {
                true => s.cell((x, y), (38.0, 30.0), "f0", ""),
                false => s.cell((x, y), (38.0, 30.0), "p a", "waits"),
            }
        }
        s.quiet(580.0, y + 21.0, &format!("{busy} of 8 lanes"));
    }
    s.quiet(20.0, 288.0, "SIMD efficiency: 8 + 3 + 5 + 8 + 8 = 32 of 5 \u{d7} 8 = 40 lanes, 80 %");
    s
}

/// Thirty-two lanes that read words of four bytes, in three patterns, and the sectors of 32 bytes
/// that this takes.
fn sectors() -> Sheet {
    type Word = fn(usize) -> usize;
    let patterns: [(&str, Word); 3] =
        [("a[i]", |l| l), ("a[i + 1]", |l| l + 1), ("a[2 * i]", |l| 2 * l)];
    let mut s =
        Sheet::new(760.0, 410.0, "Lanes of a warp and the sectors of memory that they touch");
    for (k, (name, word)) in patterns.iter().enumerate() {
        let top = 10.0 + 132.0 * k as f64;
        let x = |word: usize| 20.0 + 11.25 * word as f64;
        let mut touched: Vec<usize> = (0..32).map(|l| word(l) / 8).collect();
        touched.dedup();
        let wasted = 100 * (touched.len() * 8 - 32) / (touched.len() * 8);
        s.left(20.0, top + 18.0, name);
        let says = format!("{} sectors, {wasted} % of the bytes for nothing", touched.len());
        s.text((740.0, top + 18.0), TEXT, Anchor::End, "", &says);
        for l in 0..32 {
            let from = (x(16 + l) + 5.0, top + 40.0);
            s.line(&[from, (x(word(l)) + 5.0, top + 84.0)], "l1", 1.0, "");
            s.rect((x(16 + l), top + 28.0), (10.0, 12.0), 1.0, "f1");
        }
        s.text((x(16) - 8.0, top + 39.0), 14.0, Anchor::End, "s", "lanes 0 to 31");
        for w in 0..64 {
            let wanted = (0..32).any(|l| word(l) == w);
            let class = match (wanted, touched.contains(&(w / 8))) {
                (true, _) => "f0",
                (_, true) => "f5",
                _ => "p",
            };
            s.rect((x(w), top + 84.0), (10.0, 16.0), 0.0, class);
            if class == "f5" {
                s.hatch((x(w), top + 84.0), (10.0, 16.0), 2);
            }
        }
        for sector in 0..8 {
            let (from, to) = (x(8 * sector) - 1.0, x(8 * sector + 8) - 1.5);
            s.line(&[(from, top + 82.0), (from, top + 104.0), (to, top + 104.0)], "a", 1.0, "");
        }
    }
    s.key((20.0, 403.0), "f0", (0, ""), "wanted");
    s.key((120.0, 403.0), "f5", (2, ""), "moved for nothing");
    s.quiet(300.0, 403.0, "a sector: 32 bytes, 8 words");
    s
}

/// A block's tile of outputs of a filter of five taps, and the inputs that it needs.
fn halo() -> Sheet {
    const TAPS: usize = 5;
    const TILE: usize = 8;
    let mut s = Sheet::new(720.0, 330.0, "A tile of a filter and its halo");
    let x = |i: usize| 20.0 + 40.0 * i as f64;
    s.left(
        20.0,
        28.0,
        "y[i] = h[0] x[i] + h[1] x[i \u{2212} 1] + \u{2026} + h[4] x[i \u{2212} \
        4], blocks of 8 outputs",
    );
    let class = |i: usize| match i {
        4..8 => "f5",
        8..16 => "f0",
        _ => "p",
    };
    s.quiet(20.0, 62.0, "x in global memory");
    for i in 0..17 {
        s.cell((x(i), 72.0), (37.0, 28.0), class(i), "");
        if (4..8).contains(&i) {
            s.hatch((x(i), 72.0), (37.0, 28.0), 1);
        }
    }
    s.quiet(20.0, 170.0, "shared memory:");
    s.quiet(20.0, 190.0, "8 + 4 elements");
    for i in 4..16 {
        s.cell((x(i), 160.0), (37.0, 28.0), class(i), "");
        if i < 8 {
            s.hatch((x(i), 160.0), (37.0, 28.0), 1);
        }
        s.arrow(&[(x(i) + 18.0, 102.0), (x(i) + 18.0, 156.0)], "a", 1.0, "");
    }
    s.quiet(20.0, 267.0, "y, a thread for each output");
    for i in 8..16 {
        s.cell((x(i), 248.0), (37.0, 28.0), "f2", "");
    }
    for tap in 0..TAPS {
        s.arrow(&[(x(11 - tap) + 18.0, 190.0), (x(11) + 18.0, 244.0)], "l1", 1.4, "");
    }
    s.key((20.0, 312.0), "f5", (1, ""), "halo: the last 4 inputs of the tile before");
    let loads = format!("{} loads for {TILE} outputs in place of {}", TILE + TAPS - 1, TILE * TAPS);
    s.quiet(370.0, 312.0, &loads);
    s
}

/// Eight lanes read a column of a tile in a shared memory of eight banks, without and with a column
/// of padding.
fn padding() -> Sheet {
    let mut s = Sheet::new(740.0, 370.0, "A column of a tile, without and with padding");
    for (k, pitch) in [8usize, 9].into_iter().enumerate() {
        let left = 20.0 + 360.0 * k as f64;
        let declared = format!("__shared__ float tile[8][{pitch}]");
        s.left(left, 28.0, &declared);
        for row in 0..8 {
            for column in 0..pitch {
                let bank = (row * pitch + column) % 8;
                let class = match column {
                    2 if k == 0 => "f1",
                    2 => "f2",
                    8 => "p a",
                    _ => "p",
                };
                let at = (left + 36.0 * column as f64, 44.0 + 30.0 * row as f64);
                s.cell(at, (33.0, 27.0), class, &bank.to_string());
            }
        }
        let (says, why) = match k {
            0 => ("lane l reads tile[l][2]: 8 wavefronts", "all eight words lie in bank 2"),
            _ => ("lane l reads tile[l][2]: 1 wavefront", "each word lies in a bank of its own"),
        };
        s.left(left, 312.0, says);
        s.quiet(left, 334.0, why);
    }
    s.quiet(20.0, 360.0, "The numbers are banks: word address modulo 8 (modulo 32 on a GPU)");
    s
}

/// Lanes and the banks of the words that they read: one pattern without and one with conflicts on
/// each side.
fn banks() -> Sheet {
    let mut s = Sheet::new(740.0, 380.0, "Lanes and banks of shared memory, good and bad");
    type Pattern = (&'static str, fn(usize) -> usize, &'static str);
    let patterns: [Pattern; 4] = [
        ("x[l]", |l| l, "1 wavefront: each bank once"),
        ("x[2 * l]", |l| 2 * l, "2 wavefronts: two words in a bank"),
        ("x[3]", |_| 3, "1 wavefront: one word for all lanes"),
        ("x[8 * l]", |l| 8 * l, "8 wavefronts: eight words in one bank"),
    ];
    for (k, (name, word, says)) in patterns.into_iter().enumerate() {
        let (left, top) = (20.0 + 370.0 * (k % 2) as f64, 18.0 + 172.0 * (k / 2) as f64);
        let good = k % 2 == 0;
        s.left(left, top + 20.0, name);
        let x = |i: usize| left + 76.0 + 33.0 * i as f64;
        s.quiet(left, top + 52.0, "lane");
        s.quiet(left, top + 118.0, "bank");
        for l in 0..8 {
            let bank = word(l) % 8;
            let (from, to) = ((x(l) + 14.0, top + 61.0), (x(bank) + 14.0, top + 99.0));
            s.line(&[from, to], if good { "l0" } else { "l1" }, 1.6, "");
        }
        for i in 0..8 {
            let read = (0..8).any(|l| word(l) % 8 == i);
            let class = match (read, good) {
                (true, true) => "f0",
                (true, false) => "f1",
                _ => "p",
            };
            s.cell((x(i), top + 35.0), (28.0, 24.0), "p", &i.to_string());
            s.cell((x(i), top + 101.0), (28.0, 24.0), class, &i.to_string());
        }
        s.left(left, top + 150.0, says);
    }
    let says = "Eight lanes and banks stand for the 32 of a GPU; bank: address modulo 8";
    s.quiet(20.0, 370.0, says);
    s
}

/// Pi from points of two kinds.
fn points() -> Sheet {
    const N: usize = 512;
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let pseudo: Vec<(f64, f64)> = (0..N).map(|_| (random(), random())).collect();
    // Sobol's first two dimensions: direction numbers 1, 1, 1, .. and 1, 3, 5, 15, ..
    let sobol = |k: usize| {
        let (mut x, mut y, mut m) = (0u32, 0u32, 1u32);
        for bit in 0..9 {
            if k >> bit & 1 == 1 {
                x ^= 1 << (31 - bit);
                y ^= m << (31 - bit);
            }
            m ^= m << 1;
        }
        (f64::from(x) / 2f64.powi(32), f64::from(y) / 2f64.powi(32))
    };
    let quasi: Vec<(f64, f64)> = (0..N).map(sobol).collect();
    let mut s =
        Sheet::new(740.0, 430.0, "Pi from 512 pseudo-random and as many quasi-random points");
    for (k, (name, all)) in [("pseudo-random", pseudo), ("quasi-random", quasi)].iter().enumerate()
    {
        let (left, top, side) = (20.0 + 365.0 * k as f64, 40.0, 335.0);
        let within = |p: &(f64, f64)| p.0 * p.0 + p.1 * p.1 <= 1.0;
        let hits = all.iter().filter(|p| within(p)).count();
        let pi = 4.0 * hits as f64 / all.len() as f64;
        s.left(left, 28.0, name);
        s.rect((left, top), (side, side), 0.0, "p");
        let arc =
            format!("M{left:.1} {top:.1}A{side} {side} 0 0 1 {:.1} {:.1}", left + side, top + side);
        s.path(&arc, "l6", 1.5, "");
        for p in all {
            let (x, y) = (left + side * p.0, top + side * (1.0 - p.1));
            let (size, round, class) = if within(p) { (5.0, 3.0, "f0") } else { (4.0, 0.0, "f1") };
            s.rect((x - 0.5 * size, y - 0.5 * size), (size, size), round, class);
        }
        let error = (pi - std::f64::consts::PI).abs();
        s.left(left, 398.0, &format!("{hits} of {N} inside: 4 \u{b7} {hits} / {N} = {pi:.3}"));
        let usual = ["; of random points 0.073 is usual", ""][k];
        s.quiet(left, 420.0, &format!("off by {error:.3}{usual}"));
    }
    s
}

/// Matching pursuit on a small bucket: rain on three of thirty days, each seen as a decay, found
/// one after the other.
fn pursuit() -> Sheet {
    const DAYS: usize = 30;
    let column = |day: usize| -> Vec<f64> {
        (0..DAYS)
            .map(|d| if d < day { 0.0 } else { libm::exp(-((d - day) as f64) / 6.0) })
            .collect()
    };
    let rain = [(4usize, 5.0), (13, 8.0), (21, 3.0)];
    let mut residual = vec![0.0; DAYS];
    for (day, amount) in rain {
        residual.iter_mut().zip(column(day)).for_each(|(r, c)| *r += amount * c);
    }
    let mut panels = Vec::new();
    for step in 0..4 {
        let norm = residual.iter().map(|r| r * r).sum::<f64>().sqrt();
        let fit = |day: usize| {
            let c = column(day);
            let (dot, size) = (
                c.iter().zip(&residual).map(|(c, r)| c * r).sum::<f64>(),
                c.iter().map(|c| c * c).sum::<f64>(),
            );
            (dot / size.sqrt(), dot / size)
        };
        let best =
            (0..DAYS).max_by(|a, b| fit(*a).0.abs().total_cmp(&fit(*b).0.abs())).unwrap_or(0);
        let amount = fit(best).1;
        let line =
            |values: &[f64]| values.iter().enumerate().map(|(d, v)| (d as f64, *v)).collect();
        let y = Axis::linear("").range(-2.0, 11.0);
        let name = if step == 0 { "bucket".into() } else { format!("residual, norm {norm:.1}") };
        let found: Vec<f64> = column(best).iter().map(|c| amount * c).collect();
        let fit = format!("best: day {best}, {amount:.1}").replace('-', "\u{2212}");
        let title = if step == 0 { "Matching pursuit, step by step" } else { "" };
        let chart = Chart::new(title, Axis::linear(if step == 3 { "day" } else { "" }).whole(), y)
            .with(Series::line(&name, line(&residual)))
            .with(Series::line(&fit, line(&found)).smooth())
            .size(500.0, 105.0);
        residual.iter_mut().zip(&found).for_each(|(r, f)| *r -= f);
        panels.push(chart);
    }
    stacked_panels(&panels)
}

/// Eight numbers added by a chain, by a tree, and by a tree with registers.
fn adders() -> Sheet {
    let mut s = Sheet::new(740.0, 400.0, "A chain of adders, a tree, and a tree with registers");
    let sum =
        |s: &mut Sheet, x: f64, y: f64| s.cell((x - 13.0, y - 13.0), (26.0, 26.0), "p l1", "+");
    s.left(20.0, 28.0, "chain: 7 adders deep");
    for k in 0..7 {
        let (x, y) = (60.0 + 17.0 * k as f64, 76.0 + 36.0 * k as f64);
        if k > 0 {
            s.line(&[(x - 17.0, y - 23.0), (x - 4.0, y - 13.0)], "a", 1.4, "");
        } else {
            s.line(&[(x - 9.0, 50.0), (x - 4.0, y - 13.0)], "a", 1.4, "");
        }
        s.line(&[(x + 26.0, y - 26.0), (x + 6.0, y - 13.0)], "a", 1.4, "");
    }
    s.arrow(&[(162.0, 305.0), (162.0, 341.0)], "a", 1.4, "");
    for k in 0..7 {
        sum(&mut s, 60.0 + 17.0 * k as f64, 76.0 + 36.0 * k as f64);
    }
    for (part, left) in [260.0, 500.0].into_iter().enumerate() {
        let title = ["tree: 3 adders deep", "tree with registers: 1 deep"][part];
        s.left(left, 28.0, title);
        let gap = if part == 0 { 72.0 } else { 88.0 };
        let at = |level: usize, k: usize| {
            let pitch = 52.0 * (1 << level) as f64;
            (left + 26.0 + 0.5 * pitch - 26.0 + pitch * k as f64, 84.0 + gap * level as f64)
        };
        for level in 0..3 {
            for k in 0..4 >> level {
                let (x, y) = at(level, k);
                for side in 0..2 {
                    let from = match level {
                        0 => (x - 12.0 + 24.0 * side as f64, 50.0),
                        _ => at(level - 1, 2 * k + side),
                    };
                    let to = (x - 6.0 + 12.0 * side as f64, y - 13.0);
                    let line = match (level, part) {
                        (0, _) => vec![from, to],
                        (_, 0) => vec![(from.0, from.1 + 13.0), to],
                        // Straight down through the register.
                        _ => vec![(from.0, from.1 + 13.0), (from.0, from.1 + 38.0), to],
                    };
                    s.line(&line, "a", 1.4, "");
                    if part == 1 && level > 0 {
                        s.rect((from.0 - 11.0, from.1 + 22.0), (22.0, 11.0), 0.0, "f0");
                    }
                }
            }
        }
        for level in 0..3 {
            for k in 0..4 >> level {
                let (x, y) = at(level, k);
                sum(&mut s, x, y);
            }
        }
        let (x, y) = at(2, 0);
        s.arrow(&[(x, y + 13.0), (x, y + 62.0)], "a", 1.4, "");
        if part == 1 {
            s.rect((x - 11.0, y + 22.0), (22.0, 11.0), 0.0, "f0");
        }
    }
    let told = [("7 additions", "1 clock"), ("3 additions", "1 clock"), ("1 addition", "3 clocks")];
    for (k, (clock, result)) in told.into_iter().enumerate() {
        let x = 20.0 + 240.0 * k as f64;
        s.quiet(x, 362.0, &format!("clock \u{2265} {clock}"));
        s.quiet(x, 386.0, &format!("result after {result}"));
    }
    s
}

/// Which sample is in which stage of a pipeline, clock by clock.
fn pipeline() -> Sheet {
    const STAGES: [&str; 4] = ["multiply", "add pairs", "add halves", "write"];
    let mut s = Sheet::new(720.0, 250.0, "Samples in the stages of a pipeline");
    s.left(20.0, 28.0, "A new sample at each clock; a result at each clock from the fourth on");
    for clock in 0..9 {
        s.text((152.0 + 60.0 * clock as f64, 58.0), 14.0, Anchor::Middle, "s", &clock.to_string());
    }
    s.quiet(20.0, 58.0, "clock");
    for (k, stage) in STAGES.iter().enumerate() {
        let y = 70.0 + 40.0 * k as f64;
        s.left(20.0, y + 21.0, stage);
        for clock in 0..9 {
            let at = (125.0 + 60.0 * clock as f64, y);
            match (clock as usize).checked_sub(k) {
                Some(sample) => {
                    let class = if sample == 2 { "f0" } else { "p l0" };
                    s.cell(at, (54.0, 30.0), class, &format!("x_{{{sample}}}"));
                }
                None => s.cell(at, (54.0, 30.0), "p", ""),
            }
        }
    }
    s.quiet(20.0, 242.0, "latency: 4 clocks for a sample; throughput: 1 sample a clock");
    s
}

/// A sum of four products by distributed arithmetic: a bit of every input is an address, the table
/// holds sums of coefficients.
fn distributed() -> Sheet {
    let mut s = Sheet::new(740.0, 360.0, "Distributed arithmetic");
    s.left(
        20.0,
        28.0,
        "y = h_{0} x_{0} + h_{1} x_{1} + h_{2} x_{2} + h_{3} x_{3}, bit by bit, \
        without a multiplier",
    );
    let words = [0b0110usize, 0b1011, 0b0101, 0b1110];
    for (k, word) in words.iter().enumerate() {
        let y = 76.0 + 44.0 * k as f64;
        s.left(20.0, y + 21.0, &format!("x_{{{k}}}"));
        for bit in 0..4 {
            let class = if bit == 1 { "f0" } else { "p l0" };
            let at = (50.0 + 34.0 * (3 - bit) as f64, y);
            s.cell(at, (30.0, 30.0), class, &(word >> bit & 1).to_string());
        }
    }
    s.quiet(50.0, 274.0, "shift registers");
    s.line(&[(133.0, 66.0), (133.0, 60.0), (230.0, 60.0), (230.0, 150.0)], "l1", 1.6, "");
    s.arrow(&[(230.0, 150.0), (262.0, 150.0)], "l1", 1.6, "");
    let bits: Vec<usize> = words.iter().map(|w| w >> 1 & 1).collect();
    let address = format!("{}{}{}{}", bits[3], bits[2], bits[1], bits[0]);
    s.middle(230.0, 178.0, &address);
    for (row, text) in ["0000: 0", "0001: h_{0}", "0010: h_{1}", "0011: h_{0} + h_{1}", "\u{2026}"]
        .iter()
        .enumerate()
    {
        s.left(282.0, 98.0 + 24.0 * row as f64, text);
    }
    let sum: Vec<String> = (0..4).filter(|k| bits[*k] == 1).map(|k| format!("h_{{{k}}}")).collect();
    s.rect((270.0, 201.0), (180.0, 26.0), 2.0, "f0");
    s.text((282.0, 219.0), TEXT, Anchor::Start, "b", &format!("{address}: {}", sum.join(" + ")));
    s.path("M270 74H450V238H270Z", "l3", 1.4, "");
    s.quiet(270.0, 274.0, "table of 2^{4} sums: LUTs");
    s.arrow(&[(450.0, 150.0), (510.0, 150.0)], "l1", 1.6, "");
    s.cell((510.0, 132.0), (36.0, 36.0), "p l1", "\u{b1}");
    s.arrow(&[(546.0, 150.0), (590.0, 150.0)], "a", 1.6, "");
    s.cell((590.0, 128.0), (90.0, 44.0), "p l0", "register");
    s.line(&[(680.0, 150.0), (710.0, 150.0), (710.0, 220.0), (528.0, 220.0)], "a", 1.6, "");
    s.arrow(&[(528.0, 220.0), (528.0, 170.0)], "a", 1.6, "");
    s.cell((580.0, 206.0), (70.0, 28.0), "p a", "\u{f7} 2");
    s.quiet(510.0, 274.0, "scaling accumulator");
    let says = "Lowest bits first: a clock for each bit of x, whatever the number of taps.";
    s.quiet(20.0, 318.0, says);
    let says = "The table's sum for the sign bits is subtracted: that is two's complement.";
    s.quiet(20.0, 342.0, says);
    s
}

/// A transform of length 8 in butterflies of two, with the addresses and the twiddle factors'
/// powers.
fn butterflies() -> Sheet {
    let mut s = Sheet::new(740.0, 420.0, "The butterflies of a transform of length 8");
    let (left, pitch, wide) = (120.0, 42.0, 170.0);
    let y = |row: usize| 66.0 + pitch * row as f64;
    let reversed = |k: usize| (k & 1) << 2 | k & 2 | k >> 2;
    s.left(
        20.0,
        28.0,
        "Bit-reversed in, in order out; beside each butterfly the power of W = \
        exp(\u{2212}2\u{3c0}i / 8)",
    );
    for stage in 0..3 {
        let (x0, x1) = (left + wide * stage as f64 + 8.0, left + wide * (stage + 1) as f64 - 8.0);
        let half = 1 << stage;
        for row in 0..8 {
            let partner = row ^ half;
            s.line(&[(x0, y(row)), (x1, y(row))], "a", 1.4, "");
            let dash = if row & half == 0 { "" } else { "5 3" };
            s.line(&[(x0 + 34.0, y(row)), (x1, y(partner))], "l0", 1.4, dash);
            if row & half != 0 {
                let power = (row % half) * (4 / half);
                let factor = format!("W^{{{power}}}");
                s.text((x0 + 2.0, y(row) - 5.0), 13.0, Anchor::Start, "", &factor);
            }
        }
        let name = format!("stage {}: distance {half}", stage + 1);
        s.text((0.5 * (x0 + x1), y(7) + 34.0), 14.0, Anchor::Middle, "s", &name);
    }
    for row in 0..8 {
        for stage in 0..4 {
            let x = left + wide * stage as f64;
            s.rect((x - 4.0, y(row) - 4.0), (8.0, 8.0), 4.0, "f6");
        }
        let from = reversed(row);
        let name = format!("x[{from}] = {from:03b}");
        s.text((left - 14.0, y(row) + 5.0), TEXT, Anchor::End, "", &name);
        s.left(left + 3.0 * wide + 14.0, y(row) + 5.0, &format!("X[{row}]"));
    }
    s
}

/// A stencil of order 8 along the march's axis: what a thread keeps in registers, what it loads,
/// and what moves on.
fn queue() -> Sheet {
    let mut s = Sheet::new(740.0, 330.0, "A register queue along the axis of the march");
    s.left(20.0, 28.0, "A thread marches along x and keeps 9 values of its column in registers");
    for step in 0..3 {
        let y = 78.0 + 70.0 * step as f64;
        s.left(20.0, y + 20.0, &format!("x = {}", 10 + step));
        for k in 0..15 {
            let x = 104.0 + 41.0 * k as f64;
            let (class, hatch, text) = match k as usize {
                k if k == step + 8 => ("f1", 1, ""),
                k if k == step + 4 => ("f2", 0, "\u{25cf}"),
                k if (step..step + 8).contains(&k) => ("f0", 0, ""),
                _ => ("p", 0, ""),
            };
            s.cell((x, y), (37.0, 28.0), class, text);
            s.hatch((x, y), (37.0, 28.0), hatch);
            if step == 0 {
                s.text((x + 18.5, y - 10.0), 14.0, Anchor::Middle, "s", &(6 + k).to_string());
            }
        }
        if step < 2 {
            let x = 104.0 + 41.0 * (step as f64 + 4.5);
            s.arrow(&[(x, y + 34.0), (x + 41.0, y + 62.0)], "a", 1.4, "");
        }
    }
    s.key((20.0, 290.0), "f0", (0, ""), "in registers");
    s.key((150.0, 290.0), "f2", (0, "\u{25cf}"), "the point that is computed");
    s.key((380.0, 290.0), "f1", (1, ""), "loaded: one value in place of nine");
    s.quiet(20.0, 318.0, "Neighbours along y and z lie in other threads: shared memory or cache.");
    s
}

/// The star of a stencil of order 8 in the plane of a row, and its weights.
fn stencil() -> Sheet {
    let mut s = Sheet::new(740.0, 372.0, "The stencil of order 8");
    s.left(20.0, 28.0, "The Laplacian of order 8 reads 25 points: 9 along each axis");
    const WEIGHTS: [&str; 5] = ["w_{0}", "w_{1}", "w_{2}", "w_{3}", "w_{4}"];
    for row in 0..9usize {
        for column in 0..9usize {
            let at = (34.0 + 35.0 * column as f64, 46.0 + 32.0 * row as f64);
            let (dy, dx) = (row.abs_diff(4), column.abs_diff(4));
            let class = match (dy, dx) {
                (0, 0) => "f2",
                (0, _) | (_, 0) => "f0",
                _ => "p",
            };
            let text = if dy * dx == 0 { WEIGHTS[dy + dx] } else { "" };
            s.cell(at, (32.0, 29.0), class, text);
        }
    }
    s.quiet(34.0, 354.0, "z, in a row \u{2192}");
    s.quiet(200.0, 354.0, "y, between rows \u{2193}");
    // The two arms have one colour: which is which, their direction shows.
    let keys = [
        ("f0", "\u{2194}", "8 in the row: side by side in memory"),
        ("f0", "\u{2195}", "8 between rows: each a row apart"),
        ("p", "", "8 along x, not drawn: a plane apart"),
        ("f2", "", "the point itself, weight 3 w_{0}"),
    ];
    for (k, (class, arm, says)) in keys.into_iter().enumerate() {
        s.key((380.0, 76.0 + 30.0 * k as f64), class, (0, arm), says);
    }
    let weights = ["w_{0} = \u{2212}205/72", "w_{1} = 8/5", "w_{2} = \u{2212}1/5", "w_{3} = 8/315"];
    for (k, weight) in weights.iter().enumerate() {
        s.left(380.0 + 170.0 * (k % 2) as f64, 226.0 + 28.0 * (k / 2) as f64, weight);
    }
    s.left(380.0, 282.0, "w_{4} = \u{2212}1/560, all over h^{2}");
    s.quiet(380.0, 316.0, "27 loads without reuse: 25, the old level");
    s.quiet(380.0, 338.0, "and the velocity, for one point");
    s
}

/// What the layers of a convolutional PML damp: the profile, and a wave that runs through them and
/// comes back.
fn cpml() -> Sheet {
    // A quadratic profile for a reflection of 10^-4 at normal incidence, in units of the layer's
    // thickness.
    let (points, strength) = (200, 1.5 * libm::log(1e4));
    let profile = |x: f64| strength * x * x;
    let left = |x: f64| libm::exp(-strength * x * x * x / 3.0);
    let along = |f: &dyn Fn(f64) -> f64| {
        (0..=points).map(|k| f64::from(k) / f64::from(points)).map(|x| (x, f(x))).collect()
    };
    let inwards = along(&|x| left(x));
    let back = along(&|x| left(1.0) * left(1.0) / left(x));
    let x = || Axis::linear("depth in the layer (1: its outer end)");
    let upper =
        Chart::new("Damping grows with the square of the depth", x(), Axis::linear("damping"))
            .with(Series::line("", along(&profile)).smooth())
            .size(520.0, 150.0);
    let lower = Chart::new("What is left of a wave", x(), Axis::log("amplitude"))
        .with(Series::line("on its way in", inwards).smooth())
        .with(Series::line("on its way back", back).smooth())
        .size(520.0, 190.0);
    stacked_panels(&[upper, lower])
}

/// What each memory strategy keeps of the wave field of the source, and what it computes again.
fn strategies() -> Sheet {
    const RECEIVERS: &str = "9 4";
    let mut s =
        Sheet::new(760.0, 470.0, "Four ways to have the source's wave field backwards in time");
    s.left(
        20.0,
        28.0,
        "The image needs the source's field at each step, last step first. Four ways to have it:",
    );
    let (left, width) = (214.0, 520.0);
    let x = |t: f64| left + width * t;
    let rows: [(&str, &str, &str); 4] = [
        ("store", "every step is kept", "1 propagation, memory: all steps"),
        ("checkpoints", "some steps are kept", "2 propagations, memory: a few steps"),
        ("boundaries", "inner edges of layers", "2 propagations, memory: faces of all steps"),
        ("random", "only the last 2 steps", "2 propagations, memory: two steps"),
    ];
    for (k, (name, what, cost)) in rows.iter().enumerate() {
        let y = 56.0 + 98.0 * k as f64;
        s.left(20.0, y + 18.0, name);
        s.quiet(20.0, y + 38.0, what);
        let more = ["", "to run from again", "and the last 2 steps", "(reflections scatter)"][k];
        s.quiet(20.0, y + 58.0, more);
        s.arrow(&[(x(0.0), y + 12.0), (x(1.0) + 18.0, y + 12.0)], "l0", 2.0, "");
        for step in 0..=24 {
            let at = x(f64::from(step) / 24.0);
            let kept = match k {
                0 => true,
                1 => step % 6 == 0,
                _ => step >= 23,
            };
            if kept {
                s.rect((at - 3.5, y + 6.0), (7.0, 12.0), 0.0, "f1");
            } else if k == 2 {
                s.line(&[(at, y + 7.0), (at, y + 17.0)], "l1", 1.4, "");
            }
        }
        match k {
            0 => s.arrow(&[(x(1.0), y + 42.0), (x(0.0), y + 42.0)], "l2", 2.0, RECEIVERS),
            1 => {
                for part in (0..4).rev() {
                    let (from, to) =
                        (x(f64::from(part) / 4.0) + 3.0, x(f64::from(part + 1) / 4.0) - 3.0);
                    s.arrow(&[(from, y + 34.0), (to, y + 34.0)], "l0", 2.0, "");
                    s.arrow(&[(to, y + 48.0), (from, y + 48.0)], "l2", 2.0, RECEIVERS);
                }
            }
            _ => {
                s.arrow(&[(x(1.0), y + 34.0), (x(0.0), y + 34.0)], "l0", 2.0, "");
                s.arrow(&[(x(1.0), y + 48.0), (x(0.0), y + 48.0)], "l2", 2.0, RECEIVERS);
            }
        }
        s.quiet(left, y + 72.0, cost);
    }
    s.line(&[(20.0, 455.0), (50.0, 455.0)], "l0", 2.0, "");
    s.left(58.0, 460.0, "the source's field is computed");
    s.line(&[(300.0, 455.0), (330.0, 455.0)], "l2", 2.0, RECEIVERS);
    s.left(338.0, 460.0, "receivers and image, backwards");
    s.rect((590.0, 449.0), (7.0, 12.0), 0.0, "f1");
    s.left(604.0, 460.0, "kept");
    s
}
