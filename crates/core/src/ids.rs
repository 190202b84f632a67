//! Names of the members of a record that hold an upstream id.

use alloc::string::String;

/// The kinds of id (§2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdKind {
    /// A task.
    Task,
    /// An uploaded file.
    File,
    /// A reusable asset.
    Asset,
}

impl IdKind {
    /// Every kind.
    pub const ALL: [IdKind; 3] = [IdKind::Task, IdKind::File, IdKind::Asset];

    /// Returns the kind's name.
    pub const fn name(self) -> &'static str {
        match self {
            IdKind::Task => "task",
            IdKind::File => "file",
            IdKind::Asset => "asset",
        }
    }
}

/// Returns the kind of id that a member holds.
///
/// `member` is a name such as `file_id`, `input_file_ids` or `taskId`. If it is `id`, the object's
/// own name decides: `container`, such as `task`, `files` or `output_asset`. Returns `None` for any
/// other member.
pub fn id_kind(container: &str, member: &str) -> Option<IdKind> {
    let member = snake(member);
    let named = |name: &str, kind: IdKind| {
        let name = name.strip_suffix('s').unwrap_or(name);
        name.strip_suffix(kind.name())
            .is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('_'))
    };
    if member == "id" {
        let container = snake(container);
        return IdKind::ALL
            .into_iter()
            .find(|kind| named(&container, *kind));
    }
    let owner = member
        .strip_suffix("_id")
        .or_else(|| member.strip_suffix("_ids"))?;
    IdKind::ALL.into_iter().find(|kind| named(owner, *kind))
}

/// Converts a name such as `taskId` to `task_id`.
pub fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for (index, letter) in name.char_indices() {
        // A run of capitals is one word: `fileID` becomes `file_id`.
        if letter.is_ascii_uppercase()
            && index > 0
            && !snake.ends_with('_')
            && !name[..index].ends_with(|letter: char| letter.is_ascii_uppercase())
        {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
