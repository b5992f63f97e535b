//! Lab 1: getting to know CUDA.
