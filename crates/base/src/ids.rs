//! Typed indices: a coordinate's number is not a constraint's number.
//!
//! ```
//! polhode_base::define_id! {
//!     /// The number of a constraint, in the order of the model file.
//!     pub struct ConstraintId;
//! }
//! let third = ConstraintId::new(2);
//! assert_eq!(third.index(), 2);
//! assert_eq!(third.to_string(), "2");
//! ```

/// Defines a newtype over `u32` that serves as an index into one kind of list.
///
/// The type is `Copy`, ordered and hashable; `new` takes and `index` gives a
/// `usize`. No list here grows past `u32::MAX`, so `new` clamps rather than fails.
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $vis:vis struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis struct $name(u32);

        impl $name {
            /// The id of the element at `index`.
            #[allow(dead_code, reason = "not every kind of id is made everywhere")]
            $vis fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            /// The position of the element in its list.
            #[allow(dead_code, reason = "not every kind of id is looked up everywhere")]
            $vis fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    define_id! {
        /// A frame field.
        struct FrameId;
    }

    #[test]
    fn ids_keep_their_order() {
        assert!(FrameId::new(1) < FrameId::new(2));
        assert_eq!(FrameId::new(7).index(), 7);
        assert_eq!(FrameId::new(usize::MAX).index(), u32::MAX as usize);
    }
}
