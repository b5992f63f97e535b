//! What the keys of `julia` do, typed in a window or listed in `--keys`.

use lab1_cuda_intro::e1_2_01::{Key, View};

use super::device::Device;

/// Largest number of steps per pixel.
pub const MAX_KMAX: u32 = 65_536;

/// The student's function that turns a key into a new view.
pub type ApplyKey = fn(&View, Key, (i32, i32), i32) -> Option<View>;

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Changes the view or ends the program.
    View(Key),
    /// `i`: half as many steps.
    FewerSteps,
    /// `I`: twice as many steps.
    MoreSteps,
    /// `d`: the other device.
    SwitchDevice,
    /// `s`: writes the picture to a file.
    Save,
}

/// One key with the mouse where it was pressed, as column and row from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press {
    /// Key.
    pub action: Action,
    /// Mouse.
    pub mouse: (i32, i32),
}

/// What the program shows now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Session {
    /// Part of the plane.
    pub view: View,
    /// Steps per pixel, 1..=65536.
    pub kmax: u32,
    /// Who computes.
    pub device: Device,
    /// False after Esc.
    pub open: bool,
}

impl Session {
    /// Carries out a key. Saving is left to the caller.
    pub fn press(&mut self, press: Press, dim: u32, apply_key: ApplyKey) {
        match press.action {
            Action::View(key) => match apply_key(&self.view, key, press.mouse, dim as i32) {
                Some(view) => self.view = view,
                None => self.open = false,
            },
            Action::FewerSteps => self.kmax = (self.kmax / 2).max(1),
            Action::MoreSteps => self.kmax = (self.kmax * 2).min(MAX_KMAX),
            Action::SwitchDevice => self.device = self.device.other(),
            Action::Save => {}
        }
    }
}

/// Reads a list of keys such as `p@500,300 z z`: `p z Z = i I d s Esc`, with blanks between them.
/// `p` needs the mouse's column and row.
///
/// # Errors
/// Says which key is wrong, counted from 1, and why.
pub fn parse_keys(text: &str, dim: u32) -> Result<Vec<Press>, String> {
    let key = |(i, word): (usize, &str)| {
        let wrong = |why: String| format!("--keys: key {} (`{word}`): {why}", i + 1);
        let (name, place) = match word.split_once('@') {
            Some((name, place)) => (name, Some(place)),
            None => (word, None),
        };
        let action = match name {
            "p" => Action::View(Key::Pan),
            "z" => Action::View(Key::ZoomIn),
            "Z" => Action::View(Key::ZoomOut),
            "=" => Action::View(Key::Reset),
            "Esc" => Action::View(Key::Quit),
            "i" => Action::FewerSteps,
            "I" => Action::MoreSteps,
            "d" => Action::SwitchDevice,
            "s" => Action::Save,
            _ => return Err(wrong("no such key (p@X,Y z Z = i I d s Esc)".into())),
        };
        let mouse = match (action, place) {
            (Action::View(Key::Pan), None) => {
                return Err(wrong(format!("where is the mouse? write p@{},{}", dim / 2, dim / 2)));
            }
            (Action::View(Key::Pan), Some(place)) => mouse(place, dim).map_err(wrong)?,
            (_, Some(_)) => return Err(wrong("only p depends on the mouse".into())),
            (_, None) => (0, 0),
        };
        Ok(Press { action, mouse })
    };
    text.split_whitespace().enumerate().map(key).collect()
}

fn mouse(place: &str, dim: u32) -> Result<(i32, i32), String> {
    let number = |text: &str| text.trim().parse::<i32>().ok();
    let point = place.split_once(',').and_then(|(x, y)| Some((number(x)?, number(y)?)));
    let (x, y) = point.ok_or_else(|| format!("expected COLUMN,ROW, found `{place}`"))?;
    let inside = |v: i32| (0..dim as i32).contains(&v);
    if inside(x) && inside(y) {
        Ok((x, y))
    } else {
        Err(format!("the mouse is outside the picture: expected 0..={}, found {x},{y}", dim - 1))
    }
}
