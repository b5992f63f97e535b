//! Curves over one another as SVG.

use hdl::plot::overlay;

#[test]
fn both_lines_are_named_and_no_number_is_lost_on_the_way() {
    let axis = Some((-100.0, 100.0));
    let svg = overlay("a < b", &[0.0, 100.0, -50.0], &[0.0, 1e6, f64::NAN], axis);
    assert!(svg.contains("a &lt; b") && svg.contains(">input<") && svg.contains(">output<"));
    assert!(svg.contains(">100<") && !svg.contains("NaN"), "{svg}");
    assert!(overlay("", &[], &[], None).ends_with("</svg>\n"));
}
