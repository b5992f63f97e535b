//! Handlers of exercise 1.2.1: Julia set, CPU version.

use labkit::LabError;
use serde::Deserialize;
use serde_json::{Value, json};
use wire::{f32_bits, f32_from_bits};

use super::args as request;
use crate::e1_2_01::{Key, View};
use crate::julia::options::Options;
use crate::julia::session::{Action, ApplyKey, parse_keys};

/// Names the functions of a module for exercise 1.2.1.
#[macro_export]
macro_rules! handlers_e1_2_01 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::e1_2_01 as lab;
        // A copy of the exercise has types of its own.
        fn view(v: &lab::View) -> exercise::View {
            exercise::View { dx: v.dx, dy: v.dy, scale: v.scale }
        }
        fn apply_key(
            v: &lab::View, key: lab::Key, mouse: (i32, i32), dim: i32,
        ) -> Option<lab::View> {
            let key = match key {
                lab::Key::Pan => exercise::Key::Pan,
                lab::Key::ZoomIn => exercise::Key::ZoomIn,
                lab::Key::ZoomOut => exercise::Key::ZoomOut,
                lab::Key::Reset => exercise::Key::Reset,
                lab::Key::Quit => exercise::Key::Quit,
            };
            let v = exercise::apply_key(&view(v), key, mouse, dim)?;
            Some(lab::View { dx: v.dx, dy: v.dy, scale: v.scale })
        }
        let list: Vec<(&'static str, labkit::serve::Handler)> = vec![
            ("e1_2_01.render", |args| {
                let render =
                    |v: &lab::View, dim, kmax| exercise::render_cpu(&view(v), dim, kmax);
                $crate::host::e1_2_01::render(render, args)
            }),
            ("e1_2_01.julia", |args| $crate::host::e1_2_01::julia(exercise::julia, args)),
            ("e1_2_01.pixels", |args| {
                let math =
                    |x, y, dim, v: &lab::View| exercise::pixel_to_math(x, y, dim, &view(v));
                $crate::host::e1_2_01::pixels(math, args)
            }),
            ("e1_2_01.keys", |args| $crate::host::e1_2_01::keys(apply_key, args)),
            ("e1_2_01.cli", |args| $crate::host::e1_2_01::cli(apply_key, args)),
        ];
        list
    }};
}

/// A picture to be rendered.
#[derive(Debug, Deserialize)]
pub struct Picture {
    /// Part of the plane.
    pub view: View,
    /// Columns and rows.
    pub dim: u32,
    /// Steps per pixel.
    pub kmax: u32,
}

/// The picture as text, one character a pixel: `#` red, `.` black (both with alpha 255), `?`
/// anything else.
pub fn picture_text(rgba: &[u8]) -> String {
    let pixel = |p: &[u8]| match p {
        [255, 0, 0, 255] => '#',
        [0, 0, 0, 255] => '.',
        _ => '?',
    };
    rgba.chunks(4).map(pixel).collect()
}

/// `[{"view", "dim", "kmax"}, ...]` -> pictures as text.
///
/// # Errors
/// A bad request.
pub fn render(f: fn(&View, u32, u32) -> Vec<u8>, args: &Value) -> Result<Value, LabError> {
    let pictures: Vec<Picture> = request(args)?;
    let text = |p: &Picture| picture_text(&f(&p.view, p.dim, p.kmax));
    Ok(json!(pictures.iter().map(text).collect::<Vec<_>>()))
}

/// `{"x": bits, "y": bits, "kmax"}` -> prisoner or not, for each point.
///
/// # Errors
/// A bad request.
pub fn julia(f: fn(f32, f32, u32) -> bool, args: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Points {
        x: Value,
        y: Value,
        kmax: u32,
    }
    let Points { x, y, kmax } = request(args)?;
    let x = f32_from_bits(&x).map_err(LabError::msg)?;
    let y = f32_from_bits(&y).map_err(LabError::msg)?;
    Ok(json!(x.iter().zip(&y).map(|(x, y)| f(*x, *y, kmax)).collect::<Vec<_>>()))
}

/// `{"pixels": [[xw, yw], ...], "dim", "view"}` -> bits of x and of y of all pixels.
///
/// # Errors
/// A bad request.
pub fn pixels(f: fn(i32, i32, i32, &View) -> (f32, f32), args: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Pixels {
        pixels: Vec<(i32, i32)>,
        dim: i32,
        view: View,
    }
    let q: Pixels = request(args)?;
    let points = q.pixels.iter().map(|(xw, yw)| f(*xw, *yw, q.dim, &q.view));
    let (x, y): (Vec<_>, Vec<_>) = points.unzip();
    Ok(json!([f32_bits(&x), f32_bits(&y)]))
}

/// `[{"view", "key", "mouse", "dim"}, ...]` -> bits of dx, dy, scale after each key, or null for
/// the end.
///
/// # Errors
/// A bad request.
pub fn keys(f: ApplyKey, args: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Press {
        view: View,
        key: Key,
        mouse: (i32, i32),
        dim: i32,
    }
    let presses: Vec<Press> = request(args)?;
    let after =
        |p: &Press| f(&p.view, p.key, p.mouse, p.dim).map(|v| f32_bits(&[v.dx, v.dy, v.scale]));
    Ok(json!(presses.iter().map(after).collect::<Vec<_>>()))
}

/// `[[argument, ...], ...]` (without the program's name) -> for each command line the error's text
/// and exit code, or where the keys lead: bits of dx, dy, scale, then kmax, the device, and whether
/// the program still runs.
///
/// # Errors
/// A bad request.
pub fn cli(f: ApplyKey, args: &Value) -> Result<Value, LabError> {
    let lines: Vec<Vec<String>> = request(args)?;
    let one = |line: &Vec<String>| {
        let args = std::iter::once("julia").chain(line.iter().map(String::as_str));
        let options = match Options::read(args) {
            Ok(options) => options,
            Err((text, code)) => return json!({ "error": text, "code": code }),
        };
        let mut session = options.session();
        let presses = parse_keys(options.keys.as_deref().unwrap_or(""), options.dim);
        for press in presses.unwrap_or_default() {
            if session.open && press.action != Action::Save {
                session.press(press, options.dim, f);
            }
        }
        let v = session.view;
        json!({
            "view": f32_bits(&[v.dx, v.dy, v.scale]),
            "kmax": session.kmax,
            "device": session.device.name(),
            "open": session.open,
        })
    };
    Ok(json!(lines.iter().map(one).collect::<Vec<_>>()))
}
