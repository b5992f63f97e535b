//! Level 1: vectors.

use cuda_driver::library::{Run, Work};
use cust::memory::{DeviceCopy, DeviceSlice};

use super::operand::{Call, Operands};
use super::vendor::Routines;
use super::{Blas, Computed, Real, Result, Scalar, cpu, work};
use crate::device::{Elements, Place};
use crate::opaque::{Handle, Number};

/// A slice with an increment.
type Strided = (Place, i32);
/// A routine of the vendor's that reduces a vector to a number.
type Reduction = unsafe extern "C" fn(Handle, i32, u64, i32, *mut Number) -> u32;

/// Where a scalar result goes.
pub(super) enum Target<'a, T: DeviceCopy> {
    Host,
    Device(&'a mut DeviceSlice<T>),
}

impl Blas<'_> {
    /// Index of the largest or smallest element.
    pub(super) fn extreme<T: Real>(
        &self,
        call: Call,
        n: usize,
        (x, inc): Strided,
        largest: bool,
    ) -> Result<usize> {
        self.logged(call, |_| {
            let n = if inc <= 0 { 0 } else { n };
            let x = call.vector("x", (x, inc.max(1)), n)?;
            match self.begin::<T>(call, false)? {
                Computed::Vendor(library, handle) => {
                    let function = if largest { library.amax } else { library.amin };
                    let mut index = 0i32;
                    let out = std::ptr::from_mut(&mut index);
                    // SAFETY: operand checked; live handle; the library writes one int.
                    call.check(unsafe { function(handle, n as i32, x.place.address, inc, out) })?;
                    Ok(index as usize)
                }
                Computed::Cpu(mut operands) => {
                    let index = cpu::extreme(&operands.vector::<T>("x", &x)?, largest);
                    operands.returned(&[index as i32]);
                    operands.end(Work { waits: true, ..work::<T>(n as f64, n) });
                    Ok(index)
                }
            }
        })
    }

    /// A vector reduced to a number, which goes to the host or into device memory.
    pub(super) fn reduce<T: Real>(
        &self,
        call: Call,
        n: usize,
        (x, inc): Strided,
        target: Target<'_, T>,
        compute: fn(&[T]) -> f64,
        function: fn(&Routines) -> Reduction,
    ) -> Result<T> {
        self.logged(call, |output| {
            let n = if inc <= 0 { 0 } else { n };
            let x = call.vector("x", (x, inc.max(1)), n)?;
            *output = target.checked(call)?;
            match self.begin::<T>(call, target.on_device())? {
                Computed::Vendor(library, handle) => {
                    let mut value = T::ZERO;
                    let (function, out) = (function(library), target.pointer(&mut value));
                    // SAFETY: operand checked; live handle; the library writes one number.
                    call.check(unsafe { function(handle, n as i32, x.place.address, inc, out) })?;
                    Ok(value)
                }
                Computed::Cpu(mut operands) => {
                    let value = compute(&operands.vector("x", &x)?);
                    target.store(operands, value, work::<T>(2.0 * n as f64, n))
                }
            }
        })
    }

    /// The product of two vectors, which goes to the host or into device memory.
    pub(super) fn dot<T: Real>(
        &self,
        call: Call,
        n: usize,
        x: Strided,
        y: Strided,
        target: Target<'_, T>,
    ) -> Result<T> {
        self.logged(call, |output| {
            let (x, y) = (call.vector("x", x, n)?, call.vector("y", y, n)?);
            *output = target.checked(call)?;
            match self.begin::<T>(call, target.on_device())? {
                Computed::Vendor(library, handle) => {
                    let mut value = T::ZERO;
                    let out = target.pointer(&mut value);
                    let (px, py) = (x.place.address, y.place.address);
                    // SAFETY: operands checked; live handle; the library writes one number.
                    call.check(unsafe {
                        (library.dot)(handle, n as i32, px, x.inc, py, y.inc, out)
                    })?;
                    Ok(value)
                }
                Computed::Cpu(mut operands) => {
                    let xs: Vec<T> = operands.vector("x", &x)?;
                    let value = cpu::dot(&xs, &operands.vector("y", &y)?);
                    target.store(operands, value, work::<T>(2.0 * n as f64, 2 * n))
                }
            }
        })
    }

    pub(super) fn axpy<T: Real>(
        &self,
        call: Call,
        n: usize,
        alpha: Scalar<'_, T>,
        x: Strided,
        y: Strided,
    ) -> Result<()> {
        self.logged(call, |output| {
            call.scalar("alpha", &alpha)?;
            let (x, y) = (call.vector("x", x, n)?, call.vector("y", y, n)?);
            *output = y.elements().span();
            match self.begin::<T>(call, alpha.on_device())? {
                Computed::Vendor(library, handle) => {
                    let (a, px, py) = (alpha.pointer(), x.place.address, y.place.address);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe { (library.axpy)(handle, n as i32, a, px, x.inc, py, y.inc) })
                }
                Computed::Cpu(mut operands) => {
                    let a = operands.scalar("alpha", &alpha)?.f64();
                    let xs: Vec<T> = operands.vector("x", &x)?;
                    let ys: Vec<T> = operands.vector("y", &y)?;
                    let sum = |(x, y): (T, T)| T::from_f64(a * x.f64() + y.f64());
                    operands.write_vector(&y, xs.into_iter().zip(ys).map(sum).collect())?;
                    operands.end(work::<T>(2.0 * n as f64, 3 * n));
                    Ok(())
                }
            }
        })
    }

    pub(super) fn scal<T: Real>(
        &self,
        call: Call,
        n: usize,
        alpha: Scalar<'_, T>,
        (x, inc): Strided,
    ) -> Result<()> {
        self.logged(call, |output| {
            let n = if inc <= 0 { 0 } else { n };
            call.scalar("alpha", &alpha)?;
            let x = call.vector("x", (x, inc.max(1)), n)?;
            *output = x.elements().span();
            match self.begin::<T>(call, alpha.on_device())? {
                Computed::Vendor(library, handle) => {
                    let (a, px) = (alpha.pointer(), x.place.address);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe { (library.scal)(handle, n as i32, a, px, inc) })
                }
                Computed::Cpu(mut operands) => {
                    let a = operands.scalar("alpha", &alpha)?;
                    let xs: Vec<T> = operands.vector("x", &x)?;
                    operands.write_vector(&x, xs.into_iter().map(|x| x * a).collect())?;
                    operands.end(work::<T>(n as f64, 2 * n));
                    Ok(())
                }
            }
        })
    }

    /// `y = x`, or both exchanged.
    pub(super) fn transfer<T: Real>(
        &self,
        call: Call,
        n: usize,
        x: Strided,
        y: Strided,
        exchange: bool,
    ) -> Result<()> {
        self.logged(call, |output| {
            let (x, y) = (call.vector("x", x, n)?, call.vector("y", y, n)?);
            *output = y.elements().span();
            match self.begin::<T>(call, false)? {
                Computed::Vendor(library, handle) => {
                    let function = if exchange { library.swap } else { library.copy };
                    let (px, py) = (x.place.address, y.place.address);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe { function(handle, n as i32, px, x.inc, py, y.inc) })
                }
                Computed::Cpu(mut operands) => {
                    let xs: Vec<T> = operands.vector("x", &x)?;
                    if exchange {
                        let ys: Vec<T> = operands.vector("y", &y)?;
                        operands.write_vector(&x, ys)?;
                    }
                    operands.write_vector(&y, xs)?;
                    operands.end(work::<T>(0.0, if exchange { 4 * n } else { 2 * n }));
                    Ok(())
                }
            }
        })
    }

    pub(super) fn rot<T: Real>(
        &self,
        call: Call,
        n: usize,
        x: Strided,
        y: Strided,
        (c, s): (T, T),
    ) -> Result<()> {
        self.logged(call, |output| {
            let (x, y) = (call.vector("x", x, n)?, call.vector("y", y, n)?);
            *output = y.elements().span();
            match self.begin::<T>(call, false)? {
                Computed::Vendor(library, handle) => {
                    let (px, py) = (x.place.address, y.place.address);
                    let (c, s) = (std::ptr::from_ref(&c).cast(), std::ptr::from_ref(&s).cast());
                    // SAFETY: operands checked; live handle; the scalars live on the host.
                    call.check(unsafe {
                        (library.rot)(handle, n as i32, px, x.inc, py, y.inc, c, s)
                    })
                }
                Computed::Cpu(mut operands) => {
                    let xs: Vec<T> = operands.vector("x", &x)?;
                    let ys: Vec<T> = operands.vector("y", &y)?;
                    let both = || xs.iter().zip(&ys).map(|(x, y)| (*x, *y));
                    operands.write_vector(&x, both().map(|(x, y)| c * x + s * y).collect())?;
                    operands.write_vector(&y, both().map(|(x, y)| c * y - s * x).collect())?;
                    operands.end(work::<T>(6.0 * n as f64, 4 * n));
                    Ok(())
                }
            }
        })
    }
}

impl<T: Real> Target<'_, T> {
    fn on_device(&self) -> bool {
        matches!(self, Target::Device(_))
    }

    /// The one element that is written.
    fn element(&self) -> Option<Elements> {
        match self {
            Target::Host => None,
            Target::Device(slice) => Some(Elements::first(Place::from(&**slice), 1)),
        }
    }

    /// The bytes that are written in device memory.
    fn checked(&self, call: Call) -> Result<Option<Run>> {
        match self {
            Target::Device(slice) if slice.is_empty() => {
                Err(call.invalid("the result's slice of device memory is empty"))
            }
            _ => Ok(self.element().and_then(|element| element.span())),
        }
    }

    /// Where the vendor's library puts the result.
    fn pointer(&self, host: &mut T) -> *mut Number {
        match self {
            Target::Host => std::ptr::from_mut(host).cast(),
            Target::Device(slice) => slice.as_device_ptr().as_raw() as *mut Number,
        }
    }

    /// Ends a call on the CPU with its result.
    fn store(&self, mut operands: Operands, value: f64, work: Work) -> Result<T> {
        let value = T::from_f64(value);
        match self.element() {
            Some(element) => operands.write(&element, &[value])?,
            None => operands.returned(&[value]),
        }
        operands.end(Work { waits: !self.on_device(), ..work });
        Ok(value)
    }
}

/// The typed names: their signatures and documentation.
#[rustfmt::skip]
macro_rules! level1 {
    (
        $T:ident, $letter:literal, $small:literal,
        $amax:ident, $amin:ident, $asum:ident, $asum_into:ident, $nrm2:ident, $nrm2_into:ident,
        $dot:ident, $dot_into:ident, $axpy:ident, $scal:ident, $copy:ident, $swap:ident, $rot:ident
    ) => {
        #[doc = concat!("Level 1 for `", stringify!($T), "`.")]
        impl Blas<'_> {
            /// Index, **counted from 1**, of the first element of largest absolute value
            #[doc = concat!("(`cublasI", $small, "amax`).")]
            /// 0 for `n` = 0 or `incx` <= 0. NaN is passed over. The host waits for the result.
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $amax(&self, n: usize, x: &DeviceSlice<$T>, incx: i32) -> Result<usize> {
                let call = Call(concat!("cublasI", $small, "amax"));
                self.extreme::<$T>(call, n, (x.into(), incx), true)
            }

            /// Index, **counted from 1**, of the first element of smallest absolute value
            #[doc = concat!("(`cublasI", $small, "amin`).")]
            /// 0 for `n` = 0 or `incx` <= 0. The host waits for the result.
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $amin(&self, n: usize, x: &DeviceSlice<$T>, incx: i32) -> Result<usize> {
                let call = Call(concat!("cublasI", $small, "amin"));
                self.extreme::<$T>(call, n, (x.into(), incx), false)
            }

            #[doc = concat!("Sum of absolute values (`cublas", $letter, "asum`);")]
            /// 0 for `n` = 0 or `incx` <= 0. The host waits for it.
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $asum(&self, n: usize, x: &DeviceSlice<$T>, incx: i32) -> Result<$T> {
                let call = Call(concat!("cublas", $letter, "asum"));
                self.reduce(call, n, (x.into(), incx), Target::Host, cpu::asum, |l| l.asum)
            }

            #[doc = concat!("As [`Blas::", stringify!($asum), "`],")]
            /// into the first element of `result`: the host does not wait.
            ///
            /// # Errors
            /// `x` is too short, `result` is empty.
            pub fn $asum_into(
                &self, n: usize, x: &DeviceSlice<$T>, incx: i32, result: &mut DeviceSlice<$T>,
            ) -> Result<()> {
                let (call, target) =
                    (Call(concat!("cublas", $letter, "asum")), Target::Device(result));
                self.reduce(call, n, (x.into(), incx), target, cpu::asum, |l| l.asum).map(drop)
            }

            #[doc = concat!("Euclidean norm (`cublas", $letter, "nrm2`),")]
            /// without overflow on the way; 0 for `n` = 0 or `incx` <= 0. The host waits for it.
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $nrm2(&self, n: usize, x: &DeviceSlice<$T>, incx: i32) -> Result<$T> {
                let call = Call(concat!("cublas", $letter, "nrm2"));
                self.reduce(call, n, (x.into(), incx), Target::Host, cpu::nrm2, |l| l.nrm2)
            }

            #[doc = concat!("As [`Blas::", stringify!($nrm2), "`],")]
            /// into the first element of `result`: the host does not wait.
            ///
            /// # Errors
            /// `x` is too short, `result` is empty.
            pub fn $nrm2_into(
                &self, n: usize, x: &DeviceSlice<$T>, incx: i32, result: &mut DeviceSlice<$T>,
            ) -> Result<()> {
                let (call, target) =
                    (Call(concat!("cublas", $letter, "nrm2")), Target::Device(result));
                self.reduce(call, n, (x.into(), incx), target, cpu::nrm2, |l| l.nrm2).map(drop)
            }

            #[doc = concat!("Sum of the products `x[i] * y[i]` (`cublas", $letter, "dot`).")]
            /// The host waits for it.
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            pub fn $dot(
                &self, n: usize, x: &DeviceSlice<$T>, incx: i32, y: &DeviceSlice<$T>, incy: i32,
            ) -> Result<$T> {
                let call = Call(concat!("cublas", $letter, "dot"));
                self.dot(call, n, (x.into(), incx), (y.into(), incy), Target::Host)
            }

            #[doc = concat!("As [`Blas::", stringify!($dot), "`],")]
            /// into the first element of `result`: the host does not wait.
            ///
            /// # Errors
            /// A vector is too short, an increment is 0, `result` is empty.
            pub fn $dot_into(
                &self, n: usize, x: &DeviceSlice<$T>, incx: i32, y: &DeviceSlice<$T>, incy: i32,
                result: &mut DeviceSlice<$T>,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "dot"));
                let target = Target::Device(result);
                self.dot(call, n, (x.into(), incx), (y.into(), incy), target).map(drop)
            }

            #[doc = concat!("`y = alpha x + y` (`cublas", $letter, "axpy`).")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            pub fn $axpy<'a>(
                &self, n: usize, alpha: impl Into<Scalar<'a, $T>>, x: &DeviceSlice<$T>, incx: i32,
                y: &mut DeviceSlice<$T>, incy: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "axpy"));
                self.axpy(call, n, alpha.into(), (x.into(), incx), ((&*y).into(), incy))
            }

            #[doc = concat!("`x = alpha x` (`cublas", $letter, "scal`); nothing for `incx` <= 0.")]
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $scal<'a>(
                &self, n: usize, alpha: impl Into<Scalar<'a, $T>>, x: &mut DeviceSlice<$T>,
                incx: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "scal"));
                self.scal(call, n, alpha.into(), ((&*x).into(), incx))
            }

            #[doc = concat!("`y = x` (`cublas", $letter, "copy`).")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            pub fn $copy(
                &self, n: usize, x: &DeviceSlice<$T>, incx: i32, y: &mut DeviceSlice<$T>,
                incy: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "copy"));
                self.transfer::<$T>(call, n, (x.into(), incx), ((&*y).into(), incy), false)
            }

            #[doc = concat!("Exchanges `x` and `y` (`cublas", $letter, "swap`).")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            pub fn $swap(
                &self, n: usize, x: &mut DeviceSlice<$T>, incx: i32, y: &mut DeviceSlice<$T>,
                incy: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "swap"));
                self.transfer::<$T>(call, n, ((&*x).into(), incx), ((&*y).into(), incy), true)
            }

            /// Plane rotation: `x = c x + s y`, `y = c y - s x` with the old `x`
            #[doc = concat!("(`cublas", $letter, "rot`).")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            #[allow(clippy::too_many_arguments)]
            pub fn $rot(
                &self, n: usize, x: &mut DeviceSlice<$T>, incx: i32, y: &mut DeviceSlice<$T>,
                incy: i32, c: $T, s: $T,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "rot"));
                self.rot(call, n, ((&*x).into(), incx), ((&*y).into(), incy), (c, s))
            }
        }
    };
}

level1!(
    f32, "S", "s", isamax, isamin, sasum, sasum_into, snrm2, snrm2_into, sdot, sdot_into, saxpy,
    sscal, scopy, sswap, srot
);
level1!(
    f64, "D", "d", idamax, idamin, dasum, dasum_into, dnrm2, dnrm2_into, ddot, ddot_into, daxpy,
    dscal, dcopy, dswap, drot
);
