//! Curves over one another as SVG.

use hdl::plot::overlay;

#[test]
fn both_lines_lie_within_the_axis() {
    let axis = Some((-100.0, 100.0));
    let svg = overlay("a < b", &[0.0, 100.0, -50.0], &[0.0, 1e6, f64::NAN], axis);
    assert!(svg.contains("a &lt; b") && svg.contains("stroke-dasharray") && svg.contains("red"));
    // 1e6 is cut off at the top, in the middle of the 64 to 744 in x; NaN leaves a gap.
    assert!(svg.contains("404.0,34.0\" fill"), "{svg}");
    assert!(overlay("", &[], &[], None).ends_with("</svg>\n"));
}
