//! The names of an object's fields.

use crate::field::Field;

/// The fields of one object: a capability's own, the common ones, and the parts of a region. Slices
/// and plain functions rather than generics, because a page would download each instance of the
/// validator.
pub(super) type Fields = [&'static [Field]; 3];

/// Returns the bit of a field of an object, or 0 for an unknown name. An object has at most 32
/// fields, which a test of the catalogue checks.
pub(super) fn bit_of(fields: Fields, name: &str) -> u32 {
    let mut bit = 1_u32;
    for list in fields {
        for field in list {
            if field.name == name {
                return bit;
            }
            bit = bit.rotate_left(1);
        }
    }
    0
}
