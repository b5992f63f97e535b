//! Outside simulators and synthesis.
