//! The part of the page below its form.

use mediagate::Progress;
use yew::{Html, html};

/// The progress of a video.
#[derive(PartialEq)]
pub(crate) enum Stage {
    /// The form has not been sent.
    Form,
    /// The client connects to the gateway.
    Connecting,
    /// The picture is being uploaded.
    Uploading(Progress),
    /// The task runs. Its progress, from 0 to 1, may be unknown.
    Following(Option<f64>),
    /// The task has ended, with the video's URL.
    Done(Option<String>),
    /// The video failed, with a message for a person.
    Failed(String),
}

impl Stage {
    /// Returns true if a video is being made.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(
            self,
            Stage::Connecting | Stage::Uploading(_) | Stage::Following(_)
        )
    }

    /// Renders the stage.
    pub(crate) fn view(&self) -> Html {
        match self {
            Stage::Form => Html::default(),
            Stage::Connecting => html! { <p>{ "Connecting" }<progress /></p> },
            Stage::Uploading(Progress { loaded, total, .. }) => html! {
                <p>
                    { "Uploading the picture" }
                    <progress value={loaded.to_string()} max={total.to_string()} />
                </p>
            },
            Stage::Following(progress) => html! {
                <p>
                    { "Making the video" }
                    <progress value={progress.map(|share| share.to_string())} />
                </p>
            },
            Stage::Done(Some(url)) => {
                html! { <video src={url.clone()} controls=true autoplay=true muted=true /> }
            }
            Stage::Done(None) => {
                html! { <p class="failure">{ "The task has ended, and its result has no video." }</p> }
            }
            Stage::Failed(message) => {
                html! { <p class="failure" role="alert">{ message.clone() }</p> }
            }
        }
    }
}
