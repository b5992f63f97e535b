//! Exercise 1.1.2: make the program presentable.
