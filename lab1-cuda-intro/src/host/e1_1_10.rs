//! Handlers of exercise 1.1.10: debugging.
