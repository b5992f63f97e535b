//! Who does the work: the vendor's library on a GPU, or this crate on the CPU.

use cuda_driver::{Backend, library};

/// Who computes. On the emulated device it is always the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// The vendor's library on a GPU (an error that names it if it is not installed), the CPU on
    /// the emulated device. The environment variable `LAB_LIBRARIES` (`auto`, `vendor`, `cpu`)
    /// changes that.
    #[default]
    Auto,
    /// The vendor's library.
    Vendor,
    /// The CPU. On a GPU, operands are copied to the host and results back.
    Cpu,
}

/// The decision, once it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// On a judge's device, the judge's.
    Vendor,
    Cpu,
}

impl Provider {
    /// Decides.
    ///
    /// # Errors
    /// A sentence, if the vendor's library is asked for on the emulated device or the variable has
    /// another value.
    pub(crate) fn choose(self) -> Result<Chosen, String> {
        let wish = match self {
            Provider::Auto => match std::env::var("LAB_LIBRARIES").unwrap_or_default().trim() {
                "" | "auto" => Provider::Auto,
                "vendor" => Provider::Vendor,
                "cpu" => Provider::Cpu,
                other => {
                    return Err(format!(
                        "LAB_LIBRARIES: expected auto, vendor or cpu, found `{other}`"
                    ));
                }
            },
            fixed => fixed,
        };
        match (wish, cuda_driver::backend()) {
            (Provider::Cpu | Provider::Auto, Backend::Emulated) if library::judged() => {
                Ok(Chosen::Vendor)
            }
            (Provider::Cpu, _) | (Provider::Auto, Backend::Emulated) => Ok(Chosen::Cpu),
            (Provider::Auto | Provider::Vendor, Backend::Cuda) => Ok(Chosen::Vendor),
            (Provider::Vendor, Backend::Emulated) => {
                let what = "the vendor's library needs a GPU, but this is the emulated device: \
                            ask for Provider::Auto";
                Err(what.into())
            }
        }
    }
}
