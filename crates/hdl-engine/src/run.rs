//! The steps of a plan, and the loop over them.

use crate::program::{Code, Memory, compute, wrapped};

/// As many slots as a step can name.
pub(crate) const SLOTS: usize = 1 << 16;

/// What a step does; `[x]` is a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Do {
    /// `wide` slots from `a` on go to those from `dst` on.
    #[default]
    Move,
    /// `[a] << left >> right`, keeping the sign.
    Signed,
    /// The same with zeros from above.
    Unsigned,
    /// Bitwise.
    And,
    Or,
    Xor,
    /// `[a] + [b]`, wrapped to a signed type of `64 - right` bits.
    Add,
    /// `[a] - [b]`, likewise.
    Sub,
    Mul,
    Eq,
    Ne,
    /// `[b]` if bit `left` of `[a]` is set, else `[c]`.
    Mux,
    /// `[a] << left`, below it the low bits of `[b]`; `right` bits of the result are unused.
    Join,
    /// A word of the table that begins at `wide`: `([a] << left | [b]) << right | [c]`.
    Table,
    /// The slot that such a word names.
    Choose,
    /// `[a] >> [b]`, wrapped as a sum is.
    ShrBy,
    /// Word `[a]` of ROM `wide`.
    Rom,
    /// Word `[a]` of RAM `wide`.
    Ram,
    /// Anything else with two operands; wrapped to a signed type if `left` is 1.
    Other(Code),
}

/// One step: 16 bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    pub(crate) what: Do,
    pub(crate) left: u8,
    pub(crate) right: u8,
    pub(crate) a: u16,
    pub(crate) b: u16,
    pub(crate) c: u16,
    pub(crate) dst: u16,
    pub(crate) wide: u32,
}

/// Runs the steps, which come in runs of the same kind: all of a run go through one short loop. As
/// many slots as an index can name, so that no access needs a check.
pub(crate) fn run(
    runs: &[(Do, u32)],
    mut steps: &[Step],
    tables: &[i64],
    slots: &mut [i64; SLOTS],
    roms: &[Vec<i64>],
    rams: &[Memory],
) {
    for &(what, count) in runs {
        let Some((part, rest)) = steps.split_at_checked(count as usize) else { return };
        steps = rest;
        macro_rules! each {
            (|$s:ident, $a:ident| $value:expr) => {
                for $s in part {
                    let $a = slots[$s.a as usize];
                    slots[$s.dst as usize] = $value;
                }
            };
            (|$s:ident, $a:ident, $b:ident| $value:expr) => {
                each!(|$s, $a| {
                    let $b = slots[$s.b as usize];
                    $value
                })
            };
        }
        let signed = |v: i64, s: &Step| v << (s.right & 63) >> (s.right & 63);
        match what {
            Do::Move => {
                for s in part {
                    let mut to = s.dst;
                    for from in s.a..s.a.saturating_add(s.wide as u16) {
                        slots[to as usize] = slots[from as usize];
                        to = to.wrapping_add(1);
                    }
                }
            }
            Do::Signed => each!(|s, a| a << (s.left & 63) >> (s.right & 63)),
            Do::Unsigned => each!(|s, a| ((a as u64) << (s.left & 63) >> (s.right & 63)) as i64),
            Do::And => each!(|s, a, b| a & b),
            Do::Or => each!(|s, a, b| a | b),
            Do::Xor => each!(|s, a, b| a ^ b),
            Do::Add => each!(|s, a, b| signed(a.wrapping_add(b), s)),
            Do::Sub => each!(|s, a, b| signed(a.wrapping_sub(b), s)),
            Do::Mul => each!(|s, a, b| a.wrapping_mul(b)),
            Do::Eq => each!(|s, a, b| i64::from(a == b)),
            Do::Ne => each!(|s, a, b| i64::from(a != b)),
            Do::Mux => each!(|s, a, b| {
                let c = slots[s.c as usize];
                c ^ (b ^ c) & (a >> (s.left & 63) & 1).wrapping_neg()
            }),
            Do::Join => each!(|s, a, b| {
                let (by, below) = (s.left & 63, 64u8.wrapping_sub(s.left) & 63);
                let low = (b as u64) << below >> below;
                (((a << by) as u64 | low) << (s.right & 63) >> (s.right & 63)) as i64
            }),
            Do::Table => each!(|s, a, b| {
                let index = (a << (s.left & 63) | b) << (s.right & 63) | slots[s.c as usize];
                tables[s.wide as usize + index as usize]
            }),
            Do::Choose => each!(|s, a, b| {
                let index = (a << (s.left & 63) | b) << (s.right & 63) | slots[s.c as usize];
                slots[tables[s.wide as usize + index as usize] as u16 as usize]
            }),
            Do::ShrBy => each!(|s, a, b| signed(a >> b.min(63), s)),
            Do::Rom => each!(|s, a| roms[s.wide as usize][a as usize]),
            Do::Ram => each!(|s, a| rams[s.wide as usize].words[a as usize]),
            Do::Other(code) => {
                each!(|s, a, b| wrapped(compute(code, a, b), s.left == 1, s.right))
            }
        }
    }
}
