//! From a picture to a video.

use mediagate::request::ImageToVideo;
use mediagate::{Client, Error, File};

use crate::stage::Stage;

/// Makes a video, shows each stage on the way, and returns the video's URL; `None` where the result has none.
///
/// # Errors
/// In words for a person.
pub(crate) async fn make(
    picture: web_sys::File,
    prompt: String,
    show: impl Fn(Stage) + Clone + 'static,
) -> Result<Option<String>, String> {
    video(picture, prompt, show).await.map_err(|it| in_words(&it))
}

async fn video(
    picture: web_sys::File,
    prompt: String,
    show: impl Fn(Stage) + Clone + 'static,
) -> Result<Option<String>, Error> {
    show(Stage::Connecting);
    let client = Client::connect(gateway()).await?;
    let file = File::from(picture);
    let uploading = show.clone();
    client.upload(&file).progress(move |it| uploading(Stage::Uploading(it))).await?;
    let task = client.image_to_video(ImageToVideo::new(&file, prompt)).await?;
    let mut updates = task.updates();
    while let Some(update) = updates.next().await {
        show(Stage::Following(update?.progress));
    }
    let done = task.done().await?;
    Ok(done.outputs.into_iter().find_map(|it| it.url))
}

/// The URL in the page's own `<meta name="gateway">`.
fn gateway() -> String {
    let document = web_sys::window().and_then(|it| it.document());
    let meta = document.and_then(|it| it.query_selector("meta[name=gateway]").ok()?);
    meta.and_then(|it| it.get_attribute("content")).unwrap_or_default()
}

fn in_words(error: &Error) -> String {
    let what = match error {
        Error::InvalidInput(_) => "This picture or text was not accepted.",
        Error::Network(_) | Error::TimedOut(_) => "There was no connection. Try again.",
        Error::Limited(_) => "That was too much at once. Try again later.",
        Error::Task(_) => "The video was not made.",
        _ => "Something went wrong.",
    };
    format!("{what} ({error})")
}
