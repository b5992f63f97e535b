//! Operations of the bytecode: who carries them out, registers, floating-point work, weight.

macro_rules! ops {
    ($($(#[$about:meta])* $group:ident {
        $($(#[$doc:meta])* $name:ident $shape:literal $flop:literal;)*
    })*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[allow(missing_docs)]
            pub enum $group { $($(#[$doc])* $name),* }
        )*

        /// Operations, by what carries them out. `Op::AddI` is short for `Op::Alu(Alu::AddI)`, and
        /// so on.
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Op { $($group($group)),* }

        #[allow(missing_docs, non_upper_case_globals)]
        impl Op {
            $($(pub const $name: Op = Op::$group($group::$name);)*)*

            /// Banks of the fields `d a b c`: `a` or `b`, `-` for no register; a capital `d` is
            /// read, not written.
            pub fn shape(self) -> &'static [u8; 4] {
                match self { $($(Op::$name => $shape),*),* }
            }
            /// Floating-point operations per lane.
            pub fn flop(self) -> u64 {
                match self { $($(Op::$name => $flop),*),* }
            }
        }

        impl std::fmt::Debug for Op {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $(Op::$group(op) => op.fmt(f)),* }
            }
        }
    };
}

ops! {
    /// Arithmetic on registers.
    Alu {
        // ---- 32-bit integers
        AddI b"aaa-" 0; SubI b"aaa-" 0; MulI b"aaa-" 0;
        AndI b"aaa-" 0; OrI b"aaa-" 0; XorI b"aaa-" 0;
        ShlI b"aaa-" 0; ShrS b"aaa-" 0; ShrU b"aaa-" 0;
        MinS b"aaa-" 0; MaxS b"aaa-" 0; MinU b"aaa-" 0; MaxU b"aaa-" 0;
        MulHiS b"aaa-" 0; MulHiU b"aaa-" 0;
        /// Mean, rounded up.
        MeanS b"aaa-" 0; MeanU b"aaa-" 0;
        DivS b"aaa-" 0; DivU b"aaa-" 0; RemS b"aaa-" 0; RemU b"aaa-" 0;
        EqI b"aaa-" 0; NeI b"aaa-" 0; LtS b"aaa-" 0; LeS b"aaa-" 0; LtU b"aaa-" 0; LeU b"aaa-" 0;
        AddImm b"aa--" 0; MulImm b"aa--" 0;
        ShlImm b"aa--" 0; ShrSImm b"aa--" 0; ShrUImm b"aa--" 0;
        SextB b"aa--" 0; SextH b"aa--" 0; ZextB b"aa--" 0; ZextH b"aa--" 0;
        AbsI b"aa--" 0; Popc b"aa--" 0; Clz b"aa--" 0; Ffs b"aa--" 0; Brev b"aa--" 0;
        MovA b"aa--" 0;
        /// `a ? b : c`
        SelA b"aaaa" 0;
        BytePerm b"aaaa" 0; FshL b"aaaa" 0; FshR b"aaaa" 0; SadS b"aaaa" 0; SadU b"aaaa" 0;
        // ---- 64-bit integers
        AddL b"bbb-" 0; SubL b"bbb-" 0; MulL b"bbb-" 0;
        AndL b"bbb-" 0; OrL b"bbb-" 0; XorL b"bbb-" 0;
        ShlL b"bba-" 0; ShrSL b"bba-" 0; ShrUL b"bba-" 0;
        MinSL b"bbb-" 0; MaxSL b"bbb-" 0; MinUL b"bbb-" 0; MaxUL b"bbb-" 0;
        MulHiSL b"bbb-" 0; MulHiUL b"bbb-" 0;
        DivSL b"bbb-" 0; DivUL b"bbb-" 0; RemSL b"bbb-" 0; RemUL b"bbb-" 0;
        EqL b"abb-" 0; NeL b"abb-" 0; LtSL b"abb-" 0; LeSL b"abb-" 0;
        LtUL b"abb-" 0; LeUL b"abb-" 0;
        AddImmL b"bb--" 0; ShlImmL b"bb--" 0; ShrSImmL b"bb--" 0; ShrUImmL b"bb--" 0;
        AbsL b"bb--" 0; PopcL b"ab--" 0; ClzL b"ab--" 0; FfsL b"ab--" 0; BrevL b"bb--" 0;
        MovB b"bb--" 0;
        SelB b"babb" 0;
        /// `a + sign-extended b * imm`
        LeaS b"bba-" 0;
        /// `a + zero-extended b * imm`
        LeaU b"bba-" 0;
        // ---- float
        AddF b"aaa-" 1; SubF b"aaa-" 1; MulF b"aaa-" 1; DivF b"aaa-" 1;
        FmaF b"aaaa" 2;
        EqF b"aaa-" 0; NeF b"aaa-" 0; LtF b"aaa-" 0; LeF b"aaa-" 0;
        NegF b"aa--" 0; AbsF b"aa--" 0;
        /// Sum and so on of two halves held as floats, rounded to half again.
        RoundH b"aa--" 0;
        /// Function number `imm` of [`crate::hir::Math1`] that costs one operation.
        Math1F b"aa--" 1;
        /// The same, free of charge (rounding, absolute value, clamping).
        Math1FFree b"aa--" 0;
        Math2F b"aaa-" 1;
        Math2FFree b"aaa-" 0;
        ClassF b"aa--" 0;
        LdexpF b"aaa-" 0;
        // ---- double
        AddD b"bbb-" 1; SubD b"bbb-" 1; MulD b"bbb-" 1; DivD b"bbb-" 1;
        FmaD b"bbbb" 2;
        EqD b"abb-" 0; NeD b"abb-" 0; LtD b"abb-" 0; LeD b"abb-" 0;
        NegD b"bb--" 0; AbsD b"bb--" 0;
        Math1D b"bb--" 1;
        Math1DFree b"bb--" 0;
        Math2D b"bbb-" 1;
        Math2DFree b"bbb-" 0;
        ClassD b"ab--" 0;
        LdexpD b"bba-" 0;
        // ---- conversions, named from-to: I U 32-bit, L X 64-bit signed and unsigned, F float, D
        // double, H half
        IToF b"aa--" 0; UToF b"aa--" 0; FToI b"aa--" 0; FToU b"aa--" 0;
        IToL b"ba--" 0; UToL b"ba--" 0; LToI b"ab--" 0;
        IToD b"ba--" 0; UToD b"ba--" 0; DToI b"ab--" 0; DToU b"ab--" 0;
        FToL b"ba--" 0; FToX b"ba--" 0; LToF b"ab--" 0; XToF b"ab--" 0;
        LToD b"bb--" 0; XToD b"bb--" 0; DToL b"bb--" 0; DToX b"bb--" 0;
        FToD b"ba--" 0; DToF b"ab--" 0; DToH b"ab--" 0;
        /// Bits of a half (held as float) and back.
        HBits b"aa--" 0; HFromBits b"aa--" 0;
    }
    /// Loads and stores; `c` is an index into `Code::mems`; address = a + b * scale + imm.
    Mem {
        /// Any space, by the address in `a`; `b` may be absent.
        LdG b"aba-" 0; LdGB b"bba-" 0; LdGV b"-ba-" 0;
        StG b"Aba-" 0; StGB b"Bba-" 0; StGV b"-ba-" 0;
        /// Shared memory, from the start of the block's window.
        LdS b"a-a-" 0; LdSB b"b-a-" 0; LdSV b"--a-" 0;
        StS b"A-a-" 0; StSB b"B-a-" 0; StSV b"--a-" 0;
        /// The thread's own memory.
        LdT b"a-a-" 0; LdTB b"b-a-" 0; LdTV b"--a-" 0;
        StT b"A-a-" 0; StTB b"B-a-" 0; StTV b"--a-" 0;
    }
    /// Neither arithmetic, nor loads and stores, nor control flow.
    Other {
        /// Everything with many operands: index `c` into `Code::calls`.
        Call b"----" 0;
        /// Counts a branch on `a` that is computed without jumping.
        BrCount b"-a--" 0;
        /// Which lanes of slot `d` have assigned a variable: add the active ones, take them away,
        /// demand them.
        InitMark b"----" 0; InitClear b"----" 0; InitCheck b"----" 0;
        /// A statement begins: index `c` into `Code::stops`. Only in code for debugging.
        Stmt b"----" 0;
    }
    /// Control flow: ends a run; `b` is the counter index, `imm` a target.
    Control {
        /// Lanes with `a` go on; the others wait in slot `d`. Nobody: jump.
        If b"-a--" 0;
        /// Swaps with slot `d`. Nobody: jump.
        Else b"----" 0;
        /// Joins slot `d`. Nobody: jump.
        EndIf b"----" 0;
        /// Clears slots `d` (lanes that left) and `d + 1` (lanes that continue).
        LoopBegin b"----" 0;
        /// Lanes without `a` leave to slot `d`. Nobody left: jump.
        LoopTest b"-a--" 0;
        /// Lanes of slot `d + 1` join. Nobody: jump.
        LoopNext b"----" 0;
        /// Back to the top.
        Jump b"----" 0;
        /// Lanes of slot `d` go on. Nobody: jump.
        LoopEnd b"----" 0;
        /// All lanes leave to slot `d` and jump: `break`, `continue`, `return` of an inlined
        /// function.
        Leave b"----" 0;
        /// Clears slot `d`.
        FuncBegin b"----" 0;
        /// Lanes of slot `d` join. Nobody: jump.
        FuncEnd b"----" 0;
        /// Splits lanes by value over slots `d + 1..`, those with no arm to `d`; table `c` of
        /// `Code::switches`.
        Switch b"-a--" 0;
        /// The same with a 64-bit value.
        SwitchL b"-b--" 0;
        /// Lanes of slot `d` join. Nobody: jump.
        Arm b"----" 0;
        /// `__syncthreads` and its votes: `c` is an index into `Code::bars`.
        Bar b"----" 0;
        /// Calls the routine `c` of `Code::routines`, at the target.
        Enter b"----" 0;
        /// Goes back behind the `Enter`.
        Return b"----" 0;
        /// The active lanes end; jump.
        Exit b"----" 0;
        /// The warp ends.
        End b"----" 0;
    }
}

impl Op {
    /// Ends a run and has a counter.
    #[inline]
    pub fn is_control(self) -> bool {
        matches!(self, Op::Control(_))
    }

    /// Instructions that a program for a card would have too; bookkeeping of masks is not counted.
    pub fn weight(self) -> u64 {
        match self {
            Op::Else
            | Op::EndIf
            | Op::LoopBegin
            | Op::LoopNext
            | Op::LoopEnd
            | Op::FuncBegin
            | Op::FuncEnd
            | Op::Arm
            | Op::End
            | Op::InitMark
            | Op::InitClear
            | Op::InitCheck
            | Op::Stmt => 0,
            _ => 1,
        }
    }

    /// May be left out if nobody reads the result.
    pub fn is_pure(self) -> bool {
        match self {
            Op::DivS | Op::DivU | Op::RemS | Op::RemU => false,
            Op::DivSL | Op::DivUL | Op::RemSL | Op::RemUL => false,
            op => matches!(op, Op::Alu(_)),
        }
    }

    /// Works on `double`.
    pub fn is_f64(self) -> bool {
        matches!(
            self,
            Op::AddD | Op::SubD | Op::MulD | Op::DivD | Op::FmaD | Op::Math1D | Op::Math2D
        )
    }
}
