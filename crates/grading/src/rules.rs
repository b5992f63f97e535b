//! How a class is marked beyond the exercises: weights, deadlines, what is left out, attempts,
//! inputs of each student's own. The instructor's file `course.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use hmac_sha256::HMAC;
use serde::Deserialize;
use toml::value::Datetime;

use crate::clock::{DAY, seconds};
use crate::handed_in::Times;
use crate::{Graded, Lab, LabResult, Late, Points};

/// The rules of a class; without a file, every lab has the same weight and nothing else holds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// From this word and a student's name follow the seed of that student's inputs.
    pub secret: Option<String>,
    /// Which of `ann@1`, `ann@2` counts.
    #[serde(default)]
    pub attempts: Attempts,
    /// Exercises that do not count, such as `1.1.8`.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// By lab, such as `lab1`.
    #[serde(default)]
    pub labs: BTreeMap<String, LabRules>,
}

/// Which of several attempts counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attempts {
    /// The one with the highest total.
    #[default]
    Best,
    /// The one with the highest number.
    Last,
}

/// The rules of one lab.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabRules {
    /// Its share of the total, over the sum of all weights.
    pub weight: u32,
    /// When it is due; a time without an offset is UTC.
    pub deadline: Option<Datetime>,
    /// Days after the deadline that cost nothing.
    pub free_days: u32,
    /// Per cent of the points that each begun day after these takes.
    pub per_day: u32,
    /// Days after the deadline from which on nothing counts.
    pub last_day: Option<u32>,
    /// Where the times of those come from that are not in `handed_in`.
    pub times: Option<Times>,
    /// When it was handed in, by name of the submission; who is not there, and has no other time,
    /// was in time.
    pub handed_in: BTreeMap<String, Datetime>,
}

impl Default for LabRules {
    fn default() -> LabRules {
        LabRules {
            weight: 1,
            deadline: None,
            free_days: 0,
            per_day: 0,
            last_day: None,
            times: None,
            handed_in: BTreeMap::new(),
        }
    }
}

impl Rules {
    /// Reads a file and compares it with the course's labs.
    ///
    /// # Errors
    /// Names the file, the line or key, and what is expected there.
    pub fn read(path: &Path, labs: &[Lab]) -> Result<Rules, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Rules::parse(&text, labs).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn parse(text: &str, labs: &[Lab]) -> Result<Rules, String> {
        let rules: Rules =
            toml::from_str(text).map_err(|e| e.to_string().trim_end().to_string())?;
        let ids: Vec<&str> = labs.iter().map(|lab| lab.id).collect();
        for (id, of_lab) in &rules.labs {
            if !ids.contains(&id.as_str()) {
                return Err(format!(
                    "[labs.{id}]: there is no such lab; there are {}",
                    ids.join(", ")
                ));
            }
            if of_lab.per_day > 100 {
                return Err(format!(
                    "[labs.{id}] per_day = {}: at most 100 (per cent)",
                    of_lab.per_day
                ));
            }
            if of_lab.deadline.is_none() && !of_lab.handed_in.is_empty() {
                return Err(format!("[labs.{id}.handed_in] needs a `deadline` in [labs.{id}]"));
            }
            let of_lateness = [
                ("times", of_lab.times.is_some()),
                ("free_days", of_lab.free_days > 0),
                ("per_day", of_lab.per_day > 0),
                ("last_day", of_lab.last_day.is_some()),
            ];
            let vain = of_lateness.iter().find(|(_, set)| *set && of_lab.deadline.is_none());
            if let Some((key, _)) = vain {
                return Err(format!("[labs.{id}] {key} needs a `deadline` in [labs.{id}]"));
            }
            if let Some(last) = of_lab.last_day.filter(|last| *last < of_lab.free_days) {
                return Err(format!(
                    "[labs.{id}] last_day = {last} is before the end of free_days = {}: a day that \
                     costs nothing cannot give nothing",
                    of_lab.free_days
                ));
            }
            let deadline = of_lab.deadline.iter().map(|d| ("deadline".to_string(), d));
            let times = of_lab.handed_in.iter().map(|(n, d)| (format!("handed_in {n:?}"), d));
            for (key, time) in deadline.chain(times) {
                seconds(time).ok_or_else(|| {
                    format!(
                        "[labs.{id}] {key} = {time}: write day and time, as 2026-10-01T23:59:00Z"
                    )
                })?;
            }
        }
        let exercise = |name: &&String| labs.iter().any(|lab| lab.exercise(name).is_some());
        if let Some(name) = rules.left_out.iter().find(|name| !exercise(name)) {
            return Err(format!("left_out: there is no exercise {name:?}; write it as \"1.1.3\""));
        }
        if rules.secret.as_ref().is_some_and(|secret| secret.len() < 8) {
            return Err("secret: write eight characters or more, and tell nobody".into());
        }
        let weights = |lab: &&&str| rules.weight(lab) > 0;
        if ids.iter().filter(weights).count() == 0 && !ids.is_empty() {
            return Err("[labs]: every weight is 0".into());
        }
        Ok(rules)
    }

    fn weight(&self, lab: &str) -> u64 {
        self.labs.get(lab).map_or(1, |lab| lab.weight).into()
    }

    /// The seed of a student's inputs; all attempts have the same.
    pub fn seed(&self, name: &str) -> Option<u64> {
        let bytes = HMAC::mac(student(name).0, self.secret.as_ref()?);
        let number = bytes.iter().take(8).fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        // Nine digits, as all seeds of the judge.
        Some(100_000_000 + number % 900_000_000)
    }

    /// Fills in when the submissions, by name and folder or archive, were handed in, where `times`
    /// says from what; those that have no time are named.
    pub fn take_times(&mut self, submissions: &[(&str, &Path)]) -> Vec<String> {
        let mut warnings = Vec::new();
        for (id, lab) in &mut self.labs {
            let (Some(times), Some(deadline)) = (lab.times, &lab.deadline) else { continue };
            let mut without = Vec::new();
            for (name, file) in submissions {
                if lab.handed_in.contains_key(*name) {
                    continue;
                }
                match times.of(name, file, deadline.offset) {
                    Some(time) => drop(lab.handed_in.insert((*name).to_owned(), time)),
                    None => without.push(*name),
                }
            }
            if !without.is_empty() {
                warnings.push(format!(
                    "{id}: when these were handed in is not to be seen, they count as in time \
                     (write their times under [labs.{id}.handed_in]): {}",
                    without.join(", ")
                ));
            }
        }
        warnings
    }

    /// Names under `handed_in` of a lab that no submission has: they may be misspelt.
    pub fn without_submission(&self, lab: &str, submissions: &[&str]) -> Option<String> {
        let names = self.labs.get(lab)?.handed_in.keys();
        let unknown: Vec<&str> =
            names.map(String::as_str).filter(|name| !submissions.contains(name)).collect();
        (!unknown.is_empty()).then(|| {
            format!("[labs.{lab}.handed_in] names who has no submission: {}", unknown.join(", "))
        })
    }

    /// Takes out what does not count, takes what lateness costs, and keeps one attempt of each
    /// student, under the student's name.
    pub fn apply(&self, all: Vec<Graded>, labs: &[Lab]) -> Vec<Graded> {
        let mut out: Vec<(u32, Graded)> = Vec::new();
        for mut graded in all {
            for lab in &mut graded.labs {
                self.leave_out(lab, labs);
                self.late(lab, &graded.name);
            }
            let (name, attempt) = student(&graded.name);
            let place = out.iter().position(|(_, g)| student(&g.name).0 == name);
            match place {
                None => out.push((attempt, graded)),
                Some(k) => {
                    let better = match self.attempts {
                        Attempts::Best => self.total(&graded) > self.total(&out[k].1),
                        Attempts::Last => attempt > out[k].0,
                    };
                    if better {
                        out[k] = (attempt, graded);
                    }
                }
            }
        }
        out.into_iter().map(|(_, graded)| graded).collect()
    }

    fn leave_out(&self, result: &mut LabResult, labs: &[Lab]) {
        let left = |id: &str| {
            let exercise = labs.iter().find_map(|lab| lab.exercise(id));
            exercise.is_some_and(|e| self.left_out.iter().any(|name| e.is_called(name)))
        };
        if result.exercises.iter().any(|e| left(&e.id)) {
            result.exercises.retain(|e| !left(&e.id));
            result.earned = result.exercises.iter().map(|e| e.earned).sum();
            result.points = result.exercises.iter().map(|e| e.points).sum();
        }
    }

    fn late(&self, result: &mut LabResult, name: &str) {
        let Some(rules) = self.labs.get(&result.lab) else { return };
        let time = rules.handed_in.get(name).and_then(seconds);
        let (Some(due), Some(time)) = (rules.deadline.as_ref().and_then(seconds), time) else {
            return;
        };
        let days = u32::try_from(
            (time - due).max(0).div_euclid(DAY) + i64::from((time - due).max(0) % DAY > 0),
        )
        .unwrap_or(u32::MAX);
        let taken = if rules.last_day.is_some_and(|last| days > last) {
            100
        } else {
            days.saturating_sub(rules.free_days).saturating_mul(rules.per_day).min(100)
        };
        if days == 0 {
            return;
        }
        let late = Late { days, taken, before: result.earned };
        result.earned = Points((late.before.0 * u64::from(100 - taken) + 50) / 100);
        result.warnings.push(late.to_string());
        result.late = Some(late);
    }

    /// Per cent of the possible points, rounded to hundredths.
    pub fn total(&self, graded: &Graded) -> Points {
        Points((1e4 * self.share(graded)).round() as u64)
    }

    /// The share of the possible points that was earned, over the graded labs, by weight: 0 to 1.
    pub fn share(&self, graded: &Graded) -> f64 {
        let mut sum = 0.0;
        let mut weights = 0;
        for lab in graded.labs.iter().filter(|lab| lab.points.0 > 0) {
            let weight = self.weight(&lab.lab);
            sum += weight as f64 * lab.earned.0 as f64 / lab.points.0 as f64;
            weights += weight;
        }
        if weights == 0 { 0.0 } else { sum / weights as f64 }
    }
}

/// Name and number of an attempt: `ann@2` is the second of `ann`.
pub fn student(name: &str) -> (&str, u32) {
    let split = name.rsplit_once('@').and_then(|(name, n)| Some((name, n.parse().ok()?)));
    split.unwrap_or((name, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;
    use crate::{Check, Exercise};

    const LAB: Lab = Lab {
        id: "lab1",
        package: "lab1-x",
        title: "",
        host_bin: "",
        device: None,
        nearly: &[],
        sources: &[],
        elsewhere: &[],
        exercises: &[Exercise {
            id: "L1-2",
            key: "e2",
            title: "",
            points: 4,
            files: &[],
            todo: "",
            hints: &[],
            checks: &[] as &[Check],
        }],
    };

    fn rules(text: &str) -> Result<Rules, String> {
        Rules::parse(text, &[LAB])
    }

    #[test]
    fn mistakes_are_named() {
        for (text, says) in [
            ("wieght = 1", "unknown field `wieght`"),
            ("[labs.lab9]", "[labs.lab9]: there is no such lab; there are lab1"),
            ("[labs.lab1]\nper_day = 200", "per_day = 200: at most 100"),
            ("[labs.lab1]\ndeadline = 2026-10-01", "write day and time"),
            ("[labs.lab1.handed_in]\nann = 2026-10-01T00:00:00Z", "needs a `deadline`"),
            ("[labs.lab1]\ntimes = \"files\"", "times needs a `deadline`"),
            ("[labs.lab1]\nfree_days = 1", "free_days needs a `deadline`"),
            ("[labs.lab1]\nper_day = 10", "per_day needs a `deadline`"),
            ("[labs.lab1]\nlast_day = 7", "last_day needs a `deadline`"),
            (
                "[labs.lab1]\ndeadline = 2026-10-01T12:00:00Z\nfree_days = 3\nlast_day = 1",
                "last_day = 1 is before the end of free_days = 3",
            ),
            ("[labs.lab1]\nfree_days = -1", "invalid value: integer `-1`"),
            ("[labs.lab1]\nlast_day = \"7\"", "invalid type: string \"7\""),
            ("[labs.lab1]\nweight = 0.5", "invalid type: floating point `0.5`"),
            (
                "[labs.lab1]\ndeadline = 2026-10-01T12:00:00Z\n[labs.lab1.handed_in]\nann = 1",
                "invalid type: integer `1`",
            ),
            ("[labs.lab1]\ntimes = \"zip\"", "unknown variant `zip`"),
            ("left_out = [\"9.9\"]", "there is no exercise \"9.9\""),
            ("secret = \"x\"", "eight characters"),
            ("attempts = \"first\"", "unknown variant `first`"),
            ("[labs.lab1]\nweight = 0", "every weight is 0"),
        ] {
            let said = rules(text).unwrap_err();
            assert!(said.contains(says), "{text}: {said}");
        }
    }

    #[test]
    fn lateness_takes_its_share_and_says_so() {
        let rules = rules(
            "[labs.lab1]\ndeadline = 2026-10-01T12:00:00Z\nfree_days = 1\nper_day = 10\n\
             last_day = 3\n[labs.lab1.handed_in]\nearly = 2026-10-01T12:00:00Z\n\
             free = 2026-10-01T12:00:01Z\n\
             ann = 2026-10-03T13:00:00Z\ntoo = 2026-10-05T00:00:00Z\n",
        )
        .unwrap();
        for (name, earned, warnings) in
            [("other", 200, 0), ("early", 200, 0), ("free", 200, 1), ("ann", 160, 1), ("too", 0, 1)]
        {
            let graded = Graded { name: name.into(), ..sample() };
            let after = rules.apply(vec![graded], &[LAB]).remove(0);
            assert_eq!(after.labs[0].earned, Points(earned), "{name}");
            assert_eq!(
                after.labs[0].warnings.len(),
                warnings,
                "{name}: {:?}",
                after.labs[0].warnings
            );
        }
        let ann = rules.apply(vec![sample()], &[LAB]).remove(0);
        assert_eq!(ann.labs[0].warnings, ["handed in 3 days late: 20 % of 2 points are taken"]);
    }

    #[test]
    fn times_come_from_names_where_none_is_typed() {
        let mut rules = rules(
            "[labs.lab1]\ndeadline = 2026-10-01T12:00:00+02:00\nper_day = 10\ntimes = \"names\"\n\
             [labs.lab1.handed_in]\nann_20261009120000 = 2026-10-01T10:00:00Z\n",
        )
        .unwrap();
        let names = ["ann_20261009120000", "bob_2026-10-01-12-00-01", "cy"];
        assert_eq!(rules.without_submission("lab1", &names), None);
        let said = rules.without_submission("lab1", &names[1..]).unwrap();
        assert!(said.ends_with("no submission: ann_20261009120000"), "{said}");
        let warnings = rules.take_times(&names.map(|name| (name, Path::new(name))));
        assert!(warnings.len() == 1 && warnings[0].ends_with(": cy"), "{warnings:?}");
        let class = names.map(|name| Graded { name: name.into(), ..sample() }).to_vec();
        let after = rules.apply(class, &[LAB]);
        assert_eq!(after.iter().map(|g| g.earned().0).collect::<Vec<_>>(), [200, 180, 200]);
    }

    #[test]
    fn what_is_left_out_counts_nowhere_and_one_attempt_counts() {
        let all = rules("").unwrap();
        assert_eq!(all.total(&sample()), Points(2500));
        let left = rules("left_out = [\"2\"]").unwrap();
        let after = left.apply(vec![sample()], &[LAB]).remove(0);
        assert_eq!((after.points(), left.total(&after)), (Points(400), Points(5000)));
        let attempt = |name: &str, earned| {
            let mut graded = Graded { name: name.into(), ..sample() };
            graded.labs[0].earned = Points(earned);
            graded
        };
        let class = || vec![attempt("ann@1", 300), attempt("ann@2", 100), attempt("bob", 50)];
        let names = |kept: Vec<Graded>| kept.into_iter().map(|g| g.name).collect::<Vec<_>>();
        assert_eq!(names(all.apply(class(), &[LAB])), ["ann@1", "bob"]);
        let last = rules("attempts = \"last\"").unwrap();
        assert_eq!(names(last.apply(class(), &[LAB])), ["ann@2", "bob"]);
    }

    #[test]
    fn seeds_follow_from_the_secret_and_the_name() {
        let seeds = |secret: &str| rules(&format!("secret = \"{secret}\"")).unwrap();
        let of = |secret: &str, name: &str| seeds(secret).seed(name).unwrap();
        assert_eq!(of("correct horse", "ann"), of("correct horse", "ann@2"));
        assert_ne!(of("correct horse", "ann"), of("correct horse", "bob"));
        assert_ne!(of("correct horse", "ann"), of("other horses", "ann"));
        assert!((100_000_000..1_000_000_000).contains(&of("correct horse", "ann")));
        assert_eq!(of("correct horse", "ann"), 894_722_911);
        assert_eq!(rules("").unwrap().seed("ann"), None);
    }
}
