//! Unmodified ocl on the emulated platform, and the same programs on PoCL where it is installed.

use opencl_icd as _;

mod events;
mod faults;
mod images;
mod judge;
mod kernels;
mod memory;
mod objects;
mod platforms;
mod support;
