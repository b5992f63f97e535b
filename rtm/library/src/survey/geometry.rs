//! Places of sources and receivers: any acquisition as ranges of coordinates or tables, the
//! selection of shots, and the way from metres to grid points.

use std::path::Path;

use crate::grid::Point;
use crate::{Error, Grid, Result};

/// One shot's places, metres, z downwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// Number of the shot.
    pub id: i32,
    /// The source.
    pub source_m: [f64; 3],
    /// The receivers.
    pub receivers_m: Vec<[f64; 3]>,
}

/// An acquisition: which receivers record which source.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Places of the sources, in the order of shooting.
    pub sources_m: Vec<[f64; 3]>,
    /// Places of the receivers; relative to the source in x and y, if they move with it.
    pub receivers_m: Vec<[f64; 3]>,
    /// Whether the receivers move with the source: streamers behind a ship, patches on land.
    pub moving: bool,
    /// Smallest and largest x and y: receivers that move out of them are left out, as at the edges
    /// of a survey.
    pub inside_m: Option<[[f64; 2]; 2]>,
}

impl Spread {
    /// Shot `k` (from 0), whose number is k + 1. One at a time: the receivers of all shots may take
    /// more memory than a shot's fields.
    ///
    /// # Errors
    /// It is left without receivers.
    pub fn shot(&self, k: usize) -> Result<Geometry> {
        let (id, source_m) = (k as i32 + 1, self.sources_m[k]);
        let placed = self.receivers_m.iter().map(|r| match self.moving {
            true => [r[0] + source_m[0], r[1] + source_m[1], r[2]],
            false => *r,
        });
        let kept = |r: &[f64; 3]| match self.inside_m {
            Some(box_m) if self.moving => {
                (0..2).all(|a| (box_m[a][0] - 1e-6..=box_m[a][1] + 1e-6).contains(&r[a]))
            }
            _ => true,
        };
        let receivers_m: Vec<[f64; 3]> = placed.filter(kept).collect();
        match receivers_m.is_empty() {
            true => Err(Error::refused(
                format!("shot {id} at {source_m:?} m"),
                "no receiver is left inside the model",
                "move the source, or enlarge the model",
            )),
            false => Ok(Geometry { id, source_m, receivers_m }),
        }
    }

    /// Streamers behind a ship that sails towards larger x: `cables` of `channels` receivers, the
    /// first `near_m` behind the source, `group_m` apart, cables `apart_m` apart, at `depth_m`.
    /// Relative to the source.
    pub fn streamers(
        cables: usize,
        apart_m: f64,
        channels: usize,
        near_m: f64,
        group_m: f64,
        depth_m: f64,
    ) -> Vec<[f64; 3]> {
        let middle = (cables.max(1) - 1) as f64 / 2.0;
        (0..cables)
            .flat_map(|c| (0..channels).map(move |k| (c as f64, k as f64)))
            .map(|(c, k)| [-(near_m + k * group_m), (c - middle) * apart_m, depth_m])
            .collect()
    }
}

/// All places with an x of the first, a y of the second list, at one depth; y fast.
pub fn product(x_m: &[f64], y_m: &[f64], z_m: f64) -> Vec<[f64; 3]> {
    x_m.iter().flat_map(|&x| y_m.iter().map(move |&y| [x, y, z_m])).collect()
}

/// Coordinates from text: `500`, `0,100,250`, or `first:step:count`; `what` names the parameter in
/// messages.
///
/// # Errors
/// What is not one of these.
pub fn parse_range(what: &str, text: &str) -> Result<Vec<f64>> {
    let bad = |why: String| {
        Error::refused(
            format!("{what} = {text}"),
            why,
            "write one number, several with commas, or first:step:count such as 200:100:9",
        )
    };
    let number = |part: &str| {
        part.trim()
            .parse::<f64>()
            .ok()
            .filter(|v| v.is_finite())
            .ok_or_else(|| bad(format!("'{part}' is no number")))
    };
    match text.split(':').collect::<Vec<_>>()[..] {
        [list] => list.split(',').map(number).collect(),
        [first, step, count] => {
            let (first, step) = (number(first)?, number(step)?);
            let count = count.trim().parse::<usize>().ok().filter(|n| (1..=1_000_000).contains(n));
            let count = count.ok_or_else(|| bad("the count must be 1 to 1,000,000".into()))?;
            Ok((0..count).map(|k| first + k as f64 * step).collect())
        }
        _ => Err(bad("a range has three parts".into())),
    }
}

/// Places from a table: lines `x y z` or `x,y,z` in metres; `#` starts a comment, a first line of
/// names is skipped.
///
/// # Errors
/// The file cannot be read, or a line is not three numbers.
pub fn read_places(path: &Path) -> Result<Vec<[f64; 3]>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::reading(path, &e))?;
    let mut places = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        let words: Vec<&str> =
            line.split(|c: char| c == ',' || c.is_whitespace()).filter(|w| !w.is_empty()).collect();
        let names = number == 0 && words.iter().all(|w| w.parse::<f64>().is_err());
        if words.is_empty() || names {
            continue;
        }
        let values: Vec<f64> =
            words.iter().filter_map(|w| w.parse().ok().filter(|v: &f64| v.is_finite())).collect();
        match (words.len(), values[..].try_into()) {
            (3, Ok(place)) => places.push(place),
            _ => {
                return Err(Error::refused(
                    format!("{}: line {}", path.display(), number + 1),
                    format!("'{line}' is not three numbers"),
                    "write x, y and z in metres on each line",
                ));
            }
        }
    }
    match places.is_empty() {
        true => {
            Err(Error::refused(path.display(), "no place in it", "write a line x y z per place"))
        }
        false => Ok(places),
    }
}

/// Which of `count` shots are taken: `first`, `first + step`, ... (from 0), `number` of them at
/// most.
///
/// # Errors
/// No shot is left.
pub fn select(
    count: usize,
    first: usize,
    step: usize,
    number: Option<usize>,
) -> Result<Vec<usize>> {
    if first >= count {
        return Err(Error::refused(
            format!("ishot = {first}"),
            format!("the data have {count} shots"),
            format!("choose ishot from 0 to {}", count.saturating_sub(1)),
        ));
    }
    let chosen = (first..count).step_by(step.max(1)).take(number.unwrap_or(usize::MAX));
    let chosen: Vec<usize> = chosen.collect();
    match chosen.is_empty() {
        true => Err(Error::refused("nshots = 0", "no shot to migrate", "choose 1 or more")),
        false => Ok(chosen),
    }
}

impl Geometry {
    /// Whether three receivers or more lie on one line, seen from above, to a twentieth of its
    /// length.
    pub fn on_a_line(&self) -> bool {
        let places = &self.receivers_m;
        let Some(first) = places.first() else { return false };
        let from = |p: &[f64; 3]| [p[0] - first[0], p[1] - first[1]];
        let long = |v: [f64; 2]| v[0].hypot(v[1]);
        let end = places.iter().map(from).max_by(|a, b| long(*a).total_cmp(&long(*b)));
        let [x, y] = end.unwrap_or_default();
        let length = long([x, y]);
        let off = |p: &[f64; 3]| (from(p)[0] * y - from(p)[1] * x).abs() / length;
        places.len() > 2 && length > 0.0 && places.iter().all(|p| off(p) < 0.05 * length)
    }
}

/// The grid point nearest to a place, and how far it is.
///
/// # Errors
/// The place lies outside of the grid; `what` names it (`receiver 12 of shot 3`).
pub fn locate(grid: &Grid, place_m: [f64; 3], what: &str) -> Result<(Point, f64)> {
    let exact: [f64; 3] = std::array::from_fn(|a| (place_m[a] - grid.origin_m[a]) / grid.d_m[a]);
    let inside = (0..3).all(|a| exact[a] > -0.5 && exact[a] < grid.n[a] as f64 - 0.5);
    if !inside {
        let last = grid.position_m(grid.n.map(|n| n.saturating_sub(1)));
        return Err(Error::refused(
            format!("{what} at x = {}, y = {}, z = {} m", place_m[0], place_m[1], place_m[2]),
            format!(
                "it lies outside of the model, which reaches from {:?} to {last:?} m",
                grid.origin_m
            ),
            "extend the model (lext, rext, bext, fext, text, oext), or check the coordinates and \
             their scale factors",
        ));
    }
    let point = exact.map(|e| e.round() as usize);
    let near = grid.position_m(point);
    let far = (0..3).map(|a| (near[a] - place_m[a]).powi(2)).sum::<f64>().sqrt();
    Ok((point, far))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spec C11: the SEG/EAGE survey of example B.
    #[test]
    fn example_b_has_144_shots_of_2601_receivers() {
        let line = parse_range("sources_x", "2240:800:12").unwrap();
        let patch = parse_range("receivers_x", "-2000:80:51").unwrap();
        let spread = Spread {
            sources_m: product(&line, &line, 0.0),
            receivers_m: product(&patch, &patch, 0.0),
            moving: true,
            inside_m: Some([[0.0, 13_440.0]; 2]),
        };
        assert_eq!(spread.sources_m.len(), 144);
        let shot = spread.shot(65).unwrap();
        assert_eq!((shot.source_m, shot.receivers_m.len()), ([6240.0, 6240.0, 0.0], 2601));
        assert_eq!(shot.receivers_m[0], [4240.0, 4240.0, 0.0]);
        assert_eq!(shot.receivers_m[2600], [8240.0, 8240.0, 0.0]);
    }

    #[test]
    fn streamers_trail_the_source_and_end_at_the_model() {
        let receivers_m = Spread::streamers(2, 100.0, 3, 50.0, 25.0, 8.0);
        assert_eq!(receivers_m[0], [-50.0, -50.0, 8.0]);
        assert_eq!(receivers_m[5], [-100.0, 50.0, 8.0]);
        let sources_m = vec![[60.0, 100.0, 5.0]];
        let mut spread = Spread { sources_m, receivers_m, moving: true, inside_m: None };
        assert_eq!(spread.shot(0).unwrap().receivers_m.len(), 6);
        spread.inside_m = Some([[0.0, 500.0], [0.0, 200.0]]);
        let shot = spread.shot(0).unwrap();
        assert_eq!(shot.receivers_m, [[10.0, 50.0, 8.0], [10.0, 150.0, 8.0]]);
        spread.inside_m = Some([[300.0, 500.0], [0.0, 200.0]]);
        let none = spread.shot(0).unwrap_err().to_string();
        assert!(none.contains("shot 1"), "{none}");
    }

    /// Spec C05.
    #[test]
    fn shots_are_selected_by_first_step_and_number() {
        assert_eq!(select(10, 0, 1, None).unwrap(), (0..10).collect::<Vec<_>>());
        assert_eq!(select(10, 1, 3, Some(2)).unwrap(), [1, 4]);
        assert_eq!(select(10, 7, 2, Some(5)).unwrap(), [7, 9]);
        assert!(select(10, 10, 1, None).unwrap_err().to_string().contains("10 shots"));
        assert!(select(10, 0, 1, Some(0)).is_err());
    }

    #[test]
    fn places_become_points_or_errors_that_name_them() {
        let grid = Grid { n: [11, 11, 5], d_m: [10.0; 3], origin_m: [-50.0, 0.0, 0.0] };
        assert_eq!(locate(&grid, [-50.0, 100.0, 40.0], "x").unwrap(), ([0, 10, 4], 0.0));
        assert_eq!(locate(&grid, [-47.0, 100.0, 44.0], "x").unwrap(), ([0, 10, 4], 5.0));
        let error = locate(&grid, [0.0, 106.0, 0.0], "receiver 12 of shot 3").unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("receiver 12 of shot 3 at x = 0, y = 106") && text.contains("fext"),
            "{text}"
        );
    }

    #[test]
    fn ranges_and_tables_are_read_or_refused() {
        assert_eq!(parse_range("a", "5").unwrap(), [5.0]);
        assert_eq!(parse_range("a", "1, 2.5").unwrap(), [1.0, 2.5]);
        assert_eq!(parse_range("a", "10:-5:3").unwrap(), [10.0, 5.0, 0.0]);
        for bad in ["", "1:2", "1:2:0", "1:2:x", "a"] {
            let error = parse_range("sources_x", bad).unwrap_err().to_string();
            assert!(error.contains("sources_x") && error.contains("first:step:count"), "{error}");
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.csv");
        std::fs::write(&path, "x,y,z\n1,2,3\n\n4 5 6 # last\n").unwrap();
        assert_eq!(read_places(&path).unwrap(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        std::fs::write(&path, "1,2,3\n1,2\n").unwrap();
        let error = read_places(&path).unwrap_err().to_string();
        assert!(error.contains("r.csv: line 2"), "{error}");
    }
}
