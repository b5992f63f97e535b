//! The five CUDA versions of the filter, side by side.

use labkit::{KernelFile, Lab, LabError, kernel_file};

use crate::timing::Timing;
use crate::{e2_1_06, e2_1_07, e2_1_08, e2_1_09, e2_1_10};

/// A filter on the GPU: lab, threads of a block, yout, yin, coeff, order n, samples per channel.
pub type Audiofir =
    fn(&Lab, u32, &mut [f32], &[f32], &[f32], usize, usize) -> Result<Timing, LabError>;

/// One version.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    /// Name of its kernel file without the ending.
    pub name: &'static str,
    /// Its kernel file.
    pub file: KernelFile,
    /// Its host function.
    pub audiofir: Audiofir,
}

/// All versions, `fir1` first.
pub const VERSIONS: [Version; 5] = [
    Version { name: "fir1", file: kernel_file!("fir1.cu"), audiofir: e2_1_06::audiofir },
    Version { name: "fir2", file: kernel_file!("fir2.cu"), audiofir: e2_1_07::audiofir },
    Version { name: "fir3", file: kernel_file!("fir3.cu"), audiofir: e2_1_08::audiofir },
    Version { name: "fir4", file: kernel_file!("fir4.cu"), audiofir: e2_1_09::audiofir },
    Version { name: "fir5", file: kernel_file!("fir5.cu"), audiofir: e2_1_10::audiofir },
];
