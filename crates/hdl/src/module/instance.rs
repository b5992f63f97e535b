//! Blocks placed inside a module.

use crate::handles::{Module, Sig};
use crate::ir::{Block, Instance as InstanceData, Item, Op};
use crate::signal::conversion;
use crate::types::bit;

/// A block placed inside a module.
#[derive(Clone, Copy)]
pub struct Instance<'m> {
    module: &'m Module,
    index: usize,
}

impl Module {
    /// Places `block` here under the name `name`. Connect all its inputs; clock and reset are wired
    /// by themselves.
    #[track_caller]
    pub fn instance(&self, name: &str, block: &Block) -> Instance<'_> {
        let mut draft = self.open();
        draft.claim(name);
        let index = draft.net.instances.len();
        let outputs = (block.outputs().iter().enumerate())
            .map(|(port, p)| draft.push(Op::InstanceOutput { instance: index, port }, p.ty))
            .collect();
        if block.reset().is_some() && draft.net.reset.is_none() {
            draft.error(
                format!(
                    "instance `{name}` of `{}` needs a reset and this module has none",
                    block.name()
                ),
                "call `async_reset(..)` before",
            );
        }
        let inputs = vec![None; block.0.inputs.len()];
        draft.net.instances.push(InstanceData {
            name: name.to_string(),
            block: block.clone(),
            inputs,
            outputs,
        });
        draft.net.items.push(Item::Instance(index));
        Instance { module: self, index }
    }
}

impl<'m> Instance<'m> {
    /// Connects the input `port` to `value`. Returns itself, so that connections can be chained.
    #[track_caller]
    pub fn connect(self, port: &str, value: impl Into<Sig<'m>>) -> Instance<'m> {
        let value = value.into();
        let mut draft = self.module.open();
        let instance = &draft.net.instances[self.index];
        let ports = instance.block.inputs();
        let (name, block) = (instance.name.clone(), instance.block.name().to_string());
        let Some(at) = ports.iter().position(|p| p.name == port) else {
            let names: Vec<&str> = ports.iter().map(|p| p.name.as_str()).collect();
            draft.error(
                format!("instance `{name}`: block `{block}` has no input `{port}`"),
                format!("its inputs are {}", names.join(", ")),
            );
            return self;
        };
        let (ty, got) = (ports[at].ty, draft.net.nodes[value.id].ty);
        if ty != got && !draft.is_poison(value.id) {
            let what = draft.net.describe(value.id);
            draft.error(
                format!(
                    "instance `{name}`: input `{port}` of `{block}` is {ty} but `{what}` is {got}"
                ),
                conversion(got, ty),
            );
        }
        if draft.net.instances[self.index].inputs[at].replace(value.id).is_some() {
            draft.error(
                format!("instance `{name}`: input `{port}` has two drivers"),
                "connect it once",
            );
        }
        self
    }

    /// The signal of the output `port`.
    #[track_caller]
    pub fn out(self, port: &str) -> Sig<'m> {
        let mut draft = self.module.open();
        let instance = &draft.net.instances[self.index];
        let ports = instance.block.outputs();
        let id = match ports.iter().position(|p| p.name == port) {
            Some(at) => instance.outputs[at],
            None => {
                let names: Vec<&str> = ports.iter().map(|p| p.name.as_str()).collect();
                let what = format!(
                    "instance `{}`: block `{}` has no output `{port}`",
                    instance.name,
                    instance.block.name()
                );
                draft.error(what, format!("its outputs are {}", names.join(", ")));
                draft.push(Op::Poison, bit())
            }
        };
        Sig { module: self.module, id }
    }
}
