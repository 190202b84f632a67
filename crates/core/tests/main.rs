//! Tests of the core, but for those that count allocations, which need a program of their own.

#![expect(clippy::panic, reason = "tests fail by panicking")]

mod catalogue;
mod codes;
mod decoding;
mod dialect;
mod dialect_models;
mod document;
mod fields;
mod forecast;
mod grammar;
mod openapi;
mod pipelines;
mod probe;
mod properties;
mod schema;
mod seed;
mod strategies;
mod validation;
