//! The solids of exercises 3.1.7 and 3.1.8: names and exact values. Their shapes are in the
//! handout.

use std::f64::consts::PI;

/// A solid of density 1.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    /// What the command line calls it.
    pub letter: char,
    /// Name.
    pub name: &'static str,
    /// Exact volume.
    pub volume: f64,
    /// Exact moment of inertia about the z axis.
    pub inertia: f64,
}

/// All solids; the index is the `id` of the kernels.
pub const SOLIDS: [Solid; 6] = [
    Solid { letter: '0', name: "unit ball", volume: 4.0 * PI / 3.0, inertia: 8.0 * PI / 15.0 },
    // By quadrature.
    Solid {
        letter: 'a',
        name: "piece of a torus",
        volume: 22.097_464_406_5,
        inertia: 214.954_010_254_3,
    },
    Solid {
        letter: 'b',
        name: "ball with a bore",
        volume: 120.135_259_647_4,
        inertia: 510.315_572_831_0,
    },
    Solid { letter: 'c', name: "tube", volume: 25.0 * PI, inertia: 162.5 * PI },
    Solid { letter: 'd', name: "cone", volume: 4.0 * PI / 3.0, inertia: 0.4 * PI },
    Solid { letter: 'e', name: "Saturn", volume: 15.75 * PI, inertia: 156.745_838_460_0 },
];

/// The number of the solid that a letter means.
pub fn by_letter(letter: char) -> Option<usize> {
    SOLIDS.iter().position(|s| s.letter == letter)
}
