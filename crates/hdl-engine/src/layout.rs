//! Where a plan keeps registers and memories.
//!
//! A step names its slots by 16 bits, so the first 65,536 words hold all that steps read fast: the
//! registers, their next values, other signals, and from the top down memories and tables. An edge
//! is two moves of many words each. The first takes the next values of registers to the registers.
//! The second moves delay lines, registers that take over each other's values: a line lies behind
//! the slot of its next value, all lines lie behind each other, and all move up by one word.

use crate::graph::What;
use crate::program::Program;

/// As many slots as a step can name.
pub(crate) const SLOTS: usize = 1 << 16;
/// Memories of more words lie behind the slots that a step can name.
const NEAR: usize = 1 << 13;

/// Where everything lies.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// For each word of the machine without a plan, where it lies now.
    pub(crate) place: Vec<u32>,
    /// Registers in no line; as many words behind them are their next values.
    pub(crate) single: usize,
    /// The words of the delay lines, their next values among them.
    pub(crate) lines: (usize, usize),
    /// The first slot that nobody has, and the first one that a memory has.
    pub(crate) free: (usize, usize),
    /// Words in all.
    pub(crate) words: usize,
    /// Registers that take over what the one below them holds.
    pub(crate) follows: Vec<bool>,
}

impl Layout {
    /// The layout for registers whose next values are `next`; `memories` begin at these words and
    /// have so many.
    pub(crate) fn new(program: &Program, next: &[What], memories: &[(u32, usize)]) -> Layout {
        let regs = program.inits.len();
        let lines = delay_lines(next);
        let mut place = vec![0; program.slots.len()];
        let mut follows = vec![false; regs];
        let mut free = 0;
        let mut take = |place: &mut Vec<u32>, slot: usize| {
            place[slot] = free;
            free += 1;
        };
        let (single, long): (Vec<_>, Vec<_>) = lines.into_iter().partition(|l| l.len() == 1);
        single.iter().for_each(|line| take(&mut place, line[0]));
        single.iter().for_each(|line| take(&mut place, regs + line[0]));
        for line in &long {
            take(&mut place, regs + line[0]);
            line.iter().for_each(|&reg| take(&mut place, reg));
            line[1..].iter().for_each(|&reg| follows[reg] = true);
        }
        let others = (regs..2 * regs).filter(|&slot| follows[slot - regs]);
        others.chain(2 * regs..program.slots.len()).for_each(|slot| take(&mut place, slot));
        let begin = 2 * single.len();
        let words: usize = long.iter().map(|line| line.len() + 1).sum();
        let mut layout = Layout {
            place,
            single: single.len(),
            lines: (begin, begin + words),
            free: (free as usize, SLOTS),
            words: SLOTS,
            follows,
        };
        for &(begin, depth) in memories {
            let near = depth <= NEAR && layout.free.1 - depth >= SLOTS / 2;
            let at = match near.then(|| layout.room(depth)).flatten() {
                Some(at) => at.into(),
                None => {
                    layout.words += depth;
                    layout.words - depth
                }
            };
            layout.place.resize(begin as usize, 0);
            layout.place.extend((at..at + depth).map(|word| word as u32));
        }
        layout
    }

    /// A new slot.
    pub(crate) fn slot(&mut self) -> Option<u16> {
        let at = self.free.0;
        self.free.0 += 1;
        u16::try_from(at).ok().filter(|_| at < self.free.1)
    }

    /// The first of so many new words, from the top down.
    pub(crate) fn room(&mut self, words: usize) -> Option<u16> {
        let at = self.free.1.checked_sub(words).filter(|&at| at >= self.free.0)?;
        self.free.1 = at;
        u16::try_from(at).ok()
    }

    /// The next values become the values.
    #[inline]
    pub(crate) fn edge(&self, slots: &mut [i64]) {
        slots.copy_within(self.single..2 * self.single, 0);
        let (begin, end) = self.lines;
        if begin < end {
            slots.copy_within(begin..end - 1, begin + 1);
        }
    }
}

/// All registers, each line from its first register on.
fn delay_lines(next: &[What]) -> Vec<Vec<usize>> {
    let mut behind: Vec<Option<usize>> = vec![None; next.len()];
    let mut first = vec![true; next.len()];
    for (reg, what) in next.iter().enumerate() {
        if let What::Source(from) = *what
            && let Some(place) = behind.get_mut(from as usize)
            && place.is_none()
            && from as usize != reg
        {
            (*place, first[reg]) = (Some(reg), false);
        }
    }
    let mut seen = vec![false; next.len()];
    let mut line = |from: usize| {
        let mut line = Vec::new();
        let mut at = Some(from);
        while let Some(reg) = at.filter(|&reg| !seen[reg]) {
            seen[reg] = true;
            line.push(reg);
            at = behind[reg];
        }
        line
    };
    let begins = (0..next.len()).filter(|&reg| first[reg]);
    let mut lines: Vec<Vec<usize>> = begins.map(&mut line).collect();
    // What is left goes in a ring: any of its registers is as good a beginning.
    lines.extend((0..next.len()).map(&mut line).filter(|line| !line.is_empty()));
    lines
}
