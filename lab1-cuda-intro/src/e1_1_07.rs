//! Exercise 1.1.7: printing from a kernel, clock().
