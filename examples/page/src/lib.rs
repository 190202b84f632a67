//! A page in Yew that makes a video from a picture and a motion prompt, and shows the upload, the
//! task and the video.

#![cfg(target_family = "wasm")]

mod making;
mod stage;

use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::{
    Callback, Html, NodeRef, SubmitEvent, component, html, use_mut_ref, use_node_ref, use_state,
};

use making::{Connection, in_words, make};
use stage::Stage;

/// Renders the page.
#[wasm_bindgen(start)]
pub fn start() {
    yew::Renderer::<Page>::new().render();
}

#[component]
fn Page() -> Html {
    let stage = use_state(|| Stage::Form);
    let connection: Connection = use_mut_ref(|| None);
    let picture = use_node_ref();
    let prompt = use_node_ref();
    let submit = {
        let stage = stage.setter();
        let picture = picture.clone();
        let prompt = prompt.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let (Some(picture), Some(prompt)) = (chosen(&picture), written(&prompt)) else {
                // Both inputs are required, so the browser submits no form without them.
                return;
            };
            let connection = connection.clone();
            let stage = stage.clone();
            spawn_local(async move {
                let show = stage.clone();
                let last = make(&connection, picture, prompt, move |stage| show.set(stage)).await;
                stage.set(last.map_or_else(|error| Stage::Failed(in_words(error)), Stage::Done));
            });
        })
    };
    html! {
        <main>
            <h1>{ "A picture that moves" }</h1>
            <form onsubmit={submit}>
                <label>
                    { "Picture" }
                    <input ref={picture} type="file" accept="image/*" required=true />
                </label>
                <label>
                    { "How it moves" }
                    <input ref={prompt} value="slow push in" required=true />
                </label>
                <button disabled={stage.is_busy()}>{ "Make a video" }</button>
            </form>
            <section aria-live="polite">{ stage.view() }</section>
        </main>
    }
}

/// Returns the chosen file.
fn chosen(input: &NodeRef) -> Option<web_sys::File> {
    input.cast::<HtmlInputElement>()?.files()?.get(0)
}

/// Returns the text of an input.
fn written(input: &NodeRef) -> Option<String> {
    Some(input.cast::<HtmlInputElement>()?.value())
}
