//! The imaging condition as a picture: where the source's wave and the receivers' wave meet.

use libm::sqrt;

use crate::{Anchor, Sheet};

/// Depth of the reflector and half of a panel's width, in pixels.
const DEPTH: f64 = 78.0;
const HALF: f64 = 112.0;

/// The part of a circle of radius `r` around (x, y) that lies above (`up`) or below `cut`, within a
/// panel in the middle `x`.
fn arc((x, y): (f64, f64), r: f64, cut: f64, up: bool) -> Vec<Vec<(f64, f64)>> {
    let mut parts = vec![Vec::new()];
    for k in 0..=180 {
        let dx = HALF * (f64::from(k) / 90.0 - 1.0);
        let high = r * r - dx * dx;
        // The source is above the reflector, its mirror image below: each circle's half counts.
        let at = (x + dx, if up { y - sqrt(high.max(0.0)) } else { y + sqrt(high.max(0.0)) });
        let seen = high >= 0.0 && if up { at.1 <= cut && at.1 >= cut - DEPTH } else { at.1 <= cut };
        match (seen, parts.last_mut()) {
            (true, Some(part)) => part.push(at),
            (false, Some(part)) if !part.is_empty() => parts.push(Vec::new()),
            _ => {}
        }
    }
    parts
}

/// Three times of a shot over a flat reflector.
pub fn imaging() -> Sheet {
    let mut s = Sheet::new(740.0, 260.0, "An image is where two waves meet at the same time");
    for (panel, r) in [60.0, 92.0, 128.0].into_iter().enumerate() {
        let middle = 124.0 + 246.0 * panel as f64;
        let (top, reflector) = (62.0, 62.0 + DEPTH);
        let label = ["before", "at first", "later"][panel];
        s.text((middle, 30.0), 15.0, Anchor::Middle, "", label);
        s.line(&[(middle - HALF, top), (middle + HALF, top)], "a", 1.4, "");
        s.line(&[(middle - HALF, reflector), (middle + HALF, reflector)], "a", 1.4, "6 4");
        for part in arc((middle, top), r, reflector, false) {
            s.line(&part, "l0", 2.2, "");
        }
        // Of the mirror image's circle, what lies above the reflector.
        for part in arc((middle, top + 2.0 * DEPTH), r, reflector, true) {
            s.line(&part, "l1", 2.2, "7 4");
        }
        s.mark((middle, top), 0);
        // Met so far, and met now.
        if r > DEPTH {
            let reach = sqrt(r * r - DEPTH * DEPTH);
            s.rect((middle - reach, reflector + 6.0), (2.0 * reach, 8.0), 0.0, "f2");
            for side in [-1.0, 1.0] {
                s.mark((middle + side * reach, reflector), 3);
            }
        }
    }
    let y = 196.0;
    s.line(&[(20.0, y), (50.0, y)], "l0", 2.2, "");
    s.text((58.0, y + 5.0), 15.0, Anchor::Start, "", "source wave, forward");
    s.line(&[(250.0, y), (280.0, y)], "l1", 2.2, "7 4");
    s.text((288.0, y + 5.0), 15.0, Anchor::Start, "", "receiver wave, backward");
    s.rect((500.0, y - 4.0), (30.0, 8.0), 0.0, "f2");
    s.text((538.0, y + 5.0), 15.0, Anchor::Start, "", "the image so far");
    let note = "Their product is added at each time: it is not 0 where both are, on the reflector.";
    s.text((20.0, 240.0), 15.0, Anchor::Start, "s", note);
    s
}
