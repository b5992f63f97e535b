//! The judge's device, in a process of its own: what it tells of a program, and that no program
//! gets the better of it. It is there on systems with sockets of files only.
#![cfg(unix)]

use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_driver::SYMBOLS;
use cuda_driver::judge::serve;
use proptest::prelude::*;
use serde_json::{Value, json};
use wire::channel::{Frame, Kind};
use wire::{Call, Outcome, Reply};

/// There is one device: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call of the driver by the program's thread 0, which has no memory that the device may touch.
fn driver(name: &str, words: &[u64], blobs: &[&[u8]]) -> Frame {
    let mut frame = Frame::new(Kind::Driver, name);
    frame.words = [&[0, 0], words].concat();
    frame.blobs = blobs.iter().map(|b| b.to_vec()).collect();
    frame
}

fn ended(value: &Value) -> Frame {
    let mut frame = Frame::new(Kind::Ended, "");
    frame.blobs.push(serde_json::to_vec(&Outcome::Ok(value.clone())).unwrap());
    frame
}

fn frames(mut bytes: &[u8]) -> Vec<Frame> {
    std::iter::from_fn(|| Frame::read(&mut bytes, |_| u64::MAX).unwrap()).collect()
}

/// What a program that sends this gets, and what the judge is told.
fn conversation(sent: &[Frame]) -> (Result<(), String>, Vec<Frame>, Vec<Reply>) {
    let mut bytes = Vec::new();
    sent.iter().for_each(|frame| frame.write(&mut bytes).unwrap());
    let (mut back, mut told) = (Vec::new(), Vec::new());
    let calls = [Call::new("e.f", &Value::Null)];
    let done = serve(&calls, Vec::new(), bytes.as_slice(), &mut back, &mut told);
    let told = frames(&told);
    let replies = told.iter().map(|f| serde_json::from_slice(&f.blobs[0]).unwrap());
    (done, frames(&back), replies.collect())
}

/// The result code and the first word of the answer.
fn answer(frame: &Frame) -> (u64, u64) {
    assert_eq!(frame.words[1..3], [0, 0], "{frame:?}");
    (frame.words[0], frame.words.get(3).copied().unwrap_or(0))
}

const KERNEL: &str = "//!simt {\"file\":\"k.cu\"}\nextern \"C\" __global__ void twice(int *a) \
                      { int i = threadIdx.x; if (i < 6) a[i] = 2 * a[i]; }";

/// A program that waits for each answer: what it does, and what the judge is told.
fn program(does: impl FnOnce(&mut dyn FnMut(Frame) -> Frame)) -> Vec<Reply> {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let device = std::thread::spawn(move || {
        let mut told = Vec::new();
        let calls = [Call::new("e.f", &Value::Null), Call::new("e.g", &Value::Null)];
        let done = serve(&calls, Vec::new(), &theirs, &theirs, &mut told);
        assert_eq!(done, Ok(()));
        frames(&told)
    });
    does(&mut |frame| {
        frame.write(&mut ours).unwrap();
        Frame::read(&mut ours, |_| u64::MAX).unwrap().expect("an answer")
    });
    drop(ours);
    let told = device.join().unwrap();
    told.iter().map(|f| serde_json::from_slice(&f.blobs[0]).unwrap()).collect()
}

/// A program that doubles six of eight numbers and copies all of them out.
fn doubled(value: &Value) -> Reply {
    let numbers: Vec<u8> = (1..=8i32).flat_map(i32::to_le_bytes).collect();
    let mut replies = program(|ask| {
        ask(Frame::new(Kind::Next, ""));
        let mut word = |frame: Frame| {
            let (code, word) = answer(&ask(frame));
            assert_eq!(code, 0);
            word
        };
        word(driver("cuInit", &[0], &[]));
        word(driver("cuCtxCreate_v2", &[1, 0, 0], &[]));
        let buffer = word(driver("cuMemAlloc_v2", &[1, 32], &[]));
        let module = word(driver("cuModuleLoadData", &[1, 0], &[KERNEL.as_bytes()]));
        let function = word(driver("cuModuleGetFunction", &[1, module, 1], &[b"twice"]));
        word(driver("cuMemcpyHtoD_v2", &[buffer, 32], &[&numbers]));
        let launch = [function, 0, 1, 1, 1, 32, 1, 1, 0];
        word(driver("cuLaunchKernel", &launch, &[&buffer.to_le_bytes()]));
        let back = ask(driver("cuMemcpyDtoH_v2", &[buffer, 32, 1], &[]));
        let want = [2i32, 4, 6, 8, 10, 12, 7, 8].map(i32::to_le_bytes).concat();
        assert_eq!(back.blobs, [want], "{back:?}");
        ask(ended(value));
    });
    replies.pop().unwrap()
}

#[test]
fn the_judge_is_told_what_was_done_and_where_numbers_come_from() {
    let _alone = alone();
    let reply = doubled(&json!({ "c": [2, 4, 6, 8, 10, 12] }));
    let names: Vec<&str> = reply.api.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names[names.len() - 3..], ["cuMemcpyHtoD", "cuLaunchKernel", "cuMemcpyDtoH"]);
    assert_eq!(reply.launches[0].kernel, "twice");
    let origin = reply.origin.unwrap();
    assert_eq!((origin.numbers, origin.strange, origin.copied), (6, 0, 24));
    // What the host wrote is no result, neither here nor there.
    let origin = doubled(&json!([[2, 4, 6, 8, 10, 12, 7, 8], [1, 2, 3, 4]])).origin.unwrap();
    assert_eq!((origin.numbers, origin.strange), (12, 6));
}

/// A constructor before `main`, or a thread between two calls, could bring numbers to the device
/// while nobody counts.
#[test]
fn a_call_begins_on_an_empty_device() {
    let _alone = alone();
    program(|ask| {
        let mut ask = |frame: Frame| {
            let back = ask(frame);
            if back.words.is_empty() { (0, 0) } else { answer(&back) }
        };
        ask(driver("cuInit", &[0], &[]));
        ask(driver("cuCtxCreate_v2", &[1, 0, 0], &[]));
        for _ in 0..2 {
            let (_, buffer) = ask(driver("cuMemAlloc_v2", &[1, 32], &[]));
            let (_, module) = ask(driver("cuModuleLoadData", &[1, 0], &[KERNEL.as_bytes()]));
            let left = [
                driver("cuMemsetD8_v2", &[buffer, 7, 32], &[]),
                driver("cuMemcpyDtoH_v2", &[buffer, 32, 1], &[]),
                driver("cuModuleGetFunction", &[1, module, 1], &[b"twice"]),
            ];
            for frame in &left {
                assert_eq!(ask(frame.clone()).0, 0, "{}", frame.text);
            }
            ask(Frame::new(Kind::Next, ""));
            for frame in &left {
                assert_ne!(ask(frame.clone()).0, 0, "{}: nothing is left", frame.text);
            }
        }
    });
}

#[test]
fn what_is_no_call_ends_the_conversation() {
    let _alone = alone();
    let refused = |frame: Frame| {
        let sent = [Frame::new(Kind::Next, ""), frame];
        conversation(&sent).0.unwrap_err()
    };
    assert_eq!(refused(driver("cuNothing", &[], &[])), "a malformed call");
    assert_eq!(refused(driver("cuMemAlloc_v2", &[], &[])), "a malformed call");
    assert_eq!(refused(driver("cuMemcpyHtoD_v2", &[0, 8], &[b"four"])), "a malformed call");
    assert_eq!(refused(driver("library call", &[], &[b"{}"])), "a malformed call");
    assert_eq!(refused(Frame::new(Kind::Take, "keys")), "a question for what there is not");
    let mut reply = Frame::new(Kind::Ended, "");
    reply.blobs.push(b"no JSON".to_vec());
    assert!(refused(reply).starts_with("a reply: "));
    let twice = [Frame::new(Kind::Next, ""), ended(&json!(1)), ended(&json!(2))];
    let (done, _, replies) = conversation(&twice);
    assert_eq!((done.unwrap_err().as_str(), replies.len()), ("a reply to no call", 1));
    let mut half = Vec::new();
    driver("cuInit", &[0], &[]).write(&mut half).unwrap();
    half.pop();
    assert!(serve(&[], Vec::new(), half.as_slice(), Vec::new(), std::io::sink()).is_err());
    let garbage = std::iter::repeat_n(0x67, 1000).collect::<Vec<u8>>();
    let done = serve(&[], Vec::new(), garbage.as_slice(), Vec::new(), std::io::sink());
    assert_eq!(done.unwrap_err(), "a frame of the kind 103");
}

fn word() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..40, Just(u64::MAX), Just(1 << 40), 0x5100_0000u64..0x5100_0100, any::<u64>()]
}

fn beside() -> Vec<&'static str> {
    let more = ["kernel", "library begin", "library read", "library write", "library end"];
    SYMBOLS.iter().copied().chain(more).chain(["library wait", "library call"]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever a program sends, the device answers or says that it is no call.
    #[test]
    fn any_words_are_answered_or_refused(
        calls in prop::collection::vec(
            (
                prop::sample::select(beside()),
                prop::collection::vec(word(), 0..16),
                prop::collection::vec(prop::collection::vec(any::<u8>(), 0..24), 0..4),
            ),
            1..8,
        ),
    ) {
        let _alone = alone();
        let mut sent = vec![
            Frame::new(Kind::Next, ""),
            driver("cuInit", &[0], &[]),
            driver("cuCtxCreate_v2", &[1, 0, 0], &[]),
            driver("cuMemAlloc_v2", &[1, 4096], &[]),
        ];
        for (name, words, blobs) in calls {
            let blobs: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
            sent.push(driver(name, &words, &blobs));
        }
        let (done, back, _) = conversation(&sent);
        if let Err(why) = done {
            prop_assert_eq!(why, "a malformed call");
        } else {
            prop_assert_eq!(back.len(), sent.len());
        }
    }
}

/// One thing that is wrong with a conversation.
#[derive(Clone, Debug)]
enum Damage {
    /// Another number in place of one of a frame's words.
    Word(usize, u64),
    /// A part of a frame is shorter, or is not there.
    Cut(usize),
    /// The frame is sent twice, and one answer is read.
    Twice,
    /// It is not sent.
    Dropped,
    /// Another byte somewhere in it.
    Byte(usize, u8),
    /// Its end is missing, and nothing follows.
    End(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (0usize..16, word()).prop_map(|(at, new)| Damage::Word(at, new)),
        (0usize..40).prop_map(Damage::Cut),
        Just(Damage::Twice),
        Just(Damage::Dropped),
        (any::<usize>(), any::<u8>()).prop_map(|(at, new)| Damage::Byte(at, new)),
        any::<usize>().prop_map(Damage::End),
    ]
}

/// The bytes of a frame with a damage.
fn damaged(frame: &Frame, damage: &Damage) -> Vec<u8> {
    let mut frame = frame.clone();
    match damage {
        Damage::Word(at, new) if !frame.words.is_empty() => {
            let at = at % frame.words.len();
            frame.words[at] = *new;
        }
        Damage::Cut(to) => match frame.blobs.last_mut() {
            Some(blob) if blob.len() > *to => blob.truncate(*to),
            _ => drop(frame.blobs.pop()),
        },
        _ => {}
    }
    let mut bytes = Vec::new();
    frame.write(&mut bytes).unwrap();
    match damage {
        Damage::Twice => bytes.extend_from_within(..),
        Damage::Dropped => bytes.clear(),
        Damage::Byte(at, new) => {
            let at = at % bytes.len();
            bytes[at] = *new;
        }
        Damage::End(at) => bytes.truncate(at % bytes.len()),
        _ => {}
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A program that does all as it should but for one frame: the device goes on or says what is
    /// wrong, and a result counts as its own only if the kernel ran and was read.
    #[test]
    fn one_damage_is_answered_or_refused(at in 0usize..10, damage in damage()) {
        let _alone = alone();
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let device = std::thread::spawn(move || {
            let mut told = Vec::new();
            let calls = [Call::new("e.f", &Value::Null)];
            let done = serve(&calls, Vec::new(), &theirs, &theirs, &mut told);
            (done, frames(&told))
        });
        let numbers = (1..=8i32).flat_map(i32::to_le_bytes).collect::<Vec<u8>>();
        let mut known: Vec<u64> = Vec::new();
        for step in 0..10 {
            let of = |k: usize| known.get(k).copied().unwrap_or(0);
            let launch = [of(5), 0, 1, 1, 1, 32, 1, 1, 0];
            let frame = match step {
                0 => Frame::new(Kind::Next, ""),
                1 => driver("cuInit", &[0], &[]),
                2 => driver("cuCtxCreate_v2", &[1, 0, 0], &[]),
                3 => driver("cuMemAlloc_v2", &[1, 32], &[]),
                4 => driver("cuModuleLoadData", &[1, 0], &[KERNEL.as_bytes()]),
                5 => driver("cuModuleGetFunction", &[1, of(4), 1], &[b"twice"]),
                6 => driver("cuMemcpyHtoD_v2", &[of(3), 32], &[&numbers]),
                7 => driver("cuLaunchKernel", &launch, &[&of(3).to_le_bytes()]),
                8 => driver("cuMemcpyDtoH_v2", &[of(3), 24, 1], &[]),
                _ => ended(&json!([2, 4, 6, 8, 10, 12])),
            };
            let hurt = step == at;
            let none = Damage::Word(0, frame.words.first().copied().unwrap_or(0));
            let bytes = damaged(&frame, if hurt { &damage } else { &none });
            let sent = std::io::Write::write_all(&mut ours, &bytes);
            // A frame that promises more than comes would be waited for.
            if hurt && matches!(damage, Damage::Byte(..) | Damage::End(_)) {
                let _ = ours.shutdown(std::net::Shutdown::Write);
            }
            if bytes.is_empty() {
                known.push(0);
                continue;
            }
            let Ok(Some(back)) = Frame::read(&mut ours, |_| u64::MAX) else { break };
            prop_assert!(sent.is_ok());
            known.push(back.words.get(3).copied().unwrap_or(0));
        }
        drop(ours);
        let (done, told) = device.join().expect("the device ends by itself");
        prop_assert!(told.len() <= 1);
        if let Err(why) = done {
            prop_assert!(!why.is_empty());
        }
        for frame in told {
            let reply: Reply = serde_json::from_slice(&frame.blobs[0]).unwrap();
            let own = reply.origin.is_some_and(|o| o.numbers == 6 && o.strange == 0);
            let read = reply.api.iter().any(|c| c.name == "cuMemcpyDtoH");
            let ran = reply.launches.len() == 1 && read;
            prop_assert!(!own || ran, "{reply:?}");
        }
    }
}
