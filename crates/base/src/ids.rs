//! Typed numbers: a coordinate's number is not a constraint's number.
//!
//! A number of one kind counts the elements of one list, from 0. [`define_id!`](crate::define_id) makes a kind, [`IdVec`] is a list whose elements are
//! numbered by it, [`IdRange`] is a run of such numbers. The kinds that several crates speak of are here.
//!
//! ```
//! use polhode_base::ids::{ConstraintId, Id, IdVec};
//!
//! let names: IdVec<ConstraintId, &str> = ["blade", "wheel"].into_iter().collect();
//! let wheel = names.ids().find(|c| names[*c] == "wheel").unwrap();
//! assert_eq!((wheel, wheel.index(), wheel.to_string()), (ConstraintId::new(1), 1, "1".to_owned()));
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut, Range, RangeFull};

/// A number of one kind.
pub trait Id: Copy + Eq {
    /// The number of the element at `index`.
    fn new(index: usize) -> Self;
    /// The position of the element in its list.
    fn index(self) -> usize;
}

/// Defines a newtype over `u32` that serves as an index into one kind of list.
///
/// The type is `Copy`, ordered and hashable; `new` takes and `index` gives a
/// `usize`. No list here grows past `u32::MAX`, so `new` clamps rather than fails.
#[macro_export]
macro_rules! define_id {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis struct $name(u32);

        impl $crate::ids::Id for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.0, f)
            }
        }
    )+};
}

define_id! {
    /// The number of a constraint, in the order of the model.
    pub struct ConstraintId;
    /// The number of a row among those that a jump of the velocities may need: of the representation, of constraints, walls and borders.
    pub struct RowId;
    /// The number of an event that is watched for. Those of the model come first.
    pub struct EventId;
    /// The number of a set of constraints in force.
    pub struct ModeId;
    /// The number of a choice of independent velocities.
    pub struct ChartId;
    /// The number of a wall.
    pub struct WallId;
    /// The number of a border between regions.
    pub struct BorderId;
    /// The number of a contact: those of bodies, and after them the walls, whose lasting contact rolls and slides like theirs.
    pub struct ContactId;
    /// The number of a latch.
    pub struct LatchId;
}

/// A list whose elements are numbered by one kind of number.
pub struct IdVec<I, T> {
    items: Vec<T>,
    kind: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// A list without elements.
    pub const fn new() -> Self {
        IdVec { items: Vec::new(), kind: PhantomData }
    }

    /// Appends an element: its number.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// The element of a number, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All numbers in order.
    pub fn ids(&self) -> IdRange<I> {
        IdRange::new(0, self.items.len())
    }

    /// All elements with their numbers.
    pub fn enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(k, item)| (I::new(k), item))
    }

    /// The number of the first element with a property.
    pub fn find_id(&self, wanted: impl FnMut(&T) -> bool) -> Option<I> {
        self.items.iter().position(wanted).map(I::new)
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// `list[..]`, all elements without their numbers.
impl<I, T> Index<RangeFull> for IdVec<I, T> {
    type Output = [T];

    fn index(&self, _: RangeFull) -> &[T] {
        &self.items
    }
}

impl<I, T> Deref for IdVec<I, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<I, T> DerefMut for IdVec<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        IdVec { items, kind: PhantomData }
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        items.into_iter().collect::<Vec<T>>().into()
    }
}

impl<I, T> Extend<T> for IdVec<I, T> {
    fn extend<A: IntoIterator<Item = T>>(&mut self, items: A) {
        self.items.extend(items);
    }
}

impl<I, T> IntoIterator for IdVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

// by hand, because derives would ask the same of the kind of number
impl<I, T: Clone> Clone for IdVec<I, T> {
    fn clone(&self) -> Self {
        self.items.clone().into()
    }
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T: PartialEq> PartialEq for IdVec<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<I, T: Eq> Eq for IdVec<I, T> {}

impl<I, T: std::hash::Hash> std::hash::Hash for IdVec<I, T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.items.hash(state);
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

/// Numbers that follow each other; an iterator over them.
pub struct IdRange<I> {
    start: usize,
    end: usize,
    kind: PhantomData<fn(I)>,
}

impl<I: Id> IdRange<I> {
    /// Those from the position `start` on, and before `end`.
    pub fn new(start: usize, end: usize) -> IdRange<I> {
        IdRange { start, end, kind: PhantomData }
    }

    /// The first of them.
    pub fn first(self) -> I {
        I::new(self.start)
    }

    /// The first of them alone.
    pub fn only_first(self) -> IdRange<I> {
        IdRange::new(self.start, self.end.min(self.start + 1))
    }

    /// The one at a place among them.
    pub fn at(self, place: usize) -> I {
        I::new(self.start + place)
    }

    /// Their positions in their list.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether a number is among them.
    pub fn contains(self, id: I) -> bool {
        self.range().contains(&id.index())
    }

    /// Where a number is among them.
    pub fn place(self, id: I) -> Option<usize> {
        self.contains(id).then(|| id.index() - self.start)
    }
}

impl<I: Id> Iterator for IdRange<I> {
    type Item = I;

    fn next(&mut self) -> Option<I> {
        (self.start < self.end).then(|| {
            self.start += 1;
            I::new(self.start - 1)
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end.saturating_sub(self.start);
        (left, Some(left))
    }
}

impl<I: Id> DoubleEndedIterator for IdRange<I> {
    fn next_back(&mut self) -> Option<I> {
        (self.start < self.end).then(|| {
            self.end -= 1;
            I::new(self.end)
        })
    }
}

impl<I: Id> ExactSizeIterator for IdRange<I> {}

impl<I> Clone for IdRange<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for IdRange<I> {}

impl<I> PartialEq for IdRange<I> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.end) == (other.start, other.end)
    }
}

impl<I> Eq for IdRange<I> {}

impl<I> fmt::Debug for IdRange<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn lists_are_read_by_their_own_numbers() {
        let mut list: IdVec<FrameId, char> = IdVec::new();
        let (a, b) = (list.push('a'), list.push('b'));
        list[a] = 'c';
        assert_eq!((list[a], list[b], list.get(FrameId::new(2))), ('c', 'b', None));
        assert_eq!(list.find_id(|x| *x == 'b'), Some(b));
        assert_eq!(list.enumerated().map(|(k, _)| k).collect::<Vec<_>>(), list.ids().collect::<Vec<_>>());
    }

    #[test]
    fn ranges_know_their_places() {
        let range = IdRange::<FrameId>::new(3, 6);
        assert_eq!((range.len(), range.first(), range.at(2)), (3, FrameId::new(3), FrameId::new(5)));
        assert_eq!((range.place(FrameId::new(4)), range.place(FrameId::new(6))), (Some(1), None));
        assert_eq!(range.rev().map(Id::index).collect::<Vec<_>>(), [5, 4, 3]);
    }
}
