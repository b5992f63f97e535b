//! Words of OpenCL C: keywords without underscores, what is refused by name, and names that only
//! C++ reserves. And what the two languages call the same things, for messages.

use crate::diag::Diagnostic;
use crate::language::{CompileOptions, Language, OpenClVersion};
use crate::lex::{Tok, Token};
use crate::pp::Preprocessed;

/// Makes the tokens of the program ready for a parser of C++: OpenCL's keywords get their
/// underscores, names that C++ reserves get one behind, and what OpenCL C 1.2 does not have is
/// reported. `single`: literals without a suffix are `float`.
pub(crate) fn prepare(pre: &mut Preprocessed, options: &CompileOptions) {
    let single = options.single_constants;
    let mut level = 0;
    let mut samplers = Vec::new();
    let mut gone = Vec::new();
    for i in 0..pre.tokens.len() {
        if pre.own.contains(&pre.tokens[i].span.file) {
            continue;
        }
        level += match pre.tokens[i].kind {
            Tok::Punct("{" | "(") => 1,
            Tok::Punct("}" | ")") => -1,
            _ => 0,
        };
        // A sampler outside of functions is constant without the word.
        if level == 0 && pre.tokens[i].is_word("sampler_t") {
            let before = i.checked_sub(1).map(|k| &pre.tokens[k].kind);
            match before {
                Some(Tok::Ident(w)) if matches!(&**w, "const" | "__const") => {
                    pre.tokens[i - 1].kind = Tok::Ident("__constant".into());
                }
                None | Some(Tok::Punct(";" | "}")) => samplers.push(i),
                _ => {}
            }
        }
        let span = pre.tokens[i].span;
        if begins_block(&pre.tokens, i) {
            pre.diags.push(
                Diagnostic::unsupported(
                    span,
                    "blocks (`^{ ... }`) are OpenCL 2.0, and are not supported",
                )
                .help("write a function; let the host start the kernels that one would enqueue"),
            );
            // What follows cannot be read without them.
            let end = pre.tokens.len() - 1;
            pre.tokens.drain(..end);
            return;
        }
        match &pre.tokens[i].kind {
            Tok::Ident(word) => {
                let next = pre.tokens.get(i + 1).map(|t| &t.kind);
                if matches!(&**word, "generic" | "__generic")
                    && options.opencl >= OpenClVersion::V20
                {
                    // Pointers without a word are such pointers.
                    gone.push(i);
                } else if let Some(d) = refused(word, next) {
                    // Something that the parser knows stands in its place, so that it is reported
                    // once.
                    let instead = match &**word {
                        "pipe" | "channel" | "generic" | "__generic" => Some("const"),
                        w if w.ends_with("_t") => Some("int"),
                        _ => None,
                    };
                    if pre.diags.len() < crate::diag::MAX_ERRORS {
                        pre.diags.push(Diagnostic { span, ..d });
                    }
                    if let Some(instead) = instead {
                        pre.tokens[i].kind = Tok::Ident(instead.into());
                    }
                } else if let Some(new) = renamed(word) {
                    pre.tokens[i].kind = Tok::Ident(new.into());
                }
            }
            Tok::Number(text) if single => {
                let lower = text.to_ascii_lowercase();
                let decimal = lower.contains(['.', 'e']) && !lower.starts_with("0x");
                if decimal && !lower.ends_with(['f', 'l']) {
                    pre.tokens[i].kind = Tok::Number(format!("{text}f").into());
                }
            }
            _ => {}
        }
    }
    if gone.is_empty() && samplers.is_empty() {
        return;
    }
    let mut out = Vec::with_capacity(pre.tokens.len() + samplers.len());
    for (i, t) in pre.tokens.drain(..).enumerate() {
        if samplers.contains(&i) {
            out.push(Token { kind: Tok::Ident("__constant".into()), ..t.clone() });
        }
        if !gone.contains(&i) {
            out.push(t);
        }
    }
    pre.tokens = out;
}

/// `^` where no value stands before it.
fn begins_block(tokens: &[Token], i: usize) -> bool {
    let before = i.checked_sub(1).map(|k| &tokens[k].kind);
    tokens[i].is("^")
        && match before {
            Some(Tok::Punct(p)) => matches!(*p, "(" | "=" | "," | "{" | ";"),
            Some(Tok::Ident(w)) => **w == *"return",
            _ => false,
        }
}

/// What a language calls the things that messages of the common stages speak of.
pub(crate) struct Words {
    /// Memory of a block.
    pub shared: &'static str,
    /// Its declaration with `extern`.
    pub extern_shared: &'static str,
    /// The same, of a size that the launch gives.
    pub shared_at_launch: &'static str,
    /// Memory that kernels only read.
    pub constant: &'static str,
    /// Memory of the device at file scope.
    pub global: &'static str,
    /// What kernels may write instead of constant memory.
    pub writable: &'static str,
    /// The barrier of a block.
    pub barrier: &'static str,
    /// A function that is no kernel.
    pub function: &'static str,
    /// Constants that may be the length of an array.
    pub length: &'static str,
}

const CUDA: Words = Words {
    shared: "`__shared__`",
    extern_shared: "`extern __shared__`",
    shared_at_launch: "`extern __shared__`",
    constant: "`__constant__`",
    global: "`__device__`",
    writable: "`__device__`",
    barrier: "`__syncthreads()`",
    function: "a `__device__` function",
    length: "a `const int` with a constant value or a template parameter",
};

const OPENCL: Words = Words {
    shared: "`__local`",
    extern_shared: "`extern __local`",
    shared_at_launch: "a `__local` parameter",
    constant: "`__constant`",
    global: "`__global`",
    writable: "a `__global` argument",
    barrier: "`barrier(CLK_LOCAL_MEM_FENCE)`",
    function: "a function without `__kernel`",
    length: "a `const int` with a constant value",
};

/// The words of a language.
pub(crate) fn of(language: Language) -> &'static Words {
    match language {
        Language::CudaC => &CUDA,
        Language::OpenClC => &OPENCL,
    }
}

fn renamed(word: &str) -> Option<String> {
    Some(match word {
        "kernel" | "global" | "local" | "constant" | "private" => format!("__{word}"),
        // Of images, whose functions say how they are used, and of pipes.
        "read_only" | "__read_only" | "write_only" | "__write_only" | "read_write"
        | "__read_write" => "const".into(),
        "this" | "new" | "delete" | "operator" | "friend" | "public" | "protected" | "virtual"
        | "explicit" | "mutable" | "try" | "catch" | "throw" | "class" | "template"
        | "typename" | "using" | "namespace" | "nullptr" | "decltype" | "constexpr" | "alignas"
        | "alignof" | "noexcept" | "asm" | "static_assert" => format!("{word}_"),
        _ => return None,
    })
}

/// What to say of a word that OpenCL C 1.2 does not have.
fn refused(word: &str, next: Option<&Tok>) -> Option<Diagnostic> {
    let error = |text: String, help: &str| {
        Some(Diagnostic::error(crate::source::Span::default(), text).help(help))
    };
    let unsupported = |text: String, help: &str| {
        Some(Diagnostic::unsupported(crate::source::Span::default(), text).help(help))
    };
    let word_follows = matches!(next, Some(Tok::Ident(_)));
    let angle = matches!(next, Some(Tok::Punct("<")));
    let cpp = match word {
        "template" | "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast" => angle,
        "class" | "namespace" | "typename" | "using" | "constexpr" => word_follows,
        "auto" => true,
        _ => false,
    };
    if cpp {
        let help = match word {
            "template" => "write one function for each type, or a macro",
            "class" => "write `struct`",
            "constexpr" => {
                "write `__constant` at file scope, `const` in a function, or a `#define`"
            }
            "auto" | "typename" => "write the type",
            "using" => "write `typedef`",
            "namespace" => "put a prefix before the names",
            _ => "write `(type)value`, or `as_type(value)` for the bits",
        };
        return error(format!("`{word}` is C++: OpenCL C 1.2 is C99"), help);
    }
    let special = ["_depth_t", "_msaa_t"].iter().any(|end| word.ends_with(end));
    if word.starts_with("image") && special {
        return unsupported(
            format!("images of depths and of several samples are not supported: `{word}`"),
            "use `image2d_t` with one channel",
        );
    }
    match word {
        "pipe" if word_follows => unsupported(
            "pipes are an optional part of OpenCL 3.0, which is not supported".into(),
            "pass a `__global` buffer with a position in it, written with an atomic function",
        ),
        "channel" if word_follows => unsupported(
            "channels belong to one vendor's FPGA compiler and are not supported".into(),
            "use a `__global` buffer, or one kernel for both ends",
        ),
        "queue_t" | "clk_event_t" | "reserve_id_t" | "ndrange_t" => unsupported(
            format!("`{word}` is an optional part of OpenCL 3.0, which is not supported"),
            "let the host start the kernels",
        ),
        "generic" | "__generic" if word_follows => error(
            "the generic address space is OpenCL 2.0, and this is compiled as 1.2".into(),
            "build with `-cl-std=CL2.0`, or write `__global`, `__local` or `__private`",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first message about a kernel in CUDA C and in OpenCL C, and its help.
    fn said(body: &str) -> [String; 2] {
        let say = |language, text: String| {
            let options = CompileOptions { language, ..CompileOptions::default() };
            let error = crate::compile::front_end(&text, &options).expect_err(&text);
            let first = &error.diagnostics[0];
            format!("{}; {}", first.message, first.help.as_deref().unwrap_or(""))
        };
        let (cuda, opencl) =
            (body.replace("SHARED", "__shared__"), body.replace("SHARED", "__local"));
        [
            say(Language::CudaC, format!("__global__ void k(int n) {{ {cuda} }}")),
            say(Language::OpenClC, format!("__kernel void k(int n) {{ {opencl} }}")),
        ]
    }

    #[test]
    fn messages_are_in_the_words_of_the_language() {
        assert_eq!(
            said("SHARED int a = 3;"),
            [
                "the `__shared__` variable `a` cannot have an initial value; let the threads store \
                 it, then call `__syncthreads()`",
                "the `__local` variable `a` cannot have an initial value; let the threads store \
                 it, then call `barrier(CLK_LOCAL_MEM_FENCE)`",
            ]
        );
        assert_eq!(
            said("extern SHARED int a[4];"),
            [
                "an `extern __shared__` array has no length: it is given at launch; leave the \
                 brackets empty, or remove `extern`",
                "an `extern __local` array has no length: it is given at launch; leave the \
                 brackets empty, or remove `extern`",
            ]
        );
        let [cuda, opencl] = said("int a[n];");
        assert!(cuda.ends_with("given at launch write `extern __shared__`"), "{cuda}");
        assert!(opencl.ends_with("given at launch write a `__local` parameter"), "{opencl}");
    }
}
