//! Tilted media: what each point is made of, the built-in models of the mini-app, and the
//! coefficients that kernels read.

use std::str::FromStr;

use rayon::prelude::*;
use rtm::{Error, Result};

use super::layout::{BORDER, VolumeLayout};
use super::libc_rand::LibcRand;

/// `sigma` of the mini-app: the velocity of SV waves along the axis is
/// `vpz sqrt(|epsilon - delta| / sigma)` (Fletcher, Du and Fowler 2009, equation 14).
pub const SIGMA: f32 = 0.75;

/// One point of a transversely isotropic medium.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Medium {
    /// Velocity of P waves along the axis of symmetry, m/s.
    pub vpz: f32,
    /// Velocity of SV waves along the axis of symmetry, m/s.
    pub vsv: f32,
    /// Thomsen's epsilon: P waves across the axis run at `vpz sqrt(1 + 2 epsilon)`.
    pub epsilon: f32,
    /// Thomsen's delta: the moveout velocity is `vpz sqrt(1 + 2 delta)`.
    pub delta: f32,
    /// Azimuth of the axis: its angle from x towards y, radians.
    pub phi: f32,
    /// Dip of the axis: its angle from z, radians.
    pub theta: f32,
}

impl Medium {
    /// With the SV velocity that keeps the equations stable, see [`SIGMA`].
    pub fn with_sigma(vpz: f32, [epsilon, delta]: [f32; 2], [phi, theta]: [f32; 2]) -> Medium {
        let vsv = vpz * ((epsilon - delta).abs() / SIGMA).sqrt();
        Medium { vpz, vsv, epsilon, delta, phi, theta }
    }

    /// The axis of symmetry as a unit vector.
    pub fn axis(&self) -> [f32; 3] {
        let (sin_theta, cos_theta) = self.theta.sin_cos();
        let (sin_phi, cos_phi) = self.phi.sin_cos();
        [sin_theta * cos_phi, sin_theta * sin_phi, cos_theta]
    }

    /// The squared velocities of the equations, m^2/s^2: `vpx^2`, `vpz^2`, `vsz^2`, `vpn^2`.
    pub fn squares(&self) -> [f32; 4] {
        let z = self.vpz * self.vpz;
        let [fast, slow] = self.factors();
        [z * fast, z, self.vsv * self.vsv, z * slow]
    }

    /// The axis of symmetry, as long as a P wave runs along it in a time step, counted in spacings
    /// along x, y and z; and `vsz^2 / vpz^2`.
    pub fn axis_and_shear(&self, dt_s: f64, d_m: [f64; 3]) -> [f32; 4] {
        // The last number needs a P wave: where there is none, one that is too slow to be heard.
        let vpz = f64::from(self.vpz.max(1e-6 * self.vsv));
        let [x, y, z] = self.axis().map(|a| f64::from(a) * vpz * dt_s);
        let shear = if vpz > 0.0 { (f64::from(self.vsv) / vpz).powi(2) } else { 0.0 };
        [x / d_m[0], y / d_m[1], z / d_m[2], shear].map(|v| v as f32)
    }

    /// `vpx^2 / vpz^2` and `vpn^2 / vpz^2`.
    pub fn factors(&self) -> [f32; 2] {
        [1.0 + 2.0 * self.epsilon, 1.0 + 2.0 * self.delta]
    }
}

/// The mini-app's built-in media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Isotropic: 3000 m/s.
    Iso,
    /// Vertical axis: 3000 m/s, epsilon 0.24, delta 0.1.
    Vti,
    /// The same, tilted by 45 degrees at an azimuth of 1 radian.
    Tti,
}

impl Form {
    /// What fills the model.
    pub fn medium(self) -> Medium {
        const VPZ: f32 = 3000.0;
        const THOMSEN: [f32; 2] = [0.24, 0.1];
        match self {
            Form::Iso => Medium { vpz: VPZ, ..Medium::default() },
            Form::Vti => Medium::with_sigma(VPZ, THOMSEN, [0.0, 0.0]),
            Form::Tti => Medium::with_sigma(VPZ, THOMSEN, [1.0, 1f32.atan()]),
        }
    }

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Form::Iso => "ISO",
            Form::Vti => "VTI",
            Form::Tti => "TTI",
        }
    }
}

impl FromStr for Form {
    type Err = Error;

    fn from_str(text: &str) -> Result<Form> {
        [Form::Iso, Form::Vti, Form::Tti].into_iter().find(|f| f.name() == text).ok_or_else(|| {
            Error::refused(format!("form '{text}'"), "there is no such form", "ISO, VTI or TTI")
        })
    }
}

/// A medium for each computed point.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Where the points lie.
    pub layout: VolumeLayout,
    /// One for each computed point, x fastest.
    pub points: Vec<Medium>,
}

impl Model {
    /// The medium of each point.
    pub fn from_fn(layout: VolumeLayout, medium: impl FnMut([usize; 3]) -> Medium) -> Model {
        Model { layout, points: layout.each_point().map(medium).collect() }
    }

    /// The mini-app's model: `n` points of the form's medium inside `absorb` points on each face,
    /// whose velocities change at random, the more the deeper: `v = (1 - d) v_edge + d r v_max`,
    /// `d = depth / absorb`, r from 0 to 1. The random numbers are those of the C library's
    /// `rand()` on Linux, in the mini-app's order, so its model is this one bit for bit.
    pub fn fletcher(form: Form, n: [usize; 3], absorb: usize, d_m: [f64; 3]) -> Model {
        let layout = VolumeLayout::new(n.map(|n| n + 2 * absorb), d_m);
        let inner = form.medium();
        let mut points = vec![inner; layout.points()];
        let mut rand = LibcRand::new(1);
        let share = 1.0 / absorb as f32;
        // Depth in the random layer, along one axis, of a point counted with the border.
        let depth = |i: usize, n: usize| {
            let first = BORDER + absorb;
            if i < first { first - i } else { (i + 1).saturating_sub(first + n) }
        };
        // The mini-app also draws for border points of the far faces, which nobody computes.
        let end = n.map(|n| 2 * (BORDER + absorb) - 1 + n);
        for iz in BORDER..end[2] {
            for iy in BORDER..end[1] {
                for ix in BORDER..end[0] {
                    let at = [ix, iy, iz];
                    let deepest = (0..3).map(|a| depth(at[a], n[a])).max().unwrap_or(0);
                    if deepest == 0 {
                        continue;
                    }
                    let r = rand.next() as f32 / LibcRand::MAX as f32;
                    let [x, y, z] = at.map(|i| i - BORDER);
                    if x >= layout.n[0] || y >= layout.n[1] || z >= layout.n[2] {
                        continue;
                    }
                    let d = deepest as f32 * share;
                    let blend = |v: f32| {
                        (f64::from(v) * (1.0 - f64::from(d)) + f64::from(v * r * d)) as f32
                    };
                    let point = &mut points[(z * layout.n[1] + y) * layout.n[0] + x];
                    (point.vpz, point.vsv) = (blend(inner.vpz), blend(inner.vsv));
                }
            }
        }
        Model { layout, points }
    }

    /// The ten arrays that the mini-app's kernels read, in the order of [`COEFFICIENTS`], zero
    /// outside the computed points.
    pub fn coefficients(&self) -> [Vec<f32>; 10] {
        self.volumes(|m| {
            let (sin_theta, cos_theta) = m.theta.sin_cos();
            let (sin_phi, cos_phi) = m.phi.sin_cos();
            let (sin_2_theta, sin_2_phi) = ((2.0 * m.theta).sin(), (2.0 * m.phi).sin());
            let [v2px, v2pz, v2sz, v2pn] = m.squares();
            [
                sin_theta * sin_theta * cos_phi * cos_phi,
                sin_theta * sin_theta * sin_phi * sin_phi,
                cos_theta * cos_theta,
                sin_theta * sin_theta * sin_2_phi,
                sin_2_theta * sin_phi,
                sin_2_theta * cos_phi,
                v2px,
                v2pz,
                v2sz,
                v2pn,
            ]
        })
    }

    /// What the best step on devices reads, six numbers of a point in two volumes: four that are
    /// [`Medium::axis_and_shear`], and two that are [`Medium::factors`].
    pub fn compact(&self, dt_s: f64) -> [Vec<f32>; 2] {
        let d_m = self.layout.d_m;
        let [axis_and_shear] = self.volumes(|m| [m.axis_and_shear(dt_s, d_m)]);
        let [factors] = self.volumes(|m| [m.factors()]);
        [axis_and_shear.into_flattened(), factors.into_flattened()]
    }

    /// One volume for each value that `of` makes of a point; it is zero outside.
    fn volumes<T: Copy + Default + Send, const N: usize>(
        &self,
        of: impl Fn(&Medium) -> [T; N] + Sync,
    ) -> [Vec<T>; N] {
        let VolumeLayout { n: [nx, ny, _], row, plane, first, .. } = self.layout;
        let mut volumes = [(); N].map(|()| vec![T::default(); self.layout.len()]);
        // Plane by plane, so that all cores work: the angles' sines take their time.
        let mut planes: Vec<Vec<&mut [T]>> = Vec::new();
        for volume in &mut volumes {
            for (z, part) in volume[first..].chunks_mut(plane).take(self.layout.n[2]).enumerate() {
                if planes.len() <= z {
                    planes.push(Vec::with_capacity(N));
                }
                planes[z].push(part);
            }
        }
        planes.par_iter_mut().enumerate().for_each(|(iz, parts)| {
            for iy in 0..ny {
                for (ix, medium) in self.points[(iz * ny + iy) * nx..][..nx].iter().enumerate() {
                    for (part, value) in parts.iter_mut().zip(of(medium)) {
                        part[iy * row + ix] = value;
                    }
                }
            }
        });
        volumes
    }
}

/// What [`Model::coefficients`] returns, by the mini-app's names.
pub const COEFFICIENTS: [&str; 10] =
    ["ch1dxx", "ch1dyy", "ch1dzz", "ch1dxy", "ch1dyz", "ch1dxz", "v2px", "v2pz", "v2sz", "v2pn"];
