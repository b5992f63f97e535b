//! Velocity models: build, extend, resample, smooth, cut the part of a shot.
