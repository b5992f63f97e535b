//! A shot over two layers: what its receivers record, and the image that it must give.

use serde_json::{Value, json};

use references::grid::Grid;
use references::wave::{Face, Profile, Wave, ricker};

/// A shot to be migrated.
#[derive(Clone, Debug)]
pub struct Shot {
    /// Grid with layers.
    pub grid: Grid,
    /// First point of the lower layer along z.
    pub reflector: usize,
    /// Levels: 0 to `nt - 1`.
    pub nt: usize,
    /// Source point.
    pub source: [usize; 3],
    /// Receiver points.
    pub receivers: Vec<[usize; 3]>,
    /// What is added at the source in each step.
    pub wavelet: Vec<f32>,
    /// `data[k * receivers + r]`: the reflection at receiver r at level k.
    pub data: Vec<f32>,
    /// Factors of the layers.
    pub profile: Profile,
}

/// Square of the Courant number above and below the reflector.
const V2: [f32; 2] = [0.085, 0.19];

/// Waves per step: 7 points per wavelength.
const FREQUENCY: f64 = 0.0416;

/// Share of the greatest illumination that is added to the denominator.
pub const FLOOR: f32 = 0.01;

impl Shot {
    /// A shot in the middle of the surface, which lies `surface` points within the interior, over a
    /// reflector `depth` points below it; receivers on every second point of the surface.
    pub fn over_two_layers(
        n: [usize; 3],
        layers: usize,
        surface: usize,
        depth: usize,
        nt: usize,
    ) -> Shot {
        let grid = Grid { n, half: 4, layers };
        let surface = layers + surface;
        let receivers = (layers..n[0] - layers)
            .step_by(2)
            .flat_map(|x| (layers..n[1] - layers).step_by(2).map(move |y| [x, y, surface]))
            .collect();
        let velocity = f64::from(V2[0]).sqrt();
        let mut shot = Shot {
            grid,
            reflector: surface + depth,
            nt,
            source: [n[0] / 2, n[1] / 2, surface],
            receivers,
            wavelet: (0..nt).map(|k| ricker(FREQUENCY, k) as f32).collect(),
            data: Vec::new(),
            profile: Profile::new(layers, velocity, FREQUENCY),
        };
        // The wave that runs along the surface is known, and taken out.
        let (with, without) = (shot.record(shot.reflector), shot.record(usize::MAX));
        shot.data = with.iter().zip(&without).map(|(a, b)| (a - b) as f32).collect();
        shot
    }

    fn wave(&self, reflector: usize) -> Wave {
        let v2 = self.grid.level(|p| if p[2] < reflector { V2[0] } else { V2[1] });
        Wave::new(self.grid, &v2, Face::all(&self.grid), self.profile.clone())
    }

    fn record(&self, reflector: usize) -> Vec<f64> {
        let mut wave = self.wave(reflector);
        let mut data = vec![0.0; self.receivers.len()];
        for k in 0..self.nt - 1 {
            wave.step();
            wave.cur[self.grid.at(self.source)] += f64::from(self.wavelet[k]);
            data.extend(self.receivers.iter().map(|r| wave.cur[self.grid.at(*r)]));
        }
        data
    }

    /// Points of the interior, in the order of memory.
    pub fn interior(&self) -> Vec<[usize; 3]> {
        let inside = |p: &[usize; 3]| {
            (0..3).all(|k| (self.grid.layers..self.grid.n[k] - self.grid.layers).contains(&p[k]))
        };
        self.grid.points().filter(inside).collect()
    }

    /// The normalised image of the interior: every level of the source wavefield kept, no shell, no
    /// reconstruction.
    pub fn image(&self) -> Vec<f64> {
        let at: Vec<usize> = self.interior().iter().map(|p| self.grid.at(*p)).collect();
        let pick = |level: &[f64]| -> Vec<f64> { at.iter().map(|i| level[*i]).collect() };
        let mut source = self.wave(usize::MAX);
        let mut history = vec![pick(&source.cur)];
        for k in 0..self.nt - 1 {
            source.step();
            source.cur[self.grid.at(self.source)] += f64::from(self.wavelet[k]);
            history.push(pick(&source.cur));
        }
        let mut receiver = self.wave(usize::MAX);
        let (mut image, mut light) = (vec![0.0; at.len()], vec![0.0; at.len()]);
        for k in (0..self.nt).rev() {
            if k + 1 < self.nt {
                receiver.step();
            }
            let samples = &self.data[k * self.receivers.len()..];
            for (r, sample) in self.receivers.iter().zip(samples) {
                receiver.cur[self.grid.at(*r)] += f64::from(*sample);
            }
            for (j, i) in at.iter().enumerate() {
                image[j] += history[k][j] * receiver.cur[*i];
                light[j] += history[k][j] * history[k][j];
            }
        }
        let floor = f64::from(FLOOR) * light.iter().fold(0.0, |m: f64, v| m.max(*v));
        image.iter().zip(&light).map(|(a, b)| a / (b + floor)).collect()
    }

    /// Where on the lines around the source the image is strongest, below the surface: index along
    /// z.
    pub fn brightest(&self, image: &[f64]) -> usize {
        let mut depth = vec![0.0; self.grid.n[2]];
        for ([x, y, z], value) in self.interior().into_iter().zip(image) {
            let near = x.abs_diff(self.source[0]) <= 2 && y.abs_diff(self.source[1]) <= 2;
            if near && z > self.source[2] + 3 {
                depth[z] += value;
            }
        }
        (0..depth.len()).max_by(|a, b| depth[*a].abs().total_cmp(&depth[*b].abs())).unwrap_or(0)
    }

    /// As the handler takes it.
    pub fn request(&self) -> Value {
        let bits = |v: &[f32]| -> Vec<u32> { v.iter().map(|v| v.to_bits()).collect() };
        json!({
            "n": self.grid.n,
            "layers": self.grid.layers,
            "v2": V2[0].to_bits(),
            "nt": self.nt,
            "source": self.source,
            "receivers": self.receivers,
            "wavelet": bits(&self.wavelet),
            "data": bits(&self.data),
            "a": bits(&self.profile.a),
            "b": bits(&self.profile.b),
            "floor": FLOOR.to_bits(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_shows_the_reflector() {
        let shot = Shot::over_two_layers([24, 24, 28], 5, 1, 10, 120);
        let image = shot.image();
        let found = shot.brightest(&image);
        let column: Vec<String> = shot
            .interior()
            .iter()
            .zip(&image)
            .filter(|(p, _)| p[0] == shot.source[0] && p[1] == shot.source[1])
            .map(|(p, v)| format!("{}: {v:.4}", p[2]))
            .collect();
        assert!(found.abs_diff(shot.reflector) <= 1, "{found}, not {}: {column:?}", shot.reflector);
        println!("{found} of {}: {column:?}", shot.reflector);
    }
}
