//! The window of `julia`.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};

use lab1_cuda_intro::e1_2_01::{Key, apply_key};
use labkit::LabError;
use labkit::picture::{flip_rows, write_png};
use minifb::{InputCallback, MouseMode, Scale, Window, WindowOptions};

use super::device::Device;
use super::render::{Frame, Renderer};
use super::session::{Action, Press, Session};

/// Writes a frame; the picture's first row is the lowest, a file's is the uppermost.
///
/// # Errors
/// The file cannot be written.
pub fn save(frame: &Frame, dim: u32, png: &Path) -> Result<(), LabError> {
    write_png(png, dim, dim, &flip_rows(&frame.rgba, 4 * dim as usize))
}

/// Opens the window.
///
/// # Errors
/// Why there is none: no display, as a rule.
pub fn open(dim: u32) -> Result<Window, String> {
    let scale = if dim > 1200 { Scale::FitScreen } else { Scale::X1 };
    let options = WindowOptions { scale, ..WindowOptions::default() };
    let mut window =
        Window::new("Julia set", dim as usize, dim as usize, options).map_err(|e| e.to_string())?;
    window.set_target_fps(60);
    Ok(window)
}

/// Shows pictures and obeys keys until the window is closed. A picture is computed only after
/// something has changed.
///
/// # Errors
/// The first picture cannot be computed. Later errors are printed and the old picture stays.
pub fn run(
    mut window: Window,
    mut session: Session,
    renderer: &mut Renderer,
    png: &Path,
) -> Result<(), LabError> {
    let dim = renderer.dim();
    let (sender, typed) = mpsc::channel();
    window.set_input_callback(Box::new(Typed(sender)));
    let mut frame = renderer.render(&session)?;
    show_title(&mut window, &session, &frame);
    let mut pixels = argb(&frame.rgba, dim);
    while window.is_open() && session.open {
        let before = session;
        for press in presses(&window, &typed, dim) {
            session.press(press, dim, apply_key);
            if press.action == Action::Save {
                match save(&frame, dim, png) {
                    Ok(()) => println!("saved {}", png.display()),
                    Err(e) => eprintln!("error: {e}"),
                }
            }
        }
        if session != before && session.open {
            match renderer.render(&session) {
                Ok(new) => {
                    frame = new;
                    pixels = argb(&frame.rgba, dim);
                    show_title(&mut window, &session, &frame);
                }
                Err(e) => {
                    eprintln!("error: {e}");
                    session = before;
                }
            }
        }
        window
            .update_with_buffer(&pixels, dim as usize, dim as usize)
            .map_err(|e| LabError::msg(format!("window: {e}")))?;
    }
    Ok(())
}

fn show_title(window: &mut Window, s: &Session, frame: &Frame) {
    let device = match s.device {
        Device::Cpu => "CPU",
        Device::Gpu => "GPU",
    };
    window.set_title(&format!(
        "Julia set: {device}, kmax {}, scale {:.3e}, {}",
        s.kmax,
        s.view.scale,
        frame.time_text()
    ));
}

/// Collects typed characters. (Asking the window which keys are down would lose those that were
/// pressed and released while a picture was computed.)
struct Typed(Sender<char>);

const ESC: char = '\u{1b}';

impl InputCallback for Typed {
    fn add_char(&mut self, code: u32) {
        if let Some(c) = char::from_u32(code) {
            // The receiver lives as long as the window.
            let _ = self.0.send(c);
        }
    }

    // Control characters are not typed on every system.
    fn set_key_state(&mut self, key: minifb::Key, down: bool) {
        if key == minifb::Key::Escape && down {
            let _ = self.0.send(ESC);
        }
    }
}

/// What a typed character means.
fn action(typed: char) -> Option<Action> {
    Some(match typed {
        'p' => Action::View(Key::Pan),
        'z' => Action::View(Key::ZoomIn),
        'Z' => Action::View(Key::ZoomOut),
        '=' => Action::View(Key::Reset),
        ESC => Action::View(Key::Quit),
        'i' => Action::FewerSteps,
        'I' => Action::MoreSteps,
        'd' => Action::SwitchDevice,
        's' => Action::Save,
        _ => return None,
    })
}

/// The keys typed since the last look.
fn presses(window: &Window, typed: &Receiver<char>, dim: u32) -> Vec<Press> {
    let (x, y) = window.get_mouse_pos(MouseMode::Clamp).unwrap_or((0.0, 0.0));
    let last = dim as i32 - 1;
    let mouse = ((x as i32).clamp(0, last), (y as i32).clamp(0, last));
    typed.try_iter().filter_map(action).map(|action| Press { action, mouse }).collect()
}

/// Pixels as the window wants them: 0xAARRGGBB, the uppermost row first.
pub fn argb(rgba: &[u8], dim: u32) -> Vec<u32> {
    let top_first = flip_rows(rgba, 4 * dim as usize);
    top_first.chunks_exact(4).map(|p| u32::from_be_bytes([p[3], p[0], p[1], p[2]])).collect()
}
