use std::pin::Pin;
use std::time::Duration;

use mediagate_platform::{ObjectError, Priority, ask_object, fetch_object};
use serde::Serialize;
use serde::de::DeserializeOwned;
use web_sys::Response;
use worker::Env;

/// Any of the requests to one kind of object.
pub trait Message: Serialize + DeserializeOwned {
    const BINDING: &'static str;

    fn priority(&self) -> Priority;
}

pub trait Request: Into<Self::Message> {
    type Message: Message;
    /// `()` is `null`.
    type Response: Serialize + DeserializeOwned;

    /// Responds with what `handle` returns. The arm of a request can thereby respond to no other
    /// request.
    fn respond(
        self,
        handle: impl AsyncFnOnce(Self) -> worker::Result<Self::Response>,
    ) -> impl Future<Output = worker::Result<Response>>
    where
        Self: Sized,
    {
        async { write(&handle(self).await?) }
    }
}

fn write(response: &impl Serialize) -> worker::Result<Response> {
    let text = serde_json::to_string(response)?;
    Ok(Response::new_with_opt_str(Some(&text))?)
}

pub(crate) trait Streaming: Into<Self::Message> {
    type Message: Message;
}

pub(crate) fn ask<'a, R: Request>(
    env: &'a Env,
    name: &'a str,
    request: R,
    limit: Duration,
) -> impl Future<Output = Result<R::Response, ObjectError>> + use<'a, R> {
    let sent = encode::<R::Message>(&request.into());
    let response = ask_text(env, R::Message::BINDING, name, sent, limit);
    async { serde_json::from_str(&response.await?).map_err(|_| ObjectError::Silent) }
}

/// Runs the part of [`ask`] that is compiled once, and not for each type of request.
fn ask_text<'a>(
    env: &'a Env,
    binding: &'static str,
    name: &'a str,
    sent: Result<(String, Priority), ObjectError>,
    limit: Duration,
) -> Pin<Box<dyn Future<Output = Result<String, ObjectError>> + 'a>> {
    Box::pin(async move {
        let (text, priority) = sent?;
        ask_object(env, binding, name, text, priority, limit).await
    })
}

/// Sends a request for a stream. The error is the reason why the object did not respond.
pub(crate) async fn open<R: Streaming>(
    env: &Env,
    name: &str,
    request: R,
) -> Result<Response, ObjectError> {
    let (text, priority) = encode::<R::Message>(&request.into())?;
    fetch_object(env, R::Message::BINDING, name, text, priority).await
}

fn encode<M: Message>(message: &M) -> Result<(String, Priority), ObjectError> {
    let text = serde_json::to_string(message).map_err(|_| ObjectError::Silent)?;
    Ok((text, message.priority()))
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
