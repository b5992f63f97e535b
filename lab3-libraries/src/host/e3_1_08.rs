//! Handlers of exercise 3.1.8: moments of inertia.

/// Handlers of exercise 3.1.8 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_1_08 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_1_07 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e3_1_08.inertia", |args| host::integral(exercise::inertia, args))];
        list
    }};
}
