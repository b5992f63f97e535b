//! Lists in order. The standard library's sort is written out for every type, 3 KB of machine code
//! each time; this one is there once, and a page fetches its engine sooner.

use std::cmp::Ordering;

/// Sorts by `compare`; what is equal keeps its order.
pub fn sort_by<T>(list: &mut Vec<T>, mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut places: Vec<usize> = (0..list.len()).collect();
    sort_places(&mut places, &mut |a, b| compare(&list[a], &list[b]));
    let mut items: Vec<Option<T>> = list.drain(..).map(Some).collect();
    list.extend(places.into_iter().filter_map(|place| items[place].take()));
}

/// Sorts; what is equal keeps its order.
pub fn sort<T: Ord>(list: &mut Vec<T>) {
    sort_by(list, T::cmp);
}

fn sort_places(places: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    places.sort_unstable_by(|a, b| compare(*a, *b).then(a.cmp(b)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_entries_keep_their_order() {
        let mut list: Vec<(u8, usize)> = (0..100).map(|k| ((k * 37 % 10) as u8, k)).collect();
        let mut want = list.clone();
        want.sort_by_key(|entry| entry.0);
        sort_by(&mut list, |a, b| a.0.cmp(&b.0));
        assert_eq!(list, want);
        let mut words = vec!["c", "a", "b"];
        sort(&mut words);
        assert_eq!(words, ["a", "b", "c"]);
    }
}
