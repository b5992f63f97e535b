//! The preprocessor: macros, conditions, includes.
//!
//! Macros are expanded as the standard says (arguments first, then rescanned with the macro's own
//! name switched off). Tokens of a macro's body get the span of its use; arguments keep their own.
//! All work is charged to a budget, so that a macro bomb ends with a message.

mod condition;
mod expand;
mod include;
mod known;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use crate::diag::Diagnostic;
use crate::language::{CompileOptions, Language, OpenClVersion};
use crate::lex::{Tok, Token, lex, spell_operators};
use crate::source::{FileId, SourceMap, Span};

use condition::Eval;
pub(crate) use condition::integer;
use known::{
    CUDA, INTEGER_SUFFIXES, LIMITS, MATH, OLD_WARP, OPENCL, OPENCL_2, OPENCL_3, OPENCL_HEADER,
};

/// Tokens that all expansions of a compilation may touch.
const BUDGET: usize = 4_000_000;
/// Nesting of includes, and of macro arguments.
const MAX_DEPTH: usize = 64;
/// Longest token in bytes that `##` may make: pasting a token to itself again and again doubles it.
const MAX_PASTED: usize = 4096;
/// Bytes of one included file.
const MAX_FILE: u64 = 16 << 20;

/// What a condition can ask of the compiler itself.
const ASKS: [&str; 6] = [
    "__has_include",
    "__has_attribute",
    "__has_cpp_attribute",
    "__has_builtin",
    "__has_feature",
    "__has_extension",
];

struct Macro {
    /// `None` for object-like macros.
    params: Option<Vec<Rc<str>>>,
    variadic: bool,
    body: Vec<Token>,
    built_in: bool,
}

/// Result of preprocessing.
pub(crate) struct Preprocessed {
    /// All tokens, the last one is the end.
    pub tokens: Vec<Token>,
    /// All files read.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diags: Vec<Diagnostic>,
    /// Files from [`known::OWN_HEADERS`]: nothing in them is compiled unless it is used.
    pub own: HashSet<FileId>,
    /// Headers that were asked for and are not known.
    pub skipped: Vec<String>,
}

/// Preprocesses `text`.
pub(crate) fn run(text: &str, options: &CompileOptions) -> Preprocessed {
    let mut pp = Pp {
        options,
        sources: SourceMap::default(),
        macros: HashMap::new(),
        longest: 0,
        out: Vec::new(),
        diags: Vec::new(),
        budget: BUDGET,
        said_too_much: false,
        once: HashSet::new(),
        own: HashSet::new(),
        loaded: HashMap::new(),
        skipped: Vec::new(),
    };
    if text.len() as u64 > MAX_FILE {
        let file = pp.sources.add(options.file.clone(), "");
        let span = Span { file, lo: 0, hi: 0 };
        pp.diags.push(Diagnostic::error(
            span,
            format!("the source has {} bytes, more than {MAX_FILE}", text.len()),
        ));
        pp.out.push(Token { kind: Tok::Eof, span, space: false, first: true, painted: false });
        return Preprocessed {
            tokens: pp.out,
            sources: pp.sources,
            diags: pp.diags,
            own: pp.own,
            skipped: pp.skipped,
        };
    }
    let file = pp.sources.add(options.file.clone(), text);
    pp.predefine(file);
    let dir = None;
    pp.needed(text, 0);
    pp.file(file, text, 0, dir);
    let end = text.len() as u32;
    let span = Span { file, lo: end, hi: end };
    pp.out.push(Token { kind: Tok::Eof, span, space: true, first: true, painted: false });
    Preprocessed {
        tokens: pp.out,
        sources: pp.sources,
        diags: pp.diags,
        own: pp.own,
        skipped: pp.skipped,
    }
}

/// Commands that change no macro.
const CONDITIONS: [&str; 6] = ["if", "ifdef", "ifndef", "elif", "else", "endif"];

struct Pp<'a> {
    options: &'a CompileOptions,
    sources: SourceMap,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    /// Bytes of the longest name of a macro: a longer word, such as `##` makes without end, is not
    /// looked up.
    longest: usize,
    out: Vec<Token>,
    diags: Vec<Diagnostic>,
    budget: usize,
    said_too_much: bool,
    once: HashSet<String>,
    own: HashSet<FileId>,
    loaded: HashMap<String, FileId>,
    skipped: Vec<String>,
}

/// One `#if` that is open.
struct If {
    /// This branch is taken.
    live: bool,
    /// Some branch has been taken.
    done: bool,
    /// The surroundings are taken.
    outer: bool,
    has_else: bool,
    at: Span,
}

impl Pp<'_> {
    fn error(&mut self, span: Span, text: impl Into<String>) {
        if self.diags.len() < 40 {
            self.diags.push(Diagnostic::error(span, text));
        }
    }

    fn predefine(&mut self, file: FileId) {
        let here = Span { file, lo: 0, hi: 0 };
        let mut scratch = Vec::new();
        let mut constants = |pp: &mut Self, text: &str| {
            for line in text.lines() {
                let (name, value) = line.split_once(' ').unwrap_or((line, ""));
                pp.define_text(name, value, here, &mut scratch, true);
            }
        };
        for text in [CUDA, LIMITS, MATH] {
            constants(self, text);
        }
        if self.options.language == Language::OpenClC {
            // Our own functions are written in CUDA C.
            self.own_header(OPENCL_HEADER, 0);
            self.macros.clear();
            for text in [LIMITS, MATH, OPENCL] {
                constants(self, text);
            }
            let version = self.options.opencl;
            for name in ["__OPENCL_VERSION__", "__OPENCL_C_VERSION__"] {
                constants(self, &format!("{name} {}", version.number()));
            }
            for (since, text) in [(OpenClVersion::V20, OPENCL_2), (OpenClVersion::V30, OPENCL_3)] {
                if version >= since {
                    constants(self, text);
                }
            }
            for line in MATH.lines() {
                let (name, value) = line.split_once(' ').unwrap_or((line, ""));
                constants(self, &format!("{name}_F {value}f"));
            }
        }
        let itself = [("ATOMIC_VAR_INIT", "")].into_iter();
        let itself = itself.filter(|_| self.options.opencl >= OpenClVersion::V20);
        for (name, suffix) in INTEGER_SUFFIXES.iter().copied().chain(itself) {
            let mut body = match suffix {
                "" => lex("c", file, &mut scratch),
                _ => lex(&format!("c##{suffix}"), file, &mut scratch),
            };
            body.pop();
            body.iter_mut().for_each(|t| t.span = here);
            let params = Some(vec!["c".into()]);
            let m = Macro { params, variadic: false, body, built_in: true };
            self.keep(name.into(), m);
        }
        for d in &self.options.defines {
            let (name, value) = d.split_once('=').unwrap_or((d, "1"));
            if name.ends_with(')') {
                // `-D SQUARE(x)=(x)*(x)`: a macro with arguments.
                let mut line = lex(&format!("{name} {value}"), file, &mut scratch);
                line.pop();
                line.iter_mut().for_each(|t| t.span = here);
                self.define(&line, here);
                continue;
            }
            let valid = name
                .chars()
                .enumerate()
                .all(|(i, c)| c == '_' || c.is_ascii_alphabetic() || (i > 0 && c.is_ascii_digit()));
            if name.is_empty() || !valid {
                self.diags.push(
                    Diagnostic::error(here, format!("the option -D{d} does not define a name"))
                        .help("write -DNAME or -DNAME=VALUE"),
                );
                continue;
            }
            self.define_text(name, value, here, &mut scratch, false);
        }
        let arch = self.options.defines.iter().find_map(|d| d.strip_prefix("__CUDA_ARCH__="));
        if arch.and_then(|n| n.parse::<u32>().ok()).is_some_and(|n| n < 700) {
            self.own_header(OLD_WARP, 0);
        }
        self.diags.append(&mut scratch);
    }

    fn define_text(
        &mut self,
        name: &str,
        value: &str,
        at: Span,
        diags: &mut Vec<Diagnostic>,
        built_in: bool,
    ) {
        let mut body = lex(value, at.file, diags);
        body.pop();
        for t in &mut body {
            t.span = at;
        }
        self.keep(name.into(), Macro { params: None, variadic: false, body, built_in });
    }

    /// Scans one file. `dir` is the folder it was found in.
    fn file(&mut self, file: FileId, text: &str, depth: usize, dir: Option<&Path>) {
        let tokens = lex(text, file, &mut self.diags);
        let mut ifs: Vec<If> = Vec::new();
        let mut i = 0;
        let mut run: Vec<Token> = Vec::new();
        while tokens[i].kind != Tok::Eof {
            let t = &tokens[i];
            if t.first && t.is("#") {
                // Conditions may stand between the arguments of a macro.
                let word = tokens.get(i + 1).map(|t| t.text()).unwrap_or_default();
                let live = ifs.last().is_none_or(|f| f.live);
                if live && !CONDITIONS.contains(&&*word) {
                    self.flush(&mut run);
                }
                let mut end = i + 1;
                while !tokens[end].first && tokens[end].kind != Tok::Eof {
                    end += 1;
                }
                self.directive(&tokens[i..end], &mut ifs, depth, dir);
                i = end;
            } else {
                if ifs.last().is_none_or(|f| f.live) {
                    run.push(t.clone());
                }
                i += 1;
            }
            if self.budget == 0 {
                break;
            }
        }
        self.flush(&mut run);
        if let Some(open) = ifs.last() {
            self.diags.push(Diagnostic::error(open.at, "this condition has no `#endif`"));
        }
    }

    fn flush(&mut self, run: &mut Vec<Token>) {
        if !run.is_empty() {
            let tokens = self.expand(std::mem::take(run), 0);
            self.out.extend(tokens);
        }
    }

    fn directive(&mut self, line: &[Token], ifs: &mut Vec<If>, depth: usize, dir: Option<&Path>) {
        let hash = line[0].span;
        let Some(word) = line.get(1) else { return };
        let Tok::Ident(name) = &word.kind else {
            if ifs.last().is_none_or(|f| f.live) {
                match word.kind {
                    // As preprocessors write it: `# 12 "file"`.
                    Tok::Number(_) => self.renumber(&line[1..], hash),
                    _ => self.error(word.span, "a preprocessor command is expected after `#`"),
                }
            }
            return;
        };
        let whole = hash.to(line[line.len() - 1].span);
        let rest = &line[2..];
        let live = ifs.last().is_none_or(|f| f.live);
        match &**name {
            "if" => {
                let value = live && self.condition(rest, whole);
                ifs.push(If { live: value, done: value, outer: live, has_else: false, at: whole });
            }
            "ifdef" | "ifndef" => {
                let mut value = false;
                if live {
                    match rest.first().map(|t| &t.kind) {
                        Some(Tok::Ident(m)) => value = self.is_defined(m) == (**name == *"ifdef"),
                        _ => self.error(whole, format!("a name is expected after `#{name}`")),
                    }
                }
                ifs.push(If { live: value, done: value, outer: live, has_else: false, at: whole });
            }
            "elif" => {
                let Some(open) = ifs.last() else {
                    return self.error(whole, "`#elif` without `#if`");
                };
                if open.has_else {
                    self.error(whole, "`#elif` after `#else`");
                }
                let try_it = open.outer && !open.done;
                let value = try_it && self.condition(rest, whole);
                if let Some(open) = ifs.last_mut() {
                    open.live = value;
                    open.done |= value;
                }
            }
            "else" => match ifs.last_mut() {
                None => self.error(whole, "`#else` without `#if`"),
                Some(open) => {
                    let twice = open.has_else;
                    open.live = open.outer && !open.done;
                    open.done = true;
                    open.has_else = true;
                    if twice {
                        self.error(whole, "a second `#else`");
                    }
                }
            },
            "endif" => {
                if ifs.pop().is_none() {
                    self.error(whole, "`#endif` without `#if`");
                }
            }
            _ if !live => {}
            "define" => self.define(rest, whole),
            "undef" => match rest.first().map(|t| &t.kind) {
                Some(Tok::Ident(m)) => {
                    self.macros.remove(m);
                }
                _ => self.error(whole, "a name is expected after `#undef`"),
            },
            "include" => self.include(rest, whole, depth, dir),
            "pragma" => self.pragma(rest, whole),
            "error" => {
                let text = source_text(&self.sources, rest);
                self.error(whole, format!("#error {text}"));
            }
            "warning" => {
                let text = source_text(&self.sources, rest);
                self.diags.push(Diagnostic::warning(whole, format!("#warning {text}")));
            }
            "line" => self.renumber(rest, hash),
            "ident" => {}
            other => {
                let known = [
                    "if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef", "include",
                    "pragma", "error", "line",
                ];
                let mut d = Diagnostic::error(
                    word.span,
                    format!("unknown preprocessor command `#{other}`"),
                );
                if let Some(near) = crate::suggest::nearest(other, known.iter().copied()) {
                    d = d.help(format!("did you mean `#{near}`?"));
                }
                self.diags.push(d);
            }
        }
    }

    /// `#line 12 "file"`; macros in it are expanded.
    fn renumber(&mut self, rest: &[Token], hash: Span) {
        let rest = self.expand(rest.to_vec(), 0);
        let number = rest.first().and_then(|t| match &t.kind {
            Tok::Number(n) if n.bytes().all(|b| b.is_ascii_digit()) => n.parse::<u32>().ok(),
            _ => None,
        });
        let Some(number) = number.filter(|n| *n <= i32::MAX as u32) else {
            let text = "`#line` needs a line number from 1 to 2147483647, then maybe a file's name \
                        in quotes";
            return self.error(rest.first().map_or(hash, |t| t.span), text);
        };
        let name = match rest.get(1) {
            None => None,
            Some(Token { kind: Tok::Str(raw), .. })
                if raw.starts_with('"') && raw.len() <= MAX_PASTED =>
            {
                Some(raw.trim_matches('"').replace("\\\\", "/"))
            }
            Some(other) => {
                let text = "a file's name in quotes is expected after the line's number";
                return self.error(other.span, text);
            }
        };
        self.sources.renumber(hash, number, name);
    }

    fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name)
            || matches!(name, "__LINE__" | "__FILE__")
            || ASKS.contains(&name)
    }

    fn define(&mut self, rest: &[Token], whole: Span) {
        let Some(Token { kind: Tok::Ident(name), .. }) = rest.first() else {
            return self.error(whole, "a name is expected after `#define`");
        };
        if **name == *"defined" {
            return self.error(whole, "`defined` cannot be a macro");
        }
        let mut body = &rest[1..];
        let mut params = None;
        let mut variadic = false;
        if body.first().is_some_and(|t| t.is("(") && !t.space) {
            let mut list: Vec<Rc<str>> = Vec::new();
            let mut i = 1;
            loop {
                match body.get(i).map(|t| &t.kind) {
                    Some(Tok::Punct(")")) if list.is_empty() => break,
                    Some(Tok::Ident(p)) => {
                        if list.contains(p) {
                            return self.error(
                                body[i].span,
                                format!("the macro parameter `{p}` occurs twice"),
                            );
                        }
                        list.push(p.clone());
                        i += 1;
                        if body.get(i).is_some_and(|t| t.is("...")) {
                            variadic = true;
                            i += 1;
                        }
                    }
                    Some(Tok::Punct("...")) => {
                        variadic = true;
                        list.push("__VA_ARGS__".into());
                        i += 1;
                    }
                    _ => {
                        return self
                            .error(whole, "the parameter list of this macro is not well formed");
                    }
                }
                match body.get(i).map(|t| &t.kind) {
                    Some(Tok::Punct(")")) => break,
                    Some(Tok::Punct(",")) if !variadic => i += 1,
                    _ => {
                        return self.error(
                            whole,
                            "`,` or `)` is expected in the parameter list of this macro",
                        );
                    }
                }
            }
            body = &body[i + 1..];
            params = Some(list);
        }
        if body.first().is_some_and(|t| t.is("##")) || body.last().is_some_and(|t| t.is("##")) {
            return self.error(whole, "`##` needs a token on both sides");
        }
        let new = Macro { params, variadic, body: body.to_vec(), built_in: false };
        if let Some(old) = self.macros.get(name) {
            let same = old.params == new.params
                && old.body.len() == new.body.len()
                && old.body.iter().zip(&new.body).all(|(a, b)| a.kind == b.kind);
            if !same && !old.built_in {
                let at = old.body.first().map(|t| t.span);
                let mut d = Diagnostic::warning(
                    rest[0].span,
                    format!("the macro `{name}` is defined again with another text"),
                )
                .help(format!("remove one of the definitions, or write `#undef {name}` first"));
                if let Some(at) = at.filter(|s| s.hi > s.lo) {
                    d = d.related(at, "first defined here");
                    self.diags.push(d);
                }
            }
        }
        self.keep(name.clone(), new);
    }

    fn pragma(&mut self, rest: &[Token], whole: Span) {
        match rest.first() {
            Some(t) if t.is_word("unroll") => {
                self.out.push(Token {
                    kind: Tok::Unroll,
                    span: whole,
                    space: true,
                    first: true,
                    painted: false,
                });
                let count = self.expand(rest[1..].to_vec(), 0);
                if !count.is_empty() {
                    let paren = |p| Token {
                        kind: Tok::Punct(p),
                        span: whole,
                        space: false,
                        first: false,
                        painted: false,
                    };
                    self.out.push(paren("("));
                    self.out.extend(count);
                    self.out.push(paren(")"));
                }
            }
            Some(t) if t.is_word("nounroll") => {
                let make =
                    |kind| Token { kind, span: whole, space: true, first: false, painted: false };
                self.out.push(make(Tok::Unroll));
                self.out.push(make(Tok::Punct("(")));
                self.out.push(make(Tok::Number("1".into())));
                self.out.push(make(Tok::Punct(")")));
            }
            Some(t) if t.is_word("pack") => {
                let name =
                    Token { kind: Tok::Ident("__pragma_pack".into()), first: true, ..t.clone() };
                let list = self.expand(rest[1..].to_vec(), 0);
                self.out.push(name);
                self.out.extend(list);
            }
            Some(t) if t.is_word("once") => {
                let name = self.sources.file(whole.file).name.clone();
                self.once.insert(name);
            }
            _ => {}
        }
    }

    fn too_much(&mut self, at: Span) {
        self.budget = 0;
        if !std::mem::replace(&mut self.said_too_much, true) {
            self.error(at, format!("macros and includes expand to more than {BUDGET} tokens"));
        }
    }

    fn keep(&mut self, name: Rc<str>, it: Macro) {
        self.longest = self.longest.max(name.len());
        self.macros.insert(name, Rc::new(it));
    }

    /// Value of an `#if` condition.
    fn condition(&mut self, rest: &[Token], whole: Span) -> bool {
        let mut line = Vec::new();
        let mut i = 0;
        while i < rest.len() {
            let t = &rest[i];
            if t.is_word("defined") {
                let (name, used) = match (rest.get(i + 1), rest.get(i + 2), rest.get(i + 3)) {
                    (Some(p), Some(Token { kind: Tok::Ident(n), .. }), Some(q))
                        if p.is("(") && q.is(")") =>
                    {
                        (Some(n), 4)
                    }
                    (Some(Token { kind: Tok::Ident(n), .. }), _, _) => (Some(n), 2),
                    _ => (None, 1),
                };
                let Some(name) = name else {
                    self.error(t.span, "a name is expected after `defined`");
                    return false;
                };
                let value = if self.is_defined(name) { "1" } else { "0" };
                line.push(Token { kind: Tok::Number(value.into()), ..t.clone() });
                i += used;
            } else if ASKS.iter().any(|ask| t.is_word(ask))
                && rest.get(i + 1).is_some_and(|p| p.is("("))
                && let Some(length) = rest[i..].iter().position(|p| p.is(")"))
            {
                let asked: String = rest[i + 2..i + length].iter().map(Token::text).collect();
                let has = t.is_word("__has_include") && self.has_header(&asked);
                line.push(Token {
                    kind: Tok::Number(u8::from(has).to_string().into()),
                    ..t.clone()
                });
                i += length + 1;
            } else {
                line.push(t.clone());
                i += 1;
            }
        }
        let mut line = self.expand(line, 0);
        if self.options.language == Language::CudaC {
            spell_operators(&mut line);
        }
        if line.is_empty() {
            self.error(whole, "the condition is empty");
            return false;
        }
        let mut eval = Eval { tokens: &line, pos: 0, depth: 0 };
        match eval.ternary(true) {
            Ok(v) if eval.pos == line.len() => v.bits != 0,
            Ok(_) => {
                let at = line[eval.pos].span;
                self.error(at, "this does not belong in a condition of the preprocessor");
                false
            }
            Err(text) => {
                self.error(whole, text);
                false
            }
        }
    }
}

fn source_text(sources: &SourceMap, tokens: &[Token]) -> String {
    match (tokens.first(), tokens.last()) {
        (Some(a), Some(b)) => {
            let span = a.span.to(b.span);
            sources
                .file(span.file)
                .text
                .get(span.lo as usize..span.hi as usize)
                .unwrap_or("")
                .to_string()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn options() -> CompileOptions {
        CompileOptions { file: "t.cu".into(), ..CompileOptions::default() }
    }

    fn expand(text: &str) -> String {
        let done = run(text, &options());
        assert!(done.diags.is_empty(), "{:?}", done.diags);
        done.tokens
            .iter()
            .filter(|t| t.kind != Tok::Eof)
            .map(Token::text)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn lines_are_renumbered() {
        for (source, want) in [
            ("#line 70 \"x.h\"\n__LINE__ __FILE__\n__LINE__", "70 \"x.h\" 71"),
            ("#define N 5\n#line N\n__LINE__ __FILE__", "5 \"t.cu\""),
            (
                "# 12 \"a.c\" 2\n__LINE__ __FILE__\n#line 3\n__LINE__ __FILE__",
                "12 \"a.c\" 3 \"a.c\"",
            ),
            ("#if 0\n#line 9\n#endif\n__LINE__", "4"),
            ("#line 9\n\n/* two\nlines */ __LINE__", "11"),
        ] {
            assert_eq!(expand(source), want, "{source}");
        }
        for source in ["#line", "#line x", "#line 0x10", "#line 3000000000", "#line -1"] {
            assert!(first_error(source).starts_with("`#line` needs a line number"), "{source}");
        }
        assert!(first_error("#line 3 x").contains("name in quotes"));
    }

    fn first_error(text: &str) -> String {
        run(text, &options()).diags.first().map(|d| d.message.clone()).unwrap_or_default()
    }

    #[test]
    fn macros_expand_as_the_standard_says() {
        for (source, want) in [
            ("#define N 4\nint a[N];", "int a [ 4 ] ;"),
            (
                "#define MAX(a,b) ((a)>(b)?(a):(b))\nMAX(x, f(y,z))",
                "( ( x ) > ( f ( y , z ) ) ? ( x ) : ( f ( y , z ) ) )",
            ),
            ("#define S(x) #x\nS(a + \"b\")", "\"a + \\\"b\\\"\""),
            ("#define CAT(a,b) a##b\nCAT(fo, o)(CAT(,x))", "foo ( x )"),
            ("#define F(...) g(__VA_ARGS__)\nF(1, 2)", "g ( 1 , 2 )"),
            ("#define E(f, ...) p(f, ##__VA_ARGS__)\nE(1) E(1,2)", "p ( 1 ) p ( 1 , 2 )"),
            ("#define x x + 1\nx", "x + 1"),
            ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g"),
            ("#define f\nf() f", "( )"),
            ("#define F(a) a\nF\n(3) F", "3 F"),
            ("#define A B\n#define B A\nA B", "A B"),
        ] {
            assert_eq!(expand(source), want, "{source}");
        }
    }

    #[test]
    fn conditions_choose_their_branch() {
        for (source, want) in [
            ("#if 1 + 1 == 2 && !defined(X)\na\n#else\nb\n#endif", "a"),
            (
                "#if 0\n#error no\n#elif defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 700\na\n#else\n\
                 b\n#endif",
                "a",
            ),
            ("#ifndef A\n#define A\n#ifdef A\na\n#endif\n#endif", "a"),
            ("#if 0 && 1/0\nx\n#else\ny\n#endif", "y"),
            ("#if -1 > 0u\nx\n#endif", "x"),
            ("#if (2 ? 0 : 1)\nx\n#else\ny\n#endif", "y"),
        ] {
            assert_eq!(expand(source), want, "{source}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(first_error("#if 1\n"), "this condition has no `#endif`");
        assert_eq!(first_error("#if 1/0\n#endif"), "division by zero in the condition");
        assert_eq!(first_error("#endif"), "`#endif` without `#if`");
        assert_eq!(
            first_error("#define F(a) a\nF(1,2)"),
            "the macro `F` takes 1 argument(s), but 2 were given"
        );
        assert!(first_error("#include \"/etc/passwd\"").contains("only relative paths"));
        assert_eq!(first_error("#error wrong size"), "#error wrong size");
    }

    #[test]
    fn a_macro_bomb_ends_with_a_message() {
        let mut text = String::from("#define A0 x x x x x x x x x x\n");
        for i in 1..12 {
            let line = format!("A{} ", i - 1).repeat(10);
            text += &format!("#define A{i} {line}\n");
        }
        text += "A11\n";
        assert!(first_error(&text).starts_with("macros and includes expand to more than"));
    }

    #[test]
    fn nothing_outside_the_include_folders_is_read() {
        let dir = std::env::temp_dir().join(format!("simt-pp-{}", std::process::id()));
        let inner = dir.join("inner");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(dir.join("secret.h"), "int secret;").unwrap();
        std::fs::write(inner.join("good.h"), "#pragma once\nint good;").unwrap();
        let options = CompileOptions {
            file: "t.cu".into(),
            include_dirs: vec![inner],
            ..CompileOptions::default()
        };
        let bad = run("#include \"../secret.h\"", &options);
        assert!(bad.diags[0].message.contains("outside the include folders"), "{:?}", bad.diags);
        let good = run("#include \"good.h\"\n#include \"good.h\"\n", &options);
        assert!(good.diags.is_empty(), "{:?}", good.diags);
        assert_eq!(good.tokens.len(), 4);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn files_in_memory_are_found_like_those_on_disk() {
        let file = |name: &str, text: &str| (PathBuf::from(name), text.to_string());
        let options = CompileOptions {
            file: "t.cu".into(),
            include_dirs: vec!["lab/kernels".into()],
            files: crate::files::Files::memory([
                file("lab/kernels/a.h", "#pragma once\n#include \"sub/b.h\"\n"),
                file("lab/kernels/sub/b.h", "#include \"../a.h\"\nint good;"),
                file("lab/secret.h", "int secret;"),
            ]),
            ..CompileOptions::default()
        };
        let good = run("#include \"a.h\"", &options);
        assert!(good.diags.is_empty(), "{:?}", good.diags);
        assert_eq!(good.tokens.len(), 4);
        for (bad, want) in [
            ("../secret.h", "outside the include folders"),
            ("../../../x.h", "outside the include folders"),
            ("none.h", "was not found"),
            ("sub", "is not a file"),
        ] {
            let said = run(&format!("#include \"{bad}\""), &options).diags[0].message.clone();
            assert!(said.contains(want), "{bad}: {said}");
        }
    }
}
