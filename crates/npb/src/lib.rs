//! Two of the NAS parallel benchmarks on the CPU: EP (Gaussian pairs, no communication) and FT (a
//! diffusion equation solved with a 3-D Fourier transform), with the official classes and
//! verification values, and smaller classes of our own for tests.
//!
//! Here are the benchmarks as they are defined, one step after the other; everything else is
//! compared with that. What `sequential` repeats, a batch of EP, a line's transform of FT, comes
//! from the caller: the lab's students write it. The fast versions are in the crate `npb-parallel`.
//! Definition: NAS technical report RNR-94-007; values: NPB 3.4.
//!
//! ```
//! use npb::ep;
//! let class = ep::Class::by_name("T").unwrap();
//! let result = ep::sequential(class.m, 8, &|mk, kk| ep::batch(1 << mk, kk)).unwrap();
//! assert_eq!(result.pairs(), 51_285);
//! assert!(class.verify(&result).is_ok());
//! ```

#![forbid(unsafe_code)]

pub mod ep;
pub mod ft;
pub mod random;
pub mod report;
pub mod study;
