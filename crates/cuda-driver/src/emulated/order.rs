//! What happens before what: vector clocks over streams, and the check that streams touch memory in
//! an order.
//!
//! Work of one stream is in order. Across streams there is an order only where an event, a
//! synchronisation, or the legacy default stream makes one. The host is one more clock: what the
//! program has waited for. A query or an elapsed time asks that clock; an access to memory asks
//! whether earlier accesses of other streams lie before it.

use std::collections::BTreeMap;
use std::ops::Range;

/// For each stream (by handle; 0 is the default stream) how many of its operations lie before some
/// point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Order(BTreeMap<usize, u64>);

impl Order {
    /// Adds everything that lies before `other`.
    pub fn join(&mut self, other: &Order) {
        for (stream, count) in &other.0 {
            let mine = self.0.entry(*stream).or_default();
            *mine = (*mine).max(*count);
        }
    }

    /// The next operation of `stream` happens; returns its number.
    pub fn step(&mut self, stream: usize) -> u64 {
        let count = self.0.entry(stream).or_default();
        *count += 1;
        *count
    }

    /// True if operation `number` of `stream` lies before this point.
    pub fn has(&self, stream: usize, number: u64) -> bool {
        self.0.get(&stream).is_some_and(|count| *count >= number)
    }
}

/// Which bytes of an allocation an operation touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Exactly these.
    Bytes(Range<u64>),
    /// These, which rise and do not meet: what a kernel touched.
    Parts(Vec<Range<u64>>),
    /// Some of the allocation's `size` bytes: all that is known of a kernel whose accesses were not
    /// followed.
    Some { size: u64 },
}

impl Extent {
    /// True if both touch a common byte for sure. Kernels of several streams often work on parts of
    /// one buffer, so what is not sure is not called a collision.
    fn meets(&self, other: &Extent) -> bool {
        match (self, other) {
            (Extent::Bytes(a), Extent::Bytes(b)) => a.start < b.end && b.start < a.end,
            (Extent::Bytes(a), Extent::Some { size })
            | (Extent::Some { size }, Extent::Bytes(a)) => *a == (0..*size),
            (Extent::Bytes(a), Extent::Parts(parts)) | (Extent::Parts(parts), Extent::Bytes(a)) => {
                meet(std::slice::from_ref(a), parts)
            }
            (Extent::Parts(a), Extent::Parts(b)) => meet(a, b),
            (Extent::Some { .. }, _) | (_, Extent::Some { .. }) => false,
        }
    }

    /// True if whatever meets `other` meets `self` too.
    fn covers(&self, other: &Extent) -> bool {
        match (self, other) {
            (Extent::Bytes(a), Extent::Bytes(b)) => a.start <= b.start && b.end <= a.end,
            (a, b) => a == b,
        }
    }
}

/// True if a range of one list and one of the other have a byte in common. Both rise.
fn meet(a: &[Range<u64>], b: &[Range<u64>]) -> bool {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        if x.start < y.end && y.start < x.end {
            return true;
        }
        if x.end <= y.end {
            a.next();
        } else {
            b.next();
        }
    }
    false
}

/// One operation that touched an allocation.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub stream: usize,
    /// Number of the operation in its stream.
    pub number: u64,
    pub writes: bool,
    pub extent: Extent,
    /// What did it, such as ``kernel `add` ``.
    pub what: String,
}

/// Accesses that the host has not waited for yet.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Vec<Access>);

/// More accesses of one allocation than this, all still running, tell nothing new.
const KEPT: usize = 256;

impl History {
    /// Adds `access`, which happens at the point `now`. Returns an earlier access of another stream
    /// with which it collides in no order.
    pub fn add(&mut self, access: Access, now: &Order, host: &Order) -> Option<Access> {
        self.0.retain(|old| !host.has(old.stream, old.number));
        let collision = self.0.iter().find(|old| {
            (old.writes || access.writes)
                && old.extent.meets(&access.extent)
                && !now.has(old.stream, old.number)
        });
        let collision = collision.cloned();
        // A later access of the same kind by the same stream to the same bytes replaces the earlier
        // one.
        self.0.retain(|old| {
            !(old.stream == access.stream
                && old.writes == access.writes
                && access.extent.covers(&old.extent))
        });
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push(access);
        collision
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(stream: usize, number: u64, writes: bool, range: Range<u64>) -> Access {
        access_of(stream, number, writes, Extent::Bytes(range))
    }

    fn access_of(stream: usize, number: u64, writes: bool, extent: Extent) -> Access {
        Access { stream, number, writes, extent, what: format!("{stream}.{number}") }
    }

    #[test]
    fn a_kernel_collides_with_copies_of_the_whole_only() {
        let (mut one, mut two) = (Order::default(), Order::default());
        let host = Order::default();
        let mut history = History::default();
        let (a, b) = (one.step(1), two.step(2));
        let kernel = Extent::Some { size: 16 };
        assert!(history.add(access_of(1, a, true, kernel.clone()), &one, &host).is_none());
        let part = access(2, b, false, 0..8);
        assert!(history.clone().add(part, &two, &host).is_none());
        let other = access_of(2, b, true, kernel);
        assert!(history.clone().add(other, &two, &host).is_none());
        let whole = access(2, b, false, 0..16);
        assert_eq!(history.add(whole, &two, &host).unwrap().what, "1.1");
    }

    #[test]
    fn a_collision_needs_a_write_an_overlap_and_no_order() {
        let host = Order::default();
        let mut one = Order::default();
        let mut two = Order::default();
        let mut history = History::default();
        let n = one.step(1);
        assert!(history.add(access(1, n, true, 0..8), &one, &host).is_none());
        // Other bytes: fine. The same bytes: collision, also for a read.
        let n = two.step(2);
        assert!(history.clone().add(access(2, n, true, 8..16), &two, &host).is_none());
        let found = history.clone().add(access(2, n, false, 4..12), &two, &host);
        assert_eq!(found.unwrap().what, "1.1");
        // After an event of stream 1: fine.
        two.join(&one);
        let n = two.step(2);
        assert!(history.add(access(2, n, true, 0..8), &two, &host).is_none());
    }

    #[test]
    fn what_the_host_waited_for_collides_with_nothing() {
        let mut one = Order::default();
        let mut history = History::default();
        let n = one.step(1);
        history.add(access(1, n, true, 0..8), &one, &Order::default());
        let host = one.clone();
        let mut two = host.clone();
        let n = two.step(2);
        assert!(history.add(access(2, n, true, 0..8), &two, &host).is_none());
        assert_eq!(history.0.len(), 1);
    }

    #[test]
    fn kernels_collide_where_both_touch_a_byte() {
        let (mut one, mut two) = (Order::default(), Order::default());
        let host = Order::default();
        let mut history = History::default();
        let (a, b) = (one.step(1), two.step(2));
        let even = Extent::Parts(vec![0..4, 8..12, 16..20]);
        let odd = Extent::Parts(vec![4..8, 12..16]);
        let last = Extent::Parts(vec![6..8, 18..19]);
        assert!(history.add(access_of(1, a, true, even), &one, &host).is_none());
        assert!(history.clone().add(access_of(2, b, true, odd), &two, &host).is_none());
        assert!(history.clone().add(access(2, b, false, 12..16), &two, &host).is_none());
        assert!(history.clone().add(access(2, b, false, 10..16), &two, &host).is_some());
        assert!(history.add(access_of(2, b, false, last), &two, &host).is_some());
    }

    #[test]
    fn two_readers_never_collide() {
        let (mut one, mut two) = (Order::default(), Order::default());
        let mut history = History::default();
        let (a, b) = (one.step(1), two.step(2));
        assert!(history.add(access(1, a, false, 0..8), &one, &Order::default()).is_none());
        assert!(history.add(access(2, b, false, 0..8), &two, &Order::default()).is_none());
    }
}
