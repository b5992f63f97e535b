//! The parts of the program `julia` that are given: options, keys, rendering, window, plots.
//!
//! The exercises' functions come from [`e1_2_01`](lab1_cuda_intro::e1_2_01) and
//! [`e1_2_02`](lab1_cuda_intro::e1_2_02).

pub mod device;
pub mod options;
pub mod plots;
pub mod render;
pub mod session;
pub mod viewer;
