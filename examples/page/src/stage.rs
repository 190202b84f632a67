//! What the page shows below its form.

use mediagate::Progress;
use yew::{Html, html};

/// How far the video is.
#[derive(PartialEq)]
pub(crate) enum Stage {
    /// Nothing was begun.
    Form,
    /// The gateway is being reached.
    Connecting,
    /// The picture is being uploaded.
    Uploading(Progress),
    /// The task runs, with this progress from 0 to 1 where it is known.
    Following(Option<f64>),
    /// The video is at this URL.
    Done(Option<String>),
    /// It failed, in words for a person.
    Failed(String),
}

impl Stage {
    /// Whether a video is being made.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(
            self,
            Stage::Connecting | Stage::Uploading(_) | Stage::Following(_)
        )
    }

    /// The stage on the page.
    pub(crate) fn view(&self) -> Html {
        match self {
            Stage::Form => Html::default(),
            Stage::Connecting => html! { <p>{ "Connecting" }<progress /></p> },
            Stage::Uploading(Progress { loaded, total, .. }) => html! {
                <p>{ "Uploading the picture" }<progress value={loaded.to_string()} max={total.to_string()} /></p>
            },
            Stage::Following(progress) => html! {
                <p>{ "Making the video" }<progress value={progress.map(|share| share.to_string())} /></p>
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
