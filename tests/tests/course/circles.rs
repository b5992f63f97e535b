//! No two files of a crate refer to each other, directly or by way of others: each can be read and
//! changed with only those in mind that it names.
//!
//! Paths are read from the tokens of a file, so those in the arguments of macros count too. A
//! reference is to the file that defines the item, also if it is named through a re-export. Neither
//! `mod name;` nor `pub use` is a reference, nor is anything under `#[cfg(test)]`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

use crate::style::tracked;

#[derive(Default)]
struct Module {
    file: PathBuf,
    /// Names that are defined here.
    items: BTreeSet<String>,
    /// Names from `use`, with their paths; a glob has the name `*`.
    uses: Vec<(String, Vec<String>)>,
    /// Paths that may be references.
    mentions: BTreeSet<Vec<String>>,
}

/// The modules of a crate by their paths from the root.
#[derive(Default)]
struct Crate(BTreeMap<Vec<String>, Module>);

fn word(token: Option<&TokenTree>) -> String {
    match token {
        Some(TokenTree::Group(group)) => format!("{:?}", group.delimiter()),
        Some(token) => token.to_string(),
        None => String::new(),
    }
}

impl Crate {
    /// Reads a file; `folder` is where the files of its child modules lie.
    fn file(&mut self, path: Vec<String>, file: &Path, folder: &Path) {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let tokens: TokenStream =
            text.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.0.insert(path.clone(), Module { file: file.into(), ..Module::default() });
        self.module(&path, tokens, Some(folder));
    }

    /// Reads the tokens of a module, or with `folder` = `None` of something inside of an item.
    fn module(&mut self, path: &Vec<String>, tokens: TokenStream, folder: Option<&Path>) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let at = |i: usize| word(tokens.get(i));
        let (mut i, mut public, mut test) = (0, false, false);
        while i < tokens.len() {
            let (token, next) = (at(i), at(i + 1));
            let here = self.0.entry(path.clone()).or_default();
            match (token.as_str(), &tokens[i], folder) {
                ("#", ..) => {
                    test |= tokens.get(i + 1).is_some_and(|t| t.to_string() == "[cfg (test)]");
                    i += 1;
                }
                ("pub", ..) => {
                    public = true;
                    i += usize::from(next == "Parenthesis");
                }
                ("mod", _, Some(folder)) => {
                    let (child, inner) = (
                        [path.as_slice(), std::slice::from_ref(&next)].concat(),
                        folder.join(&next),
                    );
                    if test {
                    } else if let Some(TokenTree::Group(group)) = tokens.get(i + 2) {
                        let file = here.file.clone();
                        self.0.insert(child.clone(), Module { file, ..Module::default() });
                        self.module(&child, group.stream(), Some(&inner));
                    } else {
                        let (flat, deep) =
                            (folder.join(format!("{next}.rs")), inner.join("mod.rs"));
                        self.file(child, if flat.exists() { &flat } else { &deep }, &inner);
                    }
                    (i, public, test) = (i + 2, false, false);
                }
                ("use", ..) => {
                    let end = (i..tokens.len()).find(|i| at(*i) == ";").unwrap_or(tokens.len());
                    let mut found = Vec::new();
                    tree(&tokens[i + 1..end], &[], &mut found);
                    if !public && !test {
                        here.mentions.extend(found.iter().map(|(_, path)| path.clone()));
                    }
                    here.uses.extend(found);
                    (i, public, test) = (end, false, false);
                }
                (
                    "struct" | "enum" | "fn" | "trait" | "const" | "static" | "type" | "union",
                    ..,
                ) if folder.is_some() && !["fn", "unsafe", "extern"].contains(&next.as_str()) => {
                    here.items.insert(if next == "mut" { at(i + 2) } else { next });
                    (i, public, test) = (i + 1, false, false);
                }
                ("macro_rules", ..) => {
                    here.items.insert(at(i + 2));
                }
                (_, TokenTree::Group(group), _) => {
                    self.module(path, group.stream(), None);
                    test = false;
                }
                (_, TokenTree::Ident(_), _) if i == 0 || at(i - 1) != "." => {
                    let mut mention = vec![token];
                    while at(i + 1) == ":"
                        && at(i + 2) == ":"
                        && matches!(tokens.get(i + 3), Some(TokenTree::Ident(_)))
                    {
                        mention.push(at(i + 3));
                        i += 3;
                    }
                    here.mentions.insert(mention);
                }
                _ => {}
            }
            i += 1;
        }
    }

    /// The file that defines the item which `path` names in a module; `None` for a module, and for
    /// what is outside of the crate. An item that a macro defines is unknown: not if `strict`, it
    /// is taken to be in the file of the module before it.
    fn resolve(
        &self,
        module: &[String],
        path: &[String],
        strict: bool,
        depth: u8,
    ) -> Option<&Path> {
        let (first, rest) = path.split_first()?;
        let here = self.0.get(module)?;
        let child = [module, std::slice::from_ref(first)].concat();
        let next = match first.as_str() {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => module.split_last()?.1.to_vec(),
            _ if self.0.contains_key(&child) => child,
            name if here.items.contains(name) => {
                return (rest.is_empty() || !strict).then_some(&here.file);
            }
            _ if depth == 0 => return None,
            name => {
                return here.uses.iter().find_map(|(known, path)| match known == name {
                    true => self.resolve(module, &[path, rest].concat(), strict, depth - 1),
                    false if known != "*" => None,
                    false => {
                        let path = [path.as_slice(), std::slice::from_ref(first), rest].concat();
                        self.resolve(module, &path, true, depth - 1)
                    }
                });
            }
        };
        let found = self.resolve(&next, rest, strict, depth);
        let guess = || match rest {
            [last]
                if !strict && !self.0.contains_key(&[&next, rest].concat()) && last != "self" =>
            {
                let module = self.0.get(&next)?;
                // What is re-exported and was not found is outside of the crate.
                let named = module.uses.iter().any(|(known, _)| known == last);
                (!named).then_some(module.file.as_path())
            }
            _ => None,
        };
        found.or_else(guess)
    }

    /// Sets of files that can all be reached from one another.
    fn circles(&self) -> BTreeSet<BTreeSet<PathBuf>> {
        let mut edges: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
        for (path, module) in &self.0 {
            let files =
                module.mentions.iter().filter_map(|mention| self.resolve(path, mention, false, 8));
            edges.entry(&module.file).or_default().extend(files);
        }
        let reached = |from: &Path| {
            let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
            while let Some(file) = left.pop() {
                let more = edges.get(file).into_iter().flatten().filter(|to| seen.insert(**to));
                left.extend(more.collect::<Vec<_>>());
            }
            seen
        };
        let all: BTreeMap<&Path, BTreeSet<&Path>> =
            edges.keys().map(|f| (*f, reached(f))).collect();
        let circle = |(from, to): (&&Path, &BTreeSet<&Path>)| {
            to.iter().filter(|to| all[**to].contains(from)).map(|f| f.to_path_buf()).collect()
        };
        all.iter().map(circle).filter(|circle: &BTreeSet<PathBuf>| circle.len() > 1).collect()
    }
}

/// The names that a tree of `use` brings in, with their paths.
fn tree(tokens: &[TokenTree], before: &[String], found: &mut Vec<(String, Vec<String>)>) {
    let mut path = before.to_vec();
    let mut name = None;
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                inner.split(|t| t.to_string() == ",").for_each(|part| tree(part, &path, found));
                return;
            }
            TokenTree::Ident(ident) if ident == "as" => {
                name = Some(word(tokens.get(i + 1)));
                break;
            }
            TokenTree::Ident(ident) if ident == "self" && !path.is_empty() => {}
            TokenTree::Ident(ident) => path.push(ident.to_string()),
            TokenTree::Punct(punct) if punct.as_char() == '*' => name = Some("*".into()),
            _ => {}
        }
    }
    if let Some(last) = path.last() {
        found.push((name.unwrap_or_else(|| last.clone()), path.clone()));
    }
}

/// The circles of a crate, as files relative to its folder.
fn circles_of(root: &Path) -> Vec<String> {
    let folder = root.parent().expect("a file is in a folder");
    let mut found = Crate::default();
    found.file(Vec::new(), root, folder);
    let name = |file: &PathBuf| file.strip_prefix(folder).unwrap_or(file).display().to_string();
    found.circles().iter().map(|c| c.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn no_files_refer_to_each_other() {
    let mut found = Vec::new();
    for file in tracked(&["*src/lib.rs", "*src/main.rs"]) {
        let circles = circles_of(&course_tests::place().root.join(&file));
        found.extend(circles.into_iter().map(|circle| format!("{file}: {circle}")));
    }
    let advice = "circles: move what the files share to a file of its own";
    assert!(found.is_empty(), "{advice}\n{}", found.join("\n"));
}

#[test]
fn a_planted_circle_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect(name);
    write("lib.rs", "mod a; mod b; mod c; pub use a::A; #[cfg(test)] mod tests { use super::c; }");
    write("a.rs", "use crate::b::B as Other; pub struct A(Other);");
    write("b.rs", "pub struct B; fn f() { g!(crate::c::make::<u8>()) }");
    write("c.rs", "pub fn make<T>() {} #[cfg(test)] mod tests { use super::super::A; }");
    assert_eq!(circles_of(&folder.path().join("lib.rs")), [""; 0]);
    write("c.rs", "use super::*; pub fn make<T>() -> A {}");
    assert_eq!(circles_of(&folder.path().join("lib.rs")), ["a.rs b.rs c.rs"]);
}
