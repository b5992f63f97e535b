//! What a parameter's word stands for.

/// What a parameter stands for, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The word itself.
    Value,
    /// Memory that the function reads: as many elements of that size as the value of another
    /// parameter says.
    Takes { count: Count, size: usize },
    /// Text that ends in NUL.
    Text,
    /// A list of texts; the parameter before says how many.
    Texts,
    /// A list of words that ends in 0.
    UntilZero,
    /// Room for as many elements as the parameter before says; the one behind is told how many
    /// there are.
    Room { size: usize },
    /// A number or handle that the function gives back.
    Gives { size: usize },
    /// A function of the program, which is called with the next parameter.
    Callback,
    /// What the emulated platform does not look at.
    Nothing,
}

/// How many elements there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    Fixed(usize),
    /// As the parameter before says.
    Before,
    /// As the parameter behind says.
    Behind,
    /// As the third parameter says, and not more than three.
    Dimensions,
}

/// Most bytes of a [`Room`](Shape::Room).
pub const MOST_ROOM: usize = 64 << 20;

impl Shape {
    /// By the parameter's name, and whether it is a pointer.
    pub fn of(name: &str, pointer: bool) -> Shape {
        use Count::{Before, Behind, Dimensions, Fixed};
        let takes = |count, size| Shape::Takes { count, size };
        match name {
            "param_value" => Shape::Room { size: 1 },
            _ if !pointer => Shape::Value,
            // A command takes from there, or puts something there.
            "ptr" | "host_ptr" => Shape::Value,
            "platforms" | "devices" | "kernels" | "image_formats" => Shape::Room { size: 8 },
            "event" | "param_value_size_ret" => Shape::Gives { size: 8 },
            "num_platforms" | "num_devices" | "num_kernels_ret" | "num_image_formats" => {
                Shape::Gives { size: 4 }
            }
            "device_list" | "mem_objects" | "event_list" | "event_wait_list" => takes(Before, 8),
            "properties" => Shape::UntilZero,
            "buffer_create_info" => takes(Fixed(16), 1),
            "arg_value" => takes(Before, 1),
            "pattern" => takes(Behind, 1),
            "region" | "buffer_origin" | "host_origin" | "src_origin" | "dst_origin" => {
                takes(Fixed(3), 8)
            }
            "global_work_offset" | "global_work_dims" | "local_work_dims" => takes(Dimensions, 8),
            "options" | "kernel_name" => Shape::Text,
            "strings" => Shape::Texts,
            "pfn_notify" => Shape::Callback,
            _ => Shape::Nothing,
        }
    }
}

/// Bytes behind the parameter `at` of a call with these words, if it takes so many.
pub fn taken(words: &[u64], at: usize, count: Count, size: usize) -> Option<usize> {
    let count = match count {
        Count::Fixed(count) => count,
        Count::Before => usize::try_from(*words.get(at.checked_sub(1)?)?).ok()?,
        Count::Behind => usize::try_from(*words.get(at + 1)?).ok()?,
        Count::Dimensions => (*words.get(2)?).min(3) as usize,
    };
    count.checked_mul(size)
}
