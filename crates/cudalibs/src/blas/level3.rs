//! Level 3: matrix times matrix.

use cust::memory::DeviceSlice;

use super::cpu::Factor;
use super::operand::{Call, Matrix};
use super::{Blas, Computed, Diag, Fill, Op, Real, Result, Scalar, Side, cpu, work};
use crate::device::Place;

/// A slice with a leading dimension.
type Columns = (Place, usize);

/// The products of a batch: their number, and the distances between neighbouring A, B and C.
type Batch = (usize, [usize; 3]);

impl Blas<'_> {
    /// A product, or a batch of them.
    #[expect(clippy::too_many_arguments, reason = "the call itself has 18")]
    pub(super) fn gemm<T: Real>(
        &self,
        (call, op_a, op_b): (Call, Op, Op),
        (m, n, k): (usize, usize, usize),
        scalars: [Scalar<'_, T>; 2],
        a: Columns,
        b: Columns,
        c: Columns,
        batch: Option<Batch>,
    ) -> Result<()> {
        let (count, steps) = batch.unwrap_or((1, [0; 3]));
        // The last matrix must fit; the first begins at the start of the slice.
        let checked = |name, (place, ld): Columns, step: usize, shape| {
            let skip = count.saturating_sub(1).saturating_mul(step).min(place.len);
            let last = Place { len: place.len - skip, ..place };
            Ok(Matrix { place, ..call.matrix(name, (last, ld), shape)? })
        };
        self.logged(call, |output| {
            let a = checked("A", a, steps[0], op_a.stored(m, k))?;
            let b = checked("B", b, steps[1], op_b.stored(k, n))?;
            let c = checked("C", c, steps[2], (m, n))?;
            if count > 1 && m > 0 && n > 0 && steps[2] < (n - 1) * c.ld + m {
                let (step, need) = (steps[2], (n - 1) * c.ld + m);
                let what =
                    format!("the matrices of C overlap: their stride {step} is below {need}");
                return Err(call.invalid(what));
            }
            call.int("batch", count)?;
            let on_device = call.scalars(&scalars)?;
            *output = c.elements().span();
            match self.begin::<T>(call, on_device)? {
                Computed::Vendor(library, h) => {
                    let [alpha, beta] = [0, 1].map(|i| scalars[i].pointer());
                    let [m, n, k, count] = [m, n, k, count].map(|n| n as i32);
                    let [(a, lda), (b, ldb), (c, ldc)] = [&a, &b, &c].map(Matrix::for_vendor);
                    let (ta, tb, [sa, sb, sc]) =
                        (op_a as i32, op_b as i32, steps.map(|s| s as i64));
                    let (one, batched) = (library.gemm, library.gemm_strided_batched);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe {
                        match batch {
                            None => one(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),
                            Some(_) => batched(
                                h, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc,
                                sc, count,
                            ),
                        }
                    })
                }
                Computed::Cpu(mut operands) => {
                    let (alpha, beta) = operands.scalars(&scalars)?;
                    for i in 0..count {
                        let to = c.elements_from(i * steps[2]);
                        let mut out = operands.old(beta, &to)?;
                        let left: Vec<T> = operands.read("A", &a.elements_from(i * steps[0]))?;
                        let right: Vec<T> = operands.read("B", &b.elements_from(i * steps[1]))?;
                        let left = Factor { op: op_a, a: &left, rows: a.rows };
                        let right = Factor { op: op_b, a: &right, rows: b.rows };
                        cpu::gemm((m, n, k), alpha, left, right, beta, &mut out);
                        operands.write(&to, &out)?;
                    }
                    let flop = 2.0 * (count * m) as f64 * n as f64 * k as f64;
                    operands.end(work::<T>(flop, count * (m * k + k * n + 2 * m * n)));
                    Ok(())
                }
            }
        })
    }

    pub(super) fn syrk<T: Real>(
        &self,
        (call, fill, op): (Call, Fill, Op),
        (n, k): (usize, usize),
        scalars: [Scalar<'_, T>; 2],
        a: Columns,
        c: Columns,
    ) -> Result<()> {
        self.logged(call, |output| {
            let a = call.matrix("A", a, op.stored(n, k))?;
            let c = call.matrix("C", c, (n, n))?;
            let on_device = call.scalars(&scalars)?;
            let triangle = c.triangle(fill);
            *output = triangle.span();
            match self.begin::<T>(call, on_device)? {
                Computed::Vendor(library, handle) => {
                    let [alpha, beta] = [0, 1].map(|i| scalars[i].pointer());
                    let (fill, op, n, k) = (fill as i32, op as i32, n as i32, k as i32);
                    let [(a, lda), (c, ldc)] = [&a, &c].map(Matrix::for_vendor);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe {
                        (library.syrk)(handle, fill, op, n, k, alpha, a, lda, beta, c, ldc)
                    })
                }
                Computed::Cpu(mut operands) => {
                    let (alpha, beta) = operands.scalars(&scalars)?;
                    let old = operands.old(beta, &triangle)?;
                    let product =
                        cpu::syrk(fill, op, (n, k), alpha, &operands.read("A", &a.elements())?);
                    let sum = |((i, j), old): ((usize, usize), T)| {
                        let new = product[i + j * n];
                        if beta == T::ZERO { new } else { new + beta * old }
                    };
                    let new: Vec<T> = fill.places(n).zip(old).map(sum).collect();
                    operands.write(&triangle, &new)?;
                    operands.end(work::<T>(n as f64 * n as f64 * k as f64, n * k + n * n));
                    Ok(())
                }
            }
        })
    }

    pub(super) fn symm<T: Real>(
        &self,
        (call, side, fill): (Call, Side, Fill),
        (m, n): (usize, usize),
        scalars: [Scalar<'_, T>; 2],
        a: Columns,
        b: Columns,
        c: Columns,
    ) -> Result<()> {
        let order = side.order(m, n);
        self.logged(call, |output| {
            let a = call.matrix("A", a, (order, order))?;
            let b = call.matrix("B", b, (m, n))?;
            let c = call.matrix("C", c, (m, n))?;
            let on_device = call.scalars(&scalars)?;
            *output = c.elements().span();
            match self.begin::<T>(call, on_device)? {
                Computed::Vendor(library, handle) => {
                    let [alpha, beta] = [0, 1].map(|i| scalars[i].pointer());
                    let (side, fill, m, n) = (side as i32, fill as i32, m as i32, n as i32);
                    let [(a, lda), (b, ldb), (c, ldc)] = [&a, &b, &c].map(Matrix::for_vendor);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe {
                        (library.symm)(
                            handle, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc,
                        )
                    })
                }
                Computed::Cpu(mut operands) => {
                    let (alpha, beta) = operands.scalars(&scalars)?;
                    let mut out = operands.old(beta, &c.elements())?;
                    let triangle: Vec<T> = operands.read("A", &a.triangle(fill))?;
                    let full = cpu::symmetric(fill, order, &triangle);
                    let values: Vec<T> = operands.read("B", &b.elements())?;
                    let a = Factor { op: Op::N, a: &full, rows: order };
                    let b = Factor { op: Op::N, a: &values, rows: m };
                    let (left, right) = if side == Side::Left { (a, b) } else { (b, a) };
                    cpu::gemm((m, n, order), alpha, left, right, beta, &mut out);
                    operands.write(&c.elements(), &out)?;
                    let flop = 2.0 * m as f64 * n as f64 * order as f64;
                    operands.end(work::<T>(flop, order * order / 2 + 3 * m * n));
                    Ok(())
                }
            }
        })
    }

    pub(super) fn trsm<T: Real>(
        &self,
        (call, side): (Call, Side),
        (fill, op, diag): (Fill, Op, Diag),
        (m, n): (usize, usize),
        alpha: Scalar<'_, T>,
        a: Columns,
        b: Columns,
    ) -> Result<()> {
        let order = side.order(m, n);
        self.logged(call, |output| {
            call.scalar("alpha", &alpha)?;
            let a = call.matrix("A", a, (order, order))?;
            let b = call.matrix("B", b, (m, n))?;
            *output = b.elements().span();
            match self.begin::<T>(call, alpha.on_device())? {
                Computed::Vendor(library, handle) => {
                    let (side, fill, op, diag) = (side as i32, fill as i32, op as i32, diag as i32);
                    let (m, n, alpha) = (m as i32, n as i32, alpha.pointer());
                    let [(a, lda), (b, ldb)] = [&a, &b].map(Matrix::for_vendor);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe {
                        (library.trsm)(handle, side, fill, op, diag, m, n, alpha, a, lda, b, ldb)
                    })
                }
                Computed::Cpu(mut operands) => {
                    let alpha = operands.scalar("alpha", &alpha)?;
                    let stored: Vec<T> = operands.triangle(&a, fill, diag)?;
                    let (fill, t) = cpu::triangular(fill, op, order, &stored);
                    let mut values: Vec<T> = operands.read("B", &b.elements())?;
                    values.iter_mut().for_each(|v| *v = *v * alpha);
                    cpu::trsm(side, fill, &t, (m, n), &mut values);
                    operands.write(&b.elements(), &values)?;
                    let flop = m as f64 * n as f64 * order as f64;
                    operands.end(work::<T>(flop, order * order / 2 + 2 * m * n));
                    Ok(())
                }
            }
        })
    }

    pub(super) fn geam<T: Real>(
        &self,
        (call, ops): (Call, (Op, Op)),
        (m, n): (usize, usize),
        scalars: [Scalar<'_, T>; 2],
        a: Columns,
        b: Columns,
        c: Columns,
    ) -> Result<()> {
        self.logged(call, |output| {
            let a = call.matrix("A", a, ops.0.stored(m, n))?;
            let b = call.matrix("B", b, ops.1.stored(m, n))?;
            let c = call.matrix("C", c, (m, n))?;
            let on_device = call.scalars(&scalars)?;
            *output = c.elements().span();
            match self.begin::<T>(call, on_device)? {
                Computed::Vendor(library, handle) => {
                    let [alpha, beta] = [0, 1].map(|i| scalars[i].pointer());
                    let (op_a, op_b, m, n) = (ops.0 as i32, ops.1 as i32, m as i32, n as i32);
                    let [(a, lda), (b, ldb), (c, ldc)] = [&a, &b, &c].map(Matrix::for_vendor);
                    // SAFETY: operands checked; live handle.
                    call.check(unsafe {
                        (library.geam)(
                            handle, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc,
                        )
                    })
                }
                Computed::Cpu(mut operands) => {
                    let (alpha, beta) = operands.scalars(&scalars)?;
                    let mut out = vec![T::ZERO; m * n];
                    for (name, op, matrix, factor) in
                        [("A", ops.0, &a, alpha), ("B", ops.1, &b, beta)]
                    {
                        if factor == T::ZERO {
                            continue;
                        }
                        let values: Vec<T> = operands.read(name, &matrix.elements())?;
                        for j in 0..n {
                            for i in 0..m {
                                let from = if op.transposes() { j + i * n } else { i + j * m };
                                out[i + j * m] = out[i + j * m] + factor * values[from];
                            }
                        }
                    }
                    operands.write(&c.elements(), &out)?;
                    operands.end(work::<T>(3.0 * m as f64 * n as f64, 3 * m * n));
                    Ok(())
                }
            }
        })
    }
}

/// The typed names: their signatures and documentation.
#[rustfmt::skip]
macro_rules! level3 {
    (
        $T:ident, $letter:literal, $gemm:ident, $gemm_strided_batched:ident,
        $syrk:ident, $symm:ident, $trsm:ident, $geam:ident
    ) => {
        #[doc = concat!("Level 3 for `", stringify!($T), "`.")]
        #[allow(clippy::too_many_arguments)]
        impl Blas<'_> {
            #[doc = concat!("`C = alpha op(A) op(B) + beta C` (`cublas", $letter, "gemm`).")]
            ///
            /// `op(A)` is `m` x `k`, `op(B)` is `k` x `n`, `C` is `m` x `n`. A matrix that enters
            /// transposed is stored the other way round: `A` with `k` rows, `B` with `n`.
            ///
            /// # Errors
            /// A leading dimension below the rows as stored, a slice that is too short.
            pub fn $gemm<'a>(
                &self, op_a: Op, op_b: Op, m: usize, n: usize, k: usize,
                alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>, lda: usize,
                b: &DeviceSlice<$T>, ldb: usize, beta: impl Into<Scalar<'a, $T>>,
                c: &mut DeviceSlice<$T>, ldc: usize,
            ) -> Result<()> {
                let call = (Call(concat!("cublas", $letter, "gemm")), op_a, op_b);
                let (a, b, c) = ((a.into(), lda), (b.into(), ldb), ((&*c).into(), ldc));
                self.gemm(call, (m, n, k), [alpha.into(), beta.into()], a, b, c, None)
            }

            /// `C_i = alpha op(A_i) op(B_i) + beta C_i` for `batch` products
            #[doc = concat!("(`cublas", $letter, "gemmStridedBatched`).")]
            ///
            /// Matrix i begins `i * stride` elements after the first; a stride of 0 uses the same
            /// factor each time.
            ///
            /// # Errors
            #[doc = concat!("As [`Blas::", stringify!($gemm), "`]; matrices of `C` that overlap.")]
            pub fn $gemm_strided_batched<'a>(
                &self, op_a: Op, op_b: Op, m: usize, n: usize, k: usize,
                alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>, lda: usize, stride_a: usize,
                b: &DeviceSlice<$T>, ldb: usize, stride_b: usize, beta: impl Into<Scalar<'a, $T>>,
                c: &mut DeviceSlice<$T>, ldc: usize, stride_c: usize, batch: usize,
            ) -> Result<()> {
                let call = (Call(concat!("cublas", $letter, "gemmStridedBatched")), op_a, op_b);
                let (a, b, c) = ((a.into(), lda), (b.into(), ldb), ((&*c).into(), ldc));
                let batch = Some((batch, [stride_a, stride_b, stride_c]));
                self.gemm(call, (m, n, k), [alpha.into(), beta.into()], a, b, c, batch)
            }

            /// `C = alpha op(A) op(A)^T + beta C` for one triangle of the `n` x `n` matrix `C`
            #[doc = concat!("(`cublas", $letter, "syrk`).")]
            ///
            /// `op(A)` is `n` x `k`; with [`Op::T`] `A` is stored with `k` rows. The other triangle
            /// of `C` is neither read nor written.
            ///
            /// # Errors
            /// A leading dimension below the rows as stored, a slice that is too short.
            pub fn $syrk<'a>(
                &self, fill: Fill, op: Op, n: usize, k: usize, alpha: impl Into<Scalar<'a, $T>>,
                a: &DeviceSlice<$T>, lda: usize, beta: impl Into<Scalar<'a, $T>>,
                c: &mut DeviceSlice<$T>, ldc: usize,
            ) -> Result<()> {
                let call = (Call(concat!("cublas", $letter, "syrk")), fill, op);
                let (a, c) = ((a.into(), lda), ((&*c).into(), ldc));
                self.syrk(call, (n, k), [alpha.into(), beta.into()], a, c)
            }

            /// `C = alpha A B + beta C` (left) or `alpha B A + beta C` (right) with `A` symmetric
            #[doc = concat!("(`cublas", $letter, "symm`).")]
            ///
            /// `B` and `C` are `m` x `n`; one triangle of `A`, with `m` rows (left) or `n` (right),
            /// is read.
            ///
            /// # Errors
            /// A leading dimension below the rows, a slice that is too short.
            pub fn $symm<'a>(
                &self, side: Side, fill: Fill, m: usize, n: usize,
                alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>, lda: usize,
                b: &DeviceSlice<$T>, ldb: usize, beta: impl Into<Scalar<'a, $T>>,
                c: &mut DeviceSlice<$T>, ldc: usize,
            ) -> Result<()> {
                let call = (Call(concat!("cublas", $letter, "symm")), side, fill);
                let (a, b, c) = ((a.into(), lda), (b.into(), ldb), ((&*c).into(), ldc));
                self.symm(call, (m, n), [alpha.into(), beta.into()], a, b, c)
            }

            /// Solves `op(A) X = alpha B` (left) or `X op(A) = alpha B` (right) with `A`
            /// triangular;
            #[doc = concat!("`X` takes the place of `B` (`cublas", $letter, "trsm`).")]
            ///
            /// `B` is `m` x `n`; `A` has `m` rows (left) or `n` (right).
            ///
            /// # Errors
            /// A leading dimension below the rows, a slice that is too short. A singular matrix is
            /// none: the result is infinite or NaN.
            pub fn $trsm<'a>(
                &self, side: Side, fill: Fill, op: Op, diag: Diag, m: usize, n: usize,
                alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>, lda: usize,
                b: &mut DeviceSlice<$T>, ldb: usize,
            ) -> Result<()> {
                let call = (Call(concat!("cublas", $letter, "trsm")), side);
                let (a, b) = ((a.into(), lda), ((&*b).into(), ldb));
                self.trsm(call, (fill, op, diag), (m, n), alpha.into(), a, b)
            }

            #[doc = concat!("`C = alpha op(A) + beta op(B)` (`cublas", $letter, "geam`):")]
            /// a sum, or with `beta` = 0 a transposed copy.
            ///
            /// `C` is `m` x `n`; a matrix that enters transposed is stored with `n` rows. With
            /// `beta` = 0, `B` is not read.
            ///
            /// # Errors
            /// A leading dimension below the rows as stored, a slice that is too short.
            pub fn $geam<'a>(
                &self, op_a: Op, op_b: Op, m: usize, n: usize, alpha: impl Into<Scalar<'a, $T>>,
                a: &DeviceSlice<$T>, lda: usize, beta: impl Into<Scalar<'a, $T>>,
                b: &DeviceSlice<$T>, ldb: usize, c: &mut DeviceSlice<$T>, ldc: usize,
            ) -> Result<()> {
                let call = (Call(concat!("cublas", $letter, "geam")), (op_a, op_b));
                let (a, b, c) = ((a.into(), lda), (b.into(), ldb), ((&*c).into(), ldc));
                self.geam(call, (m, n), [alpha.into(), beta.into()], a, b, c)
            }
        }
    };
}

level3!(f32, "S", sgemm, sgemm_strided_batched, ssyrk, ssymm, strsm, sgeam);
level3!(f64, "D", dgemm, dgemm_strided_batched, dsyrk, dsymm, dtrsm, dgeam);
