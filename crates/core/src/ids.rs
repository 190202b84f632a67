//! Which members of a record hold an upstream id, and of which kind.

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

    /// The kind's name.
    pub const fn name(self) -> &'static str {
        match self {
            IdKind::Task => "task",
            IdKind::File => "file",
            IdKind::Asset => "asset",
        }
    }
}

/// The kind of id in `member`: `file_id`, `input_file_ids`, `taskId`, or the `id` of an object whose own name,
/// `container`, is `task`, `files`, `output_asset` and the like. `None` for any other member.
pub fn id_kind(container: &str, member: &str) -> Option<IdKind> {
    let member = snake(member);
    let named = |name: &str, kind: IdKind| {
        let name = name.strip_suffix('s').unwrap_or(name);
        name.strip_suffix(kind.name())
            .is_some_and(|it| it.is_empty() || it.ends_with('_'))
    };
    if member == "id" {
        let container = snake(container);
        return IdKind::ALL.into_iter().find(|it| named(&container, *it));
    }
    let owner = member
        .strip_suffix("_id")
        .or_else(|| member.strip_suffix("_ids"))?;
    IdKind::ALL.into_iter().find(|it| named(owner, *it))
}

/// A name such as `taskId` as `task_id`.
pub fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for (index, letter) in name.char_indices() {
        if letter.is_ascii_uppercase()
            && index > 0
            && !snake.ends_with('_')
            && !name[..index].ends_with(|it: char| it.is_ascii_uppercase())
        {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
