//! Sums, scans, histograms, sorting, graphs, votes.

use super::{List, World};

pub const ALL: List = &[
    ("dot_product", dot_product),
    ("reductions", reductions),
    ("reduce_last_block", reduce_last_block),
    ("argmax", argmax),
    ("warp_votes", warp_votes),
    ("scans", scans),
    ("scan_blocks", scan_blocks),
    ("compaction", compaction),
    ("histograms", histograms),
    ("sorting", sorting),
    ("graphs", graphs),
    ("cooperative", cooperative),
    ("atomics", atomics),
];

fn dot_product(w: &mut World) {
    let (a, b) = (w.get::<f32>("a"), w.get::<f32>("b"));
    w.set("result", vec![a.iter().zip(&b).map(|(x, y)| x * y).sum::<f32>()]);
}

fn reductions(w: &mut World) {
    let x = w.get::<f32>("x");
    let parts = |n: usize| x.chunks(n).map(|c| c.iter().sum::<f32>()).collect::<Vec<_>>();
    for (name, size) in [
        ("interleaved", 256),
        ("conflicting", 256),
        ("sequential", 256),
        ("first_add", 512),
        ("last_warp", 512),
        ("completely", 512),
        ("shuffled", 256),
        ("looped", 1024),
    ] {
        w.set(name, parts(size));
    }
}

fn reduce_last_block(w: &mut World) {
    let sum = w.get::<i32>("x").iter().sum::<i32>();
    w.set("total", vec![sum]);
    w.set("tickets", vec![0u32]);
}

fn argmax(w: &mut World) {
    let x = w.get::<f32>("x");
    let (low, high) = x.iter().fold((x[0], x[0]), |(l, h), v| (l.min(*v), h.max(*v)));
    let place = x.iter().position(|v| *v == high).unwrap_or(0);
    w.set("place", vec![place as i32]);
    w.set("bounds", vec![low, high]);
}

fn warp_votes(w: &mut World) {
    let x = w.get::<i32>("x");
    let warp = |i: usize| &x[i / 32 * 32..i / 32 * 32 + 32];
    let mask = |i: usize, f: &dyn Fn(i32) -> bool| {
        warp(i).iter().enumerate().fold(0u32, |m, (l, v)| m | u32::from(f(*v)) << l)
    };
    w.fill("ballots", 4, |k| mask(32 * k, &|v| v % 2 == 0));
    let mut any_all = Vec::new();
    for k in 0..4 {
        any_all.push(i32::from(warp(32 * k).contains(&9)));
        any_all.push(i32::from(warp(32 * k).iter().all(|v| *v < 9)));
    }
    w.set("any_all", any_all);
    w.fill("peers", 128, |i| mask(i, &|v| v == x[i]));
    w.fill("rank", 128, |i| warp(i)[..i % 32].iter().filter(|v| **v == x[i]).count() as i32);
    w.fill("sums", 128, |i| {
        let (v, l) = (warp(i), i % 32);
        let above = if l % 8 + 3 < 8 { v[l + 3] } else { v[l] };
        v[0] + 10 * v[(l + 1) % 32]
            + 100 * v[l.saturating_sub(1)]
            + 1000 * v[31 - l]
            + 10_000 * v[l / 8 * 8]
            + 100_000 * above
    });
}

fn running_sums(x: &[i32]) -> Vec<i32> {
    let mut sum = 0;
    x.iter()
        .map(|v| {
            sum += v;
            sum
        })
        .collect()
}

fn scans(w: &mut World) {
    let x = w.get::<i32>("x");
    let sums = running_sums(&x);
    w.fill("exclusive", 512, |i| sums[i] - x[i]);
    w.fill("padded", 512, |i| sums[i] - x[i]);
    w.set("inclusive", sums);
}

fn scan_blocks(w: &mut World) {
    let y = running_sums(&w.get::<i32>("x"));
    w.fill("sums", 8, |b| y[(256 * b + 255).min(1999)]);
    w.set("y", y);
}

fn compaction(w: &mut World) {
    let mut kept: Vec<i32> = w.get::<i32>("x").into_iter().filter(|v| *v > 0).collect();
    w.set("count", vec![kept.len() as i32]);
    kept.resize(256, -1000);
    w.set("kept", kept);
    let ones = w.get::<u8>("mask").iter().filter(|v| **v != 0).count();
    w.set("total", vec![ones as u32]);
}

fn histograms(w: &mut World) {
    let count = |data: &[u8], bins: usize, shift: u32| {
        let mut h = vec![0u32; bins];
        data.iter().for_each(|v| h[usize::from(*v >> shift)] += 1);
        h
    };
    let data = w.get::<u8>("data");
    w.set("global_bins", count(&data, 256, 0));
    w.set("shared_bins", count(&data, 256, 0));
    w.set("warp_bins", count(&data, 16, 4));
    w.set("one_bin", count(&[7; 256], 256, 0));
}

fn sorting(w: &mut World) {
    for (from, to) in [
        ("keys", "keys"),
        ("global_keys", "global_keys"),
        ("odd_even", "odd_even"),
        ("unsorted", "ranked"),
    ] {
        let mut v = w.get::<i32>(from);
        v.sort_unstable();
        w.set(to, v);
    }
    let mut words = w.get::<u32>("words");
    words.sort_unstable();
    w.set("words", words);
}

fn graphs(w: &mut World) {
    let mut d = w.get::<i32>("dist");
    for k in 0..32 {
        for i in (0..32).filter(|i| *i != k) {
            for j in (0..32).filter(|j| *j != k) {
                d[i * 32 + j] = d[i * 32 + j].min(d[i * 32 + k] + d[k * 32 + j]);
            }
        }
    }
    w.set("dist", d);
    let edges = w.get::<i32>("edges");
    let targets = |node: usize| edges[4 * node..4 * node + 4].iter().map(|e| *e as usize);
    let mut level = vec![-1; 128];
    level[5] = 0;
    for depth in 1..=3 {
        for node in (0..128).filter(|n| level[*n] == depth - 1).collect::<Vec<_>>() {
            for to in targets(node) {
                if level[to] < 0 {
                    level[to] = depth;
                }
            }
        }
    }
    w.set("level", level);
    let mut labels: Vec<i32> = (0..128).collect();
    for _ in 0..10 {
        let before = labels.clone();
        for node in 0..128 {
            for to in targets(node) {
                let smallest = before[node].min(before[to]);
                labels[to] = labels[to].min(smallest);
                labels[node] = labels[node].min(smallest);
            }
        }
    }
    w.set("labels", labels);
}

fn cooperative(w: &mut World) {
    let x = w.get::<i32>("x");
    w.set("by_warp", x.chunks(32).map(|c| c.iter().sum()).collect::<Vec<i32>>());
    w.set("by_eight", x.chunks(8).map(|c| c.iter().sum()).collect::<Vec<i32>>());
    let groups = [128, 32, 16].into_iter().flat_map(|n| x.chunks(n));
    w.set("by_group", groups.map(|c| c.iter().sum()).collect::<Vec<i32>>());
}

fn atomics(w: &mut World) {
    let x = w.get::<i32>("x");
    let sum: i32 = x.iter().sum();
    let (low, high) = (x.iter().min().copied(), x.iter().max().copied());
    let (low, high) = (low.unwrap_or(0), high.unwrap_or(0));
    let and = x.iter().fold(-1, |a, v| a & (v | 0xff00));
    let or = x.iter().fold(0, |a, v| a | (v & 0xff));
    let xor = x.iter().fold(0, |a, v| a ^ v);
    w.set("ints", vec![sum, -sum, low.min(2000), high.max(-2000), and, or, xor]);
    let u: Vec<u32> = x.iter().map(|v| *v as u32).collect();
    let dec = (0..300).fold(10u32, |v, _| if v == 0 || v > 12 { 12 } else { v - 1 });
    w.set(
        "uints",
        vec![
            sum as u32,
            u.iter().copied().min().unwrap_or(0),
            u.iter().copied().max().unwrap_or(0),
            300 % 17,
            dec,
            u.iter().fold(u32::MAX, |a, v| a & (v | 0xff)),
        ],
    );
    let wide = |v: i32| (v + 1000) as u64;
    w.set("longs", vec![300u64 << 33, wide(high) << 32, wide(low) * 10_000_000_000]);
    w.set("floats", vec![sum as f32, high as f32]);
    w.set("doubles", vec![f64::from(sum) * 0.5]);
    w.set("winner", vec![99, 1]);
    w.fill("turns", 300, |i| i as i32);
    w.set("next_turn", vec![300]);
}
