//! Random sequences of allocations, copies and fills against a model in host memory.

use cust::memory::{CopyDestination, DeviceBuffer};
use proptest::prelude::*;

use super::rig;

#[derive(Clone, Debug)]
enum Step {
    Allocate { size: usize },
    Free { which: usize },
    Write { which: usize, at: usize, bytes: Vec<u8> },
    Fill { which: usize, value: u8 },
    Fill32 { which: usize, value: u32 },
    Copy { from: usize, to: usize, at: usize, to_at: usize, len: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0usize..8;
    prop_oneof![
        2 => (1usize..5000).prop_map(|size| Step::Allocate { size }),
        1 => which.clone().prop_map(|which| Step::Free { which }),
        3 => (which.clone(), 0usize..5000, prop::collection::vec(any::<u8>(), 0..600))
            .prop_map(|(which, at, bytes)| Step::Write { which, at, bytes }),
        1 => (which.clone(), any::<u8>()).prop_map(|(which, value)| Step::Fill { which, value }),
        1 => (which.clone(), any::<u32>()).prop_map(|(which, value)| Step::Fill32 { which, value }),
        3 => (which.clone(), which, 0usize..5000, 0usize..5000, 0usize..3000)
            .prop_map(|(from, to, at, to_at, len)| Step::Copy { from, to, at, to_at, len }),
    ]
}

/// A buffer and what it should hold; `None` where nothing was written.
struct Pair {
    device: DeviceBuffer<u8>,
    model: Vec<Option<u8>>,
}

impl Pair {
    fn check(&self) {
        let host = self.device.as_host_vec().unwrap();
        let unwritten = emulation::findings::take_faults();
        let first = self.model.iter().position(Option::is_none);
        assert_eq!(
            unwritten.first().and_then(|f| f.target.as_ref()).map(|t| t.index as usize),
            first
        );
        for (i, (got, want)) in host.iter().zip(&self.model).enumerate() {
            assert!(want.is_none_or(|want| want == *got), "byte {i}: {got} instead of {want:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn memory_holds_what_the_model_holds(steps in prop::collection::vec(step(), 1..60)) {
        let _rig = rig();
        let mut live: Vec<Pair> = Vec::new();
        for step in steps {
            match step {
                Step::Allocate { size } => {
                    // SAFETY: the model says which bytes may be used.
                    let device = unsafe { DeviceBuffer::uninitialized(size) }.unwrap();
                    live.push(Pair { device, model: vec![None; size] });
                }
                _ if live.is_empty() => {}
                Step::Free { which } => {
                    let pair = live.swap_remove(which % live.len());
                    pair.check();
                }
                Step::Write { which, at, bytes } => {
                    let n = live.len();
                    let pair = &mut live[which % n];
                    let at = at.min(pair.model.len());
                    let len = bytes.len().min(pair.model.len() - at);
                    if len > 0 {
                        pair.device.index(at..at + len).copy_from(&bytes[..len]).unwrap();
                        for (m, b) in pair.model[at..at + len].iter_mut().zip(&bytes) {
                            *m = Some(*b);
                        }
                    }
                }
                Step::Fill { which, value } => {
                    let n = live.len();
                    let pair = &mut live[which % n];
                    pair.device.set_8(value).unwrap();
                    pair.model.fill(Some(value));
                }
                Step::Fill32 { which, value } => {
                    let n = live.len();
                    let pair = &mut live[which % n];
                    let whole = pair.model.len() / 4 * 4;
                    if whole > 0 {
                        pair.device.index(0..whole).set_32(value).unwrap();
                        for (i, m) in pair.model[..whole].iter_mut().enumerate() {
                            *m = Some(value.to_le_bytes()[i % 4]);
                        }
                    }
                }
                Step::Copy { from, to, at, to_at, len } => {
                    let n = live.len();
                    let (from, to) = (from % n, to % n);
                    if from == to {
                        continue;
                    }
                    let (of, to_of) = (live[from].model.len(), live[to].model.len());
                    let (at, to_at) = (at.min(of), to_at.min(to_of));
                    let len = len.min(of - at).min(to_of - to_at);
                    if len > 0 {
                        let part = live[from].device.index(at..at + len);
                        live[to].device.index(to_at..to_at + len).copy_from(&part).unwrap();
                        let bytes = live[from].model[at..at + len].to_vec();
                        live[to].model[to_at..to_at + len].copy_from_slice(&bytes);
                    }
                }
            }
        }
        live.iter().for_each(Pair::check);
        let used: usize = live.iter().map(|p| p.model.len()).sum();
        let (free, total) = cust::memory::mem_get_info().unwrap();
        prop_assert_eq!(total - free, used);
    }
}
