//! Random expressions, simulated, against a plain walk over the same expression in 128-bit
//! arithmetic.

use hdl::{Block, Module, Sig, Simulator, Type};
use proptest::prelude::*;

/// Choices that a random expression is made from; the builder turns them into something legal.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub inputs: Vec<(u32, bool)>,
    pub steps: Vec<(u8, usize, usize, usize, u32)>,
}

pub fn recipe() -> impl Strategy<Value = Recipe> {
    let inputs = prop::collection::vec((1u32..=64, any::<bool>()), 1..5);
    let steps = prop::collection::vec(
        (0u8..18, any::<usize>(), any::<usize>(), any::<usize>(), 0u32..128),
        1..30,
    );
    (inputs, steps).prop_map(|(inputs, steps)| Recipe { inputs, steps })
}

/// How a step's value comes from the values before it.
type Rule = Box<dyn Fn(&[i128]) -> i128>;

/// One step as the plain interpreter knows it: type, and how its value comes from those before.
enum Step {
    Input(usize),
    Compute(Rule),
}

/// The value of the low bits of `v` in the type.
fn wrap(v: i128, ty: Type) -> i128 {
    let m = 1i128 << ty.width;
    let low = v.rem_euclid(m);
    if ty.signed && low >= m / 2 { low - m } else { low }
}

pub struct Built {
    pub block: Block,
    pub types: Vec<Type>,
    steps: Vec<Step>,
}

pub fn build(recipe: &Recipe) -> Built {
    let m = Module::new("random");
    let mut sigs: Vec<Sig> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    for (i, &(width, signed)) in recipe.inputs.iter().enumerate() {
        sigs.push(m.input(&format!("i{i}"), Type { width, signed }));
        sigs[i].unused();
        steps.push(Step::Input(i));
    }
    for &(kind, a, b, c, n) in &recipe.steps {
        let (ai, bi, ci) = (a % sigs.len(), b % sigs.len(), c % sigs.len());
        let (a, b, c) = (sigs[ai], sigs[bi], sigs[ci]);
        let (ta, tb) = (a.ty(), b.ty());
        // b brought to the type of a.
        let resized = b.resize(ta.width);
        let b_like = if ta.signed { resized.as_signed() } else { resized.as_unsigned() };
        let like = move |v: &[i128]| wrap(v[bi], ta);
        let bit_c = c.bit(n % c.width());
        let c_bit = n % c.width();
        let tc = c.ty();
        let c_value = move |v: &[i128]| wrap(v[ci], Type { signed: false, ..tc }) >> c_bit & 1;
        let (sig, f): (Sig, Rule) = match kind {
            0 => (a + b_like, Box::new(move |v| wrap(v[ai] + like(v), ta))),
            1 => (a - b_like, Box::new(move |v| wrap(v[ai] - like(v), ta))),
            2 => (a & b_like, Box::new(move |v| wrap(v[ai] & like(v), ta))),
            3 => (a | b_like, Box::new(move |v| wrap(v[ai] | like(v), ta))),
            4 => (a ^ b_like, Box::new(move |v| wrap(v[ai] ^ like(v), ta))),
            5 => (!a, Box::new(move |v| wrap(!v[ai], ta))),
            6 => (-a, Box::new(move |v| wrap(-v[ai], ta))),
            7 => (a.eq(b_like), Box::new(move |v| i128::from(v[ai] == like(v)))),
            8 => (a.lt(b_like), Box::new(move |v| i128::from(v[ai] < like(v)))),
            9 => (a.ge(b_like), Box::new(move |v| i128::from(v[ai] >= like(v)))),
            10 => (
                bit_c.mux(a, b_like),
                Box::new(move |v| if c_value(v) == 1 { v[ai] } else { like(v) }),
            ),
            11 if n < ta.width => (a << n, Box::new(move |v| wrap(v[ai] << n, ta))),
            12 if n < ta.width => (a >> n, Box::new(move |v| v[ai] >> n)),
            13 => {
                let hi = n % ta.width;
                let lo = (n / 3) % (hi + 1);
                let ty = Type { width: hi - lo + 1, ..ta };
                (a.slice(hi, lo), Box::new(move |v| wrap(v[ai] >> lo, ty)))
            }
            14 if ta.width + tb.width <= 64 => {
                let plain = Type { signed: false, ..tb };
                let ty = Type { width: ta.width + tb.width, signed: false };
                (a.concat(b), Box::new(move |v| wrap(v[ai] << tb.width | wrap(v[bi], plain), ty)))
            }
            15 if !ta.is_bit()
                && !tb.is_bit()
                && ta.signed == tb.signed
                && ta.width + tb.width <= 64 =>
            {
                (a * b, Box::new(move |v| v[ai] * v[bi]))
            }
            16 if ta.width > 1 && tb.width > 1 => {
                let by = b.slice(5.min(tb.width - 1), 0).as_unsigned();
                let tby = by.ty();
                (a.shr_by(by), Box::new(move |v| v[ai] >> wrap(v[bi], tby)))
            }
            17 if ta.width > 1 && tb.width > 1 => {
                let by = b.slice(5.min(tb.width - 1), 0).as_unsigned();
                let tby = by.ty();
                (a.shl_by(by), Box::new(move |v| wrap(v[ai] << wrap(v[bi], tby), ta)))
            }
            _ => {
                let width = ta.width + n % (65 - ta.width);
                (a.extend(width), Box::new(move |v| v[ai]))
            }
        };
        sigs.push(sig);
        steps.push(Step::Compute(f));
    }
    for (i, &sig) in sigs.iter().enumerate() {
        m.output(&format!("o{i}"), sig);
    }
    let types = sigs.iter().map(|s| s.ty()).collect();
    let block = m.build().unwrap_or_else(|e| panic!("{e}"));
    Built { block, types, steps }
}

impl Built {
    /// All values by plain interpretation, inputs first.
    pub fn interpret(&self, inputs: &[i64]) -> Vec<i64> {
        let mut values: Vec<i128> = Vec::new();
        for (step, ty) in self.steps.iter().zip(&self.types) {
            let value = match step {
                Step::Input(i) => wrap(i128::from(inputs[*i]), *ty),
                Step::Compute(f) => f(&values),
            };
            values.push(value);
        }
        values.into_iter().map(|v| v as i64).collect()
    }
}

proptest! {
    #[test]
    fn expressions_mean_what_they_say(
        recipe in recipe(),
        stimuli in prop::collection::vec(prop::collection::vec(any::<i64>(), 4), 1..6),
    ) {
        let built = build(&recipe);
        let mut sim = Simulator::new(&built.block);
        // Once before and once after the simulator has made its plan.
        for (n, stimulus) in stimuli.iter().chain(&stimuli).enumerate() {
            if n == stimuli.len() {
                sim.run(600);
            }
            for (port, &value) in built.block.inputs().iter().zip(stimulus) {
                sim.set(&port.name, port.ty.wrap(value)).unwrap();
            }
            let got: Vec<i64> =
                (0..built.types.len()).map(|i| sim.get(&format!("o{i}")).unwrap()).collect();
            prop_assert_eq!(got, built.interpret(stimulus));
            sim.step();
        }
    }
}
