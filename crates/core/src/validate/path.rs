use alloc::string::String;

use crate::text::push_number;

/// The path of a value. It becomes a string only if the value has an issue.
pub(crate) enum Path<'a> {
    Body,
    Member(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    pub(crate) fn write(&self, text: &mut String) {
        match self {
            Path::Body => {}
            Path::Member(parent, name) => {
                parent.write(text);
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(name);
            }
            Path::Item(parent, index) => {
                parent.write(text);
                text.push('[');
                push_number(text, *index);
                text.push(']');
            }
        }
    }
}
