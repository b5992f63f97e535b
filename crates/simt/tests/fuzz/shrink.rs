//! Smaller kernels that may still fail: one statement less, or a condition's body in place of the
//! condition.

use crate::tree::{Kernel, Stmt};

/// All kernels with one step less.
pub fn smaller(kernel: &Kernel) -> Vec<Kernel> {
    let mut out = Vec::new();
    for n in 0.. {
        let mut copy = kernel.clone();
        let mut left = n;
        if !cut(&mut copy.body, &mut left) {
            break;
        }
        out.push(copy);
    }
    for f in 0..kernel.functions.len() {
        for n in 0.. {
            let mut copy = kernel.clone();
            let mut left = n;
            if !cut(&mut copy.functions[f].body, &mut left) {
                break;
            }
            out.push(copy);
        }
    }
    for k in 0..kernel.results.len() {
        let mut copy = kernel.clone();
        copy.results.remove(k);
        out.push(copy);
    }
    if kernel.blocks() > 1 {
        out.push(Kernel { grid: [1, 1], ..kernel.clone() });
    }
    if kernel.threads() > 32 {
        out.push(Kernel { block: [32, 1], ..kernel.clone() });
    }
    out
}

/// Removes the statement with number `left` in reading order, or lifts its body out.
fn cut(stmts: &mut Vec<Stmt>, left: &mut usize) -> bool {
    let mut i = 0;
    while i < stmts.len() {
        if *left == 0 {
            stmts.remove(i);
            return true;
        }
        *left -= 1;
        let inner: Vec<&mut Vec<Stmt>> = match &mut stmts[i] {
            Stmt::If(_, a, b) => vec![a, b],
            Stmt::For { body, .. }
            | Stmt::While { body, .. }
            | Stmt::DoWhile { body, .. }
            | Stmt::Uniform { body, .. }
            | Stmt::Block(body) => vec![body],
            Stmt::Switch(_, arms) => arms.iter_mut().map(|(_, body, _)| body).collect(),
            _ => Vec::new(),
        };
        for body in inner {
            if cut(body, left) {
                return true;
            }
        }
        if let Stmt::If(_, body, _) | Stmt::Block(body) = &stmts[i] {
            if *left == 0 {
                let body = body.clone();
                stmts.splice(i..=i, body);
                return true;
            }
            *left -= 1;
        }
        i += 1;
    }
    false
}
