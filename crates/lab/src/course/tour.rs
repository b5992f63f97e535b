//! `cargo lab tour`: every reference solution on the device at hand, and a page to look at.

use std::io::Write;

use grading::report::{Graded, Page, html, lab_text};
use grading::{Options, grade};

use super::progress::Progress;
use super::state::fresh_seed;
use super::{App, say};

impl App {
    /// Grades the solutions and writes the page; exit code 1 without full marks.
    pub(super) fn tour(&self, seed: Option<u64>, out: &mut dyn Write) -> Result<u8, String> {
        let seed = seed.unwrap_or_else(fresh_seed);
        let mut tour = Graded { name: "solutions".into(), labs: Vec::new() };
        for lab in &self.labs {
            self.solution_dir_exists(lab)?;
            let progress = Progress::new(lab.id, "checks");
            let tell = |done, all| progress.step(done, all, done > 0);
            let options = Options { progress: &tell, ..Options::new(seed) };
            let host = self.place.solution_host().on_device_at_hand();
            let work = self.place.solution_work(lab, host);
            let result = grade(&self.place, lab, &work, &options);
            drop(progress);
            say(out, &lab_text(&result, self.paint, false))?;
            tour.labs.push(result);
        }
        let page = Page {
            title: "A tour of the labs".into(),
            intro: "What the course is about, in pictures; then the marks of the reference \
                    solutions, with what the checks have seen, and counts of the kernels by \
                    source line. A sector is an aligned 32-byte piece of memory; a request is one \
                    instruction of a warp of 32 threads."
                .into(),
            gallery: true,
            shown: super::gallery::shown(&self.place.root),
            handbook: self.book_dir().join("index.html").is_file().then(|| "../book/".into()),
        };
        let done = tour.labs.iter().all(|l| l.done());
        let file = self.place.state_dir().join("tour").join("index.html");
        grading::overlay::write(&file, &html(&[tour], &page))?;
        let shown = file.strip_prefix(&self.place.root).unwrap_or(&file);
        say(out, &format!("\nThe gallery is {}: open it in a browser.\n", shown.display()))?;
        say(out, "Now you: `cargo lab` says where to start.\n")?;
        Ok(u8::from(!done))
    }
}
