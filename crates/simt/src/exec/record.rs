//! Notes the costliest request of each source line, for the pictures of [`crate::pattern`].

use super::access::window_of;
use super::block::Worker;
use super::halt::Window;
use super::lanes::{Lanes, each};
use super::warp::Warp;
use crate::bytecode::{Inst, MemInfo, VarInfo};
use crate::memory::{Allocation, GLOBAL_BASE};
use crate::pattern::{MemoryKind, Pattern, lanes_cost};

/// What a request is about.
enum Home<'w> {
    Variable(&'w VarInfo),
    Allocation(&'w Allocation),
}

impl Worker<'_> {
    /// Looks at a request that is about to be made.
    #[cold]
    pub(crate) fn record(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        lanes: &Lanes,
        write: bool,
        shared: bool,
    ) {
        let world = self.world;
        let Some(first) = each(warp.mask).next() else { return };
        let (space, home) = if shared {
            let Some(var) = world.code.shared.get(info.var as usize) else { return };
            (MemoryKind::Shared, Home::Variable(var))
        } else {
            // Pointers that lead to shared or local memory have no picture of their own.
            let global =
                lanes[first] >= GLOBAL_BASE && matches!(window_of(lanes[first]), Window::Global);
            let Some(at) = world.find(lanes[first]).filter(|_| global) else { return };
            let space =
                if world.states[at].constant { MemoryKind::Constant } else { MemoryKind::Global };
            (space, Home::Allocation(&world.allocs[at]))
        };
        let addresses: Vec<(u32, u64)> = each(warp.mask).map(|l| (l as u32, lanes[l])).collect();
        let (cost, best) = lanes_cost(space, &addresses, info.size, write);
        let Some(recorder) = &mut self.recorder else { return };
        let key = (info.line, space as u8, write);
        let (mut requests, mut total) = (1, cost);
        if let Some(old) = recorder.found.get_mut(&key) {
            old.requests += 1;
            old.total += cost;
            if cost <= old.cost {
                return;
            }
            (requests, total) = (old.requests, old.total);
        }
        let (name, base) = match home {
            Home::Variable(var) => (var.name.clone(), u64::from(var.offset)),
            Home::Allocation(alloc) => (alloc.name(), alloc.base),
        };
        let sources = world.program.sources();
        let at = sources.locate(info.span);
        let line_text = sources.line_text(&at).to_owned();
        let offset = |(lane, address): (u32, u64)| (lane, address.wrapping_sub(base) as i64);
        let new = Pattern {
            at,
            line_text,
            space,
            write,
            name,
            size: info.size,
            block: self.block,
            warp: warp.index,
            lanes: addresses.into_iter().map(offset).collect(),
            base,
            cost,
            best,
            requests,
            total,
        };
        recorder.found.insert(key, new);
    }

    /// The lanes' addresses of a request, whatever its shape, handed to [`Worker::record`].
    #[cold]
    pub(crate) fn look_on(&mut self, warp: &Warp, inst: &Inst, write: bool, shared: bool) {
        let world = self.world;
        let info = &world.code.mems[inst.c as usize];
        let lanes = self.lanes_of(warp, inst, info, shared);
        self.record(warp, info, &lanes, write, shared);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{ExecOptions, Launch, launch, patterns};
    use crate::{CompileOptions, Instance, Memory, Program};

    const TEXT: &str = "__constant__ float h[64];
extern \"C\" __global__ void f(float *out, const float *in, int stride)
{
    __shared__ float tile[32 * 33];
    int t = threadIdx.x;
    tile[t * stride] = in[t * stride + blockIdx.x];
    __syncthreads();
    out[t + 32 * blockIdx.x] = tile[t * stride] * h[t % stride];
}
";

    /// The sums over the pictures are the counts of the launch, and each picture is of the line's
    /// worst request.
    #[test]
    fn what_is_noted_adds_up_to_what_is_counted() {
        let program = Program::compile(TEXT, &CompileOptions::default()).unwrap();
        let device = crate::device::model("h200").unwrap();
        for stride in [1u32, 2, 5, 32, 33] {
            let memory = Memory::new(1 << 20);
            let instance = Instance::load(&program, &memory).unwrap();
            let (h, _) = instance.global("h").unwrap();
            memory.write(h, &[0; 256]).unwrap();
            let out = memory.alloc(4 * 64, "out").unwrap();
            let input = memory.alloc(4 * 40 * 33, "in").unwrap();
            memory.write(input, &vec![0; 4 * 40 * 33]).unwrap();
            let how = Launch {
                grid: [2, 1, 1],
                block: [32, 1, 1],
                dynamic_shared: 0,
                args: vec![
                    out.to_le_bytes().to_vec(),
                    input.to_le_bytes().to_vec(),
                    stride.to_le_bytes().to_vec(),
                ],
                ..Launch::default()
            };
            let options = ExecOptions::default();
            let found = patterns(device, &memory, &instance, "f", &how, &options).unwrap();
            let counted = launch(device, &memory, &instance, "f", &how, &options).unwrap().total;
            let sum = |space, write| -> (u64, u64) {
                let of = found.iter().filter(|p| (p.space, p.write) == (space, write));
                of.fold((0, 0), |(r, t), p| (r + p.requests, t + p.total))
            };
            assert_eq!(sum(MemoryKind::Global, false), (counted.gld_req, counted.gld_sec));
            assert_eq!(sum(MemoryKind::Global, true), (counted.gst_req, counted.gst_sec));
            assert_eq!(sum(MemoryKind::Shared, false), (counted.shld_req, counted.shld_wf));
            assert_eq!(sum(MemoryKind::Shared, true), (counted.shst_req, counted.shst_wf));
            let (requests, passes) = sum(MemoryKind::Constant, false);
            assert_eq!((requests, passes - requests), (counted.cld_req, counted.cld_ser));
            let load = found.iter().find(|p| p.space == MemoryKind::Global && !p.write).unwrap();
            assert_eq!((load.name.as_str(), load.at.line, load.lanes.len()), ("in", 6, 32));
            // Shifted by one element, the second block's request never costs less.
            assert!(load.cost * 2 >= load.total, "stride {stride}");
        }
    }
}
