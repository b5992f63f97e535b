//! Running plans.

use bytemuck::Pod;
use cuda_driver::LastError;
use cuda_driver::library::Work;
use cust::memory::DeviceSlice;
use num_complex::Complex;
use transforms::Precision;

use super::cpu::Axes;
use super::plan::{Engine, Plan, cufft};
use super::{BatchLayout, ComplexOf, Direction, FftType, STATUSES, half, status};
use crate::device::{Elements, Place, Session};
use crate::error::{Error, Result};

/// Input and output of a run, checked against their slices.
struct Sides {
    input: Elements,
    output: Elements,
}

impl Plan<'_> {
    fn invalid<R>(&self, call: &'static str, what: String) -> Result<R> {
        Err(Error::new(call, status::INVALID_VALUE, what))
    }

    /// Shapes and layouts of input and output. Real data in place: rows are padded to the length of
    /// the complex ones.
    fn shapes(&self, in_place: bool) -> [(Vec<usize>, BatchLayout); 2] {
        let complex = self.complex_shape();
        let input = if self.kind.real_input() { self.shape.clone() } else { complex.clone() };
        let output = if self.kind.real_output() { self.shape.clone() } else { complex.clone() };
        let (from, to) = match &self.layouts {
            Some((from, to)) => (from.clone(), to.clone()),
            None => {
                let side = |shape: &[usize], real: bool| match in_place && real {
                    true => self.padded(),
                    false => BatchLayout::packed(shape),
                };
                (side(&input, self.kind.real_input()), side(&output, self.kind.real_output()))
            }
        };
        [(input, from), (output, to)]
    }

    /// The layout of real data that shares its storage with complex data.
    fn padded(&self) -> BatchLayout {
        let mut embed = half(&self.shape);
        if let Some(last) = embed.last_mut() {
            *last *= 2;
        }
        BatchLayout { stride: 1, dist: embed.iter().product(), embed }
    }

    fn sides(
        &self,
        call: &'static str,
        kind: FftType,
        places: [Place; 2],
        in_place: bool,
    ) -> Result<Sides> {
        if self.kind != kind {
            let what = format!("the plan was made for {:?}, not for {kind:?}", self.kind);
            return Err(Error::new(call, status::INVALID_TYPE, what));
        }
        let mut elements = Vec::new();
        for ((shape, layout), (place, name)) in
            self.shapes(in_place).iter().zip(places.into_iter().zip(["input", "output"]))
        {
            let need = layout.need(shape, self.batch).unwrap_or(usize::MAX);
            if need > place.len {
                return self.invalid(
                    call,
                    format!(
                        "the {name} has {} elements, but {} transforms of {shape:?} need {need}",
                        place.len, self.batch
                    ),
                );
            }
            elements.push(layout.elements(place, shape, self.batch));
        }
        let output = elements.pop();
        let input = elements.pop();
        match (input, output) {
            (Some(input), Some(output)) => Ok(Sides { input, output }),
            _ => self.invalid(call, "no sides".into()),
        }
    }

    /// Flop (5 n log2 n, half of that for real data) and bytes of a run.
    fn work(&self, element: usize) -> Work {
        let n: usize = self.shape.iter().product();
        let total = (n * self.batch) as f64;
        let real = self.kind.real_input() || self.kind.real_output();
        let flop = 5.0 * total * (n.max(2) as f64).log2() * if real { 0.5 } else { 1.0 };
        // Each dimension reads and writes all elements once.
        let bytes = (2 * self.shape.len() * n * self.batch * element) as u64;
        match self.kind.single() {
            true => Work { flop_f32: flop, bytes, ..Work::default() },
            false => Work { flop_f64: flop, bytes, ..Work::default() },
        }
    }

    /// A run of a plan that must be of this kind. `direction` counts for complex data only.
    pub(super) fn run(
        &self,
        kind: FftType,
        places: [Place; 2],
        in_place: bool,
        direction: Direction,
    ) -> Result<()> {
        let call = kind.call();
        STATUSES.logged(call, self.stream, |output| {
            let sides = self.sides(call, kind, places, in_place)?;
            *output = sides.output.span();
            let spent = !in_place && self.shape.len() > 1;
            let cpu = match &self.engine {
                Engine::Vendor(plan) => {
                    let [from, to] = places.map(|place| place.address);
                    let sign = direction as i32;
                    // SAFETY: live plan of this kind; both buffers are large enough.
                    let code = unsafe { cufft(call)?.calls.execute(kind, *plan, from, to, sign) };
                    return STATUSES.check(call, code);
                }
                Engine::Single(axes) => {
                    self.transform(axes, direction, spent.then_some(f32::NAN), &sides)
                }
                Engine::Double(axes) => {
                    self.transform(axes, direction, spent.then_some(f64::NAN), &sides)
                }
            };
            cpu.map_err(|error| STATUSES.driver(call, error))
        })
    }

    /// Reads the input, transforms it on the CPU, writes the output. The input of a complex-to-real
    /// transform is filled with `spent`, if that is given.
    fn transform<T: Precision + Pod>(
        &self,
        axes: &Axes<T>,
        direction: Direction,
        spent: Option<T>,
        Sides { input, output }: &Sides,
    ) -> std::result::Result<(), LastError>
    where
        Complex<T>: Pod,
    {
        const INPUT: &str = "the input";
        let mut session = Session::begin(self.kind.call(), self.stream)?;
        if self.kind.real_input() {
            let data: Vec<T> = session.read(INPUT, input)?;
            session.write(output, &axes.real_to_complex(&data))?;
        } else if self.kind.real_output() {
            let data: Vec<Complex<T>> = session.read(INPUT, input)?;
            if let Some(value) = spent {
                session.write(input, &vec![Complex::new(value, value); data.len()])?;
            }
            session.write(output, &axes.complex_to_real(data))?;
        } else {
            let mut data: Vec<Complex<T>> = session.read(INPUT, input)?;
            axes.complex(direction, &mut data);
            session.write(output, &data)?;
        }
        session.end(self.work(size_of::<Complex<T>>()));
        Ok(())
    }
}

/// The place of complex numbers that share their storage with real ones.
fn as_complex(place: Place) -> Place {
    Place { address: place.address, len: place.len / 2, element: 2 * place.element }
}

/// The typed names: their signatures and documentation.
macro_rules! precision {
    (
        $T:ident,
        $C2C:ident $c2c:ident $c2c_in_place:ident,
        $R2C:ident $r2c:ident $r2c_in_place:ident,
        $C2R:ident $c2r:ident $c2r_in_place:ident
    ) => {
        #[doc = concat!("Transforms of `", stringify!($T), "`.")]
        impl Plan<'_> {
            #[doc = concat!("Complex to complex (`cufftExec", stringify!($C2C), "`).")]
            ///
            /// # Errors
            /// `CUFFT_INVALID_TYPE` for a plan of another type, `CUFFT_INVALID_VALUE` for a slice
            /// that is too short, `CUFFT_EXEC_FAILED` after a kernel's fault.
            pub fn $c2c<C: ComplexOf<$T>, D: ComplexOf<$T>>(
                &mut self,
                input: &DeviceSlice<C>,
                output: &mut DeviceSlice<D>,
                direction: Direction,
            ) -> Result<()> {
                let places = [Place::from(input), Place::from(&*output)];
                self.run(FftType::$C2C, places, false, direction)
            }

            /// Complex to complex in place
            #[doc = concat!("(`cufftExec", stringify!($C2C), "` with one buffer).")]
            ///
            /// # Errors
            #[doc = concat!("As [`Plan::", stringify!($c2c), "`].")]
            pub fn $c2c_in_place<C: ComplexOf<$T>>(
                &mut self,
                data: &mut DeviceSlice<C>,
                direction: Direction,
            ) -> Result<()> {
                self.run(FftType::$C2C, [Place::from(&*data); 2], true, direction)
            }

            #[doc = concat!("Real to complex, always forward (`cufftExec", stringify!($R2C), "`).")]
            ///
            /// # Errors
            #[doc = concat!("As [`Plan::", stringify!($c2c), "`].")]
            pub fn $r2c<C: ComplexOf<$T>>(
                &mut self,
                input: &DeviceSlice<$T>,
                output: &mut DeviceSlice<C>,
            ) -> Result<()> {
                let places = [Place::from(input), Place::from(&*output)];
                self.run(FftType::$R2C, places, false, Direction::Forward)
            }

            /// Real to complex in place
            #[doc = concat!("(`cufftExec", stringify!($R2C), "` with one buffer).")]
            ///
            /// Each row of n real numbers is padded to `2 (n / 2 + 1)`; the complex numbers take
            /// that room.
            ///
            /// # Errors
            #[doc = concat!("As [`Plan::", stringify!($c2c), "`].")]
            pub fn $r2c_in_place(&mut self, data: &mut DeviceSlice<$T>) -> Result<()> {
                let place = Place::from(&*data);
                self.run(FftType::$R2C, [place, as_complex(place)], true, Direction::Forward)
            }

            #[doc = concat!("Complex to real, always inverse (`cufftExec", stringify!($C2R), "`).")]
            ///
            /// With more than one dimension the input is used up.
            ///
            /// # Errors
            #[doc = concat!("As [`Plan::", stringify!($c2c), "`].")]
            pub fn $c2r<C: ComplexOf<$T>>(
                &mut self,
                input: &mut DeviceSlice<C>,
                output: &mut DeviceSlice<$T>,
            ) -> Result<()> {
                let places = [Place::from(&*input), Place::from(&*output)];
                self.run(FftType::$C2R, places, false, Direction::Inverse)
            }

            /// Complex to real in place
            #[doc = concat!("(`cufftExec", stringify!($C2R), "` with one buffer).")]
            ///
            #[doc = concat!("The layout is that of [`Plan::", stringify!($r2c_in_place), "`].")]
            ///
            /// # Errors
            #[doc = concat!("As [`Plan::", stringify!($c2c), "`].")]
            pub fn $c2r_in_place(&mut self, data: &mut DeviceSlice<$T>) -> Result<()> {
                let place = Place::from(&*data);
                self.run(FftType::$C2R, [as_complex(place), place], true, Direction::Inverse)
            }
        }
    };
}

precision!(
    f32,
    C2C exec_c2c exec_c2c_in_place,
    R2C exec_r2c exec_r2c_in_place,
    C2R exec_c2r exec_c2r_in_place
);
precision!(
    f64,
    Z2Z exec_z2z exec_z2z_in_place,
    D2Z exec_d2z exec_d2z_in_place,
    Z2D exec_z2d exec_z2d_in_place
);
