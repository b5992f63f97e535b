//! Handlers of exercise 1.2.2: Julia set, GPU version.

use cust::memory::DeviceBuffer;
use labkit::{Lab, LabError};
use serde_json::{Value, json};

use super::args as request;
use super::e1_2_01::{Picture, picture_text};
use crate::e1_2_01::View;

/// Names the functions of a module for exercise 1.2.2.
#[macro_export]
macro_rules! handlers_e1_2_02 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, labkit::serve::Handler)> = vec![
            ("e1_2_02.render", |args| $crate::host::e1_2_02::render(exercise::render_gpu, args)),
        ];
        list
    }};
}

/// The student's function.
pub type RenderGpu =
    fn(&Lab, &mut DeviceBuffer<u8>, &View, u32, u32, &mut [u8]) -> Result<(), LabError>;

/// `[{"view", "dim", "kmax"}, ...]` -> pictures as text. One buffer serves neighbouring pictures of
/// equal size.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn render(f: RenderGpu, args: &Value) -> Result<Value, LabError> {
    let pictures: Vec<Picture> = request(args)?;
    let lab = Lab::new()?;
    let mut buffer: Option<DeviceBuffer<u8>> = None;
    let mut texts = Vec::new();
    for p in &pictures {
        let bytes = 4 * p.dim as usize * p.dim as usize;
        let d_pix = match &mut buffer {
            Some(buffer) if buffer.len() == bytes => buffer,
            // SAFETY: the kernel writes every byte before it is copied to the host.
            other => other.insert(unsafe { DeviceBuffer::uninitialized(bytes)? }),
        };
        let mut out = vec![0; bytes];
        f(&lab, d_pix, &p.view, p.dim, p.kmax, &mut out)?;
        texts.push(picture_text(&out));
    }
    Ok(json!(texts))
}
