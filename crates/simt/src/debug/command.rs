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
    /// `next`: the same, but calls are run through
    Next,
    /// `finish`: to the first statement behind the call
    Finish,
    /// `until LINE`: to the first statement of this function at or behind a line
    Until(u32),
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
    /// `thread X[,Y[,Z]]`
    Thread([u32; 3]),
    /// `block X[,Y[,Z]]`
    Block([u32; 3]),
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
    /// `info threads`
    InfoThreads,
    /// `info breakpoints`
    InfoBreakpoints,
    /// `info locals`
    InfoLocals,
    /// `list`: the source around the place
    List,
    /// `where`: the place, the function, the thread
    Where,
    /// `help`
    Help,
    /// `quit`
    Quit,
}

/// Text of `help`.
pub const HELP: &str = "\
break [FILE:]LINE [if EXPR]  stop before a line, if given only where EXPR is true for an active \
thread
delete N, hits N             remove breakpoint N; how often it was hit (once per warp that came by)
run, continue                start; go on to the next stop
step, next                   to the next statement of this warp; the same, but calls are run through
until LINE, finish           to LINE or behind it, as out of a loop; out of the function called
print EXPR                   value for the thread in focus
lanes EXPR                   value for every active lane of the warp
mask                         active lanes of the warp
thread X[,Y[,Z]], lane N     put another thread of the block, or lane of the warp, into focus
warp next, warp prev         put another warp of the block into focus
mem BUF FROM COUNT           elements of a buffer or array
watch EXPR                   stop when the value changes for the thread in focus
info warps|threads|breakpoints|locals
where                        the place, the function and the thread in focus
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
    let number =
        || rest.parse::<u32>().map_err(|_| format!("`{word}` needs a number, as in {word} 1"));
    Ok(Some(match word {
        "break" | "b" => breakpoint(rest)?,
        "delete" => Command::Delete(number()? as usize),
        "hits" => Command::Hits(number()? as usize),
        "run" | "r" => bare(Command::Run)?,
        "continue" | "c" => bare(Command::Continue)?,
        "step" | "s" => bare(Command::Step)?,
        "next" | "n" => bare(Command::Next)?,
        "finish" => bare(Command::Finish)?,
        "until" => Command::Until(number()?),
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
        "thread" => Command::Thread(index(word, rest)?),
        "block" => Command::Block(index(word, rest)?),
        "mem" => memory(rest)?,
        "watch" => Command::Watch(expression()?),
        "layout" if rest == "ir" => Command::LayoutIr(true),
        "layout" if rest == "src" => Command::LayoutIr(false),
        "layout" => return Err("expected `layout ir` or `layout src`".into()),
        "info" => match rest {
            "warps" => Command::InfoWarps,
            "threads" => Command::InfoThreads,
            "breakpoints" => Command::InfoBreakpoints,
            "locals" => Command::InfoLocals,
            _ => return Err("expected info warps, threads, breakpoints or locals".into()),
        },
        "list" | "l" => bare(Command::List)?,
        "where" | "backtrace" | "bt" => bare(Command::Where)?,
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

/// `7`, `7,1` or `(7,1,0)`.
fn index(word: &str, rest: &str) -> Result<[u32; 3], String> {
    let inner = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).unwrap_or(rest);
    let numbers: Result<Vec<u32>, _> = inner.split(',').map(|n| n.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([x]) => Ok([*x, 0, 0]),
        Ok([x, y]) => Ok([*x, *y, 0]),
        Ok([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err(format!("expected {word} X, {word} X,Y or {word} X,Y,Z")),
    }
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
            ("info threads", Command::InfoThreads),
            ("thread 207", Command::Thread([207, 0, 0])),
            ("thread (3, 4,5)", Command::Thread([3, 4, 5])),
            ("block 7,1", Command::Block([7, 1, 0])),
            ("until 12", Command::Until(12)),
            ("n", Command::Next),
            ("where", Command::Where),
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
            "break",
            "break x",
            "break 0",
            "break 7 when i",
            "break 7 if",
            "mem c",
            "mem c x 1",
            "warp",
            "warp up",
            "lane 32",
            "step 3",
            "print",
            "info",
            "thread",
            "thread x",
            "thread 1,2,3,4",
            "until",
            "next 3",
            "set i = 3",
            "hits",
            "layout",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(
            parse("break 0x7"),
            Err("expected break LINE or break LINE if EXPR".to_string())
        );
    }
}
