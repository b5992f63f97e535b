//! One line of `tests/data/curand.txt`: what to ask a generator for, and some of the numbers that
//! cuRAND gave.
//!
//! `KIND [seed=N] [offset=N] [dims=N] CALL:LENGTH ... = INDEX:HEX ...`: the numbers are bit
//! patterns of the last call's output. The calls are `raw`, `raw64`, `uni`, `unid`,
//! `nor(mean,stddev)`, `nord(..)`, `log(..)`, `logd(..)`, `poi(lambda)`.

use cudalibs::rand::RngType;

/// A line.
pub struct Case {
    pub text: String,
    pub kind: RngType,
    pub seed: Option<u64>,
    pub offset: Option<u64>,
    pub dims: Option<u32>,
    pub calls: Vec<Call>,
    /// Index and bit pattern.
    pub numbers: Vec<(usize, u64)>,
}

/// A call and the length of its output.
pub struct Call {
    pub name: String,
    pub parameters: Vec<f64>,
    pub length: usize,
}

impl Case {
    /// All lines of a file.
    pub fn all(text: &str) -> Vec<Case> {
        text.lines()
            .map(|line| Case::parse(line).unwrap_or_else(|| panic!("a case: {line}")))
            .collect()
    }

    fn parse(line: &str) -> Option<Case> {
        let (text, numbers) = line.split_once(" = ")?;
        let mut words = text.split(' ');
        let kind = match words.next()? {
            "xorwow" => RngType::PseudoXorwow,
            "philox" => RngType::PseudoPhilox4_32_10,
            "mrg32k3a" => RngType::PseudoMrg32k3a,
            "sobol32" => RngType::QuasiSobol32,
            "sobol64" => RngType::QuasiSobol64,
            _ => return None,
        };
        let mut case = Case {
            text: text.to_owned(),
            kind,
            seed: None,
            offset: None,
            dims: None,
            calls: Vec::new(),
            numbers: Vec::new(),
        };
        for word in words {
            match word.split_once('=') {
                Some(("seed", n)) => case.seed = Some(n.parse().ok()?),
                Some(("offset", n)) => case.offset = Some(n.parse().ok()?),
                Some(("dims", n)) => case.dims = Some(n.parse().ok()?),
                _ => case.calls.push(Call::parse(word)?),
            }
        }
        for number in numbers.split(' ') {
            let (index, bits) = number.split_once(':')?;
            case.numbers.push((index.parse().ok()?, u64::from_str_radix(bits, 16).ok()?));
        }
        Some(case)
    }
}

impl Call {
    fn parse(word: &str) -> Option<Call> {
        let (call, length) = word.split_once(':')?;
        let (name, rest) = call.split_once('(').unwrap_or((call, ")"));
        let parameters = rest.trim_end_matches(')').split(',').filter(|p| !p.is_empty());
        Some(Call {
            name: name.to_owned(),
            parameters: parameters.map(|p| p.parse().ok()).collect::<Option<_>>()?,
            length: length.parse().ok()?,
        })
    }
}

/// Runs a call on a generator, whose methods write to buffers that `$new` makes, and returns the
/// output as bit patterns.
#[macro_export]
macro_rules! output {
    ($generator:expr, $call:expr, $new:ident, $bits:ident) => {{
        let (g, call) = (&mut $generator, $call);
        let (n, p) = (call.length, &call.parameters);
        match call.name.as_str() {
            "raw" => {
                let mut x = $new::<u32>(n);
                g.generate(&mut x).map(|()| $bits(&x))
            }
            "raw64" => {
                let mut x = $new::<u64>(n);
                g.generate_long_long(&mut x).map(|()| $bits(&x))
            }
            "uni" => {
                let mut x = $new::<f32>(n);
                g.generate_uniform(&mut x).map(|()| $bits(&x))
            }
            "unid" => {
                let mut x = $new::<f64>(n);
                g.generate_uniform_double(&mut x).map(|()| $bits(&x))
            }
            "nor" => {
                let mut x = $new::<f32>(n);
                g.generate_normal(&mut x, p[0] as f32, p[1] as f32).map(|()| $bits(&x))
            }
            "nord" => {
                let mut x = $new::<f64>(n);
                g.generate_normal_double(&mut x, p[0], p[1]).map(|()| $bits(&x))
            }
            "log" => {
                let mut x = $new::<f32>(n);
                g.generate_log_normal(&mut x, p[0] as f32, p[1] as f32).map(|()| $bits(&x))
            }
            "logd" => {
                let mut x = $new::<f64>(n);
                g.generate_log_normal_double(&mut x, p[0], p[1]).map(|()| $bits(&x))
            }
            "poi" => {
                let mut x = $new::<u32>(n);
                g.generate_poisson(&mut x, p[0]).map(|()| $bits(&x))
            }
            other => panic!("a call: {other}"),
        }
    }};
}

/// The little-endian bytes of numbers as bit patterns.
pub fn patterns<T: bytemuck::Pod>(values: &[T]) -> Vec<u64> {
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, b| (sum << 8) | u64::from(*b));
    bytemuck::cast_slice::<T, u8>(values).chunks(size_of::<T>()).map(bits).collect()
}
