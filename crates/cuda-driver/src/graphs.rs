//! Launches that are gathered once and then issued as a whole, as a graph of the driver's: for a
//! device that is done with a launch sooner than the host with the next one. cust 0.3.2 knows
//! graphs without [early launches](crate::launch_early). Nothing is captured from streams: while a
//! capture goes on, no other thread may use the driver's default stream.

use std::fmt;
use std::os::raw::c_void;
use std::ptr::{null, null_mut};

use emulation::Symbol;
use emulation::backend::{Chosen, chosen};
use emulation::calls;

use crate::abi::Handle;
use crate::arguments::read;
use crate::{api, code, emulated, names};

/// A launch in a graph, for those that come after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(usize);

/// When a launch may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// When this one has ended.
    End(Node),
    /// When all blocks of this one have executed `griddepcontrol.launch_dependents` or ended, as
    /// [`launch_early`](crate::launch_early) says.
    Early(Node),
}

/// `CUgraphEdgeData`.
#[repr(C)]
struct Edge {
    from_port: u8,
    to_port: u8,
    kind: u8,
    unused: [u8; 5],
}

/// `CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC` and `CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC`.
const EARLY: Edge = Edge { from_port: 1, to_port: 0, kind: 1, unused: [0; 5] };
const WHOLE: Edge = Edge { from_port: 0, to_port: 0, kind: 0, unused: [0; 5] };

/// `CUgraphNodeParams` of a kernel (kind 0).
#[repr(C)]
struct Launch {
    kind: u32,
    unused: [u32; 3],
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
    kernel: Handle,
    context: Handle,
    rest: [u64; 21],
}

const _: () = assert!(size_of::<Launch>() == 256);

/// The address of a function of the real driver, if it has one of that name.
macro_rules! of_driver {
    ($name:literal as fn($($argument:ty),*)) => {{
        static SYMBOL: Symbol = Symbol::new(concat!($name, "\0"));
        type Function = unsafe extern "C" fn($($argument),*) -> u32;
        let found = match chosen() {
            Chosen::Real(library) => SYMBOL.address(library),
            _ => None,
        };
        // SAFETY: the driver's function of this name has this signature.
        found.map(|address| unsafe { std::mem::transmute::<_, Function>(address) })
    }};
}

/// A launch as the emulated device keeps it.
#[derive(Debug)]
struct Kept {
    function: usize,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    arguments: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum Parts {
    /// `CUgraph`, while it is built.
    Driver(Handle),
    /// `CUgraphExec`.
    Ready(Handle),
    /// The emulated device does one thing at a time.
    Emulated(Vec<Kept>),
}

/// A graph in the making.
#[derive(Debug)]
pub struct GraphBuilder(Parts);

impl GraphBuilder {
    /// A graph without launches; `None` if the driver has no graphs of this kind (they came with
    /// CUDA 12.3), or the calls of a GPU's driver are logged, each launch by itself.
    pub fn new() -> Option<GraphBuilder> {
        if matches!(chosen(), Chosen::Emulated) {
            return Some(GraphBuilder(Parts::Emulated(Vec::new())));
        }
        if calls::are_kept() {
            return None;
        }
        let create = of_driver!("cuGraphCreate" as fn(*mut Handle, u32))?;
        let mut graph = null_mut();
        // SAFETY: the out-pointer is ours.
        let made = unsafe { create(&mut graph, 0) };
        (made == code::SUCCESS).then_some(GraphBuilder(Parts::Driver(graph)))
    }

    /// Adds a launch behind others; the driver's code if it refuses.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Safety
    /// As for `cuLaunchKernel`, each time that the graph is issued; and as for
    /// [`launch_early`](crate::launch_early) where it may begin early. The arguments are copied.
    pub unsafe fn launch(
        &mut self,
        function: Handle,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        params: *mut *mut c_void,
        after: &[After],
    ) -> Result<Node, u32> {
        let graph = match &mut self.0 {
            Parts::Driver(graph) | Parts::Ready(graph) => *graph,
            Parts::Emulated(launches) => {
                let slots = emulated::parameter_slots(function);
                let kernel = names::kernel_name(function as usize);
                // SAFETY: the caller's contract.
                let arguments = unsafe { read(&kernel, &slots, params, null_mut()) };
                let arguments = arguments.map_err(|failure| failure.code)?;
                let function = function as usize;
                launches.push(Kept { function, grid, block, shared, arguments });
                return Ok(Node(launches.len()));
            }
        };
        let add = of_driver!(
            "cuGraphAddNode_v2"
                as fn(*mut Handle, Handle, *const Handle, *const Edge, usize, *mut Launch)
        );
        let Some(add) = add else { return Err(code::NOT_SUPPORTED) };
        let (nodes, edges): (Vec<Handle>, Vec<Edge>) = after
            .iter()
            .map(|after| match after {
                After::End(node) => (node.0 as Handle, WHOLE),
                After::Early(node) => (node.0 as Handle, EARLY),
            })
            .unzip();
        let mut launch = Launch {
            kind: 0,
            unused: [0; 3],
            function,
            grid,
            block,
            shared,
            params,
            extra: null_mut(),
            kernel: null_mut(),
            context: null_mut(),
            rest: [0; 21],
        };
        let mut node = null_mut();
        let lists = match after.is_empty() {
            true => (null(), null()),
            false => (nodes.as_ptr(), edges.as_ptr()),
        };
        // SAFETY: the caller's contract; the nodes are of this graph, the lists are as long.
        match unsafe { add(&mut node, graph, lists.0, lists.1, after.len(), &mut launch) } {
            code::SUCCESS => Ok(Node(node as usize)),
            refused => Err(refused),
        }
    }

    /// The graph, ready to be issued.
    ///
    /// # Errors
    /// The driver's code.
    pub fn finish(mut self) -> Result<LaunchGraph, u32> {
        let Parts::Driver(graph) = self.0 else {
            let empty = Parts::Emulated(Vec::new());
            return Ok(LaunchGraph(std::mem::replace(&mut self.0, empty)));
        };
        let instantiate = of_driver!("cuGraphInstantiateWithFlags" as fn(*mut Handle, Handle, u64));
        let Some(instantiate) = instantiate else { return Err(code::NOT_SUPPORTED) };
        let mut ready = null_mut();
        // SAFETY: the graph is ours; the out-pointer, too.
        match unsafe { instantiate(&mut ready, graph, 0) } {
            code::SUCCESS => Ok(LaunchGraph(Parts::Ready(ready))),
            refused => Err(refused),
        }
    }
}

impl Drop for GraphBuilder {
    fn drop(&mut self) {
        let destroy = of_driver!("cuGraphDestroy" as fn(Handle));
        if let (Parts::Driver(graph), Some(destroy)) = (&self.0, destroy) {
            // SAFETY: ours, and nobody has it after this.
            unsafe { destroy(*graph) };
        }
    }
}

/// Launches that are issued together.
pub struct LaunchGraph(Parts);

impl fmt::Debug for LaunchGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl LaunchGraph {
    /// Issues all launches behind what the stream has been given; the driver's code.
    ///
    /// # Safety
    /// As [`GraphBuilder::launch`] says.
    pub unsafe fn issue(&self, stream: Handle) -> u32 {
        let ready = match &self.0 {
            Parts::Driver(graph) | Parts::Ready(graph) => *graph,
            Parts::Emulated(launches) => {
                // SAFETY: the caller's contract.
                let codes = launches.iter().map(|launch| unsafe { launch.issue(stream) });
                let failed = codes.into_iter().find(|code| *code != code::SUCCESS);
                return failed.unwrap_or(code::SUCCESS);
            }
        };
        match of_driver!("cuGraphLaunch" as fn(Handle, Handle)) {
            // SAFETY: the caller's contract.
            Some(launch) => unsafe { launch(ready, stream) },
            None => code::NOT_SUPPORTED,
        }
    }
}

impl Kept {
    unsafe fn issue(&self, stream: Handle) -> u32 {
        let mut params: Vec<*mut c_void> =
            self.arguments.iter().map(|bytes| bytes.as_ptr().cast_mut().cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        let function = self.function as Handle;
        let params = params.as_mut_ptr();
        // SAFETY: the caller's contract; the driver only reads the arguments.
        unsafe {
            api::cuLaunchKernel(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                self.shared,
                stream,
                params,
                null_mut(),
            )
        }
    }
}

impl Drop for LaunchGraph {
    fn drop(&mut self) {
        let destroy = of_driver!("cuGraphExecDestroy" as fn(Handle));
        if let (Parts::Ready(ready), Some(destroy)) = (&self.0, destroy) {
            // SAFETY: ours, and nobody has it after this. What was issued goes on.
            unsafe { destroy(*ready) };
        }
    }
}
