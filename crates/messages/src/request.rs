//! Requests to Durable Objects, each with the type of its response.

use std::time::Duration;

use mediagate_platform::{ObjectError, Priority, ask_object, fetch_object, respond};
use serde::Serialize;
use serde::de::DeserializeOwned;
use web_sys::Response;
use worker::Env;

/// A message to one kind of object: any of the requests to it.
pub trait Message: Serialize + DeserializeOwned {
    /// The name of the objects' binding.
    const BINDING: &'static str;

    /// Returns the importance of the request while many objects are open.
    fn priority(&self) -> Priority;
}

/// A request whose response is JSON.
pub trait Request: Into<Self::Message> {
    /// The message that contains the request.
    type Message: Message;
    /// The response. `()` is `null`.
    type Response: Serialize + DeserializeOwned;

    /// Writes the object's response.
    ///
    /// # Errors
    /// Those of the serialisation.
    fn respond(response: &Self::Response) -> worker::Result<Response> {
        respond(response)
    }
}

/// A request whose response is a stream.
pub(crate) trait Streaming: Into<Self::Message> {
    /// The message that contains the request.
    type Message: Message;
}

/// Sends a request to the object with this name.
///
/// # Errors
/// The reason why the object did not respond.
pub(crate) async fn ask<R: Request>(
    env: &Env,
    name: &str,
    request: R,
    limit: Duration,
) -> Result<R::Response, ObjectError> {
    let Sent { text, priority } = Sent::new::<R::Message>(&request.into())?;
    let binding = R::Message::BINDING;
    let response = ask_object(env, binding, name, text, priority, limit).await?;
    serde_json::from_str(&response).map_err(|_| ObjectError::Silent)
}

/// Sends a request for a stream to the object with this name.
///
/// # Errors
/// The reason why the object did not respond.
pub(crate) async fn open<R: Streaming>(
    env: &Env,
    name: &str,
    request: R,
) -> Result<Response, ObjectError> {
    let Sent { text, priority } = Sent::new::<R::Message>(&request.into())?;
    fetch_object(env, R::Message::BINDING, name, text, priority).await
}

/// A message as it is sent.
struct Sent {
    text: String,
    priority: Priority,
}

impl Sent {
    fn new<M: Message>(message: &M) -> Result<Self, ObjectError> {
        let text = serde_json::to_string(message).map_err(|_| ObjectError::Silent)?;
        let priority = message.priority();
        Ok(Sent { text, priority })
    }
}

/// Defines the message to a kind of object: the binding, then each request with the type of its
/// response and its priority. The response to a request of `streams` is a stream.
macro_rules! requests {
    (
        $(#[$doc:meta])*
        enum $message:ident to $binding:literal {
            $($request:ident -> $response:ty, $priority:ident;)*
        }
        streams {
            $($stream:ident, $stream_priority:ident;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(::serde::Serialize, ::serde::Deserialize)]
        #[allow(clippy::large_enum_variant, reason = "a message is made to be sent at once")]
        pub enum $message {
            $($request($request),)*
            $($stream($stream),)*
        }

        impl $crate::request::Message for $message {
            const BINDING: &'static str = $binding;

            fn priority(&self) -> ::mediagate_platform::Priority {
                match self {
                    $($message::$request(_) => ::mediagate_platform::Priority::$priority,)*
                    $($message::$stream(_) => ::mediagate_platform::Priority::$stream_priority,)*
                }
            }
        }

        $(
            impl From<$request> for $message {
                fn from(request: $request) -> Self {
                    $message::$request(request)
                }
            }

            impl $crate::request::Request for $request {
                type Message = $message;
                type Response = $response;
            }
        )*

        $(
            impl From<$stream> for $message {
                fn from(request: $stream) -> Self {
                    $message::$stream(request)
                }
            }

            impl $crate::request::Streaming for $stream {
                type Message = $message;
            }
        )*
    };
}

pub(crate) use requests;
