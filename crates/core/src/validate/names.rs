//! The names that an object may have.

use crate::field::Field;

/// The fields of one object: a capability's own, the common ones, and the parts of a region. Slices and plain functions rather than generics,
/// because a page would download each instance of the validator.
pub(super) type Fields = [&'static [Field]; 3];

/// The bit of a field among those of an object, which are 32 at most; 0 for any other name.
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
