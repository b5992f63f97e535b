//! What a declaration states: the type of a signal (how many bits, and whether the top one is a
//! sign), and where products are built.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Widest signal that the simulator carries in one value.
pub const MAX_WIDTH: u32 = 64;

/// Width and signedness of a signal. One unsigned bit is the hardware's plain bit (`std_logic`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Type {
    /// Number of bits, 1 to 64.
    pub width: u32,
    /// True for two's complement.
    pub signed: bool,
}

/// A two's complement number of `width` bits.
pub const fn signed(width: u32) -> Type {
    Type { width, signed: true }
}

/// An unsigned number of `width` bits.
pub const fn unsigned(width: u32) -> Type {
    Type { width, signed: false }
}

/// One plain bit, the same as `unsigned(1)`.
pub const fn bit() -> Type {
    unsigned(1)
}

impl Type {
    /// True for the plain bit.
    pub const fn is_bit(self) -> bool {
        self.width == 1 && !self.signed
    }

    /// Smallest value of the type.
    pub const fn min(self) -> i64 {
        if self.signed { -1 << (self.width - 1) } else { 0 }
    }

    /// Largest value of the type; for 64 unsigned bits its bit pattern, which reads as -1.
    pub const fn max(self) -> i64 {
        if self.signed { !self.min() } else { (u64::MAX >> (64 - self.width)) as i64 }
    }

    /// True if `value` is one of the type's values (any `i64` is a pattern of 64 unsigned bits).
    pub const fn holds(self, value: i64) -> bool {
        self.wrap(value) == value
    }

    /// The value that the low bits of `value` mean in this type.
    pub const fn wrap(self, value: i64) -> i64 {
        let unused = 64 - self.width;
        if self.signed {
            value << unused >> unused
        } else {
            ((value as u64) << unused >> unused) as i64
        }
    }

    /// The bits of `value`, most significant first, as `width` characters 0 and 1.
    pub fn bits(self, value: i64) -> String {
        (0..self.width).rev().map(|i| if value >> i & 1 == 1 { '1' } else { '0' }).collect()
    }
}

/// Where products are built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Multipliers {
    /// In multiplier blocks.
    Blocks,
    /// In look-up tables.
    Logic,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", if self.signed { "signed" } else { "unsigned" }, self.width)
    }
}
