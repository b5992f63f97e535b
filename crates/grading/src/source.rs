//! Who computes what the student's host code returns.

/// Who computes what a handler returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The device, of the call's own numbers: the result's are copies, and few others were given to
    /// the device.
    Device,
    /// The device, with tables that the host makes: the result's numbers are copies.
    Tables,
    /// The host, from what the device computed: a sum of partial sums, times, a picture as text. A
    /// kernel or a library must have run.
    Both,
    /// The host.
    Host,
}

/// The source of what the handler `name` returns: what `sources` says of the name, else of the key
/// of its exercise, else of the empty name.
pub(crate) fn of(name: &str, sources: &[(&str, Source)]) -> Source {
    let key = name.split_once('.').map_or(name, |(key, _)| key);
    let find = |of: &str| sources.iter().find(|(n, _)| *n == of).map(|(_, s)| *s);
    find(name).or_else(|| find(key)).or_else(|| find("")).unwrap_or(Source::Device)
}
