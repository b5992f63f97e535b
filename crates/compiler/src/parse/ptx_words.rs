//! Which words an instruction of inline PTX may have behind its name. One that nobody looks at
//! would change what the instruction does on a card and not here, so it is refused.

use super::ptx_terms::kind_of;

/// Types of half the bits of a float, and pairs of them.
pub(super) const HALVES: [&str; 4] = ["f16", "f16x2", "bf16", "bf16x2"];

/// Spaces, orders, scopes and caches of accesses to memory, and how many values there are.
const MEMORY: &str = "global shared shared::cta local const param volatile relaxed acquire release \
                      acq_rel weak gpu cta sys cluster ca cg cs cv lu wb wt nc v2 v4";

/// Whether all words of the instruction are known for it. Types of whole numbers and floats are,
/// and an unknown name is somebody else's matter.
pub(super) fn understood(words: &[&str]) -> bool {
    let own = match words[0] {
        "add" | "sub" => "cc rn ftz sat",
        "mul" | "mad" | "fma" => "lo hi wide cc rn ftz sat",
        "addc" | "subc" | "madc" => "lo hi cc",
        "min" | "max" | "neg" | "abs" | "slct" => "ftz",
        "mul24" | "mad24" => "lo",
        "div" => "rn approx full ftz",
        "ex2" | "lg2" | "sin" | "cos" | "tanh" => "approx ftz",
        "rcp" | "sqrt" | "rsqrt" => "approx rn ftz",
        "shf" => "l r wrap clamp",
        "bfind" => "shiftamt",
        "vabsdiff4" => "add",
        "setp" => "eq ne lt le gt ge lo ls hi hs and or xor ftz",
        "cvt" => "rn rni rzi rmi rpi rna ftz sat pack tf32",
        "cvta" => "to global shared shared::cta local const param",
        "isspacep" => "global shared shared::cta local",
        "atom" | "red" => "add min max and or xor exch cas inc dec noftz",
        "cp" => "async commit_group wait_group wait_all",
        "bar" | "barrier" => "sync arrive warp cta aligned",
        "shfl" => "sync up down bfly idx",
        "vote" => "sync any all ballot",
        "match" => "sync any",
        "redux" => "sync add min max and or xor",
        "dp2a" => "lo hi",
        "mma" => {
            "sync aligned row col satfinite tf32 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m8n8k4 m8n8k16"
        }
        "ldmatrix" | "movmatrix" => "sync aligned m8n8 x1 x2 x4 trans shared shared::cta",
        "ld" | "ldu" | "st" | "dp4a" | "mov" | "and" | "or" | "xor" | "not" | "rem" | "shl"
        | "shr" | "popc" | "clz" | "brev" | "bfe" | "bfi" | "lop3" | "prmt" | "sad" | "selp"
        | "copysign" | "fns" => "",
        // Hints, fences, and names that nobody knows.
        _ => return true,
    };
    let among = |list: &str, word: &str| list.split(' ').any(|known| known == word);
    let accesses = among("ld ldu st atom red cp", words[0]);
    let of_halves = "add sub mul fma min max neg abs tanh ex2 cvt mma";
    let halves = among(of_halves, words[0]) || words.contains(&"noftz");
    let moves = among("ld ldu st mov selp", words[0]);
    words[1..].iter().all(|word| match HALVES.contains(word) {
        true => halves || (moves && *word == "f16"),
        false if kind_of(word).is_some() || among(own, word) => true,
        false => {
            accesses
                && (among(MEMORY, word) || word.starts_with("L1::") || word.starts_with("L2::"))
        }
    })
}
