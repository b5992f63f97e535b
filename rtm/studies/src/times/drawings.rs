//! Pictures of run times: measured times with their models, speed-ups, studies of blocks.

use figures::{Axis, Chart, Series, panels_in_rows};

use super::model::{BlockStudy, Case, Model};

/// A picture in SVG and the name of its file, without the ending.
pub struct Drawing {
    /// `fit-naive-stencil`, for example.
    pub name: String,
    /// The picture.
    pub svg: String,
}

impl Drawing {
    fn of(name: String, charts: &[Chart], columns: usize) -> Drawing {
        Drawing { name, svg: panels_in_rows(charts, columns).svg() }
    }
}

/// Measured times over points, a line of the model for each order; a panel for each kernel, whose
/// name comes first.
pub fn fits(name: &str, panels: Vec<Chart>) -> Drawing {
    Drawing::of(format!("fit-{name}"), &panels, 2)
}

/// A panel of [`fits`].
pub fn fit<const N: usize, M: Model<N>>(
    title: &str,
    measured: &[(Case, f64)],
    model: &M,
    by_order: bool,
) -> Chart {
    let mut chart =
        Chart::new(title, Axis::linear("points"), Axis::linear("time (ms)").from_zero());
    for (k, order) in orders(measured).into_iter().enumerate() {
        let of: Vec<_> = measured.iter().filter(|(c, _)| c.order == order).collect();
        let at = |case: &Case| (case.points, model.ms(*case));
        chart = chart.with(
            Series::points("", of.iter().map(|(c, ms)| (c.points, *ms)).collect())
                .style(if by_order { k } else { 0 }),
        );
        if by_order || k == 0 {
            let mut line: Vec<_> = of.iter().map(|(case, _)| at(case)).collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            let name = if by_order { format!("order {order}") } else { String::new() };
            chart = chart.with(Series::line(&name, line).style(if by_order { k } else { 1 }));
        }
    }
    chart
}

fn orders(measured: &[(Case, f64)]) -> Vec<f64> {
    let mut orders: Vec<f64> = measured.iter().map(|(case, _)| case.order).collect();
    orders.sort_by(f64::total_cmp);
    orders.dedup();
    orders
}

/// Speed-ups over points, a line for each order; one line without a name, if they are all the same
/// kernel's whatever the order.
pub fn speed_up(
    title: &str,
    cases: &[Case],
    by_order: bool,
    speed_up: impl Fn(Case) -> f64,
) -> Chart {
    let all: Vec<(Case, f64)> = cases.iter().map(|case| (*case, 0.0)).collect();
    let mut chart = Chart::new(title, Axis::linear("points"), Axis::linear("times").from_zero());
    for order in orders(&all) {
        let of = cases.iter().filter(|c| c.order == order);
        let mut line: Vec<(f64, f64)> = of.map(|c| (c.points, speed_up(*c))).collect();
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        if !by_order {
            return chart.with(Series::line("", line));
        }
        chart = chart.with(Series::line(&format!("order {order}"), line));
    }
    chart
}

/// What speed-ups tend to in large volumes, over the order; a line for each kernel.
pub fn bounds(orders: &[usize], kernels: &[(&str, &dyn Fn(f64) -> f64)]) -> Chart {
    let title = "Bounds for large volumes";
    let x = Axis::linear("order").whole();
    Chart::new(title, x, Axis::linear("times").from_zero()).with_all(kernels.iter().map(
        |(name, bound)| {
            let points = orders.iter().map(|o| (*o as f64, bound(*o as f64))).collect();
            Series::line(name, points)
        },
    ))
}

/// The panels of one set of kernels, by [`speed_up`] and [`bounds`].
pub fn speed_ups(name: &str, panels: &[Chart]) -> Drawing {
    Drawing::of(format!("speed-up-{name}"), panels, 2)
}

/// How many blocks take how long, all and those whose first axis is a multiple of 32; and the share
/// of good blocks by the length of each axis.
pub fn blocks(name: &str, times: &[([u32; 3], f64)], study: &BlockStudy) -> Drawing {
    const BARS: usize = 40;
    let (low, high) = (study.best.1, study.worst.1);
    let edges: Vec<f64> =
        (0..=BARS).map(|k| low * (high / low).powf(k as f64 / BARS as f64)).collect();
    let histogram = |title: &str, kept: &dyn Fn(&[u32; 3]) -> bool| {
        let mut counts = vec![0.0; BARS];
        for (_, ms) in times.iter().filter(|(block, _)| kept(block)) {
            let after = edges.partition_point(|edge| edge <= ms);
            counts[after.clamp(1, BARS) - 1] += 1.0;
        }
        Chart::new(title, Axis::log("time (ms)"), Axis::linear("blocks").from_zero())
            .histogram(edges.clone(), counts)
    };
    let shares = Chart::new(
        "Within the best twentieth",
        Axis::linear("threads along the axis").whole(),
        Axis::linear("share of the blocks").range(0.0, 1.0),
    );
    let axes = ["threadIdx.x (z)", "threadIdx.y", "threadIdx.z"].iter().zip(&study.shares);
    let shares = shares.with_all(axes.map(|(axis, of)| {
        Series::line(axis, of.iter().enumerate().map(|(k, s)| ((k + 1) as f64, *s)).collect())
    }));
    let all = histogram(&format!("{name}: all blocks"), &|_| true);
    let whole = histogram("Whole warps along z", &|block| block[0].is_multiple_of(32));
    Drawing::of(format!("blocks-{}", name.replace(' ', "-")), &[all, whole, shares], 2)
}
