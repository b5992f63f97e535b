//! Running plans.

use bytemuck::Pod;
use cuda_driver::library::Work;
use cust::memory::DeviceSlice;
use num_complex::Complex;

use super::cpu::Axes;
use super::plan::{Engine, Plan, cufft, logged};
use super::{ComplexOf, Direction, FftType, Layout, STATUSES, half, status};
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

    /// Shapes and layouts of input and output. Real data in place: rows are padded to the length of the complex ones.
    fn shapes(&self, in_place: bool) -> [(Vec<usize>, Layout); 2] {
        let complex = self.complex_shape();
        let input = if self.kind.real_input() { self.shape.clone() } else { complex.clone() };
        let output = if self.kind.real_output() { self.shape.clone() } else { complex.clone() };
        let (from, to) = match &self.layouts {
            Some((from, to)) => (from.clone(), to.clone()),
            None => {
                let side = |shape: &[usize], real: bool| match in_place && real {
                    true => self.padded(),
                    false => Layout::packed(shape),
                };
                (side(&input, self.kind.real_input()), side(&output, self.kind.real_output()))
            }
        };
        [(input, from), (output, to)]
    }

    /// The layout of real data that shares its storage with complex data.
    fn padded(&self) -> Layout {
        let mut embed = half(&self.shape);
        if let Some(last) = embed.last_mut() {
            *last *= 2;
        }
        Layout { stride: 1, dist: embed.iter().product(), embed }
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

    /// A run: on the CPU `compute` with the plans of the axes, else the vendor's function with both addresses.
    fn run<A>(
        &self,
        call: &'static str,
        sides: Result<Sides>,
        axes: impl FnOnce(&Engine) -> Option<&Axes<A>>,
        addresses: [u64; 2],
        vendor: impl FnOnce(&super::vendor::Cufft, i32, u64, u64) -> u32,
        compute: impl FnOnce(
            &Axes<A>,
            &mut Session,
            &Sides,
        ) -> std::result::Result<(), cuda_driver::LastError>,
    ) -> Result<()>
    where
        A: rustfft::FftNum,
    {
        let output = sides.as_ref().ok().and_then(|sides| sides.output.span());
        logged(call, self.stream, output, || {
            let sides = sides?;
            if let Engine::Vendor(plan) = self.engine {
                let code = vendor(cufft(call)?, plan, addresses[0], addresses[1]);
                return STATUSES.check(call, code);
            }
            let Some(axes) = axes(&self.engine) else {
                return self.invalid(call, "the plan has another precision".into());
            };
            let driver = |error| STATUSES.driver(call, error);
            let mut session = Session::begin(call, self.stream).map_err(driver)?;
            compute(axes, &mut session, &sides).map_err(driver)?;
            session.end(self.work(2 * size_of::<A>()));
            Ok(())
        })
    }
}

/// Reads complex numbers, transforms, writes them.
fn complex<T: rustfft::FftNum + Pod>(
    direction: Direction,
) -> impl FnOnce(&Axes<T>, &mut Session, &Sides) -> std::result::Result<(), cuda_driver::LastError>
where
    Complex<T>: Pod,
{
    move |axes, session, sides| {
        let mut data: Vec<Complex<T>> = session.read("the input", &sides.input)?;
        axes.complex(direction, &mut data);
        session.write(&sides.output, &data)
    }
}

fn real_to_complex<T: rustfft::FftNum + Pod>(
    axes: &Axes<T>,
    session: &mut Session,
    sides: &Sides,
) -> std::result::Result<(), cuda_driver::LastError>
where
    Complex<T>: Pod,
{
    let data: Vec<T> = session.read("the input", &sides.input)?;
    session.write(&sides.output, &axes.real_to_complex(&data))
}

/// `spent`: the input is used up, and is no part of the output.
fn complex_to_real<T: rustfft::FftNum + Pod>(
    spent: bool,
    nan: T,
) -> impl FnOnce(&Axes<T>, &mut Session, &Sides) -> std::result::Result<(), cuda_driver::LastError>
where
    Complex<T>: Pod,
{
    move |axes, session, sides| {
        let data: Vec<Complex<T>> = session.read("the input", &sides.input)?;
        if spent {
            session.write(&sides.input, &vec![Complex::new(nan, nan); data.len()])?;
        }
        session.write(&sides.output, &axes.complex_to_real(data))
    }
}

/// The place of complex numbers that share their storage with real ones.
fn as_complex(place: Place) -> Place {
    Place { address: place.address, len: place.len / 2, element: 2 * place.element }
}

macro_rules! precision {
    (
        $T:ident, $Variant:ident,
        $C2C:ident $run_c2c:ident $c2c:ident $c2c_in_place:ident $vendor_c2c:ident,
        $R2C:ident $run_r2c:ident $r2c:ident $r2c_in_place:ident $vendor_r2c:ident,
        $C2R:ident $run_c2r:ident $c2r:ident $c2r_in_place:ident $vendor_c2r:ident
    ) => {
        #[doc = concat!("Transforms of `", stringify!($T), "`.")]
        impl Plan<'_> {
            #[doc = concat!("Complex to complex (`cufftExec", stringify!($C2C), "`).")]
            ///
            /// # Errors
            /// `CUFFT_INVALID_TYPE` for a plan of another type, `CUFFT_INVALID_VALUE` for a slice that is too short,
            /// `CUFFT_EXEC_FAILED` after a kernel's fault.
            pub fn $c2c<C: ComplexOf<$T>, D: ComplexOf<$T>>(
                &mut self,
                input: &DeviceSlice<C>,
                output: &mut DeviceSlice<D>,
                direction: Direction,
            ) -> Result<()> {
                self.$run_c2c([Place::from(input), Place::from(&*output)], false, direction)
            }

            #[doc = concat!("Complex to complex in place (`cufftExec", stringify!($C2C), "` with one buffer).")]
            ///
            /// # Errors
            #[doc = concat!("As [`Plan::", stringify!($c2c), "`].")]
            pub fn $c2c_in_place<C: ComplexOf<$T>>(
                &mut self,
                data: &mut DeviceSlice<C>,
                direction: Direction,
            ) -> Result<()> {
                self.$run_c2c([Place::from(&*data); 2], true, direction)
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
                self.$run_r2c([Place::from(input), Place::from(&*output)], false)
            }

            #[doc = concat!("Real to complex in place (`cufftExec", stringify!($R2C), "` with one buffer).")]
            ///
            /// Each row of n real numbers is padded to `2 (n / 2 + 1)`; the complex numbers take that room.
            ///
            /// # Errors
            #[doc = concat!("As [`Plan::", stringify!($c2c), "`].")]
            pub fn $r2c_in_place(&mut self, data: &mut DeviceSlice<$T>) -> Result<()> {
                let place = Place::from(&*data);
                self.$run_r2c([place, as_complex(place)], true)
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
                self.$run_c2r([Place::from(&*input), Place::from(&*output)], false)
            }

            #[doc = concat!("Complex to real in place (`cufftExec", stringify!($C2R), "` with one buffer).")]
            ///
            #[doc = concat!("The layout is that of [`Plan::", stringify!($r2c_in_place), "`].")]
            ///
            /// # Errors
            #[doc = concat!("As [`Plan::", stringify!($c2c), "`].")]
            pub fn $c2r_in_place(&mut self, data: &mut DeviceSlice<$T>) -> Result<()> {
                let place = Place::from(&*data);
                self.$run_c2r([as_complex(place), place], true)
            }

            fn $run_c2c(&self, places: [Place; 2], in_place: bool, direction: Direction) -> Result<()> {
                let call = FftType::$C2C.call();
                self.run(
                    call,
                    self.sides(call, FftType::$C2C, places, in_place),
                    |engine| if let Engine::$Variant(axes) = engine { Some(axes) } else { None },
                    places.map(|p| p.address),
                    // SAFETY: live plan of this type; both buffers are large enough.
                    |l, plan, from, to| unsafe { (l.$vendor_c2c)(plan, from, to, direction as i32) },
                    complex::<$T>(direction),
                )
            }

            fn $run_r2c(&self, places: [Place; 2], in_place: bool) -> Result<()> {
                let call = FftType::$R2C.call();
                self.run(
                    call,
                    self.sides(call, FftType::$R2C, places, in_place),
                    |engine| if let Engine::$Variant(axes) = engine { Some(axes) } else { None },
                    places.map(|p| p.address),
                    // SAFETY: live plan of this type; both buffers are large enough.
                    |l, plan, from, to| unsafe { (l.$vendor_r2c)(plan, from, to) },
                    real_to_complex::<$T>,
                )
            }

            fn $run_c2r(&self, places: [Place; 2], in_place: bool) -> Result<()> {
                let call = FftType::$C2R.call();
                let spent = !in_place && self.shape.len() > 1;
                self.run(
                    call,
                    self.sides(call, FftType::$C2R, places, in_place),
                    |engine| if let Engine::$Variant(axes) = engine { Some(axes) } else { None },
                    places.map(|p| p.address),
                    // SAFETY: live plan of this type; both buffers are large enough.
                    |l, plan, from, to| unsafe { (l.$vendor_c2r)(plan, from, to) },
                    complex_to_real::<$T>(spent, $T::NAN),
                )
            }
        }
    };
}

precision!(
    f32, Single,
    C2C run_c2c exec_c2c exec_c2c_in_place exec_c2c,
    R2C run_r2c exec_r2c exec_r2c_in_place exec_r2c,
    C2R run_c2r exec_c2r exec_c2r_in_place exec_c2r
);
precision!(
    f64, Double,
    Z2Z run_z2z exec_z2z exec_z2z_in_place exec_z2z,
    D2Z run_d2z exec_d2z exec_d2z_in_place exec_d2z,
    Z2D run_z2d exec_z2d exec_z2d_in_place exec_z2d
);
