//! The 240 bytes before each trace, which SU and SEG-Y share, and the number formats of samples.

use crate::{Error, Result};

/// Bytes of a trace header.
pub const TRACE_HEADER: usize = 240;

/// Order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// Least significant byte first: SU files written on today's machines.
    Little,
    /// Most significant byte first: SEG-Y, and SU files from old workstations.
    Big,
}

impl Endian {
    pub(super) fn i16(self, b: &[u8], at: usize) -> i16 {
        self.u16(b, at) as i16
    }

    pub(super) fn u16(self, b: &[u8], at: usize) -> u16 {
        let bytes = [b[at - 1], b[at]];
        match self {
            Endian::Little => u16::from_le_bytes(bytes),
            Endian::Big => u16::from_be_bytes(bytes),
        }
    }

    pub(super) fn i32(self, b: &[u8], at: usize) -> i32 {
        self.u32(b, at) as i32
    }

    fn u32(self, b: &[u8], at: usize) -> u32 {
        let bytes = [b[at - 1], b[at], b[at + 1], b[at + 2]];
        match self {
            Endian::Little => u32::from_le_bytes(bytes),
            Endian::Big => u32::from_be_bytes(bytes),
        }
    }

    pub(super) fn put16(self, b: &mut [u8], at: usize, v: u16) {
        let bytes = match self {
            Endian::Little => v.to_le_bytes(),
            Endian::Big => v.to_be_bytes(),
        };
        b[at - 1..at + 1].copy_from_slice(&bytes);
    }

    pub(super) fn put32(self, b: &mut [u8], at: usize, v: u32) {
        let bytes = match self {
            Endian::Little => v.to_le_bytes(),
            Endian::Big => v.to_be_bytes(),
        };
        b[at - 1..at + 3].copy_from_slice(&bytes);
    }
}

/// How a sample is stored (the codes of SEG-Y's binary header).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleFormat {
    /// 1: IBM System/360 floating point, base 16.
    Ibm,
    /// 2: 32-bit integers.
    I32,
    /// 3: 16-bit integers.
    I16,
    /// 5: IEEE 754, 32 bits; the only one of SU.
    Ieee,
    /// 6: IEEE 754, 64 bits.
    Ieee64,
    /// 8: 8-bit integers.
    I8,
}

impl SampleFormat {
    /// From the code of bytes 3225-3226 of a SEG-Y file.
    pub fn from_code(code: u16) -> Option<SampleFormat> {
        Some(match code {
            1 => SampleFormat::Ibm,
            2 => SampleFormat::I32,
            3 => SampleFormat::I16,
            5 => SampleFormat::Ieee,
            6 => SampleFormat::Ieee64,
            8 => SampleFormat::I8,
            _ => return None,
        })
    }

    /// The code of bytes 3225-3226.
    pub fn code(self) -> u16 {
        match self {
            SampleFormat::Ibm => 1,
            SampleFormat::I32 => 2,
            SampleFormat::I16 => 3,
            SampleFormat::Ieee => 5,
            SampleFormat::Ieee64 => 6,
            SampleFormat::I8 => 8,
        }
    }

    /// Bytes of a sample.
    pub fn bytes(self) -> usize {
        match self {
            SampleFormat::Ibm | SampleFormat::I32 | SampleFormat::Ieee => 4,
            SampleFormat::I16 => 2,
            SampleFormat::Ieee64 => 8,
            SampleFormat::I8 => 1,
        }
    }

    /// One sample from its bytes.
    pub fn decode(self, endian: Endian, b: &[u8]) -> f32 {
        match self {
            SampleFormat::Ibm => ibm_to_f32(endian.u32(b, 1)),
            SampleFormat::I32 => endian.i32(b, 1) as f32,
            SampleFormat::I16 => f32::from(endian.i16(b, 1)),
            SampleFormat::Ieee => f32::from_bits(endian.u32(b, 1)),
            SampleFormat::Ieee64 => {
                let (first, second) = (u64::from(endian.u32(b, 1)), u64::from(endian.u32(b, 5)));
                let bits = match endian {
                    Endian::Little => second << 32 | first,
                    Endian::Big => first << 32 | second,
                };
                f64::from_bits(bits) as f32
            }
            SampleFormat::I8 => f32::from(b[0] as i8),
        }
    }
}

/// IBM hexadecimal floating point: sign, 7 bits of exponent of 16 (excess 64), 24 bits of fraction.
pub fn ibm_to_f32(bits: u32) -> f32 {
    let fraction = f64::from(bits & 0x00ff_ffff) / f64::from(1 << 24);
    let exponent = (bits >> 24 & 0x7f) as i32 - 64;
    let size = fraction * 16f64.powi(exponent);
    (if bits >> 31 == 1 { -size } else { size }) as f32
}

/// The nearest IBM number; up to three bits of the fraction are lost, because its digits are
/// hexadecimal.
pub fn f32_to_ibm(v: f32) -> u32 {
    if v == 0.0 || !v.is_finite() {
        return 0;
    }
    let size = f64::from(v.abs());
    // The exponent of 16 that puts the fraction into [1/16, 1).
    let mut exponent = (size.log2() / 4.0).floor() as i32 + 1;
    let mut fraction = (size / 16f64.powi(exponent) * f64::from(1 << 24)).round();
    if fraction >= f64::from(1 << 24) {
        exponent += 1;
        fraction = (size / 16f64.powi(exponent) * f64::from(1 << 24)).round();
    }
    let sign = u32::from(v < 0.0) << 31;
    sign | ((exponent + 64) as u32) << 24 | fraction as u32
}

/// What the program reads from a trace header and writes to it. Places are in metres, z downwards
/// from the surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceHeader {
    /// Number of the shot (`fldr`, bytes 9-12).
    pub shot: i32,
    /// Number of the trace within its shot, from 1 (`tracf`, bytes 13-16).
    pub channel: i32,
    /// Where the source is (`sx`, `sy`, and `selev` upwards, less `sdepth`).
    pub source_m: [f64; 3],
    /// Where the receiver is (`gx`, `gy`, and `gelev` upwards).
    pub receiver_m: [f64; 3],
    /// Time between samples (`dt`, whole microseconds; SU keeps more digits in `d1`).
    pub dt_s: f64,
    /// Time of the first sample after the shot (`delrt`, whole milliseconds; SU keeps more digits
    /// in `f1`).
    pub delay_s: f64,
    /// Whether the trace is dead or a dummy (`trid` 2 or 3): there is nothing in it.
    pub dead: bool,
    /// Whether its coordinates are angles (`counit` 2 to 4), not lengths.
    pub angles: bool,
    /// Inline and crossline numbers (bytes 189-196), of cubes in SEG-Y only.
    pub lines: Option<[i32; 2]>,
}

/// What a user knows of a file's headers and they do not say, or say elsewhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeaderRules {
    /// The delay of all traces, seconds, whatever `delrt` says.
    pub delay_s: Option<f64>,
    /// Metres of a unit of length: 1, or 0.3048 for feet; what the file says, if left out.
    pub unit_m: Option<f64>,
    /// For a word by its place: where its value is to be found, first byte (from 1) and 2 or 4
    /// bytes.
    pub words: Vec<(Place, Place)>,
    /// Smallest and largest horizontal distance from source to receiver, metres; traces beyond are
    /// taken as dead.
    pub offsets_m: Option<[f64; 2]>,
    /// x, y of the grid's origin in the survey's coordinates, metres, and the angle from the
    /// survey's x axis to the grid's, radians, towards the survey's y axis.
    pub rotation: Option<[f64; 3]>,
}

/// Where a word of the header lies: first byte, from 1, and how many, 2 or 4.
pub type Place = (usize, usize);

/// The words that a user may name, as Seismic Un*x calls them.
const WORDS: [(&str, Place); 19] = [
    ("fldr", (9, 4)),
    ("tracf", (13, 4)),
    ("ep", (17, 4)),
    ("cdp", (21, 4)),
    ("trid", (29, 2)),
    ("gelev", (41, 4)),
    ("selev", (45, 4)),
    ("sdepth", (49, 4)),
    ("scalel", (69, 2)),
    ("scalco", (71, 2)),
    ("sx", (73, 4)),
    ("sy", (77, 4)),
    ("gx", (81, 4)),
    ("gy", (85, 4)),
    ("counit", (89, 2)),
    ("delrt", (109, 2)),
    ("dt", (117, 2)),
    ("cdpx", (181, 4)),
    ("cdpy", (185, 4)),
];

impl HeaderRules {
    /// Adds `word`, whose value is found at `place`: another word's name, or `first byte:bytes`
    /// such as `73:4`.
    ///
    /// # Errors
    /// There is no such word or place.
    pub fn add(&mut self, word: &str, place: &str) -> Result<()> {
        let bytes = |text: &str| {
            let (at, bytes) = text.split_once(':')?;
            let (at, bytes): Place = (at.parse().ok()?, bytes.parse().ok()?);
            let fits = [2, 4].contains(&bytes) && at >= 1 && at + bytes <= TRACE_HEADER + 1;
            fits.then_some((at, bytes))
        };
        match (Self::place(word), Self::place(place).or_else(|| bytes(place))) {
            (Some(to), Some(from)) => {
                self.words.push((to, from));
                Ok(())
            }
            _ => Err(Error::refused(
                format!("header.{word} = {place}"),
                "no such word or place of a trace header",
                format!(
                    "write a word's name, or its first byte (from 1) and 2 or 4 bytes, such as \
                     header.sx=73:4; words are {}",
                    WORDS.map(|w| w.0).join(" ")
                ),
            )),
        }
    }

    /// The place of the word that Seismic Un*x calls `name`.
    pub(super) fn place(name: &str) -> Option<Place> {
        WORDS.iter().find(|w| w.0 == name).map(|w| w.1)
    }

    /// The header with the words where the formats have them.
    pub(super) fn moved(&self, b: &[u8; TRACE_HEADER], endian: Endian) -> [u8; TRACE_HEADER] {
        let mut moved = *b;
        for &((to, size), (from, bytes)) in &self.words {
            let value = match bytes {
                2 => i32::from(endian.i16(b, from)),
                _ => endian.i32(b, from),
            };
            match size {
                2 => endian.put16(&mut moved, to, value as u16),
                _ => endian.put32(&mut moved, to, value as u32),
            }
        }
        moved
    }

    /// The header's places in metres along the grid's axes, its times as the user has them;
    /// `unit_m` is what the file says.
    pub(super) fn applied(&self, header: TraceHeader, unit_m: f64) -> TraceHeader {
        let unit_m = self.unit_m.unwrap_or(unit_m);
        let place = |p: [f64; 3]| {
            let [x, y, z] = p.map(|v| v * unit_m);
            match self.rotation {
                None => [x, y, z],
                Some([x0, y0, angle]) => {
                    let ((sin, cos), x, y) = (angle.sin_cos(), x - x0, y - y0);
                    [cos * x + sin * y, cos * y - sin * x, z]
                }
            }
        };
        let (source_m, receiver_m) = (place(header.source_m), place(header.receiver_m));
        let offset_m = (receiver_m[0] - source_m[0]).hypot(receiver_m[1] - source_m[1]);
        let wanted = self.offsets_m.is_none_or(|[near, far]| (near..=far).contains(&offset_m));
        TraceHeader {
            source_m,
            receiver_m,
            delay_s: self.delay_s.unwrap_or(header.delay_s),
            dead: header.dead || !wanted,
            ..header
        }
    }
}

/// The places where a header differs between the two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Seismic Un*x: bytes 181 on are its own.
    Su,
    /// SEG-Y revision 1.
    Segy,
}

impl TraceHeader {
    /// Reads the header.
    pub fn decode(b: &[u8; TRACE_HEADER], endian: Endian, dialect: Dialect) -> TraceHeader {
        let scaled = |at: usize, scale: f64| f64::from(endian.i32(b, at)) * scale;
        let (height, place) = (factor(endian.i16(b, 69)), factor(endian.i16(b, 71)));
        let micros = f64::from(endian.u16(b, 117));
        let mut dt_s = micros * 1e-6;
        let millis = f64::from(endian.i16(b, 109));
        let mut delay_s = millis * 1e-3;
        let mut lines = None;
        match dialect {
            Dialect::Su => {
                let d1 = f64::from(f32::from_bits(endian.u32(b, 181)));
                // Only where `dt` was rounded does `d1` know more.
                let off = (d1 * 1e6 - micros).abs();
                if micros > 0.0 && (1e-3..=0.5).contains(&off) {
                    dt_s = d1;
                }
                let f1 = f64::from(f32::from_bits(endian.u32(b, 185)));
                if (1e-3..=0.5).contains(&(f1 * 1e3 - millis).abs()) {
                    delay_s = f1;
                }
            }
            Dialect::Segy => {
                let pair = [endian.i32(b, 189), endian.i32(b, 193)];
                lines = (pair != [0, 0]).then_some(pair);
                // Revision 1: a factor for all times of the header.
                delay_s *= factor(endian.i16(b, 215));
            }
        }
        let source_z = scaled(49, height) - scaled(45, height);
        TraceHeader {
            shot: endian.i32(b, 9),
            channel: endian.i32(b, 13),
            // Adding zero turns -0 into 0.
            source_m: [scaled(73, place), scaled(77, place), source_z + 0.0],
            receiver_m: [scaled(81, place), scaled(85, place), 0.0 - scaled(41, height)],
            dt_s,
            delay_s,
            dead: [2, 3].contains(&endian.i16(b, 29)),
            angles: (2..=4).contains(&endian.i16(b, 89)),
            lines,
        }
    }

    /// Writes the header of trace `number` (from 1) with `ns` samples.
    ///
    /// # Errors
    /// A number does not fit into its field.
    pub fn encode(
        &self,
        number: usize,
        ns: usize,
        endian: Endian,
        dialect: Dialect,
    ) -> Result<[u8; TRACE_HEADER]> {
        let refuse = |what: String, fix: &str| Error::refused(format!("trace {number}"), what, fix);
        let most = if dialect == Dialect::Segy { 32_767 } else { 65_535 };
        if ns > most {
            return Err(refuse(
                format!("ns = {ns} samples, but its header field holds at most {most}"),
                "record for a shorter time, or with a larger dt_rec",
            ));
        }
        let micros = (self.dt_s * 1e6).round();
        if !(1.0..=65_535.0).contains(&micros) {
            return Err(refuse(
                format!(
                    "dt = {} s does not fit its header field (1 to 65535 microseconds)",
                    self.dt_s
                ),
                "choose another dt_rec",
            ));
        }
        let exact = (self.dt_s * 1e6 - micros).abs() < 1e-3;
        if !exact && dialect == Dialect::Segy {
            return Err(refuse(
                format!(
                    "dt = {} us is no whole number of microseconds, as SEG-Y wants",
                    self.dt_s * 1e6
                ),
                "choose such a dt_rec, or write SU, which keeps the digits in d1",
            ));
        }
        let millis = (self.delay_s * 1e3).round();
        let exact_delay = (self.delay_s * 1e3 - millis).abs() < 1e-3;
        if millis.abs() > 32_767.0 || !exact_delay && dialect == Dialect::Segy {
            return Err(refuse(
                format!(
                    "a delay of {} s does not fit its header field (whole milliseconds)",
                    self.delay_s
                ),
                "choose such a delay, or write SU, which keeps the digits in f1",
            ));
        }
        let mut b = [0; TRACE_HEADER];
        let number = number as u32;
        endian.put32(&mut b, 1, number);
        endian.put32(&mut b, 5, number);
        endian.put32(&mut b, 9, self.shot as u32);
        endian.put32(&mut b, 13, self.channel as u32);
        endian.put16(&mut b, 29, if self.dead { 2 } else { 1 }); // trid: seismic data
        let horizontal =
            [self.source_m[0], self.source_m[1], self.receiver_m[0], self.receiver_m[1]];
        let vertical = [-self.receiver_m[2], -self.source_m[2]];
        let far = || {
            refuse(
                format!(
                    "source {:?} m or receiver {:?} m is no place a header can hold",
                    self.source_m, self.receiver_m
                ),
                "use coordinates below 2,000 km",
            )
        };
        let scalel = scale_for(&vertical).ok_or_else(far)?;
        let scalco = scale_for(&horizontal).ok_or_else(far)?;
        endian.put16(&mut b, 69, scalel as u16);
        endian.put16(&mut b, 71, scalco as u16);
        let put = |b: &mut [u8], at: usize, v: f64, scale: i16| {
            endian.put32(b, at, (v / factor(scale)).round() as i32 as u32);
        };
        put(&mut b, 41, vertical[0], scalel);
        put(&mut b, 45, vertical[1], scalel);
        for (at, v) in [73, 77, 81, 85].into_iter().zip(horizontal) {
            put(&mut b, at, v, scalco);
        }
        let offset = (self.receiver_m[0] - self.source_m[0])
            .hypot(self.receiver_m[1] - self.source_m[1])
            .round();
        endian.put32(&mut b, 37, offset as i32 as u32);
        endian.put16(&mut b, 89, 1); // counit: lengths
        endian.put16(&mut b, 109, millis as i16 as u16);
        endian.put16(&mut b, 115, ns as u16);
        endian.put16(&mut b, 117, micros as u16);
        match dialect {
            Dialect::Su => {
                if !exact {
                    endian.put32(&mut b, 181, (self.dt_s as f32).to_bits());
                }
                if !exact_delay {
                    endian.put32(&mut b, 185, (self.delay_s as f32).to_bits());
                }
            }
            Dialect::Segy => {
                if let Some([inline, crossline]) = self.lines {
                    put(&mut b, 181, self.receiver_m[0], scalco); // cdp x
                    put(&mut b, 185, self.receiver_m[1], scalco); // cdp y
                    endian.put32(&mut b, 189, inline as u32);
                    endian.put32(&mut b, 193, crossline as u32);
                }
            }
        }
        Ok(b)
    }
}

/// `scalel`, `scalco`: positive multiplies, negative divides, 0 means 1.
pub(super) fn factor(scale: i16) -> f64 {
    match scale {
        0 => 1.0,
        s if s > 0 => f64::from(s),
        s => -1.0 / f64::from(s),
    }
}

/// The coarsest scale that keeps all values to a tenth of a millimetre, or the finest that fits;
/// `None` if none fits.
fn scale_for(values: &[f64]) -> Option<i16> {
    const SCALES: [i16; 5] = [1, -10, -100, -1000, -10_000];
    let fits = |s: i16| values.iter().all(|v| (v / factor(s)).abs() < f64::from(i32::MAX));
    let exact =
        |s: i16| values.iter().all(|v| ((v / factor(s)).round() * factor(s) - v).abs() < 0.5e-4);
    let mut fitting = SCALES.into_iter().filter(|&s| fits(s));
    fitting.clone().find(|&s| exact(s)).or_else(|| fitting.next_back())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ibm_numbers_of_the_manual() {
        // -118.625, the example of the System/360's principles of operation, and some powers.
        assert_eq!(ibm_to_f32(0xc276_a000), -118.625);
        assert_eq!(f32_to_ibm(-118.625), 0xc276_a000);
        for (bits, v) in [(0x4110_0000, 1.0), (0x4080_0000, 0.5), (0x4210_0000, 16.0), (0, 0.0)] {
            assert_eq!((ibm_to_f32(bits), f32_to_ibm(v)), (v, bits));
        }
    }

    proptest! {
        #[test]
        fn ibm_keeps_21_bits(v in -1e30f32..1e30) {
            let back = ibm_to_f32(f32_to_ibm(v));
            prop_assert!((back - v).abs() <= v.abs() / (1 << 21) as f32, "{v} {back}");
        }

        #[test]
        fn headers_read_back_as_written(
            shot in 1i32..i32::MAX, channel in 1i32..100_000, micros in 1u16..,
            s in prop::array::uniform3(-2_000_000i32..2_000_000),
            r in prop::array::uniform3(-2_000_000i32..2_000_000),
            unit in prop::sample::select(vec![1.0, 0.1, 0.01]),
            delay in -32_000i16..32_000, big: bool, segy: bool,
        ) {
            let place = |v: [i32; 3]| v.map(|v| f64::from(v) * unit);
            let lines = segy.then_some([shot, channel]);
            let header = TraceHeader {
                shot, channel, source_m: place(s), receiver_m: place(r),
                dt_s: f64::from(micros) * 1e-6, delay_s: f64::from(delay) * 1e-3,
                dead: big, angles: false, lines,
            };
            let endian = if big { Endian::Big } else { Endian::Little };
            let dialect = if segy { Dialect::Segy } else { Dialect::Su };
            let bytes = header.encode(7, 1000, endian, dialect).unwrap();
            let back = TraceHeader::decode(&bytes, endian, dialect);
            prop_assert_eq!((back.shot, back.channel, back.lines), (shot, channel, lines));
            prop_assert_eq!((back.dt_s, back.delay_s), (header.dt_s, header.delay_s));
            prop_assert_eq!(back.dead, big);
            for (a, b) in back.source_m.iter().chain(&back.receiver_m)
                .zip(header.source_m.iter().chain(&header.receiver_m))
            {
                prop_assert!((a - b).abs() < 1e-4, "{} {}", a, b);
            }
        }
    }

    #[test]
    fn words_elsewhere_feet_and_turned_axes_are_understood() {
        let header = TraceHeader {
            source_m: [1000.0, 2000.0, 10.0],
            receiver_m: [1000.0, 2300.0, 0.0],
            dt_s: 0.002,
            ..Default::default()
        };
        let endian = Endian::Big;
        let mut b = header.encode(1, 10, endian, Dialect::Segy).unwrap();
        let mut rules = HeaderRules { unit_m: Some(0.5), ..Default::default() };
        // The source's x as 16 bits in bytes 201-202, the receiver's where the midpoint should be.
        endian.put16(&mut b, 201, 4000);
        endian.put32(&mut b, 181, 77);
        rules.add("sx", "201:2").unwrap();
        rules.add("gx", "cdpx").unwrap();
        let read = |rules: &HeaderRules| {
            let moved = rules.moved(&b, endian);
            rules.applied(TraceHeader::decode(&moved, endian, Dialect::Segy), 1.0)
        };
        let found = read(&rules);
        assert_eq!(found.source_m, [2000.0, 1000.0, 5.0]);
        assert_eq!(found.receiver_m, [38.5, 1150.0, 0.0]);
        // The grid's x axis along the survey's y axis.
        rules = HeaderRules {
            rotation: Some([1000.0, 2000.0, std::f64::consts::FRAC_PI_2]),
            delay_s: Some(0.1),
            ..Default::default()
        };
        let found = read(&rules);
        assert!((found.receiver_m[0] - 300.0).abs() + found.receiver_m[1].abs() < 1e-9);
        assert_eq!(found.delay_s, 0.1);
        for (word, place) in [("sx", "239:4"), ("sx", "73:3"), ("sz", "73:4"), ("sx", "gz")] {
            let text = rules.add(word, place).unwrap_err().to_string();
            assert!(text.contains("header.sx=73:4") && text.contains("cdpx"), "{text}");
        }
    }

    #[test]
    fn a_broken_time_step_is_kept_by_su_only() {
        let delay_s = -0.060_25;
        let header = TraceHeader { dt_s: 0.000_481_76, delay_s, ..Default::default() };
        let bytes = header.encode(1, 10, Endian::Little, Dialect::Su).unwrap();
        let back = TraceHeader::decode(&bytes, Endian::Little, Dialect::Su);
        assert!((back.dt_s - header.dt_s).abs() < 1e-10, "{}", back.dt_s);
        assert!((back.delay_s - delay_s).abs() < 1e-8, "{}", back.delay_s);
        let error = header.encode(1, 10, Endian::Big, Dialect::Segy).unwrap_err().to_string();
        assert!(error.contains("481.76") && error.contains("microseconds"), "{error}");
        let long = header.encode(1, 70_000, Endian::Little, Dialect::Su).unwrap_err().to_string();
        assert!(long.contains("70000") && long.contains("65535"), "{long}");
    }
}
