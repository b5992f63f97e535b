//! Who computes what when, as numbers: addresses of levels, checkpoints, counts of steps (spec 3.1
//! to 3.4).

use crate::plan::{Plan, Replay, Strategy};
use crate::{Error, Result};

/// Where strategy 1 keeps a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// In field i of the checkpoints.
    Stored(usize),
    /// In the auxiliary field of even levels.
    Even,
    /// In that of odd levels.
    Odd,
}

/// Virtual address of level n under checkpoints of period `ks_store` (3 or more).
pub fn slot(n: usize, ks_store: usize) -> Slot {
    match (n % ks_store, n % 2) {
        (j @ (0 | 1), _) => Slot::Stored(2 * (n / ks_store) + j),
        (_, 0) => Slot::Even,
        _ => Slot::Odd,
    }
}

/// Stencil evaluations of strategy 1 with replay of each level: `2 (nt-1) + sum over imaged n of
/// max(0, n mod ks_store - 1)`.
pub fn uniform_steps(nt: usize, ks_store: usize, ks: usize) -> usize {
    2 * (nt - 1) + (0..nt).step_by(ks).map(|n| (n % ks_store).saturating_sub(1)).sum::<usize>()
}

/// The same with segment replay: each segment's levels between its checkpoint and its end once.
pub fn segment_steps(nt: usize, ks_store: usize) -> usize {
    2 * (nt - 1)
        + (0..nt).step_by(ks_store).map(|c| (nt - c).min(ks_store).saturating_sub(2)).sum::<usize>()
}

/// Smallest `ks_store` whose checkpoints fit: at most `budget` bytes of which `base` are taken,
/// `each` per checkpoint.
///
/// # Errors
/// If not one checkpoint fits.
pub fn ks_store_for(nt: usize, budget: usize, base: usize, each: usize) -> Result<usize> {
    let fit = budget.saturating_sub(base) / each.max(1);
    if fit == 0 {
        return Err(Error::Memory(format!(
            "{budget} bytes do not hold one checkpoint: {base} are needed for the rest and {each} \
             for each checkpoint; \
             give more memory, a smaller aperture, or use random boundaries"
        )));
    }
    Ok(nt.div_ceil(fit).max(3))
}

/// A step of a schedule of checkpoints. State s is reached from state s - 1 by one time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Compute states `from + 1 ..= to` from state `from`.
    Advance {
        /// The present state.
        from: usize,
        /// The new one.
        to: usize,
    },
    /// Keep the present state.
    Save {
        /// Where.
        slot: usize,
    },
    /// Go back to a kept state.
    Restore {
        /// Which.
        slot: usize,
    },
    /// The present state is the next in reverse order.
    Use {
        /// It.
        state: usize,
    },
}

/// `C(n, k)`, or `usize::MAX` where it is larger.
fn binomial(n: usize, k: usize) -> usize {
    let product = (1..=k).try_fold(1u128, |c, i| {
        c.checked_mul((n + i - k) as u128).map(|c| c / i as u128).filter(|c| *c < u128::MAX / 4096)
    });
    product.and_then(|c| usize::try_from(c).ok()).unwrap_or(usize::MAX)
}

/// Fewest repetitions r with `C(slots + r, slots) >= states`.
fn repetitions(states: usize, slots: usize) -> usize {
    (0..).find(|r| binomial(slots + r, slots) >= states).unwrap_or(0)
}

/// Fewest steps that give states `states - 1 .. 0` in reverse order with so many checkpoints, the
/// first state's included (Griewank 1992): `r n - C(slots + r, slots + 1)`, r the repetitions.
pub fn binomial_steps(states: usize, slots: usize) -> usize {
    if states <= 1 {
        return 0;
    }
    let r = repetitions(states, slots);
    r * states - binomial(slots + r, slots + 1)
}

/// The schedule that needs [`binomial_steps`] steps.
///
/// # Errors
/// If there is no slot.
pub fn binomial_schedule(states: usize, slots: usize) -> Result<Vec<Action>> {
    if slots == 0 {
        return Err(Error::input("binomial checkpointing needs at least 1 checkpoint"));
    }
    let mut actions = Vec::new();
    if states > 0 {
        reverse(0, states, slots, 0, &mut actions);
    }
    Ok(actions)
}

/// Reverses the `n` states from `first` on, which is the present one, with the slots
/// `used .. used + free`.
fn reverse(first: usize, n: usize, free: usize, used: usize, actions: &mut Vec<Action>) {
    if n == 1 {
        actions.push(Action::Use { state: first });
        return;
    }
    actions.push(Action::Save { slot: used });
    let mut n = n;
    // With the first state kept, the rest is split again and again; what is left of a split needs
    // no further slot.
    while n > 1 {
        let m = if free == 1 { n - 1 } else { split(n, free) };
        actions.push(Action::Advance { from: first, to: first + m });
        if free == 1 {
            actions.push(Action::Use { state: first + m });
        } else {
            reverse(first + m, n - m, free - 1, used + 1, actions);
        }
        actions.push(Action::Restore { slot: used });
        n = m;
    }
    actions.push(Action::Use { state: first });
}

/// How far to go before the next checkpoint: the `m` that makes
/// `m + t(m, slots) + t(n - m, slots - 1)` smallest.
fn split(n: usize, slots: usize) -> usize {
    // The sum is convex in m.
    let cost = |m: usize| m + binomial_steps(m, slots) + binomial_steps(n - m, slots - 1);
    let (mut low, mut high) = (1, n - 1);
    while low < high {
        let mid = (low + high) / 2;
        if cost(mid) <= cost(mid + 1) { high = mid } else { low = mid + 1 }
    }
    low
}

/// Stencil evaluations of a shot's migration.
pub fn stencils(plan: &Plan) -> usize {
    let nt = plan.nt;
    match plan.strategy {
        Strategy::StoreAll => 2 * (nt - 1),
        Strategy::Checkpoints { ks_store, replay: Replay::EachLevel } => {
            uniform_steps(nt, ks_store, plan.ks)
        }
        Strategy::Checkpoints { ks_store, replay: Replay::Segment } => segment_steps(nt, ks_store),
        Strategy::Binomial { slots } => nt + binomial_steps(nt - 1, slots),
        Strategy::SaveBoundaries | Strategy::RandomBoundaries(_) => 3 * nt - 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_of_the_thesis_table() {
        use Slot::*;
        let want = [Stored(0), Stored(1), Even, Odd, Even, Stored(2), Stored(3), Odd, Even, Odd];
        assert_eq!((0..10).map(|n| slot(n, 5)).collect::<Vec<_>>(), want);
    }

    proptest! {
        #[test]
        fn three_levels_in_a_row_never_share_a_field(n in 2usize..5000, ks_store in 3usize..200) {
            let (a, b, c) = (slot(n - 2, ks_store), slot(n - 1, ks_store), slot(n, ks_store));
            // A step may overwrite the level before the present one, never the present one.
            prop_assert_ne!(b, c);
            prop_assert_ne!(a, b);
            // No level but those of checkpoints may be kept, and those are never overwritten.
            if let Slot::Stored(i) = c {
                prop_assert_eq!((i / 2) * ks_store + i % 2, n);
            }
        }

        #[test]
        fn schedules_use_each_state_once_in_reverse(states in 1usize..120, slots in 1usize..8) {
            let mut kept = vec![None; slots];
            let (mut state, mut steps, mut expected) = (0, 0, states);
            for action in binomial_schedule(states, slots).unwrap() {
                match action {
                    Action::Advance { from, to } => {
                        prop_assert_eq!(from, state);
                        steps += to - from;
                        state = to;
                    }
                    Action::Save { slot } => kept[slot] = Some(state),
                    Action::Restore { slot } => state = kept[slot].unwrap(),
                    Action::Use { state: used } => {
                        prop_assert_eq!(used, state);
                        expected -= 1;
                        prop_assert_eq!(used, expected);
                    }
                }
            }
            prop_assert_eq!(expected, 0);
            prop_assert_eq!(steps, binomial_steps(states, slots));
        }
    }

    #[test]
    #[allow(clippy::needless_range_loop)]
    fn the_binomial_count_is_the_optimum() {
        // By definition: t(n, s) = min over m of m + t(m, s) + t(n - m, s - 1).
        let (n_max, s_max) = (60, 6);
        let mut t = vec![vec![0usize; n_max + 1]; s_max + 1];
        for n in 2..=n_max {
            t[1][n] = n * (n - 1) / 2;
        }
        for s in 2..=s_max {
            for n in 2..=n_max {
                t[s][n] = (1..n).map(|m| m + t[s][m] + t[s - 1][n - m]).min().unwrap();
            }
        }
        for s in 1..=s_max {
            for n in 1..=n_max {
                assert_eq!(binomial_steps(n, s), t[s][n], "{n} states, {s} slots");
            }
        }
    }

    #[test]
    fn counts_of_the_thesis() {
        assert_eq!(uniform_steps(2500, 50, 1), 63_798);
        let table = [
            (48, 61_213),
            (60, 75_890),
            (72, 90_763),
            (84, 105_638),
            (96, 121_091),
            (108, 135_536),
            (120, 150_269),
            (132, 165_771),
            (144, 178_874),
            (156, 195_961),
            (168, 209_783),
            (180, 224_662),
        ];
        for (ks_store, steps) in table {
            assert_eq!(uniform_steps(2500, ks_store, 1), steps, "ks_store = {ks_store}");
        }
    }

    #[test]
    fn the_largest_number_of_checkpoints_that_fits() {
        let (base, each) = (130_873_128, 36_306_936);
        assert_eq!(ks_store_for(2500, 2_055_140_736, base, each).unwrap(), 48);
        assert_eq!(ks_store_for(2500, base + each, base, each).unwrap(), 2500);
        assert_eq!(ks_store_for(2500, usize::MAX, base, each).unwrap(), 3);
        let text = ks_store_for(2500, base, base, each).unwrap_err().to_string();
        assert!(text.contains("36306936"), "{text}");
    }
}
