//! Transforms for a program that a judge has started.

use std::sync::{Mutex, PoisonError};

use super::{BatchLayout, Direction, FftType, Plan};
use crate::device::RawStream;
use crate::parcel::{Arguments, Parcel, Table, ended};

static PLANS: Mutex<Table<Plan<'static>>> = Mutex::new(Table::new());

/// Most elements of a plan with its batch, and of an axis, whose tables take memory before there is
/// any on the device.
const MOST: usize = 1 << 29;
const MOST_AXIS: usize = 1 << 25;

const KINDS: [FftType; 6] =
    [FftType::C2C, FftType::R2C, FftType::C2R, FftType::Z2Z, FftType::D2Z, FftType::Z2D];

/// Answers a call.
pub fn answer(name: &str, from: &mut Arguments) -> Option<Parcel> {
    let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    let calls = ["cufftPlan1d", "cufftPlan2d", "cufftPlan3d", "cufftPlanMany"];
    if let Some(call) = calls.into_iter().find(|call| *call == name) {
        return Some(match plan(call, from)? {
            Ok(made) => ended(Ok(vec![plans.insert(made)?])),
            Err(error) => ended(Err(error)),
        });
    }
    // Scalars are passed by value here.
    let _ = (from.word()?, from.word()?);
    let number = from.word()?;
    if name == "cufftDestroy" {
        drop(plans.remove(number)?);
        return Some(ended(Ok(Vec::new())));
    }
    let plan = plans.get(number)?;
    if name == "cufftSetStream" {
        let done = plan.set_raw_stream(from.word()? as RawStream);
        return Some(ended(done.map(|()| Vec::new())));
    }
    let kind = KINDS.into_iter().find(|kind| kind.call() == name)?;
    let bytes = if kind.single() { 4 } else { 8 };
    let of = |real: bool| if real { bytes } else { 2 * bytes };
    let (input, output) = (of(kind.real_input()), of(kind.real_output()));
    let places = [from.place(input)?, from.place(output)?];
    let direction = match from.int() {
        Some(1) => Direction::Inverse,
        Some(-1) | None => Direction::Forward,
        Some(_) => return None,
    };
    let in_place = places[0].address == places[1].address;
    Some(ended(plan.run(kind, places, in_place, direction).map(|()| Vec::new())))
}

fn plan(call: &'static str, from: &mut Arguments) -> Option<crate::Result<Plan<'static>>> {
    let kind = from.word()?;
    let kind = KINDS.into_iter().find(|known| *known as u64 == kind)?;
    let (batch, rank) = (from.size()?, from.size().filter(|rank| (1..=3).contains(rank))?);
    let sizes = |from: &mut Arguments| (0..rank).map(|_| from.size()).collect::<Option<Vec<_>>>();
    let shape = sizes(from)?;
    let total = shape.iter().try_fold(batch, |all, n| all.checked_mul(*n))?;
    if total > MOST || shape.iter().any(|n| *n > MOST_AXIS) {
        return None;
    }
    let rest = from.all();
    let layouts = match rest.len() {
        0 => None,
        _ => {
            let mut from = Arguments::new(rest);
            let mut layout = || {
                Some(BatchLayout {
                    embed: sizes(&mut from)?,
                    stride: from.size()?,
                    dist: from.size()?,
                })
            };
            Some((layout()?, layout()?))
        }
    };
    Some(Plan::made(call, crate::Provider::Cpu, &shape, layouts, kind, batch))
}
