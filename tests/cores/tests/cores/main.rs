//! The library cores: every bit against integer models, every clock against what is declared,
//! resources in the order that theory demands, and the same answers from outside simulators.

mod desk;
mod fft;
mod fir;
mod parts;
mod tools;
