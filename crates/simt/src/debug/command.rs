//! The debugger's commands, as text and as data.

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `break [FILE:]LINE [if EXPR]`
    Break {
        /// File as the messages name it, if it is not the first.
        file: Option<String>,
        /// Line, from 1.
        line: u32,
        /// Stops only where this is true for some active thread.
        condition: Option<String>,
    },
    /// `delete N`
    Delete(usize),
    /// `hits N`
    Hits(usize),
    /// `run`
    Run,
    /// `continue`
    Continue,
    /// `step`: to the next statement of the warp
    Step,
    /// `print EXPR`
    Print(String),
    /// `lanes EXPR`
    Lanes(String),
    /// `mask`
    Mask,
    /// `warp next`
    WarpNext,
    /// `warp prev`
    WarpPrev,
    /// `lane N`
    Lane(u32),
    /// `mem BUF FROM COUNT`
    Mem {
        /// Parameter or variable.
        buffer: String,
        /// First element.
        from: u64,
        /// Number of elements.
        count: u64,
    },
    /// `watch EXPR`
    Watch(String),
    /// `layout ir` (true) or `layout src`
    LayoutIr(bool),
    /// `info warps`
    InfoWarps,
    /// `info breakpoints`
    InfoBreakpoints,
    /// `info locals`
    InfoLocals,
    /// `list`: the source around the place
    List,
    /// `help`
    Help,
    /// `quit`
    Quit,
}

/// Text of `help`.
pub const HELP: &str = "\
break [FILE:]LINE [if EXPR]  stop before a line, if given only where EXPR is true for an active thread
delete N, hits N             remove breakpoint N; how often it was hit (once per warp that came by)
run, continue, step          start; go on to the next stop; go on to the next statement of this warp
print EXPR                   value for the thread in focus
lanes EXPR                   value for every active lane of the warp
lane N                       put another lane of the warp into focus
mask                         active lanes of the warp
warp next, warp prev         look at another warp of the block
mem BUF FROM COUNT           elements of a buffer or array
watch EXPR                   stop when the value changes for the thread in focus
info warps|breakpoints|locals
list, layout ir, layout src  source around the place; show the warp IR at every stop, or not
quit                         stop the kernel and leave
Nothing here changes memory. Lines that begin with # are comments.
";

/// Reads one line; `None` for blank lines and comments.
///
/// # Errors
/// What was expected instead.
pub fn parse(line: &str) -> Result<Option<Command>, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let bare = |command: Command| {
        if rest.is_empty() { Ok(command) } else { Err(format!("`{word}` takes no argument")) }
    };
    let expression = || {
        if rest.is_empty() {
            Err(format!("`{word}` needs an expression, as in {word} a[i]"))
        } else {
            Ok(rest.to_string())
        }
    };
    let number = || {
        rest.parse::<u32>().map_err(|_| format!("`{word}` needs a number, as in {word} 1"))
    };
    Ok(Some(match word {
        "break" | "b" => breakpoint(rest)?,
        "delete" => Command::Delete(number()? as usize),
        "hits" => Command::Hits(number()? as usize),
        "run" | "r" => bare(Command::Run)?,
        "continue" | "c" => bare(Command::Continue)?,
        "step" | "s" => bare(Command::Step)?,
        "print" | "p" => Command::Print(expression()?),
        "lanes" => Command::Lanes(expression()?),
        "mask" => bare(Command::Mask)?,
        "warp" if rest == "next" => Command::WarpNext,
        "warp" if rest == "prev" => Command::WarpPrev,
        "warp" => return Err("expected `warp next` or `warp prev`".into()),
        "lane" => match number()? {
            lane @ 0..=31 => Command::Lane(lane),
            _ => return Err("a warp has lanes 0 to 31".into()),
        },
        "mem" => memory(rest)?,
        "watch" => Command::Watch(expression()?),
        "layout" if rest == "ir" => Command::LayoutIr(true),
        "layout" if rest == "src" => Command::LayoutIr(false),
        "layout" => return Err("expected `layout ir` or `layout src`".into()),
        "info" => match rest {
            "warps" => Command::InfoWarps,
            "breakpoints" => Command::InfoBreakpoints,
            "locals" => Command::InfoLocals,
            _ => return Err("expected `info warps`, `info breakpoints` or `info locals`".into()),
        },
        "list" | "l" => bare(Command::List)?,
        "help" | "h" => bare(Command::Help)?,
        "quit" | "q" => bare(Command::Quit)?,
        _ => return Err(format!("unknown command `{word}` (help lists them)")),
    }))
}

fn breakpoint(rest: &str) -> Result<Command, String> {
    let usage = || "expected break LINE or break LINE if EXPR".to_string();
    let (place, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (Some(file.to_string()), line),
        None => (None, place),
    };
    let line = line.parse().ok().filter(|l| *l > 0).ok_or_else(usage)?;
    let tail = tail.trim();
    let condition = match tail.strip_prefix("if") {
        Some(text) if text.starts_with([' ', '\t', '(']) && !text.trim().is_empty() => {
            Some(text.trim().to_string())
        }
        None if tail.is_empty() => None,
        _ => return Err(usage()),
    };
    Ok(Command::Break { file, line, condition })
}

fn memory(rest: &str) -> Result<Command, String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    if let [buffer, from, count] = words[..]
        && let (Ok(from), Ok(count)) = (from.parse(), count.parse())
    {
        return Ok(Command::Mem { buffer: buffer.to_string(), from, count });
    }
    Err("expected mem BUFFER FROM COUNT, as in mem c 1996 4".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let break_at = |line, condition: Option<&str>| Command::Break {
            file: None,
            line,
            condition: condition.map(String::from),
        };
        for (text, want) in [
            ("break 7", break_at(7, None)),
            (
                "break 7 if blockIdx.x == 7 && threadIdx.x == 207",
                break_at(7, Some("blockIdx.x == 7 && threadIdx.x == 207")),
            ),
            ("  b 7 if(i>3) ", break_at(7, Some("(i>3)"))),
            ("hits 1", Command::Hits(1)),
            ("print a[i] + 1", Command::Print("a[i] + 1".into())),
            ("mem c 1996 4", Command::Mem { buffer: "c".into(), from: 1996, count: 4 }),
            ("warp prev", Command::WarpPrev),
            ("layout ir", Command::LayoutIr(true)),
            ("info warps", Command::InfoWarps),
            ("c", Command::Continue),
        ] {
            assert_eq!(parse(text), Ok(Some(want)), "{text}");
        }
        assert_eq!(parse("  # comment"), Ok(None));
        assert_eq!(parse(""), Ok(None));
    }

    #[test]
    fn mistakes_say_what_was_expected() {
        for text in [
            "break", "break x", "break 0", "break 7 when i", "break 7 if", "mem c", "mem c x 1", "warp",
            "warp up", "lane 32", "step 3", "print", "info", "set i = 3", "hits", "layout",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(
            parse("break 0x7"),
            Err("expected break LINE or break LINE if EXPR".to_string())
        );
    }
}
