//! The course tested as a whole.
