//! What a host program tells about itself: the trace of driver calls, and the two files by which a
//! judge asks a child process to run host code. [`serve`] is the child's side. With a device of the
//! judge both come by the [`channel`] to it instead.
//!
//! Request file: one JSON list of [`Call`]s. Reply file: one [`Reply`] per line, written as soon as
//! its call has ended, in the order of the calls. A child that dies in call k leaves k complete
//! lines, so earlier results are kept.

#![forbid(unsafe_code)]

pub mod channel;
pub mod device;
pub mod serve;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simt::fault::Fault;
use simt::report::LaunchReport;

/// One call of the driver API, on either back end.
///
/// Names are those of the CUDA manual without the version suffix (`cuMemAlloc`, not
/// `cuMemAlloc_v2`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApiCall {
    /// Name of the function, such as `cuMemcpyHtoD`.
    pub name: String,
    /// Host thread: 0 for the first thread that ever called the driver, then 1, 2, ...
    pub thread: u64,
    /// Stream of the call: 0 is the legacy default stream, 1, 2, ... the created ones in order of
    /// creation. `None` for calls without a stream; the synchronous copies and memsets run on
    /// stream 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<u64>,
    /// Event of the call: 1, 2, ... in order of creation. For `cuEventElapsedTime` the *end* event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// Start event of `cuEventElapsedTime`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_event: Option<u64>,
    /// Bytes allocated, copied or set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Device address that was allocated, freed, written (copies, memsets) or, for copies to the
    /// host, read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<u64>,
    /// Details of `cuLaunchKernel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<LaunchCall>,
    /// Result code; 0 is success.
    pub result: u32,
    /// Name of the result code, such as `CUDA_ERROR_INVALID_VALUE`; `CUDA_SUCCESS` for 0.
    pub result_name: String,
}

impl ApiCall {
    /// True if the call returned `CUDA_SUCCESS`.
    pub fn ok(&self) -> bool {
        self.result == 0
    }
}

/// What `cuLaunchKernel` was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchCall {
    /// Kernel name as given to `cuModuleGetFunction`.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// The arguments as the kernel reads them. Empty if the driver does not tell their sizes (real
    /// drivers before CUDA 12.4), or if there was none to read.
    pub params: Vec<ParamCall>,
}

/// One argument of a launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ParamCall {
    /// Name in the kernel; empty on a real device.
    pub name: String,
    /// Type in the kernel, such as `const float *`; empty on a real device.
    pub type_name: String,
    /// The bytes that the kernel receives, as many as its parameter has. `launch!` does not
    /// convert: a host value of another width gives other bytes than were meant.
    pub bytes: Vec<u8>,
}

/// A driver call with its time, as the host saw it. Times are for display and never part of a mark.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimedCall {
    /// The call.
    #[serde(flatten)]
    pub call: ApiCall,
    /// Milliseconds from the program's first driver call to the begin of this one.
    pub start_ms: f64,
    /// Milliseconds that the call took.
    pub ms: f64,
}

/// What a program leaves in the file named by the environment variable `LAB_TRACE` when it ends, as
/// one JSON object. `cargo lab profile --bin NAME` sets the variable and shows the content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Back end: `emulated` or `cuda`.
    pub backend: String,
    /// Name of the device, such as `NVIDIA H200`.
    pub device: String,
    /// Driver calls in the order in which they were made.
    pub calls: Vec<TimedCall>,
    /// Driver calls that were not kept, because there were too many.
    pub dropped: u64,
    /// Launches that ran to their end; empty on a real device.
    pub launches: Vec<LaunchReport>,
    /// Faults and findings; empty on a real device.
    pub faults: Vec<Fault>,
    /// Text of the kernel files, by the names that the reports use.
    pub sources: BTreeMap<String, String>,
}

/// One call that the judge wants made in the child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Name of the handler, such as `e1_1_05.best_of`.
    pub call: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Value,
}

impl Call {
    /// A call of the handler `call`.
    pub fn new(call: &str, args: &Value) -> Call {
        Call { call: call.to_string(), args: args.clone() }
    }
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The handler returned this.
    Ok(Value),
    /// The handler returned an error.
    Err {
        /// One line.
        message: String,
        /// All that is known: source lines of a fault, compiler messages.
        report: String,
        /// `CUDA_ERROR_...` if the driver refused something, else empty.
        #[serde(default)]
        code: String,
    },
    /// The handler panicked.
    Panic {
        /// Text of the panic.
        message: String,
        /// `file:line:column`; empty if not known.
        at: String,
    },
    /// There is no handler of that name.
    Unknown,
}

/// What one call did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Name of the call that this answers.
    pub call: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Back end: `emulated` or `cuda`.
    pub backend: String,
    /// Driver calls in the order in which they were made.
    pub api: Vec<ApiCall>,
    /// Driver calls that were not kept, because there were too many.
    pub api_dropped: u64,
    /// Launches that ran to their end; empty on a real device.
    pub launches: Vec<LaunchReport>,
    /// Faults and findings; empty on a real device.
    pub faults: Vec<Fault>,
    /// Wall time of the handler in milliseconds. For display only: never part of a mark.
    pub wall_ms: f64,
    /// Where the returned numbers come from, as the judge's device saw it; absent if the device was
    /// the child's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Reply {
    /// Reads a reply as a judge's device tells it: what it saw, and the [`Outcome`] as the program
    /// gave it. Numbers by the million are read here, because this crate is compiled with an
    /// optimiser and the judge is not.
    ///
    /// # Errors
    /// Text that is no reply.
    pub fn of_parts(seen: &[u8], outcome: &[u8]) -> serde_json::Result<Reply> {
        let reply: Reply = serde_json::from_slice(seen)?;
        Ok(Reply { outcome: serde_json::from_slice(outcome)?, ..reply })
    }
}

/// Where the numbers of a returned value come from, as the judge's device saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Numbers in the lists of the value.
    pub numbers: u64,
    /// Those that are not, with their neighbours, among what the program copied from the device
    /// after a kernel or a library had written it there.
    pub strange: u64,
    /// Bytes that a kernel or a library had written and the program copied from the device.
    pub copied: u64,
    /// Numbers that the program gave to the device (in copies, fills, arguments and texts of
    /// kernels) and that are not, with their neighbours, in the lists of the call's arguments.
    #[serde(default)]
    pub foreign: u64,
}

impl Reply {
    /// Reads a reply as the child wrote it: one line of JSON. Numbers by the million are read here,
    /// because this crate is compiled with an optimiser and the judge is not.
    ///
    /// # Errors
    /// Text that is no reply.
    pub fn of_line(line: &[u8]) -> serde_json::Result<Reply> {
        serde_json::from_slice(line)
    }
}

/// `f32` values as JSON that keeps every bit, NaN and infinities too: a list of bit patterns.
pub fn f32_bits(values: &[f32]) -> Value {
    values.iter().map(|v| Value::from(v.to_bits())).collect()
}

/// Reads what [`f32_bits`] wrote.
///
/// # Errors
/// Says which element is not a bit pattern.
pub fn f32_from_bits(value: &Value) -> Result<Vec<f32>, String> {
    Ok(numbers::<u32>(value)?.into_iter().map(f32::from_bits).collect())
}

/// `f64` values as JSON that keeps every bit: a list of bit patterns.
pub fn f64_bits(values: &[f64]) -> Value {
    values.iter().map(|v| Value::from(v.to_bits())).collect()
}

/// Reads what [`f64_bits`] wrote.
///
/// # Errors
/// Says which element is not a bit pattern.
pub fn f64_from_bits(value: &Value) -> Result<Vec<f64>, String> {
    Ok(numbers::<u64>(value)?.into_iter().map(f64::from_bits).collect())
}

fn numbers<T: TryFrom<u64>>(value: &Value) -> Result<Vec<T>, String> {
    let list = value.as_array().ok_or("expected a list of bit patterns")?;
    let one = |(i, v): (usize, &Value)| {
        v.as_u64()
            .and_then(|bits| T::try_from(bits).ok())
            .ok_or_else(|| format!("element {i}: expected a bit pattern, found {v}"))
    };
    list.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_keep_their_bits_through_text() {
        let values = [0.0f32, -0.0, 1.5, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE / 2.0];
        let text = serde_json::to_string(&f32_bits(&values)).unwrap();
        let back = f32_from_bits(&serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!(
            values.map(f32::to_bits).to_vec(),
            back.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
        );
        let values = [f64::NAN, -1e300, 0.1];
        let back = f64_from_bits(&f64_bits(&values)).unwrap();
        assert_eq!(
            values.map(f64::to_bits).to_vec(),
            back.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
        );
        assert_eq!(
            f32_from_bits(&serde_json::json!([1, 2.5])).unwrap_err(),
            "element 1: expected a bit pattern, found 2.5"
        );
    }

    #[test]
    fn a_reply_survives_its_line_of_text() {
        let reply = Reply {
            call: "e.f".into(),
            outcome: Outcome::Err {
                message: "no".into(),
                report: "no\nline".into(),
                code: String::new(),
            },
            backend: "emulated".into(),
            api: vec![ApiCall {
                name: "cuInit".into(),
                result_name: "CUDA_SUCCESS".into(),
                ..Default::default()
            }],
            api_dropped: 0,
            launches: vec![],
            faults: vec![],
            wall_ms: 0.25,
            origin: None,
        };
        let line = serde_json::to_string(&reply).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Reply>(&line).unwrap(), reply);
    }
}
