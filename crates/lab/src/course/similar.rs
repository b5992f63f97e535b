//! `cargo lab similar`: which submissions have much in common.

use std::collections::BTreeMap;
use std::io::Write;

use grading::intake::collect;
use grading::overlay::{read, write};
use grading::report::similar;
use grading::similar::{Pair, Work, pairs};
use grading::submission::{Found, find};

use super::args::SimilarArgs;
use super::{App, say};

impl App {
    /// Lists the pairs; the exit code is 0 whatever was found, for it is no verdict.
    pub(super) fn similar(&self, args: &SimilarArgs, out: &mut dyn Write) -> Result<u8, String> {
        let lab = self.lab(&args.lab)?;
        let Found { submissions, .. } = find(&args.dir, &self.labs)?;
        let mut given: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for rel in lab.files() {
            let solution = read(&self.place.solution_dir(lab), rel);
            let texts = [Ok(self.place.skeleton(lab, rel)?), solution];
            given.insert(rel.into(), texts.into_iter().flatten().collect());
        }
        let mut works = Vec::new();
        for submission in &submissions {
            let dir = self.place.state_dir().join("similar");
            let _ = std::fs::remove_dir_all(&dir);
            collect(&self.place, lab, &submission.dir, &dir)?;
            let files = lab.files().into_iter();
            let files = files.filter_map(|rel| Some((rel.to_string(), read(&dir, rel).ok()?)));
            works.push(Work { name: submission.name.clone(), files: files.collect() });
            let _ = std::fs::remove_dir_all(&dir);
        }
        let found = pairs(&works, &given, args.least);
        let mut text = format!("{}\n", similar::NO_ACCUSATION);
        let line = |p: &Pair| {
            let files: Vec<&str> = p.lines.keys().map(String::as_str).collect();
            let names = format!("{} and {}", works[p.a].name, works[p.b].name);
            format!("{:>4} %  {names}: {}\n", p.percent, files.join(", "))
        };
        text.extend(found.iter().map(line));
        text += &format!("{} submissions, {} pairs to look at\n", works.len(), found.len());
        if let Some(to) = &args.html {
            write(to, &similar::html(&format!("Alike in {}", lab.id), &works, &found))?;
            text += &format!("wrote {}\n", to.display());
        }
        say(out, &text)?;
        Ok(0)
    }
}
