//! Exercise 1.1.5: gross time.
