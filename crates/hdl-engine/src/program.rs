//! A design as a program, as `hdl` makes it: plain data, and the meaning of each code.

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Code {
    /// Takes `a` as it is.
    Copy,
    /// Wraps `a` to the type.
    Wrap,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `!a`.
    Not,
    /// `-a`.
    Neg,
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`, which always fits.
    Mul,
    /// `a == b`.
    Eq,
    /// `a != b`.
    Ne,
    /// `a < b`.
    Lt,
    /// `a < b` of unsigned values.
    LtUnsigned,
    /// `a <= b`.
    Le,
    /// `a <= b` of unsigned values.
    LeUnsigned,
    /// `slot[b]` if `a` is not 0, else `slot[c]`.
    Mux,
    /// `a << c`.
    Shl,
    /// `a >> c`.
    Shr,
    /// `a >> c` with zeros from above.
    ShrUnsigned,
    /// `a << b`.
    ShlBy,
    /// `a >> b`.
    ShrBy,
    /// `a >> b` with zeros from above.
    ShrByUnsigned,
    /// `a << c | b`, for joining bits.
    Join,
    /// Word `a` of ROM `c`.
    Rom,
    /// Word `a` of RAM `c`.
    Ram,
}

/// One step: `slot[dst] = code(slot[a], slot[b], slot[c])`, wrapped to the type given by `signed`
/// and `unused` bits.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// What it does.
    pub code: Code,
    /// The result is kept sign-extended, else zero-extended.
    pub signed: bool,
    /// 64 minus the width; 0 also where the result fits by itself.
    pub unused: u8,
    /// First operand.
    pub a: u32,
    /// Second operand.
    pub b: u32,
    /// Third operand, distance of a shift, or number of a memory.
    pub c: u32,
    /// Where the result goes.
    pub dst: u32,
}

/// A RAM.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Content.
    pub words: Vec<i64>,
    /// Slots of enable, address and data.
    pub write: Option<[u32; 3]>,
}

/// A register or an input: the values that it can hold.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Where it lies.
    pub slot: u32,
    /// Values are sign-extended, else zero-extended.
    pub signed: bool,
    /// 64 minus the width.
    pub unused: u8,
}

/// A design as a program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// What is computed within a clock, in order.
    pub code: Vec<Instruction>,
    /// Registers first, then their next values, then inputs, constants and results; as at power-up.
    pub slots: Vec<i64>,
    /// Values of the registers at power-up.
    pub inits: Vec<i64>,
    /// Registers that the asynchronous reset holds at their initial values.
    pub resettable: Vec<u32>,
    /// Contents of the ROMs.
    pub roms: Vec<Vec<i64>>,
    /// The RAMs.
    pub rams: Vec<Memory>,
    /// Registers and inputs.
    pub sources: Vec<Source>,
    /// Signals that are likely to be looked at in every cycle, as outputs are.
    pub watched: Vec<u32>,
}

/// What a code with at most two operands gives, before it is wrapped.
#[inline(always)]
pub(crate) fn compute(code: Code, a: i64, b: i64) -> i64 {
    match code {
        Code::And => a & b,
        Code::Or => a | b,
        Code::Xor => a ^ b,
        Code::Not => !a,
        Code::Neg => a.wrapping_neg(),
        Code::Add => a.wrapping_add(b),
        Code::Sub => a.wrapping_sub(b),
        Code::Mul => a.wrapping_mul(b),
        Code::Eq => i64::from(a == b),
        Code::Ne => i64::from(a != b),
        Code::Lt => i64::from(a < b),
        Code::LtUnsigned => i64::from((a as u64) < b as u64),
        Code::Le => i64::from(a <= b),
        Code::LeUnsigned => i64::from(a as u64 <= b as u64),
        Code::ShlBy => a.checked_shl(b as u32).unwrap_or(0),
        Code::ShrBy => a >> b.min(63),
        Code::ShrByUnsigned => (a as u64).checked_shr(b as u32).unwrap_or(0) as i64,
        _ => a,
    }
}

/// The low bits of a value, extended.
#[inline(always)]
pub(crate) fn wrapped(value: i64, signed: bool, unused: u8) -> i64 {
    if signed { value << unused >> unused } else { ((value as u64) << unused >> unused) as i64 }
}
