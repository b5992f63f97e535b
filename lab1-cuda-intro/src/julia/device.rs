//! Who computes the picture of `julia`.

use clap::ValueEnum;

/// Who computes the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// Exercise 1.2.1: this machine's processor, all cores.
    Cpu,
    /// Exercise 1.2.2: the GPU, or the emulator.
    Gpu,
}

impl Device {
    /// The other one.
    pub fn other(self) -> Device {
        match self {
            Device::Cpu => Device::Gpu,
            Device::Gpu => Device::Cpu,
        }
    }

    /// `cpu` or `gpu`.
    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Gpu => "gpu",
        }
    }
}
