//! Dialects drawn at random.

mod draw;
mod draw_account;
mod draw_task;
mod draw_upload;
mod drawer;
