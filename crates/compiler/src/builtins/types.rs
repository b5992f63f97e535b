//! Built-in types of both languages by their names.

/// A type without parts, as it is written in sources: `int` and `long` stay two types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Plain {
    Void,
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Half,
    Float,
    Double,
}

impl Plain {
    /// As CUDA C writes it.
    pub fn name(self) -> &'static str {
        match self {
            Plain::Void => "void",
            Plain::Bool => "bool",
            Plain::Char => "char",
            Plain::SChar => "signed char",
            Plain::UChar => "unsigned char",
            Plain::Short => "short",
            Plain::UShort => "unsigned short",
            Plain::Int => "int",
            Plain::UInt => "unsigned",
            Plain::Long => "long",
            Plain::ULong => "unsigned long",
            Plain::LongLong => "long long",
            Plain::ULongLong => "unsigned long long",
            Plain::Half => "__half",
            Plain::Float => "float",
            Plain::Double => "double",
        }
    }
}

/// Elements of the vector types of CUDA C: the type's name without its length.
pub(crate) const VECTOR_ELEMENTS: &[(&str, Plain)] = &[
    ("char", Plain::Char),
    ("uchar", Plain::UChar),
    ("short", Plain::Short),
    ("ushort", Plain::UShort),
    ("int", Plain::Int),
    ("uint", Plain::UInt),
    ("long", Plain::Long),
    ("ulong", Plain::ULong),
    ("longlong", Plain::LongLong),
    ("ulonglong", Plain::ULongLong),
    ("float", Plain::Float),
    ("double", Plain::Double),
];

/// Integer and other plain types that CUDA's headers name.
pub(crate) const TYPEDEFS: &[(&str, Plain)] = &[
    ("int8_t", Plain::SChar),
    ("uint8_t", Plain::UChar),
    ("int16_t", Plain::Short),
    ("uint16_t", Plain::UShort),
    ("int32_t", Plain::Int),
    ("uint32_t", Plain::UInt),
    ("int64_t", Plain::Long),
    ("uint64_t", Plain::ULong),
    ("size_t", Plain::ULong),
    ("ssize_t", Plain::Long),
    ("ptrdiff_t", Plain::Long),
    ("intptr_t", Plain::Long),
    ("uintptr_t", Plain::ULong),
    ("uint", Plain::UInt),
    ("ushort", Plain::UShort),
    ("ulong", Plain::ULong),
    ("clock_t", Plain::Long),
    ("half", Plain::Half),
    ("__half", Plain::Half),
];

/// Names of all types of CUDA C that are no words of C++, for the parser.
pub(crate) fn type_names() -> Vec<String> {
    let mut out: Vec<String> = TYPEDEFS.iter().map(|t| t.0.to_string()).collect();
    for (base, _) in VECTOR_ELEMENTS {
        out.extend((1..=4).map(|n| format!("{base}{n}")));
    }
    out.extend(["dim3", "half2", "__half2"].map(String::from));
    out
}

/// Elements of the vector types of OpenCL C.
pub(crate) const OPENCL_ELEMENTS: [(&str, Plain); 11] = [
    ("char", Plain::Char),
    ("uchar", Plain::UChar),
    ("short", Plain::Short),
    ("ushort", Plain::UShort),
    ("int", Plain::Int),
    ("uint", Plain::UInt),
    ("long", Plain::Long),
    ("ulong", Plain::ULong),
    ("half", Plain::Half),
    ("float", Plain::Float),
    ("double", Plain::Double),
];

/// Plain types of OpenCL C that are names and no words of C.
pub(crate) const OPENCL_NAMES: [(&str, Plain); 24] = [
    ("uchar", Plain::UChar),
    ("ushort", Plain::UShort),
    ("uint", Plain::UInt),
    ("ulong", Plain::ULong),
    ("size_t", Plain::ULong),
    ("ptrdiff_t", Plain::Long),
    ("intptr_t", Plain::Long),
    ("uintptr_t", Plain::ULong),
    ("half", Plain::Half),
    ("event_t", Plain::ULong),
    ("cl_mem_fence_flags", Plain::UInt),
    ("atomic_int", Plain::Int),
    ("atomic_uint", Plain::UInt),
    ("atomic_long", Plain::Long),
    ("atomic_ulong", Plain::ULong),
    ("atomic_float", Plain::Float),
    ("atomic_double", Plain::Double),
    ("atomic_flag", Plain::Int),
    ("atomic_size_t", Plain::ULong),
    ("atomic_ptrdiff_t", Plain::Long),
    ("atomic_intptr_t", Plain::Long),
    ("atomic_uintptr_t", Plain::ULong),
    ("memory_order", Plain::UInt),
    ("memory_scope", Plain::UInt),
];

/// Lengths of the vectors of OpenCL C.
pub(crate) const OPENCL_LENGTHS: [u64; 5] = [2, 3, 4, 8, 16];

/// Names of all types of OpenCL C that are no words of C.
pub(crate) fn opencl_type_names() -> Vec<String> {
    let vectors = OPENCL_ELEMENTS
        .iter()
        .flat_map(|(base, _)| OPENCL_LENGTHS.iter().map(move |n| format!("{base}{n}")));
    OPENCL_NAMES.iter().map(|(name, _)| (*name).to_string()).chain(vectors).collect()
}

/// Alignment of a vector type in bytes, from the size of its element.
pub(crate) fn vector_align(elem: u64, n: u64) -> u64 {
    match n {
        2 => 2 * elem,
        4 => (4 * elem).min(16),
        _ => elem,
    }
}
