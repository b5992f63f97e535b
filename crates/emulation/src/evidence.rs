//! A judge's device: which bytes of device memory a kernel or a library has written last, and what
//! of them the program has copied to the host. What the program returns is compared with that.
//!
//! A launch counts for the bytes that it wrote for certain, word by word; where the executor did
//! not follow them, for the whole allocation.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use simt::Memory;
use simt::report::LaunchReport;
use uploads::numbers::{Hashed, WINDOW, as_bytes, bits, element, hash, lists_in};
use uploads::{SHORT, Uploads};
use wire::Origin;

use crate::texts;

/// Most bytes of copies that are kept for one call; the oldest go first.
const MOST: usize = 512 << 20;
static KEPT: AtomicBool = AtomicBool::new(false);

/// An allocation: which memory it is in (each API's device has its own), and its address there.
type Place = (usize, u64);

#[derive(Default)]
struct Evidence {
    /// By allocation: offsets of bytes that the device wrote last.
    written: BTreeMap<Place, Vec<Range<u64>>>,
    copies: VecDeque<Vec<u8>>,
    /// Bytes in `copies`.
    held: usize,
    /// Bytes that were copied, kept or not.
    copied: u64,
    /// What the host has given.
    uploads: Option<Uploads>,
}

fn evidence() -> MutexGuard<'static, Evidence> {
    static EVIDENCE: Mutex<Evidence> = Mutex::new(Evidence {
        written: BTreeMap::new(),
        copies: VecDeque::new(),
        held: 0,
        copied: 0,
        uploads: None,
    });
    EVIDENCE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to keep evidence: this process is a judge's device.
pub(crate) fn keep() {
    KEPT.store(true, Ordering::Relaxed);
}

/// True in a judge's device.
pub fn is_kept() -> bool {
    KEPT.load(Ordering::Relaxed)
}

fn at(memory: &Memory, base: u64) -> Place {
    (std::ptr::from_ref(memory) as usize, base)
}

/// The allocation and the offsets of a range of device memory.
fn place(memory: &Memory, address: u64, bytes: u64) -> Option<(Place, Range<u64>)> {
    let info = memory.find(address).filter(|_| is_kept() && bytes > 0)?;
    let from = address - info.base;
    Some((at(memory, info.base), from..from + bytes))
}

/// The device wrote these bytes.
pub fn computed(memory: &Memory, address: u64, bytes: u64) {
    if let Some((base, range)) = place(memory, address, bytes) {
        add(evidence().written.entry(base).or_default(), range);
    }
}

/// The host has copied these bytes to the device.
pub fn uploaded(memory: &Memory, address: u64, bytes: u64) {
    // A small one tells its value as an argument does.
    let mut value = [0; SHORT];
    let value = &mut value[..if bytes > SHORT as u64 { 0 } else { bytes as usize }];
    if is_kept() && memory.read(address, value).is_ok() {
        command("copy to the device", memory, &[(address, bytes)], &parts(value));
    }
    left(memory, address, bytes);
}

/// These bytes of the device are left from before the call: the host has given them.
pub fn left(memory: &Memory, address: u64, bytes: u64) {
    by_host(memory, address, bytes);
    if is_kept() {
        let mut copy = vec![0; bytes as usize];
        if memory.read(address, &mut copy).is_ok() {
            given(|uploads| uploads.copied(copy));
        }
    }
}

/// The host has filled these bytes of the device.
pub fn filled(memory: &Memory, address: u64, bytes: u64, pattern: &[u8]) {
    by_host(memory, address, bytes);
    command("fill", memory, &[(address, bytes)], &parts(pattern));
    given(|uploads| uploads.single(pattern));
}

/// The host has given a kernel's text, or a word of its options.
pub fn text(text: &str) {
    if is_kept() {
        let made_up = texts::made_up(text);
        given(|uploads| uploads.text(text, made_up));
    }
}

/// A number for a program: another one for another text, or for other options.
pub fn identity(source: &str, options: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (source, options).hash(&mut hasher);
    hasher.finish()
}

/// A kernel of the program with this [`identity`] was launched with these arguments, scalars as
/// their bytes: from where in which buffer, with what numbers.
pub fn asked<'a>(
    memory: &Memory,
    report: &LaunchReport,
    program: u64,
    pointers: impl Iterator<Item = u64>,
    scalars: impl Iterator<Item = &'a [u8]>,
) {
    if !is_kept() {
        return;
    }
    let shape = [report.grid, report.block].concat().into_iter().map(u64::from);
    let mut places: Vec<u64> = shape.chain([report.dynamic_shared.into()]).collect();
    let mut numbers = Vec::new();
    for address in pointers {
        let base = memory.find(address).map_or(address, |info| info.base);
        places.extend([base, address - base]);
    }
    for scalar in scalars {
        numbers.extend(parts(scalar));
        given(|uploads| uploads.single(scalar));
    }
    // Programs may have kernels of one name.
    let name = format!("{} {program:x}", report.kernel);
    given(|uploads| uploads.command(&name, &places, &numbers));
}

/// The host has changed these bytes of memory that it shares with the device, so far into a block.
pub fn shared(block: u64, offset: u64, bytes: &[u8]) {
    let numbers = if bytes.len() > SHORT { Vec::new() } else { parts(bytes) };
    given(|uploads| {
        uploads.command("shared memory", &[block, offset, bytes.len() as u64], &numbers);
        uploads.copied(bytes.to_vec());
    });
}

/// A library was called: its handles, sizes, places and factors.
pub fn called(name: &str, words: &[u64], values: &[Vec<u8>]) {
    let values = values.iter().filter(|value| value.len() <= SHORT).flat_map(|v| parts(v));
    let all: Vec<u64> = words.iter().copied().chain(values).collect();
    given(|uploads| uploads.command(name, &all, &[]));
}

/// A command that works on these ranges of memory.
fn command(name: &str, memory: &Memory, ranges: &[(u64, u64)], numbers: &[u64]) {
    if !is_kept() {
        return;
    }
    let place = |(address, bytes): &(u64, u64)| {
        let base = memory.find(*address).map_or(*address, |info| info.base);
        [base, address - base, *bytes]
    };
    let places: Vec<u64> = ranges.iter().flat_map(place).collect();
    given(|uploads| uploads.command(name, &places, numbers));
}

/// A value as numbers.
fn parts(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(8).map(element).collect()
}

/// The host has given something.
pub fn given(note: impl FnOnce(&mut Uploads)) {
    if is_kept() {
        note(evidence().uploads.get_or_insert_default());
    }
}

/// The host wrote these bytes.
fn by_host(memory: &Memory, address: u64, bytes: u64) {
    if let Some((base, range)) = place(memory, address, bytes)
        && let Some(list) = evidence().written.get_mut(&base)
    {
        remove(list, &range);
    }
}

/// Bytes were copied within the device.
pub fn moved(memory: &Memory, to: u64, from: u64, bytes: u64) {
    let Some((base, range)) = place(memory, from, bytes) else { return };
    command("copy within the device", memory, &[(to, bytes), (from, bytes)], &[]);
    let parts = within(evidence().written.get(&base), &range);
    by_host(memory, to, bytes);
    for part in parts {
        computed(memory, to + (part.start - range.start), part.end - part.start);
    }
}

/// Bytes of the device were copied to the host.
pub fn read(memory: &Memory, address: u64, bytes: &[u8]) {
    let Some((base, range)) = place(memory, address, bytes.len() as u64) else { return };
    command("copy to the host", memory, &[(address, bytes.len() as u64)], &[]);
    let parts = within(evidence().written.get(&base), &range);
    for part in parts {
        let at = (part.start - range.start) as usize..(part.end - range.start) as usize;
        copied(&bytes[at]);
    }
}

/// Runs of the device's memory, addresses and lengths, were copied to the host, one after the
/// other: one copy if the device wrote all of them.
pub fn gathered(memory: &Memory, runs: &[(u64, u64)], bytes: &[u8]) {
    if !is_kept() {
        return;
    }
    if let Some((first, _)) = runs.first() {
        command("copy to the host", memory, &[(*first, bytes.len() as u64)], &[]);
    }
    let whole = |(address, bytes): &(u64, u64)| {
        let Some((base, range)) = place(memory, *address, *bytes) else { return false };
        within(evidence().written.get(&base), &range) == [range]
    };
    if runs.iter().filter(|(_, bytes)| *bytes > 0).all(whole) {
        return copied(bytes);
    }
    let mut rest = bytes;
    for (address, bytes) in runs {
        let (part, later) = rest.split_at(*bytes as usize);
        read(memory, *address, part);
        rest = later;
    }
}

/// Bytes that the device wrote have come to the host.
pub fn copied(bytes: &[u8]) {
    if !is_kept() {
        return;
    }
    let mut evidence = evidence();
    evidence.copied += bytes.len() as u64;
    evidence.held += bytes.len();
    evidence.copies.push_back(bytes.to_vec());
    while evidence.held > MOST {
        let Some(old) = evidence.copies.pop_front() else { break };
        evidence.held -= old.len();
    }
}

/// A launch ran to its end.
pub fn launched(memory: &Memory, report: &LaunchReport) {
    if !is_kept() {
        return;
    }
    for base in &report.written {
        let followed = report.touched.iter().find(|t| t.base == *base && !t.written.is_empty());
        match (followed, memory.find(*base)) {
            (Some(touched), _) => {
                let mut evidence = evidence();
                let list = evidence.written.entry(at(memory, *base)).or_default();
                touched.written.iter().for_each(|range| add(list, range.clone()));
            }
            (None, Some(info)) => computed(memory, *base, info.size),
            (None, None) => {}
        }
    }
}

/// An allocation is no longer.
pub fn forget(memory: &Memory, base: u64) {
    if is_kept() {
        evidence().written.remove(&at(memory, base));
    }
}

/// A call begins: what the device did before says nothing about its result.
pub(crate) fn begin() {
    let mut evidence = evidence();
    evidence.written.clear();
    evidence.copies.clear();
    (evidence.held, evidence.copied) = (0, 0);
    evidence.uploads = None;
}

/// Ranges rise and do not meet.
fn add(list: &mut Vec<Range<u64>>, new: Range<u64>) {
    let from = list.partition_point(|r| r.end < new.start);
    let to = list.partition_point(|r| r.start <= new.end);
    let joined = list[from..to].iter().fold(new, |a, b| a.start.min(b.start)..a.end.max(b.end));
    list.splice(from..to, [joined]);
}

fn remove(list: &mut Vec<Range<u64>>, gone: &Range<u64>) {
    let from = list.partition_point(|r| r.end <= gone.start);
    let to = list.partition_point(|r| r.start < gone.end);
    if from >= to {
        return;
    }
    let (first, last) = (list[from].start, list[to - 1].end);
    let left = [first..gone.start, gone.end..last];
    list.splice(from..to, left.into_iter().filter(|r| r.start < r.end));
}

fn within(list: Option<&Vec<Range<u64>>>, range: &Range<u64>) -> Vec<Range<u64>> {
    let list = list.map_or(&[][..], Vec::as_slice);
    let from = list.partition_point(|r| r.end <= range.start);
    let parts = list[from..].iter().take_while(|r| r.start < range.end);
    parts.map(|r| r.start.max(range.start)..r.end.min(range.end)).collect()
}

/// Where the numbers of a value come from that a call with these arguments returned.
pub(crate) fn origin(value: &Value, args: &Value) -> Origin {
    let mut lists = Vec::new();
    lists_in(value, &mut lists);
    // Results are bit patterns; decimal fractions are times and the like, of the host.
    lists.retain(|list| !list.iter().all(Value::is_f64));
    let evidence = evidence();
    let numbers = lists.iter().map(|list| list.len() as u64).sum();
    let mut least: Vec<u64> = lists.iter().map(|list| list.len() as u64).collect();
    let mut widths = vec![4; lists.len()];
    // Where nothing was copied, as by what works on the host alone, nothing is found.
    let sizes: &[usize] = if evidence.copies.is_empty() { &[] } else { &[4, 8, 1] };
    for &width in sizes {
        let left: Vec<usize> = (0..lists.len()).filter(|k| least[*k] > 0).collect();
        let some: Vec<&[Value]> = left.iter().map(|k| lists[*k]).collect();
        for (k, strange) in left.into_iter().zip(strangers(&some, width, &evidence.copies)) {
            if strange < least[k] {
                (least[k], widths[k]) = (strange, width);
            }
        }
    }
    let strange = least.into_iter().sum();
    let width = widths.iter().zip(&lists).max_by_key(|(_, list)| list.len()).map(|(w, _)| *w);
    let uploads = evidence.uploads.as_ref().filter(|_| strange == 0);
    let foreign = uploads.zip(width).map_or(0, |(given, width)| given.foreign(args, width));
    Origin { numbers, strange, copied: evidence.copied, foreign }
}

/// How many numbers of each list are, as elements of `width` bytes and with their neighbours, in no
/// copy.
fn strangers(lists: &[&[Value]], width: usize, copies: &VecDeque<Vec<u8>>) -> Vec<u64> {
    let elements = |list: &&[Value]| list.iter().map(|v| bits(v, width)).collect::<Option<_>>();
    // Most are a copy as it came, or several.
    let whole = |values: &Vec<u64>| in_a_row(&as_bytes(values, width), width, copies);
    let lists: Vec<(usize, Option<Vec<u64>>)> = lists
        .iter()
        .map(|list| match elements(list) {
            Some(values) if whole(&values) => (0, Some(Vec::new())),
            values => (list.len(), values),
        })
        .collect();
    let mut sizes = [false; WINDOW + 1];
    let mut wanted: HashMap<u64, bool, Hashed> = HashMap::default();
    for list in lists.iter().filter_map(|(_, list)| list.as_ref()).filter(|l| !l.is_empty()) {
        let window = WINDOW.min(list.len());
        sizes[window] = true;
        wanted.extend(list.windows(window).map(|part| (hash(part), false)));
    }
    // A copy of few numbers counts as a whole.
    let mut short: HashSet<u64, Hashed> = HashSet::default();
    let copies = if wanted.is_empty() { None } else { Some(copies) };
    for copy in copies.into_iter().flatten() {
        let values: Vec<u64> = copy.chunks_exact(width).map(element).collect();
        for window in (1..=WINDOW).filter(|w| sizes[*w]) {
            for part in values.windows(window) {
                if let Some(found) = wanted.get_mut(&hash(part)) {
                    *found = true;
                }
            }
        }
        if values.len() < WINDOW {
            short.insert(hash(&values));
        }
    }
    let strange = |(len, list): &(usize, Option<Vec<u64>>)| {
        let Some(list) = list else { return *len as u64 };
        let mut known = vec![false; *len];
        let largest = WINDOW.min(*len);
        for window in 1..=largest {
            if window < largest && short.is_empty() {
                continue;
            }
            for (at, part) in list.windows(window).enumerate() {
                let hash = hash(part);
                if short.contains(&hash) || wanted.get(&hash).is_some_and(|found| *found) {
                    known[at..at + window].fill(true);
                }
            }
        }
        known.into_iter().filter(|k| !k).count() as u64
    };
    lists.iter().map(strange).collect()
}

/// Copies that are looked through for [`in_a_row`] at most.
const FEW: usize = 64;

/// Whether elements of `width` bytes are a copy, or several one after the other, each up to its end
/// or up to where the next one begins. Of each there are so many that all are known with their
/// neighbours.
fn in_a_row(elements: &[u8], width: usize, copies: &VecDeque<Vec<u8>>) -> bool {
    if copies.iter().any(|copy| copy == elements) {
        return true;
    }
    let least = elements.len().min(WINDOW * width);
    let mut rest = elements;
    while copies.len() <= FEW && !rest.is_empty() {
        let longest = copies.iter().map(|copy| common(copy, rest) / width * width).max();
        match longest.filter(|longest| *longest >= least) {
            Some(longest) => rest = &rest[longest..],
            None => return false,
        }
    }
    rest.is_empty()
}

/// Bytes that are the same at the beginning of both.
fn common(a: &[u8], b: &[u8]) -> usize {
    let most = a.len().min(b.len());
    match a[..most] == b[..most] {
        true => most,
        false => a.iter().zip(b).take_while(|(a, b)| a == b).count(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ranges_are_added_and_taken_away() {
        let mut list = Vec::new();
        for range in [0..4, 8..12, 4..6, 20..24] {
            add(&mut list, range);
        }
        assert_eq!(list, [0..6, 8..12, 20..24]);
        remove(&mut list, &(5..9));
        assert_eq!(list, [0..5, 9..12, 20..24]);
        assert_eq!(within(Some(&list), &(4..21)), [4..5, 9..12, 20..21]);
        remove(&mut list, &(0..100));
        assert_eq!(list, []);
    }

    /// Two devices give the same addresses.
    #[test]
    fn what_one_device_computed_is_not_the_others() {
        keep();
        let (one, other) = (Memory::new(1 << 20), Memory::new(1 << 20));
        let (at, same) = (one.alloc(64, "a").unwrap(), other.alloc(64, "b").unwrap());
        assert_eq!(at, same);
        computed(&one, at, 64);
        let copied = || evidence().copied;
        read(&other, at, &[0; 64]);
        assert_eq!(copied(), 0);
        forget(&other, at);
        read(&one, at, &[0; 64]);
        assert_eq!(copied(), 64);
    }

    #[test]
    fn copies_in_a_row_are_known() {
        let copies =
            VecDeque::from([(1..20).collect::<Vec<u8>>(), vec![7; 3], vec![30, 31, 32, 33]]);
        let row = |parts: &[&[u8]]| in_a_row(&parts.concat(), 1, &copies);
        let first = &copies[0];
        assert!(row(&[first]) && row(&[&copies[1]]) && row(&[&copies[2], first, &first[..4]]));
        assert!(row(&[&first[..9], &copies[2]]));
        assert!(!row(&[&first[1..]]) && !row(&[first, &first[..3]]) && !row(&[first, &copies[1]]));
        assert!(!row(&[&first[..3], &copies[2]]) && !in_a_row(&[1, 2, 3, 4], 8, &copies));
    }

    #[test]
    fn numbers_are_known_with_their_neighbours_only() {
        let words = |list: &[i32]| list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let copies = VecDeque::from([words(&[1, 2, -3, 4, 5]), words(&[9])]);
        let strange = |value: Value| strangers(&[value.as_array().unwrap()], 4, &copies)[0];
        assert_eq!(strange(json!([1, 2, -3, 4, 5])), 0);
        assert_eq!(strange(json!([2, -3, 4, 5, 9])), 0);
        assert_eq!(strange(json!([4, -3, 2, 1])), 4);
        assert_eq!(strange(json!([1, 2, -3, 4, 6])), 1);
        assert_eq!(strange(json!([1u64 << 40])), 1);
        let counted = |value: Value| origin(&value, &Value::Null).numbers;
        assert_eq!(counted(json!({ "y": [[1, 2], [3]], "ms": [0.5, 1.0] })), 3);
        assert_eq!(counted(json!([0.5, 1])), 2);
    }
}
