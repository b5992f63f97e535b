//! The judge's device with OpenCL, in a process of its own: no program gets the better of it.

use std::sync::{Mutex, PoisonError};

use opencl_icd::{SYMBOLS, judge};
use proptest::prelude::*;
use serde_json::Value;
use wire::Call;
use wire::channel::{Frame, Kind};

/// A call by the program's thread 0.
fn call(name: &str, words: &[u64], blobs: &[&[u8]]) -> Frame {
    let mut frame = Frame::new(Kind::Driver, name);
    frame.words = [&[0], words].concat();
    frame.blobs = blobs.iter().map(|b| b.to_vec()).collect();
    frame
}

/// What a program that sends this gets.
fn conversation(sent: &[Frame]) -> (Result<(), String>, Vec<Frame>) {
    // There is one device: one test at a time.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    emulation::judge::with_driver(judge::PREFIX, judge::answer, judge::renew);
    let mut bytes = Vec::new();
    sent.iter().for_each(|frame| frame.write(&mut bytes).unwrap());
    let mut back = Vec::new();
    let calls = [Call::new("e.f", &Value::Null)];
    let out = std::io::sink();
    let done = emulation::judge::serve(&calls, Vec::new(), bytes.as_slice(), &mut back, out);
    let mut back = back.as_slice();
    (done, std::iter::from_fn(|| Frame::read(&mut back, |_| u64::MAX).unwrap()).collect())
}

/// Status and object of an answer that puts nothing into the program's memory.
fn answered(name: &str, words: &[u64], blobs: &[&[u8]]) -> (i32, u64) {
    let (done, back) = conversation(&[call(name, words, blobs)]);
    assert_eq!(done, Ok(()), "{name}");
    assert_eq!(back[0].words[..2], [0, 0], "{:?}", back[0]);
    (back[0].words[2] as i32, back[0].words[3])
}

const DEVICE: u64 = 0x0051_0000_0000_0020;

/// A context and a queue of it.
fn queue() -> (u64, u64) {
    let device = DEVICE.to_le_bytes();
    let (status, context) = answered("clCreateContext", &[0, 1, 1, 0, 0, 0, 0], &[&device]);
    assert_eq!(status, 0);
    let (status, queue) = answered("clCreateCommandQueue", &[context, DEVICE, 0, 0, 0], &[]);
    assert_eq!(status, 0);
    (context, queue)
}

#[test]
fn what_is_no_call_ends_the_conversation() {
    let refused = |name: &str, words: &[u64], blobs: &[&[u8]]| {
        assert_eq!(conversation(&[call(name, words, blobs)]).0.unwrap_err(), "a malformed call");
    };
    refused("clNothing", &[], &[]);
    refused("clFinish", &[], &[]);
    // Lists and values of another length than is said.
    refused("clWaitForEvents", &[2, 1, 0, 0], &[&[0; 8]]);
    refused("clWaitForEvents", &[1 << 61, 1, 0, 0], &[&[]]);
    refused("clSetKernelArg", &[7, 0, 16, 1, 0, 0], &[&[0; 8]]);
    refused("clEnqueueFillBuffer", &[7, 7, 1, 1 << 40, 0, 0, 0, 0, 0, 0, 0], &[&[0; 8]]);
    refused("clCreateProgramWithSource", &[7, u64::MAX, 1, 1, 0, 0], &[]);
    refused("clCreateKernel", &[7, 1, 0, 0], &[b"a\0b"]);
    refused("cl over", &[], &[]);
}

/// Nothing of another size than was sent is read, and no room is believed in.
#[test]
fn sizes_are_counted_by_the_judge() {
    const INVALID_VALUE: i32 = -30;
    let (context, queue) = queue();
    let copied = 1 << 5;
    // 4096 bytes are promised, 8 come.
    let words = [context, copied, 4096, 0x1000, 0, 1];
    assert_eq!(answered("clCreateBuffer", &words, &[&[7; 8]]).0, INVALID_VALUE);
    let (status, buffer) = answered("clCreateBuffer", &[context, 1, 4096, 0, 0, 0], &[]);
    assert_eq!(status, 0);
    for (bytes, came) in [(4096, 8), (8, 4096), (u64::MAX, 8)] {
        let words = [queue, buffer, 1, 0, bytes, 0x1000, 0, 0, 0, 0, 1];
        let blob = vec![0; came];
        assert_eq!(answered("clEnqueueWriteBuffer", &words, &[&blob]).0, INVALID_VALUE);
    }
    // Nowhere to map to.
    let words = [queue, buffer, 1, 2, 0, 64, 0, 0, 0, 0, 0];
    assert_ne!(answered("clEnqueueMapBuffer", &words, &[]).0, 0);
    // Room for the answer that nobody has.
    let (done, back) =
        conversation(&[call("clGetDeviceInfo", &[DEVICE, 0x102b, u64::MAX, 1, 0, 0, 0], &[])]);
    assert_eq!((done, back[0].words[2]), (Ok(()), 0));
    assert!(back[0].blobs[1].len() < 100, "{:?}", back[0]);
}

fn word() -> impl Strategy<Value = u64> {
    let handles = (0u64..16).prop_map(|n| 0x0051_0000_0000_0000 + 16 * n);
    let objects = (0u64..40).prop_map(|n| 0x0051_0000_0000_0100 + 16 * n);
    prop_oneof![0u64..4, 0u64..40, Just(u64::MAX), Just(1 << 40), handles, objects, any::<u64>()]
}

/// As many bytes as lists of handles and sizes have.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::collection::vec(word(), 0..4);
    words.prop_map(|words| words.into_iter().flat_map(u64::to_le_bytes).collect())
}

fn names() -> Vec<&'static str> {
    SYMBOLS.iter().copied().chain(["cl over"]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Whatever a program sends, the device answers or says that it is no call.
    #[test]
    fn any_words_are_answered_or_refused(
        calls in prop::collection::vec(
            (
                prop::sample::select(names()),
                prop::collection::vec(word(), 1..18),
                prop::collection::vec(bytes(), 0..4),
            ),
            1..16,
        ),
    ) {
        queue();
        let sent: Vec<Frame> = calls
            .iter()
            .map(|(name, words, blobs)| {
                let blobs: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
                call(name, words, &blobs)
            })
            .collect();
        let (done, back) = conversation(&sent);
        if let Err(why) = done {
            prop_assert_eq!(why, "a malformed call");
        } else {
            prop_assert_eq!(back.len(), sent.len());
        }
    }
}
