//! The two streams of a shot, and the order between them.
//!
//! Steps with absorbing layers run on the device's own stream, the main lane. What may go on beside
//! them runs on a second stream, the side lane: the source's way back, shells, the image, recorded
//! traces. So a kernel's last blocks, and kernels too small to fill the device, have company. Each
//! array remembers which work on each lane used it last; work that needs it waits for just that.
//!
//! Copies and fills are of the driver's default stream, which waits for both lanes and makes both
//! wait.

use std::cell::Cell;

use cust::stream::{Stream, StreamFlags};

use super::device::{Device, Marker};
use crate::Result;

/// A stream of the shot's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Lane {
    /// The device's own stream.
    #[default]
    Main,
    /// The second one.
    Side,
}

impl Lane {
    fn other(self) -> usize {
        1 - self as usize
    }
}

/// Which work used an array last, on each lane, by number; 0: none.
#[derive(Debug, Default)]
pub(super) struct Uses {
    written: [Cell<u64>; 2],
    read: [Cell<u64>; 2],
    writer: Cell<Lane>,
}

impl Uses {
    /// Where it was written last.
    pub fn writer(&self) -> Lane {
        self.writer.get()
    }
}

/// Markers kept for each lane. Work older than that is waited for by way of younger work.
const MARKERS: usize = 64;

/// Both lanes.
pub(super) struct Lanes {
    side: Stream,
    markers: [Vec<Marker>; 2],
    /// Work issued so far.
    issued: [Cell<u64>; 2],
    /// What each lane has waited for of the other's.
    seen: [Cell<u64>; 2],
}

impl Lanes {
    /// A second stream beside the device's.
    pub fn new() -> Result<Lanes> {
        let markers = || (0..MARKERS).map(|_| Marker::new()).collect::<Result<_>>();
        Ok(Lanes {
            side: Stream::new(StreamFlags::DEFAULT, None)?,
            markers: [markers()?, markers()?],
            issued: Default::default(),
            seen: Default::default(),
        })
    }

    fn stream<'a>(&'a self, device: &'a Device, lane: Lane) -> &'a Stream {
        match lane {
            Lane::Main => device.lab().stream(),
            Lane::Side => &self.side,
        }
    }

    fn marker(&self, lane: usize, work: u64) -> &Marker {
        &self.markers[lane][work as usize % MARKERS]
    }

    /// Lets `lane` wait for the other's work up to this number.
    fn wait(&self, device: &Device, lane: Lane, work: u64) -> Result<()> {
        if work > self.seen[lane as usize].get() {
            self.marker(lane.other(), work).hold(self.stream(device, lane))?;
            self.seen[lane as usize].set(work);
        }
        Ok(())
    }

    /// The stream for work that reads and writes these arrays, behind all that it needs.
    pub fn begin<'a>(
        &'a self,
        device: &'a Device,
        lane: Lane,
        reads: &[&Uses],
        writes: &[&Uses],
    ) -> Result<&'a Stream> {
        let (own, other) = (lane as usize, lane.other());
        let work = self.issued[own].get() + 1;
        let needed = reads.iter().chain(writes).map(|u| u.written[other].get());
        let needed = needed.chain(writes.iter().map(|u| u.read[other].get())).max().unwrap_or(0);
        self.wait(device, lane, needed)?;
        reads.iter().for_each(|u| u.read[own].set(work));
        for uses in writes {
            uses.written[own].set(work);
            uses.writer.set(lane);
        }
        Ok(self.stream(device, lane))
    }

    /// Ends the work that `begin` began: others can wait for it from now on.
    pub fn end(&self, device: &Device, lane: Lane) -> Result<()> {
        let work = self.issued[lane as usize].get() + 1;
        self.marker(lane as usize, work).set(self.stream(device, lane))?;
        self.issued[lane as usize].set(work);
        Ok(())
    }

    /// Lets the main lane wait for the side lane.
    pub fn join(&self, device: &Device) -> Result<()> {
        self.wait(device, Lane::Main, self.issued[Lane::Side as usize].get())
    }
}
