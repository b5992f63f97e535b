//! References of the kernels in the style of books and benchmark suites.

use super::{List, World};

pub const ALL: List = &[
    ("typed_shared", typed_shared),
    ("histogram_words", histogram_words),
    ("ray_tracing", ray_tracing),
    ("alignment_score", alignment_score),
    ("merge_lists", merge_lists),
    ("pair_forces", pair_forces),
    ("wave_cube", wave_cube),
    ("cpp_features", cpp_features),
    ("particle_boxes", particle_boxes),
];

fn typed_shared(w: &mut World) {
    let values = w.get::<f64>("in");
    w.set("sums", values.chunks(256).map(|part| part.iter().sum()).collect::<Vec<f64>>());
    let counts = w.get::<i32>("counts");
    w.set("totals", counts.chunks(256).map(|part| part.iter().sum()).collect::<Vec<i32>>());
}

fn histogram_words(w: &mut World) {
    let mut histogram = vec![0u32; 256];
    for byte in w.get::<u32>("data").iter().flat_map(|word| word.to_le_bytes()) {
        histogram[byte as usize] += 1;
    }
    w.set("histogram", histogram);
}

fn ray_tracing(w: &mut World) {
    // colour, centre, radius
    let balls: [([f32; 3], [f32; 3], f32); 4] = [
        ([1.0, 0.0, 0.0], [0.0, 0.0, 0.0], 8.0),
        ([0.0, 1.0, 0.0], [6.0, 6.0, 3.0], 5.0),
        ([0.0, 0.0, 1.0], [-8.0, 2.0, 1.0], 4.0),
        ([1.0, 1.0, 1.0], [3.0, -7.0, 9.0], 3.0),
    ];
    let mut bitmap = Vec::new();
    for pixel in 0..32 * 32 {
        let (x, y) = ((pixel % 32 - 16) as f32, (pixel / 32 - 16) as f32);
        let mut nearest = -1e9f32;
        let mut colour = [0.0f32; 3];
        for (paint, [cx, cy, cz], radius) in balls {
            let rest = radius * radius - (x - cx) * (x - cx) - (y - cy) * (y - cy);
            if rest > 0.0 && cz + rest.sqrt() > nearest {
                nearest = cz + rest.sqrt();
                colour = paint.map(|c| c * (rest.sqrt() / radius));
            }
        }
        bitmap.extend(colour.map(|c| (c * 255.0) as u8));
        bitmap.push(255);
    }
    w.set("bitmap", bitmap);
    // Four blocks, eight lanes for each entry.
    w.set("table", vec![0, 80, 80, 80, 80]);
}

fn alignment_score(w: &mut World) {
    let similarity = w.get::<i32>("similarity");
    let mut score = vec![0i32; 33 * 33];
    for at in (0..33 * 33).filter(|at| at % 33 > 0 && at / 33 > 0) {
        let diagonal = score[at - 34] + similarity[at];
        score[at] = diagonal.max(score[at - 1] - 3).max(score[at - 33] - 3);
    }
    w.set("score", score);
}

fn merge_lists(w: &mut World) {
    let mut all = w.get::<i32>("a");
    all.extend(w.get::<i32>("b"));
    all.sort_unstable();
    w.set("c", all);
}

fn pair_forces(w: &mut World) {
    let (position, neighbours) = (w.get::<f32>("position"), w.get::<i32>("neighbours"));
    let point = |i: usize| [0, 1, 2].map(|k| f64::from(position[4 * i + k]));
    let mut force = Vec::new();
    for i in 0..64 {
        let mut sum = [0.0f64; 4];
        for k in 0..4 {
            let (own, other) = (point(i), point(neighbours[64 * k + i] as usize));
            let d = [0, 1, 2].map(|k| own[k] - other[k]);
            let square: f64 = d.iter().map(|x| x * x).sum();
            if square > 0.25 && square < 30.0 {
                let sixth = square.powi(-3);
                let f = sixth / square * (1.5 * sixth - 2.0);
                (0..3).for_each(|k| sum[k] += f * d[k]);
            }
        }
        force.extend(sum.map(|x| x as f32));
    }
    w.set("force", force);
    let mut key = w.get::<u32>("key");
    key.sort_unstable();
    w.set("key", key);
}

fn wave_cube(w: &mut World) {
    let (input, stencil) = (w.get::<f32>("in"), w.get::<f32>("stencil"));
    let (row, level) = (40, 40 * 24);
    let mut out = vec![0.0f32; input.len()];
    for z in 4..8 {
        for y in 4..20 {
            for x in 4..36 {
                let at = z * level + y * row + x;
                let mut sum = stencil[0] * input[at];
                for (k, weight) in stencil.iter().enumerate().skip(1) {
                    let axes = [k * level, k * row, k];
                    sum += weight
                        * (input[at + axes[0]]
                            + input[at - axes[0]]
                            + input[at - axes[1]]
                            + input[at + axes[1]]
                            + input[at - axes[2]]
                            + input[at + axes[2]]);
                }
                out[at] = sum;
            }
        }
    }
    w.set("out", out);
}

fn cpp_features(w: &mut World) {
    let input = w.get::<i32>("in");
    w.fill("out", 64, |i| {
        let x = i64::from(input[i]);
        let vector = [x + x, 2 * x + x + 1, 3 * x + x * x];
        let list: i64 = 1 - 2 + 3;
        let twice = i % 2 == 1;
        let mut sum = if twice { 2 * list } else { list + 100 };
        sum += 1 + x * (-2 + x * 3);
        sum = sum + vector[2] + vector[1] + 3 + x * x;
        sum += x.clamp(0, 7) + x.clamp(-3, 7) + x.clamp(-5, 5);
        sum += x.min(4) + x.max(i64::from(twice));
        sum ^ ((1 << 40) + 255 + (1 << 33))
    });
}

fn particle_boxes(w: &mut World) {
    let (particles, charge) = (w.get::<f32>("particles"), w.get::<f32>("charge"));
    let particle = |i: usize| [0, 1, 2, 3].map(|k| f64::from(particles[4 * i + k]));
    let mut force = Vec::new();
    for i in 0..200 {
        let (a, mut sum) = (particle(i), [0.0f64; 4]);
        for (j, charge) in charge.iter().enumerate() {
            let b = particle(j);
            let dot: f64 = (1..4).map(|k| a[k] * b[k]).sum();
            let e = (-0.5 * (a[0] + b[0] - dot)).exp() * f64::from(*charge);
            sum[0] += e;
            (1..4).for_each(|k| sum[k] += 2.0 * e * (a[k] - b[k]));
        }
        force.extend(sum.map(|x| x as f32));
    }
    w.set("force", force);
}
