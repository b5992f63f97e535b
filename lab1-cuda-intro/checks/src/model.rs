//! Address models: what a launch must count, from the definitions alone and without the emulator.
