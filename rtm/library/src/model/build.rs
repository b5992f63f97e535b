//! Models from a few numbers: layers, picked interfaces, a lens, a salt body. All of them are
//! deterministic.

use crate::grid::{Cube, Velocity};
use crate::{Error, Grid, Result};

/// A layer: from `top_m` downwards the velocity is `v_mps`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Depth of its upper face below the origin of x and y, metres.
    pub top_m: f64,
    /// How much deeper the face lies per metre of x and of y.
    pub dip: [f64; 2],
    /// Velocity, m/s.
    pub v_mps: f64,
}

impl Layer {
    /// Layers from text: `v` for the first, then `depth:v` or `depth:v:dip_x:dip_y`, separated by
    /// commas: `1500,400:2000,800:2600:0.1:0`.
    ///
    /// # Errors
    /// What is not a number, or no velocity.
    pub fn parse_all(text: &str) -> Result<Vec<Layer>> {
        let bad = |part: &str, what: &str| {
            Error::refused(
                format!("layers: '{part}'"),
                what,
                "write them as v,depth:v,depth:v:dip_x:dip_y, such as 1500,400:2000,800:2600:0.1:0",
            )
        };
        text.split(',')
            .enumerate()
            .map(|(k, part)| {
                let numbers: Vec<f64> = part
                    .split(':')
                    .map(|n| n.trim().parse().map_err(|_| bad(part, "not a number")))
                    .collect::<Result<_>>()?;
                let layer = match (k, numbers.as_slice()) {
                    (0, &[v]) => Layer { top_m: f64::NEG_INFINITY, dip: [0.0; 2], v_mps: v },
                    (1.., &[top, v]) => Layer { top_m: top, dip: [0.0; 2], v_mps: v },
                    (1.., &[top, v, x, y]) => Layer { top_m: top, dip: [x, y], v_mps: v },
                    _ => {
                        return Err(bad(
                            part,
                            "the first is a velocity, the others depth:velocity",
                        ));
                    }
                };
                match layer.v_mps > 0.0 && layer.v_mps.is_finite() {
                    true => Ok(layer),
                    false => Err(bad(part, "the velocity must be positive")),
                }
            })
            .collect()
    }
}

/// Layers from top to bottom; each point has the velocity of the last layer whose face is not below
/// it.
pub fn layered(grid: Grid, layers: &[Layer]) -> Velocity {
    Cube::from_fn(grid, |point| {
        let [x, y, z] = grid.position_m(point);
        let above = |l: &&Layer| z >= l.top_m + l.dip[0] * x + l.dip[1] * y - 1e-6;
        let layer = layers.iter().rev().find(above).or(layers.first());
        layer.map_or(0.0, |l| l.v_mps as f32)
    })
}

/// The same layers as a grid can carry them: the step of `1/v^2` at each face without the
/// wavelengths below two points along z, which the grid cannot hold (Moczo et al. 2002; Mittet
/// 2017). A wave is then reflected as strongly as it should be, and from where the face lies
/// between the points, too; sampled as it is ([`layered`]), a step reflects a few per cent too
/// much: with the wave numbers k1, k2 and the spacing d,
/// `sin((k1 - k2) d / 2) / sin((k1 + k2) d / 2)` in place of `(k1 - k2) / (k1 + k2)`. Within eight
/// points of a face velocities overshoot by some per cent of the step. Faces must be in order from
/// top to bottom.
pub fn layered_band_limited(grid: Grid, layers: &[Layer]) -> Velocity {
    let step = BandStep::new();
    let slowness2 = |l: &Layer| l.v_mps.powi(-2);
    Cube::from_fn(grid, |point| {
        let [x, y, z] = grid.position_m(point);
        let steps = layers.windows(2).map(|pair| {
            let face = pair[1].top_m + pair[1].dip[0] * x + pair[1].dip[1] * y;
            (slowness2(&pair[1]) - slowness2(&pair[0])) * step.at((z - face) / grid.d_m[2])
        });
        let s2 = layers.first().map_or(0.0, slowness2) + steps.sum::<f64>();
        s2.powf(-0.5) as f32
    })
}

/// The integral of `sin(pi t) / (pi t)` under a window of `cos^2` that is `2 HALF` points wide: a
/// step from 0 to 1 that a grid can carry.
struct BandStep {
    /// At `-HALF`, and each `1 / PER_POINT` further on.
    values: Vec<f64>,
}

impl BandStep {
    const HALF: usize = 8;
    const PER_POINT: usize = 64;

    fn new() -> BandStep {
        use std::f64::consts::PI;
        let half = BandStep::HALF as f64;
        let kernel = |i: usize| {
            let t = i as f64 / BandStep::PER_POINT as f64 - half;
            let sinc = if t == 0.0 { 1.0 } else { (PI * t).sin() / (PI * t) };
            sinc * (0.5 * PI * t / half).cos().powi(2)
        };
        let mut values = vec![0.0];
        for i in 0..2 * BandStep::HALF * BandStep::PER_POINT {
            values.push(values[i] + 0.5 * (kernel(i) + kernel(i + 1)));
        }
        let all = values[values.len() - 1];
        values.iter_mut().for_each(|v| *v /= all);
        BandStep { values }
    }

    /// The step at `x` points behind its middle.
    fn at(&self, x: f64) -> f64 {
        let last = (self.values.len() - 1) as f64;
        let place = ((x + BandStep::HALF as f64) * BandStep::PER_POINT as f64).clamp(0.0, last);
        let (i, part) = (place as usize, place.fract());
        let next = self.values[(i + 1).min(self.values.len() - 1)];
        self.values[i] + part * (next - self.values[i])
    }
}

/// Upper faces of layers as picks x, z (metres), from the surface downwards.
pub type Interfaces = Vec<Vec<[f64; 2]>>;

/// Picks as Seismic Un*x's `unif2` and `cshot` read them: a line `x z` for each, and a line
/// `1 -99999` behind those of each interface.
///
/// # Errors
/// A line that is not two numbers, picks whose x does not rise, no interface.
pub fn parse_interfaces(text: &str) -> Result<Interfaces> {
    let mut faces = Vec::new();
    let mut picks: Vec<[f64; 2]> = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let bad = |why: &str, fix: &str| {
            Err(Error::refused(format!("line {}: '{}'", number + 1, line.trim()), why, fix))
        };
        let numbers: Vec<f64> = line.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        let &[x, z] = numbers.as_slice() else {
            return bad("not two numbers", "write x and z in metres; end an interface by 1 -99999");
        };
        if z <= -9999.0 {
            faces.push(std::mem::take(&mut picks));
        } else if picks.last().is_some_and(|p| p[0] >= x) {
            return bad("x does not rise", "sort the picks of an interface by x");
        } else {
            picks.push([x, z]);
        }
    }
    if !picks.is_empty() {
        faces.push(picks);
    }
    match faces.iter().position(Vec::is_empty) {
        None if !faces.is_empty() => Ok(faces),
        _ => Err(Error::refused("the file", "an interface without picks", "give it one or more")),
    }
}

/// Layers between interfaces, straight from pick to pick and level beyond the last; the k-th
/// velocity is that below the k-th interface, of which the first is the surface. Depths at an
/// interface belong to the layer below it.
///
/// # Errors
/// There are not as many velocities as interfaces, or one interface lies above the one before it.
pub fn between_interfaces(grid: Grid, faces: &Interfaces, v_mps: &[f64]) -> Result<Velocity> {
    if faces.len() != v_mps.len() || v_mps.iter().any(|v| !(*v > 0.0 && v.is_finite())) {
        return Err(Error::refused(
            format!("velocities {v_mps:?}"),
            format!("{} interfaces, the surface with them", faces.len()),
            "give a velocity above 0 for the layer below each",
        ));
    }
    let depth = |picks: &[[f64; 2]], x: f64| {
        let after = picks.partition_point(|p| p[0] <= x);
        match (after.checked_sub(1).map(|k| picks[k]), picks.get(after)) {
            (Some(a), Some(b)) => a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]),
            (Some(end), None) => end[1],
            (None, first) => first.map_or(0.0, |p| p[1]),
        }
    };
    let columns: Vec<Vec<f64>> = (0..grid.n[0])
        .map(|ix| {
            let x = grid.position_m([ix, 0, 0])[0];
            let depths: Vec<f64> = faces.iter().map(|picks| depth(picks, x)).collect();
            match depths.windows(2).position(|z| z[0] > z[1]) {
                None => Ok(depths),
                Some(k) => Err(Error::refused(
                    format!("interface {} at x = {x} m", k + 2),
                    format!(
                        "it lies at {} m, above the one before, at {}",
                        depths[k + 1],
                        depths[k]
                    ),
                    "let interfaces follow each other downwards",
                )),
            }
        })
        .collect::<Result<_>>()?;
    Ok(Cube::from_fn(grid, |point| {
        let z = grid.position_m(point)[2];
        let above = columns[point[0]].iter().rposition(|face| z >= face - 1e-6);
        v_mps[above.unwrap_or(0)] as f32
    }))
}

/// A smooth lens: `v_mps` everywhere, and faster by `amount_mps` (slower, if negative) at
/// `centre_m`, falling off as a Gaussian with the standard deviations `radius_m`.
pub fn lens(
    grid: Grid,
    v_mps: f64,
    amount_mps: f64,
    centre_m: [f64; 3],
    radius_m: [f64; 3],
) -> Velocity {
    Cube::from_fn(grid, |point| {
        let place = grid.position_m(point);
        let far: f64 = (0..3).map(|i| ((place[i] - centre_m[i]) / radius_m[i]).powi(2)).sum();
        (v_mps + amount_mps * (-0.5 * far).exp()) as f32
    })
}

/// Sampling of the SEG/EAGE salt model, for which [`salt`] stands in: 169 x 169 x 50 points, 80 m
/// apart.
pub fn salt_grid() -> Grid {
    Grid::uniform([169, 169, 50], 80.0)
}

/// Slowest velocity of [`salt`], m/s.
pub const SALT_V_MIN: f64 = 1499.92;
/// Velocity of the salt itself, m/s: the fastest.
pub const SALT_V_MAX: f64 = 4482.0;

/// A salt dome in layered sediments: a stand-in of our own for the SEG/EAGE salt model, which is
/// not ours to ship. Water at the top, sediments faster with depth in gentle folds, one body of
/// salt with steep flanks and a rough base. It fills any grid: lengths are shares of the grid's
/// extent. Velocities lie in [`SALT_V_MIN`] to [`SALT_V_MAX`], both of which occur.
pub fn salt(grid: Grid) -> Velocity {
    let share = |i: usize, n: usize| if n > 1 { i as f64 / (n - 1) as f64 } else { 0.5 };
    let bump = |a: f64, b: f64, wide: f64| (-((a / wide).powi(2) + (b / wide).powi(2))).exp();
    Cube::from_fn(grid, |[ix, iy, iz]| {
        let (u, v, w) = (share(ix, grid.n[0]), share(iy, grid.n[1]), share(iz, grid.n[2]));
        let top = 0.86 - 0.58 * bump(u - 0.48, v - 0.5, 0.2) - 0.2 * bump(u - 0.68, v - 0.36, 0.1);
        let base = 0.7 + 0.03 * (9.0 * u).sin() * (7.0 * v).cos() + 0.06 * (v - 0.5);
        if (top..base).contains(&w) {
            return SALT_V_MAX as f32;
        }
        let fold = 0.03 * (5.0 * u + 1.0).sin() + 0.02 * (6.0 * v).cos();
        let depth = w + fold * w.min(0.5);
        if depth < 0.08 {
            return SALT_V_MIN as f32;
        }
        // Beds of 8 % of the depth each, every second one 5 % faster.
        let bed = (depth / 0.08) as i64 % 2;
        let sediment = 1600.0 + 2000.0 * depth;
        (sediment * (1.0 + 0.05 * bed as f64)).min(SALT_V_MAX) as f32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_lie_where_the_text_says() {
        let layers = Layer::parse_all("1500, 400:2000, 800:2600:0.5:0").unwrap();
        let model = layered(Grid::uniform([5, 1, 120], 10.0), &layers);
        assert_eq!((model.at([0, 0, 39]), model.at([0, 0, 40])), (1500.0, 2000.0));
        assert_eq!((model.at([0, 0, 79]), model.at([0, 0, 80])), (2000.0, 2600.0));
        assert_eq!((model.at([4, 0, 81]), model.at([4, 0, 82])), (2000.0, 2600.0));
        for (text, part) in [("", "''"), ("1500,400", "'400'"), ("1500,a:2", "'a:2'"), ("0", "'0'")]
        {
            let error = Layer::parse_all(text).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("fix:"), "{error}");
        }
    }

    #[test]
    fn a_band_limited_face_has_its_middle_where_it_lies_and_ends_within_eight_points() {
        let layers = Layer::parse_all("1500,303:2500").unwrap();
        let model = layered_band_limited(Grid::uniform([1, 1, 61], 10.0), &layers);
        let plain = layered(model.grid, &layers);
        let s2 = |v: &f32| f64::from(*v).powi(-2);
        for iz in (0..22).chain(39..61) {
            assert_eq!(model.values[iz], plain.values[iz], "{iz}");
        }
        // The wave's time through the face is that of the step at 303 m: 30.8 points of the upper
        // layer (point 0 to half a point below 30).
        let mean: f64 = model.values[..61].iter().map(s2).sum();
        let want = 30.8 * s2(&1500.0) + 30.2 * s2(&2500.0);
        assert!((mean / want - 1.0).abs() < 2e-4, "{mean:e} {want:e}");
        let (low, high) = model.range();
        assert!(low > 1440.0 && high < 2750.0, "{low} {high}");
    }

    #[test]
    fn picked_interfaces_run_straight_from_pick_to_pick() {
        let faces =
            parse_interfaces("0 0\n1 -99999\n0 40\n 100. 90\n1. -99999\n 50 120\n").unwrap();
        assert_eq!(
            faces,
            [vec![[0.0, 0.0]], vec![[0.0, 40.0], [100.0, 90.0]], vec![[50.0, 120.0]]]
        );
        let model =
            between_interfaces(Grid::uniform([13, 2, 15], 10.0), &faces, &[1500.0, 2e3, 3e3])
                .unwrap();
        let top = |ix: usize, v: f32| (0..15).find(|iz| model.at([ix, 1, *iz]) == v).unwrap();
        assert_eq!([0, 4, 10, 12].map(|ix| top(ix, 2e3)), [4, 6, 9, 9]);
        assert_eq!([0, 12].map(|ix| top(ix, 3e3)), [12, 12]);
        for (text, part) in [
            ("0 0\n5", "line 2: '5'"),
            ("0 0\n0 5", "x does not rise"),
            ("1 -99999", "without picks"),
        ] {
            let error = parse_interfaces(text).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("fix:"), "{error}");
        }
        let crossing = parse_interfaces("0 50\n1 -99999\n0 90\n100 40").unwrap();
        let error =
            |v: &[f64]| between_interfaces(model.grid, &crossing, v).unwrap_err().to_string();
        assert!(error(&[1.0, 2.0]).contains("interface 2 at x = 90 m"), "{}", error(&[1.0, 2.0]));
        assert!(error(&[1.0]).contains("2 interfaces"), "{}", error(&[1.0]));
    }

    #[test]
    fn the_lens_is_fastest_in_its_middle() {
        let model = lens(Grid::uniform([11, 11, 11], 10.0), 2000.0, 500.0, [50.0; 3], [20.0; 3]);
        assert_eq!(model.at([5, 5, 5]), 2500.0);
        assert!((model.at([7, 5, 5]) - 2000.0 - 500.0 * (-0.5f32).exp()).abs() < 0.1);
        assert_eq!(model.range().1, 2500.0);
    }

    #[test]
    fn salt_has_the_range_of_the_original() {
        let model = salt(salt_grid());
        let (low, high) = model.range();
        assert_eq!((low as f32, high as f32), (SALT_V_MIN as f32, SALT_V_MAX as f32));
        let body = model.values.iter().filter(|v| **v == SALT_V_MAX as f32).count();
        let part = body as f64 / model.values.len() as f64;
        assert!((0.02..0.25).contains(&part), "{part}");
        assert_eq!(model.at([0, 0, 0]), SALT_V_MIN as f32);
    }
}
