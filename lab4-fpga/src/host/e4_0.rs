//! Handlers of exercise 4.0: the given example.

use wire::serve::Handler;

/// `e4_0.fpgatop`: `{}` -> the example's design.
pub fn handlers() -> Vec<(&'static str, Handler)> {
    vec![("e4_0.fpgatop", |_| super::reply(crate::fpgatop::fpgatop()))]
}
