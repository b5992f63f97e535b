//! Files: traces in SU and SEG-Y, cubes as raw values, NPY, SU and SEG-Y, tables of places.
//!
//! Every file is written by way of a part file and a rename ([`atomic`]), so a crash leaves the old
//! file or the new one. Every refusal names the file, what is wrong in it, and what to do.

pub mod atomic;
pub mod cube;
mod digest;
mod ebcdic;
pub mod header;
mod npy;
pub mod raw;
pub mod traces;

pub use cube::{Known, read_cube, write_cube, write_values};
pub use digest::{Digest, Fingerprint};
pub use ebcdic::text_lines;
pub use header::{HeaderRules, TraceHeader};
pub use raw::RawTrace;
pub use traces::{Clock, ShotEntry, Trace, TraceFormat, TraceReader, index_shots, write_traces};
