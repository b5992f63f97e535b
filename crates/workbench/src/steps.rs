//! Inside a warp: the stops of a launch, and what can be seen at one of them.
//!
//! A launch is deterministic, so a stop is a number: to look at it, the launch is run again up to
//! there.

use serde::Deserialize;
use serde_json::{Value, json};
use simt::debug::requests;
use simt::exec::debug::{Action, Debugger, Stopped, Value as Held, WarpState, decode};
use simt::fault::Fault;
use simt::hir::{Local, LocalId, Storage, Ty};
use simt::launch_debug;
use simt::{Instance, Memory};

use crate::check::{diagnostics, place};
use crate::run::{gpu, pattern};
use crate::session::{Launching, Session};
use crate::source::Source;

/// Stops that are told of a launch.
const MOST_STOPS: usize = 20_000;
/// Words of a shared variable that are shown.
const MOST_WORDS: u64 = 4096;

/// Which launch, and which of its stops.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The program.
    pub program: Source,
    /// The launch.
    #[serde(default)]
    pub launch: Launching,
    /// Key of the GPU that is stood in for.
    #[serde(default)]
    pub gpu: Option<String>,
    /// Number of the stop to look at, from 0.
    #[serde(default)]
    pub at: usize,
}

/// The program for the debugger, or the answer that says why there is none.
fn session(request: &Request) -> Result<Result<Session, Value>, String> {
    let device = gpu(request.gpu.as_deref())?;
    match request.program.compile().and_then(|p| p.debug_build()) {
        Ok(program) => Session::new(device, &program, &request.launch).map(Ok),
        Err(refused) => Ok(Err(json!({
            "diagnostics": diagnostics(&refused.diagnostics, &refused.sources),
            "text": refused.to_string(),
        }))),
    }
}

fn go(session: &Session, debugger: &mut dyn Debugger) -> Option<Box<Fault>> {
    let Session { device, memory, instance, kernel, launch, options, .. } = session;
    launch_debug(device, memory, instance, &kernel.symbol, launch, options, debugger).err()
}

/// All stops of a launch in order, and how it ended: `{"stops": [..], "more": false, "fault": ..}`.
/// A stop is `[block, warp, lanes that execute, living lanes, place, calls]`, where `block` and
/// `place` are numbers of the lists `blocks` and `places`.
///
/// # Errors
/// What is wrong with the launch's arguments.
pub fn steps(request: &Request) -> Result<Value, String> {
    let session = match session(request)? {
        Ok(session) => session,
        Err(refused) => return Ok(refused),
    };
    let mut all = Stops::default();
    let fault = go(&session, &mut all).filter(|_| !all.more);
    let program = session.instance.program();
    let places = all.places.iter().map(|span| place(program.sources(), *span));
    let mut answer = json!({
        "stops": all.stops,
        "blocks": all.blocks,
        "places": places.collect::<Vec<_>>(),
        "more": all.more,
        "threads": session.launch.block,
        "grid": session.launch.grid,
    });
    if let Some(fault) = fault {
        answer["text"] = fault.render().into();
        answer["code"] = fault.kind.code().into();
        answer["fault"] = json!(fault);
    }
    Ok(answer)
}

#[derive(Default)]
struct Stops {
    stops: Vec<[u32; 6]>,
    blocks: Vec<[u32; 3]>,
    places: Vec<simt::source::Span>,
    more: bool,
}

impl Debugger for Stops {
    fn statement(&mut self, at: &Stopped<'_>) -> Action {
        if self.stops.len() == MOST_STOPS {
            self.more = true;
            return Action::Quit;
        }
        if self.blocks.last() != Some(&at.block()) {
            self.blocks.push(at.block());
        }
        let span = at.span();
        let known = self.places.iter().position(|s| *s == span);
        let place = known.unwrap_or_else(|| {
            self.places.push(span);
            self.places.len() - 1
        });
        let block = self.blocks.len() - 1;
        let (mask, alive) = (at.mask(), at.alive());
        self.stops.push([block as u32, at.warp(), mask, alive, place as u32, at.depth()]);
        Action::Go
    }
}

/// What can be seen at the stop `at`: variables over lanes, shared memory, requests of the
/// statement, and where the other warps of the block stand.
///
/// # Errors
/// What is wrong with the launch's arguments; there is no such stop.
pub fn look(request: &Request) -> Result<Value, String> {
    let session = match session(request)? {
        Ok(session) => session,
        Err(refused) => return Ok(refused),
    };
    let mut look =
        Look { left: request.at, memory: &session.memory, instance: &session.instance, seen: None };
    let _ = go(&session, &mut look);
    look.seen.ok_or_else(|| format!("the launch has no stop {}", request.at))
}

struct Look<'a> {
    left: usize,
    memory: &'a Memory,
    instance: &'a Instance,
    seen: Option<Value>,
}

impl Debugger for Look<'_> {
    fn statement(&mut self, at: &Stopped<'_>) -> Action {
        if self.left > 0 {
            self.left -= 1;
            return Action::Go;
        }
        self.seen = Some(self.see(at));
        Action::Quit
    }
}

impl Look<'_> {
    fn see(&self, at: &Stopped<'_>) -> Value {
        let (shared, plain): (Vec<_>, Vec<_>) = at
            .variables()
            .filter(|(_, local)| !local.name.starts_with('$'))
            .partition(|(_, local)| local.storage != Storage::Auto);
        let program = self.instance.program();
        let variables = plain.iter().map(|(id, local)| {
            let value = |lane: u32| match at.alive() >> lane & 1 {
                1 => at.variable(*id, lane).map_or(Value::Null, |v| self.shown(&v).into()),
                _ => Value::Null,
            };
            json!({
                "name": local.name,
                "type": program.module().type_name(&local.ty),
                "values": (0..32).map(value).collect::<Vec<_>>(),
            })
        });
        let lane = at.alive().trailing_zeros().min(31);
        let shared = shared.iter().map(|(id, local)| self.shared(at, *id, local, lane));
        let warps = at.threads().div_ceil(32);
        let warps = (0..warps).map(|w| match at.other(w) {
            Some(other) => json!({
                "state": match other.state() {
                    WarpState::Ready => "ready",
                    WarpState::Barrier => "barrier",
                    WarpState::Ended => "ended",
                },
                "mask": other.mask(),
                "alive": other.alive(),
                "line": other.location().line,
            }),
            None => json!({ "state": "waiting" }),
        });
        json!({
            "warp": at.warp(),
            "block": at.block(),
            "mask": at.mask(),
            "alive": at.alive(),
            "function": at.function().name,
            "place": place(program.sources(), at.span()),
            "threads": (0..32).map(|lane| at.thread(lane)).collect::<Vec<_>>(),
            "variables": variables.collect::<Vec<_>>(),
            "shared": shared.collect::<Vec<_>>(),
            "warps": warps.collect::<Vec<_>>(),
            "requests": requests(at, self.memory).iter().map(pattern).collect::<Vec<_>>(),
        })
    }

    /// A value for people; a pointer as the element of the buffer that it points to.
    fn shown(&self, value: &Held) -> String {
        match value {
            Held::Scalar(Ty::Ptr(to, _), address) => match self.memory.find(*address) {
                Some(found) => {
                    let size = self.instance.program().module().size_of(to).max(1);
                    match (address - found.base) / size {
                        0 => found.name,
                        index => format!("{}+{index}", found.name),
                    }
                }
                None => value.to_string(),
            },
            other => other.to_string(),
        }
    }

    /// A shared variable: where it begins, and its elements in order.
    fn shared(&self, at: &Stopped<'_>, id: LocalId, local: &Local, lane: u32) -> Value {
        let module = self.instance.program().module();
        let (elem, mut dims) = dimensions(&local.ty);
        let size = at.size_of(elem).max(1);
        let (address, bytes) = at.shared(id).unwrap_or_default();
        if local.storage == Storage::SharedDynamic {
            dims = vec![bytes / size];
        }
        let count = dims.iter().product::<u64>();
        let most = (4 * MOST_WORDS / size).min(count);
        let read = |k: u64| {
            let bytes = at.read(address + k * size, size as usize, lane).ok()?;
            match decode(module, elem, &bytes) {
                Held::None => None,
                value => Some(self.shown(&value)),
            }
        };
        json!({
            "name": local.name,
            "type": module.type_name(elem),
            "dims": dims,
            "address": at.offset_in_shared(address),
            "bytes": size,
            "count": count,
            "values": (0..most).map(read).collect::<Vec<_>>(),
        })
    }
}

/// Element type and lengths of an array, the outermost first.
fn dimensions(ty: &Ty) -> (&Ty, Vec<u64>) {
    let (mut ty, mut dims) = (ty, Vec::new());
    while let Ty::Array(elem, n) = ty {
        dims.push(*n);
        ty = elem;
    }
    (ty, dims)
}
