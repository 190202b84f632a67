//! Prints the gateway's OpenAPI document.

fn main() {
    println!("{}", mediagate_worker::openapi::document());
}
