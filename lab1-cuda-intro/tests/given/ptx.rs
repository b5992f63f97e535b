//! The given reader of PTX.

use lab1_cuda_intro::ptx::{kernels, without_comments};

#[test]
fn comments_vanish_and_lone_slashes_stay() {
    assert_eq!(without_comments("a // b\nc /* d\n e */ f / g"), "a  \nc   f / g");
    assert_eq!(without_comments("a /* b"), "a  ");
    assert_eq!(without_comments("a // b"), "a  ");
    assert_eq!(without_comments("/"), "/");
}

#[test]
fn kernels_come_with_their_bodies_and_functions_do_not() {
    let ptx = ".func f() { ret; }\r\n.visible .entry k (\r\n.param .u64 p\r\n)\r\n.maxntid 32\r\n\
               {\r\n\
               .reg .b32 %r<2>;\r\n{ mov.u32 %r1, 0; }\r\nret;\r\n}\r\n.entry l() { ret; }";
    let found = kernels(ptx);
    let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["k", "l"]);
    assert!(found[0].1.contains("mov.u32") && found[0].1.contains("ret;"));
    assert!(!found[0].1.contains(".reg"));
    assert!(kernels("").is_empty());
    assert_eq!(kernels(".entry broken { ret;").len(), 1);
}
