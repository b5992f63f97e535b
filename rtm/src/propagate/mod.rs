//! The native CPU back end.
