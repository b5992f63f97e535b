//! The way of libraries (BLAS, RAND, FFT) into the emulated device: what a call of theirs reads and
//! writes, where it stands among the streams, and its line in the log of calls.
//!
//! A library whose work is done on the CPU wraps each call in an [`Operation`]: it reads its
//! inputs, computes, writes its outputs and ends. Whatever is checked for copies is checked here
//! too: never-written bytes that are read are a finding `UNINIT`, bytes that two streams touch in
//! no order are a finding `RACE-G`, and ranges outside of an allocation are errors. In a program
//! that a judge has started there are no operations: the judge's libraries are asked.
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

use std::borrow::Cow;
use std::time::Instant;

use emulation::backend::{Chosen, chosen};
use emulation::calls;
use emulation::remote::{Arrived, Parcel};
use wire::ApiCall;

use crate::abi::Handle;
pub use crate::emulated::{Operation, room};
use crate::failure::{Done, Failure, LastError};
use crate::names;
use crate::remote::program::{self, gone};

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

/// True if the device is a judge's, in another process: its libraries are there, too, and are
/// [`ask`]ed.
pub fn judged() -> bool {
    matches!(chosen(), Chosen::Judge(_))
}

/// Asks the judge's libraries for a call; what has come back.
///
/// # Errors
/// The judge's device is gone.
pub fn ask(
    name: &str,
    words: Vec<u64>,
    blobs: Vec<Vec<u8>>,
) -> Result<(Vec<u64>, Vec<Vec<u8>>), LastError> {
    let told = |Failure { code, line, report }| LastError { call: name.into(), code, line, report };
    let Chosen::Judge(client) = chosen() else { return Err(told(gone())) };
    let sent = Parcel { words, blobs: blobs.into_iter().map(Cow::Owned).collect() };
    let back = program::ask(client, &format!("library {name}"), sent).map_err(told)?;
    Ok(back.rest())
}

/// Adds a call of a library to the log that [`calls::take`] returns, on either back end.
///
/// `started` is when it began; `output` what it wrote, if it did; `code` and `code_name` are the
/// library's own status (0 for success), such as 7 and `CUBLAS_STATUS_INVALID_VALUE`. On a judge's
/// device only what was refused here is added: what was asked of it, it adds itself.
pub fn record(
    name: &str,
    started: Instant,
    stream: Handle,
    output: Option<Run>,
    (code, code_name): (u32, &str),
) {
    let judge = match chosen() {
        Chosen::Judge(_) if code == 0 => return,
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
    let sent = Parcel { words: Vec::new(), blobs: vec![json.into()] };
    let _: Done<Arrived> = program::ask(client, "library refused", sent);
}
