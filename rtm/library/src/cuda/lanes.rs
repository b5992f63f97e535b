//! The two streams of a shot, and the order between them.
//!
//! Steps with absorbing layers run on the device's own stream, the main lane. What may go on beside
//! them runs on a second stream, the side lane: the source's way back, shells, the image, recorded
//! traces. So a kernel's last blocks, and kernels too small to fill the device, have company. Each
//! array remembers which work on each lane used it last; work that needs it waits for just that.
//!
//! Copies and fills are of the driver's default stream, which waits for both lanes and makes both
//! wait.

use std::cell::{Cell, RefCell};

use cust::function::Function;
use cust::stream::{Stream, StreamFlags};

use labkit::{After, GraphBuilder, LaunchGraph, Node};

use super::device::{Argument, Device, Extent, Kernels, Marker, addresses, graph_refused};
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

    /// Lets what changes the array next run on this lane.
    pub fn hand_to(&self, lane: Lane) {
        self.writer.set(lane);
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
    /// The graph that work becomes a part of, in place of being run.
    building: RefCell<Option<Building>>,
}

/// A graph in the making: what each lane has in it.
struct Building {
    graph: GraphBuilder,
    /// The last launch of each lane.
    last: [Option<Node>; 2],
    /// Launches of the other lane that the next one of each waits for.
    awaited: [Vec<Node>; 2],
    /// The last launch of each lane's work, by number.
    ends: [Vec<(u64, Option<Node>)>; 2],
}

/// Where a launch goes.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Stream(&'a Stream),
    Graph(&'a Lanes, Lane),
}

impl Place<'_> {
    /// Launches a kernel here. `early`: it is compiled with EARLY 1 where [`Device::starts_early`],
    /// and begins while the one in front of it ends.
    ///
    /// # Safety
    /// As [`Device::launch_on`], an early one as [`Device::launch_behind`]; in a graph each time
    /// that it is issued.
    pub unsafe fn launch(
        self,
        device: &Device,
        early: bool,
        kernels: &Kernels,
        name: &str,
        extent: Extent,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe {
            match self {
                Place::Stream(stream) if early => {
                    device.launch_behind(stream, kernels, name, extent, arguments)
                }
                Place::Stream(stream) => device.launch_on(stream, kernels, name, extent, arguments),
                Place::Graph(lanes, lane) => {
                    let function = kernels.function(name, extent.shared)?;
                    let early = early && device.starts_early();
                    lanes.add(lane as usize, early, &function, extent, arguments)
                }
            }
        }
    }
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
            building: RefCell::default(),
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
        if work <= self.seen[lane as usize].get() {
            return Ok(());
        }
        self.seen[lane as usize].set(work);
        match &mut *self.building.borrow_mut() {
            Some(building) => {
                let end = building.ends[lane.other()].iter().find(|(number, _)| *number == work);
                building.awaited[lane as usize].extend(end.and_then(|(_, node)| *node));
                Ok(())
            }
            None => self.marker(lane.other(), work).hold(self.stream(device, lane)),
        }
    }

    /// The place for work that reads and writes these arrays, behind all that it needs.
    pub fn begin<'a>(
        &'a self,
        device: &'a Device,
        lane: Lane,
        reads: &[&Uses],
        writes: &[&Uses],
    ) -> Result<Place<'a>> {
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
        Ok(match &*self.building.borrow() {
            Some(_) => Place::Graph(self, lane),
            None => Place::Stream(self.stream(device, lane)),
        })
    }

    /// Ends the work that `begin` began: others can wait for it from now on.
    pub fn end(&self, device: &Device, lane: Lane) -> Result<()> {
        let work = self.issued[lane as usize].get() + 1;
        self.issued[lane as usize].set(work);
        match &mut *self.building.borrow_mut() {
            Some(building) => {
                let last = building.last[lane as usize];
                building.ends[lane as usize].push((work, last));
                Ok(())
            }
            None => self.marker(lane as usize, work).set(self.stream(device, lane)),
        }
    }

    /// A graph of what `work` launches on both lanes, in place of running it; `None` if the driver
    /// makes none, or something is refused: it will be told when it is run without a graph.
    ///
    /// # Errors
    /// What the driver refuses before anything is added.
    pub fn graph_of(
        &self,
        device: &Device,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<Option<LaunchGraph>> {
        let Some(graph) = GraphBuilder::new() else { return Ok(None) };
        self.meet(device)?;
        let (last, awaited, ends) = Default::default();
        *self.building.borrow_mut() = Some(Building { graph, last, awaited, ends });
        let done = work();
        let built = self.building.take();
        self.all_is_seen();
        Ok(built.filter(|_| done.is_ok()).and_then(|building| building.graph.finish().ok()))
    }

    /// Adds a launch to the graph that is being built, behind the lane's last one.
    unsafe fn add(
        &self,
        lane: usize,
        early: bool,
        function: &Function<'_>,
        extent: Extent,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        let mut building = self.building.borrow_mut();
        let Some(building) = &mut *building else { return Ok(()) };
        let behind = if early { After::Early } else { After::End };
        let mut after: Vec<After> = building.awaited[lane].drain(..).map(After::End).collect();
        after.extend(building.last[lane].map(behind));
        let (function, mut arguments) = (function.to_raw().cast(), addresses(arguments));
        let (Extent { grid, block, shared }, arguments) = (extent, arguments.as_mut_ptr());
        // SAFETY: the caller's contract.
        let added =
            unsafe { building.graph.launch(function, grid, block, shared, arguments, &after) };
        building.last[lane] = Some(added.map_err(graph_refused)?);
        Ok(())
    }

    /// Issues a graph behind all work of both lanes, and makes both wait for it.
    pub fn issue(&self, device: &Device, graph: &LaunchGraph) -> Result<()> {
        self.join(device)?;
        // SAFETY: the arrays of the graph are the shot's, which keeps the graph.
        unsafe { device.issue(graph)? };
        self.fork(device)
    }

    /// Lets each lane wait for the other.
    fn meet(&self, device: &Device) -> Result<()> {
        self.join(device)?;
        self.fork(device)
    }

    /// Lets the side lane wait for all that the main lane was given.
    fn fork(&self, device: &Device) -> Result<()> {
        self.end(device, Lane::Main)?;
        self.wait(device, Lane::Side, self.issued[Lane::Main as usize].get())
    }

    /// Nobody waits for what was issued so far: it is over, or in front of both lanes.
    fn all_is_seen(&self) {
        for lane in [Lane::Main, Lane::Side] {
            self.seen[lane as usize].set(self.issued[lane.other()].get());
        }
    }

    /// Lets the main lane wait for the side lane.
    pub fn join(&self, device: &Device) -> Result<()> {
        self.wait(device, Lane::Main, self.issued[Lane::Side as usize].get())
    }
}
