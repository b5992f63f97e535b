//! The command `cargo lab`, without the terminal: [`course`] for students and instructors, [`tools`] around kernels.

pub mod course;
pub mod tools;
