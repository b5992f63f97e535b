//! Handlers of exercise 2.1.4: spoiling and restoring the signal.

use std::path::Path;

use labkit::LabError;
use serde_json::{Value, json};

use super::e2_1_02::{bytes, scratch};
use super::{args, bits64, from_bits64};
use crate::audio::Frame;
use crate::audio::design::Design;

/// Handlers of exercise 2.1.4 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_04 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e2_1_04 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_1_04.highpass", |_| host::highpass(exercise::highpass128)),
            ("e2_1_04.spoil", |args| host::spoil(exercise::spoil, args)),
            ("e2_1_04.design", |args| host::design(exercise::design, args)),
            ("e2_1_04.make_in", |args| host::make_in(exercise::make_in, args)),
            ("e2_1_04.soundsc", |args| host::soundsc(exercise::soundsc, args)),
        ];
        list
    }};
}

/// Bits of both channels, `[left, right]`.
type Channels = [Vec<u64>; 2];

fn frames([left, right]: &Channels) -> Vec<Frame> {
    from_bits64(left).into_iter().zip(from_bits64(right)).map(|(l, r)| [l, r]).collect()
}

/// Nothing -> bits of the taps.
pub fn highpass(f: fn() -> [f64; 129]) -> Result<Value, LabError> {
    Ok(json!(bits64(&f())))
}

/// `{"y": bits of both channels, "seed"}` -> bits of both channels.
pub fn spoil(f: fn(&[Frame], u64) -> Vec<Frame>, request: &Value) -> Result<Value, LabError> {
    let (y, seed): (Channels, u64) = (args(&request["y"])?, args(&request["seed"])?);
    let spoilt = f(&frames(&y), seed);
    Ok(json!([0, 1].map(|c| spoilt.iter().map(|frame| frame[c].to_bits()).collect::<Vec<_>>())))
}

/// `"printed"` or `"hifi"` -> bits of the taps.
pub fn design(
    f: fn(Design) -> Result<Vec<f64>, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let kind = if request == "printed" { Design::Printed } else { Design::Hifi };
    Ok(json!(bits64(&f(kind)?)))
}

/// Writes the file `path` from coefficients and input.
type MakeIn = fn(&Path, &[f64], &[Frame]) -> Result<(), LabError>;

/// `{"coeff": bits, "yin": bits of both channels}` -> the bytes of the file.
pub fn make_in(f: MakeIn, request: &Value) -> Result<Value, LabError> {
    let (coeff, yin): (Vec<u64>, Channels) = (args(&request["coeff"])?, args(&request["yin"])?);
    let path = scratch("audiofir_in.dat");
    f(&path, &from_bits64(&coeff), &frames(&yin))?;
    bytes(&path)
}

/// Bits of both channels -> pairs of 16-bit samples.
pub fn soundsc(f: fn(&[Frame]) -> Vec<[i16; 2]>, request: &Value) -> Result<Value, LabError> {
    let y: Channels = args(request)?;
    Ok(json!(f(&frames(&y))))
}
