//! The Julia set of c = -0.123 + 0.745 i, in single precision.

/// How z becomes z*z + c, and when a point has escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// As it should be.
    Right,
    /// y is computed from the new x.
    NewX,
    /// |z| > 4 instead of |z| > 2.
    Radius4,
}

/// Prisoner or not, and the number of steps z = z*z + c that were made.
pub fn julia(mut x: f32, mut y: f32, kmax: u32, rule: Rule) -> (bool, u32) {
    let bound = if rule == Rule::Radius4 { 16.0 } else { 4.0 };
    for k in 0..kmax {
        // Not `> bound`: NaN has escaped as well.
        let inside = x * x + y * y <= bound;
        if !inside {
            return (false, k);
        }
        let nx = (x * x - y * y) + -0.123;
        let old = if rule == Rule::NewX { nx } else { x };
        y = 2.0 * old * y + 0.745;
        x = nx;
    }
    (true, kmax)
}
