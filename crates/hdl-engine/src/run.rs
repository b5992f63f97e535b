//! The steps of a plan, and the loop over them.

use crate::layout::SLOTS;
use crate::program::{Code, compute, wrapped};

/// What a step does; `[x]` is a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Do {
    /// `[a]`.
    #[default]
    Move,
    /// `[a] << left >> right`, keeping the sign.
    Signed,
    /// The same with zeros from above.
    Unsigned,
    /// `[a] << left >> (right + [b])`, keeping the sign.
    SignedBy,
    /// The same, wrapped to a signed type of `64 - wide` bits; to `c` goes whether it did not fit.
    Narrowed,
    /// Bitwise.
    And,
    Or,
    Xor,
    /// `[a] + [b]`.
    Add,
    /// `[a] - [b]`.
    Sub,
    /// `[a] + [b]`, wrapped to a signed type of `64 - right` bits.
    AddWrapped,
    /// `[a] - [b]`, likewise.
    SubWrapped,
    Mul,
    Eq,
    Ne,
    /// `[b]` if bit `left` of `[a]` is set, else `[c]`.
    Mux,
    /// `[a] << left`, below it the low bits of `[b]`; `right` bits of the result are unused.
    Join,
    /// Word `[a]` of a memory or a table that begins at slot `wide`.
    Word,
    /// Word `[a] << left | [b]`.
    Word2,
    /// Word `([a] << left | [b]) << right | [c]`.
    Word3,
    /// The slot that such a word names.
    Choose,
    Choose2,
    Choose3,
    /// Word `[a]` of a memory behind the slots that a step can name: it begins at `c << 16 | b`.
    Far,
    /// Anything else with two operands; wrapped to a signed type if `left` is 1.
    Other,
}

/// One step: 16 bytes, so that counting the steps of a run is a shift.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub(crate) struct Step {
    pub(crate) left: u8,
    pub(crate) right: u8,
    pub(crate) a: u16,
    pub(crate) b: u16,
    pub(crate) c: u16,
    pub(crate) dst: u16,
    pub(crate) wide: u16,
}

/// Steps of the same kind.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) what: Do,
    /// What [`Do::Other`] stands for.
    pub(crate) code: Code,
    pub(crate) steps: Vec<Step>,
}

/// Runs the steps, all of a run in one short loop. As many slots as an index can name, so that no
/// access needs a check.
pub(crate) fn run(runs: &[Run], slots: &mut [i64; SLOTS], far: &[i64]) {
    for run in runs {
        let part = &run.steps[..];
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
        macro_rules! word {
            ($s:ident, $index:expr) => {
                slots[$s.wide.wrapping_add($index as u16) as usize]
            };
        }
        match run.what {
            Do::Move => each!(|s, a| a),
            Do::Signed => each!(|s, a| a << (s.left & 63) >> (s.right & 63)),
            Do::Unsigned => each!(|s, a| ((a as u64) << (s.left & 63) >> (s.right & 63)) as i64),
            Do::SignedBy => {
                each!(|s, a, b| a << (s.left & 63) >> ((i64::from(s.right) + b) & 63))
            }
            Do::Narrowed => each!(|s, a, b| {
                let value = a << (s.left & 63) >> ((i64::from(s.right) + b) & 63);
                let narrow = value << (s.wide & 63) >> (s.wide & 63);
                slots[s.c as usize] = i64::from(value != narrow);
                narrow
            }),
            Do::And => each!(|s, a, b| a & b),
            Do::Or => each!(|s, a, b| a | b),
            Do::Xor => each!(|s, a, b| a ^ b),
            Do::Add => each!(|s, a, b| a.wrapping_add(b)),
            Do::Sub => each!(|s, a, b| a.wrapping_sub(b)),
            Do::AddWrapped => each!(|s, a, b| signed(a.wrapping_add(b), s)),
            Do::SubWrapped => each!(|s, a, b| signed(a.wrapping_sub(b), s)),
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
            Do::Word => each!(|s, a| word!(s, a)),
            Do::Word2 => each!(|s, a, b| word!(s, a << (s.left & 63) | b)),
            Do::Word3 => each!(|s, a, b| {
                let c = slots[s.c as usize];
                word!(s, (a << (s.left & 63) | b) << (s.right & 63) | c)
            }),
            Do::Choose => each!(|s, a| slots[word!(s, a) as u16 as usize]),
            Do::Choose2 => {
                each!(|s, a, b| slots[word!(s, a << (s.left & 63) | b) as u16 as usize])
            }
            Do::Choose3 => each!(|s, a, b| {
                let c = slots[s.c as usize];
                slots[word!(s, (a << (s.left & 63) | b) << (s.right & 63) | c) as u16 as usize]
            }),
            Do::Far => each!(|s, a| {
                let begin = usize::from(s.c) << 16 | usize::from(s.b);
                far[begin + a as usize]
            }),
            Do::Other => {
                each!(|s, a, b| wrapped(compute(run.code, a, b), s.left == 1, s.right))
            }
        }
    }
}
