//! Handlers of the cores that are given, so that a table can compare all.

use wire::serve::Handler;

/// `given.mac` and `given.lite`, `given.streaming`: as the filters and transforms of the exercises.
pub fn handlers() -> Vec<(&'static str, Handler)> {
    vec![
        ("given.mac", |request| super::fir::filter(ipcores::fir::mac, request)),
        ("given.lite", |request| super::fft::transform(ipcores::fft::lite, request)),
        ("given.streaming", |request| super::fft::transform(ipcores::fft::streaming, request)),
    ]
}
