//! Exercise 1.1.4: the memory checker.
