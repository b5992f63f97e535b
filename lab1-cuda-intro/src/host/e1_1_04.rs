//! Handlers of exercise 1.1.4: the memory checker.
