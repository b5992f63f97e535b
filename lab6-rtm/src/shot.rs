//! A shot on the device: the buffers, and a method for each launch. What to launch when is exercise
//! 6.9.
//!
//! Both wavefields keep two levels, that of an even number and that of an odd one: computing level
//! `k + 1` overwrites `k - 1`.

use cust::function::{BlockSize, Function, GridSize};
use cust::launch;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};
use cust::module::Module;
use labkit::{During, Lab, LabError, check_len, kernel_file};

use crate::volume::{FIRST, H, SECOND, Shape, Volume, element};

/// `struct Face` of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Face {
    first: [i32; 3],
    n: [i32; 3],
    axis: i32,
    side: i32,
}

/// What is migrated.
#[derive(Clone, Debug)]
pub struct Shot {
    /// Points along x, y and z, absorbing layers included.
    pub n: [usize; 3],
    /// Absorbing layers, points on each face.
    pub layers: usize,
    /// `(v dt / spacing)^2`, the same everywhere: the model that the shot is migrated in.
    pub v2: f32,
    /// Levels of time: 0 to `nt - 1`.
    pub nt: usize,
    /// Source point.
    pub source: [usize; 3],
    /// Receiver points.
    pub receivers: Vec<[usize; 3]>,
    /// Sample `k` is added to level `k + 1` at the source.
    pub wavelet: Vec<f32>,
    /// Sample `k` of receiver `r` is number `k * receivers.len() + r`.
    pub data: Vec<f32>,
    /// Factors of the absorbing layers, the innermost first.
    pub a: Vec<f32>,
    /// As `a`.
    pub b: Vec<f32>,
    /// Share of the greatest illumination that is added to the denominator.
    pub floor: f32,
}

/// The state of the absorbing layers of one wavefield: for each face psi and zeta.
type Layers = Vec<(DeviceBuffer<f32>, DeviceBuffer<f32>)>;

/// One wavefield: its even and its odd level.
struct Field {
    levels: [DeviceBuffer<f32>; 2],
    layers: Layers,
}

/// The device with a shot on it.
pub struct Rig<'l> {
    lab: &'l Lab,
    stencil: Module,
    cpml: Module,
    imaging: Module,
    shells: Module,
    points: Module,
    volume: Volume,
    n: [usize; 3],
    layers: usize,
    shape: Shape,
    faces: Vec<Face>,
    /// Words of the shell of one level.
    shell: usize,
    /// Points of the interior along x, y and z.
    interior: [usize; 3],
    receivers: usize,
    floor: f32,
    v2: DeviceBuffer<f32>,
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    source: Field,
    receiver: Field,
    store: DeviceBuffer<f32>,
    correlation: DeviceBuffer<f32>,
    illumination: DeviceBuffer<f32>,
    wavelet: DeviceBuffer<f32>,
    source_at: DeviceBuffer<i32>,
    data: DeviceBuffer<f32>,
    receivers_at: DeviceBuffer<i32>,
}

fn zeros(n: usize) -> Result<DeviceBuffer<f32>, LabError> {
    Ok(DeviceBuffer::zeroed(n)?)
}

impl<'l> Rig<'l> {
    /// Loads the kernels of exercises 6.4 to 6.7, and makes the buffers: silence in both
    /// wavefields.
    ///
    /// # Errors
    /// A shot that is not one (lengths, an interior without a shell), a kernel that does not
    /// compile, what the driver refuses.
    pub fn new(lab: &'l Lab, shot: &Shot) -> Result<Rig<'l>, LabError> {
        let interior = shot.n.map(|n| n.saturating_sub(2 * shot.layers));
        if shot.layers == 0 || interior.iter().any(|n| *n <= 2 * H) || shot.nt < 3 {
            return Err(LabError::msg(
                "a shot needs layers, an interior wider than its shell, 3 levels",
            ));
        }
        check_len("wavelet", shot.wavelet.len(), shot.nt)?;
        check_len("data", shot.data.len(), shot.nt * shot.receivers.len())?;
        check_len("a", shot.a.len(), shot.layers)?;
        check_len("b", shot.b.len(), shot.layers)?;
        let volume = Volume::new(shot.n)?;
        let words = volume.words;
        let mut v2 = vec![0.0; words];
        for row in volume.rows([0; 3], shot.n)? {
            v2[row..row + shot.n[2]].fill(shot.v2);
        }
        let at = |p: &[usize; 3]| element(volume.at(*p)?);
        let as_i32 = |n: [usize; 3]| -> Result<[i32; 3], LabError> {
            Ok([element(n[0])?, element(n[1])?, element(n[2])?])
        };
        let mut faces = Vec::new();
        for (axis, side) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let (mut first, mut n) = ([0; 3], shot.n);
            n[axis] = shot.layers;
            first[axis] = side * (shot.n[axis] - shot.layers);
            faces.push(Face {
                first: as_i32(first)?,
                n: as_i32(n)?,
                axis: axis as i32,
                side: side as i32,
            });
        }
        let field = || -> Result<Field, LabError> {
            let size = |f: &Face| f.n.iter().map(|n| *n as usize).product();
            let states = faces.iter().map(|f| Ok((zeros(size(f))?, zeros(size(f))?)));
            Ok(Field {
                levels: [zeros(words)?, zeros(words)?],
                layers: states.collect::<Result<_, LabError>>()?,
            })
        };
        let deep: usize = interior.iter().map(|n| n - 2 * H).product();
        let shell = interior.iter().product::<usize>() - deep;
        let receivers_at: Vec<i32> = shot.receivers.iter().map(at).collect::<Result<_, _>>()?;
        let rig = Rig {
            lab,
            stencil: lab.module(kernel_file!("stencil_queue.cu"), &[])?,
            cpml: lab.module(kernel_file!("cpml.cu"), &[])?,
            imaging: lab.module(kernel_file!("image.cu"), &[])?,
            shells: lab.module(kernel_file!("shell.cu"), &[])?,
            points: lab.module(kernel_file!("points.cu"), &[])?,
            volume,
            layers: shot.layers,
            shape: volume.shape(shot.layers),
            n: shot.n,
            shell,
            interior,
            receivers: shot.receivers.len(),
            floor: shot.floor,
            v2: DeviceBuffer::from_slice(&v2)?,
            a: DeviceBuffer::from_slice(&shot.a)?,
            b: DeviceBuffer::from_slice(&shot.b)?,
            source: field()?,
            receiver: field()?,
            faces,
            store: zeros(shot.nt * shell)?,
            correlation: zeros(words)?,
            illumination: zeros(words)?,
            wavelet: DeviceBuffer::from_slice(&shot.wavelet)?,
            source_at: DeviceBuffer::from_slice(&[at(&shot.source)?])?,
            data: DeviceBuffer::from_slice(&shot.data)?,
            receivers_at: DeviceBuffer::from_slice(&receivers_at)?,
        };
        rig.stencil.get_global::<[f32; H + 1]>(c"weight")?.copy_from(&SECOND)?;
        rig.cpml.get_global::<[f32; H + 1]>(c"weight")?.copy_from(&SECOND)?;
        rig.cpml.get_global::<[f32; H + 1]>(c"slope")?.copy_from(&FIRST)?;
        Ok(rig)
    }

    /// The source wavefield forward: from levels `k - 1` and `k` to level `k + 1`, with the
    /// absorbing layers.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn step_source(&self, k: usize) -> Result<(), LabError> {
        self.step(&self.source, k + 1)?;
        self.absorb(&self.source, k + 1)
    }

    /// The source wavefield backward: from levels `k + 2` and `k + 1` to level `k`, without layers.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn step_source_back(&self, k: usize) -> Result<(), LabError> {
        self.step(&self.source, k)
    }

    /// The receiver wavefield backward: from levels `k + 2` and `k + 1` to level `k`, with the
    /// absorbing layers.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn step_receivers(&self, k: usize) -> Result<(), LabError> {
        self.step(&self.receiver, k)?;
        self.absorb(&self.receiver, k)
    }

    /// Adds sample number `sample` of the wavelet to level `level` of the source wavefield.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn add_source(&self, level: usize, sample: usize) -> Result<(), LabError> {
        let target = &self.source.levels[level % 2];
        self.add(target, &self.source_at, &self.wavelet, 1, sample)
    }

    /// Adds sample `k` of all traces to level `k` of the receiver wavefield.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn add_data(&self, k: usize) -> Result<(), LabError> {
        let target = &self.receiver.levels[k % 2];
        self.add(target, &self.receivers_at, &self.data, self.receivers, k)
    }

    /// Saves the shell of level `k` of the source wavefield.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn save_shell(&self, k: usize) -> Result<(), LabError> {
        let kernel = function(&self.shells, "shell_save")?;
        let (level, s) = (element(k)?, self.shape);
        let cur = &self.source.levels[k % 2];
        let (grid, stream) = ((self.shell as u32).div_ceil(128), self.lab.stream());
        // SAFETY: the arguments match the kernel's parameters; the store has a shell for each
        // level.
        unsafe {
            launch!(kernel<<<grid, 128, 0, stream>>>(
                self.store.as_device_ptr(), cur.as_device_ptr(), s, level
            ))
        }
        .during("launch of shell_save")
    }

    /// Puts the saved shell of level `k` back into the source wavefield.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn load_shell(&self, k: usize) -> Result<(), LabError> {
        let kernel = function(&self.shells, "shell_load")?;
        let (level, s) = (element(k)?, self.shape);
        let cur = &self.source.levels[k % 2];
        let (grid, stream) = ((self.shell as u32).div_ceil(128), self.lab.stream());
        // SAFETY: as above.
        unsafe {
            launch!(kernel<<<grid, 128, 0, stream>>>(
                cur.as_device_ptr(), self.store.as_device_ptr(), s, level
            ))
        }
        .during("launch of shell_load")
    }

    /// Adds level `k` of both wavefields to the image's sums.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn correlate(&self, k: usize) -> Result<(), LabError> {
        let kernel = function(&self.imaging, "correlate")?;
        let (ps, pr) = (&self.source.levels[k % 2], &self.receiver.levels[k % 2]);
        let (grid, block) = self.layout(self.interior);
        let (s, stream) = (self.shape, self.lab.stream());
        // A history of one level, at its only step.
        // SAFETY: the arguments match the kernel's parameters; all are levels.
        unsafe {
            launch!(kernel<<<grid, block, 0, stream>>>(
                self.correlation.as_device_ptr(), self.illumination.as_device_ptr(),
                ps.as_device_ptr(), pr.as_device_ptr(), s, 1i32, 0i32
            ))
        }
        .during("launch of correlate")
    }

    /// The normalised image of the interior, z fastest.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn image(&self) -> Result<Vec<f32>, LabError> {
        self.lab.stream().synchronize()?;
        let mut light = vec![0.0; self.volume.words];
        self.illumination.copy_to(&mut light)?;
        let floor = self.floor * light.iter().fold(f32::MIN_POSITIVE, |m, v| m.max(*v));
        let image = zeros(self.volume.words)?;
        let kernel = function(&self.imaging, "normalise")?;
        let (grid, block) = self.layout(self.interior);
        let (s, stream) = (self.shape, self.lab.stream());
        // SAFETY: the arguments match the kernel's parameters; all are levels.
        unsafe {
            launch!(kernel<<<grid, block, 0, stream>>>(
                image.as_device_ptr(), self.correlation.as_device_ptr(),
                self.illumination.as_device_ptr(), s, floor
            ))
        }
        .during("launch of normalise")?;
        stream.synchronize()?;
        let mut level = vec![0.0; self.volume.words];
        image.copy_to(&mut level)?;
        let mut out = Vec::with_capacity(self.interior.iter().product());
        for row in self.volume.rows([self.layers; 3], self.interior)? {
            out.extend_from_slice(&level[row..row + self.interior[2]]);
        }
        Ok(out)
    }

    /// Blocks of 256 threads over `n` points, z along x of CUDA; where z is thin, a warp has
    /// several of its rows.
    fn layout(&self, n: [usize; 3]) -> (GridSize, BlockSize) {
        let z = (n[2] as u32).next_power_of_two().min(32);
        let threads = [64 / z, 4, z];
        let [x, y, z] = [0, 1, 2].map(|k| (n[k] as u32).div_ceil(threads[k]));
        (GridSize::xyz(z, y, x), BlockSize::xyz(threads[2], threads[1], threads[0]))
    }

    /// The stencil: level `to` of a field from the other level and what level `to` holds.
    fn step(&self, field: &Field, to: usize) -> Result<(), LabError> {
        let kernel = function(&self.stencil, "stencil_queue")?;
        let (next, cur) = (&field.levels[to % 2], &field.levels[(to + 1) % 2]);
        let [_, ny, nz] = self.n;
        let grid = ((nz as u32).div_ceil(32), (ny as u32).div_ceil(8));
        let (s, stream) = (self.shape, self.lab.stream());
        // SAFETY: the arguments match the kernel's parameters; all are levels.
        unsafe {
            launch!(kernel<<<grid, (32, 8), 0, stream>>>(
                next.as_device_ptr(), cur.as_device_ptr(), self.v2.as_device_ptr(), s
            ))
        }
        .during("launch of stencil_queue")
    }

    /// The six layers' share of level `to`.
    fn absorb(&self, field: &Field, to: usize) -> Result<(), LabError> {
        let psi_kernel = function(&self.cpml, "cpml_psi")?;
        let apply_kernel = function(&self.cpml, "cpml_apply")?;
        let (next, cur) = (&field.levels[to % 2], &field.levels[(to + 1) % 2]);
        let (s, stream) = (self.shape, self.lab.stream());
        for (face, (psi, zeta)) in self.faces.iter().zip(&field.layers) {
            let (f, (grid, block)) = (*face, self.layout(face.n.map(|n| n as usize)));
            // SAFETY: the arguments match the kernels' parameters; psi and zeta have an element for
            // each point of the face.
            unsafe {
                launch!(psi_kernel<<<grid, block, 0, stream>>>(
                    psi.as_device_ptr(), cur.as_device_ptr(), self.a.as_device_ptr(),
                    self.b.as_device_ptr(), s, f
                ))
                .during("launch of cpml_psi")?;
                launch!(apply_kernel<<<grid, block, 0, stream>>>(
                    next.as_device_ptr(), zeta.as_device_ptr(), psi.as_device_ptr(),
                    cur.as_device_ptr(), self.v2.as_device_ptr(), self.a.as_device_ptr(),
                    self.b.as_device_ptr(), s, f
                ))
                .during("launch of cpml_apply")?;
            }
        }
        Ok(())
    }

    fn add(
        &self,
        level: &DeviceBuffer<f32>,
        at: &DeviceBuffer<i32>,
        samples: &DeviceBuffer<f32>,
        count: usize,
        sample: usize,
    ) -> Result<(), LabError> {
        let kernel = function(&self.points, "add_points")?;
        let (n, first) = (element(count)?, element(sample * count)?);
        let (grid, stream) = ((count as u32).div_ceil(128), self.lab.stream());
        // SAFETY: the arguments match the kernel's parameters; `at` has n places within the level.
        unsafe {
            launch!(kernel<<<grid, 128, 0, stream>>>(
                level.as_device_ptr(), at.as_device_ptr(), samples.as_device_ptr(), n, first
            ))
        }
        .during("launch of add_points")
    }
}

fn function<'m>(module: &'m Module, name: &str) -> Result<Function<'m>, LabError> {
    module.get_function(name).during(format!("get_function({name})"))
}
