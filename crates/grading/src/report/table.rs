//! CSV: a row per piece of work, a column per exercise.

use std::borrow::Cow;

use super::Graded;

/// The results as CSV with a header line.
pub fn csv(graded: &[Graded]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for exercise in graded.iter().flat_map(|g| &g.labs).flat_map(|l| &l.exercises) {
        if !columns.contains(&exercise.id.as_str()) {
            columns.push(&exercise.id);
        }
    }
    let mut out = row(["name", "earned", "points"].into_iter().chain(columns.iter().copied()));
    for work in graded {
        let earned = |id: &&str| {
            let mut exercises = work.labs.iter().flat_map(|l| &l.exercises);
            exercises.find(|e| e.id == *id).map_or(String::new(), |e| e.earned.to_string())
        };
        let mut cells =
            vec![work.name.clone(), work.earned().to_string(), work.points().to_string()];
        cells.extend(columns.iter().map(earned));
        out += &row(cells.iter().map(String::as_str));
    }
    out
}

fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = cells.map(|cell| quoted(&harmless(cell), ',')).collect();
    quoted.join(",") + "\r\n"
}

/// Quotes what RFC 4180 wants quoted, of cells with this separator between them, and what would be
/// two cells to a program that takes another sign for the separator.
pub(crate) fn quoted(cell: &str, separator: char) -> String {
    if cell.contains(['"', separator, ',', ';', '\t', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}

/// Keeps a name such as `=1+1` from becoming a formula, also with blanks before it, which some
/// programs leave out, or in wide letters.
pub(crate) fn harmless(cell: &str) -> Cow<'_, str> {
    const FIRST: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
    if cell.starts_with(['\t', '\r']) || cell.trim_start().starts_with(FIRST) {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}

#[cfg(test)]
mod tests {
    use crate::report::tests::sample;

    #[test]
    fn rows_have_a_cell_per_exercise_and_names_cannot_be_formulas() {
        let mut other = sample();
        other.name = "=1+1, \"x\"".into();
        other.labs[0].exercises.pop();
        let want = "name,earned,points,L1-1,L1-2\r\nann,2,8,2,0\r\n\"'=1+1, \"\"x\"\"\",2,8,2,\r\n";
        assert_eq!(super::csv(&[sample(), other]), want);
        for name in [" =1", "＝1", "\t1", "\u{a0}@x"] {
            assert_eq!(super::harmless(name), format!("'{name}"));
        }
        assert_eq!(super::harmless("a=1"), "a=1");
        assert_eq!(super::quoted("x;=1", ','), "\"x;=1\"");
    }
}
