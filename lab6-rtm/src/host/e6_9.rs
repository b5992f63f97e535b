//! Handlers of exercise 6.9: a shot is migrated.

use labkit::{Lab, LabError};
use serde_json::{Value, json};

use super::{args, bits32, from_bits32};
use crate::shot::{Rig, Shot};

/// Handlers of exercise 6.9 over a module with its functions.
#[macro_export]
macro_rules! handlers_e6_9 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e6_9.migrate", |args| $crate::host::e6_9::migrate(exercise::migrate, args))];
        list
    }};
}

/// The student's loops: the device, and the number of levels.
pub type Migrate = fn(&Rig<'_>, usize) -> Result<(), LabError>;

/// A shot -> bits of the image.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn migrate(f: Migrate, request: &Value) -> Result<Value, LabError> {
    #[derive(serde::Deserialize)]
    struct Request {
        n: [usize; 3],
        layers: usize,
        v2: u32,
        nt: usize,
        source: [usize; 3],
        receivers: Vec<[usize; 3]>,
        wavelet: Vec<u32>,
        data: Vec<u32>,
        a: Vec<u32>,
        b: Vec<u32>,
        floor: u32,
    }
    let r: Request = args(request)?;
    let shot = Shot {
        n: r.n,
        layers: r.layers,
        v2: f32::from_bits(r.v2),
        nt: r.nt,
        source: r.source,
        receivers: r.receivers,
        wavelet: from_bits32(&r.wavelet),
        data: from_bits32(&r.data),
        a: from_bits32(&r.a),
        b: from_bits32(&r.b),
        floor: f32::from_bits(r.floor),
    };
    let lab = Lab::new()?;
    let rig = Rig::new(&lab, &shot)?;
    f(&rig, shot.nt)?;
    Ok(json!(bits32(&rig.image()?)))
}
