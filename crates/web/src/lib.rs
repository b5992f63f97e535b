//! The pages of the course in a browser: HTML, one style sheet, scripts as plain ES modules. They
//! are in the binary, so that `cargo lab serve` and `cargo lab site` need no other file.
//!
//! A page asks its questions by `js/engine.js`: of a worker with the engine as WebAssembly, or of
//! the server that has sent it. The protocol is that of the crate `workbench`.
#![forbid(unsafe_code)]

/// One page: its file, what the navigation and the title call it, its content, its script.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// File name.
    pub file: &'static str,
    /// Name in the navigation.
    pub name: &'static str,
    body: &'static str,
    script: Option<&'static str>,
    home: Home,
}

/// Where a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// In a site and behind `cargo lab serve`.
    Both,
    /// In a site: its engine is too large to be built before the first `cargo lab`.
    Site,
    /// Behind `cargo lab serve --results`.
    Class,
}

/// The pages in the order of the navigation.
pub const PAGES: [Page; 7] = [
    Page {
        file: "index.html",
        name: "Start",
        body: include_str!("../pages/index.html"),
        script: None,
        home: Home::Both,
    },
    Page {
        file: "playground.html",
        name: "Playground",
        body: include_str!("../pages/playground.html"),
        script: Some("playground.js"),
        home: Home::Both,
    },
    Page {
        file: "exercises.html",
        name: "Exercises",
        body: include_str!("../pages/exercises.html"),
        script: Some("exercises.js"),
        home: Home::Both,
    },
    Page {
        file: "hardware.html",
        name: "Hardware",
        body: include_str!("../pages/hardware.html"),
        script: Some("hardware.js"),
        home: Home::Both,
    },
    Page {
        file: "seismics.html",
        name: "Seismics",
        body: include_str!("../pages/seismics.html"),
        script: Some("seismics.js"),
        home: Home::Site,
    },
    Page {
        file: "bench.html",
        name: "Speed",
        body: include_str!("../pages/bench.html"),
        script: Some("bench.js"),
        home: Home::Both,
    },
    Page {
        file: "class.html",
        name: "Class",
        body: include_str!("../pages/class.html"),
        script: Some("class.js"),
        home: Home::Class,
    },
];

macro_rules! scripts {
    ($($name:literal)*) => {
        &[$((concat!("js/", $name), include_str!(concat!("../pages/js/", $name)))),*]
    };
}

/// Style sheet and scripts: path and text.
pub const ASSETS: &[(&str, &str)] = &[("style.css", include_str!("../pages/style.css"))];

/// The scripts: path and text.
pub const SCRIPTS: &[(&str, &str)] = scripts![
    "bench.js" "class.js" "dom.js" "editor.js" "engine.js" "examples.js"
    "exercises.js" "folder.js" "hardware.js" "highlight.js" "link.js" "markdown.js"
    "playground.js" "results.js" "seismics.js" "store.js" "warp.js" "waves.js" "work.js"
    "worker.js" "zip.js"
];

/// What a page may load and do: only what lies beside it; WebAssembly, but no text as code.
pub const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; \
    base-uri 'none'; form-action 'none'";

/// What surrounds the pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    /// Where the server takes questions, such as `/TOKEN/`; none for a static site.
    pub server: Option<&'a str>,
    /// There is a handbook in `handbook/`.
    pub handbook: bool,
    /// The server has a class's results.
    pub class: bool,
}

impl Frame<'_> {
    /// The pages that there are in it.
    pub fn pages(&self) -> impl Iterator<Item = &'static Page> {
        PAGES.iter().filter(|page| match page.home {
            Home::Both => true,
            Home::Site => self.server.is_none(),
            Home::Class => self.class,
        })
    }
}

impl Page {
    /// The whole page.
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let mut links = String::new();
        for page in frame.pages() {
            let current = if page.file == self.file { " aria-current=\"page\"" } else { "" };
            links += &format!("<a href=\"{}\"{current}>{}</a>", page.file, page.name);
        }
        if frame.handbook {
            links += "<a href=\"handbook/index.html\">Handbook</a>";
        }
        let card = match frame.handbook {
            true => {
                "<a class=\"card\" href=\"handbook/index.html\"><h2>Handbook</h2>\
                 <p>All handouts and documents as one book with a search, verdicts and \
                 hints.</p></a>"
            }
            false => "",
        };
        let body = self.body.replace("<!-- handbook -->", card);
        let waves = match frame.server {
            None => {
                "<a class=\"card\" href=\"seismics.html\"><h2>Seismics</h2><p>A shot in a layered \
                 model: the wave, what receivers record, and the image while it is summed.</p></a>"
            }
            Some(_) => "",
        };
        let body = body.replace("<!-- seismics -->", waves);
        let server = frame
            .server
            .map_or(String::new(), |root| format!("<meta name=\"engine\" content=\"{root}\">\n"));
        // All modules at once: a browser would learn of each only from the one that imports it.
        let script = self.script.map_or(String::new(), |name| {
            let preloads = imported(name)
                .into_iter()
                .map(|module| format!("<link rel=\"modulepreload\" href=\"js/{module}\">\n"));
            preloads.collect::<String>()
                + &format!("<script type=\"module\" src=\"js/{name}\"></script>\n")
        });
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n{server}\
             <title>{} - parallel numerical methods</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <link rel=\"stylesheet\" href=\"style.css\">\n{script}</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">To the content</a>\n\
             <header class=\"top\">\
             <a class=\"name\" href=\"index.html\">Parallel numerical methods</a>\
             <nav aria-label=\"Pages\">{links}</nav></header>\n\
             <main id=\"main\">\n{}</main>\n</body>\n</html>\n",
            self.name, body
        )
    }
}

/// The modules that a script imports, and those that they import, each once.
fn imported(script: &str) -> Vec<&'static str> {
    let text = |name: &str| SCRIPTS.iter().find(|(path, _)| path.ends_with(&format!("/{name}")));
    let mut all: Vec<&str> = Vec::new();
    let mut next = vec![script];
    while let Some((_, text)) = next.pop().and_then(text) {
        for line in text.lines().filter(|l| l.contains(" from \"./")) {
            let name = line.split("\"./").nth(1).and_then(|l| l.split('"').next());
            if let Some(name) = name.filter(|name| !all.contains(name)) {
                all.push(name);
                next.push(name);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content policy would refuse them, and the reader would see nothing.
    #[test]
    fn no_page_has_script_or_style_in_line_and_none_names_another_host() {
        for page in &PAGES {
            let html = page.html(&Frame { server: Some("/x/"), handbook: true, class: true });
            for bad in ["style=\"", "onclick", "javascript:", "http://", "https://", "<style"] {
                assert!(!html.contains(bad), "{}: {bad}", page.file);
            }
        }
        for (name, text) in SCRIPTS.iter().chain(ASSETS) {
            // The name of what is drawn, and no address that anything loads.
            let text = text.replace("http://www.w3.org/2000/svg", "");
            for bad in ["http://", "https://", "innerHTML", "eval("] {
                assert!(!text.contains(bad), "{name}: {bad}");
            }
        }
    }

    /// A module that is imported but not shipped breaks a page without a word.
    #[test]
    fn every_imported_module_is_shipped() {
        for (path, _) in SCRIPTS {
            for wanted in imported(path.trim_start_matches("js/")) {
                let there = SCRIPTS.iter().any(|(path, _)| *path == format!("js/{wanted}"));
                assert!(there, "{path} imports {wanted}");
            }
        }
        assert!(imported("exercises.js").contains(&"store.js"), "also through work.js");
    }
}
