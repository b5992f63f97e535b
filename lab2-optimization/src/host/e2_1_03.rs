//! Handlers of exercise 2.1.3: choosing an audio signal.

use std::path::Path;

use labkit::LabError;
use serde_json::{Value, json};

use super::args;
use super::e2_1_02::scratch;
use crate::audio::wav::{AudioError, WavInfo, Why};

/// Handlers of exercise 2.1.3 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_03 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_1_03.check_wav", |args| {
                $crate::host::e2_1_03::check_wav(exercise::check_wav, args)
            }),
        ];
        list
    }};
}

/// `{"name": "x.wav", "bytes": [..] or null for no file, "zeros": bytes of value 0 that follow}` ->
/// the file's properties, or `{"error": text, "kind": name}`.
pub fn check_wav(
    f: fn(&Path) -> Result<WavInfo, AudioError>,
    request: &Value,
) -> Result<Value, LabError> {
    let name: String = args(&request["name"])?;
    let bytes: Option<Vec<u8>> = args(&request["bytes"])?;
    let zeros: usize = args(&request["zeros"])?;
    let path = scratch(&name);
    let _ = std::fs::remove_file(&path);
    if let Some(mut bytes) = bytes {
        bytes.resize(bytes.len() + zeros, 0);
        std::fs::write(&path, bytes).map_err(|e| LabError::msg(format!("scratch file: {e}")))?;
    }
    Ok(match f(&path) {
        Ok(info) => json!({
            "frames": info.frames,
            "seconds": info.seconds,
            "bits": info.bits,
            "float": info.float,
            "high_share": info.high_share,
            "warning": info.warning,
        }),
        Err(error) => {
            let kind = match error.why {
                Why::Unreadable(_) => "unreadable",
                Why::NotWav => "not wav",
                Why::Broken(_) => "broken",
                Why::Channels(_) => "channels",
                Why::Rate(_) => "rate",
                Why::Empty => "empty",
                Why::Truncated(..) => "truncated",
                Why::Duration(_) => "duration",
            };
            json!({ "error": error.to_string(), "kind": kind })
        }
    })
}
