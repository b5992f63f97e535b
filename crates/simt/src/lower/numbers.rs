//! Function numbers beyond those of [`crate::hir::Math1`] and [`crate::hir::Class`].

/// Mantissa of `frexp`.
pub(crate) const FREXP_MANTISSA: i32 = 100;
/// Exponent of `frexp`.
pub(crate) const FREXP_EXPONENT: i32 = 101;
/// Fraction of `modf`.
pub(crate) const MODF_FRACTION: i32 = 102;
