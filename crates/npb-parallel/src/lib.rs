//! The NAS benchmarks of the crate `npb` made fast: on all cores, with the vector instructions of
//! the machine at hand. What checks compare with needs neither, so `cargo lab` does not build this.
//!
//! ```
//! use npb::ep::Class;
//! let class = Class::by_name("T").unwrap();
//! let result = npb_parallel::ep::parallel(class.m, 8).unwrap();
//! assert!(class.verify(&result).is_ok());
//! ```

#![forbid(unsafe_code)]

pub mod ep;
pub mod ft;
