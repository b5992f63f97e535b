//! Acquisition: geometry, traces, sinc interpolation, wavelets.
