//! Exercise 1.1.6: net time with events.
