//! The official classes that a test has the time for: S and W. A and B are run by the program
//! (`npb ep --class A`), and by `cargo test -p npb-parallel --test official -- --ignored`.

use npb::{ep, ft};

fn pairs(class: &str) {
    let class = ep::Class::by_name(class).unwrap();
    let found = npb_parallel::ep::parallel(class.m, ep::OFFICIAL_MK).unwrap();
    assert_eq!(class.verify(&found), Ok(()), "class {}", class.name);
}

fn diffusion(class: &str) {
    let class = ft::Class::by_name(class).unwrap();
    let found = npb_parallel::ft::parallel(class.size, class.iterations()).unwrap();
    assert_eq!(class.verify(&found), Ok(()), "class {}", class.name);
}

#[test]
fn ep_s_and_w() {
    ["S", "W"].iter().for_each(|class| pairs(class));
}

#[test]
fn ft_s_and_w() {
    ["S", "W"].iter().for_each(|class| diffusion(class));
}

#[test]
#[ignore = "long: a gigabyte of memory, half a minute on two cores"]
fn a_and_b() {
    for class in ["A", "B"] {
        pairs(class);
        diffusion(class);
    }
}
