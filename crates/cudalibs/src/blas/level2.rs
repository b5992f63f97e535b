//! Level 2: matrix times vector.

use cust::memory::DeviceSlice;

use super::level1::{combined, read, write};
use super::operand::{Call, Matrix};
use super::{Blas, Diag, Fill, Op, Real, Result, Scalar, bytes, cpu, pointer_mode, same_side};
use crate::device::{Elements, Session};

/// Reads elements of a matrix into a packed array.
pub(super) fn read_matrix<T: Real>(
    call: Call,
    s: &mut Session,
    what: &str,
    elements: &Elements,
) -> Result<Vec<T>> {
    s.read(what, elements).map_err(|e| call.driver(e))
}

/// The triangle that a triangular matrix is read from: without the diagonal, if that is all ones.
pub(super) fn stored_triangle(a: &Matrix, fill: Fill, diag: Diag) -> Elements {
    if diag == Diag::NonUnit {
        return a.triangle(fill);
    }
    let column = |j: usize| {
        let rows = fill.rows(a.rows, j);
        match fill {
            Fill::Lower => (j * a.ld + rows.start + 1, rows.len() - 1),
            Fill::Upper => (j * a.ld, rows.len() - 1),
        }
    };
    Elements::rows(a.place, (0..a.columns).map(column))
}

/// Reads a triangular matrix; ones stand in for a diagonal that is not stored.
pub(super) fn read_triangle<T: Real>(
    call: Call,
    s: &mut Session,
    a: &Matrix,
    fill: Fill,
    diag: Diag,
) -> Result<Vec<T>> {
    let stored: Vec<T> = read_matrix(call, s, "A", &stored_triangle(a, fill, diag))?;
    if diag == Diag::NonUnit {
        return Ok(stored);
    }
    let one = T::from_f64(1.0);
    let mut values = stored.into_iter();
    let place = |(i, j)| if i == j { one } else { values.next().unwrap_or(one) };
    Ok(fill.places(a.rows).map(place).collect())
}

macro_rules! level2 {
    ($T:ty, $letter:literal, $gemv:ident, $ger:ident, $symv:ident, $syr:ident, $trmv:ident, $trsv:ident) => {
        #[doc = concat!("Level 2 for `", stringify!($T), "`.")]
        #[allow(clippy::too_many_arguments)]
        impl Blas<'_> {
            #[doc = concat!("`y = alpha op(A) x + beta y` (`cublas", $letter, "gemv`).")]
            ///
            /// `A` is stored with `m` rows and `n` columns, also if it enters transposed. `x` has `n` elements and `y` has `m`;
            /// transposed, `m` and `n`. If `m` or `n` is 0, `y` stays as it is.
            ///
            /// # Errors
            /// `lda` < `m`, a slice that is too short, an increment of 0.
            pub fn $gemv<'a>(
                &self, op: Op, m: usize, n: usize, alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>, lda: usize,
                x: &DeviceSlice<$T>, incx: i32, beta: impl Into<Scalar<'a, $T>>, y: &mut DeviceSlice<$T>, incy: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "gemv"));
                let (alpha, beta) = (alpha.into(), beta.into());
                let (rows, columns) = op.stored(m, n);
                let checked = || Ok((
                    call.matrix("A", a.into(), (m, n), lda)?,
                    call.vector("x", x.into(), columns, incx)?,
                    call.vector("y", (&*y).into(), rows, incy)?,
                    same_side(call, &alpha, &beta)?,
                ));
                let (a, x, y, on_device) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, y.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, on_device)?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$gemv)(
                            handle, op as i32, m as i32, n as i32, alpha.pointer(), a.place.address, lda as i32,
                            x.place.address, incx, beta.pointer(), y.place.address, incy,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let (alpha, beta) = (alpha.value("alpha", call, s)?, beta.value("beta", call, s)?);
                    let mut work = <$T>::work(2.0 * m as f64 * n as f64);
                    if m == 0 || n == 0 {
                        return Ok((work, ()));
                    }
                    work.bytes = bytes::<$T>(m * n + m + n);
                    let old: Option<Vec<$T>> = if beta == 0.0 { None } else { Some(read(call, s, "y", &y)?) };
                    let product = if alpha == 0.0 {
                        vec![0.0; rows]
                    } else {
                        let a: Vec<$T> = read_matrix(call, s, "A", &a.elements())?;
                        let x: Vec<$T> = read(call, s, "x", &x)?;
                        cpu::gemv(op, (m, n), &a, &x)
                    };
                    write(call, s, &y, combined(alpha, &product, beta, old.as_deref()))?;
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`A = alpha x y^T + A` for an `m` x `n` matrix (`cublas", $letter, "ger`).")]
            ///
            /// # Errors
            /// `lda` < `m`, a slice that is too short, an increment of 0.
            pub fn $ger<'a>(
                &self, m: usize, n: usize, alpha: impl Into<Scalar<'a, $T>>, x: &DeviceSlice<$T>, incx: i32,
                y: &DeviceSlice<$T>, incy: i32, a: &mut DeviceSlice<$T>, lda: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "ger"));
                let alpha = alpha.into();
                let checked = || {
                    alpha.check("alpha", call)?;
                    Ok((
                        call.matrix("A", (&*a).into(), (m, n), lda)?,
                        call.vector("x", x.into(), m, incx)?,
                        call.vector("y", y.into(), n, incy)?,
                    ))
                };
                let (a, x, y) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, a.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, alpha.on_device())?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$ger)(
                            handle, m as i32, n as i32, alpha.pointer(), x.place.address, incx, y.place.address, incy,
                            a.place.address, lda as i32,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let alpha = alpha.value("alpha", call, s)?.f64();
                    let mut work = <$T>::work(2.0 * m as f64 * n as f64);
                    if m == 0 || n == 0 {
                        return Ok((work, ()));
                    }
                    work.bytes = bytes::<$T>(2 * m * n + m + n);
                    let (xs, ys): (Vec<$T>, Vec<$T>) = (read(call, s, "x", &x)?, read(call, s, "y", &y)?);
                    let mut values: Vec<$T> = read_matrix(call, s, "A", &a.elements())?;
                    for (column, y) in values.chunks_exact_mut(m).zip(ys) {
                        let factor = alpha * y.f64();
                        column.iter_mut().zip(&xs).for_each(|(v, x)| *v = <$T>::from_f64(x.f64() * factor + v.f64()));
                    }
                    s.write(&a.elements(), &values).map_err(|e| call.driver(e))?;
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`y = alpha A x + beta y` for a symmetric matrix, of which one triangle is read (`cublas", $letter, "symv`).")]
            ///
            /// # Errors
            /// `lda` < `n`, a slice that is too short, an increment of 0.
            pub fn $symv<'a>(
                &self, fill: Fill, n: usize, alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>, lda: usize,
                x: &DeviceSlice<$T>, incx: i32, beta: impl Into<Scalar<'a, $T>>, y: &mut DeviceSlice<$T>, incy: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "symv"));
                let (alpha, beta) = (alpha.into(), beta.into());
                let checked = || Ok((
                    call.matrix("A", a.into(), (n, n), lda)?,
                    call.vector("x", x.into(), n, incx)?,
                    call.vector("y", (&*y).into(), n, incy)?,
                    same_side(call, &alpha, &beta)?,
                ));
                let (a, x, y, on_device) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, y.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, on_device)?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$symv)(
                            handle, fill as i32, n as i32, alpha.pointer(), a.place.address, lda as i32,
                            x.place.address, incx, beta.pointer(), y.place.address, incy,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let (alpha, beta) = (alpha.value("alpha", call, s)?, beta.value("beta", call, s)?);
                    let old: Option<Vec<$T>> = if beta == 0.0 { None } else { Some(read(call, s, "y", &y)?) };
                    let triangle: Vec<$T> = read_matrix(call, s, "A", &a.triangle(fill))?;
                    let xs: Vec<$T> = read(call, s, "x", &x)?;
                    let product = cpu::gemv(Op::N, (n, n), &cpu::symmetric(fill, n, &triangle), &xs);
                    write(call, s, &y, combined(alpha, &product, beta, old.as_deref()))?;
                    let mut work = <$T>::work(2.0 * (n * n) as f64);
                    work.bytes = bytes::<$T>(n * n / 2 + 2 * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`A = alpha x x^T + A` for one triangle of a symmetric matrix (`cublas", $letter, "syr`).")]
            ///
            /// # Errors
            /// `lda` < `n`, a slice that is too short, an increment of 0.
            pub fn $syr<'a>(
                &self, fill: Fill, n: usize, alpha: impl Into<Scalar<'a, $T>>, x: &DeviceSlice<$T>, incx: i32,
                a: &mut DeviceSlice<$T>, lda: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "syr"));
                let alpha = alpha.into();
                let checked = || {
                    alpha.check("alpha", call)?;
                    Ok((call.matrix("A", (&*a).into(), (n, n), lda)?, call.vector("x", x.into(), n, incx)?))
                };
                let (a, x) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, a.triangle(fill).span(), |library, handle| {
                    pointer_mode(library, handle, call, alpha.on_device())?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$syr)(
                            handle, fill as i32, n as i32, alpha.pointer(), x.place.address, incx, a.place.address, lda as i32,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let alpha = alpha.value("alpha", call, s)?.f64();
                    let xs: Vec<$T> = read(call, s, "x", &x)?;
                    let mut values: Vec<$T> = read_matrix(call, s, "A", &a.triangle(fill))?;
                    for (v, (i, j)) in values.iter_mut().zip(fill.places(n)) {
                        *v = <$T>::from_f64(alpha * xs[i].f64() * xs[j].f64() + v.f64());
                    }
                    s.write(&a.triangle(fill), &values).map_err(|e| call.driver(e))?;
                    let mut work = <$T>::work((n * n) as f64);
                    work.bytes = bytes::<$T>(n * n + n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`x = op(A) x` for a triangular matrix (`cublas", $letter, "trmv`).")]
            ///
            /// # Errors
            /// `lda` < `n`, a slice that is too short, an increment of 0.
            pub fn $trmv(
                &self, fill: Fill, op: Op, diag: Diag, n: usize, a: &DeviceSlice<$T>, lda: usize, x: &mut DeviceSlice<$T>, incx: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "trmv"));
                let checked = || Ok((call.matrix("A", a.into(), (n, n), lda)?, call.vector("x", (&*x).into(), n, incx)?));
                let (a, x) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, x.elements().span(), |library, handle| {
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$trmv)(
                            handle, fill as i32, op as i32, diag as i32, n as i32, a.place.address, lda as i32, x.place.address, incx,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let triangle: Vec<$T> = read_triangle(call, s, &a, fill, diag)?;
                    let (fill, t) = cpu::triangular(fill, op, n, &triangle);
                    let xs: Vec<f64> = read::<$T>(call, s, "x", &x)?.into_iter().map(Real::f64).collect();
                    let product = cpu::trmv(fill, &t, &xs);
                    write(call, s, &x, product.into_iter().map(<$T>::from_f64).collect())?;
                    let mut work = <$T>::work((n * n) as f64);
                    work.bytes = bytes::<$T>(n * n / 2 + 2 * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("Solves `op(A) y = x` for a triangular matrix; `y` takes the place of `x` (`cublas", $letter, "trsv`).")]
            ///
            /// # Errors
            /// `lda` < `n`, a slice that is too short, an increment of 0. A singular matrix is none: the result is infinite or NaN.
            pub fn $trsv(
                &self, fill: Fill, op: Op, diag: Diag, n: usize, a: &DeviceSlice<$T>, lda: usize, x: &mut DeviceSlice<$T>, incx: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "trsv"));
                let checked = || Ok((call.matrix("A", a.into(), (n, n), lda)?, call.vector("x", (&*x).into(), n, incx)?));
                let (a, x) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, x.elements().span(), |library, handle| {
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$trsv)(
                            handle, fill as i32, op as i32, diag as i32, n as i32, a.place.address, lda as i32, x.place.address, incx,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let triangle: Vec<$T> = read_triangle(call, s, &a, fill, diag)?;
                    let (fill, t) = cpu::triangular(fill, op, n, &triangle);
                    let mut xs: Vec<f64> = read::<$T>(call, s, "x", &x)?.into_iter().map(Real::f64).collect();
                    cpu::trsv(fill, &t, &mut xs);
                    write(call, s, &x, xs.into_iter().map(<$T>::from_f64).collect())?;
                    let mut work = <$T>::work((n * n) as f64);
                    work.bytes = bytes::<$T>(n * n / 2 + 2 * n);
                    Ok((work, ()))
                })
            }
        }
    };
}

level2!(f32, "S", sgemv, sger, ssymv, ssyr, strmv, strsv);
level2!(f64, "D", dgemv, dger, dsymv, dsyr, dtrmv, dtrsv);
