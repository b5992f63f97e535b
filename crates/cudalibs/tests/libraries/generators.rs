//! Random numbers in device memory: distributions, continuation, refusals, the log.

use cudalibs::rand::{Generator, HostGenerator, Ordering, RngType};
use cudalibs::{Error, Provider};
use cust::memory::{CopyDestination, DeviceBuffer};

use super::{on_device, rig, unwritten};

const PSEUDO: [RngType; 5] = [
    RngType::PseudoDefault,
    RngType::PseudoXorwow,
    RngType::PseudoMrg32k3a,
    RngType::PseudoMt19937,
    RngType::PseudoPhilox4_32_10,
];
const QUASI: [RngType; 5] = [
    RngType::QuasiDefault,
    RngType::QuasiSobol32,
    RngType::QuasiScrambledSobol32,
    RngType::QuasiSobol64,
    RngType::QuasiScrambledSobol64,
];

fn fetched<T: cust::memory::DeviceCopy + Default + Clone>(buffer: &DeviceBuffer<T>) -> Vec<T> {
    let mut out = vec![T::default(); buffer.len()];
    buffer.copy_to(&mut out).unwrap();
    out
}

fn text<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => "no error".into(),
        Err(error) => error.to_string(),
    }
}

fn mean_and_variance(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (mean, x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n)
}

/// Mean and variance within five standard deviations.
fn distributed(what: &str, x: &[f64], mean: f64, variance: f64, fourth: f64) {
    let n = x.len() as f64;
    let (m, v) = mean_and_variance(x);
    assert!((m - mean).abs() < 5.0 * (variance / n).sqrt(), "{what}: mean {m}, not {mean}");
    let sd = ((fourth - variance * variance) / n).sqrt();
    assert!((v - variance).abs() < 5.0 * sd, "{what}: variance {v}, not {variance}");
}

#[test]
fn numbers_in_device_memory_are_those_of_the_host_generator() {
    let rig = rig();
    for kind in PSEUDO.into_iter().chain(QUASI) {
        let mut device = Generator::new(kind).unwrap();
        device.set_stream(rig.lab.stream()).unwrap();
        let mut host = HostGenerator::new(kind).unwrap();
        if kind.is_quasi() {
            device.set_quasi_random_generator_dimensions(3).unwrap();
            host.set_quasi_random_generator_dimensions(3).unwrap();
        } else {
            device.set_pseudo_random_generator_seed(77).unwrap();
            host.set_pseudo_random_generator_seed(77).unwrap();
        }
        device.generate_seeds().unwrap();
        // One call after the other: the positions go along.
        for n in [300, 6000, 6] {
            let (mut there, mut here) = (unwritten::<f32>(n), vec![0.0; n]);
            device.generate_uniform(&mut there).unwrap();
            host.generate_uniform(&mut here).unwrap();
            assert_eq!(fetched(&there), here, "{kind:?}");
            device.generate_normal(&mut there, 1.0, 2.0).unwrap();
            host.generate_normal(&mut here, 1.0, 2.0).unwrap();
            assert_eq!(fetched(&there), here, "{kind:?}");
            let (mut there, mut here) = (unwritten::<f64>(n), vec![0.0; n]);
            device.generate_log_normal_double(&mut there, 0.0, 0.5).unwrap();
            host.generate_log_normal_double(&mut here, 0.0, 0.5).unwrap();
            assert_eq!(fetched(&there), here, "{kind:?}");
            let (mut there, mut here) = (unwritten::<u32>(n), vec![0; n]);
            device.generate_poisson(&mut there, 12.5).unwrap();
            host.generate_poisson(&mut here, 12.5).unwrap();
            assert_eq!(fetched(&there), here, "{kind:?}");
        }
    }
    assert_eq!(rig.findings(), [""; 0]);
}

#[test]
fn pseudo_random_numbers_have_their_moments() {
    const N: usize = 200_000;
    for kind in PSEUDO {
        let mut g = HostGenerator::new(kind).unwrap();
        g.set_pseudo_random_generator_seed(2024).unwrap();
        let mut x = vec![0.0f32; N];
        g.generate_uniform(&mut x).unwrap();
        assert!(x.iter().all(|v| *v > 0.0 && *v <= 1.0));
        let wide = |x: &[f32]| x.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
        distributed(&format!("{kind:?} uniform"), &wide(&x), 0.5, 1.0 / 12.0, 1.0 / 80.0);
        g.generate_normal(&mut x, -1.0, 3.0).unwrap();
        distributed(&format!("{kind:?} normal"), &wide(&x), -1.0, 9.0, 243.0);
        let mut x = vec![0.0f64; N];
        g.generate_uniform_double(&mut x).unwrap();
        distributed(&format!("{kind:?} uniform"), &x, 0.5, 1.0 / 12.0, 1.0 / 80.0);
        g.generate_normal_double(&mut x, 0.0, 1.0).unwrap();
        distributed(&format!("{kind:?} normal"), &x, 0.0, 1.0, 3.0);
        // Neighbours, and numbers a row of lanes apart, are uncorrelated.
        for lag in [1, 2, 4096] {
            let r = x[lag..].iter().zip(&x).map(|(a, b)| a * b).sum::<f64>() / N as f64;
            assert!(r.abs() < 5.0 / (N as f64).sqrt(), "{kind:?} {lag}: {r}");
        }
        for lambda in [0.3, 8.0, 100.0, 5000.0] {
            let mut k = vec![0u32; N];
            g.generate_poisson(&mut k, lambda).unwrap();
            let x: Vec<f64> = k.iter().map(|k| f64::from(*k)).collect();
            distributed(
                &format!("{kind:?} poisson"),
                &x,
                lambda,
                lambda,
                lambda * (1.0 + 3.0 * lambda),
            );
        }
    }
}

#[test]
fn seeds_tell_sequences_apart_and_offsets_enter_them() {
    for kind in PSEUDO {
        let numbers = |seed: u64, offset: u64| {
            let mut g = HostGenerator::new(kind).unwrap();
            g.set_pseudo_random_generator_seed(seed).unwrap();
            if offset > 0 {
                g.set_generator_offset(offset).unwrap();
            }
            let mut x = vec![0u32; 9000];
            g.generate(&mut x).unwrap();
            x
        };
        assert_eq!(numbers(5, 0), numbers(5, 0));
        assert_ne!(numbers(5, 0), numbers(6, 0));
        if kind != RngType::PseudoMt19937 {
            assert_eq!(numbers(5, 4097)[..4000], numbers(5, 0)[4097..8097]);
        }
    }
}

#[test]
fn points_lie_coordinate_after_coordinate_and_go_on() {
    for kind in QUASI {
        let mut g = HostGenerator::new(kind).unwrap();
        g.set_quasi_random_generator_dimensions(3).unwrap();
        let mut all = vec![0.0f64; 3 * 64];
        g.generate_uniform_double(&mut all).unwrap();
        let mut again = HostGenerator::new(kind).unwrap();
        again.set_quasi_random_generator_dimensions(3).unwrap();
        let (mut first, mut rest) = (vec![0.0; 3 * 24], vec![0.0; 3 * 40]);
        again.generate_uniform_double(&mut first).unwrap();
        again.generate_uniform_double(&mut rest).unwrap();
        for d in 0..3 {
            assert_eq!(all[64 * d..][..24], first[24 * d..][..24], "{kind:?}");
            assert_eq!(all[64 * d + 24..][..40], rest[40 * d..][..40], "{kind:?}");
        }
        // Every interval of an eighth has as many points: the sequence begins with index 0.
        for column in all.chunks(64) {
            let mut counts = [0; 8];
            column.iter().for_each(|x| counts[((x * 8.0) as usize).min(7)] += 1);
            assert_eq!(counts, [8; 8], "{kind:?}");
        }
    }
}

#[test]
fn refusals_have_the_vendors_status() {
    let rig = rig();
    let mut xorwow = Generator::new(RngType::PseudoDefault).unwrap();
    let mut sobol = Generator::new(RngType::QuasiSobol32).unwrap();
    let mut wide = Generator::new(RngType::QuasiSobol64).unwrap();
    let mut twister = Generator::new(RngType::PseudoMt19937).unwrap();
    let mut philox = Generator::new(RngType::PseudoPhilox4_32_10).unwrap();
    let mut x = on_device(&[7.0f32; 1000]);
    let mut k = on_device(&[7u32; 1000]);
    let mut l = on_device(&[7u64; 1000]);
    let mut odd = x.index(..999);
    sobol.set_quasi_random_generator_dimensions(3).unwrap();
    let cases = [
        (
            text(sobol.set_pseudo_random_generator_seed(1)),
            "curandSetPseudoRandomGeneratorSeed: CURAND_STATUS_TYPE_ERROR: quasi-random sequences \
             have no seed: they are always the same",
        ),
        (
            text(xorwow.set_quasi_random_generator_dimensions(3)),
            "curandSetQuasiRandomGeneratorDimensions: CURAND_STATUS_TYPE_ERROR: only quasi-random \
             generators have dimensions",
        ),
        (
            text(sobol.set_quasi_random_generator_dimensions(0)),
            "curandSetQuasiRandomGeneratorDimensions: CURAND_STATUS_OUT_OF_RANGE: dimensions: \
             expected 1..=20000, found 0",
        ),
        (
            text(sobol.set_quasi_random_generator_dimensions(20_001)),
            "curandSetQuasiRandomGeneratorDimensions: CURAND_STATUS_OUT_OF_RANGE: dimensions: \
             expected 1..=20000, found 20001",
        ),
        (
            text(sobol.generate_uniform(&mut x)),
            "curandGenerateUniform: CURAND_STATUS_LENGTH_NOT_MULTIPLE: 1000 elements are no whole \
             points of 3 dimensions: use a multiple of it",
        ),
        (
            text(xorwow.generate_normal(&mut odd, 0.0, 1.0)),
            "curandGenerateNormal: CURAND_STATUS_LENGTH_NOT_MULTIPLE: 999 elements: normal numbers \
             come in pairs, use an even number",
        ),
        (
            text(xorwow.generate_long_long(&mut l)),
            "curandGenerateLongLong: CURAND_STATUS_TYPE_ERROR: only the Sobol64 generators have 64 \
             bits: use generate, or another generator",
        ),
        (
            text(wide.generate(&mut k)),
            "curandGenerate: CURAND_STATUS_TYPE_ERROR: this generator has 64 bits: use \
             generate_long_long",
        ),
        (
            text(xorwow.generate_poisson(&mut k, 0.0)),
            "curandGeneratePoisson: CURAND_STATUS_OUT_OF_RANGE: lambda: expected a mean above 0 \
             and up to 400000, found 0",
        ),
        (
            text(xorwow.generate_poisson(&mut k, f64::NAN)),
            "curandGeneratePoisson: CURAND_STATUS_OUT_OF_RANGE: lambda: expected a mean above 0 \
             and up to 400000, found NaN",
        ),
        (
            text(xorwow.generate_poisson(&mut k, 1e6)),
            "curandGeneratePoisson: CURAND_STATUS_OUT_OF_RANGE: lambda: expected a mean above 0 \
             and up to 400000, found 1000000",
        ),
        (
            text(twister.set_generator_offset(5)),
            "curandSetGeneratorOffset: CURAND_STATUS_TYPE_ERROR: MT19937 cannot jump to an offset",
        ),
        (
            text(philox.set_generator_ordering(Ordering::PseudoSeeded)),
            "curandSetGeneratorOrdering: CURAND_STATUS_OUT_OF_RANGE: PseudoPhilox4_32_10 does not \
             have the ordering PseudoSeeded on the CPU",
        ),
        (
            text(Generator::new(RngType::PseudoMtgp32)),
            "curandCreateGenerator: CURAND_STATUS_TYPE_ERROR: MTGP32 needs the vendor's tables of \
             parameters: use PseudoMt19937, or a GPU",
        ),
        (
            text(Generator::with(Provider::Vendor, RngType::PseudoDefault)),
            "curandCreateGenerator: CURAND_STATUS_INITIALIZATION_FAILED: the vendor's library \
             needs a GPU, but this is the emulated device: ask for Provider::Auto",
        ),
    ];
    for (found, wanted) in &cases {
        assert_eq!(found, wanted);
    }
    // Nothing was written, and odd lengths are fine where there are no pairs.
    assert_eq!(fetched(&x), [7.0; 1000]);
    philox.generate_normal(&mut odd, 0.0, 1.0).unwrap();
    philox.set_generator_ordering(Ordering::PseudoLegacy).unwrap();
    assert_eq!(rig.findings(), [""; 0]);
}

#[test]
fn three_generators_make_twelve_calls() {
    let rig = rig();
    {
        let mut generators: Vec<Generator<'_>> =
            (0..3).map(|_| Generator::new(RngType::PseudoDefault).unwrap()).collect();
        for (seed, g) in generators.iter_mut().enumerate() {
            g.set_pseudo_random_generator_seed(seed as u64).unwrap();
        }
        let mut x = unwritten::<f32>(64);
        rig.lab.take_api_log();
        for g in &mut generators {
            g.generate_uniform(&mut x).unwrap();
        }
        let log = rig.lab.take_api_log();
        assert!(log.iter().all(|c| c.name == "curandGenerateUniform" && c.bytes == Some(256)));
        assert_eq!(log.len(), 3);
    }
    let names = rig.calls();
    assert_eq!(
        names,
        ["cuMemFree", "curandDestroyGenerator", "curandDestroyGenerator", "curandDestroyGenerator"]
    );
}
