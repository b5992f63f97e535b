//! The list of reads of shared memory that are not noted yet ([`super::put_off`]).

/// Granules of a stretch.
pub(super) const STRETCH: usize = 32;
/// Reads that are put off at most; then they are noted.
pub(super) const MOST: usize = 1 << 13;

/// The list, and when each stretch was touched last.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    pub(super) reads: Vec<Read>,
    /// Granules of the lanes of those reads that are no groups.
    pub(super) lanes: Vec<[u32; 32]>,
    /// By stretch: stamps of the last read and the last write.
    pub(super) read: Vec<u32>,
    pub(super) wrote: Vec<u32>,
}

/// A read, or several in a row that differ by one distance: of granules, as [`Groups`] are of
/// bytes.
///
/// [`Groups`]: crate::exec::shape::Groups
#[derive(Debug)]
pub(super) struct Read {
    /// Of lanes that are no groups, the first number is an index into [`Deferred::lanes`].
    pub(super) starts: [u32; 4],
    pub(super) step: Step,
    pub(super) mask: u32,
    /// Granules of each lane.
    pub(super) count: u32,
    pub(super) warp: u32,
    pub(super) pc: u32,
    pub(super) now: u32,
    pub(super) sync_stamp: u32,
    /// How many they are.
    pub(super) times: u32,
    /// From one to the next: of the granules, and of the instructions.
    pub(super) apart: [u32; 2],
}

impl Read {
    /// Takes `next` in, if it goes on as these reads do: the loops of filters make thousands.
    #[inline(always)]
    pub fn goes_on(&mut self, next: &Read) -> bool {
        let same = (self.mask, self.warp, self.step, self.count, self.now, self.sync_stamp)
            == (next.mask, next.warp, next.step, next.count, next.now, next.sync_stamp);
        if !same || self.step == Step::Lanes {
            return false;
        }
        let [granules, pc] = match self.times {
            1 => [next.starts[0].wrapping_sub(self.starts[0]), next.pc.wrapping_sub(self.pc)],
            _ => self.apart,
        };
        let further = granules.wrapping_mul(self.times);
        let ([a, b, c, d], [e, f, g, h]) = (self.starts, next.starts);
        let off = |start: u32, next: u32| start.wrapping_add(further) ^ next;
        let goes_on = self.pc.wrapping_add(pc.wrapping_mul(self.times)) == next.pc
            && off(a, e) | off(b, f) | off(c, g) | off(d, h) == 0;
        if goes_on {
            self.apart = [granules, pc];
            self.times += 1;
        }
        goes_on
    }

    /// Where each of them begins, and its instruction.
    pub fn each(&self) -> impl Iterator<Item = ([u32; 4], usize)> {
        (0..self.times).map(|k| {
            let [further, pc_further] = self.apart.map(|d| d.wrapping_mul(k));
            let starts = self.starts.map(|start| start.wrapping_add(further));
            (starts, self.pc.wrapping_add(pc_further) as usize)
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Same,
    Row,
    Lanes,
}

impl Deferred {
    /// For so many granules.
    pub fn new(granules: usize) -> Deferred {
        let stretches = granules.div_ceil(STRETCH);
        Deferred { read: vec![0; stretches], wrote: vec![0; stretches], ..Deferred::default() }
    }

    /// Stamps begin anew.
    pub fn reset(&mut self) {
        self.read.fill(0);
        self.wrote.fill(0);
    }

    /// Nothing that was read matters any more.
    #[inline(always)]
    pub fn drop_all(&mut self) {
        self.reads.clear();
        self.lanes.clear();
    }
}

/// The stretches of `n` granules from `g` on.
#[inline(always)]
pub(super) fn stretches(g: usize, n: usize) -> std::ops::RangeInclusive<usize> {
    g / STRETCH..=(g + n - 1) / STRETCH
}
