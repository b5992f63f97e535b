//! The compilers: one set of parameters, any architecture.

use hdl::BuildErrors;
use hdl::estimate::Device;
use ipcores::fft::{self, Fft, FftCore};
use ipcores::fir::{self, Fir, FirCore};

use crate::{e5_3, e5_4, e5_5, e5_7, e5_8};

/// How a filter is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirArchitecture {
    /// Direct form, a register behind every adder.
    Systolic,
    /// Transposed form.
    Transposed,
    /// Distributed arithmetic with so many bits per clock.
    Distributed(u32),
    /// One multiplier.
    Mac,
}

impl FirArchitecture {
    /// All of them that are of interest for 16 bits.
    pub const ALL: [FirArchitecture; 8] = [
        FirArchitecture::Systolic,
        FirArchitecture::Transposed,
        FirArchitecture::Distributed(1),
        FirArchitecture::Distributed(2),
        FirArchitecture::Distributed(4),
        FirArchitecture::Distributed(8),
        FirArchitecture::Distributed(16),
        FirArchitecture::Mac,
    ];

    /// As it is called in tables and file names.
    pub fn name(self) -> String {
        match self {
            FirArchitecture::Systolic => "systolic".into(),
            FirArchitecture::Transposed => "transposed".into(),
            FirArchitecture::Distributed(p) => format!("da{p}"),
            FirArchitecture::Mac => "mac".into(),
        }
    }

    /// The filter.
    ///
    /// # Errors
    /// What the builder finds wrong with an architecture's signals.
    pub fn build(self, fir: &Fir) -> Result<FirCore, BuildErrors> {
        match self {
            FirArchitecture::Systolic => e5_3::systolic(fir),
            FirArchitecture::Transposed => e5_3::transposed(fir),
            FirArchitecture::Distributed(1) => e5_4::serial(fir),
            FirArchitecture::Distributed(p) => e5_5::parallel(fir, p),
            FirArchitecture::Mac => fir::mac(fir),
        }
    }
}

/// How a transform is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FftArchitecture {
    /// A stage of hardware for every stage.
    Streaming,
    /// One dragonfly.
    Radix4,
    /// One butterfly.
    Radix2,
    /// Real and imaginary part in turn.
    Lite,
}

impl FftArchitecture {
    /// All of them, the fastest first.
    pub const ALL: [FftArchitecture; 4] = [
        FftArchitecture::Streaming,
        FftArchitecture::Radix4,
        FftArchitecture::Radix2,
        FftArchitecture::Lite,
    ];

    /// As it is called in tables and file names.
    pub fn name(self) -> &'static str {
        match self {
            FftArchitecture::Streaming => "streaming",
            FftArchitecture::Radix4 => "radix4",
            FftArchitecture::Radix2 => "radix2",
            FftArchitecture::Lite => "lite",
        }
    }

    /// 2 or 4.
    pub fn radix(self) -> u32 {
        if self == FftArchitecture::Radix4 { 4 } else { 2 }
    }

    /// The transform.
    ///
    /// # Errors
    /// What the builder finds wrong; for radix 4 a number of points that is not a power of 4.
    pub fn build(self, fft: Fft) -> Result<FftCore, BuildErrors> {
        match self {
            FftArchitecture::Streaming => fft::streaming(fft),
            FftArchitecture::Radix4 => e5_8::radix4(fft),
            FftArchitecture::Radix2 => e5_7::radix2(fft),
            FftArchitecture::Lite => fft::lite(fft),
        }
    }
}

/// What a generator's window shows beside the parameters, of the lab's filter in the architecture
/// of that name: frequency response, latency and resources.
///
/// # Errors
/// There is no such architecture, or it cannot be built.
pub fn explain(name: &str) -> Result<String, String> {
    let fir = Fir::lab5();
    let Some(architecture) = FirArchitecture::ALL.into_iter().find(|a| a.name() == name) else {
        let names = FirArchitecture::ALL.map(FirArchitecture::name).join(", ");
        return Err(format!("there is no architecture `{name}`: choose one of {names}"));
    };
    let core = architecture.build(&fir).map_err(|mistakes| mistakes.to_string())?;
    Ok(fir::explain(&fir, &core, &Device::XC3S700A))
}
