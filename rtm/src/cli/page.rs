//! What the program's pages have in common: their look, and text that is safe in HTML.

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1b1f24; --page: #fff; --soft: #57606a; --line: #d8dee4 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --page: #0d1117; --soft: #a3adb8; --line: #30363d }
}
body { font: 17px/1.5 sans-serif; color: var(--ink); background: var(--page); max-width: 46rem;
  margin: 2rem auto; padding: 0 1rem }
img, svg { max-width: 100%; height: auto } img { border: 1px solid var(--line) }
figure { margin: 1.5rem 0 } figcaption { color: var(--soft) }
table { border-collapse: collapse } td, th { padding: .2rem .8rem .2rem 0; text-align: left }
@media (min-width: 70rem) {
  .story { display: grid; grid-template-columns: 1fr 1fr; column-gap: 2rem; width: min(94vw, 76rem);
    margin-left: calc((100% - min(94vw, 76rem)) / 2) }
}
.scroll { overflow-x: auto }
:focus-visible { outline: 3px solid var(--soft); outline-offset: 2px }
pre { overflow-x: auto; border: 1px solid var(--line); padding: .6rem }
pre code { display: block; white-space: pre-wrap; overflow-wrap: anywhere; padding-left: 2rem;
  text-indent: -2rem }
";

/// A page of this title, which is also its heading.
pub fn page(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n\
         <title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <style>{STYLE}</style></head>\n<body>\n\
         <main><h1>{title}</h1>\n{body}</main></body>\n</html>\n"
    )
}

/// A picture, inside of the page, and its caption.
pub fn figure(svg: &str, says: &str) -> String {
    let svg = svg.split_once("<svg").map_or(String::new(), |(_, rest)| format!("<svg{rest}"));
    format!("<figure>{svg}<figcaption>{}</figcaption></figure>\n", escape(says))
}

/// Text as HTML shows it.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
