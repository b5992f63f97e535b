//! Scales of colour.

/// A colour: red, green, blue.
pub type Rgb = [u8; 3];

/// From a number 0..1 to a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// Dark blue over green to yellow: even to the eye, and readable without colours.
    Viridis,
    /// Black over grey to white: what seismic sections are printed in; 0.5 is the zero.
    Seismic,
}

impl Palette {
    /// The colour of a share; beyond 0..1 that of the end, NaN red.
    pub fn at(self, share: f32) -> Rgb {
        const VIRIDIS: [[f32; 3]; 6] = [
            [68.0, 1.0, 84.0],
            [65.0, 68.0, 135.0],
            [42.0, 120.0, 142.0],
            [34.0, 168.0, 132.0],
            [122.0, 209.0, 81.0],
            [253.0, 231.0, 37.0],
        ];
        if share.is_nan() {
            return [255, 0, 0];
        }
        let share = share.clamp(0.0, 1.0);
        match self {
            Palette::Seismic => [(share * 255.0).round() as u8; 3],
            Palette::Viridis => {
                let place = share * (VIRIDIS.len() - 1) as f32;
                let stop = (place as usize).min(VIRIDIS.len() - 2);
                let part = place - stop as f32;
                let mix =
                    |c: usize| VIRIDIS[stop][c] + part * (VIRIDIS[stop + 1][c] - VIRIDIS[stop][c]);
                [0, 1, 2].map(|c| mix(c).round() as u8)
            }
        }
    }
}

/// Colours of curves, told apart by those who see no red or green, too.
pub const CURVES: [Rgb; 6] =
    [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_middle() {
        assert_eq!(Palette::Seismic.at(0.0), [0; 3]);
        assert_eq!(Palette::Seismic.at(0.5), [128; 3]);
        assert_eq!(Palette::Viridis.at(7.0), [253, 231, 37]);
        assert_eq!(Palette::Viridis.at(-7.0), [68, 1, 84]);
        assert_eq!(Palette::Viridis.at(f32::NAN), [255, 0, 0]);
    }
}
