//! Handlers of exercise 2.2.4: the symmetric version, run by the host function of 2.2.1.

/// Names the functions of a module for exercise 2.2.4.
#[macro_export]
macro_rules! handlers_e2_2_04 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_2_04.product", |args| $crate::host::e2_2_01::product(exercise::matmultran, args)),
        ];
        list
    }};
}
