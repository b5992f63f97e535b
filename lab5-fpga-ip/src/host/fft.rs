//! Handlers of exercises 5.7 to 5.9: transforms.

use hdl::{Block, BuildErrors, Module, signed, unsigned};
use ipcores::fft::{Complex, Engine, Fft, FftCore};
use serde::Deserialize;
use serde_json::{Value, json};
use wire::serve::{Failed, args};

use super::design::{built, reply};

/// Handlers of exercise 5.7 over a module with its functions.
#[macro_export]
macro_rules! handlers_e5_7 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e5_7.addresses", |r| $crate::host::fft::addresses(&exercise::ENGINE, r)),
            ("e5_7.butterfly", |r| $crate::host::fft::butterfly(&exercise::ENGINE, r)),
            ("e5_7.transform", |r| $crate::host::fft::transform(exercise::radix2, r)),
        ];
        list
    }};
}

/// Handlers of exercise 5.8 over a module with its functions.
#[macro_export]
macro_rules! handlers_e5_8 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e5_8.addresses", |r| $crate::host::fft::addresses(&exercise::ENGINE, r)),
            ("e5_8.butterfly", |r| $crate::host::fft::butterfly(&exercise::ENGINE, r)),
            ("e5_8.transform", |r| $crate::host::fft::transform(exercise::radix4, r)),
        ];
        list
    }};
}

/// Handlers of exercise 5.9 over a module with its functions.
#[macro_export]
macro_rules! handlers_e5_9 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e5_9.top", |r| $crate::host::fft::top(exercise::top, r))];
        list
    }};
}

#[derive(Deserialize)]
struct Parameters {
    points: u32,
    data_bits: u32,
    factor_bits: u32,
    rounding: bool,
}

fn parameters(request: &Value) -> Result<Fft, Failed> {
    let p: Parameters = args(request)?;
    let fft =
        Fft::new(p.points, p.data_bits, p.factor_bits).map_err(|e| Failed::msg(e.to_string()))?;
    Ok(if p.rounding { fft.rounding() } else { fft })
}

/// `{"points", "data_bits", "factor_bits", "rounding"}` -> the design with its declared clocks.
///
/// # Errors
/// Bad parameters; the builder's mistakes.
pub fn transform(
    build: fn(Fft) -> Result<FftCore, BuildErrors>,
    request: &Value,
) -> Result<Value, Failed> {
    let core = built(build(parameters(request)?))?;
    Ok(json!({
        "design": core.block, "radix": core.radix, "engine": core.engine, "flush": core.flush,
        "period": core.period
    }))
}

/// The address generator alone: inputs `stage` and `number`, outputs `judge_value0`, ... and
/// `judge_factor`.
///
/// # Errors
/// Bad parameters; the builder's mistakes.
pub fn addresses(engine: &Engine, request: &Value) -> Result<Value, Failed> {
    let fft = parameters(request)?;
    let stages = fft.stages(engine.radix).map_err(|e| Failed::msg(e.to_string()))?;
    let m = Module::new("judge_addresses");
    let stage = m.input("stage", unsigned(u32::BITS - (stages - 1).leading_zeros()));
    let number = m.input("number", unsigned(fft.log2() - engine.radix.ilog2()));
    // Asked for whatever comes of them.
    stage.unused();
    number.unused();
    let addresses = (engine.addresses)(&m, fft, stage, number);
    for (i, position) in addresses.positions.into_iter().enumerate() {
        m.output(&format!("judge_value{i}"), position);
    }
    m.output("judge_factor", addresses.factor);
    reply(m.build())
}

/// The butterfly alone: inputs `judge_x0_re`, `judge_x0_im`, ... and `judge_w1_re`, ..., outputs
/// `judge_y0_re`, ...
///
/// # Errors
/// Bad parameters; the builder's mistakes.
pub fn butterfly(engine: &Engine, request: &Value) -> Result<Value, Failed> {
    let fft = parameters(request)?;
    let m = Module::new("judge_butterfly");
    let input = |name: &str, bits: u32| {
        let part = |which: &str| {
            let part = m.input(&format!("judge_{name}_{which}"), signed(bits));
            part.unused();
            part
        };
        Complex { re: part("re"), im: part("im") }
    };
    let x: Vec<Complex> =
        (0..engine.radix).map(|i| input(&format!("x{i}"), fft.data_bits())).collect();
    let w: Vec<Complex> =
        (1..engine.radix).map(|i| input(&format!("w{i}"), fft.factor_bits())).collect();
    for (i, y) in (engine.butterfly)(&m, fft, &x, &w).into_iter().enumerate() {
        m.output(&format!("judge_y{i}_re"), y.re);
        m.output(&format!("judge_y{i}_im"), y.im);
    }
    reply(m.build())
}

/// `{"core": "lite", "streaming" or "radix4", "schedule": word}` -> the board's design around that
/// transform of 1024 points.
///
/// # Errors
/// An unknown core; the builder's mistakes.
pub fn top(
    top: fn(&FftCore, i64) -> Result<Block, BuildErrors>,
    request: &Value,
) -> Result<Value, Failed> {
    let name: String = args(&request["core"])?;
    let fft = Fft::lab5();
    let core = match name.as_str() {
        "lite" => ipcores::fft::lite(fft),
        "streaming" => ipcores::fft::streaming(fft),
        "radix4" => crate::e5_8::radix4(fft),
        "radix2" => crate::e5_7::radix2(fft),
        _ => return Err(Failed::msg(format!("there is no transform {name}"))),
    };
    reply(top(&built(core)?, args(&request["schedule"])?))
}
