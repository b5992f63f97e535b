//! Pixels: colours for numbers, PNG files, and base 64 to put them into a page.

/// From numbers to colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// Dark blue over green to yellow: even to the eye, and readable in grey.
    Viridis,
    /// White over grey to black: the larger the darker, as seismic sections are printed; zero in
    /// the middle.
    Grey,
}

impl Palette {
    /// The colour of a share; beyond 0..1 that of the end; what is no number is a red that no scale
    /// has.
    pub fn at(self, share: f64) -> [u8; 3] {
        let stops: &[[f64; 3]] = match self {
            Palette::Viridis => &[
                [68.0, 1.0, 84.0],
                [65.0, 68.0, 135.0],
                [42.0, 120.0, 142.0],
                [34.0, 168.0, 132.0],
                [122.0, 209.0, 81.0],
                [253.0, 231.0, 37.0],
            ],
            Palette::Grey => &[[255.0; 3], [0.0; 3]],
        };
        if share.is_nan() {
            return [255, 0, 0];
        }
        let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
        let stop = (place as usize).min(stops.len() - 2);
        let part = place - stop as f64;
        let (low, high) = (stops[stop], stops[stop + 1]);
        [0, 1, 2].map(|c| libm::round(low[c] + part * (high[c] - low[c])) as u8)
    }
}

/// Values on a grid, to be shown as pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// Values across.
    pub columns: usize,
    /// Row by row; the first row lies where the vertical axis begins.
    pub values: Vec<f32>,
    /// Values at the ends of the palette.
    pub range: (f64, f64),
    /// Colours.
    pub palette: Palette,
    /// What the colours mean, with the unit: the title of the colour bar.
    pub meaning: String,
    /// Values between the points are interpolated: for fields that are smooth.
    pub smooth: bool,
}

impl Raster {
    /// Values down.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// Limits on both sides of zero, so that a share of the values (0.99, say) keeps its
    /// differences.
    pub fn clipped(values: &[f32], share: f64) -> (f64, f64) {
        let mut sizes: Vec<f32> =
            values.iter().filter(|v| v.is_finite()).map(|v| v.abs()).collect();
        sizes.sort_unstable_by(f32::total_cmp);
        let at = (sizes.len().saturating_sub(1) as f64 * share.clamp(0.0, 1.0)) as usize;
        let most = sizes.last().copied().unwrap_or(0.0);
        let clip = sizes.get(at).copied().filter(|c| *c > 0.0).unwrap_or(most);
        let clip = if clip > 0.0 { f64::from(clip) } else { 1.0 };
        (-clip, clip)
    }

    /// The least and the greatest value.
    pub fn extent(values: &[f32]) -> (f64, f64) {
        let finite = values.iter().filter(|v| v.is_finite()).map(|v| f64::from(*v));
        let (low, high) = crate::ticks::extent(finite);
        if high > low { (low, high) } else { (low.min(0.0) - 0.5, low.max(0.0) + 0.5) }
    }

    /// As a PNG file of `width` by `height` pixels at most; of fewer where there are fewer values,
    /// unless those between are to be interpolated. `upwards`: the first row is the lowest. Colours
    /// are 255 steps of the palette.
    pub(crate) fn png(&self, width: usize, height: usize, upwards: bool) -> Vec<u8> {
        let across = taps(self.columns, width, self.smooth);
        let down = taps(self.rows(), height, self.smooth);
        let (low, high) = self.range;
        let mut pixels = Vec::with_capacity(across.len() * down.len());
        for y in 0..down.len() {
            let rows = &down[if upwards { down.len() - 1 - y } else { y }];
            for columns in &across {
                let mut value = 0.0;
                for (r, wr) in rows {
                    for (c, wc) in columns {
                        value += wr * wc * f64::from(self.values[r * self.columns + c]);
                    }
                }
                let share = (value - low) / (high - low);
                let steps = libm::round(254.0 * share.clamp(0.0, 1.0));
                pixels.push(if share.is_nan() { 255 } else { steps as u8 });
            }
        }
        let shades = (0..255).flat_map(|k| self.palette.at(f64::from(k) / 254.0));
        let palette: Vec<u8> = shades.chain(self.palette.at(f64::NAN)).collect();
        let (w, h) = (across.len() as u32, down.len() as u32);
        // Bytes that fit their size are never refused.
        encoded(w, h, png::ColorType::Indexed, palette, &pixels).unwrap_or_default()
    }
}

/// For each of `most` pixels at most the values along an axis that it shows, with their weights:
/// the mean of several, or what lies between two, or one.
fn taps(values: usize, most: usize, smooth: bool) -> Vec<Vec<(usize, f64)>> {
    let pixels = if values > most || smooth { most } else { values };
    let ratio = values as f64 / pixels.max(1) as f64;
    let pixel = |p: usize| match ratio {
        r if r > 1.0 => {
            let from = (p as f64 * r) as usize;
            let to = (((p + 1) as f64 * r) as usize).clamp(from + 1, values);
            (from..to).map(|k| (k, 1.0 / (to - from) as f64)).collect()
        }
        r if r < 1.0 => {
            // Values stand in the middle of their cells.
            let place = ((p as f64 + 0.5) * r - 0.5).clamp(0.0, values as f64 - 1.0);
            let (k, part) = (place as usize, place - libm::floor(place));
            vec![(k, 1.0 - part), ((k + 1).min(values - 1), part)]
        }
        _ => vec![(p, 1.0)],
    };
    (0..if values == 0 { 0 } else { pixels }).map(pixel).collect()
}

/// A PNG file of `rgba` (`4 * width * height` bytes: red, green, blue, alpha; the upper row first).
///
/// # Errors
/// The number of bytes does not fit width and height.
pub fn png(width: u32, height: u32, rgba: &[u8]) -> Result<Vec<u8>, String> {
    let want = u64::from(width) * u64::from(height) * 4;
    if rgba.len() as u64 != want || want == 0 {
        let there = rgba.len();
        return Err(format!("{width} x {height} pixels need {want} bytes, there are {there}"));
    }
    // Without transparency a quarter of the bytes is no news.
    let opaque = rgba.chunks_exact(4).all(|p| p[3] == 255);
    let rgb: Vec<u8> = rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    let (kind, bytes) =
        if opaque { (png::ColorType::Rgb, &rgb[..]) } else { (png::ColorType::Rgba, rgba) };
    encoded(width, height, kind, Vec::new(), bytes).map_err(|e| e.to_string())
}

fn encoded(
    width: u32,
    height: u32,
    kind: png::ColorType,
    palette: Vec<u8>,
    pixels: &[u8],
) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(kind);
    encoder.set_depth(png::BitDepth::Eight);
    if kind == png::ColorType::Indexed {
        encoder.set_palette(palette);
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(out)
}

/// Base 64 of RFC 4648.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(*three.get(i).unwrap_or(&0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digit = |k: usize| char::from(DIGITS[(group >> (18 - 6 * k)) as usize & 63]);
        out.extend((0..4).map(|k| if k <= three.len() { digit(k) } else { '=' }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_rfc() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn colours_at_the_ends_and_in_the_middle() {
        assert_eq!(Palette::Viridis.at(7.0), [253, 231, 37]);
        assert_eq!(Palette::Viridis.at(-7.0), [68, 1, 84]);
        assert_eq!(Palette::Grey.at(0.5), [128; 3]);
        assert_eq!(Palette::Grey.at(f64::NAN), [255, 0, 0]);
    }

    #[test]
    fn a_png_reads_back_as_written() {
        for alpha in [255, 100] {
            let rgba: Vec<u8> = (0..6).flat_map(|i| [7 * i, i, 0, alpha]).collect();
            let file = png(3, 2, &rgba).unwrap();
            let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
            let mut back = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut back).unwrap();
            let bytes = back.len() / 6;
            let want: Vec<u8> = rgba.chunks(4).flat_map(|p| p[..bytes].to_vec()).collect();
            assert_eq!((info.width, info.height, back), (3, 2, want));
        }
        assert_eq!(png(2, 2, &[0; 8]).unwrap_err(), "2 x 2 pixels need 16 bytes, there are 8");
        assert!(png(0, 0, &[]).is_err());
    }

    #[test]
    fn pixels_show_one_value_several_or_what_lies_between() {
        assert_eq!(taps(2, 5, false), [[(0, 1.0)], [(1, 1.0)]]);
        assert_eq!(taps(4, 2, false), [[(0, 0.5), (1, 0.5)], [(2, 0.5), (3, 0.5)]]);
        assert_eq!(taps(2, 4, true)[1], [(0, 0.75), (1, 0.25)]);
        assert_eq!(taps(0, 4, true).len() + taps(3, 0, true).len(), 0);
        for (values, most) in [(7, 3), (1000, 560), (3, 100), (1, 9)] {
            for all in taps(values, most, true) {
                assert!((all.iter().map(|t| t.1).sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(all.iter().all(|t| t.0 < values));
            }
        }
    }

    #[test]
    fn one_loud_value_does_not_hide_the_others() {
        let mut values = vec![1.0; 1000];
        values[3] = 1e6;
        assert_eq!(Raster::clipped(&values, 0.99), (-1.0, 1.0));
        assert_eq!(Raster::clipped(&[0.0, 0.0, 0.0, 5.0], 0.5).1, 5.0);
        assert_eq!(Raster::clipped(&[f32::NAN], 0.5).1, 1.0);
        assert_eq!(Raster::extent(&[2.0, 2.0]), (-0.5, 2.5));
    }
}
