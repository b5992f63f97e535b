//! The page that `rtm demo` leaves beside its pictures: what was done, in numbers of its own.

use std::fmt::Write;
use std::path::Path;

use rtm::run::demo::Demo;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1b1f24; --page: #fff; --soft: #57606a; --line: #d8dee4 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --page: #0d1117; --soft: #a3adb8; --line: #30363d }
}
body { font: 17px/1.5 sans-serif; color: var(--ink); background: var(--page); max-width: 46rem;
  margin: 2rem auto; padding: 0 1rem }
img { max-width: 100%; height: auto; border: 1px solid var(--line) }
figure { margin: 1.5rem 0 } figcaption { color: var(--soft) }
table { border-collapse: collapse } td, th { padding: .2rem .8rem .2rem 0; text-align: left }
.scroll { overflow-x: auto }
:focus-visible { outline: 3px solid var(--soft); outline-offset: 2px }
pre { overflow-x: auto; border: 1px solid var(--line); padding: .6rem }
";

/// The page as HTML; its pictures are files in the same folder.
pub fn html(demo: &Demo, seconds: f64) -> String {
    let figure = |picture: &Path, says: &str| {
        let name = picture.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        let (name, says) = (escape(&name), escape(says));
        format!(
            "<figure><img src=\"{name}\" alt=\"{says}\"><figcaption>{says}</figcaption></figure>\n"
        )
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n\
         <title>A picture of the ground</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<style>{STYLE}</style></head>\n<body>\n\
         <main><h1>A picture of the ground</h1>\n\
         <p>A ground that only the computer knows, waves sent into it, what came back, and the \
         picture made of that alone: {} reflectors, {} shots, {seconds:.0} seconds of work on this \
         machine.</p>\n",
        demo.reflectors.len(),
        demo.shots
    );
    for (k, (picture, says)) in demo.pictures.iter().enumerate() {
        page += &figure(picture, &format!("{}. {says}", k + 1));
    }
    page += "<h2>Is it right?</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" \
             aria-label=\"reflectors\"><table><tr><th>reflector (m/s)</th><th>true depth</th>\
             <th>in the image</th><th>off by</th></tr>\n";
    for r in &demo.reflectors {
        let cells = (r.found_m - r.true_m).abs() / demo.dz_m;
        _ = writeln!(
            page,
            "<tr><td>{}</td><td>{:.1} m</td><td>{:.1} m</td><td>{cells:.2} cells</td></tr>",
            escape(&r.name),
            r.true_m,
            r.found_m
        );
    }
    let commands = demo.commands.iter().map(|c| escape(c)).collect::<Vec<_>>().join("\n");
    page + &format!(
        "</table></div>\n<h2>The same by hand</h2>\n<pre tabindex=\"0\">{commands}</pre>\n</main></body>\n</html>\n"
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
