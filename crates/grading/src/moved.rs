//! Whose mark moved since the last call: by a check that was mended, new files, another seed, or
//! other rules. What counts is kept in a file beside the results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::report::{harmless, quoted};
use crate::rules::{Rules, student};
use crate::seal::Fingerprint;
use crate::{Graded, Points, overlay};

/// The file in the folder of the results.
const FILE: &str = "marks.json";

/// What counts for a class, by student and lab.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Marks {
    /// Fingerprint of the rules, without the times of handing in.
    rules: String,
    students: BTreeMap<String, BTreeMap<String, Mark>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Mark {
    /// The submission that counts, such as `ann@2`.
    attempt: String,
    /// Points by the checks alone.
    graded: Points,
    /// When it was handed in, if that is known.
    handed_in: Option<String>,
    /// Points that count, of how many.
    earned: Points,
    points: Points,
}

/// A mark that moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The student, without an attempt's number.
    pub name: String,
    /// The lab.
    pub lab: String,
    /// What counted: points, of how many.
    pub before: (Points, Points),
    /// What counts; none if nothing was handed in any more.
    pub now: Option<(Points, Points)>,
    /// Why, in words.
    pub why: String,
}

impl Marks {
    /// The marks of a class: as `graded` by the checks, and as they `count` by the rules.
    pub fn of(graded: &[Graded], count: &[Graded], rules: &Rules) -> Marks {
        let times = |lab: &str| rules.labs.get(lab).map(|lab| &lab.handed_in);
        let mut common = rules.clone();
        common.labs.values_mut().for_each(|lab| lab.handed_in.clear());
        let mut hash = Fingerprint::default();
        hash.add(format!("{common:?}").as_bytes());
        let mut students: BTreeMap<String, BTreeMap<String, Mark>> = BTreeMap::new();
        for one in count {
            let before = graded.iter().find(|g| g.name == one.name);
            let labs = students.entry(student(&one.name).0.to_owned()).or_default();
            for lab in &one.labs {
                let graded = before.and_then(|g| g.labs.iter().find(|l| l.lab == lab.lab));
                let time = times(&lab.lab).and_then(|times| times.get(&one.name));
                let mark = Mark {
                    attempt: one.name.clone(),
                    handed_in: time.map(ToString::to_string),
                    graded: graded.map_or(lab.earned, |l| l.earned),
                    earned: lab.earned,
                    points: lab.points,
                };
                labs.insert(lab.lab.clone(), mark);
            }
        }
        Marks { rules: hash.text(), students }
    }

    /// The marks of the last call that kept them in this folder.
    pub fn kept(results: &Path) -> Option<Marks> {
        serde_json::from_str(&std::fs::read_to_string(results.join(FILE)).ok()?).ok()
    }

    /// Keeps the marks of the labs in question, and beside them what `before` has of others.
    ///
    /// # Errors
    /// Names the file that cannot be written.
    pub fn keep(&self, before: Option<&Marks>, results: &Path) -> Result<(), String> {
        let labs = self.labs();
        let mut all = self.clone();
        for (name, marks) in before.iter().flat_map(|b| &b.students) {
            for (lab, mark) in marks.iter().filter(|(lab, _)| !labs.contains(lab.as_str())) {
                all.students.entry(name.clone()).or_default().insert(lab.clone(), mark.clone());
            }
        }
        let text = serde_json::to_string_pretty(&all).map_err(|e| e.to_string())?;
        overlay::replace(&results.join(FILE), &(text + "\n"))
    }

    fn labs(&self) -> BTreeSet<&str> {
        self.students.values().flat_map(|marks| marks.keys().map(String::as_str)).collect()
    }

    /// What moved since `before`, in the labs that were graded now. Who is new has not moved.
    pub fn moved_since(&self, before: &Marks) -> Vec<Move> {
        let labs = self.labs();
        let mut out = Vec::new();
        for (name, marks) in &before.students {
            for (lab, was) in marks.iter().filter(|(lab, _)| labs.contains(lab.as_str())) {
                let is = self.students.get(name).and_then(|marks| marks.get(lab));
                let now = is.map(|m| (m.earned, m.points));
                if now == Some((was.earned, was.points)) {
                    continue;
                }
                let why = match is {
                    None => "nothing is handed in any more".to_owned(),
                    Some(is) => {
                        let other = was.attempt != is.attempt;
                        let reasons = [
                            (other, format!("{} counts in place of {}", is.attempt, was.attempt)),
                            (!other && was.graded != is.graded, "graded again".to_owned()),
                            (
                                !other && was.handed_in != is.handed_in,
                                "another time of handing in".to_owned(),
                            ),
                            (self.rules != before.rules, "other rules".to_owned()),
                        ];
                        let reasons = reasons.into_iter().filter(|(holds, _)| *holds);
                        reasons.map(|(_, why)| why).collect::<Vec<_>>().join(", ")
                    }
                };
                let (name, lab) = (name.clone(), lab.clone());
                out.push(Move { name, lab, before: (was.earned, was.points), now, why });
            }
        }
        out
    }
}

impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Move { name, lab, before, now, why } = self;
        let of = |(earned, points): (Points, Points)| format!("{earned} / {points}");
        let now = now.map_or("none".into(), of);
        write!(f, "{name}: {lab} {} -> {now} ({why})", of(*before))
    }
}

/// The moves as CSV with a header line.
pub fn csv(moves: &[Move]) -> String {
    let mut out = "name,lab,earned before,points before,earned,points,why\r\n".to_owned();
    for Move { name, lab, before, now, why } in moves {
        let now = now.map(|(earned, points)| [earned, points].map(|p| p.to_string()));
        let [earned, points] = now.unwrap_or_default();
        out += &format!(
            "{},{lab},{},{},{earned},{points},{}\r\n",
            quoted(&harmless(name), ','),
            before.0,
            before.1,
            quoted(why, ',')
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    fn class(earned: &[(&str, u64)]) -> Vec<Graded> {
        let one = |(name, earned): &(&str, u64)| {
            let mut graded = Graded { name: (*name).into(), ..sample() };
            graded.labs[0].earned = Points(*earned);
            graded
        };
        earned.iter().map(one).collect()
    }

    #[test]
    fn marks_move_by_checks_rules_and_attempts() {
        let before_rules = Rules::default();
        let rules = Rules { left_out: vec!["1.1.1".into()], ..Rules::default() };
        let graded = class(&[("ann", 200), ("bob", 300), ("cy@1", 100), ("dan", 50), ("eve", 10)]);
        let before = Marks::of(&graded, &graded, &before_rules);
        let graded = class(&[("ann", 200), ("bob", 400), ("cy@2", 150), ("dan", 50), ("fay", 10)]);
        let count = class(&[("ann", 100), ("bob", 400), ("cy@2", 150), ("dan", 50), ("fay", 10)]);
        let now = Marks::of(&graded, &count, &rules);
        let said: Vec<String> = now.moved_since(&before).iter().map(Move::to_string).collect();
        assert_eq!(
            said,
            [
                "ann: lab1 2 / 8 -> 1 / 8 (other rules)",
                "bob: lab1 3 / 8 -> 4 / 8 (graded again, other rules)",
                "cy: lab1 1 / 8 -> 1.5 / 8 (cy@2 counts in place of cy@1, other rules)",
                "eve: lab1 0.1 / 8 -> none (nothing is handed in any more)",
            ]
        );
        assert_eq!(now.moved_since(&now), []);
        let late = "[labs.lab1.handed_in]\nann = 2026-10-09T12:00:00Z".parse().unwrap();
        let late: Rules = toml::Table::try_into(late).unwrap();
        let then = Marks::of(&graded, &class(&[("ann", 50)]), &late);
        let first = then.moved_since(&Marks::of(&graded, &class(&[("ann", 60)]), &rules)).remove(0);
        assert_eq!(first.why, "another time of handing in, other rules");
        let text = csv(&now.moved_since(&before)[..1]);
        assert!(text.ends_with("\r\nann,lab1,2,8,1,8,other rules\r\n"), "{text}");
    }

    #[test]
    fn labs_of_other_calls_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let rules = Rules::default();
        assert_eq!(Marks::kept(dir.path()), None);
        let first = class(&[("ann", 200)]);
        Marks::of(&first, &first, &rules).keep(None, dir.path()).unwrap();
        let mut second = class(&[("ann", 300), ("bob", 100)]);
        second.iter_mut().for_each(|g| g.labs[0].lab = "lab2".into());
        let before = Marks::kept(dir.path()).unwrap();
        let now = Marks::of(&second, &second, &rules);
        assert_eq!(now.moved_since(&before), []);
        now.keep(Some(&before), dir.path()).unwrap();
        let kept = Marks::kept(dir.path()).unwrap();
        assert_eq!(kept.labs(), ["lab1", "lab2"].into());
    }
}
