//! The registers of a processor, for the values of a row that are computed together.
//!
//! Left to itself the compiler makes vectors of arrays in some loops and puts them together value
//! by value in others, which halves the speed of absorbing layers. So the operations are written
//! for registers here, of three kinds: AVX-512's, AVX2's, and single values, of which the compiler
//! makes what it can for another processor. Nothing is fused or done in another order: all three
//! give the same bits.
//!
//! An operation becomes one instruction only where it is inlined into a function compiled for a
//! processor that has it. So all functions in between are `inline(always)`, which closures cannot
//! be.

use std::ops::{Add, Mul, Sub};

use crate::real::{BLOCK, Blocks, Lanes, Real};

impl Blocks for f32 {
    type Plain = Plain<f32>;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = x86_64::Single256;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = x86_64::Single512;
    #[cfg(not(target_arch = "x86_64"))]
    type Avx2 = Plain<f32>;
    #[cfg(not(target_arch = "x86_64"))]
    type Avx512 = Plain<f32>;
}

impl Blocks for f64 {
    type Plain = Plain<f64>;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = x86_64::Double256;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = x86_64::Double512;
    #[cfg(not(target_arch = "x86_64"))]
    type Avx2 = Plain<f64>;
    #[cfg(not(target_arch = "x86_64"))]
    type Avx512 = Plain<f64>;
}

/// Single values.
#[derive(Clone, Copy)]
pub struct Plain<T>([T; BLOCK]);

impl<T: Real> Plain<T> {
    #[inline(always)]
    fn with(mut self, other: Self, operation: impl Fn(T, T) -> T) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = operation(*a, b);
        }
        self
    }
}

impl<T: Real> Add for Plain<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl<T: Real> Sub for Plain<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}

impl<T: Real> Mul for Plain<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
}

impl<T: Real> Lanes for Plain<T> {
    type Value = T;
    #[inline(always)]
    fn splat(value: T) -> Self {
        Plain([value; BLOCK])
    }
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: as the caller has promised; any bits are a T.
        Plain(unsafe { from.cast::<[T; BLOCK]>().read_unaligned() })
    }
    #[inline(always)]
    fn of(values: &[T; BLOCK]) -> Self {
        Plain(*values)
    }
    #[inline(always)]
    fn put(self, to: &mut [T; BLOCK]) {
        *to = self.0;
    }
    #[inline(always)]
    fn cut(mut self, least: T) -> Self {
        for v in &mut self.0 {
            *v = v.cut(least);
        }
        self
    }
    #[inline(always)]
    fn within(self, inside: Self, other: Self) -> Self {
        let mut chosen = other;
        for i in 0..BLOCK {
            if inside.0[i] > T::ZERO {
                chosen.0[i] = self.0[i];
            }
        }
        chosen
    }
}

/// Blocks of registers. They are computed in `tile`'s versions for processors that have these, and
/// in the test below, which asks first.
#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::x86_64::*;
    use std::ops::{Add, Mul, Sub};

    use crate::real::{BLOCK, Lanes};

    macro_rules! blocks {
        ($($name:ident: $register:ident of $value:ident [$($i:literal)+];
           $splat:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident;
           $cut:ident $within:ident $(; $shifted:ident $(, $beside:ident $near:ident)?)?)*) => {$(
            #[derive(Clone, Copy)]
            pub struct $name([$register; BLOCK * size_of::<$value>() / size_of::<$register>()]);

            impl Add for $name {
                type Output = Self;
                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    // SAFETY: the processor has these registers.
                    unsafe { $name([$($add(self.0[$i], other.0[$i])),+]) }
                }
            }

            impl Sub for $name {
                type Output = Self;
                #[inline(always)]
                fn sub(self, other: Self) -> Self {
                    // SAFETY: the processor has these registers.
                    unsafe { $name([$($sub(self.0[$i], other.0[$i])),+]) }
                }
            }

            impl Mul for $name {
                type Output = Self;
                #[inline(always)]
                fn mul(self, other: Self) -> Self {
                    // SAFETY: the processor has these registers.
                    unsafe { $name([$($mul(self.0[$i], other.0[$i])),+]) }
                }
            }

            impl Lanes for $name {
                type Value = $value;
                #[inline(always)]
                fn splat(value: $value) -> Self {
                    // SAFETY: the processor has these registers.
                    unsafe { $name([$splat(value); size_of::<Self>() / size_of::<$register>()]) }
                }
                #[inline(always)]
                unsafe fn load(from: *const $value) -> Self {
                    // SAFETY: the caller has promised that a block can be read, which need not be
                    // aligned.
                    unsafe { $name([$($load(from.cast::<$register>().add($i).cast())),+]) }
                }
                $(#[inline(always)]
                fn shifted(line: [Self; 3], by: isize) -> Self {
                    // SAFETY: the processor has these registers.
                    unsafe { $shifted(line, by) }
                }
                $(#[inline(always)]
                unsafe fn beside(place: *const $value, by: isize) -> Self {
                    // SAFETY: the processor has these registers, and the caller has promised that
                    // three blocks can be read.
                    unsafe { $beside(place, by) }
                }
                #[inline(always)]
                unsafe fn near(place: *const $value) -> [Self; 9] {
                    // SAFETY: as above.
                    unsafe { $near(place) }
                })?)?
                #[inline(always)]
                fn of(values: &[$value; BLOCK]) -> Self {
                    // SAFETY: the array has a block.
                    unsafe { Self::load(values.as_ptr()) }
                }
                #[inline(always)]
                fn put(self, to: &mut [$value; BLOCK]) {
                    let to = to.as_mut_ptr().cast::<$register>();
                    // SAFETY: the array has as many values as the registers; it need not be
                    // aligned.
                    unsafe { $($store(to.add($i).cast(), self.0[$i]);)+ }
                }
                #[inline(always)]
                fn cut(self, least: $value) -> Self {
                    // SAFETY: the processor has these registers.
                    unsafe { $name([$($cut(self.0[$i], $splat(least))),+]) }
                }
                #[inline(always)]
                fn within(self, inside: Self, other: Self) -> Self {
                    // SAFETY: the processor has these registers.
                    unsafe { $name([$($within(self.0[$i], inside.0[$i], other.0[$i])),+]) }
                }
            }
        )*};
    }

    blocks! {
        Single512: __m512 of f32 [0];
            _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps
            _mm512_mul_ps; cut_512 within_512; shifted_512, beside_512 near_512
        Double512: __m512d of f64 [0 1];
            _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd
            _mm512_mul_pd; cut_512d within_512d
        Single256: __m256 of f32 [0 1];
            _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps
            _mm256_mul_ps; cut_256 within_256; shifted_256
        Double256: __m256d of f64 [0 1 2 3];
            _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd
            _mm256_mul_pd; cut_256d within_256d
    }

    /// The value of an expression in which `$n` is a constant, for the one that `$by` is.
    macro_rules! for_constant {
        ($by:expr, $n:ident of $($value:literal)+: $of:expr) => {
            match $by {
                $($value => {
                    const $n: i32 = $value;
                    $of
                })+
                _ => unreachable!("a shift by less than a register"),
            }
        };
    }

    /// `_mm512_alignr_epi32`, of which the compiler makes a permutation: that takes a register for
    /// its indices and overwrites one of the two.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn valignd<const N: i32>(high: __m512i, low: __m512i) -> __m512i {
        let values: __m512i;
        // SAFETY: this instruction computes one register from two.
        unsafe {
            std::arch::asm!(
                "valignd {}, {}, {}, {}",
                out(zmm_reg) values,
                in(zmm_reg) high,
                in(zmm_reg) low,
                const N,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        values
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn shifted_512([before, here, behind]: [Single512; 3], by: isize) -> Single512 {
        let (low, high) = if by < 0 { (before, here) } else { (here, behind) };
        let (low, high) = (_mm512_castps_si512(low.0[0]), _mm512_castps_si512(high.0[0]));
        let values = for_constant!(by.rem_euclid(16), N of 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15:
            valignd::<N>(high, low));
        Single512([_mm512_castsi512_ps(values)])
    }

    /// By shifts: a load that lies on two lines of the cache takes the time of two.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn beside_512(place: *const f32, by: isize) -> Single512 {
        // SAFETY: the caller has promised that three blocks can be read.
        let line = unsafe {
            [
                Single512::load(place.sub(BLOCK)),
                Single512::load(place),
                Single512::load(place.add(BLOCK)),
            ]
        };
        shifted_512(line, by)
    }

    /// Three loads and shifts, which are left to the compiler: where all nine are at hand, its
    /// permutations are a little faster.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn near_512(from: *const f32) -> [Single512; 9] {
        // SAFETY: the caller has promised that three blocks can be read.
        let [before, here, behind] = unsafe {
            [
                _mm512_loadu_ps(from.sub(BLOCK)),
                _mm512_loadu_ps(from),
                _mm512_loadu_ps(from.add(BLOCK)),
            ]
        };
        let (b, h) = (_mm512_castps_si512(before), _mm512_castps_si512(here));
        let a = _mm512_castps_si512(behind);
        [
            Single512([_mm512_castsi512_ps(_mm512_alignr_epi32::<12>(h, b))]),
            Single512([_mm512_castsi512_ps(_mm512_alignr_epi32::<13>(h, b))]),
            Single512([_mm512_castsi512_ps(_mm512_alignr_epi32::<14>(h, b))]),
            Single512([_mm512_castsi512_ps(_mm512_alignr_epi32::<15>(h, b))]),
            Single512([here]),
            Single512([_mm512_castsi512_ps(_mm512_alignr_epi32::<1>(a, h))]),
            Single512([_mm512_castsi512_ps(_mm512_alignr_epi32::<2>(a, h))]),
            Single512([_mm512_castsi512_ps(_mm512_alignr_epi32::<3>(a, h))]),
            Single512([_mm512_castsi512_ps(_mm512_alignr_epi32::<4>(a, h))]),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn shifted_256([before, here, behind]: [Single256; 3], by: isize) -> Single256 {
        let line = [before.0[0], before.0[1], here.0[0], here.0[1], behind.0[0], behind.0[1]];
        let (first, n) = ((16 + by) as usize / 8, by.rem_euclid(8));
        Single256([
            joined_256(line[first], line[first + 1], n),
            joined_256(line[first + 1], line[first + 2], n),
        ])
    }

    /// The values from value `n` on of two registers behind each other.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn joined_256(low: __m256, high: __m256, n: isize) -> __m256 {
        // Shifts are within halves of a register, so the halves in the middle come first.
        let middle = _mm256_permute2f128_ps::<0x21>(low, high);
        let (low, high) = if n < 4 { (low, middle) } else { (middle, high) };
        let (low, high) = (_mm256_castps_si256(low), _mm256_castps_si256(high));
        let values = for_constant!(n % 4, N of 0 1 2 3:
            _mm256_alignr_epi8::<{ 4 * N }>(high, low));
        _mm256_castsi256_ps(values)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn cut_512(v: __m512, least: __m512) -> __m512 {
        _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_NLT_UQ>(_mm512_abs_ps(v), least), v)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn cut_512d(v: __m512d, least: __m512d) -> __m512d {
        _mm512_maskz_mov_pd(_mm512_cmp_pd_mask::<_CMP_NLT_UQ>(_mm512_abs_pd(v), least), v)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn cut_256(v: __m256, least: __m256) -> __m256 {
        let size = _mm256_andnot_ps(_mm256_set1_ps(-0.0), v);
        _mm256_and_ps(v, _mm256_cmp_ps::<_CMP_NLT_UQ>(size, least))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn cut_256d(v: __m256d, least: __m256d) -> __m256d {
        let size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
        _mm256_and_pd(v, _mm256_cmp_pd::<_CMP_NLT_UQ>(size, least))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn within_512(these: __m512, inside: __m512, other: __m512) -> __m512 {
        let mask = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(inside, _mm512_setzero_ps());
        _mm512_mask_blend_ps(mask, other, these)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn within_512d(these: __m512d, inside: __m512d, other: __m512d) -> __m512d {
        let mask = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(inside, _mm512_setzero_pd());
        _mm512_mask_blend_pd(mask, other, these)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn within_256(these: __m256, inside: __m256, other: __m256) -> __m256 {
        let mask = _mm256_cmp_ps::<_CMP_GT_OQ>(inside, _mm256_setzero_ps());
        _mm256_blendv_ps(other, these, mask)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn within_256d(these: __m256d, inside: __m256d, other: __m256d) -> __m256d {
        let mask = _mm256_cmp_pd::<_CMP_GT_OQ>(inside, _mm256_setzero_pd());
        _mm256_blendv_pd(other, these, mask)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The bits of every operation on blocks of these values.
    fn all<L: Lanes>(values: &[[L::Value; BLOCK]; 3]) -> Vec<u8> {
        let [a, b, c] = values.each_ref().map(L::of);
        let first = values[0][3];
        let mut results = vec![a + b, a - b, a * b, a.flushed(), a.cut(first), a.within(c, b)];
        results.push(L::splat(first));
        // SAFETY: the block between the two others.
        results.extend(unsafe { L::near(values.as_flattened().as_ptr().add(BLOCK)) });
        for by in -8..=8 {
            // SAFETY: as above.
            results.push(unsafe { L::beside(values.as_flattened().as_ptr().add(BLOCK), by) });
            results.push(L::shifted([a, b, c], by));
        }
        let mut bits = Vec::new();
        for result in results {
            let mut values = [L::Value::ZERO; BLOCK];
            result.put(&mut values);
            bits.extend_from_slice(bytemuck::bytes_of(&values));
        }
        bits
    }

    fn agree<T: Real>(values: &[[T; BLOCK]; 3]) {
        let plain = all::<T::Plain>(values);
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                assert_eq!(all::<T::Avx2>(values), plain);
            }
            if is_x86_feature_detected!("avx512f") {
                assert_eq!(all::<T::Avx512>(values), plain);
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = plain;
    }

    /// Numbers of all sizes, with both zeros, subnormal ones, infinity, and those next to the least
    /// that is stored.
    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            (-1.0f64..1.0, -320i32..300).prop_map(|(m, e)| m * 10f64.powi(e)),
            (-1.0f64..1.0, -32i32..-28).prop_map(|(m, e)| m * 10f64.powi(e)),
            proptest::sample::select(vec![
                0.0,
                -0.0,
                1e-30,
                -1e-30,
                9.999e-31,
                1e-300,
                1e-40,
                f64::INFINITY,
            ]),
        ]
    }

    proptest! {
        #[test]
        fn all_registers_give_the_same_bits(
            values in proptest::array::uniform3(proptest::array::uniform16(number()))
        ) {
            agree(&values);
            agree(&values.map(|block| block.map(|v| v as f32)));
        }
    }
}
