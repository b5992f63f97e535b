//! Handlers of exercise 1.1.3: bigger vectors, many blocks.
