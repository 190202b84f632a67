//! From a picture to a video.

use std::cell::RefCell;
use std::rc::Rc;

use mediagate::request::ImageToVideo;
use mediagate::{Client, Error, ErrorKind, File};

use crate::stage::Stage;

/// The page's client, once it is connected.
pub(crate) type Connection = Rc<RefCell<Option<Client>>>;

/// Makes a video, shows each stage on the way, and returns the video's URL; `None` where the result has none.
///
/// # Errors
/// In words for a person.
pub(crate) async fn make(
    connection: &Connection,
    picture: web_sys::File,
    prompt: String,
    show: impl Fn(Stage) + Clone + 'static,
) -> Result<Option<String>, String> {
    video(connection, picture, prompt, show)
        .await
        .map_err(|error| in_words(&error))
}

async fn video(
    connection: &Connection,
    picture: web_sys::File,
    prompt: String,
    show: impl Fn(Stage) + Clone + 'static,
) -> Result<Option<String>, Error> {
    show(Stage::Connecting);
    let client = connected(connection).await?;
    let file = File::from(picture);
    let uploading = show.clone();
    client
        .upload(&file)
        .progress(move |progress| uploading(Stage::Uploading(progress)))
        .await?;
    let task = client
        .image_to_video(ImageToVideo::new(&file, prompt))
        .await?;
    let mut updates = task.updates();
    while let Some(update) = updates.next().await {
        show(Stage::Following(update?.progress));
    }
    let done = task.done().await?;
    Ok(done.outputs.into_iter().find_map(|output| output.url))
}

/// The page's client: connected once, and cloned from then on.
async fn connected(connection: &Connection) -> Result<Client, Error> {
    let known = connection.borrow().clone();
    match known {
        Some(client) => Ok(client),
        None => {
            let client = Client::connect(gateway()).await?;
            Ok(connection.borrow_mut().insert(client).clone())
        }
    }
}

/// The URL in the page's own `<meta name="gateway">`.
fn gateway() -> String {
    let document = web_sys::window().and_then(|window| window.document());
    let meta = document.and_then(|document| document.query_selector("meta[name=gateway]").ok()?);
    meta.and_then(|meta| meta.get_attribute("content"))
        .unwrap_or_default()
}

fn in_words(error: &Error) -> String {
    let what = match error.kind() {
        ErrorKind::InvalidInput => "This picture or text was not accepted.",
        ErrorKind::Network | ErrorKind::TimedOut => "There was no connection. Try again.",
        ErrorKind::Limited => "That was too much at once. Try again later.",
        ErrorKind::Task => "The video was not made.",
        _ => "Something went wrong.",
    };
    format!("{what} ({error})")
}
