//! Checks of exercise 3.4.1: the arrays of the set-up.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use npb::ft::SEED;
use npb::random::jump;
use serde_json::json;

use crate::ft::{SIZES, close, decay, grid, initial, replied, roots, squares};
use crate::own::written;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.4.1",
    key: "e3_4_01",
    title: "Set-up arrays, sequential",
    points: 3,
    files: &[FILE],
    todo: "Write params, ex_table, indexmap, roots, initial and plane_seeds in src/e3_4_01.rs.",
    hints: &[
        ("a", "use ((x + NX/2) mod NX) - NX/2: 0, 1, ... NX/2 - 1, -NX/2, ... -1"),
        ("b", "each axis has its own size"),
        ("c", "the table must reach niter * max |k|^2"),
        ("d", "a plane holds 2*NX*NY numbers"),
        ("e", "real part first"),
        ("r", "root i of stage li is exp(i pi i / li), at li + i"),
        ("own", "write it yourself: what the crate npb has is there to be compared with"),
        ("p", "refuse sizes that are not powers of two, by name; 1 is a power of two"),
    ],
    checks: &[
        Check { name: "values", what: "the table and the initial field", weight: 2, run: values },
        Check {
            name: "jump_rows",
            what: "planes know where they start",
            weight: 1,
            run: jump_rows,
        },
        Check { name: "indexmap", what: "squares of wave numbers", weight: 1, run: indexmap },
        Check { name: "roots", what: "roots of unity", weight: 1, run: check_roots },
        Check { name: "errors", what: "sizes that cannot be", weight: 1, run: errors },
    ],
};

const FILE: &str = "src/e3_4_01.rs";

/// The arrays must be the student's own.
fn own(t: &Trial) -> Result<(), Finding> {
    written(t, FILE, &["npb"])
}

fn values(t: &Trial) -> Outcome {
    own(t)?;
    for (name, size) in SIZES {
        let bits: Vec<u64> = trace::value(&t.call("e3_4_01.ex_table", &json!(size))?)?;
        let ex: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
        let map = squares(grid(size));
        let largest = size[3] * map.iter().max().copied().unwrap_or(0) as usize;
        expect::that(ex.len() > largest, || {
            format!("{name}: ex has {} entries; the last one asked for is ex[{largest}]", ex.len())
        })
        .map_err(|f| f.hint("c"))?;
        let want: Vec<f64> = (0..ex.len()).map(|i| decay().powf(i as f64)).collect();
        expect::close(&format!("{name}: ex"), &ex, &want, |_| 1e-12)?;
        let field = replied(&t.call("e3_4_01.initial", &json!(size))?)?;
        close(&format!("{name}: initial field"), &field, &initial(grid(size)), 1e-15)
            .map_err(|f| f.hint("e"))?;
    }
    Ok(Evidence::new(
        "T1 to T4: the table of powers within 1e-12, the initial field; it begins 0.79452191, \
         0.86906527",
    ))
}

fn jump_rows(t: &Trial) -> Outcome {
    own(t)?;
    for (name, size) in SIZES {
        let seeds: Vec<u64> = trace::value(&t.call("e3_4_01.plane_seeds", &json!(size))?)?;
        let numbers = 2 * (size[0] * size[1]) as u64;
        let want: Vec<u64> = (0..size[2] as u64).map(|z| jump(SEED, numbers * z)).collect();
        expect::eq(&format!("{name}: seeds"), &seeds, &want).map_err(|f| f.hint("d"))?;
    }
    Ok(Evidence::new("T1 to T4: a seed for each plane"))
}

fn indexmap(t: &Trial) -> Outcome {
    own(t)?;
    for (name, size) in SIZES {
        let map: Vec<i32> = trace::value(&t.call("e3_4_01.indexmap", &json!(size))?)?;
        let want = squares(grid(size));
        // A cube cannot tell one axis from another.
        let hint = if map.first() == Some(&0) { "b" } else { "a" };
        expect::eq(&format!("{name}: indexmap"), &map, &want).map_err(|f| f.hint(hint))?;
    }
    Ok(Evidence::new("T1 to T4: |k|^2, 0 in the first element, at most 16^2 + 8^2 + 4^2 in T2"))
}

fn check_roots(t: &Trial) -> Outcome {
    own(t)?;
    for n in [1, 2, 4, 8, 64, 256] {
        let found = replied(&t.call("e3_4_01.roots", &json!(n))?)?;
        let want = roots(n);
        expect::that(found.len() >= n, || {
            format!("roots({n}) has {} entries, not {n}", found.len())
        })
        .map_err(|f| f.hint("r"))?;
        close(&format!("roots({n})"), &found[1..n], &want[1..n], 1e-15).map_err(|f| f.hint("r"))?;
    }
    Ok(Evidence::new("1 to 256 elements: U[1] = 1, U[3] = i"))
}

fn errors(t: &Trial) -> Outcome {
    let refuse = |f: Finding| Finding { hint: None, ..f }.hint("p");
    for (size, text) in
        [([48, 16, 16, 6], "NX = 48"), ([16, 12, 16, 6], "NY = 12"), ([16, 16, 0, 6], "NZ = 0")]
    {
        let reply = t.call("e3_4_01.params", &json!(size))?;
        let (message, _) = host::error(&reply).map_err(refuse)?;
        expect::that(message.contains(text), || {
            format!(
                "{size:?}: expected an error such as \"{text} is not a power of two\", found \
                \"{message}\""
            )
        })
        .map_err(refuse)?;
    }
    let one = trace::value::<Vec<usize>>(&t.call("e3_4_01.params", &json!([1, 1, 16, 6]))?)
        .map_err(refuse)?;
    expect::eq("params of 1 x 1 x 16", &one, &[1, 1, 16, 6])?;
    Ok(Evidence::new("48, 12 and 0 are refused by name, 1 is not"))
}
