//! A request to memory, and its drawing.

use figures::Lanes;
use serde::{Deserialize, Serialize};
use simt::pattern::{Pattern, SHOWN, cell};

/// Most cells of a row that are drawn.
const MOST_CELLS: usize = 64;

/// A request to memory as a table: a cell for each element or bank with the number of the lane that
/// wants it, `+` behind it if there are more. Rows beyond what such a request needs are what it
/// costs too much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    title: [String; 2],
    head: Vec<String>,
    rows: Vec<(String, Vec<Cell>)>,
    left_out: usize,
}

/// What one lane or several want.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Cell {
    #[serde(rename = "-")]
    Empty,
    #[serde(rename = "w")]
    Wanted(String),
    #[serde(rename = "c")]
    Costly(String),
}

impl From<&Pattern> for Request {
    fn from(pattern: &Pattern) -> Request {
        let grid = pattern.grid();
        let left_out = grid.rows.len().saturating_sub(SHOWN);
        let rows = grid.rows.into_iter().take(SHOWN).enumerate().map(|(r, (name, cells))| {
            let cells = cells.iter().map(|lanes| match lanes.is_empty() {
                true => Cell::Empty,
                false if r as u64 >= pattern.best => Cell::Costly(cell(lanes)),
                false => Cell::Wanted(cell(lanes)),
            });
            (name, cells.collect())
        });
        let title = [format!("{} | {}", pattern.at, pattern.line_text.trim()), pattern.sentence()];
        Request { title, head: grid.head, rows: rows.collect(), left_out }
    }
}

impl Request {
    /// As SVG. A table that came from elsewhere is drawn as far as ours go.
    pub fn svg(&self) -> String {
        let drawn = |cell: &Cell| match cell {
            Cell::Empty => figures::Cell::Empty,
            Cell::Wanted(text) => figures::Cell::Wanted(text.clone()),
            Cell::Costly(text) => figures::Cell::Costly(text.clone()),
        };
        let row = |(name, cells): &(String, Vec<Cell>)| {
            (name.clone(), cells.iter().take(MOST_CELLS).map(drawn).collect())
        };
        let Request { title, head, rows, left_out } = self;
        let rows = rows.iter().take(SHOWN).map(row).collect();
        let head = head.iter().take(MOST_CELLS).cloned().collect();
        figures::lanes(&Lanes { title: title.clone(), head, rows, left_out: *left_out }).svg()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_from_elsewhere_is_text_and_has_its_bounds() {
        let cells = [Cell::Wanted("<b>".into()), Cell::Empty, Cell::Costly("7+".into())];
        let cells: Vec<Cell> = cells.iter().cycle().take(300).cloned().collect();
        let rows = vec![("row".to_string(), cells); 1000];
        let title = ["<script>".to_string(), "costs".to_string()];
        let request = Request { title, head: Vec::new(), rows, left_out: 0 };
        let text = serde_json::to_string(&request).unwrap();
        let svg = serde_json::from_str::<Request>(&text).unwrap().svg();
        assert!(!svg.contains("<script") && !svg.contains("<b>"), "{}", &svg[..300]);
        assert!(svg.matches("7+").count() <= SHOWN * MOST_CELLS);
    }
}
