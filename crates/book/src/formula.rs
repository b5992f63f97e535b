//! Formulas: the documents write them as a terminal shows them, `v^2 dt^2 / dx`; a page raises,
//! lowers and spells Greek letters.

const GREEK: &[(&str, &str)] = &[
    ("alpha", "α"),
    ("beta", "β"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("lambda", "λ"),
    ("phi", "φ"),
    ("pi", "π"),
    ("psi", "ψ"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("theta", "θ"),
];

/// True if a piece of code is a formula: something is raised to a power, or a Greek letter is named
/// among others, and nothing in it is a program's.
pub fn is_formula(code: &str) -> bool {
    let program = [";", "\"", "::", "{", "&&", "++", "<<", "#", "$", "--", "->", "0x"];
    let letter = |word: &str| GREEK.iter().any(|(name, _)| *name == word);
    let greek = code.contains(' ') && code.split(|c: char| !c.is_alphanumeric()).any(letter);
    (greek || powers(code)) && !program.iter().any(|p| code.contains(p))
}

fn powers(text: &str) -> bool {
    let c: Vec<char> = text.chars().collect();
    (1..c.len().saturating_sub(1)).any(|k| c[k] == '^' && is_base(c[k - 1]) && is_raised(&c, k + 1))
}

fn is_base(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ')' | '|' | ']' | '\'')
}

fn is_raised(c: &[char], at: usize) -> bool {
    let sign = matches!(c[at], '-' | '+');
    c.get(at + usize::from(sign)).is_some_and(|c| c.is_alphanumeric() || *c == '(')
}

/// Words of a document in which powers are raised: `2^24 floats`.
pub fn words(text: &str) -> String {
    html(text, false)
}

/// A formula as HTML.
pub fn formula(text: &str) -> String {
    html(text, true)
}

fn html(text: &str, all: bool) -> String {
    let c: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut k = 0;
    while k < c.len() {
        let before = k.checked_sub(1).map(|b| c[b]);
        if c[k] == '^' && before.is_some_and(is_base) && k + 1 < c.len() && is_raised(&c, k + 1) {
            let end = script(&c, k + 1);
            out += &format!("<sup>{}</sup>", inner(&c[k + 1..end], all));
            k = end;
        } else if all && c[k].is_alphabetic() {
            let end = (k..c.len()).find(|&e| !c[e].is_alphanumeric()).unwrap_or(c.len());
            let word: String = c[k..end].iter().collect();
            let after = (c.get(end), c.get(end + 1));
            out += match GREEK.iter().find(|(name, _)| *name == word) {
                Some((_, letter)) => letter,
                None if word == "sqrt" && after.0 == Some(&'(') => "√",
                None => &word,
            };
            k = end;
            // `p_tt`, `s_(k+1)`, but not `max_abs_err`.
            let lowered = matches!(after, (Some('_'), Some(n)) if n.is_alphanumeric() || *n == '(');
            if lowered && word.len() <= 2 {
                let end = script(&c, k + 1);
                out += &format!("<sub>{}</sub>", inner(&c[k + 1..end], all));
                k = end;
            }
        } else {
            let two = (c[k], c.get(k + 1));
            let (text, long) = match two {
                ('<', Some('=')) if all => ("≤", 2),
                ('>', Some('=')) if all => ("≥", 2),
                ('-', _) if all => ("−", 1),
                ('*', _) if all => ("·", 1),
                ('<', _) => ("&lt;", 1),
                ('>', _) => ("&gt;", 1),
                ('&', _) => ("&amp;", 1),
                ('"', _) => ("&quot;", 1),
                _ => ("", 1),
            };
            match text {
                "" => out.push(c[k]),
                text => out += text,
            }
            k += long;
        }
    }
    out
}

/// Where what is raised or lowered ends: a sign and a word, or a bracket.
fn script(c: &[char], start: usize) -> usize {
    if c[start] == '(' {
        let mut depth = 0;
        for (k, &c) in c.iter().enumerate().skip(start) {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 {
                return k + 1;
            }
        }
    }
    let first = start + usize::from(matches!(c[start], '-' | '+'));
    (first..c.len()).find(|&k| !c[k].is_alphanumeric()).unwrap_or(c.len())
}

/// Without the brackets around all of it.
fn inner(c: &[char], all: bool) -> String {
    let c = match c {
        ['(', inner @ .., ')'] => inner,
        c => c,
    };
    let text = html(&c.iter().collect::<String>(), all);
    if all { text } else { text.replace('-', "−") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_rise_and_indices_sink() {
        assert_eq!(formula("p_tt = v^2 lap p"), "p<sub>tt</sub> = v<sup>2</sup> lap p");
        assert_eq!(formula("(n+2) 2^-24"), "(n+2) 2<sup>−24</sup>");
        assert_eq!(formula("s_(k+1) <= sqrt(2 pi)^k"), "s<sub>k+1</sub> ≤ √(2 π)<sup>k</sup>");
        assert_eq!(words("2^24 floats, a_b < c"), "2<sup>24</sup> floats, a_b &lt; c");
        assert_eq!(words("10^-3"), "10<sup>−3</sup>");
    }

    #[test]
    fn a_programs_text_is_no_formula() {
        for code in ["a ^ b", "x ^= 1;", "max_abs_err", "-DELEM=int", "1u << 31 ^ n"] {
            assert!(!is_formula(code), "{code}");
        }
        assert!(is_formula("sin 2 theta cos phi") && !is_formula("theta"));
        for code in ["v^2 dt^2", "t |k|^2", "(v dt)^2", "A A^T"] {
            assert!(is_formula(code), "{code}");
        }
    }
}
