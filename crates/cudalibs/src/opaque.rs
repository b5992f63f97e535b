//! Types of the vendor's functions that are behind a pointer.

use std::os::raw::c_void;

/// A handle of a library, and other opaque pointers.
pub(crate) type Handle = *mut c_void;

/// A scalar of either precision, behind a pointer.
pub enum Number {}
