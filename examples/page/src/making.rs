//! The client's calls that make a video from a picture.

use std::cell::RefCell;
use std::rc::Rc;

use mediagate::request::ImageToVideo;
use mediagate::{Client, Error, ErrorKind, File};

use crate::stage::Stage;

/// The page's client, after its first connection.
pub(crate) type Connection = Rc<RefCell<Option<Client>>>;

/// Makes a video and shows each stage. Returns the video's URL, or `None` if the result has no URL.
pub(crate) async fn make(
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

/// Returns the page's client. Connects only once.
async fn connected(connection: &Connection) -> Result<Client, Error> {
    // Cloned in a statement of its own: the borrow must end before the client is awaited.
    let known = connection.borrow().clone();
    match known {
        Some(client) => Ok(client),
        None => {
            let client = Client::connect(gateway()).await?;
            Ok(connection.borrow_mut().insert(client).clone())
        }
    }
}

/// Returns the URL in the page's own `<meta name="gateway">`.
fn gateway() -> String {
    let document = web_sys::window().and_then(|window| window.document());
    let meta = document.and_then(|document| document.query_selector("meta[name=gateway]").ok()?);
    meta.and_then(|meta| meta.get_attribute("content"))
        .unwrap_or_default()
}

/// Returns an error as a message for a person.
pub(crate) fn in_words(error: Error) -> String {
    let what = match error.kind() {
        ErrorKind::InvalidInput => "This picture or text was not accepted.",
        ErrorKind::Network | ErrorKind::TimedOut => "There was no connection. Try again.",
        ErrorKind::Limited => "That was too much at once. Try again later.",
        ErrorKind::Task => "The video was not made.",
        _ => "Something went wrong.",
    };
    format!("{what} ({error})")
}
