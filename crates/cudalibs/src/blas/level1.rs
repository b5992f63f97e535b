//! Level 1: vectors.

use std::os::raw::c_void;

use cust::memory::DeviceSlice;

use super::operand::{Call, Vector};
use super::vendor::Cublas;
use super::{Blas, Real, Result, Scalar, Target, bytes, cpu, one, pointer_mode};
use crate::device::{Place, Session};
use crate::vendor::Handle;

/// A function of the vendor's that reduces one vector to a number.
type Reduces = unsafe extern "C" fn(Handle, i32, u64, i32, *mut c_void) -> u32;
/// A function of the vendor's that reduces two vectors to a number.
type ReducesTwo = unsafe extern "C" fn(Handle, i32, u64, i32, u64, i32, *mut c_void) -> u32;

impl Blas<'_> {
    /// Two vectors of `n` elements each.
    fn two(
        &self,
        call: Call,
        n: usize,
        (x, incx): (Place, i32),
        (y, incy): (Place, i32),
    ) -> Result<(Vector, Vector)> {
        Ok((call.vector("x", x, n, incx)?, call.vector("y", y, n, incy)?))
    }

    /// Index of the largest or smallest element.
    fn extreme<T: Real>(
        &self,
        call: Call,
        (n, x, inc): (usize, &DeviceSlice<T>, i32),
        largest: bool,
        function: impl FnOnce(&Cublas) -> Reduces,
    ) -> Result<usize> {
        let used = if inc <= 0 { 0 } else { n };
        let x = match call.vector("x", x.into(), used, inc.max(1)) {
            Ok(x) => x,
            Err(error) => return self.refused(call, error),
        };
        self.run(
            call,
            None,
            |library, handle| {
                pointer_mode(library, handle, call, false)?;
                let mut index = 0i32;
                let out = std::ptr::from_mut(&mut index).cast();
                // SAFETY: operand checked; live handle; the library writes one int.
                let code =
                    unsafe { function(library)(handle, used as i32, x.place.address, inc, out) };
                Ok((code, index as usize))
            },
            |s| {
                let xs: Vec<T> = read(call, s, "x", &x)?;
                let mut work = T::work(used as f64);
                (work.bytes, work.waits) = (bytes::<T>(used), true);
                Ok((work, cpu::extreme(&xs, largest)))
            },
        )
    }

    /// A vector reduced to a number, which goes to the host or into device memory.
    fn summed<T: Real>(
        &self,
        call: Call,
        (n, x, inc): (usize, &DeviceSlice<T>, i32),
        target: Target<'_, T>,
        compute: fn(&[T]) -> f64,
        function: impl FnOnce(&Cublas) -> Reduces,
    ) -> Result<T> {
        let used = if inc <= 0 { 0 } else { n };
        let checked = call
            .vector("x", x.into(), used, inc.max(1))
            .and_then(|x| target.check(call).map(|()| x));
        let x = match checked {
            Ok(x) => x,
            Err(error) => return self.refused(call, error),
        };
        self.run(
            call,
            target.span(),
            |library, handle| {
                pointer_mode(library, handle, call, target.on_device())?;
                let mut value = T::ZERO;
                let out = target.pointer(&mut value);
                // SAFETY: operand checked; live handle; the library writes one number.
                let code =
                    unsafe { function(library)(handle, used as i32, x.place.address, inc, out) };
                Ok((code, value))
            },
            |s| {
                let value = T::from_f64(compute(&read(call, s, "x", &x)?));
                target.give(call, s, value)?;
                let mut work = T::work(2.0 * used as f64);
                (work.bytes, work.waits) = (bytes::<T>(used), !target.on_device());
                Ok((work, value))
            },
        )
    }

    /// The product of two vectors, which goes to the host or into device memory.
    fn product<T: Real>(
        &self,
        call: Call,
        n: usize,
        (x, incx): (&DeviceSlice<T>, i32),
        (y, incy): (&DeviceSlice<T>, i32),
        target: Target<'_, T>,
        function: impl FnOnce(&Cublas) -> ReducesTwo,
    ) -> Result<T> {
        let checked = self
            .two(call, n, (x.into(), incx), (y.into(), incy))
            .and_then(|both| target.check(call).map(|()| both));
        let (x, y) = match checked {
            Ok(both) => both,
            Err(error) => return self.refused(call, error),
        };
        self.run(
            call,
            target.span(),
            |library, handle| {
                pointer_mode(library, handle, call, target.on_device())?;
                let mut value = T::ZERO;
                let out = target.pointer(&mut value);
                let (px, py) = (x.place.address, y.place.address);
                // SAFETY: operands checked; live handle; the library writes one number.
                let code = unsafe { function(library)(handle, n as i32, px, incx, py, incy, out) };
                Ok((code, value))
            },
            |s| {
                let (xs, ys): (Vec<T>, Vec<T>) = (read(call, s, "x", &x)?, read(call, s, "y", &y)?);
                let value = T::from_f64(cpu::dot(&xs, &ys));
                target.give(call, s, value)?;
                let mut work = T::work(2.0 * n as f64);
                (work.bytes, work.waits) = (bytes::<T>(2 * n), !target.on_device());
                Ok((work, value))
            },
        )
    }
}

impl<T: Real> Target<'_, T> {
    fn check(&self, call: Call) -> Result<()> {
        match self {
            Target::Device(slice) if slice.is_empty() => {
                Err(call.invalid("the result's slice of device memory is empty"))
            }
            _ => Ok(()),
        }
    }

    fn on_device(&self) -> bool {
        matches!(self, Target::Device(_))
    }

    fn span(&self) -> Option<cuda_driver::library::Run> {
        match self {
            Target::Host => None,
            Target::Device(slice) => one(slice).span(),
        }
    }

    /// Where the vendor's library puts the result.
    fn pointer(&self, host: &mut T) -> *mut c_void {
        match self {
            Target::Host => std::ptr::from_mut(host).cast(),
            Target::Device(slice) => slice.as_device_ptr().as_raw() as *mut c_void,
        }
    }

    fn give(&self, call: Call, s: &mut Session, value: T) -> Result<()> {
        match self {
            Target::Host => Ok(()),
            Target::Device(slice) => s.write(&one(slice), &[value]).map_err(|e| call.driver(e)),
        }
    }
}

/// Reads a vector in its own order.
pub(super) fn read<T: Real>(call: Call, s: &mut Session, what: &str, v: &Vector) -> Result<Vec<T>> {
    Ok(v.turned(s.read(what, &v.elements()).map_err(|e| call.driver(e))?))
}

/// Writes a vector in its own order.
pub(super) fn write<T: Real>(call: Call, s: &mut Session, v: &Vector, x: Vec<T>) -> Result<()> {
    s.write(&v.elements(), &v.turned(x)).map_err(|e| call.driver(e))
}

/// `alpha x + beta y` for each element; `y` is not there if `beta` is 0.
pub(super) fn combined<T: Real>(alpha: T, x: &[f64], beta: T, y: Option<&[T]>) -> Vec<T> {
    let (alpha, beta) = (alpha.f64(), beta.f64());
    match y {
        None => x.iter().map(|x| T::from_f64(alpha * x)).collect(),
        Some(y) => x.iter().zip(y).map(|(x, y)| T::from_f64(alpha * x + beta * y.f64())).collect(),
    }
}

macro_rules! level1 {
    (
        $T:ty, $letter:literal, $small:literal, $amax:ident, $amin:ident, $asum:ident, $asum_into:ident, $nrm2:ident, $nrm2_into:ident,
        $dot:ident, $dot_into:ident, $axpy:ident, $scal:ident, $copy:ident, $swap:ident, $rot:ident
    ) => {
        #[doc = concat!("Level 1 for `", stringify!($T), "`.")]
        impl Blas<'_> {
            #[doc = concat!("Index, **counted from 1**, of the first element of largest absolute value (`cublasI", $small, "amax`).")]
            /// 0 for `n` = 0 or `incx` <= 0. NaN is passed over. The host waits for the result.
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $amax(&self, n: usize, x: &DeviceSlice<$T>, incx: i32) -> Result<usize> {
                self.extreme(Call(concat!("cublasI", $small, "amax")), (n, x, incx), true, |l| l.$amax)
            }

            #[doc = concat!("Index, **counted from 1**, of the first element of smallest absolute value (`cublasI", $small, "amin`).")]
            /// 0 for `n` = 0 or `incx` <= 0. The host waits for the result.
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $amin(&self, n: usize, x: &DeviceSlice<$T>, incx: i32) -> Result<usize> {
                self.extreme(Call(concat!("cublasI", $small, "amin")), (n, x, incx), false, |l| l.$amin)
            }

            #[doc = concat!("Sum of absolute values (`cublas", $letter, "asum`); 0 for `n` = 0 or `incx` <= 0. The host waits for it.")]
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $asum(&self, n: usize, x: &DeviceSlice<$T>, incx: i32) -> Result<$T> {
                self.summed(Call(concat!("cublas", $letter, "asum")), (n, x, incx), Target::Host, cpu::asum, |l| l.$asum)
            }

            #[doc = concat!("As [`Blas::", stringify!($asum), "`], into the first element of `result`: the host does not wait.")]
            ///
            /// # Errors
            /// `x` is too short, `result` is empty.
            pub fn $asum_into(&self, n: usize, x: &DeviceSlice<$T>, incx: i32, result: &mut DeviceSlice<$T>) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "asum"));
                self.summed(call, (n, x, incx), Target::Device(result), cpu::asum, |l| l.$asum).map(drop)
            }

            #[doc = concat!("Euclidean norm (`cublas", $letter, "nrm2`), without overflow on the way; 0 for `n` = 0 or `incx` <= 0. The host waits for it.")]
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $nrm2(&self, n: usize, x: &DeviceSlice<$T>, incx: i32) -> Result<$T> {
                self.summed(Call(concat!("cublas", $letter, "nrm2")), (n, x, incx), Target::Host, cpu::nrm2, |l| l.$nrm2)
            }

            #[doc = concat!("As [`Blas::", stringify!($nrm2), "`], into the first element of `result`: the host does not wait.")]
            ///
            /// # Errors
            /// `x` is too short, `result` is empty.
            pub fn $nrm2_into(&self, n: usize, x: &DeviceSlice<$T>, incx: i32, result: &mut DeviceSlice<$T>) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "nrm2"));
                self.summed(call, (n, x, incx), Target::Device(result), cpu::nrm2, |l| l.$nrm2).map(drop)
            }

            #[doc = concat!("Sum of the products `x[i] * y[i]` (`cublas", $letter, "dot`). The host waits for it.")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            pub fn $dot(&self, n: usize, x: &DeviceSlice<$T>, incx: i32, y: &DeviceSlice<$T>, incy: i32) -> Result<$T> {
                self.product(Call(concat!("cublas", $letter, "dot")), n, (x, incx), (y, incy), Target::Host, |l| l.$dot)
            }

            #[doc = concat!("As [`Blas::", stringify!($dot), "`], into the first element of `result`: the host does not wait.")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0, `result` is empty.
            pub fn $dot_into(
                &self, n: usize, x: &DeviceSlice<$T>, incx: i32, y: &DeviceSlice<$T>, incy: i32, result: &mut DeviceSlice<$T>,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "dot"));
                self.product(call, n, (x, incx), (y, incy), Target::Device(result), |l| l.$dot).map(drop)
            }

            #[doc = concat!("`y = alpha x + y` (`cublas", $letter, "axpy`).")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            pub fn $axpy<'a>(
                &self, n: usize, alpha: impl Into<Scalar<'a, $T>>, x: &DeviceSlice<$T>, incx: i32, y: &mut DeviceSlice<$T>, incy: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "axpy"));
                let alpha = alpha.into();
                let checked = || Ok((alpha.check("alpha", call)?, call.vector("x", x.into(), n, incx)?, call.vector("y", (&*y).into(), n, incy)?));
                let ((), x, y) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, y.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, alpha.on_device())?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$axpy)(handle, n as i32, alpha.pointer(), x.place.address, incx, y.place.address, incy)
                    };
                    Ok((code, ()))
                }, |s| {
                    let a = alpha.value("alpha", call, s)?.f64();
                    let (xs, mut ys): (Vec<$T>, Vec<$T>) = (read(call, s, "x", &x)?, read(call, s, "y", &y)?);
                    ys.iter_mut().zip(xs).for_each(|(y, x)| *y = <$T>::from_f64(a * x.f64() + y.f64()));
                    write(call, s, &y, ys)?;
                    let mut work = <$T>::work(2.0 * n as f64);
                    work.bytes = bytes::<$T>(3 * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`x = alpha x` (`cublas", $letter, "scal`); nothing for `incx` <= 0.")]
            ///
            /// # Errors
            /// `x` is too short.
            pub fn $scal<'a>(&self, n: usize, alpha: impl Into<Scalar<'a, $T>>, x: &mut DeviceSlice<$T>, incx: i32) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "scal"));
                let (alpha, n) = (alpha.into(), if incx <= 0 { 0 } else { n });
                let checked = alpha.check("alpha", call).and_then(|()| call.vector("x", (&*x).into(), n, incx.max(1)));
                let x = match checked {
                    Ok(x) => x,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, x.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, alpha.on_device())?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe { (library.$scal)(handle, n as i32, alpha.pointer(), x.place.address, incx) };
                    Ok((code, ()))
                }, |s| {
                    let a = alpha.value("alpha", call, s)?;
                    let mut xs: Vec<$T> = read(call, s, "x", &x)?;
                    xs.iter_mut().for_each(|x| *x *= a);
                    write(call, s, &x, xs)?;
                    let mut work = <$T>::work(n as f64);
                    work.bytes = bytes::<$T>(2 * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`y = x` (`cublas", $letter, "copy`).")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            pub fn $copy(&self, n: usize, x: &DeviceSlice<$T>, incx: i32, y: &mut DeviceSlice<$T>, incy: i32) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "copy"));
                let (x, y) = match self.two(call, n, (x.into(), incx), ((&*y).into(), incy)) {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, y.elements().span(), |library, handle| {
                    // SAFETY: operands checked; live handle.
                    let code = unsafe { (library.$copy)(handle, n as i32, x.place.address, incx, y.place.address, incy) };
                    Ok((code, ()))
                }, |s| {
                    let xs: Vec<$T> = read(call, s, "x", &x)?;
                    write(call, s, &y, xs)?;
                    let mut work = <$T>::work(0.0);
                    work.bytes = bytes::<$T>(2 * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("Exchanges `x` and `y` (`cublas", $letter, "swap`).")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            pub fn $swap(&self, n: usize, x: &mut DeviceSlice<$T>, incx: i32, y: &mut DeviceSlice<$T>, incy: i32) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "swap"));
                let (x, y) = match self.two(call, n, ((&*x).into(), incx), ((&*y).into(), incy)) {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, y.elements().span(), |library, handle| {
                    // SAFETY: operands checked; live handle.
                    let code = unsafe { (library.$swap)(handle, n as i32, x.place.address, incx, y.place.address, incy) };
                    Ok((code, ()))
                }, |s| {
                    let (xs, ys): (Vec<$T>, Vec<$T>) = (read(call, s, "x", &x)?, read(call, s, "y", &y)?);
                    write(call, s, &x, ys)?;
                    write(call, s, &y, xs)?;
                    let mut work = <$T>::work(0.0);
                    work.bytes = bytes::<$T>(4 * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("Plane rotation: `x = c x + s y`, `y = c y - s x` with the old `x` (`cublas", $letter, "rot`).")]
            ///
            /// # Errors
            /// A vector is too short, an increment is 0.
            #[allow(clippy::too_many_arguments)]
            pub fn $rot(
                &self, n: usize, x: &mut DeviceSlice<$T>, incx: i32, y: &mut DeviceSlice<$T>, incy: i32, c: $T, s: $T,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "rot"));
                let (x, y) = match self.two(call, n, ((&*x).into(), incx), ((&*y).into(), incy)) {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                let (c, s) = (Scalar::Host(c), Scalar::Host(s));
                self.run(call, y.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, false)?;
                    // SAFETY: operands checked; live handle; the scalars live on the host.
                    let code = unsafe {
                        (library.$rot)(handle, n as i32, x.place.address, incx, y.place.address, incy, c.pointer(), s.pointer())
                    };
                    Ok((code, ()))
                }, |session| {
                    let (c, s) = (c.value("c", call, session)?, s.value("s", call, session)?);
                    let (xs, ys): (Vec<$T>, Vec<$T>) = (read(call, session, "x", &x)?, read(call, session, "y", &y)?);
                    let new_x = xs.iter().zip(&ys).map(|(x, y)| c * x + s * y).collect();
                    let new_y = xs.iter().zip(&ys).map(|(x, y)| c * y - s * x).collect();
                    write(call, session, &x, new_x)?;
                    write(call, session, &y, new_y)?;
                    let mut work = <$T>::work(6.0 * n as f64);
                    work.bytes = bytes::<$T>(4 * n);
                    Ok((work, ()))
                })
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
