//! Comparing fields with what they must be, and telling which typical mistake explains the
//! difference.

use grading::Finding;

/// A typical mistake: the hint it deserves, and what the value at a place would be.
pub struct Mistake<'m> {
    hint: &'static str,
    value: Box<dyn Fn(usize) -> f64 + 'm>,
}

impl<'m> Mistake<'m> {
    /// A mistake after which the value at place `i` is `value(i)`.
    pub fn new(hint: &'static str, value: impl Fn(usize) -> f64 + 'm) -> Mistake<'m> {
        Mistake { hint, value: Box::new(value) }
    }
}

/// Compares the elements `at` of a field.
///
/// `right(i)` is the value that element `i` must have, and the sum of the absolute values of what
/// it is made of; `operations` is how many roundings there are at most. `name` names an element for
/// people.
///
/// # Errors
/// The first ten wrong places, with the hint of the first mistake that explains all wrong ones.
pub fn places(
    what: &str,
    at: &[usize],
    got: &[f32],
    operations: usize,
    right: impl Fn(usize) -> (f64, f64),
    mistakes: &[Mistake<'_>],
    name: impl Fn(usize) -> String,
) -> Result<(), Finding> {
    let unit = operations as f64 * 2f64.powi(-24);
    let close = |i: usize, value: f64| {
        let got = f64::from(got[i]);
        // An infinity or NaN is right only where the same is wanted, and never within the
        // tolerance.
        (got - value).abs() <= unit * right(i).1 || got == value || (got.is_nan() && value.is_nan())
    };
    let wrong: Vec<usize> = at.iter().copied().filter(|i| !close(*i, right(*i).0)).collect();
    let Some(&first) = wrong.first() else { return Ok(()) };
    let line = |i: usize| format!("{}: expected {:e}, got {:e}", name(i), right(i).0, got[i]);
    let shown: Vec<String> = wrong.iter().take(10).map(|i| line(*i)).collect();
    let text = format!("{what} at {} ({} of {} are wrong)", line(first), wrong.len(), at.len());
    let finding = Finding::wrong(text).details(shown.join("\n"));
    let explains = |m: &&Mistake<'_>| wrong.iter().all(|i| close(*i, (m.value)(*i)));
    Err(match mistakes.iter().find(explains) {
        Some(mistake) => finding.hint(mistake.hint),
        None => finding,
    })
}

/// The elements of `got` other than `at` must have the bits of `before`.
///
/// # Errors
/// Names the first that has not, with the hint `hint`.
pub fn untouched(
    what: &str,
    at: &[usize],
    got: &[f32],
    before: &[f32],
    hint: &str,
    name: impl Fn(usize) -> String,
) -> Result<(), Finding> {
    let mut own = vec![false; got.len()];
    at.iter().for_each(|i| own[*i] = true);
    let changed = |i: &usize| !own[*i] && got[*i].to_bits() != before[*i].to_bits();
    match (0..got.len()).find(changed) {
        None => Ok(()),
        Some(i) => {
            let text = format!("{what} at {} is {} now: it must stay as it was", name(i), got[i]);
            Err(Finding::wrong(text).hint(hint))
        }
    }
}
