mod create_command;
mod rules;
mod validation;

pub(crate) use create_command::CreateCommand;
pub(crate) use rules::{fits, seconds};
pub(crate) use validation::validate_create;
