//! The tests of the core.

mod catalogue;
mod codes;
mod decoding;
mod document;
mod fields;
mod forecast;
mod grammar;
mod models;
mod properties;
mod seed;
mod strategies;
mod validation;
