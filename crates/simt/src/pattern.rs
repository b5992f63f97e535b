//! Which lanes of a warp touch which sectors or banks: the costliest request of each source line,
//! as a picture.
//!
//! [`crate::exec::patterns`] runs a launch and keeps, for every source line and kind of request,
//! the request that cost most. [`Pattern::text`] draws it for a terminal, [`Pattern::svg`] for a
//! page. In a grading check nothing has to be asked for: `grading::expect::count` and `at_most`
//! attach the picture of the worst line to their finding.
//!
//! ```text
//! mmt2.cu:21 | ATs[tx][ty] = A[iAT + ty * n + tx];
//! store to ATs by warp 0 of block (0,0,0): 8 wavefronts, 1 would do
//!   bank     0  1  2  3  4 ...
//!   pass 1   0 16  .  .  . ...
//!   pass 2   2 18  .  .  . ...
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::exec::{Lanes, wavefronts};
use crate::order;
use crate::source::Location;

/// Memories whose requests have a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Global memory: the cost is sectors of 32 bytes.
    Global,
    /// Shared memory: the cost is wavefronts, passes through the 32 banks.
    Shared,
    /// Constant memory: the cost is passes, one for each distinct word.
    Constant,
}

/// The costliest request of a source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Where the access stands.
    pub at: Location,
    /// Text of the line.
    pub line_text: String,
    /// Memory.
    pub space: MemoryKind,
    /// A store.
    pub write: bool,
    /// Buffer or variable.
    pub name: String,
    /// Bytes per lane.
    pub size: u32,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Number of the warp in its block.
    pub warp: u32,
    /// Lane and byte offset from the start of the buffer or variable, active lanes in order.
    pub lanes: Vec<(u32, i64)>,
    /// Address of the buffer's first byte (of the variable's, in the block's shared memory).
    pub base: u64,
    /// Sectors, wavefronts or passes of this request.
    pub cost: u64,
    /// The least that so many bytes need.
    pub best: u64,
    /// Requests of the line to this memory.
    pub requests: u64,
    /// Their cost in sum.
    pub total: u64,
}

/// A request as a table: what its pictures show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Texts above the columns: the banks; none for sectors.
    pub head: Vec<String>,
    /// Label, and for each column the lanes that are there.
    pub rows: Vec<(String, Vec<Vec<u32>>)>,
}

/// Rows that a picture shows; the others are counted.
pub const SHOWN: usize = 32;

impl Pattern {
    /// Fills in `cost` and `best` from the lanes.
    pub(crate) fn priced(mut self) -> Pattern {
        let addresses: Vec<(u32, u64)> =
            self.lanes.iter().map(|(l, at)| (*l, self.base.wrapping_add_signed(*at))).collect();
        (self.cost, self.best) = lanes_cost(self.space, &addresses, self.size, self.write);
        self
    }

    /// The picture and what it says, some lines of at most 110 characters.
    pub fn text(&self) -> String {
        let grid = self.grid();
        let mut out = format!("{} | {}\n{}\n", self.at, self.line_text.trim(), self.sentence());
        let label = grid.rows.iter().map(|(l, _)| l.len()).max().unwrap_or(0).max(4);
        if !grid.head.is_empty() {
            let cells: String = grid.head.iter().map(|h| format!("{h:>3}")).collect();
            let _ = writeln!(out, "  {:<label$}{cells}", "bank");
        }
        for (name, cells) in grid.rows.iter().take(SHOWN) {
            let cells: String = cells.iter().map(|lanes| format!("{:>3}", cell(lanes))).collect();
            let _ = writeln!(out, "  {name:<label$}{cells}");
        }
        if grid.rows.len() > SHOWN {
            let _ = writeln!(out, "  ... and {} more", grid.rows.len() - SHOWN);
        }
        out
    }

    /// What the picture shows, in one sentence.
    pub fn sentence(&self) -> String {
        let (verb, unit) = match (self.space, self.write) {
            (MemoryKind::Global, false) => ("load of", "sector"),
            (MemoryKind::Global, true) => ("store to", "sector"),
            (MemoryKind::Shared, false) => ("load of", "wavefront"),
            (MemoryKind::Shared, true) => ("store to", "wavefront"),
            (MemoryKind::Constant, _) => ("load of", "pass"),
        };
        let plural = match (self.cost, unit) {
            (1, _) => unit.to_string(),
            (_, "pass") => "passes".to_string(),
            _ => format!("{unit}s"),
        };
        let [x, y, z] = self.block;
        let comment = if self.cost > self.best {
            format!(", {} would do", self.best)
        } else {
            ", as few as can be".to_string()
        };
        format!(
            "{verb} {} by warp {} of block ({x},{y},{z}), {} lanes of {} bytes: {} \
             {plural}{comment}",
            self.name,
            self.warp,
            self.lanes.len(),
            self.size,
            self.cost
        )
    }

    fn index(&self, address: u64) -> i64 {
        address.wrapping_sub(self.base) as i64 / i64::from(self.size.max(1))
    }

    /// A row for each sector, pass or word, in the order of the lanes that want it first.
    pub fn grid(&self) -> Grid {
        match self.space {
            MemoryKind::Global => self.sectors(),
            MemoryKind::Shared => self.banks(),
            MemoryKind::Constant => self.words(),
        }
    }

    fn addresses(&self) -> impl Iterator<Item = (u32, u64)> {
        self.lanes.iter().map(|(lane, at)| (*lane, self.base.wrapping_add_signed(*at)))
    }

    /// A row for each sector, a column for each element in it.
    fn sectors(&self) -> Grid {
        let size = u64::from(self.size.clamp(1, 32));
        let columns = (32 / size) as usize;
        let mut rows: Vec<(u64, Vec<Vec<u32>>)> = Vec::new();
        for (lane, address) in self.addresses() {
            let sector = address / 32;
            let column = (address % 32 / size) as usize;
            let row = match rows.iter().position(|(s, _)| *s == sector) {
                Some(row) => row,
                None => {
                    rows.push((sector, vec![Vec::new(); columns]));
                    rows.len() - 1
                }
            };
            rows[row].1[column].push(lane);
        }
        let label = |sector: u64| {
            let from = self.index(32 * sector);
            format!("{}[{from}..{}] ", self.name, from + columns as i64 - 1)
        };
        let rows = rows.into_iter().map(|(sector, cells)| (label(sector), cells)).collect();
        Grid { head: Vec::new(), rows }
    }

    /// A row for each pass, a column for each bank.
    fn banks(&self) -> Grid {
        let group = match self.size {
            ..=4 => 32,
            8 => 16,
            _ => 8,
        };
        let mut rows = Vec::new();
        for first in (0..32).step_by(group as usize) {
            // Distinct words of each bank, with the lanes that want them.
            let mut banks: Vec<Vec<(u64, Vec<u32>)>> = vec![Vec::new(); 32];
            for (lane, address) in
                self.addresses().filter(|(l, _)| (first..first + group).contains(l))
            {
                for word in address / 4..=(address + u64::from(self.size.max(1)) - 1) / 4 {
                    let bank = &mut banks[(word % 32) as usize];
                    match bank.iter_mut().find(|(w, _)| *w == word) {
                        Some((_, lanes)) => lanes.push(lane),
                        None => bank.push((word, vec![lane])),
                    }
                }
            }
            let passes = banks.iter().map(Vec::len).max().unwrap_or(0);
            for pass in 0..passes {
                let cells = banks.iter().map(|b| b.get(pass).map_or(Vec::new(), |w| w.1.clone()));
                rows.push((format!("pass {}", rows.len() + 1), cells.collect()));
            }
        }
        Grid { head: (0..32).map(|b| b.to_string()).collect(), rows }
    }

    /// A row for each distinct word.
    fn words(&self) -> Grid {
        let mut rows: Vec<(u64, Vec<u32>)> = Vec::new();
        for (lane, address) in self.addresses() {
            match rows.iter_mut().find(|(a, _)| *a == address) {
                Some((_, lanes)) => lanes.push(lane),
                None => rows.push((address, vec![lane])),
            }
        }
        let row = |(address, lanes): (u64, Vec<u32>)| {
            (format!("{}[{}]", self.name, self.index(address)), vec![lanes])
        };
        Grid { head: Vec::new(), rows: rows.into_iter().map(row).collect() }
    }
}

/// Cost of a request in its unit, and the least that its bytes need. Addresses are those of the
/// memory.
pub(crate) fn lanes_cost(
    space: MemoryKind,
    lanes: &[(u32, u64)],
    size: u32,
    write: bool,
) -> (u64, u64) {
    let different = |mut list: Vec<u64>| {
        // Of a row they are in order.
        if !list.is_sorted() {
            order::sort(&mut list);
        }
        list.dedup();
        list.len() as u64
    };
    let distinct = |unit: u64| {
        let last = u64::from(size.max(1)) - 1;
        different(lanes.iter().flat_map(|(_, a)| a / unit..=(a + last) / unit).collect())
    };
    match space {
        MemoryKind::Global => {
            let starts = different(lanes.iter().map(|(_, a)| *a).collect());
            let bytes = starts * u64::from(size);
            (distinct(32), bytes.div_ceil(32).max(1))
        }
        MemoryKind::Shared => {
            let mut offsets: Lanes = [0; 32];
            let mut mask = 0;
            for (lane, at) in lanes {
                offsets[*lane as usize] = *at;
                mask |= 1u32 << lane;
            }
            let group = match size {
                ..=4 => 32,
                8 => 16,
                _ => 8,
            };
            let groups =
                (0..32 / group).filter(|g| lanes.iter().any(|(l, _)| l / group == *g)).count();
            let cost = wavefronts(&offsets, mask, size, write);
            (cost, cost.min(groups as u64))
        }
        MemoryKind::Constant => (distinct(4) / u64::from(size.div_ceil(4).max(1)), 1),
    }
}

/// What was noted so far: by line, memory and direction.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub found: BTreeMap<(u32, u8, bool), Pattern>,
}

/// The lanes of a cell in three characters.
pub fn cell(lanes: &[u32]) -> String {
    match lanes {
        [] => ".".into(),
        [lane] => lane.to_string(),
        [lane, ..] => format!("{lane}+"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(space: MemoryKind, size: u32, at: impl Fn(u32) -> i64) -> Pattern {
        Pattern {
            at: Location { file: "k.cu".into(), line: 3, col: 5 },
            line_text: "    x = a[i<1];".into(),
            space,
            write: false,
            name: "a".into(),
            size,
            block: [0; 3],
            warp: 0,
            lanes: (0..32).map(|l| (l, at(l))).collect(),
            base: 512,
            cost: 0,
            best: 0,
            requests: 1,
            total: 0,
        }
        .priced()
    }

    #[test]
    fn sectors_are_rows_with_the_lanes_in_them() {
        let shifted = pattern(MemoryKind::Global, 4, |l| 4 * i64::from(l) + 4);
        assert_eq!((shifted.cost, shifted.best), (5, 4));
        let text = shifted.text();
        assert!(text.contains("5 sectors, 4 would do"), "{text}");
        assert!(text.contains("a[0..7]     .  0  1  2  3  4  5  6"), "{text}");
        assert!(text.contains("a[32..39]  31  .  ."), "{text}");
        let strided = pattern(MemoryKind::Global, 8, |l| 800 * i64::from(l));
        assert_eq!((strided.cost, strided.best), (32, 8));
        let same = pattern(MemoryKind::Global, 4, |_| 40);
        assert_eq!((same.cost, same.best), (1, 1));
        assert!(same.text().contains("as few as can be") && same.text().contains("  . 0+"));
        let before = pattern(MemoryKind::Global, 4, |l| 4 * i64::from(l) - 8);
        assert!(before.text().contains("a[-8..-1]"), "{}", before.text());
    }

    #[test]
    fn passes_are_rows_with_a_column_for_each_bank() {
        // Column tx of a 16 x 16 tile of words: 8 words in each of four banks.
        let tile = pattern(MemoryKind::Shared, 4, |l| 4 * i64::from(16 * (l % 16) + l / 16));
        assert_eq!((tile.cost, tile.best), (8, 1));
        let text = tile.text();
        assert!(text.contains("pass 1  0 16") && text.contains("pass 8 14 30"), "{text}");
        assert!(text.contains("bank    0  1  2"), "{text}");
        let doubles = pattern(MemoryKind::Shared, 8, |l| 8 * i64::from(l));
        assert_eq!((doubles.cost, doubles.best), (2, 2));
        assert_eq!(pattern(MemoryKind::Shared, 4, |_| 4).cost, 1);
        assert!(text.lines().all(|l| l.len() <= 110));
    }

    #[test]
    fn constant_words_are_passes() {
        let each = pattern(MemoryKind::Constant, 4, |l| 4 * i64::from(l));
        assert_eq!((each.cost, each.best), (32, 1));
        assert!(each.text().contains("32 passes, 1 would do"), "{}", each.text());
        assert!(each.text().contains("a[31]"));
    }
}
