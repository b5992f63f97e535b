//! Handlers of exercise 1.1.5: gross time.
