//! `#include`: which file or header of our own is meant, and what is done with it.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use memchr::memmem;

use super::known::{KNOWN_HEADERS, ON_DEMAND, OPENCL_ON_DEMAND, OWN_HEADERS, of_host_library};
use super::{MAX_DEPTH, MAX_FILE, Macro, Pp};
use crate::diag::Diagnostic;
use crate::language::Language;
use crate::lex::{Tok, Token};
use crate::source::Span;

/// Number of files of one compilation.
const MAX_FILES: usize = 2_000;

impl Pp<'_> {
    pub(super) fn include(
        &mut self,
        rest: &[Token],
        whole: Span,
        depth: usize,
        dir: Option<&Path>,
    ) {
        if depth >= MAX_DEPTH {
            return self.error(whole, format!("includes are nested more than {MAX_DEPTH} deep"));
        }
        let expanded;
        let mut rest = rest;
        if !rest.first().is_some_and(|t| t.is("<") || matches!(t.kind, Tok::Str(_))) {
            expanded = self.expand(rest.to_vec(), 0);
            rest = &expanded;
        }
        match rest.first().map(|t| t.kind.clone()) {
            Some(Tok::Str(raw)) => {
                let name = raw.trim_matches('"').to_string();
                self.include_named(&name, rest[0].span, depth, dir, true);
            }
            Some(Tok::Punct("<")) => {
                let end = rest.iter().position(|t| t.is(">"));
                let Some(end) = end else {
                    return self.error(whole, "`>` is missing after the name of the header");
                };
                let name: String = rest[1..end].iter().map(Token::text).collect();
                self.include_named(&name, rest[0].span.to(rest[end].span), depth, dir, false);
            }
            _ => self.error(whole, "`\"name\"` or `<name>` is expected after `#include`"),
        }
    }

    fn include_named(
        &mut self,
        name: &str,
        at: Span,
        depth: usize,
        dir: Option<&Path>,
        quoted: bool,
    ) {
        let path = Path::new(name);
        if name.is_empty()
            || path.is_absolute()
            || path.components().any(|c| matches!(c, Component::Prefix(_)))
        {
            self.diags.push(
                Diagnostic::error(
                    at,
                    format!("`{name}` cannot be included: only relative paths are allowed"),
                )
                .help("put the file beside the kernel and include it by its name"),
            );
            return;
        }
        let opencl = self.options.language == Language::OpenClC;
        let known = || KNOWN_HEADERS.iter().copied().chain(OWN_HEADERS.iter().map(|h| h.0));
        if let Some(own) = OWN_HEADERS.iter().find(|(n, _)| *n == name && !opencl) {
            self.own_header(*own, depth + 1);
            return;
        }
        match self.find(path, dir, quoted) {
            Ok(Some((shown, full, root))) => {
                if self.once.contains(&shown) {
                    return;
                }
                let loaded = self.loaded.get(&shown).copied();
                let (file, text) = match loaded {
                    Some(file) => (file, self.sources.file(file).text.clone()),
                    None => {
                        if self.sources.files().len() >= MAX_FILES {
                            return self.error(at, format!("more than {MAX_FILES} files"));
                        }
                        let text = match self.options.files.read(&full, MAX_FILE) {
                            Ok(text) => text,
                            Err(why) => return self.error(at, format!("`{name}` {why}")),
                        };
                        let file = self.sources.add(shown.clone(), text.as_str());
                        self.loaded.insert(shown, file);
                        (file, text.into())
                    }
                };
                self.needed(&text, depth);
                let folder = full.parent().map(Path::to_path_buf).unwrap_or(root);
                self.budget = self.budget.saturating_sub(text.len() / 4 + 1);
                if self.budget == 0 {
                    return self.too_much(at);
                }
                self.file(file, &text, depth + 1, Some(&folder));
            }
            Ok(None) if KNOWN_HEADERS.contains(&name) && !opencl => {}
            Ok(None) if name.starts_with("cub/") && !opencl => self.needed("cub/", depth),
            Ok(None) if name.starts_with("cuda/std/") && !opencl => {
                self.needed("cuda::std", depth);
            }
            // Mostly for the host. What the device lacks of it, sema says.
            Ok(None) if (!quoted || of_host_library(name)) && !opencl => {
                let text = format!("the header `{name}` is not known here and not read");
                let mut d = Diagnostic::warning(at, text);
                if let Some(near) = crate::suggest::nearest(name, known()) {
                    d = d.help(format!("did you mean `{near}`?"));
                }
                self.diags.push(d);
                self.skipped.push(name.to_owned());
            }
            Ok(None) => {
                let mut d = Diagnostic::error(at, format!("the header `{name}` was not found"));
                d = match crate::suggest::nearest(name, known()) {
                    Some(near) => d.help(format!("did you mean `{near}`?")),
                    None if opencl => {
                        d.help("OpenCL C has no headers of its own: its functions are always there")
                    }
                    None => d.help("it must lie beside the kernel file or in an include folder"),
                };
                self.diags.push(d);
            }
            Err(text) => self.error(at, text),
        }
    }

    /// Includes the headers of ours that a source needs without asking for them.
    pub(super) fn needed(&mut self, text: &str, depth: usize) {
        // The standard library's search would be compiled here, without an optimiser.
        let has = |word: &&str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
        if self.options.language == Language::OpenClC {
            for (header, words) in OPENCL_ON_DEMAND {
                if words.iter().any(has) {
                    self.own_header(*header, depth + 1);
                }
            }
            return;
        }
        for (name, words) in ON_DEMAND {
            if words.iter().any(has)
                && let Some(own) = OWN_HEADERS.iter().find(|(n, _)| n == name)
            {
                self.own_header(*own, depth + 1);
            }
        }
    }

    /// Includes a header of ours, once.
    pub(super) fn own_header(&mut self, (name, text): (&str, &'static str), depth: usize) {
        let shown = format!("<{name}>");
        if self.once.insert(shown.clone()) {
            let file = self.sources.add(shown, text);
            self.own.insert(file);
            // No macro of the program means anything in it.
            let built_in = |m: &Macro| m.built_in;
            let (own, theirs): (HashMap<_, _>, _) =
                std::mem::take(&mut self.macros).into_iter().partition(|(_, m)| built_in(m));
            self.macros = own;
            self.file(file, text, depth, None);
            self.macros.extend(theirs);
        }
    }

    /// Looks for `path` beside the including file and in the include folders. Nothing outside the
    /// include folders is ever opened, whatever `..` or links say.
    #[allow(clippy::type_complexity)]
    fn find(
        &self,
        path: &Path,
        dir: Option<&Path>,
        quoted: bool,
    ) -> Result<Option<(String, PathBuf, PathBuf)>, String> {
        let roots: Vec<(&PathBuf, PathBuf)> = self
            .options
            .include_dirs
            .iter()
            .filter_map(|d| Some((d, self.options.files.real(d)?)))
            .collect();
        let mut tries: Vec<PathBuf> = dir.map(|d| d.join(path)).into_iter().collect();
        tries.extend(roots.iter().map(|(_, real)| real.join(path)));
        let mut outside = false;
        for full in tries {
            let Some(full) = self.options.files.real(&full) else { continue };
            // A folder of that name is not what `<iterator>` means.
            if !quoted && !self.options.files.is_file(&full) {
                continue;
            }
            for (given, real) in &roots {
                if let Ok(inner) = full.strip_prefix(real) {
                    let shown = self.options.files.shown(given, inner);
                    return Ok(Some((shown.display().to_string(), full, real.clone())));
                }
            }
            outside = true;
        }
        let escapes = path.components().any(|c| c == Component::ParentDir);
        if outside || (escapes && !roots.is_empty()) {
            return Err(format!(
                "`{}` lies outside the include folders and is not read",
                path.display()
            ));
        }
        Ok(None)
    }

    /// `__has_include("x.h")` or `<x.h>`.
    pub(super) fn has_header(&self, asked: &str) -> bool {
        let name = asked.trim_matches(|c| matches!(c, '"' | '<' | '>'));
        let known = KNOWN_HEADERS.contains(&name) || OWN_HEADERS.iter().any(|h| h.0 == name);
        known && self.options.language != Language::OpenClC
            || matches!(self.find(Path::new(name), None, false), Ok(Some(_)))
    }
}
