//! Exercise 1.2.1: the Julia set on the CPU.
//!
//! A point z of the complex plane belongs to the (filled) Julia set of c if the sequence z, z^2 +
//! c, (z^2 + c)^2 + c, ... stays bounded: it is a *prisoner*. As soon as |z| > 2 it is certain to
//! run away: it is an *escapee*. Points that are still inside after `kmax` steps count as
//! prisoners. Prisoners are drawn red, escapees black.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// c = -0.123 + 0.745i: the fractal known as Douady's rabbit.
pub const C: (f32, f32) = (-0.123, 0.745);
/// Half the width of the picture at the start.
pub const START_SCALE: f32 = 1.5;

/// The square of the complex plane that is shown: its centre and half its width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Real part of the centre.
    pub dx: f32,
    /// Imaginary part of the centre.
    pub dy: f32,
    /// Half the width.
    pub scale: f32,
}

impl Default for View {
    fn default() -> View {
        View { dx: 0.0, dy: 0.0, scale: START_SCALE }
    }
}

/// Keys that change the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    /// `p`: the point under the mouse becomes the centre.
    Pan,
    /// `z`: nearer, the scale times 0.80.
    ZoomIn,
    /// `Z`: farther, the scale times 1.25.
    ZoomOut,
    /// `=`: back to the start.
    Reset,
    /// Esc: end of the program.
    Quit,
}

/// True if (x, y) is a prisoner: |z|^2 <= 4 held in `kmax` tests, one before each step.
///
/// NaN and infinity are escapees. The operations and their order are fixed, so that the GPU can
/// give the same bits: re' = (x*x - y*y) + c.re, im' = 2*x*y + c.im.
pub fn julia(x: f32, y: f32, kmax: u32) -> bool {
    // <lab
    let _ = (x, y, kmax);
    false
    // lab>
}

/// Complex coordinates of pixel (`xw`, `yw`) of a picture with `dim` x `dim` pixels.
///
/// The pixel (dim/2, dim/2) is the centre of the view and pixel 0 lies `scale` left of (below) it;
/// dim/2 is an integer division. x = scale*(xw - dim/2)/(dim/2) + dx, evaluated from left to right;
/// y likewise.
pub fn pixel_to_math(xw: i32, yw: i32, dim: i32, v: &View) -> (f32, f32) {
    // <lab
    let _ = (xw, yw, dim);
    (v.dx, v.dy)
    // lab>
}

/// The view after `key` was pressed with the mouse at pixel `mouse` of the window; `None` ends the
/// program.
///
/// `mouse` is (column, row) with row 0 at the **top** of the window, but the picture's rows grow
/// **upwards**.
pub fn apply_key(v: &View, key: Key, mouse: (i32, i32), dim: i32) -> Option<View> {
    // <lab
    let _ = (key, mouse, dim);
    Some(*v)
    // lab>
}

/// The picture of a view: `4 * dim * dim` bytes, row 0 (the lowest) first, each pixel as red,
/// green, blue, alpha.
///
/// Given. Rows are independent of each other, so `rayon` spreads them over the processor's cores.
pub fn render_cpu(v: &View, dim: u32, kmax: u32) -> Vec<u8> {
    let n = dim as usize;
    let mut rgba = vec![0; 4 * n * n];
    rgba.par_chunks_mut((4 * n).max(1)).enumerate().for_each(|(yw, row)| {
        for (xw, pixel) in row.chunks_exact_mut(4).enumerate() {
            let (x, y) = pixel_to_math(xw as i32, yw as i32, dim as i32, v);
            pixel.copy_from_slice(&[if julia(x, y, kmax) { 255 } else { 0 }, 0, 0, 255]);
        }
    });
    rgba
}
