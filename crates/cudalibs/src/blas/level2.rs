//! Level 2: matrix times vector.

use cust::memory::DeviceSlice;

use super::operand::Call;
use super::{Blas, Computed, Diag, Fill, Op, Real, Result, Scalar, cpu, work};
use crate::device::Place;

/// A slice with an increment, or with a leading dimension.
type Slice<I> = (Place, I);

impl Blas<'_> {
    pub(super) fn gemv<T: Real>(
        &self,
        (call, op): (Call, Op),
        (m, n): (usize, usize),
        scalars: [Scalar<'_, T>; 2],
        a: Slice<usize>,
        x: Slice<i32>,
        y: Slice<i32>,
    ) -> Result<()> {
        let (rows, columns) = op.stored(m, n);
        self.logged(call, |output| {
            let a = call.matrix("A", a, (m, n))?;
            let (x, y) = (call.vector("x", x, columns)?, call.vector("y", y, rows)?);
            let on_device = call.scalars(&scalars)?;
            *output = y.elements().span();
            match self.begin::<T>(call, on_device)? {
                Computed::Vendor(library, handle) => {
                    let (m, n, lda) = (m as i32, n as i32, a.ld as i32);
                    let [alpha, beta] = [0, 1].map(|i| scalars[i].pointer());
                    let [a, px, py] = [a.place, x.place, y.place].map(|place| place.address);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe {
                        (library.gemv)(
                            handle, op as i32, m, n, alpha, a, lda, px, x.inc, beta, py, y.inc,
                        )
                    })
                }
                Computed::Cpu(mut operands) => {
                    let (alpha, beta) = operands.scalars(&scalars)?;
                    if m == 0 || n == 0 {
                        operands.end(work::<T>(0.0, 0));
                        return Ok(());
                    }
                    let old = operands.old_vector(beta, &y)?;
                    let product = if alpha == T::ZERO {
                        vec![0.0; rows]
                    } else {
                        let a: Vec<T> = operands.read("A", &a.elements())?;
                        cpu::gemv(op, (m, n), &a, &operands.vector("x", &x)?)
                    };
                    let new = cpu::combined(alpha, &product, beta, old.as_deref());
                    operands.write_vector(&y, new)?;
                    operands.end(work::<T>(2.0 * m as f64 * n as f64, m * n + m + n));
                    Ok(())
                }
            }
        })
    }

    pub(super) fn ger<T: Real>(
        &self,
        call: Call,
        (m, n): (usize, usize),
        alpha: Scalar<'_, T>,
        x: Slice<i32>,
        y: Slice<i32>,
        a: Slice<usize>,
    ) -> Result<()> {
        self.logged(call, |output| {
            call.scalar("alpha", &alpha)?;
            let a = call.matrix("A", a, (m, n))?;
            let (x, y) = (call.vector("x", x, m)?, call.vector("y", y, n)?);
            *output = a.elements().span();
            match self.begin::<T>(call, alpha.on_device())? {
                Computed::Vendor(library, handle) => {
                    let (m, n, lda) = (m as i32, n as i32, a.ld as i32);
                    let [pa, px, py] = [a.place, x.place, y.place].map(|place| place.address);
                    let alpha = alpha.pointer();
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe {
                        (library.ger)(handle, m, n, alpha, px, x.inc, py, y.inc, pa, lda)
                    })
                }
                Computed::Cpu(mut operands) => {
                    let alpha = operands.scalar("alpha", &alpha)?.f64();
                    if m == 0 || n == 0 {
                        operands.end(work::<T>(0.0, 0));
                        return Ok(());
                    }
                    let xs: Vec<T> = operands.vector("x", &x)?;
                    let ys: Vec<T> = operands.vector("y", &y)?;
                    let mut values: Vec<T> = operands.read("A", &a.elements())?;
                    for (column, y) in values.chunks_exact_mut(m).zip(ys) {
                        let factor = alpha * y.f64();
                        for (v, x) in column.iter_mut().zip(&xs) {
                            *v = T::from_f64(x.f64() * factor + v.f64());
                        }
                    }
                    operands.write(&a.elements(), &values)?;
                    operands.end(work::<T>(2.0 * m as f64 * n as f64, 2 * m * n + m + n));
                    Ok(())
                }
            }
        })
    }

    pub(super) fn symv<T: Real>(
        &self,
        (call, fill): (Call, Fill),
        n: usize,
        scalars: [Scalar<'_, T>; 2],
        a: Slice<usize>,
        x: Slice<i32>,
        y: Slice<i32>,
    ) -> Result<()> {
        self.logged(call, |output| {
            let a = call.matrix("A", a, (n, n))?;
            let (x, y) = (call.vector("x", x, n)?, call.vector("y", y, n)?);
            let on_device = call.scalars(&scalars)?;
            *output = y.elements().span();
            match self.begin::<T>(call, on_device)? {
                Computed::Vendor(library, handle) => {
                    let (n, lda) = (n as i32, a.ld as i32);
                    let [alpha, beta] = [0, 1].map(|i| scalars[i].pointer());
                    let [a, px, py] = [a.place, x.place, y.place].map(|place| place.address);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe {
                        (library.symv)(
                            handle,
                            fill as i32,
                            n,
                            alpha,
                            a,
                            lda,
                            px,
                            x.inc,
                            beta,
                            py,
                            y.inc,
                        )
                    })
                }
                Computed::Cpu(mut operands) => {
                    let (alpha, beta) = operands.scalars(&scalars)?;
                    let old = operands.old_vector(beta, &y)?;
                    let triangle: Vec<T> = operands.read("A", &a.triangle(fill))?;
                    let xs: Vec<T> = operands.vector("x", &x)?;
                    let full = cpu::symmetric(fill, n, &triangle);
                    let product = cpu::gemv(Op::N, (n, n), &full, &xs);
                    let new = cpu::combined(alpha, &product, beta, old.as_deref());
                    operands.write_vector(&y, new)?;
                    operands.end(work::<T>(2.0 * (n * n) as f64, n * n / 2 + 2 * n));
                    Ok(())
                }
            }
        })
    }

    pub(super) fn syr<T: Real>(
        &self,
        (call, fill): (Call, Fill),
        n: usize,
        alpha: Scalar<'_, T>,
        x: Slice<i32>,
        a: Slice<usize>,
    ) -> Result<()> {
        self.logged(call, |output| {
            call.scalar("alpha", &alpha)?;
            let a = call.matrix("A", a, (n, n))?;
            let x = call.vector("x", x, n)?;
            let triangle = a.triangle(fill);
            *output = triangle.span();
            match self.begin::<T>(call, alpha.on_device())? {
                Computed::Vendor(library, handle) => {
                    let (n, lda, alpha) = (n as i32, a.ld as i32, alpha.pointer());
                    let (pa, px) = (a.place.address, x.place.address);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe {
                        (library.syr)(handle, fill as i32, n, alpha, px, x.inc, pa, lda)
                    })
                }
                Computed::Cpu(mut operands) => {
                    let alpha = operands.scalar("alpha", &alpha)?.f64();
                    let xs: Vec<T> = operands.vector("x", &x)?;
                    let mut values: Vec<T> = operands.read("A", &triangle)?;
                    for (v, (i, j)) in values.iter_mut().zip(fill.places(n)) {
                        *v = T::from_f64(alpha * xs[i].f64() * xs[j].f64() + v.f64());
                    }
                    operands.write(&triangle, &values)?;
                    operands.end(work::<T>((n * n) as f64, n * n + n));
                    Ok(())
                }
            }
        })
    }

    /// A product with a triangular matrix, or the solution of equations with it, in place of `x`.
    pub(super) fn triangular<T: Real>(
        &self,
        call: Call,
        (fill, op, diag): (Fill, Op, Diag),
        a: Slice<usize>,
        x: Slice<i32>,
        n: usize,
        solve: bool,
    ) -> Result<()> {
        self.logged(call, |output| {
            let a = call.matrix("A", a, (n, n))?;
            let x = call.vector("x", x, n)?;
            *output = x.elements().span();
            match self.begin::<T>(call, false)? {
                Computed::Vendor(library, handle) => {
                    let function = if solve { library.trsv } else { library.trmv };
                    let (diag, n, lda, pa) = (diag as i32, n as i32, a.ld as i32, a.place.address);
                    let (fill, op, px) = (fill as i32, op as i32, x.place.address);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe { function(handle, fill, op, diag, n, pa, lda, px, x.inc) })
                }
                Computed::Cpu(mut operands) => {
                    let stored: Vec<T> = operands.triangle(&a, fill, diag)?;
                    let (fill, t) = cpu::triangular(fill, op, n, &stored);
                    let xs: Vec<T> = operands.vector("x", &x)?;
                    let mut xs: Vec<f64> = xs.into_iter().map(Real::f64).collect();
                    if solve {
                        cpu::trsv(fill, &t, &mut xs);
                    } else {
                        xs = cpu::trmv(fill, &t, &xs);
                    }
                    operands.write_vector(&x, xs.into_iter().map(T::from_f64).collect())?;
                    operands.end(work::<T>((n * n) as f64, n * n / 2 + 2 * n));
                    Ok(())
                }
            }
        })
    }
}

/// The typed names: their signatures and documentation.
#[rustfmt::skip]
macro_rules! level2 {
    (
        $T:ident, $letter:literal,
        $gemv:ident, $ger:ident, $symv:ident, $syr:ident, $trmv:ident, $trsv:ident
    ) => {
        #[doc = concat!("Level 2 for `", stringify!($T), "`.")]
        #[allow(clippy::too_many_arguments)]
        impl Blas<'_> {
            #[doc = concat!("`y = alpha op(A) x + beta y` (`cublas", $letter, "gemv`).")]
            ///
            /// `A` is stored with `m` rows and `n` columns, also if it enters transposed. `x` has
            /// `n` elements and `y` has `m`; transposed, `m` and `n`. If `m` or `n` is 0, `y` stays
            /// as it is.
            ///
            /// # Errors
            /// `lda` < `m`, a slice that is too short, an increment of 0.
            pub fn $gemv<'a>(
                &self, op: Op, m: usize, n: usize, alpha: impl Into<Scalar<'a, $T>>,
                a: &DeviceSlice<$T>, lda: usize, x: &DeviceSlice<$T>, incx: i32,
                beta: impl Into<Scalar<'a, $T>>, y: &mut DeviceSlice<$T>, incy: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "gemv"));
                let (a, x, y) = ((a.into(), lda), (x.into(), incx), ((&*y).into(), incy));
                self.gemv((call, op), (m, n), [alpha.into(), beta.into()], a, x, y)
            }

            /// `A = alpha x y^T + A` for an `m` x `n` matrix
            #[doc = concat!("(`cublas", $letter, "ger`).")]
            ///
            /// # Errors
            /// `lda` < `m`, a slice that is too short, an increment of 0.
            pub fn $ger<'a>(
                &self, m: usize, n: usize, alpha: impl Into<Scalar<'a, $T>>, x: &DeviceSlice<$T>,
                incx: i32, y: &DeviceSlice<$T>, incy: i32, a: &mut DeviceSlice<$T>, lda: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "ger"));
                let (x, y, a) = ((x.into(), incx), (y.into(), incy), ((&*a).into(), lda));
                self.ger(call, (m, n), alpha.into(), x, y, a)
            }

            /// `y = alpha A x + beta y` for a symmetric matrix, of which one triangle is read
            #[doc = concat!("(`cublas", $letter, "symv`).")]
            ///
            /// # Errors
            /// `lda` < `n`, a slice that is too short, an increment of 0.
            pub fn $symv<'a>(
                &self, fill: Fill, n: usize, alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>,
                lda: usize, x: &DeviceSlice<$T>, incx: i32, beta: impl Into<Scalar<'a, $T>>,
                y: &mut DeviceSlice<$T>, incy: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "symv"));
                let (a, x, y) = ((a.into(), lda), (x.into(), incx), ((&*y).into(), incy));
                self.symv((call, fill), n, [alpha.into(), beta.into()], a, x, y)
            }

            /// `A = alpha x x^T + A` for one triangle of a symmetric matrix
            #[doc = concat!("(`cublas", $letter, "syr`).")]
            ///
            /// # Errors
            /// `lda` < `n`, a slice that is too short, an increment of 0.
            pub fn $syr<'a>(
                &self, fill: Fill, n: usize, alpha: impl Into<Scalar<'a, $T>>, x: &DeviceSlice<$T>,
                incx: i32, a: &mut DeviceSlice<$T>, lda: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "syr"));
                let (x, a) = ((x.into(), incx), ((&*a).into(), lda));
                self.syr((call, fill), n, alpha.into(), x, a)
            }

            #[doc = concat!("`x = op(A) x` for a triangular matrix (`cublas", $letter, "trmv`).")]
            ///
            /// # Errors
            /// `lda` < `n`, a slice that is too short, an increment of 0.
            pub fn $trmv(
                &self, fill: Fill, op: Op, diag: Diag, n: usize, a: &DeviceSlice<$T>, lda: usize,
                x: &mut DeviceSlice<$T>, incx: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "trmv"));
                let (a, x) = ((a.into(), lda), ((&*x).into(), incx));
                self.triangular::<$T>(call, (fill, op, diag), a, x, n, false)
            }

            /// Solves `op(A) y = x` for a triangular matrix; `y` takes the place of `x`
            #[doc = concat!("(`cublas", $letter, "trsv`).")]
            ///
            /// # Errors
            /// `lda` < `n`, a slice that is too short, an increment of 0. A singular matrix is
            /// none: the result is infinite or NaN.
            pub fn $trsv(
                &self, fill: Fill, op: Op, diag: Diag, n: usize, a: &DeviceSlice<$T>, lda: usize,
                x: &mut DeviceSlice<$T>, incx: i32,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "trsv"));
                let (a, x) = ((a.into(), lda), ((&*x).into(), incx));
                self.triangular::<$T>(call, (fill, op, diag), a, x, n, true)
            }
        }
    };
}

level2!(f32, "S", sgemv, sger, ssymv, ssyr, strmv, strsv);
level2!(f64, "D", dgemv, dger, dsymv, dsyr, dtrmv, dtrsv);
