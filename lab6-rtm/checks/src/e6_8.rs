//! Checks of exercise 6.8: schedules of checkpoints.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use rand::RngExt;
use serde_json::json;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L6-6.8",
    key: "e6_8",
    title: "Checkpoints",
    points: 10,
    files: &["src/e6_8.rs", ANSWERS],
    todo: "Write the five functions of src/e6_8.rs: uniform checkpoints, their cost, and the \
        schedule of the fewest steps.",
    hints: &[
        (
            "b",
            "levels with n % period 0 and 1 are the two of checkpoint n / period; others go by odd \
             and even n",
        ),
        (
            "r",
            "a checkpoint holds its own level and the next: the level n % period steps behind its \
             own is replayed with one step less",
        ),
        (
            "f",
            "the forward sweep and the receivers' have nt - 1 steps each: nt levels, nt - 1 steps \
             between",
        ),
        (
            "u",
            "as many checkpoints as fit, then the least period that needs no more: divide and \
             round up, twice at different things",
        ),
        ("e", "bad input gives Err, and a period is at least 3"),
        (
            "d",
            "the way to the split costs m advances; the part behind it has a slot less, the part \
             before it has all slots again",
        ),
        (
            "j",
            "the split that halves the levels is not the best one: try them all, from the shortest \
             tasks on",
        ),
        ("i", "Image hands over the present level, from nt - 1 down to 0, each once"),
        (
            "v",
            "Restore what was stored, in slots 0 to slots - 1 only, and never advance beyond nt - \
             1",
        ),
        ("a", "count with n % 50: how far is a level from its checkpoint's second level?"),
    ],
    checks: &[
        Check { name: "place", what: "where a level lies", weight: 1, run: place },
        Check { name: "calls", what: "calls of the stencil, as published", weight: 2, run: calls },
        Check { name: "period", what: "the least period that fits", weight: 1, run: period },
        Check { name: "fewest", what: "the fewest advances", weight: 2, run: fewest },
        Check { name: "schedule", what: "a schedule that reaches them", weight: 3, run: schedule },
        Check { name: "answers", what: "what it saves", weight: 1, run: answers },
    ],
};

const ANSWERS: &str = "answers/e6_8.toml";

fn differ<T: PartialEq + std::fmt::Debug, C: std::fmt::Debug>(
    what: &str,
    cases: &[C],
    got: &[T],
    want: &[T],
) -> Result<(), Finding> {
    expect::same(&format!("{what}: answers"), &got.len(), &want.len())?;
    match (0..want.len()).find(|k| got[*k] != want[*k]) {
        None => Ok(()),
        Some(k) => Err(Finding::wrong(format!(
            "{what} of {:?}: expected {:?}, got {:?}",
            cases[k], want[k], got[k]
        ))),
    }
}

fn place(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    // The published table, and others.
    let mut cases: Vec<(u64, u64)> = (0..10).map(|n| (n, 5)).collect();
    cases.extend((0..100).map(|_| (rng.random_range(0..3000), rng.random_range(3..200))));
    let want: Vec<String> = cases
        .iter()
        .map(|(n, period)| match (n % period, n % 2) {
            (r @ 0..2, _) => format!("checkpoint {}", 2 * (n / period) + r),
            (_, 0) => "even".into(),
            _ => "odd".into(),
        })
        .collect();
    let got: Vec<String> = trace::value(&t.call("e6_8.place", &json!(cases))?)?;
    differ("place", &cases, &got, &want).map_err(|f| f.hint("b"))?;
    Ok(Evidence::new("the published table for period 5, and 100 others"))
}

/// Replays as the strategy does it, and counts.
fn replayed(nt: u64, period: u64) -> u64 {
    let mut steps = 2 * (nt - 1);
    for level in (0..nt).rev() {
        let checkpoint = level / period * period;
        let mut at = (checkpoint + 1).min(level);
        while at < level {
            at += 1;
            steps += 1;
        }
    }
    steps
}

fn calls(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut cases = vec![(2500, 50), (2500, 48), (2500, 180), (1, 3), (2, 3), (7, 100)];
    cases.extend((0..40).map(|_| (rng.random_range(1..1500), rng.random_range(3..200))));
    let want: Vec<u64> = cases.iter().map(|(nt, period)| replayed(*nt, *period)).collect();
    let got: Vec<u64> = trace::value(&t.call("e6_8.stencil_calls", &json!(cases))?)?;
    let hint = if got.len() == want.len() && got.iter().zip(&want).all(|(g, w)| *g == w + 2) {
        "f"
    } else {
        "r"
    };
    differ("stencil_calls", &cases, &got, &want).map_err(|f| f.hint(hint))?;
    Ok(Evidence::new(format!("nt 2500, period 50: {} calls, as published; 45 others", want[0])))
}

fn period(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    // The thesis' shot in 2 GB, exact fits, one byte less, nothing.
    let mut cases: Vec<[u64; 4]> = vec![
        [2500, 2_055_140_736, 130_873_128, 36_306_936],
        [100, 1_000, 0, 10],
        [100, 999, 0, 10],
        [100, 10, 0, 10],
        [100, 9, 0, 10],
        [100, 5, 7, 10],
        [10, 1_000_000, 0, 10],
    ];
    cases.extend((0..40).map(|_| {
        let checkpoint = rng.random_range(1..1000);
        let base = rng.random_range(0..5000);
        [rng.random_range(1..3000), base + rng.random_range(0..60) * checkpoint, base, checkpoint]
    }));
    let least = |[nt, memory, base, checkpoint]: &[u64; 4]| {
        let most = memory.checked_sub(*base).map_or(0, |free| free / checkpoint);
        (most > 0).then(|| (3..).find(|p| nt.div_ceil(*p) <= most).unwrap_or(3))
    };
    let want: Vec<Option<u64>> = cases.iter().map(least).collect();
    let got: Vec<Option<u64>> = trace::value(&t.call("e6_8.period", &json!(cases))?)?;
    let of_errors = (0..want.len()).find(|k| got.get(*k) != Some(&want[*k]));
    let hint = match of_errors {
        Some(k) if want[k].is_none() || want[k] == Some(3) => "e",
        _ => "u",
    };
    differ("period", &cases, &got, &want).map_err(|f| f.hint(hint))?;
    Ok(Evidence::new("period 48 for the published shot; exact fits, a byte less, no room"))
}

/// Fewest advances for 0 to n levels with 0 to `slots` slots.
fn truth(n: usize, slots: usize) -> Vec<Vec<u64>> {
    let plain = |n: usize| (n * n.saturating_sub(1) / 2) as u64;
    let mut all = vec![(0..=n).map(plain).collect::<Vec<_>>()];
    for s in 1..=slots {
        let mut row = vec![0, 0];
        for n in 2..=n {
            let best = (1..n).map(|m| m as u64 + all[s - 1][n - m] + row[m]).min();
            row.push(best.unwrap_or(0));
        }
        all.push(row);
    }
    all
}

fn fewest(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut cases: Vec<(usize, usize)> = vec![(1, 0), (2, 0), (5, 0), (1, 3), (10, 1), (10, 3)];
    cases.extend((0..30).map(|_| (rng.random_range(1..150), rng.random_range(0..9))));
    let table = truth(150, 9);
    let want: Vec<u64> = cases.iter().map(|(n, s)| table[*s][*n]).collect();
    let got: Vec<u64> = trace::value(&t.call("e6_8.fewest", &json!(cases))?)?;
    let too_few = got.iter().zip(&want).any(|(g, w)| g < w);
    differ("fewest_advances", &cases, &got, &want)
        .map_err(|f| f.hint(if too_few { "d" } else { "j" }))?;
    Ok(Evidence::new(format!("36 cases; 10 levels with 3 slots: {}", want[5])))
}

/// Does what a schedule says; its advances.
fn execute(nt: usize, slots: usize, actions: &[String]) -> Result<u64, Finding> {
    let wrong = |k: usize, why: String, hint: &str| {
        let text = format!("{nt} levels, {slots} slots: action {k}, `{}`: {why}", actions[k]);
        Finding::wrong(text).hint(hint)
    };
    let (mut level, mut advances, mut imaged) = (0, 0, nt);
    let mut kept: Vec<Option<usize>> = vec![None; slots];
    for (k, action) in actions.iter().enumerate() {
        let (name, slot) = action.split_once(' ').unwrap_or((action, "0"));
        let slot: usize = slot.parse().unwrap_or(usize::MAX);
        match name {
            "advance" if level + 1 < nt => (level, advances) = (level + 1, advances + 1),
            "advance" => return Err(wrong(k, format!("level {nt} is never needed"), "v")),
            "restart" => level = 0,
            "image" if level + 1 == imaged => imaged = level,
            "image" => {
                let text = format!("level {level} is at hand, but {} levels are left", imaged);
                return Err(wrong(k, text, "i"));
            }
            _ if slot >= slots => return Err(wrong(k, "there is no such slot".into(), "v")),
            "store" => kept[slot] = Some(level),
            _ => match kept[slot] {
                Some(there) => level = there,
                None => return Err(wrong(k, "nothing was stored there".into(), "v")),
            },
        }
    }
    expect::that(imaged == 0, || format!("{nt} levels, {slots} slots: {imaged} levels are left"))
        .map_err(|f| f.hint("i"))?;
    Ok(advances)
}

fn schedule(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut cases: Vec<(usize, usize)> = vec![(1, 0), (1, 2), (6, 0), (10, 3), (120, 4)];
    cases.extend((0..12).map(|_| (rng.random_range(2..130), rng.random_range(1..9))));
    let table = truth(130, 9);
    for (nt, slots) in &cases {
        let actions: Vec<String> = trace::value(&t.call("e6_8.schedule", &json!([nt, slots]))?)?;
        let advances = execute(*nt, *slots, &actions)?;
        let want = table[*slots][*nt];
        expect::that(advances == want, || {
            format!("{nt} levels, {slots} slots: {advances} advances, {want} are enough")
        })
        .map_err(|f| f.hint("j"))?;
    }
    Ok(Evidence::new(format!(
        "17 schedules executed; 120 levels with 4 slots: {} advances, without {}",
        table[4][120], table[0][120]
    )))
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let table = truth(120, 4);
    let saved = replayed(2500, 50);
    for (key, want) in [
        ("calls_50", saved as i64),
        ("replayed_50", (saved - 2 * 2499) as i64),
        ("advances_120_4", table[4][120] as i64),
    ] {
        let answer = a.int(key)?;
        expect::that(answer == want, || format!("{key}: {answer} is not right"))
            .map_err(|f| f.hint("a"))?;
    }
    Ok(Evidence::new(format!("{saved} calls, {} of them replays", saved - 2 * 2499)))
}
