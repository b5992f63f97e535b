//! The page that `rtm demo` leaves beside its pictures: what was done, in numbers of its own.

use std::fmt::Write;
use std::path::Path;

use rtm::run::demo::Demo;

use super::page::{escape, page};

/// The page as HTML; its pictures are files in the same folder.
pub fn html(demo: &Demo, seconds: f64) -> String {
    let figure = |picture: &Path, says: &str| {
        let name = picture.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        let (name, says) = (escape(&name), escape(says));
        format!(
            "<figure><img src=\"{name}\" alt=\"{says}\"><figcaption>{says}</figcaption></figure>\n"
        )
    };
    let mut body = format!(
        "<p>A ground that only the computer knows, waves sent into it, what came back, and the \
         picture made of that alone: {} reflectors, {} shots, {seconds:.0} seconds of work on this \
         machine.</p>\n",
        demo.reflectors.len(),
        demo.shots
    );
    body += "<div class=\"story\">\n";
    for (k, (picture, says)) in demo.pictures.iter().enumerate() {
        body += &figure(picture, &format!("{}. {says}", k + 1));
    }
    body += "</div>\n<h2>Is it right?</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" \
             aria-label=\"reflectors\"><table><tr><th>reflector (m/s)</th><th>true depth</th>\
             <th>in the image</th><th>off by</th></tr>\n";
    for r in &demo.reflectors {
        let cells = (r.found_m - r.true_m).abs() / demo.dz_m;
        _ = writeln!(
            body,
            "<tr><td>{}</td><td>{:.1} m</td><td>{:.1} m</td><td>{cells:.2} cells</td></tr>",
            escape(&r.name),
            r.true_m,
            r.found_m
        );
    }
    let commands = demo.commands.iter().map(|c| format!("<code>{}</code>", escape(c)));
    let commands: String = commands.collect();
    body += &format!("</table></div>\n<h2>The same by hand</h2>\n<pre>{commands}</pre>\n");
    page("A picture of the ground", &body)
}
