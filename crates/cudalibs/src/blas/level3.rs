//! Level 3: matrix times matrix.

use cust::memory::DeviceSlice;

use super::cpu::Factor;
use super::level2::{read_matrix, read_triangle};
use super::operand::Call;
use super::{
    Blas, Diag, Fill, Op, Real, Result, Scalar, Side, bytes, cpu, pointer_mode, same_side,
};
use crate::device::Elements;

macro_rules! level3 {
    (
        $T:ty, $letter:literal, $gemm:ident, $gemm_strided_batched:ident, $syrk:ident, $symm:ident, $trsm:ident, $geam:ident
    ) => {
        #[doc = concat!("Level 3 for `", stringify!($T), "`.")]
        #[allow(clippy::too_many_arguments)]
        impl Blas<'_> {
            #[doc = concat!("`C = alpha op(A) op(B) + beta C` (`cublas", $letter, "gemm`).")]
            ///
            /// `op(A)` is `m` x `k`, `op(B)` is `k` x `n`, `C` is `m` x `n`. A matrix that enters transposed is stored the other way
            /// round: `A` with `k` rows, `B` with `n`.
            ///
            /// # Errors
            /// A leading dimension below the rows as stored, a slice that is too short.
            pub fn $gemm<'a>(
                &self, op_a: Op, op_b: Op, m: usize, n: usize, k: usize, alpha: impl Into<Scalar<'a, $T>>,
                a: &DeviceSlice<$T>, lda: usize, b: &DeviceSlice<$T>, ldb: usize,
                beta: impl Into<Scalar<'a, $T>>, c: &mut DeviceSlice<$T>, ldc: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "gemm"));
                let (alpha, beta) = (alpha.into(), beta.into());
                let checked = || Ok((
                    call.matrix("A", a.into(), op_a.stored(m, k), lda)?,
                    call.matrix("B", b.into(), op_b.stored(k, n), ldb)?,
                    call.matrix("C", (&*c).into(), (m, n), ldc)?,
                    same_side(call, &alpha, &beta)?,
                ));
                let (a, b, c, on_device) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, c.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, on_device)?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$gemm)(
                            handle, op_a as i32, op_b as i32, m as i32, n as i32, k as i32, alpha.pointer(),
                            a.place.address, lda as i32, b.place.address, ldb as i32, beta.pointer(), c.place.address, ldc as i32,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let (alpha, beta) = (alpha.value("alpha", call, s)?, beta.value("beta", call, s)?);
                    let mut out = if beta == 0.0 {
                        vec![0.0; m * n]
                    } else {
                        read_matrix::<$T>(call, s, "C", &c.elements())?
                    };
                    let a_values: Vec<$T> = read_matrix(call, s, "A", &a.elements())?;
                    let b_values: Vec<$T> = read_matrix(call, s, "B", &b.elements())?;
                    let fa = Factor { op: op_a, a: &a_values, rows: a.rows };
                    let fb = Factor { op: op_b, a: &b_values, rows: b.rows };
                    cpu::gemm((m, n, k), alpha, fa, fb, beta, &mut out);
                    s.write(&c.elements(), &out).map_err(|e| call.driver(e))?;
                    let mut work = <$T>::work(2.0 * m as f64 * n as f64 * k as f64);
                    work.bytes = bytes::<$T>(m * k + k * n + 2 * m * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`C_i = alpha op(A_i) op(B_i) + beta C_i` for `batch` products (`cublas", $letter, "gemmStridedBatched`).")]
            ///
            /// Matrix i begins `i * stride` elements after the first; a stride of 0 uses the same factor each time.
            ///
            /// # Errors
            #[doc = concat!("As [`Blas::", stringify!($gemm), "`]; matrices of `C` that overlap.")]
            pub fn $gemm_strided_batched<'a>(
                &self, op_a: Op, op_b: Op, m: usize, n: usize, k: usize, alpha: impl Into<Scalar<'a, $T>>,
                a: &DeviceSlice<$T>, lda: usize, stride_a: usize, b: &DeviceSlice<$T>, ldb: usize, stride_b: usize,
                beta: impl Into<Scalar<'a, $T>>, c: &mut DeviceSlice<$T>, ldc: usize, stride_c: usize, batch: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "gemmStridedBatched"));
                let (alpha, beta) = (alpha.into(), beta.into());
                let checked = || {
                    let last = batch.saturating_sub(1);
                    let from = |name, slice: &DeviceSlice<$T>, stride: usize, shape, ld| {
                        let mut place = crate::device::Place::from(slice);
                        let skip = last.saturating_mul(stride).min(place.len);
                        let whole = place;
                        place.len -= skip;
                        let mut matrix = call.matrix(name, place, shape, ld)?;
                        matrix.place = whole;
                        Ok(matrix)
                    };
                    let a = from("A", a, stride_a, op_a.stored(m, k), lda)?;
                    let b = from("B", b, stride_b, op_b.stored(k, n), ldb)?;
                    let c = from("C", &*c, stride_c, (m, n), ldc)?;
                    if batch > 1 && m > 0 && n > 0 && stride_c < (n - 1) * ldc + m {
                        return Err(call.invalid(format!("the matrices of C overlap: their stride {stride_c} is below {}", (n - 1) * ldc + m)));
                    }
                    call.int("batch", batch)?;
                    Ok((a, b, c, same_side(call, &alpha, &beta)?))
                };
                let (a, b, c, on_device) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                let part = |matrix: &super::operand::Matrix, stride: usize, i: usize| {
                    let columns = if matrix.rows == 0 { 0 } else { matrix.columns };
                    Elements::rows(matrix.place, (0..columns).map(|j| (i * stride + j * matrix.ld, matrix.rows)))
                };
                self.run(call, c.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, on_device)?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$gemm_strided_batched)(
                            handle, op_a as i32, op_b as i32, m as i32, n as i32, k as i32, alpha.pointer(),
                            a.place.address, lda as i32, stride_a as i64, b.place.address, ldb as i32, stride_b as i64,
                            beta.pointer(), c.place.address, ldc as i32, stride_c as i64, batch as i32,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let (alpha, beta) = (alpha.value("alpha", call, s)?, beta.value("beta", call, s)?);
                    for i in 0..batch {
                        let mut out = if beta == 0.0 {
                            vec![0.0; m * n]
                        } else {
                            read_matrix::<$T>(call, s, "C", &part(&c, stride_c, i))?
                        };
                        let a_values: Vec<$T> = read_matrix(call, s, "A", &part(&a, stride_a, i))?;
                        let b_values: Vec<$T> = read_matrix(call, s, "B", &part(&b, stride_b, i))?;
                        let fa = Factor { op: op_a, a: &a_values, rows: a.rows };
                        let fb = Factor { op: op_b, a: &b_values, rows: b.rows };
                        cpu::gemm((m, n, k), alpha, fa, fb, beta, &mut out);
                        s.write(&part(&c, stride_c, i), &out).map_err(|e| call.driver(e))?;
                    }
                    let mut work = <$T>::work(2.0 * (batch * m) as f64 * n as f64 * k as f64);
                    work.bytes = bytes::<$T>(batch * (m * k + k * n + 2 * m * n));
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`C = alpha op(A) op(A)^T + beta C` for one triangle of the `n` x `n` matrix `C` (`cublas", $letter, "syrk`).")]
            ///
            /// `op(A)` is `n` x `k`; with [`Op::T`] `A` is stored with `k` rows. The other triangle of `C` is neither read nor written.
            ///
            /// # Errors
            /// A leading dimension below the rows as stored, a slice that is too short.
            pub fn $syrk<'a>(
                &self, fill: Fill, op: Op, n: usize, k: usize, alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>, lda: usize,
                beta: impl Into<Scalar<'a, $T>>, c: &mut DeviceSlice<$T>, ldc: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "syrk"));
                let (alpha, beta) = (alpha.into(), beta.into());
                let checked = || Ok((
                    call.matrix("A", a.into(), op.stored(n, k), lda)?,
                    call.matrix("C", (&*c).into(), (n, n), ldc)?,
                    same_side(call, &alpha, &beta)?,
                ));
                let (a, c, on_device) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, c.triangle(fill).span(), |library, handle| {
                    pointer_mode(library, handle, call, on_device)?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$syrk)(
                            handle, fill as i32, op as i32, n as i32, k as i32, alpha.pointer(), a.place.address, lda as i32,
                            beta.pointer(), c.place.address, ldc as i32,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let (alpha, beta) = (alpha.value("alpha", call, s)?, beta.value("beta", call, s)?);
                    let triangle = c.triangle(fill);
                    let old = if beta == 0.0 {
                        vec![0.0; triangle.count()]
                    } else {
                        read_matrix::<$T>(call, s, "C", &triangle)?
                    };
                    let values: Vec<$T> = read_matrix(call, s, "A", &a.elements())?;
                    let product = cpu::syrk(fill, op, (n, k), alpha, &values);
                    let new: Vec<$T> = fill.places(n).zip(old).map(|((i, j), old)| {
                        let new = product[i + j * n];
                        if beta == 0.0 { new } else { new + beta * old }
                    }).collect();
                    s.write(&triangle, &new).map_err(|e| call.driver(e))?;
                    let mut work = <$T>::work(n as f64 * n as f64 * k as f64);
                    work.bytes = bytes::<$T>(n * k + n * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`C = alpha A B + beta C` (left) or `alpha B A + beta C` (right) with `A` symmetric (`cublas", $letter, "symm`).")]
            ///
            /// `B` and `C` are `m` x `n`; one triangle of `A`, with `m` rows (left) or `n` (right), is read.
            ///
            /// # Errors
            /// A leading dimension below the rows, a slice that is too short.
            pub fn $symm<'a>(
                &self, side: Side, fill: Fill, m: usize, n: usize, alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>, lda: usize,
                b: &DeviceSlice<$T>, ldb: usize, beta: impl Into<Scalar<'a, $T>>, c: &mut DeviceSlice<$T>, ldc: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "symm"));
                let (alpha, beta) = (alpha.into(), beta.into());
                let order = if side == Side::Left { m } else { n };
                let checked = || Ok((
                    call.matrix("A", a.into(), (order, order), lda)?,
                    call.matrix("B", b.into(), (m, n), ldb)?,
                    call.matrix("C", (&*c).into(), (m, n), ldc)?,
                    same_side(call, &alpha, &beta)?,
                ));
                let (a, b, c, on_device) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, c.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, on_device)?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$symm)(
                            handle, side as i32, fill as i32, m as i32, n as i32, alpha.pointer(), a.place.address, lda as i32,
                            b.place.address, ldb as i32, beta.pointer(), c.place.address, ldc as i32,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let (alpha, beta) = (alpha.value("alpha", call, s)?, beta.value("beta", call, s)?);
                    let mut out = if beta == 0.0 {
                        vec![0.0; m * n]
                    } else {
                        read_matrix::<$T>(call, s, "C", &c.elements())?
                    };
                    let triangle: Vec<$T> = read_matrix(call, s, "A", &a.triangle(fill))?;
                    let full = cpu::symmetric(fill, order, &triangle);
                    let values: Vec<$T> = read_matrix(call, s, "B", &b.elements())?;
                    let fa = Factor { op: Op::N, a: &full, rows: order };
                    let fb = Factor { op: Op::N, a: &values, rows: m };
                    let (left, right) = if side == Side::Left { (fa, fb) } else { (fb, fa) };
                    cpu::gemm((m, n, order), alpha, left, right, beta, &mut out);
                    s.write(&c.elements(), &out).map_err(|e| call.driver(e))?;
                    let mut work = <$T>::work(2.0 * m as f64 * n as f64 * order as f64);
                    work.bytes = bytes::<$T>(order * order / 2 + 3 * m * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("Solves `op(A) X = alpha B` (left) or `X op(A) = alpha B` (right) with `A` triangular; `X` takes the place of `B` (`cublas", $letter, "trsm`).")]
            ///
            /// `B` is `m` x `n`; `A` has `m` rows (left) or `n` (right).
            ///
            /// # Errors
            /// A leading dimension below the rows, a slice that is too short. A singular matrix is none: the result is infinite or NaN.
            pub fn $trsm<'a>(
                &self, side: Side, fill: Fill, op: Op, diag: Diag, m: usize, n: usize, alpha: impl Into<Scalar<'a, $T>>,
                a: &DeviceSlice<$T>, lda: usize, b: &mut DeviceSlice<$T>, ldb: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "trsm"));
                let alpha = alpha.into();
                let order = if side == Side::Left { m } else { n };
                let checked = || {
                    alpha.check("alpha", call)?;
                    Ok((call.matrix("A", a.into(), (order, order), lda)?, call.matrix("B", (&*b).into(), (m, n), ldb)?))
                };
                let (a, b) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, b.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, alpha.on_device())?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$trsm)(
                            handle, side as i32, fill as i32, op as i32, diag as i32, m as i32, n as i32, alpha.pointer(),
                            a.place.address, lda as i32, b.place.address, ldb as i32,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let alpha = alpha.value("alpha", call, s)?;
                    let triangle: Vec<$T> = read_triangle(call, s, &a, fill, diag)?;
                    let (fill, t) = cpu::triangular(fill, op, order, &triangle);
                    let mut values: Vec<$T> = read_matrix(call, s, "B", &b.elements())?;
                    values.iter_mut().for_each(|v| *v *= alpha);
                    cpu::trsm(side, fill, &t, (m, n), &mut values);
                    s.write(&b.elements(), &values).map_err(|e| call.driver(e))?;
                    let mut work = <$T>::work(m as f64 * n as f64 * order as f64);
                    work.bytes = bytes::<$T>(order * order / 2 + 2 * m * n);
                    Ok((work, ()))
                })
            }

            #[doc = concat!("`C = alpha op(A) + beta op(B)` (`cublas", $letter, "geam`): a sum, or with `beta` = 0 a transposed copy.")]
            ///
            /// `C` is `m` x `n`; a matrix that enters transposed is stored with `n` rows. With `beta` = 0, `B` is not read.
            ///
            /// # Errors
            /// A leading dimension below the rows as stored, a slice that is too short.
            pub fn $geam<'a>(
                &self, op_a: Op, op_b: Op, m: usize, n: usize, alpha: impl Into<Scalar<'a, $T>>, a: &DeviceSlice<$T>, lda: usize,
                beta: impl Into<Scalar<'a, $T>>, b: &DeviceSlice<$T>, ldb: usize, c: &mut DeviceSlice<$T>, ldc: usize,
            ) -> Result<()> {
                let call = Call(concat!("cublas", $letter, "geam"));
                let (alpha, beta) = (alpha.into(), beta.into());
                let checked = || Ok((
                    call.matrix("A", a.into(), op_a.stored(m, n), lda)?,
                    call.matrix("B", b.into(), op_b.stored(m, n), ldb)?,
                    call.matrix("C", (&*c).into(), (m, n), ldc)?,
                    same_side(call, &alpha, &beta)?,
                ));
                let (a, b, c, on_device) = match checked() {
                    Ok(operands) => operands,
                    Err(error) => return self.refused(call, error),
                };
                self.run(call, c.elements().span(), |library, handle| {
                    pointer_mode(library, handle, call, on_device)?;
                    // SAFETY: operands checked; live handle.
                    let code = unsafe {
                        (library.$geam)(
                            handle, op_a as i32, op_b as i32, m as i32, n as i32, alpha.pointer(), a.place.address, lda as i32,
                            beta.pointer(), b.place.address, ldb as i32, c.place.address, ldc as i32,
                        )
                    };
                    Ok((code, ()))
                }, |s| {
                    let mut out = vec![0.0; m * n];
                    let terms = [
                        ("A", op_a, &a, alpha.value("alpha", call, s)?),
                        ("B", op_b, &b, beta.value("beta", call, s)?),
                    ];
                    for (name, op, matrix, factor) in terms {
                        if factor == 0.0 {
                            continue;
                        }
                        let values: Vec<$T> = read_matrix(call, s, name, &matrix.elements())?;
                        for j in 0..n {
                            for i in 0..m {
                                let at = if op.transposes() { j + i * n } else { i + j * m };
                                out[i + j * m] += factor * values[at];
                            }
                        }
                    }
                    s.write(&c.elements(), &out).map_err(|e| call.driver(e))?;
                    let mut work = <$T>::work(3.0 * m as f64 * n as f64);
                    work.bytes = bytes::<$T>(3 * m * n);
                    Ok((work, ()))
                })
            }
        }
    };
}

level3!(f32, "S", sgemm, sgemm_strided_batched, ssyrk, ssymm, strsm, sgeam);
level3!(f64, "D", dgemm, dgemm_strided_batched, dsyrk, dsymm, dtrsm, dgeam);
