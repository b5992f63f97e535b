//! The way of libraries (BLAS, RAND, FFT) into the emulated device: what a call of theirs reads and
//! writes, where it stands among the streams, and its line in the log of calls.
//!
//! A library whose work is done on the CPU wraps each call in a [`Operation`]: it reads its inputs,
//! computes, writes its outputs and ends. Whatever is checked for copies is checked here too:
//! never-written bytes that are read are a finding `UNINIT`, bytes that two streams touch in no
//! order are a finding `RACE-G`, and ranges outside of an allocation are errors.
//!
//! ```no_run
//! # fn f(x: u64, y: u64, n: u64) -> Result<(), cuda_driver::LastError> {
//! use cuda_driver::library::{Operation, Run, Work};
//! let mut call = Operation::begin("cublasScopy", std::ptr::null_mut())?;
//! let bytes = call.read("x", &[Run { address: x, bytes: 4 * n }], 4)?;
//! call.write(&[Run { address: y, bytes: 4 * n }], &bytes)?;
//! call.end(Work { bytes: 8 * n, ..Work::default() });
//! # Ok(()) }
//! ```

use std::time::Instant;

use emulation::backend::{Chosen, chosen};
use emulation::calls;
use wire::ApiCall;
use wire::channel::Client;

use crate::abi::Handle;
use crate::names;

use crate::emulated;
use crate::failure::{Done, Failure, LastError};
use crate::remote::program::{self, gone};
use crate::remote::{Arrived, Parcel};

/// Bytes in a row of device memory. What a call touches is a list of them: one for a vector without
/// gaps, one per column for a matrix inside of a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Address of the first byte.
    pub address: u64,
    /// Length.
    pub bytes: u64,
}

/// What a call costs the device, for its predicted time: whichever of the figures takes longest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Floating-point operations on `f32`.
    pub flop_f32: f64,
    /// Floating-point operations on `f64`.
    pub flop_f64: f64,
    /// Bytes read and written in device memory.
    pub bytes: u64,
    /// Bytes between host and device.
    pub link_bytes: u64,
    /// The host waits for the result, as it does for a norm or an index.
    pub waits: bool,
}

/// A call of a library on the emulated device, from its first read to its end. Nothing orders what
/// happens inside of it.
#[derive(Debug)]
pub struct Operation(Side);

#[derive(Debug)]
enum Side {
    Here(emulated::Operation),
    /// On a judge's device, under a number.
    There(&'static Client, String, u64),
}

fn ask(client: &Client, call: &str, what: &str, sent: Sent<'_>) -> Result<Arrived, LastError> {
    program::ask(client, what, sent).map_err(|failure| told(call, failure))
}

type Sent<'a> = Parcel<std::borrow::Cow<'a, [u8]>>;

fn told(call: &str, failure: Failure) -> LastError {
    let Failure { code, line, report } = failure;
    LastError { call: call.to_owned(), code, line, report }
}

fn words_of(runs: &[Run]) -> Vec<u64> {
    runs.iter().flat_map(|run| [run.address, run.bytes]).collect()
}

impl Operation {
    /// Begins the call named `call` in a stream (null for the default stream). Other calls of the
    /// driver may go on meanwhile.
    ///
    /// # Errors
    /// No context is current, an earlier fault has spoilt it, or `stream` is not one, or was
    /// destroyed.
    pub fn begin(call: &str, stream: Handle) -> Result<Operation, LastError> {
        let Chosen::Judge(client) = chosen() else {
            return Ok(Operation(Side::Here(emulated::Operation::begin(call, stream)?)));
        };
        let sent = Sent { words: vec![stream as u64], blobs: vec![call.as_bytes().into()] };
        let mut back = ask(client, call, "library begin", sent)?;
        let id = back.word().ok_or_else(|| told(call, gone()))?;
        Ok(Operation(Side::There(client, call.to_owned(), id)))
    }

    /// Reads the runs one after the other. `what` is the library's name for the operand, such as
    /// `A`; `element` the size of its elements in bytes, for messages. Never-written bytes have a
    /// fixed pattern and are reported once per call as a finding `UNINIT`.
    ///
    /// # Errors
    /// A run that does not lie in one allocation.
    pub fn read(&mut self, what: &str, runs: &[Run], element: u32) -> Result<Vec<u8>, LastError> {
        let (client, call, id) = match &mut self.0 {
            Side::Here(operation) => return operation.read(what, runs, element),
            Side::There(client, call, id) => (client, call, *id),
        };
        let mut sent =
            Sent { words: vec![id, element.into()], blobs: vec![what.as_bytes().into()] };
        sent.list(&words_of(runs));
        let back = ask(client, call, "library read", sent)?.blob();
        back.ok_or_else(|| told(call, gone()))
    }

    /// Writes `bytes` to the runs, one after the other. `bytes` has as many as the runs have
    /// together.
    ///
    /// # Errors
    /// A run that does not lie in one allocation; another number of bytes. Runs before the bad one
    /// are written.
    pub fn write(&mut self, runs: &[Run], bytes: &[u8]) -> Result<(), LastError> {
        let (client, call, id) = match &mut self.0 {
            Side::Here(operation) => return operation.write(runs, bytes),
            Side::There(client, call, id) => (client, call, *id),
        };
        let mut sent = Sent { words: vec![id], blobs: vec![bytes.into()] };
        sent.list(&words_of(runs));
        ask(client, call, "library write", sent).map(drop)
    }

    /// Ends the call: puts it into its stream with its predicted time, and reports a collision with
    /// another stream.
    pub fn end(self, work: Work) {
        match self.0 {
            Side::Here(operation) => operation.end(work),
            Side::There(client, call, id) => {
                let Work { flop_f32, flop_f64, bytes, link_bytes, waits } = work;
                let (flop_f32, flop_f64) = (flop_f32.to_bits(), flop_f64.to_bits());
                let words = vec![id, flop_f32, flop_f64, bytes, link_bytes, waits.into()];
                // Without the judge's device the next call fails, too.
                let _ = ask(client, &call, "library end", Sent { words, blobs: Vec::new() });
            }
        }
    }
}

/// The host waits for a stream, as `cuStreamSynchronize` does, without a line in the log: for
/// libraries' calls that wait.
///
/// # Errors
/// No context, or not a stream.
pub fn finished(stream: Handle) -> Result<(), LastError> {
    let Chosen::Judge(client) = chosen() else { return emulated::finished(stream) };
    let sent = Sent { words: vec![stream as u64], blobs: Vec::new() };
    ask(client, "cuStreamSynchronize", "library wait", sent).map(drop)
}

/// Adds a call of a library to the log that [`calls::take`] returns, on either back end.
///
/// `started` is when it began; `output` what it wrote, if it did; `code` and `code_name` are the
/// library's own status (0 for success), such as 7 and `CUBLAS_STATUS_INVALID_VALUE`.
pub fn record(
    name: &str,
    started: Instant,
    stream: Handle,
    output: Option<Run>,
    (code, code_name): (u32, &str),
) {
    let judge = match chosen() {
        Chosen::Judge(client) => Some(client),
        _ => None,
    };
    let call = ApiCall {
        name: name.to_owned(),
        // The judge's device knows the stream's number.
        stream: match judge {
            Some(_) => Some(stream as u64),
            None => names::stream_number(stream as usize),
        },
        address: output.map(|run| run.address),
        bytes: output.map(|run| run.bytes),
        result: code,
        result_name: code_name.to_owned(),
        ..ApiCall::default()
    };
    let Some(client) = judge else { return calls::add(call, started) };
    let json = serde_json::to_vec(&call).unwrap_or_default();
    let _: Done<Arrived> =
        program::ask(client, "library call", Sent { words: Vec::new(), blobs: vec![json.into()] });
}
