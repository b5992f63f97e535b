//! Signals and what can be computed from them.
//!
//! Both sides of an operator must have the same type; nothing is widened silently. Sums wrap, so
//! extend first where they may grow; a product is as wide as both factors together.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Shl, Shr, Sub};

use crate::draft::Draft;
use crate::handles::{Reg, Sig, Wire};
use crate::ir::{BinaryOp, Item, NodeId, Op, UnaryOp};
use crate::types::{MAX_WIDTH, Type, bit, signed, unsigned};

/// What can stand on the right of an operator: a signal, a register, a wire, or a number, which
/// takes the type of the left side.
pub trait Operand<'m> {
    /// The operand if it is a signal and so has a type of its own.
    fn signal(&self) -> Option<Sig<'m>>;
    /// The operand as a signal beside `other`.
    #[track_caller]
    fn like(self, other: Sig<'m>) -> Sig<'m>;
}

impl<'m> Operand<'m> for Sig<'m> {
    fn signal(&self) -> Option<Sig<'m>> {
        Some(*self)
    }
    fn like(self, _: Sig<'m>) -> Sig<'m> {
        self
    }
}

impl<'m> Operand<'m> for Reg<'m> {
    fn signal(&self) -> Option<Sig<'m>> {
        Some(self.q)
    }
    fn like(self, _: Sig<'m>) -> Sig<'m> {
        self.q
    }
}

impl<'m> Operand<'m> for Wire<'m> {
    fn signal(&self) -> Option<Sig<'m>> {
        Some(self.sig)
    }
    fn like(self, _: Sig<'m>) -> Sig<'m> {
        self.sig
    }
}

impl<'m> Operand<'m> for i64 {
    fn signal(&self) -> Option<Sig<'m>> {
        None
    }
    #[track_caller]
    fn like(self, other: Sig<'m>) -> Sig<'m> {
        other.module.lit(self, other.ty())
    }
}

impl<'m> From<Reg<'m>> for Sig<'m> {
    fn from(reg: Reg<'m>) -> Sig<'m> {
        reg.q
    }
}

impl<'m> From<Wire<'m>> for Sig<'m> {
    fn from(wire: Wire<'m>) -> Sig<'m> {
        wire.sig
    }
}

/// How to come from one type to another, in words.
pub(crate) fn conversion(from: Type, to: Type) -> String {
    let cast = match (from.signed, to.signed) {
        (true, false) => ".as_unsigned()",
        (false, true) => ".as_signed()",
        _ => "",
    };
    let size = match from.width.cmp(&to.width) {
        std::cmp::Ordering::Less => format!(".extend({})", to.width),
        std::cmp::Ordering::Greater => format!(".truncate({})", to.width),
        std::cmp::Ordering::Equal => String::new(),
    };
    format!("convert {from} to {to} with `{cast}{size}`")
}

impl<'m> Sig<'m> {
    /// Width and signedness.
    pub fn ty(self) -> Type {
        self.module.draft.borrow().net.nodes[self.id].ty
    }

    /// Number of bits.
    pub fn width(self) -> u32 {
        self.ty().width
    }

    #[track_caller]
    fn with(self, make: impl FnOnce(&mut Draft, Type) -> NodeId) -> Sig<'m> {
        let mut draft = self.module.open();
        let ty = draft.net.nodes[self.id].ty;
        let id = make(&mut draft, ty);
        Sig { module: self.module, id }
    }

    /// Gives the signal a name that stays in simulation, VHDL and Verilog.
    #[track_caller]
    pub fn named(self, name: &str) -> Sig<'m> {
        self.with(|draft, ty| {
            let id = draft.named(Op::Wire(Some(self.id)), ty, name);
            draft.net.items.push(Item::Named(id));
            id
        })
    }

    /// Adds a remark to a named signal, written beside its declaration.
    #[track_caller]
    pub fn comment(self, text: &str) -> Sig<'m> {
        self.with(|draft, _| {
            let what = draft.net.describe(self.id);
            if draft.net.nodes[self.id].name.is_none() {
                draft.error(
                    format!("`{what}` has a comment but no name"),
                    "name it first with `.named(..)`",
                );
            }
            draft.net.nodes[self.id].comment = Some(text.to_string());
            self.id
        })
    }

    /// States that an input is not used on purpose.
    #[track_caller]
    pub fn unused(self) {
        self.module.open().allowed_unused.push(self.id);
    }

    /// A register `name` that follows this signal one clock later.
    #[track_caller]
    pub fn reg(self, name: &str) -> Sig<'m> {
        let reg = self.module.reg(name, self.ty());
        reg.set(self);
        reg.q
    }

    /// A register `name` that takes this signal at edges where `enable` is 1.
    #[track_caller]
    pub fn reg_if(self, name: &str, enable: impl Into<Sig<'m>>) -> Sig<'m> {
        let reg = self.module.reg(name, self.ty()).enable(enable);
        reg.set(self);
        reg.q
    }

    #[track_caller]
    fn binary(self, op: BinaryOp, other: impl Operand<'m>) -> Sig<'m> {
        let other = other.like(self);
        self.with(|draft, a| {
            let b = draft.net.nodes[other.id].ty;
            let (an, bn) = (draft.net.describe(self.id), draft.net.describe(other.id));
            let faulty = draft.is_poison(self.id) || draft.is_poison(other.id);
            if !std::ptr::eq(self.module, other.module) {
                draft.error(
                    format!(
                        "`{an}` is joined by `{}` with a signal of another \
                             module",
                        op.symbol()
                    ),
                    "connect the modules through ports",
                );
                return draft.push(Op::Poison, a);
            }
            if op == BinaryOp::Mul {
                if a.is_bit() || b.is_bit() {
                    draft.error(
                        format!("`{an}` * `{bn}` multiplies by a plain bit"),
                        "choose between the value and 0 with `mux`",
                    );
                    return draft
                        .push(Op::Poison, Type { width: (a.width + b.width).min(MAX_WIDTH), ..a });
                }
                if a.signed != b.signed && !faulty {
                    draft.error(
                        format!(
                            "`{an}` is {a} and `{bn}` is {b}: a product needs two signed or \
                                 two unsigned factors"
                        ),
                        "give the unsigned one a zero on top: `.extend(w + 1).as_signed()`",
                    );
                }
                if a.width + b.width > MAX_WIDTH {
                    draft.error(
                        format!("`{an}` ({a}) * `{bn}` ({b}) is {} bits wide", a.width + b.width),
                        format!("keep products within {MAX_WIDTH} bits"),
                    );
                }
                let ty = Type { width: a.width + b.width, signed: a.signed };
                return draft.push(Op::Binary(op, self.id, other.id), ty);
            }
            let ty = if op.compares() { bit() } else { a };
            if a != b && !faulty {
                draft.error(
                    format!("`{an}` is {a} and `{bn}` is {b}, joined by `{}`", op.symbol()),
                    conversion(b, a),
                );
                return draft.push(Op::Poison, ty);
            }
            // Modulo 2 a sum and a difference are the same as exclusive or.
            let op = match op {
                BinaryOp::Add | BinaryOp::Sub if a.is_bit() => BinaryOp::Xor,
                op => op,
            };
            draft.push(Op::Binary(op, self.id, other.id), ty)
        })
    }

    /// 1 where both are equal.
    #[track_caller]
    pub fn eq(self, other: impl Operand<'m>) -> Sig<'m> {
        self.binary(BinaryOp::Eq, other)
    }

    /// 1 where both differ.
    #[track_caller]
    pub fn ne(self, other: impl Operand<'m>) -> Sig<'m> {
        self.binary(BinaryOp::Ne, other)
    }

    /// 1 where this one is less.
    #[track_caller]
    pub fn lt(self, other: impl Operand<'m>) -> Sig<'m> {
        self.binary(BinaryOp::Lt, other)
    }

    /// 1 where this one is less or equal.
    #[track_caller]
    pub fn le(self, other: impl Operand<'m>) -> Sig<'m> {
        self.binary(BinaryOp::Le, other)
    }

    /// 1 where this one is greater.
    #[track_caller]
    pub fn gt(self, other: impl Operand<'m>) -> Sig<'m> {
        other.like(self).binary(BinaryOp::Lt, self)
    }

    /// 1 where this one is greater or equal.
    #[track_caller]
    pub fn ge(self, other: impl Operand<'m>) -> Sig<'m> {
        other.like(self).binary(BinaryOp::Le, self)
    }

    /// For a plain bit: `then` where it is 1, `otherwise` where it is 0. A number on one side takes
    /// the type of the other side; two numbers are plain bits.
    #[track_caller]
    pub fn mux(self, then: impl Operand<'m>, otherwise: impl Operand<'m>) -> Sig<'m> {
        // Two numbers can only mean plain bits.
        let typed = then.signal().or(otherwise.signal()).unwrap_or(self);
        let (then, otherwise) = (then.like(typed), otherwise.like(typed));
        self.with(|draft, c| {
            let (a, b) = (draft.net.nodes[then.id].ty, draft.net.nodes[otherwise.id].ty);
            let name = draft.net.describe(self.id);
            if !c.is_bit() && !draft.is_poison(self.id) {
                draft.error(
                    format!("`{name}` chooses in a mux but is {c}"),
                    "use one plain bit, for example `.ne(0)`",
                );
            }
            if a != b && !draft.is_poison(then.id) && !draft.is_poison(otherwise.id) {
                let (an, bn) = (draft.net.describe(then.id), draft.net.describe(otherwise.id));
                draft.error(
                    format!("the mux on `{name}` chooses between `{an}` ({a}) and `{bn}` ({b})"),
                    conversion(b, a),
                );
                return draft.push(Op::Poison, a);
            }
            draft.push(Op::Mux(self.id, then.id, otherwise.id), a)
        })
    }

    /// Bits `hi` down to `lo`, with the signedness of the whole.
    #[track_caller]
    pub fn slice(self, hi: u32, lo: u32) -> Sig<'m> {
        self.with(|draft, ty| {
            if lo > hi || hi >= ty.width {
                let name = draft.net.describe(self.id);
                draft.error(
                    format!("`{name}` is {ty}: it has no bits {hi} down to {lo}"),
                    format!("slice within {} down to 0, the higher bit first", ty.width - 1),
                );
                let width = hi.abs_diff(lo).saturating_add(1).min(MAX_WIDTH);
                return draft.push(Op::Poison, Type { width, ..ty });
            }
            let part = Type { width: hi - lo + 1, ..ty };
            if part == ty { self.id } else { draft.push(Op::Slice { value: self.id, lo }, part) }
        })
    }

    /// Bit `i` as a plain bit, bit 0 being the lowest.
    #[track_caller]
    pub fn bit(self, i: u32) -> Sig<'m> {
        if self.ty().is_bit() || i >= self.width() {
            return self.slice(i, i);
        }
        self.with(|draft, _| draft.push(Op::Slice { value: self.id, lo: i }, bit()))
    }

    /// The highest bit: the sign of a signed value.
    #[track_caller]
    pub fn msb(self) -> Sig<'m> {
        self.bit(self.width() - 1)
    }

    /// As wide as `width`, same value: signs are copied, unsigned values get zeros.
    #[track_caller]
    pub fn extend(self, width: u32) -> Sig<'m> {
        self.with(|draft, ty| {
            if width < ty.width || width > MAX_WIDTH {
                let name = draft.net.describe(self.id);
                draft.error(
                    format!("`{name}` is {ty} and cannot be extended to {width} bits"),
                    format!(
                        "extend to {} to {MAX_WIDTH} bits; to drop bits use `truncate` or `slice`",
                        ty.width
                    ),
                );
                return draft.push(Op::Poison, Type { width: width.clamp(1, MAX_WIDTH), ..ty });
            }
            if width == ty.width {
                self.id
            } else {
                draft.push(Op::Extend(self.id), Type { width, ..ty })
            }
        })
    }

    /// The low `width` bits.
    #[track_caller]
    pub fn truncate(self, width: u32) -> Sig<'m> {
        self.slice(width.wrapping_sub(1).min(1 << 20), 0)
    }

    /// Extends or truncates to `width`.
    #[track_caller]
    pub fn resize(self, width: u32) -> Sig<'m> {
        if width < self.width() { self.truncate(width) } else { self.extend(width) }
    }

    /// The same bits read as two's complement.
    #[track_caller]
    pub fn as_signed(self) -> Sig<'m> {
        self.with(|draft, ty| match ty.signed {
            true => self.id,
            false => draft.push(Op::Cast(self.id), signed(ty.width)),
        })
    }

    /// The same bits read as an unsigned number.
    #[track_caller]
    pub fn as_unsigned(self) -> Sig<'m> {
        let mut draft = self.module.open();
        self.as_unsigned_in(&mut draft)
    }

    #[track_caller]
    pub(crate) fn as_unsigned_in(self, draft: &mut Draft) -> Sig<'m> {
        let ty = draft.net.nodes[self.id].ty;
        let id = match ty.signed {
            false => self.id,
            true => draft.push(Op::Cast(self.id), unsigned(ty.width)),
        };
        Sig { module: self.module, id }
    }

    /// This value above `low`, side by side, as one unsigned value.
    #[track_caller]
    pub fn concat(self, low: impl Into<Sig<'m>>) -> Sig<'m> {
        self.module.concat(&[self, low.into()])
    }

    #[track_caller]
    fn shift(self, left: bool, by: u32) -> Sig<'m> {
        self.with(|draft, ty| {
            if by >= ty.width {
                let name = draft.net.describe(self.id);
                draft.error(
                    format!(
                        "`{name}` is {ty} and is shifted by {by} places, which leaves nothing of it"
                    ),
                    format!("shift by 0 to {}, or extend first", ty.width - 1),
                );
                return draft.push(Op::Poison, ty);
            }
            if by == 0 { self.id } else { draft.push(Op::Shift { left, value: self.id, by }, ty) }
        })
    }

    /// Shifted left by the unsigned signal `by`.
    #[track_caller]
    pub fn shl_by(self, by: impl Into<Sig<'m>>) -> Sig<'m> {
        self.shift_by(true, by.into())
    }

    /// Shifted right by the unsigned signal `by`; a signed value copies its sign.
    #[track_caller]
    pub fn shr_by(self, by: impl Into<Sig<'m>>) -> Sig<'m> {
        self.shift_by(false, by.into())
    }

    #[track_caller]
    fn shift_by(self, left: bool, by: Sig<'m>) -> Sig<'m> {
        self.with(|draft, ty| {
            let amount = draft.net.nodes[by.id].ty;
            let name = draft.net.describe(self.id);
            if amount.signed || amount.width > 7 {
                draft.error(
                    format!(
                        "`{name}` is shifted by `{}`, which is {amount}",
                        draft.net.describe(by.id)
                    ),
                    "shift by an unsigned value of at most 7 bits",
                );
                return draft.push(Op::Poison, ty);
            }
            if ty.width == 1 {
                draft.error(format!("`{name}` has one bit and is shifted"), "choose with `mux`");
                return draft.push(Op::Poison, ty);
            }
            draft.push(Op::ShiftBy { left, value: self.id, by: by.id }, ty)
        })
    }

    /// Magnitude of a signed value as an unsigned value of the same width: even the smallest value
    /// fits.
    #[track_caller]
    pub fn abs(self) -> Sig<'m> {
        self.msb().mux(-self, self).as_unsigned()
    }

    /// The larger of the two.
    #[track_caller]
    pub fn max(self, other: impl Operand<'m>) -> Sig<'m> {
        let other = other.like(self);
        self.lt(other).mux(other, self)
    }

    /// The smaller of the two.
    #[track_caller]
    pub fn min(self, other: impl Operand<'m>) -> Sig<'m> {
        let other = other.like(self);
        self.lt(other).mux(self, other)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:expr) => {
        impl<'m, R: Operand<'m>> $trait<R> for Sig<'m> {
            type Output = Sig<'m>;
            #[track_caller]
            fn $method(self, other: R) -> Sig<'m> {
                self.binary($op, other)
            }
        }
        impl<'m, R: Operand<'m>> $trait<R> for Reg<'m> {
            type Output = Sig<'m>;
            #[track_caller]
            fn $method(self, other: R) -> Sig<'m> {
                self.q.binary($op, other)
            }
        }
    };
}

operator!(Add, add, BinaryOp::Add);
operator!(Sub, sub, BinaryOp::Sub);
operator!(Mul, mul, BinaryOp::Mul);
operator!(BitAnd, bitand, BinaryOp::And);
operator!(BitOr, bitor, BinaryOp::Or);
operator!(BitXor, bitxor, BinaryOp::Xor);

/// `x << n`: zeros from the right, same width.
impl<'m> Shl<u32> for Sig<'m> {
    type Output = Sig<'m>;
    #[track_caller]
    fn shl(self, by: u32) -> Sig<'m> {
        self.shift(true, by)
    }
}

/// `x >> n`: same width; a signed value copies its sign (rounds toward minus infinity).
impl<'m> Shr<u32> for Sig<'m> {
    type Output = Sig<'m>;
    #[track_caller]
    fn shr(self, by: u32) -> Sig<'m> {
        self.shift(false, by)
    }
}

impl<'m> Not for Sig<'m> {
    type Output = Sig<'m>;
    #[track_caller]
    fn not(self) -> Sig<'m> {
        self.with(|draft, ty| draft.push(Op::Unary(UnaryOp::Not, self.id), ty))
    }
}

impl<'m> Neg for Sig<'m> {
    type Output = Sig<'m>;
    #[track_caller]
    fn neg(self) -> Sig<'m> {
        self.with(|draft, ty| match ty.is_bit() {
            true => self.id,
            false => draft.push(Op::Unary(UnaryOp::Neg, self.id), ty),
        })
    }
}
