//! Expressions of the debugger: evaluated for one thread, on the typed tree, without any effect.

use crate::hir::{
    Axis, BinOp, Builtin, CmpOp, Expr, ExprKind, GlobalId, LocalId, Math1, Math2, Module, Ty, UnOp,
};

/// What an expression may look at, for one thread.
pub trait Thread {
    /// Bytes of a variable that is kept in registers; `None` if it was never assigned or is not kept any more.
    fn local(&self, id: LocalId) -> Option<Vec<u8>>;
    /// Address of a variable that lives in memory.
    fn local_address(&self, id: LocalId) -> Option<u64>;
    /// Address of a variable at file scope.
    fn global_address(&self, id: GlobalId) -> Option<u64>;
    /// Reads memory of any space.
    ///
    /// # Errors
    /// One sentence: out of bounds, never written.
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), String>;
    /// `threadIdx`, `blockIdx`, `blockDim`, `gridDim`.
    fn index(&self, what: Builtin) -> Option<u32>;
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `bool`, integers and pointers: two's complement in the low end.
    Bits(u64),
    /// Floating point, rounded to its type.
    Float(f64),
    /// Anything larger.
    Bytes(Vec<u8>),
}

enum Place {
    Memory(u64),
    /// Bytes from an offset on of a variable in registers.
    Register(LocalId, u64),
}

/// Evaluates `e`.
///
/// # Errors
/// One sentence that says what cannot be known or done.
pub fn evaluate(module: &Module, thread: &dyn Thread, e: &Expr) -> Result<Value, String> {
    Eval { module, thread }.value(e)
}

struct Eval<'a> {
    module: &'a Module,
    thread: &'a dyn Thread,
}

impl Eval<'_> {
    fn place(&self, e: &Expr) -> Result<Place, String> {
        match &e.kind {
            ExprKind::Local(id) => Ok(match self.thread.local_address(*id) {
                Some(address) => Place::Memory(address),
                None => Place::Register(*id, 0),
            }),
            ExprKind::Global(id) => {
                let address = self.thread.global_address(*id);
                address.map(Place::Memory).ok_or_else(|| "the variable has no address".to_string())
            }
            ExprKind::Deref(p) => Ok(Place::Memory(self.bits(p)?)),
            ExprKind::Field(place, i) => {
                let offset = self.offset_of(&place.ty, *i)?;
                Ok(self.place(place)?.at(offset))
            }
            ExprKind::Index(place, i) => {
                let index = self.integer(i)?;
                let Ty::Array(elem, len) = &place.ty else {
                    return Err("this is not an array".into());
                };
                if index < 0 || index >= i128::from(*len) && *len > 0 {
                    return Err(format!("index {index} is outside 0..{len}"));
                }
                let offset = (index as u64).wrapping_mul(self.module.size_of(elem));
                Ok(self.place(place)?.at(offset))
            }
            _ => Err("this is not a variable or memory".into()),
        }
    }

    fn offset_of(&self, ty: &Ty, field: u32) -> Result<u64, String> {
        let Ty::Struct(id) = ty else { return Err("this has no members".into()) };
        Ok(self.module.structs[id.0 as usize].fields[field as usize].offset)
    }

    fn load(&self, place: &Place, ty: &Ty) -> Result<Value, String> {
        let size = self.module.size_of(ty) as usize;
        let mut bytes = vec![0; size];
        match place {
            Place::Memory(address) => self.thread.read(*address, &mut bytes)?,
            Place::Register(id, offset) => {
                let all = self.thread.local(*id).ok_or("no value yet")?;
                let from = *offset as usize;
                bytes.copy_from_slice(all.get(from..from + size).ok_or("no value yet")?);
            }
        }
        Ok(decode(ty, bytes))
    }

    fn bits(&self, e: &Expr) -> Result<u64, String> {
        match self.value(e)? {
            Value::Bits(bits) => Ok(bits),
            _ => Err("an integer or pointer is needed here".into()),
        }
    }

    fn float(&self, e: &Expr) -> Result<f64, String> {
        match self.value(e)? {
            Value::Float(x) => Ok(x),
            _ => Err("a floating-point number is needed here".into()),
        }
    }

    /// The mathematical value of an integer expression.
    fn integer(&self, e: &Expr) -> Result<i128, String> {
        Ok(widen(&e.ty, self.bits(e)?))
    }

    fn truth(&self, e: &Expr) -> Result<bool, String> {
        Ok(self.bits(e)? != 0)
    }

    fn value(&self, e: &Expr) -> Result<Value, String> {
        match &e.kind {
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..) => self.load(&self.place(e)?, &e.ty),
            ExprKind::Load(place) => self.load(&self.place(place)?, &place.ty),
            ExprKind::Int(n) => Ok(Value::Bits(*n)),
            ExprKind::Float(x) => Ok(Value::Float(round(&e.ty, *x))),
            ExprKind::AddrOf(place) => match self.place(place)? {
                Place::Memory(address) => Ok(Value::Bits(address)),
                Place::Register(..) => Err("the variable is in a register and has no address".into()),
            },
            ExprKind::PtrAdd(p, i) => {
                let Ty::Ptr(to, _) = &e.ty else { return Err("this is not a pointer".into()) };
                let bytes = self.integer(i)? * i128::from(self.module.size_of(to));
                Ok(Value::Bits((i128::from(self.bits(p)?) + bytes) as u64))
            }
            ExprKind::PtrDiff(a, b) => {
                let Ty::Ptr(to, _) = &a.ty else { return Err("this is not a pointer".into()) };
                let bytes = self.bits(a)?.wrapping_sub(self.bits(b)?) as i64;
                Ok(Value::Bits((bytes / self.module.size_of(to).max(1) as i64) as u64))
            }
            ExprKind::Unary(op, x) => match (op, self.value(x)?) {
                (UnOp::Neg, Value::Float(x)) => Ok(Value::Float(-x)),
                (UnOp::Neg, Value::Bits(x)) => Ok(Value::Bits(narrow(&e.ty, x.wrapping_neg()))),
                (UnOp::Not, Value::Bits(x)) => Ok(Value::Bits(narrow(&e.ty, !x))),
                _ => Err("this operation needs a number".into()),
            },
            ExprKind::Binary(op, a, b) => self.binary(*op, &e.ty, a, b),
            ExprKind::Cmp(op, a, b) => self.compare(*op, a, b),
            ExprKind::And(a, b) => Ok(Value::Bits((self.truth(a)? && self.truth(b)?).into())),
            ExprKind::Or(a, b) => Ok(Value::Bits((self.truth(a)? || self.truth(b)?).into())),
            ExprKind::Cond(c, a, b) => self.value(if self.truth(c)? { a } else { b }),
            ExprKind::Cast(x) => Ok(cast(&x.ty, &e.ty, self.value(x)?)),
            ExprKind::Comma(_, b) => self.value(b),
            ExprKind::FieldOf(value, i) => {
                let Value::Bytes(bytes) = self.value(value)? else {
                    return Err("this has no members".into());
                };
                let offset = self.offset_of(&value.ty, *i)? as usize;
                let size = self.module.size_of(&e.ty) as usize;
                let part = bytes.get(offset..offset + size).ok_or("this has no such member")?;
                Ok(decode(&e.ty, part.to_vec()))
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, &e.ty, args),
            ExprKind::Assign(..) | ExprKind::AssignOp(..) | ExprKind::IncDec { .. } => {
                Err("the debugger changes nothing: no assignment, ++ or --".into())
            }
            ExprKind::Call(..) => Err("the debugger calls no functions".into()),
            ExprKind::Str(_) | ExprKind::Aggregate(_) => {
                Err("the debugger cannot evaluate this".into())
            }
        }
    }

    fn binary(&self, op: BinOp, ty: &Ty, a: &Expr, b: &Expr) -> Result<Value, String> {
        if ty.is_float() {
            let (a, b) = (self.float(a)?, self.float(b)?);
            let x = match op {
                BinOp::Add => a + b,
                BinOp::Sub => a - b,
                BinOp::Mul => a * b,
                BinOp::Div => a / b,
                _ => return Err("this operation needs integers".into()),
            };
            // Sums, products and quotients of floats are exact enough in double to be rounded once.
            return Ok(Value::Float(round(ty, x)));
        }
        let (x, y) = (self.integer(a)?, self.integer(b)?);
        let bits = u32::try_from(8 * self.module.size_of(ty)).unwrap_or(64);
        let result = match op {
            BinOp::Add => x + y,
            BinOp::Sub => x - y,
            BinOp::Mul => x.wrapping_mul(y),
            BinOp::Div | BinOp::Rem if y == 0 => return Err("division by zero".into()),
            BinOp::Div => x / y,
            BinOp::Rem => x % y,
            BinOp::And => x & y,
            BinOp::Or => x | y,
            BinOp::Xor => x ^ y,
            BinOp::Shl | BinOp::Shr if y < 0 || y >= i128::from(bits) => {
                return Err(format!("shift by {y} of a value of {bits} bits"));
            }
            BinOp::Shl => x << y,
            BinOp::Shr => x >> y,
        };
        Ok(Value::Bits(narrow(ty, result as u64)))
    }

    fn compare(&self, op: CmpOp, a: &Expr, b: &Expr) -> Result<Value, String> {
        let order = if a.ty.is_float() {
            self.float(a)?.partial_cmp(&self.float(b)?)
        } else {
            Some(self.integer(a)?.cmp(&self.integer(b)?))
        };
        let truth = match (op, order) {
            (CmpOp::Ne, None) => true,
            (_, None) => false,
            (CmpOp::Eq, Some(o)) => o.is_eq(),
            (CmpOp::Ne, Some(o)) => o.is_ne(),
            (CmpOp::Lt, Some(o)) => o.is_lt(),
            (CmpOp::Le, Some(o)) => o.is_le(),
            (CmpOp::Gt, Some(o)) => o.is_gt(),
            (CmpOp::Ge, Some(o)) => o.is_ge(),
        };
        Ok(Value::Bits(truth.into()))
    }

    fn builtin(&self, builtin: Builtin, ty: &Ty, args: &[Expr]) -> Result<Value, String> {
        if let Some(n) = self.thread.index(builtin) {
            return Ok(Value::Bits(n.into()));
        }
        match (builtin, args) {
            (Builtin::Ldg, [p]) => self.load(&Place::Memory(self.bits(p)?), ty),
            (Builtin::MinI | Builtin::MaxI, [a, b]) => {
                let (x, y) = (self.integer(a)?, self.integer(b)?);
                let n = if builtin == Builtin::MinI { x.min(y) } else { x.max(y) };
                Ok(Value::Bits(narrow(ty, n as u64)))
            }
            (Builtin::AbsI, [x]) => Ok(Value::Bits(narrow(ty, self.integer(x)?.unsigned_abs() as u64))),
            (Builtin::Bitcast, [x]) => Ok(decode(ty, encode(&x.ty, &self.value(x)?))),
            (Builtin::Math1(f), [x]) => {
                let x = self.float(x)?;
                let y = match f {
                    Math1::Sqrt => x.sqrt(),
                    Math1::Exp => x.exp(),
                    Math1::Log => x.ln(),
                    Math1::Sin => x.sin(),
                    Math1::Cos => x.cos(),
                    Math1::Fabs => x.abs(),
                    Math1::Floor => x.floor(),
                    Math1::Ceil => x.ceil(),
                    Math1::Trunc => x.trunc(),
                    _ => return Err("the debugger cannot evaluate this function".into()),
                };
                Ok(Value::Float(round(ty, y)))
            }
            (Builtin::Math2(f), [a, b]) => {
                let (a, b) = (self.float(a)?, self.float(b)?);
                let y = match f {
                    Math2::Fmin => a.min(b),
                    Math2::Fmax => a.max(b),
                    Math2::Pow => a.powf(b),
                    _ => return Err("the debugger cannot evaluate this function".into()),
                };
                Ok(Value::Float(round(ty, y)))
            }
            _ => Err("the debugger cannot evaluate this function".into()),
        }
    }
}

impl Place {
    fn at(self, offset: u64) -> Place {
        match self {
            Place::Memory(address) => Place::Memory(address.wrapping_add(offset)),
            Place::Register(id, from) => Place::Register(id, from + offset),
        }
    }
}

/// Value of `bits` as an integer of type `ty`; pointers and `bool` are unsigned.
fn widen(ty: &Ty, bits: u64) -> i128 {
    match ty {
        Ty::Int { bits: width, signed: true } => {
            let shift = 64 - u32::from(*width);
            i128::from(((bits << shift) as i64) >> shift)
        }
        _ => i128::from(narrow(ty, bits)),
    }
}

/// The low bits that fit `ty`.
fn narrow(ty: &Ty, bits: u64) -> u64 {
    match ty {
        Ty::Bool => u64::from(bits != 0),
        Ty::Int { bits: width @ (8 | 16 | 32), .. } => bits & ((1 << width) - 1),
        _ => bits,
    }
}

fn round(ty: &Ty, x: f64) -> f64 {
    match ty {
        Ty::F32 => f64::from(x as f32),
        Ty::F16 => half::f16::from_f64(x).to_f64(),
        _ => x,
    }
}

fn cast(from: &Ty, to: &Ty, value: Value) -> Value {
    match value {
        Value::Float(x) if to.is_float() => Value::Float(round(to, x)),
        Value::Float(x) if *to == Ty::Bool => Value::Bits((x != 0.0).into()),
        // Out of range and NaN: as the card, the nearest value, and 0.
        Value::Float(x) => Value::Bits(match to {
            Ty::Int { bits: 64, signed: false } => x as u64,
            Ty::Int { bits: 32, signed: false } => (x as u32).into(),
            Ty::Int { bits: 32, signed: true } => narrow(to, x as i32 as u64),
            _ => narrow(to, x as i64 as u64),
        }),
        Value::Bits(bits) if to.is_float() => Value::Float(round(to, widen(from, bits) as f64)),
        Value::Bits(bits) => Value::Bits(narrow(to, widen(from, bits) as u64)),
        bytes => bytes,
    }
}

/// The value in the bytes of a variable of type `ty`.
pub fn decode(ty: &Ty, bytes: Vec<u8>) -> Value {
    let mut low = [0; 8];
    let n = bytes.len().min(8);
    low[..n].copy_from_slice(&bytes[..n]);
    let bits = u64::from_le_bytes(low);
    match ty {
        Ty::F16 => Value::Float(half::f16::from_bits(bits as u16).to_f64()),
        Ty::F32 => Value::Float(f32::from_bits(bits as u32).into()),
        Ty::F64 => Value::Float(f64::from_bits(bits)),
        _ if ty.is_scalar() => Value::Bits(bits),
        _ => Value::Bytes(bytes),
    }
}

fn encode(ty: &Ty, value: &Value) -> Vec<u8> {
    match (value, ty) {
        (Value::Float(x), Ty::F16) => half::f16::from_f64(*x).to_le_bytes().to_vec(),
        (Value::Float(x), Ty::F32) => (*x as f32).to_le_bytes().to_vec(),
        (Value::Float(x), _) => x.to_le_bytes().to_vec(),
        (Value::Bits(bits), _) => bits.to_le_bytes().to_vec(),
        (Value::Bytes(bytes), _) => bytes.clone(),
    }
}

/// The value as people read it: `-3`, `1.5`, `true`, `0x7f00`, `{x: 1.0, y: 2.0}`.
pub fn show(module: &Module, ty: &Ty, value: &Value) -> String {
    match (ty, value) {
        (Ty::Bool, Value::Bits(bits)) => (*bits != 0).to_string(),
        (Ty::Ptr(..), Value::Bits(bits)) => format!("{bits:#x}"),
        (_, Value::Bits(bits)) => widen(ty, *bits).to_string(),
        (Ty::F32, Value::Float(x)) => format!("{:?}", *x as f32),
        (_, Value::Float(x)) => format!("{x:?}"),
        (Ty::Struct(id), Value::Bytes(bytes)) => {
            let fields = module.structs[id.0 as usize].fields.iter().map(|f| {
                let (from, size) = (f.offset as usize, module.size_of(&f.ty) as usize);
                let part = bytes.get(from..from + size).unwrap_or_default().to_vec();
                format!("{}: {}", f.name, show(module, &f.ty, &decode(&f.ty, part)))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        (Ty::Array(elem, _), Value::Bytes(bytes)) => {
            let size = (module.size_of(elem) as usize).max(1);
            let all = bytes.chunks_exact(size);
            let shown: Vec<String> = all
                .take(32)
                .map(|b| show(module, elem, &decode(elem, b.to_vec())))
                .collect();
            let more = if bytes.len() / size > 32 { ", ..." } else { "" };
            format!("[{}{more}]", shown.join(", "))
        }
        (_, Value::Bytes(bytes)) => format!("{bytes:02x?}"),
    }
}

/// The coordinate `axis` of `n`.
pub fn on_axis(n: [u32; 3], axis: Axis) -> u32 {
    match axis {
        Axis::X => n[0],
        Axis::Y => n[1],
        Axis::Z => n[2],
    }
}
