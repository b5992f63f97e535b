//! Checks of exercise 2.1.2: FIR on the CPU.

use grading::{
    Call, Check, Class, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace,
};
use rand::RngExt;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fir_c::{self, Case, Mistake};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.2",
    key: "e2_1_02",
    title: "FIR on the CPU",
    points: 6,
    files: &["src/e2_1_02.rs"],
    todo: "Write the filter, the files and the error measure in src/e2_1_02.rs.",
    hints: &[
        ("a", "clear the accumulator for every output: yout holds what was there before"),
        ("b", "samples before the start are 0: test i >= k before you compute i - k"),
        ("c", "k runs to n inclusive: there are n+1 coefficients"),
        (
            "d",
            "the right channel starts at len and has its own history: give the kernel its half of \
             yin and yout",
        ),
        (
            "e",
            "channels are stored one after the other: first all left samples, then all right ones",
        ),
        (
            "h",
            "the header is i32 n, i32 len; then n+1 coefficients, 2 len inputs, 2 len references",
        ),
        (
            "s",
            "say what is wrong with the file: `file.count`, `file.f32s` and `file.finish` do, if \
             you pass their errors on with `?`",
        ),
        ("w", "the file holds the values only, little-endian, in the order of the slice"),
        ("m", "the greatest absolute difference, taken in f64"),
    ],
    checks: &[
        Check {
            name: "fir_c",
            what: "the filter, against f64, on 44 signals",
            weight: 2,
            run: fir_c,
        },
        Check {
            name: "testfir",
            what: "the problem that one sees at a glance",
            weight: 1,
            run: testfir,
        },
        Check { name: "reader", what: "good and bad audiofir_in.dat", weight: 1, run: reader },
        Check { name: "writer", what: "audiofir_out.dat byte by byte", weight: 1, run: writer },
        Check {
            name: "nan",
            what: "the error measure, with NaN in either input",
            weight: 1,
            run: nan,
        },
    ],
};

fn hint(mistake: Mistake) -> Option<&'static str> {
    match mistake {
        Mistake::LastTap => Some("c"),
        Mistake::LeftHistory | Mistake::RightIsLeft | Mistake::RightZero => Some("d"),
        Mistake::Interleaved => Some("e"),
        Mistake::Nan => None,
        _ => None,
    }
}

fn fir_c(t: &Trial) -> Outcome {
    let cases = fir_c::cases(&mut t.rng());
    let filter = cases.iter().map(|c| Call::new("e2_1_02.filter", &c.request()));
    // One channel by itself, so that the kernel is known to be right without the loop around it.
    let lone = &cases[2];
    let left = Case {
        signals: "audiofir_kernel on one channel, random".into(),
        yin: [lone.channels()[1], &[0.0; 9]].concat(),
        exact: [false, true],
        ..lone.clone()
    };
    let mut request = left.request();
    request["yin"] = json!(left.channels()[0].iter().map(|v| v.to_bits()).collect::<Vec<_>>());
    let calls: Vec<Call> =
        std::iter::once(Call::new("e2_1_02.kernel", &request)).chain(filter).collect();
    let replies = t.host(&calls)?;
    let crash = |f: Finding| if f.class == Class::Crash { f.hint("b") } else { f };
    let bits: Vec<u32> = trace::value(&replies[0]).map_err(crash)?;
    let mut yout: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
    yout.resize(18, 0.0);
    left.verify(&yout, hint).map_err(|f| f.or_hint("a"))?;
    for (case, reply) in cases.iter().zip(&replies[1..]) {
        case.verify_reply(reply, hint).map_err(crash).map_err(|f| f.or_hint("a"))?;
    }
    Ok(Evidence::new(format!("{} signals, 0 to 2048 samples, order 0 to 1024", cases.len())))
}

/// The bytes of an `audiofir_in.dat`.
fn in_file(n: i32, len: i32, values: &[f32]) -> Vec<u8> {
    let mut bytes = [n, len].map(i32::to_le_bytes).concat();
    bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

fn testfir(t: &Trial) -> Outcome {
    let case = fir_c::testfir();
    let yref = case.channels().map(|x| references::fir::filter(x, &case.coeff)).concat();
    let yref: Vec<f32> = yref.iter().map(|w| w.0 as f32).collect();
    let want = in_file(3, 9, &[&case.coeff[..], &case.yin, &yref].concat());
    let got: Vec<u8> = trace::value(&t.call("e2_1_02.testfir", &Value::Null)?)?;
    expect::that(got.len() == 168, || format!("testfir: expected 168 bytes, got {}", got.len()))
        .map_err(|f| f.hint("h"))?;
    if let Some(at) = (0..168).find(|&i| got[i] != want[i]) {
        let text =
            format!("testfir: byte {at} is {}, expected {} ({})", got[at], want[at], field(at));
        return Err(Finding::wrong(text).hint("h"));
    }
    case.verify_reply(&t.call("e2_1_02.filter", &case.request())?, hint)
        .map_err(|f| f.or_hint("a"))?;
    Ok(Evidence::new("168 bytes; left 1, 12, 123, 1234, 2345, ..., 6789: error 0"))
}

/// Which value of testfir's file a byte belongs to.
fn field(at: usize) -> String {
    match at {
        0..4 => "n".into(),
        4..8 => "len".into(),
        8..24 => format!("coeff[{}]", (at - 8) / 4),
        24..96 => format!("yin[{}]", (at - 24) / 4),
        _ => format!("yref[{}]", (at - 96) / 4),
    }
}

/// What the handler says of the file that was read.
#[derive(Deserialize)]
struct Read {
    coeff: Vec<u32>,
    len: usize,
    yin: Vec<u32>,
    yref: Vec<u32>,
}

fn reader(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let (n, len) = (rng.random_range(1..6usize), rng.random_range(2..9usize));
    let values: Vec<f32> = (0..n + 1 + 4 * len).map(|_| rng.random_range(-1.0f32..1.0)).collect();
    let good = in_file(n as i32, len as i32, &values);
    let call = |bytes: Option<&[u8]>| Call::new("e2_1_02.read", &json!({ "bytes": bytes }));
    // What the file is, its bytes, and what the error has to name.
    let short = &good[..good.len() - 1];
    let long = [&good[..], &[0]].concat();
    let bad: [(&str, Option<Vec<u8>>, &str); 8] = [
        ("a missing file", None, "audiofir_in.dat"),
        ("an empty file", Some(vec![]), "empty"),
        ("a header of 6 bytes", Some(good[..6].to_vec()), "len"),
        ("n = -1", Some(in_file(-1, 4, &values)), "n"),
        ("len = -1", Some(in_file(3, -1, &values)), "len"),
        ("n = len = 2147483647", Some(in_file(i32::MAX, i32::MAX, &values)), "short"),
        ("a file that is one byte too short", Some(short.to_vec()), "yref"),
        ("a file that is one byte too long", Some(long), "trailing"),
    ];
    let empty = in_file(0, 0, &[0.5]);
    let mut calls = vec![call(Some(&good)), call(Some(&empty))];
    calls.extend(bad.iter().map(|(_, bytes, _)| call(bytes.as_deref())));
    let replies = t.host(&calls)?;
    let read: Read = trace::value(&replies[0]).map_err(|f| f.hint("h"))?;
    let parts =
        [("coeff", &read.coeff, n + 1), ("yin", &read.yin, 2 * len), ("yref", &read.yref, 2 * len)];
    expect::same("len", &read.len, &len).map_err(|f| f.hint("h"))?;
    let mut rest = &values[..];
    for (name, got, count) in parts {
        let (want, after) = rest.split_at(count);
        let got: Vec<f32> = got.iter().map(|b| f32::from_bits(*b)).collect();
        expect::eq(name, &got, want).map_err(|f| f.hint("h"))?;
        rest = after;
    }
    let read: Read = trace::value(&replies[1]).map_err(|f| {
        Finding { message: format!("n = 0, len = 0: {}", f.message), ..f }.hint("h")
    })?;
    expect::that(read.coeff.len() == 1 && read.yin.is_empty(), || {
        "n = 0, len = 0: expected one coefficient and no samples".into()
    })?;
    for ((what, _, part), reply) in bad.iter().zip(&replies[2..]) {
        let named =
            |f: Finding| Finding { message: format!("{what}: {}", f.message), ..f }.or_hint("s");
        let (text, _) = host::error(reply).map_err(named)?;
        expect::that(text.contains("audiofir_in.dat") && text.contains(part), || {
            format!("{what}: expected an error that names the file and {part:?}, got {text:?}")
        })
        .map_err(|f| f.hint("s"))?;
    }
    Ok(Evidence::new(format!(
        "n = {n}, len = {len} and an empty signal read, {} bad files refused",
        bad.len()
    )))
}

fn writer(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let yout: Vec<f32> = [f32::NAN, -0.0]
        .into_iter()
        .chain((0..20).map(|_| rng.random_range(-1.0f32..1.0)))
        .collect();
    let bits: Vec<u32> = yout.iter().map(|v| v.to_bits()).collect();
    let calls =
        [json!({ "yout": bits }), json!({ "yout": [] })].map(|a| Call::new("e2_1_02.write", &a));
    let replies = t.host(&calls)?;
    let got: Vec<u8> = trace::value(&replies[0]).map_err(|f| f.hint("w"))?;
    let want: Vec<u8> = yout.iter().flat_map(|v| v.to_le_bytes()).collect();
    expect::eq("audiofir_out.dat", &got, &want).map_err(|f| f.hint("w"))?;
    let none: Vec<u8> = trace::value(&replies[1]).map_err(|f| f.hint("w"))?;
    expect::that(none.is_empty(), || format!("no samples: expected no bytes, got {}", none.len()))
        .map_err(|f| f.hint("w"))?;
    Ok(Evidence::new(format!("{} bytes for {} values", want.len(), yout.len())))
}

fn nan(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let yref: Vec<f32> = (0..50).map(|_| rng.random_range(-1.0f32..1.0)).collect();
    let off = |at: usize, value: f32| {
        let mut yout = yref.clone();
        yout[at] = value;
        yout
    };
    // A difference that f32 would round away: 1 + 2^-30 is not representable, but -2^-30 - 1 is a
    // difference.
    let tiny = 2f32.powi(-30);
    let nan = f32::NAN;
    let mut two = off(3, yref[3] + 1.0);
    two[20] = nan;
    let cases: [(&str, Vec<f32>, Vec<f32>, f64); 8] = [
        ("equal", yref.clone(), yref.clone(), 0.0),
        ("no samples", vec![], vec![], 0.0),
        (
            "too small by 4",
            off(7, yref[7] - 4.0),
            yref.clone(),
            f64::from(yref[7]) - f64::from(yref[7] - 4.0),
        ),
        ("1 and -2^-30", vec![1.0], vec![-tiny], 1.0 + f64::from(tiny)),
        ("NaN in the last output", off(49, nan), yref.clone(), f64::NAN),
        ("NaN in the first output", off(0, nan), yref.clone(), f64::NAN),
        ("NaN after a larger error", two, yref.clone(), f64::NAN),
        ("NaN in the reference", yref.clone(), off(5, nan), f64::NAN),
    ];
    let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let calls: Vec<Call> = cases
        .iter()
        .map(|(_, a, b, _)| {
            Call::new("e2_1_02.error", &json!({ "yout": bits(a), "yref": bits(b) }))
        })
        .collect();
    for ((what, _, _, want), reply) in cases.iter().zip(t.host(&calls)?) {
        let got = f64::from_bits(trace::value(&reply)?);
        expect::that(got == *want || (got.is_nan() && want.is_nan()), || {
            format!("max_abs_err, {what}: expected {want}, got {got}")
        })
        .map_err(|f| f.hint(if want.is_nan() { "C9" } else { "m" }))?;
    }
    Ok(Evidence::new("differences are taken in f64, and NaN is reported"))
}
