//! How a batch ends.
