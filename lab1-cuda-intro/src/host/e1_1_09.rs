//! Handlers of exercise 1.1.9: profiling.
