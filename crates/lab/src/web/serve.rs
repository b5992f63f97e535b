//! `cargo lab serve`: the pages over the student's own folder, for a browser on the same machine.
//!
//! The server listens on 127.0.0.1 only. Every address begins with a token that is made at the
//! start, so no other program's page and no other user can ask; a request that names another host
//! (a page of a stranger whose name leads here) is refused, and so is one that another page sends.
//! Files are read and written by a list: the pages of this program, pictures of handouts, and the
//! files of exercises.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use grading::{Exercise, Lab, Options, Work, grade};
use serde::Deserialize;
use serde_json::{Value, json};
use web::{ASSETS, Frame, SCRIPTS};
use workbench::Workbench;
use workbench::hardware::Desk;

use super::http::{Answer, Request, receive};
use super::{class, content, designs};
use crate::course::{App, LABS, say};

/// How the server is started.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Port (default: a free one)
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Also show a class: the folder that `cargo lab grade --submissions .. --results DIR` has
    /// written
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

/// What is served, and to whom.
struct Server<'a> {
    app: &'a App,
    port: u16,
    token: String,
    results: Option<PathBuf>,
}

impl App {
    pub(super) fn serve(&self, args: &Args, out: &mut dyn Write) -> Result<u8, String> {
        if let Some(dir) = &args.results {
            class::read(dir)?;
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
            .map_err(|e| format!("port {}: {e}", args.port))?;
        let port = listener.local_addr().map_err(|e| format!("the port: {e}"))?.port();
        let token = format!("{:032x}", rand::random::<u128>());
        say(
            out,
            &format!("http://127.0.0.1:{port}/{token}/\nOpen this address; Ctrl-C ends it.\n"),
        )?;
        out.flush().map_err(|e| format!("output: {e}"))?;
        let results = args.results.clone();
        let server = Server { app: self, port, token, results };
        std::thread::scope(|scope| {
            for stream in listener.incoming() {
                // One that is gone already; the next one may not be.
                let Ok(mut stream) = stream else { continue };
                let server = &server;
                scope.spawn(move || {
                    let answer = match receive(&stream) {
                        Ok(request) => server.answer(&request),
                        Err(why) => Answer::refused(400, why),
                    };
                    answer.send(&mut stream);
                });
            }
        });
        Ok(0)
    }
}

/// A file that a page saves.
#[derive(Deserialize)]
struct Save {
    lab: String,
    path: String,
    text: String,
}

/// The questions that this server answers otherwise than the workbench.
#[derive(Deserialize)]
struct Question {
    op: String,
    #[serde(default)]
    lab: String,
    #[serde(default)]
    exercise: String,
    #[serde(default)]
    seed: u64,
}

impl Server<'_> {
    fn answer(&self, request: &Request) -> Answer {
        let own = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        if !own.contains(&request.host) {
            return Answer::refused(403, "this server answers for 127.0.0.1 only");
        }
        let foreign = |origin: &String| !own.iter().any(|host| *origin == format!("http://{host}"));
        if request.origin.as_ref().is_some_and(foreign) {
            return Answer::refused(403, "another page asks");
        }
        let root = format!("/{}/", self.token);
        let Some(path) = request.path.strip_prefix(&root) else {
            return Answer::refused(
                403,
                "the address must be the one that `cargo lab serve` printed",
            );
        };
        let answer = match (request.method.as_str(), path) {
            ("GET", _) => self.get(path, &root),
            ("POST", "ask") => self.ask(&request.body),
            ("POST", "save") => self.save(&request.body),
            ("POST", _) => None,
            _ => return Answer::refused(405, "GET or POST"),
        };
        answer.unwrap_or_else(|| Answer::refused(404, "there is no such page"))
    }

    fn get(&self, path: &str, root: &str) -> Option<Answer> {
        let path = if path.is_empty() { "index.html" } else { path };
        let class = self.results.is_some();
        let frame = Frame { server: Some(root), handbook: false, class };
        if path == "class.json" {
            let made = class::read(self.results.as_ref()?);
            return Some(made.map_or_else(|e| Answer::refused(400, e), |v| Answer::json(&v)));
        }
        if let Some(page) = frame.pages().find(|page| page.file == path) {
            return Some(Answer::new("text/html; charset=utf-8", page.html(&frame)));
        }
        if let Some((_, text)) = SCRIPTS.iter().chain(ASSETS).find(|(name, _)| *name == path) {
            let kind = match path.ends_with(".css") {
                true => "text/css; charset=utf-8",
                false => "text/javascript; charset=utf-8",
            };
            return Some(Answer::new(kind, *text));
        }
        let course = path.strip_prefix("course/")?;
        if course == "index.json" {
            return Some(Answer::json(&content::index(&self.app.labs, |_, _| true)));
        }
        if let Some(lab) = course.strip_suffix(".json").and_then(|id| self.lab(id)) {
            let made = content::lab(self.app, lab, |_, _| true, false);
            return Some(made.map_or_else(|e| Answer::refused(400, e), |v| Answer::json(&v)));
        }
        let (package, rest) = course.split_once('/')?;
        let lab = self.app.labs.iter().find(|lab| lab.package == package)?;
        self.picture(lab, rest.strip_prefix("pictures/")?)
    }

    /// A picture by its plain name.
    fn picture(&self, lab: &Lab, name: &str) -> Option<Answer> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let kind = match name.rsplit_once('.')?.1 {
            "svg" => "image/svg+xml",
            "png" => "image/png",
            _ => return None,
        };
        if !name.chars().all(plain) || name.starts_with('.') {
            return None;
        }
        let bytes = std::fs::read(self.app.place.lab_dir(lab).join("pictures").join(name)).ok()?;
        Some(Answer::new(kind, bytes))
    }

    fn lab(&self, id: &str) -> Option<&Lab> {
        self.app.labs.iter().find(|lab| lab.id == id)
    }

    /// A question: exercises are checked in the student's own folder, host code included; all else
    /// is the workbench's.
    fn ask(&self, body: &str) -> Option<Answer> {
        if let Ok(question) = serde_json::from_str::<Question>(body) {
            let found = || {
                let lab = self.lab(&question.lab)?;
                Some((lab, lab.exercise(&question.exercise)?))
            };
            match (question.op.as_str(), found()) {
                ("grade", Some((lab, exercise))) => {
                    return Some(Answer::json(&self.grade(lab, exercise, question.seed)));
                }
                ("files", Some((lab, exercise))) => {
                    return Some(Answer::json(&self.files(lab, exercise)));
                }
                ("designs", _) => return Some(Answer::json(&designs::list())),
                ("design" | "simulate" | "netlist", _) => return self.hardware(body),
                _ => {}
            }
        }
        Some(Answer::new("application/json", Workbench { labs: LABS }.answer(body)))
    }

    /// A question about a design, which may be one of the student's.
    fn hardware(&self, body: &str) -> Option<Answer> {
        let question = serde_json::from_str(body).ok()?;
        Some(match designs::resolve(self.app, question) {
            Ok(question) => {
                let desk = Desk { designs: &[] };
                Answer::new("application/json", desk.answer(&question.to_string()))
            }
            Err(text) => Answer::json(&json!({ "error": text })),
        })
    }

    fn grade(&self, lab: &Lab, exercise: &'static Exercise, seed: u64) -> Value {
        let place = &self.app.place;
        let host = place.own_host(lab).on_device_at_hand();
        let work = Work { host: Arc::new(host), ..place.own_work(lab) };
        let options = Options { only: vec![exercise], ..Options::new(seed) };
        let result = grade(place, lab, &work, &options);
        match result.exercises.iter().try_for_each(|one| self.app.remember_work(lab, one)) {
            Ok(()) => workbench::exercise::answer(result, &work.counts),
            Err(text) => json!({ "error": text }),
        }
    }

    /// An exercise's files as they are now: another editor may have saved them.
    fn files(&self, lab: &Lab, exercise: &Exercise) -> Value {
        let dir = self.app.place.lab_dir(lab);
        let mut files = BTreeMap::new();
        for rel in exercise.files {
            if let Ok(text) = std::fs::read_to_string(dir.join(rel)) {
                files.insert(*rel, text);
            }
        }
        json!(files)
    }

    fn save(&self, body: &str) -> Option<Answer> {
        let save: Save = serde_json::from_str(body).ok()?;
        let lab = self.lab(&save.lab)?;
        // By the list: no other file is ever written.
        let rel = lab.files().into_iter().find(|rel| *rel == save.path)?;
        let written = grading::overlay::write(&self.app.place.lab_dir(lab).join(rel), &save.text);
        Some(match written {
            Ok(()) => Answer::json(&json!({})),
            Err(why) => Answer::refused(400, why),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use grading::Place;
    use grading::report::Paint;

    use super::*;

    fn app() -> App {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        App { place: Place::at(root), labs: LABS.to_vec(), paint: Paint(false) }
    }

    fn asked(method: &str, path: &str, body: &str) -> Request {
        Request {
            method: method.into(),
            path: path.into(),
            host: "127.0.0.1:80".into(),
            origin: None,
            body: body.into(),
        }
    }

    #[test]
    fn only_the_own_browser_is_answered() {
        let app = app();
        let server = Server { app: &app, port: 80, token: "t0".into(), results: None };
        let status = |request: &Request| server.answer(request).status;
        let page = asked("GET", "/t0/playground.html", "");
        assert_eq!(status(&page), 200);
        assert_eq!(
            status(&Request { host: "localhost:80".into(), ..asked("GET", "/t0/", "") }),
            200
        );
        // A page of a stranger whose name leads here; another port; a page that asks across.
        for host in ["evil.example:80", "127.0.0.1:81", "", "127.0.0.1:80.evil.example"] {
            assert_eq!(
                status(&Request { host: host.into(), ..asked("GET", "/t0/", "") }),
                403,
                "{host}"
            );
        }
        let from = |origin: &str| Request {
            origin: Some(origin.into()),
            ..asked("POST", "/t0/ask", "{}")
        };
        assert_eq!(status(&from("http://127.0.0.1:80")), 200);
        for origin in
            ["http://evil.example", "null", "https://127.0.0.1:80", "http://127.0.0.1:8080"]
        {
            assert_eq!(status(&from(origin)), 403, "{origin}");
        }
        for path in ["/", "/playground.html", "/t1/playground.html", "/t0", "//t0/"] {
            assert_eq!(status(&asked("GET", path, "")), 403, "{path}");
        }
        assert_eq!(status(&asked("DELETE", "/t0/style.css", "")), 405);
    }

    #[test]
    fn no_path_leads_out() {
        let app = app();
        let server = Server { app: &app, port: 80, token: "t0".into(), results: None };
        let status = |request: &Request| server.answer(request).status;
        let picture = "/t0/course/lab1-cuda-intro/pictures/sectors.svg";
        assert_eq!(status(&asked("GET", picture, "")), 200);
        for path in [
            "Cargo.toml",
            "../Cargo.toml",
            "js/../../Cargo.toml",
            "course/lab1-cuda-intro/pictures/../README.md",
            "course/lab1-cuda-intro/pictures/../../Cargo.svg",
            "course/lab1-cuda-intro/pictures/%2e%2e/x.svg",
            "course/lab1-cuda-intro/pictures/.svg",
            "course/../lab1-cuda-intro/pictures/sectors.svg",
            "course/lab1-cuda-intro/kernels/add.cu",
        ] {
            assert_eq!(status(&asked("GET", &format!("/t0/{path}"), "")), 404, "{path}");
        }
        // An absolute path would take the place of the folder.
        let absolute = app.place.root.join("lab1-cuda-intro/pictures/sectors.svg");
        let path = format!("/t0/course/lab1-cuda-intro/pictures/{}", absolute.display());
        assert_eq!(status(&asked("GET", &path, "")), 404, "{path}");
        for path in
            ["Cargo.toml", "../Cargo.toml", "src/lib.rs", "/etc/passwd", "checks/src/lib.rs"]
        {
            let body = json!({ "lab": "lab1", "path": path, "text": "" }).to_string();
            assert_eq!(status(&asked("POST", "/t0/save", &body)), 404, "{path}");
        }
        assert_eq!(status(&asked("POST", "/t0/save", "no JSON")), 404);
    }

    #[test]
    fn questions_are_the_workbench_s_and_the_folder_s() {
        let app = app();
        let server = Server { app: &app, port: 80, token: "t0".into(), results: None };
        let ask = |body: Value| -> Value {
            let answer = server.answer(&asked("POST", "/t0/ask", &body.to_string()));
            serde_json::from_slice(&answer.body).unwrap()
        };
        assert_eq!(ask(json!({ "op": "gpus" }))["default"], "h200");
        let files = ask(json!({ "op": "files", "lab": "lab1", "exercise": "1.1.1" }));
        assert!(files["kernels/e1_1_01.cu"].as_str().unwrap().contains("add_kernel"));
        let lab = server.answer(&asked("GET", "/t0/course/lab4.json", ""));
        assert!(String::from_utf8_lossy(&lab.body).contains("L4-"));
    }
}
