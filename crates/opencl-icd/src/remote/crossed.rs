//! The judge's side: takes what has crossed apart, and puts together what goes back.

use emulation::remote::{Arrived, Parcel};

use super::shape::{MOST_ROOM, Shape, taken};
use crate::emulated;

/// The parameters of a call that has crossed.
pub(crate) struct Crossed {
    shapes: Vec<Shape>,
    /// As they were sent.
    sent: Vec<u64>,
    /// As they are passed on.
    passed: Vec<u64>,
    /// What the pointers among these lead to.
    memory: Vec<Vec<u64>>,
}

impl Crossed {
    /// Parameters of these names, which are pointers or not; `None` for what is not sent by ours.
    pub fn new(parameters: &[(&str, bool)], from: &mut Arrived) -> Option<Crossed> {
        let shapes: Vec<Shape> = parameters.iter().map(|(name, p)| Shape::of(name, *p)).collect();
        let (mut sent, mut texts) = (Vec::new(), Vec::new());
        for shape in &shapes {
            sent.push(from.word()?);
            if let (Shape::Texts, [.., count, given]) = (shape, sent.as_slice())
                && *given != 0
            {
                texts = (0..*count).map(|_| from.word()).collect::<Option<Vec<u64>>>()?;
            }
        }
        let (mut passed, mut memory) = (sent.clone(), Vec::new());
        let mut keep = |mut bytes: Vec<u64>| {
            let at = bytes.as_mut_ptr() as u64;
            memory.push(bytes);
            at
        };
        for at in 0..shapes.len() {
            let before = at.checked_sub(1);
            let forced = before.is_some_and(|b| matches!(shapes[b], Shape::Room { .. }));
            passed[at] = match shapes[at] {
                // The number of the program's function.
                Shape::Value if before.is_some_and(|b| shapes[b] == Shape::Callback) => {
                    if sent[at - 1] != 0 { sent[at - 1] } else { sent[at] }
                }
                Shape::Value | Shape::Callback => continue,
                // How many there are is asked for in any case.
                Shape::Gives { .. } if sent[at] != 0 || forced && sent[at - 1] != 0 => {
                    keep(vec![0])
                }
                // Set by the texts before.
                Shape::Nothing if !texts.is_empty() => continue,
                Shape::Nothing | Shape::Gives { .. } => 0,
                _ if sent[at] == 0 => 0,
                Shape::Takes { count, size } => {
                    let bytes = taken(&sent, at, count, size)?;
                    keep(aligned(&from.blob().filter(|b| b.len() == bytes)?, 0))
                }
                Shape::Text => keep(aligned(&from.blob().filter(|text| !text.contains(&0))?, 1)),
                // Keys and values; a list that does not end ends here.
                Shape::UntilZero => keep(aligned(&from.blob()?, 24)),
                Shape::Texts => {
                    let (mut places, mut lengths) = (Vec::new(), Vec::new());
                    for there in &texts {
                        let text = from.blob()?;
                        lengths.push(text.len() as u64);
                        // Of the length 0 is one that ends in NUL.
                        places.push(if *there == 0 { 0 } else { keep(aligned(&text, 1)) });
                    }
                    *passed.get_mut(at + 1)? = keep(lengths);
                    keep(places)
                }
                Shape::Room { size } => {
                    let count = sent[before?].min((MOST_ROOM / size) as u64);
                    passed[before?] = count;
                    keep(vec![0; (count as usize * size).div_ceil(8)])
                }
            };
        }
        let (room, some) = (usize::try_from(from.word()?).ok()?, from.word()? != 0);
        emulated::arrived(if some { Some(from.blob()?) } else { None }, room);
        Some(Crossed { shapes, sent, passed, memory })
    }

    /// The arguments of the call. Pointers lead to memory of this value's own.
    pub fn arguments(&self) -> impl Iterator<Item = u64> + use<> {
        self.passed.clone().into_iter()
    }

    /// What a call gives back that went well.
    pub fn give(&self, to: &mut Parcel) {
        for (at, shape) in self.shapes.iter().enumerate().filter(|(at, _)| self.sent[*at] != 0) {
            let bytes = match *shape {
                Shape::Gives { size } => size,
                Shape::Room { size } => {
                    let there = self.word_at(at + 1).min(self.passed[at - 1]);
                    there as usize * size
                }
                _ => continue,
            };
            let memory = self.memory_at(at).into_iter().flatten();
            to.blobs.push(memory.flat_map(|word| word.to_le_bytes()).take(bytes).collect());
        }
    }

    fn memory_at(&self, at: usize) -> Option<&Vec<u64>> {
        self.memory.iter().find(|memory| memory.as_ptr() as u64 == self.passed[at])
    }

    fn word_at(&self, at: usize) -> u64 {
        self.memory_at(at).and_then(|memory| memory.first()).copied().unwrap_or(0)
    }
}

/// Bytes at an address that suits any number, with so many zeros behind them.
fn aligned(bytes: &[u8], zeros: usize) -> Vec<u64> {
    let all: Vec<u8> = bytes.iter().copied().chain(std::iter::repeat_n(0, zeros + 7)).collect();
    all.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}
