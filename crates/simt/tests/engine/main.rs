//! Whole kernels and whole sources, one module per subject.

mod cc;
mod corpus;
mod debug;
mod faults;
mod front_end;
mod idioms;
mod kernels;
mod language;
mod opencl;
mod overloads;
mod race_model;
mod read_only;
mod reference;
mod robustness;
#[path = "../support/mod.rs"]
mod support;
mod tested_reads;
mod touched;
mod world;
