//! What the environment asks of the emulated device, and the times of its copies.

use simt::device::DeviceModel;

/// What `LAB_DEVICE` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// A GPU of this machine if there is one, else the emulated device.
    Auto,
    /// The emulated device.
    Emulated,
    /// A GPU of this machine.
    Cuda,
}

/// `LAB_DEVICE`.
///
/// # Errors
/// It has another value; the sentence names it.
pub fn wish() -> Result<Wish, String> {
    let wish = std::env::var("LAB_DEVICE").unwrap_or_default();
    match wish.trim() {
        "" | "auto" => Ok(Wish::Auto),
        "emulated" => Ok(Wish::Emulated),
        "cuda" => Ok(Wish::Cuda),
        other => Err(format!("LAB_DEVICE: expected auto, emulated or cuda, found `{other}`")),
    }
}

/// What the environment says of the emulated device.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// `LAB_GPU`: the GPU that is stood in for.
    pub device: &'static DeviceModel,
    /// `LAB_DEVICE_MEMORY`, at most what the GPU has.
    pub memory_bytes: u64,
    /// `LAB_STEP_LIMIT`: warp instructions after which a launch is stopped.
    pub step_limit: u64,
}

/// The settings.
///
/// # Errors
/// A variable has a value that means nothing; the sentence names it.
pub fn settings() -> Result<Settings, String> {
    let device = simt::device::from_env()?;
    let wish = std::env::var("LAB_DEVICE_MEMORY").unwrap_or_default();
    let capacity = memory_size(&wish).ok_or_else(|| {
        format!("LAB_DEVICE_MEMORY: expected a size such as 512M or 4G, found `{wish}`")
    })?;
    let wish = std::env::var("LAB_STEP_LIMIT").unwrap_or_default();
    let step_limit = match wish.trim() {
        "" => simt::ExecOptions::default().step_limit,
        text => text.parse().map_err(|_| {
            format!("LAB_STEP_LIMIT: expected a number of warp instructions, found `{text}`")
        })?,
    };
    Ok(Settings { device, memory_bytes: capacity.min(device.memory_bytes), step_limit })
}

/// `512M`, `4G`, `65536`, `1.5G`; 4 GiB for nothing. Units are powers of 1024.
fn memory_size(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.is_empty() {
        return Some(4 << 30);
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1.0,
        "K" | "KB" | "KIB" => 1024.0,
        "M" | "MB" | "MIB" => 1024.0 * 1024.0,
        "G" | "GB" | "GIB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let number: f64 = digits.trim().parse().ok()?;
    let bytes = number * unit;
    (bytes >= 1.0 && bytes <= (1u64 << 46) as f64).then_some(bytes as u64)
}

/// Predicted milliseconds for `bytes` over the host link of a device.
pub fn link_ms(device: &DeviceModel, bytes: u64) -> f64 {
    device.launch_us * 1e-3 + bytes as f64 / (device.pcie_gbs * 1e6)
}

/// Predicted milliseconds for `bytes` of traffic in device memory.
pub fn memory_ms(device: &DeviceModel, bytes: u64) -> f64 {
    device.launch_us * 1e-3 + bytes as f64 / (device.dram_gbs * device.dram_efficiency * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_sizes_are_read_with_their_units() {
        assert_eq!(memory_size(""), Some(4 << 30));
        assert_eq!(memory_size("512M"), Some(512 << 20));
        assert_eq!(memory_size(" 1.5 G "), Some(3 << 29));
        assert_eq!(memory_size("65536"), Some(65536));
        for wrong in ["lots", "-1G", "0", "1T", "NaN", "G"] {
            assert_eq!(memory_size(wrong), None, "{wrong}");
        }
    }
}
