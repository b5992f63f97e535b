//! The parameters of a run: one table, from which the `key=value` style, the TOML run files, their
//! documentation and the struct itself are made.
//!
//! Names and meanings are those of the thesis (spec 1.5); what we added is marked as ours in
//! [`OPTIONS`]. A run file in TOML may group the same keys in tables as it likes: the names of
//! tables carry no meaning.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::io::HeaderRules;
use crate::io::traces::FOOT_M;
use crate::plan::{Envelope, Face, FaceKind, Generator, ImagingCondition, RandRange};
use crate::survey::geometry::parse_range;
use crate::{Error, Result};

/// Describes one parameter.
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// Other spellings that are accepted.
    pub aliases: &'static [&'static str],
    /// The heading under which it is listed.
    pub group: &'static str,
    /// What it means.
    pub help: &'static str,
    set: fn(&mut Parameters, &str) -> std::result::Result<(), String>,
    get: fn(&Parameters) -> String,
}

/// A type that a parameter can have.
trait Value: Sized {
    fn parse(text: &str) -> std::result::Result<Self, String>;
    fn show(&self) -> String;
}

macro_rules! options {
    ($($group:literal {
        $($name:literal $(| $alias:literal)*
            $field:ident: $kind:ty = $default:expr, $help:literal;)*
    })*) => {
        /// All parameters of a run, typed.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Parameters {
            $($(#[doc = $help] pub $field: $kind,)*)*
        }

        impl Default for Parameters {
            fn default() -> Self {
                Parameters { $($($field: $default,)*)* }
            }
        }

        /// All parameters, in the order of the documentation.
        pub const OPTIONS: &[OptionInfo] = &[$($(OptionInfo {
            name: $name,
            aliases: &[$($alias),*],
            group: $group,
            help: $help,
            set: |p, text| <$kind as Value>::parse(text).map(|v| p.$field = v),
            get: |p| Value::show(&p.$field),
        },)*)*];
    };
}

options! {
    "velocity model" {
        "vfile" vfile: Option<PathBuf> = None, "Velocity cube: raw f32 (z fastest), NPY, SU or \
            SEG-Y.";
        "vcte" vcte: Option<f64> = None, "Constant velocity in m/s, if there is no vfile.";
        "nx" nx: Option<usize> = None, "Points along x; may be left out if the file says it.";
        "ny" ny: Option<usize> = None, "Points along y.";
        "nz" nz: Option<usize> = None, "Points along z.";
        "dx" dx: Option<f64> = None, "Spacing along x, metres; may be left out if the file says \
            it.";
        "dy" dy: Option<f64> = None, "Spacing along y, metres.";
        "dz" dz: Option<f64> = None, "Spacing along z, metres.";
        "vunits" vunits: SpeedUnits = SpeedUnits::MetresPerSecond, "Ours: unit of the velocities \
            in vfile: m/s, km/s or ft/s.";
        "smooth" smooth: f64 = 0.0, "Ours: smooth the slowness by a Gaussian of this standard \
            deviation, metres.";
        "lext" lext: Length = Length::Auto, "Extension at the left face (x smallest), metres; \
            auto: as much as the boundary layers take.";
        "rext" rext: Length = Length::Auto, "Extension at the right face (x largest).";
        "bext" bext: Length = Length::Auto, "Extension at the back face (y smallest).";
        "fext" fext: Length = Length::Auto, "Extension at the front face (y largest).";
        "text" text: Length = Length::Auto, "Extension at the top face (z smallest).";
        "oext" oext: Length = Length::Auto, "Extension at the bottom face (z largest).";
    }
    "data and shots" {
        "data" data: Option<PathBuf> = None, "Traces, .su or .sgy: migrate reads them, shoot \
            writes them.";
        "mute" mute: Option<String> = None, "Ours: velocity,seconds: silence samples before \
            distance / velocity + seconds after the shot's time zero (the direct wave).";
        "delay" delay: Option<f64> = None, "Ours: time of the traces' first sample after the \
            shot's time zero, seconds; left out: what the headers say (delrt), 0 for shoot.";
        "differentiate" differentiate: Derivative = Derivative::Whole, "Ours: take the traces' \
            derivative in time, so that the image of a step in velocity is centred on it: 1 for \
            receivers that cover an area, 0.5 (half a derivative) for those on a line, 0 none.";
        "header" header: Option<String> = None, "Ours: trace header words that are elsewhere: \
            word=first byte:bytes or word=another word, with commas; also written header.sx=73:4.";
        "units" units: Units = Units::Auto, "Ours: unit of the lengths in trace headers: m, ft, or \
            auto, what the file says (metres where it says nothing).";
        "rotate" rotate: Option<String> = None, "Ours: x,y,degrees: the model's origin in the \
            coordinates of the traces, metres, and the angle from their x axis to the model's, \
            towards their y axis.";
        "offsets" offsets: Option<String> = None, "Ours: near,far: only traces whose horizontal \
            distance from source to receiver lies between, metres; shots without any are left out.";
        "interpolate" interpolate: bool = true, "Ours: sources and receivers between grid points \
            act through a Kaiser-windowed sinc on the points around (Hicks 2002); 0: they are \
            moved to the nearest.";
        "ishot" ishot: usize = 0, "First shot, counted from 0 in the order of the file.";
        "incshot" incshot: usize = 1, "Increment from one shot to the next.";
        "nshots" nshots: Option<usize> = None, "How many shots at most; all, if left out.";
        "lpad" | "lpap" lpad: Length = Length::All, "Aperture beyond source and receivers to the \
            left, metres; all: the whole model.";
        "rpad" | "rpap" rpad: Length = Length::All, "Aperture to the right.";
        "bpad" | "bpap" bpad: Length = Length::All, "Aperture to the back.";
        "fpad" | "fpap" fpad: Length = Length::All, "Aperture to the front.";
        "tpad" | "tpap" tpad: Length = Length::All, "Aperture to the top.";
        "opad" | "opap" opad: Length = Length::All, "Aperture to the bottom.";
    }
    "wave equation" {
        "fq" fq: Option<f64> = None, "Central frequency of the Ricker wavelet, Hz; its peak is the \
            shot's time zero.";
        "wavelet" wavelet: Option<PathBuf> = None, "Ours: file with the source's wavelet (.su, \
            .sgy, or text 'time value'), its time 0 that of the shot; fq then only sets sampling \
            and layers.";
        "wavelet_zero" wavelet_zero: f64 = 0.0, "Ours: the wavelet's own time (of the Ricker: \
            after its peak) that is the shot's time zero, seconds.";
        "met" met: Method = Method::FiniteDifferences, "Numerical method: fd (0), finite \
            differences, is the only one.";
        "ord" ord: usize = 8, "Order of the differences in space, even, 2 to 16.";
        "pplo" pplo: f64 = 5.0, "Grid points per shortest wavelength (at fq): the model is \
            resampled to have as many.";
        "dt" dt: Option<f64> = None, "Time step, seconds; used if it is stable. Left out: that of \
            the traces, or the largest stable one.";
        "tmax" tmax: Option<f64> = None, "Ours: length of the recording, seconds (shoot), or how \
            much of the traces to use (migrate).";
        "abc" abc: Faces = Faces([FaceKind::Absorbing; 6]), "Which faces absorb: \
            left,right,back,front,top,bottom, each 0 or 1. A top that does not is a free surface \
            in the plane of the model's first points; another face that does not reflects like a \
            wall.";
        "Lpml" lpml: usize = 16, "Boundary layers in points.";
        "dimensions" dimensions: usize = 3, "Ours: 3, or 2 for a line, a model of one plane (ny = \
            1): nothing changes across it, sources are lines across it, and a step costs a \
            twentieth; on the CPU.";
        "precision" precision: Precision = Precision::F32, "Ours: numbers of the wavefields, f32 \
            or f64.";
    }
    "memory strategy" {
        "strategy" strategy: StrategyCode = StrategyCode::Boundaries, "How the source's field is \
            obtained backward in time: boundaries (6), random (7), checkpoints (8), store (1, the \
            oracle).";
        "ks_store" ks_store: usize = 0, "Checkpoint period of strategy 8, 3 or more; 0: as memory \
            allows.";
        "replay" replay: ReplayCode = ReplayCode::Segment, "Ours, strategy 8: level (as the \
            thesis), segment (each segment once), binomial.";
        "slots" slots: usize = 0, "Ours, replay=binomial: number of checkpoints; 0: as memory \
            allows.";
        "memory" memory: Bytes = Bytes(0), "Ours: memory that the run may take, such as 8G; 0: \
            what is free.";
        "ks_rand" ks_rand: usize = 1_000_000, "Strategy 7: steps between redraws of the random \
            velocities; more than nt: never.";
        "rdtype" | "rd_type" rdtype: Envelope = Envelope::Quadratic, "Strategy 7, randomness over \
            depth: linear (0), exponential (1), quadratic (2), zero (3), one (4).";
        "rand_mode" rand_mode: RandRange = RandRange::Symmetric, "Strategy 7, range of velocities: \
            full (0), nyquist (1, from there on), 4-nyquist (2), symmetric (3).";
        "rand_gen" rand_gen: Generator = Generator::Counter, "Ours, strategy 7: generator, lcg (0, \
            reversible, one per point) or hash (1, without state).";
        "seed" seed: u64 = 1, "Ours, strategy 7: seed of the random velocities.";
        "make_modeling" make_modeling: bool = true, "Strategy 7: run the forward propagation of \
            the source.";
        "make_retropropagation" make_retropropagation: bool = true, "Strategy 7: run the backward \
            propagation of the source.";
        "make_backpropagation" make_backpropagation: bool = true, "Strategy 7: run the backward \
            propagation of the receivers.";
    }
    "image" {
        "ks" ks: usize = 1, "Period of the imaging condition in steps.";
        "imgcond" imgcond: ImagingCondition = ImagingCondition::CrossCorrelation, "Imaging \
            condition: correlation (0, 7); divided by the energy of source or receivers, each shot \
            by its own, shot-source (1), shot-receivers (2), or the stack, source (3), receivers \
            (4); both (5), the sum of the last two.";
        "imcondeps" imcondeps: f64 = 1e-3, "Share of the largest denominator that is added to all \
            denominators.";
        "art_rem_method" art_rem_method: Laplacian = Laplacian::End, "Laplacian filter against the \
            artefacts of long waves: none (0), shot (1, each shot's image), end (2, the stack).";
    }
    "output" {
        "out" out: PathBuf = PathBuf::from("rtm-out"), "Ours: folder of all results.";
        "format" format: FileFormat = FileFormat::Bin, "Ours: cubes as bin (raw) or npy.";
        "svg" svg: bool = true, "Ours: picture of the image.";
        "crop" crop: bool = true, "Ours: the image covers the model without its extension.";
        "illumfile" illumfile: bool = false, "Ours: illumination, the energy of all sources summed \
            over time.";
        "rfile" rfile: bool = true, "Final image with post-processing.";
        "rfile_raw" rfile_raw: bool = false, "Final image before post-processing.";
        "rshotfile" rshotfile: bool = false, "Image of each shot with per-shot post-processing.";
        "rshotfile_raw" rshotfile_raw: bool = false, "Image of each shot before it.";
        "revolutionfile" revolutionfile: bool = false, "Partial image after each shot.";
        "smovie" smovie: bool = false, "Dump the source's field forward, each movie_every steps.";
        "sbackmovie" sbackmovie: bool = false, "Dump the source's field as it runs backward.";
        "rmovie" rmovie: bool = false, "Dump the receivers' field backward.";
        "seffmovie" seffmovie: bool = false, "As smovie, cropped to the image of the shot.";
        "seffbackmovie" seffbackmovie: bool = false, "As sbackmovie, cropped to the image of the \
            shot.";
        "movie_every" movie_every: usize = 1, "Ours: steps from one dump to the next.";
        "resampfile" resampfile: bool = false, "SU file of the time-resampled traces of each shot.";
        "velextfile" velextfile: bool = false, "The extended model.";
        "velresampfile" velresampfile: bool = false, "The resampled model.";
        "subvelfile" subvelfile: bool = false, "The submodel of each shot.";
        "rdfile" rdfile: bool = false, "Strategy 7: text file of the envelope rd(d).";
        "velrand1file" velrand1file: bool = false, "Strategy 7: random velocities of the first \
            forward step.";
        "velrand2file" velrand2file: bool = false, "Strategy 7: random velocities of the last \
            backward step.";
        "psgraphfile" psgraphfile: bool = false, "Plan view of all submodels (PNG).";
    }
    "machine" {
        "threads" threads: usize = 0, "Ours: CPU threads; 0: all.";
        "restart" restart: bool = true, "Ours: go on where an unfinished run in the same folder \
            stopped.";
        "CUDA_dev" cuda_dev: i32 = 0, "Index of the GPU (for back ends that have one).";
        "prop_stencil_kernel" prop_stencil_kernel: u32 = 0, "GPU: kernel of the time step; 1 to 9 \
            as in the thesis, 10 to 12 ours; 0: the fastest.";
        "pml_stencil_kernel" pml_stencil_kernel: u32 = 0, "GPU: kernels of the layers, 1 naive, 2 \
            improved, 3 fused with the step, 4 lines, 5 slabs; 0: the fastest.";
    }
    "acquisition (shoot)" {
        "sources_x" sources_x: Option<String> = None, "Ours: x of the sources, metres: one number, \
            a list, or first:step:count.";
        "sources_y" sources_y: Option<String> = None, "Ours: y of the sources; all combinations \
            with sources_x are shot.";
        "sources_z" sources_z: f64 = 0.0, "Ours: depth of the sources.";
        "sources_file" sources_file: Option<PathBuf> = None, "Ours: table of sources instead, a \
            line x y z for each.";
        "receivers_x" receivers_x: Option<String> = None, "Ours: x of the receivers.";
        "receivers_y" receivers_y: Option<String> = None, "Ours: y of the receivers.";
        "receivers_z" receivers_z: f64 = 0.0, "Ours: depth of the receivers.";
        "receivers_file" receivers_file: Option<PathBuf> = None, "Ours: table of receivers \
            instead.";
        "receivers_move" receivers_move: bool = false, "Ours: receivers_x and receivers_y are \
            relative to the source (patches); those that leave the model are left out.";
        "streamer" streamer: Option<String> = None, "Ours: cables,distance,channels,near,group: \
            streamers behind each source, metres; instead of receivers_*.";
        "dt_rec" dt_rec: f64 = 0.002, "Ours: time step of the traces that are written, seconds.";
    }
}

/// Unit of lengths in trace headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// What the file says.
    Auto,
    /// Metres.
    Metres,
    /// International feet.
    Feet,
}

/// Which derivative of the traces in time is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// None.
    None,
    /// That of order 1/2: receivers on a line.
    Half,
    /// The first: receivers that cover an area.
    Whole,
}

/// Unit of velocities in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedUnits {
    /// Metres per second.
    MetresPerSecond,
    /// Kilometres per second.
    KilometresPerSecond,
    /// International feet per second.
    FeetPerSecond,
}

impl SpeedUnits {
    /// Metres per second of one unit.
    pub fn mps(self) -> f64 {
        match self {
            SpeedUnits::MetresPerSecond => 1.0,
            SpeedUnits::KilometresPerSecond => 1000.0,
            SpeedUnits::FeetPerSecond => FOOT_M,
        }
    }
}

/// A length in metres that the program can choose itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// So many metres.
    Metres(f64),
    /// As much as is needed.
    Auto,
    /// As much as there is.
    All,
}

/// What the six faces do: each absorbs or does not, and then the top is a free surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faces(pub [FaceKind; 6]);

impl Faces {
    /// Whether a face absorbs.
    pub fn absorbs(&self, face: Face) -> bool {
        self.0[face as usize] == FaceKind::Absorbing
    }
}

/// Numerical method of the time step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Finite differences.
    FiniteDifferences,
}

/// What the Laplacian filter is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laplacian {
    /// Nothing.
    None,
    /// The image of each shot.
    Shot,
    /// The sum of all shots.
    End,
}

/// Numbers of the wavefields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Single.
    F32,
    /// Double.
    F64,
}

/// `strategy`, by the thesis' codes or by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyCode {
    /// 1, 2, 5: store everything.
    Store,
    /// 6: save the boundaries.
    Boundaries,
    /// 7: random boundaries.
    Random,
    /// 8: checkpoints.
    Checkpoints,
}

/// How checkpoints are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayCode {
    /// From the checkpoint anew for each level.
    Level,
    /// Each segment once.
    Segment,
    /// Binomial schedule.
    Binomial,
}

/// How cubes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Raw numbers with a description beside them.
    Bin,
    /// NumPy's format.
    Npy,
}

/// An amount of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

/// What parsing gives: the value or what is wrong with the text.
type Parsed<T> = std::result::Result<T, String>;

fn number<T: std::str::FromStr>(text: &str, what: &str) -> Parsed<T> {
    text.parse().map_err(|_| format!("'{text}' is not {what}"))
}

macro_rules! whole_numbers {
    ($($kind:ty: $what:literal),*) => {
        $(impl Value for $kind {
            fn parse(text: &str) -> Parsed<Self> {
                number(text, $what)
            }
            fn show(&self) -> String {
                self.to_string()
            }
        })*
    };
}
whole_numbers!(usize: "a whole number, 0 or more", u32: "a whole number, 0 or more", 
               u64: "a whole number, 0 or more",
               i32: "a whole number");

impl Value for f64 {
    fn parse(text: &str) -> Parsed<Self> {
        let value: f64 = number(text, "a number")?;
        if value.is_finite() { Ok(value) } else { Err(format!("'{text}' is not finite")) }
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for bool {
    fn parse(text: &str) -> Parsed<Self> {
        match text {
            "1" | "true" | "yes" => Ok(true),
            "0" | "false" | "no" => Ok(false),
            _ => Err(format!("'{text}' is not 0 or 1")),
        }
    }
    fn show(&self) -> String {
        u8::from(*self).to_string()
    }
}

impl Value for String {
    fn parse(text: &str) -> Parsed<Self> {
        Ok(text.into())
    }
    fn show(&self) -> String {
        self.clone()
    }
}

impl Value for PathBuf {
    fn parse(text: &str) -> Parsed<Self> {
        if text.is_empty() { Err("the path is empty".into()) } else { Ok(text.into()) }
    }
    fn show(&self) -> String {
        self.display().to_string()
    }
}

impl<T: Value> Value for Option<T> {
    fn parse(text: &str) -> Parsed<Self> {
        if text.is_empty() { Ok(None) } else { T::parse(text).map(Some) }
    }
    fn show(&self) -> String {
        self.as_ref().map_or(String::new(), T::show)
    }
}

impl Value for Length {
    fn parse(text: &str) -> Parsed<Self> {
        match text {
            "auto" => Ok(Length::Auto),
            "all" => Ok(Length::All),
            _ => match f64::parse(text)? {
                m if m >= 0.0 => Ok(Length::Metres(m)),
                m => Err(format!("{m} is negative")),
            },
        }
    }
    fn show(&self) -> String {
        match self {
            Length::Metres(m) => m.to_string(),
            Length::Auto => "auto".into(),
            Length::All => "all".into(),
        }
    }
}

impl Value for Faces {
    fn parse(text: &str) -> Parsed<Self> {
        let absorbs: Vec<bool> = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != ',')
            .map(|c| bool::parse(&c.to_string()))
            .collect::<Parsed<_>>()?;
        let absorbs: [bool; 6] =
            absorbs.try_into().map_err(|_| format!("'{text}' is not six times 0 or 1"))?;
        Ok(Faces(Face::ALL.map(|face| match absorbs[face as usize] {
            false if face == Face::Top => FaceKind::FreeSurface,
            absorbs => FaceKind::absorbing_if(absorbs),
        })))
    }
    fn show(&self) -> String {
        Face::ALL.map(|face| bool::show(&self.absorbs(face))).join(",")
    }
}

impl Value for Bytes {
    fn parse(text: &str) -> Parsed<Self> {
        let (digits, unit) = match text.char_indices().last() {
            Some((at, 'k' | 'K')) => (&text[..at], 1u64 << 10),
            Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
            Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
            _ => (text, 1),
        };
        let amount: f64 = number(digits, "an amount such as 512M or 8G")?;
        match amount >= 0.0 && amount.is_finite() {
            true => Ok(Bytes((amount * unit as f64) as u64)),
            false => Err(format!("'{text}' is negative")),
        }
    }
    fn show(&self) -> String {
        self.0.to_string()
    }
}

/// Words for values, the first of each being the one that is shown.
macro_rules! words {
    ($kind:ident: $($variant:ident = $first:literal $(| $other:literal)*),* ; $refused:expr) => {
        impl Value for $kind {
            fn parse(text: &str) -> Parsed<Self> {
                match text {
                    $($first $(| $other)* => Ok($kind::$variant),)*
                    _ => Err($refused(text)),
                }
            }
            fn show(&self) -> String {
                match self {
                    $($kind::$variant => $first.into(),)*
                }
            }
        }
    };
}

words!(Precision: F32 = "f32" | "float", F64 = "f64" | "double"; |t| format!("'{t}' is not f32 or \
    f64"));
words!(Units: Auto = "auto", Metres = "m", Feet = "ft"; |t| format!("'{t}' is not auto, m or ft"));
words!(SpeedUnits: MetresPerSecond = "m/s", KilometresPerSecond = "km/s", FeetPerSecond = "ft/s";
       |t| format!("'{t}' is not m/s, km/s or ft/s"));
words!(Derivative: Whole = "1" | "true" | "yes", Half = "0.5" | "half", None = "0" | "false" | "no";
       |t| format!("'{t}' is not 1, 0.5 or 0"));
words!(ReplayCode: Level = "level", Segment = "segment", Binomial = "binomial";
       |t| format!("'{t}' is not level, segment or binomial"));
words!(Method: FiniteDifferences = "fd" | "0";
       |t| format!("'{t}' is not fd (0), finite differences, the only method"));
words!(Envelope: Linear = "linear" | "0", Exponential = "exponential" | "1",
                 Quadratic = "quadratic" | "2", Zero = "zero" | "3", One = "one" | "4";
       |t| format!("'{t}' is not linear (0), exponential (1), quadratic (2), zero (3) or one (4)"));
words!(RandRange: Full = "full" | "0", Nyquist = "nyquist" | "1", FourNyquist = "4-nyquist" | "2",
                  Symmetric = "symmetric" | "3";
       |t| format!("'{t}' is not full (0), nyquist (1), 4-nyquist (2) or symmetric (3)"));
words!(Generator: Lcg = "lcg" | "0", Counter = "hash" | "1";
       |t| format!("'{t}' is not lcg (0) or hash (1)"));
words!(ImagingCondition: CrossCorrelation = "correlation" | "0" | "7",
                         SourceNormalisedPerShot = "shot-source" | "1",
                         ReceiverNormalisedPerShot = "shot-receivers" | "2",
                         SourceNormalised = "source" | "3", ReceiverNormalised = "receivers" | "4",
                         BothNormalised = "both" | "5";
       |t| format!("'{t}' is not correlation (0, 7), shot-source (1), shot-receivers (2), source \
                    (3), receivers (4) or both (5)"));
words!(Laplacian: None = "none" | "0", Shot = "shot" | "1", End = "end" | "2";
       |t| format!("'{t}' is not none (0), shot (1) or end (2)"));
words!(FileFormat: Bin = "bin", Npy = "npy"; |t| format!("'{t}' is not bin or npy"));
words!(StrategyCode: Store = "store" | "1" | "2" | "5", Boundaries = "boundaries" | "6",
    Random = "random" | "7", Checkpoints = "checkpoints" | "8";
|t| match t {
    "0" => "0 (store everything in 2D) is no longer there: use 1 (store) with a model of ny = \
        1".to_string(),
    "3" => "3 (boundaries in host memory) is no longer there: use 6 (boundaries)".to_string(),
    "4" => "4 (backward without saved boundaries) was unstable: use 6 (boundaries)".to_string(),
    _ => format!("'{t}' is not boundaries (6), random (7), checkpoints (8) or store (1)"),
});

impl Parameters {
    /// Sets one parameter from text.
    ///
    /// # Errors
    /// There is no such parameter (the error names the nearest), or the text is no value for it.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        if let Some(word) = name.strip_prefix("header.") {
            let before = self.header.take().map_or(String::new(), |h| h + ",");
            self.header = Some(format!("{before}{word}={}", value.trim()));
            return self.header_rules().map(drop);
        }
        let info = find(name)?;
        (info.set)(self, value.trim()).map_err(|why| Error::refused(info.name, why, info.help))
    }

    /// Reads a run file: TOML if its name ends so, else words `key=value`, `#` starting a comment.
    ///
    /// # Errors
    /// The file cannot be read, or one of its parameters is refused.
    pub fn read_file(&mut self, path: &Path) -> Result<()> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::reading(path, &e))?;
        let toml = path.extension().is_some_and(|e| e == "toml");
        let read = if toml { self.read_toml(&text) } else { self.read_pairs(&text) };
        read.map_err(|e| Error::Input(format!("{}: {e}", path.display())))
    }

    fn read_toml(&mut self, text: &str) -> Result<()> {
        let table: toml::Table = toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |s| text[..s.start].lines().count().max(1));
            Error::refused(
                format!("line {line}"),
                e.message(),
                "see `rtm options` for a whole file",
            )
        })?;
        self.read_table(&table)
    }

    fn read_table(&mut self, table: &toml::Table) -> Result<()> {
        for (name, value) in table {
            match value {
                toml::Value::Table(words) if name == "header" => {
                    for (word, value) in words {
                        self.set(&format!("header.{word}"), &plain(word, value)?)?;
                    }
                }
                toml::Value::Table(inner) => self.read_table(inner)?,
                value => self.set(name, &plain(name, value)?)?,
            }
        }
        Ok(())
    }

    fn read_pairs(&mut self, text: &str) -> Result<()> {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or(""));
        for word in lines.flat_map(str::split_whitespace) {
            self.read_pair(word)?;
        }
        Ok(())
    }

    /// Reads one word `key=value`; `par=FILE` reads a run file.
    ///
    /// # Errors
    /// It is not of that form, or is refused.
    pub fn read_pair(&mut self, word: &str) -> Result<()> {
        match word.split_once('=') {
            Some(("par", file)) => self.read_file(Path::new(file)),
            Some((name, value)) => self.set(name, value),
            None => {
                let fix = match Path::new(word).is_file() || word.ends_with(".toml") {
                    true => format!("a run file is read by par={word}"),
                    false => "put = between its name and its value, without blanks".into(),
                };
                Err(Error::refused(format!("'{word}'"), "a parameter is written key=value", fix))
            }
        }
    }

    /// All parameters as `key = value`, grouped, each with its meaning: a run file in TOML.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        let mut group = "";
        for info in OPTIONS {
            if info.group != group {
                group = info.group;
                let _ = writeln!(text, "\n# {group}");
            }
            let value = (info.get)(self);
            let bare = value.parse::<f64>().is_ok_and(f64::is_finite);
            let shown = if bare { value.clone() } else { format!("{value:?}") };
            let off = if value.is_empty() { "# " } else { "" };
            let _ = writeln!(text, "{off}{} = {shown:<14} # {}", info.name, info.help);
        }
        text.trim_start().into()
    }

    /// What differs from the defaults, as `key=value` words: enough to make the same run again.
    pub fn to_pairs(&self) -> Vec<String> {
        let default = Parameters::default();
        OPTIONS
            .iter()
            .filter(|info| (info.get)(self) != (info.get)(&default))
            .map(|info| format!("{}={}", info.name, (info.get)(self)))
            .collect()
    }

    /// The parameters that decide a result, as `key=value` words: all that differ from the
    /// defaults, less those that only say what is written and how the machine is used.
    pub fn deciding(&self) -> Vec<String> {
        let other = |word: &String| {
            let name = word.split('=').next().unwrap_or("");
            let info = OPTIONS.iter().find(|o| o.name == name);
            !info.is_some_and(|o| match o.name {
                // A restart file of such a run holds one cube more.
                "illumfile" => false,
                "memory" => true,
                _ => ["output", "machine"].contains(&o.group),
            })
        };
        self.to_pairs().into_iter().filter(other).collect()
    }

    /// How trace headers are to be read.
    ///
    /// # Errors
    /// `header` or `rotate` is not of its form.
    pub fn header_rules(&self) -> Result<HeaderRules> {
        let unit_m = match self.units {
            Units::Auto => None,
            Units::Metres => Some(1.0),
            Units::Feet => Some(FOOT_M),
        };
        let rotation = self.rotate.as_ref().map(|text| {
            let numbers = parse_range("rotate", text)?;
            let [x, y, degrees] = numbers[..] else {
                return Err(Error::refused(
                    format!("rotate = {text}"),
                    "it is not three numbers",
                    "write x,y,degrees such as 431000,6782000,30",
                ));
            };
            Ok([x, y, degrees.to_radians()])
        });
        let rotation = rotation.transpose()?;
        let offsets_m = self.offsets.as_ref().map(|text| match parse_range("offsets", text)?[..] {
            [near, far] if near <= far => Ok([near, far]),
            _ => Err(Error::refused(
                format!("offsets = {text}"),
                "it is not two numbers that rise",
                "write near,far in metres such as 0,500",
            )),
        });
        let mut rules = HeaderRules {
            delay_s: self.delay,
            unit_m,
            words: Vec::new(),
            offsets_m: offsets_m.transpose()?,
            rotation,
        };
        for rule in self.header.iter().flat_map(|rules| rules.split(',')) {
            let (word, place) = rule.split_once('=').unwrap_or((rule, ""));
            rules.add(word.trim(), place.trim())?;
        }
        Ok(rules)
    }

    /// `mute` as numbers: m/s and seconds.
    ///
    /// # Errors
    /// It is not two numbers, the first positive.
    pub fn mute_line(&self) -> Result<Option<(f64, f64)>> {
        let Some(text) = &self.mute else { return Ok(None) };
        let numbers: Vec<f64> = text.split(',').filter_map(|n| n.trim().parse().ok()).collect();
        match numbers[..] {
            [v, after] if v > 0.0 && v.is_finite() && after.is_finite() => Ok(Some((v, after))),
            _ => Err(Error::refused(
                format!("mute = {text}"),
                "it is not two numbers",
                "write velocity,seconds such as 1500,0.1",
            )),
        }
    }

    /// Checks what can be checked without a file.
    ///
    /// # Errors
    /// The first parameter that cannot be.
    pub fn check(&self) -> Result<()> {
        crate::fd::check_order(self.ord)?;
        let bad = |name: &str, value: &dyn std::fmt::Display, fix: &str| {
            Err(Error::refused(format!("{name} = {value}"), "out of range", fix))
        };
        let positive = |name, value: Option<f64>| match value {
            Some(v) if v <= 0.0 => bad(name, &v, "it must be positive"),
            _ => Ok(()),
        };
        for (name, value) in [
            ("fq", self.fq),
            ("vcte", self.vcte),
            ("dx", self.dx),
            ("dy", self.dy),
            ("dz", self.dz),
            ("dt", self.dt),
            ("tmax", self.tmax),
            ("pplo", Some(self.pplo)),
            ("dt_rec", Some(self.dt_rec)),
        ] {
            positive(name, value)?;
        }
        if self.pplo < 2.0 {
            return bad(
                "pplo",
                &self.pplo,
                "fewer than 2 points per wavelength alias; 5 or more are usual",
            );
        }
        if ![2, 3].contains(&self.dimensions) {
            return bad("dimensions", &self.dimensions, "2 or 3");
        }
        if self.dimensions == 2 && self.strategy == StrategyCode::Random {
            return Err(Error::refused(
                "dimensions = 2, strategy = random",
                "a plane has no random boundaries",
                "leave strategy out: a plane's checkpoints take little memory",
            ));
        }
        if self.ks == 0 || self.ks_rand == 0 || self.incshot == 0 || self.movie_every == 0 {
            return Err(Error::input(
                "ks, ks_rand, incshot and movie_every are periods: 1 or more",
            ));
        }
        if (1..3).contains(&self.ks_store) {
            return bad("ks_store", &self.ks_store, "3 or more, or 0 to choose by memory");
        }
        if self.prop_stencil_kernel > 12 || self.pml_stencil_kernel > 5 {
            return Err(Error::input(
                "prop_stencil_kernel is 0 to 12, pml_stencil_kernel 0 to 5; 0 takes the fastest",
            ));
        }
        if self.imcondeps < 0.0 || self.smooth < 0.0 {
            return Err(Error::input("imcondeps and smooth cannot be negative"));
        }
        self.mute_line()?;
        self.header_rules().map(drop)
    }
}

/// A TOML value as the text that `key=value` would have.
fn plain(name: &str, value: &toml::Value) -> Result<String> {
    Ok(match value {
        toml::Value::String(s) => s.clone(),
        toml::Value::Integer(i) => i.to_string(),
        toml::Value::Float(f) => f.to_string(),
        toml::Value::Boolean(b) => u8::from(*b).to_string(),
        toml::Value::Array(items) => {
            items.iter().map(|v| plain(name, v)).collect::<Result<Vec<_>>>()?.join(",")
        }
        _ => {
            return Err(Error::refused(name, "neither number, text nor list", "see `rtm options`"));
        }
    })
}

/// The parameter of that name or alias, capital letters or not.
fn find(name: &str) -> Result<&'static OptionInfo> {
    let same = |a: &str| a.eq_ignore_ascii_case(name);
    let found = OPTIONS.iter().find(|o| same(o.name) || o.aliases.iter().any(|a| same(a)));
    found.ok_or_else(|| {
        let near = OPTIONS.iter().map(|o| o.name).min_by_key(|o| distance(o, name));
        Error::refused(
            format!("'{name}'"),
            "there is no such parameter",
            format!("did you mean {}? `rtm options` lists all", near.unwrap_or("par")),
        )
    })
}

/// How many letters must be changed, added or removed to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spec 1.5, as printed.
    const THESIS: &str = "smovie sbackmovie rmovie seffmovie seffbackmovie resampfile velextfile \
        velresampfile subvelfile revolutionfile rshotfile rshotfile_raw rfile rfile_raw rdfile \
        velrand1file \
        velrand2file make_modeling \
        make_retropropagation make_backpropagation psgraphfile CUDA_dev prop_stencil_kernel \
        pml_stencil_kernel met ord \
        dx dy dz nx ny nz vfile vcte lext rext bext fext text oext fq lpad rpap bpap fpap tpap \
        opap rpad bpad fpad tpad \
        opad strategy ks ks_store ks_rand rdtype rd_type rand_mode imgcond imcondeps \
        art_rem_method pplo abc Lpml data dt \
        nshots incshot ishot";

    #[test]
    fn a_word_without_a_value_is_told_what_it_lacks() {
        for (word, fix) in [("fq", "put = between"), ("run.toml", "read by par=run.toml")] {
            let error = Parameters::default().read_pair(word).unwrap_err().to_string();
            assert!(error.contains(fix), "{error}");
        }
    }

    #[test]
    fn every_option_of_the_thesis_is_accepted() {
        for name in THESIS.split_whitespace() {
            let value = match name {
                "abc" => "1,0,1,1,0,1",
                "strategy" => "7",
                "met" => "0",
                "ord" => "8",
                "vfile" | "data" => "a.su",
                _ => "1",
            };
            let mut p = Parameters::default();
            p.read_pair(&format!("{name}={value}")).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let names: Vec<&str> =
            OPTIONS.iter().flat_map(|o| o.aliases.iter().chain([&o.name])).copied().collect();
        for (k, name) in names.iter().enumerate() {
            assert!(!names[..k].iter().any(|n| n.eq_ignore_ascii_case(name)), "{name} twice");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_fix() {
        let mut p = Parameters::default();
        let mut error = |word: &str| p.read_pair(word).unwrap_err().to_string();
        assert!(error("strateg=6").contains("did you mean strategy?"));
        assert!(error("fq").contains("key=value"));
        assert!(error("ord=x").contains("ord: 'x' is not a whole number"));
        assert!(error("abc=1,1").contains("six times"));
        assert!(error("strategy=4").contains("use 6"));
        assert!(error("strategy=3").contains("use 6"));
        assert!(error("strategy=0").contains("use 1"));
        assert!(error("lext=-5").contains("negative"));
        assert!(error("header.sx=1:3").contains("header.sx=73:4"));
        assert!(error("fq=inf").contains("not finite"));
        assert!(error("rand_mode=9").contains("rand_mode: '9' is not full (0)"));
        assert!(error("imgcond=6").contains("imgcond: '6' is not correlation (0, 7)"));
        assert!(error("art_rem_method=3").contains("'3' is not none (0)"));
        assert!(error("met=1").contains("finite differences"));
        let check = |word: &str| {
            let mut p = Parameters::default();
            p.read_pair(word).unwrap();
            p.check().unwrap_err().to_string()
        };
        assert!(check("ord=7").contains("even"));
        assert!(check("fq=-1").contains("fq = -1"));
        assert!(check("ks_store=2").contains("3 or more"));
        assert!(check("ks=0").contains("1 or more"));
        assert!(check("rotate=1,2").contains("three numbers"));
        assert!(Parameters::default().check().is_ok());
    }

    /// Every code of the thesis means what it meant, and is shown as a word that is read again.
    #[test]
    fn codes_are_read_and_shown_as_words() {
        let shown = |name: &str, code: &str| {
            let mut p = Parameters::default();
            p.set(name, code).unwrap_or_else(|e| panic!("{name}={code}: {e}"));
            let word = (find(name).unwrap().get)(&p);
            let mut again = Parameters::default();
            again.set(name, &word).unwrap();
            assert_eq!(again, p, "{name}={code} and {name}={word}");
            word
        };
        for (name, words) in [
            ("met", &["fd"][..]),
            ("rdtype", &["linear", "exponential", "quadratic", "zero", "one"]),
            ("rand_mode", &["full", "nyquist", "4-nyquist", "symmetric"]),
            ("rand_gen", &["lcg", "hash"]),
            (
                "imgcond",
                &["correlation", "shot-source", "shot-receivers", "source", "receivers", "both"],
            ),
            ("art_rem_method", &["none", "shot", "end"]),
        ] {
            for (code, word) in words.iter().enumerate() {
                assert_eq!(shown(name, &code.to_string()), *word, "{name}={code}");
            }
        }
        assert_eq!(shown("imgcond", "7"), "correlation");
        let word = shown("abc", "101101");
        assert_eq!(word, "1,0,1,1,0,1");
        let mut p = Parameters::default();
        p.set("abc", &word).unwrap();
        assert_eq!(p.abc.0[1], FaceKind::Reflecting);
        assert_eq!(p.abc.0[4], FaceKind::FreeSurface);
    }

    #[test]
    fn both_kinds_of_run_file_say_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let toml = dir.path().join("run.toml");
        let pairs = dir.path().join("run.par");
        std::fs::write(
            &toml,
            "fq = 20\nabc = [1, 1, 1, 1, 0, 1]\n[model]\nvfile = \"v.bin\"\nnx = \
             10\n[model.extension]\nlext = 320.0\n\
             [strategy]\nstrategy = \"checkpoints\"\nmemory = \"2G\"\n[header]\ngx = \"cdpx\"\nsx \
                 = \"201:4\"\n",
        )
        .unwrap();
        std::fs::write(
            &pairs,
            "fq=20 abc=111101 # faces\nvfile=v.bin nx=10\nlext=320 strategy=8 memory=2G \
             header.gx=cdpx header.sx=201:4\n",
        )
        .unwrap();
        let read = |path: &Path| {
            let mut p = Parameters::default();
            p.read_file(path).map(|()| p)
        };
        let (a, b) = (read(&toml).unwrap(), read(&pairs).unwrap());
        assert_eq!(a, b);
        assert_eq!((a.memory, a.strategy), (Bytes(2 << 30), StrategyCode::Checkpoints));
        let mut again = Parameters::default();
        a.to_pairs().iter().for_each(|word| again.read_pair(word).unwrap());
        assert_eq!(again, a);
        std::fs::write(&toml, a.to_toml()).unwrap();
        assert_eq!(read(&toml).unwrap(), a);
        std::fs::write(&toml, "fq = 20\nnx = = 3\n").unwrap();
        let error = read(&toml).unwrap_err().to_string();
        assert!(error.contains("run.toml: line 2"), "{error}");
        std::fs::write(&toml, "[model]\nnxx = 3\n").unwrap();
        let error = read(&toml).unwrap_err().to_string();
        assert!(error.contains("run.toml: 'nxx'") && error.contains("mean nx?"), "{error}");
    }
}
