//! Handlers of exercise 1.1.14: refactoring.
