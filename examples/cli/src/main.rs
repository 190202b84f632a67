//! Makes any capability from a JSON file: `media-cli image_to_video request.json`.

mod bar;
mod file;

use std::error::Error as _;
use std::iter::successors;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Parser;
use clap::builder::PossibleValuesParser;
use mediagate::request::{self, Input};
use mediagate::{Client, Error, FileInput, Outcome};

use bar::Bar;
use file::Request;

/// Makes media from a JSON file, through a gateway. Prints the URLs of the results, one per line.
#[derive(Parser)]
struct Options {
    /// The name of the capability, such as image_to_video
    #[arg(
        value_parser = PossibleValuesParser::new(request::NAMES.iter().copied()),
        hide_possible_values = true,
    )]
    capability: String,
    /// The file with the fields of the request, a JSON object. A string such as "@photo.png" is a
    /// file beside it, which is uploaded; write "@@" if the text itself begins with "@"
    request: PathBuf,
    /// The URL of the gateway
    #[arg(long, env = "MEDIAGATE_URL", default_value = "http://127.0.0.1:8787")]
    gateway: String,
    /// The session token; `mediagate-gateway dev` and `mediagate-gateway token` print one
    #[arg(long, env = "MEDIAGATE_TOKEN", hide_env_values = true)]
    token: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match make(Options::parse()).await {
        Ok(urls) => {
            urls.iter().for_each(|url| println!("{url}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the request and shows its progress. Returns the URLs of the results.
async fn make(options: Options) -> Result<Vec<String>> {
    let Options {
        capability,
        request,
        gateway,
        token,
    } = options;
    let request = Request::read(&request)?;
    let client = Client::connect(gateway)
        .token(token)
        .await
        .map_err(in_words)?;
    let bar = Arc::new(Bar::new());
    let input = uploaded(&client, request, &bar).await?;
    bar.working("creating the task");
    let retrying = bar.clone();
    let create = client
        .create_json(capability, input)
        .on_retry(move |retry| retrying.retrying(&retry));
    let task = create.await.map_err(in_words)?;
    let mut updates = task.updates();
    while let Some(update) = updates.next().await {
        bar.following(&update.map_err(in_words)?);
    }
    let done = task.done().await.map_err(in_words)?;
    bar.end();
    Ok(done
        .outputs
        .into_iter()
        .filter_map(|output| output.url.or(output.asset_id))
        .collect())
}

/// Uploads the files, one by one. Returns the input with their ids.
async fn uploaded(client: &Client, request: Request, bar: &Arc<Bar>) -> Result<Input> {
    let mut input = Input::from(request.fields);
    for (name, files) in request.files {
        let mut ids: Vec<FileInput> = Vec::new();
        for file in files.items {
            bar.uploading(&file);
            let noticed = bar.clone();
            let id = client
                .upload(&file)
                .progress(move |progress| noticed.sent(progress))
                .await;
            ids.push(
                id.map_err(in_words)
                    .with_context(|| format!("uploading {}", file.name()))?
                    .into(),
            );
        }
        // A list with one file stays a list.
        input = match (files.is_list, ids.pop()) {
            (false, Some(id)) => input.file(name, id),
            (_, last) => input.files(name, ids.into_iter().chain(last)),
        };
    }
    Ok(input)
}

/// Describes an error with its issues, its hint, its causes, and the key to repeat a lost create.
fn in_words(error: Error) -> anyhow::Error {
    let mut lines = vec![error.to_string()];
    let report = error.report();
    lines.extend(
        report
            .issues
            .iter()
            .map(|issue| format!("  {}: {}", issue.path, issue.message)),
    );
    lines.extend(report.hint.iter().map(|hint| format!("  {hint}")));
    if let (Some(Outcome::Unknown), Some(key)) = (error.outcome(), &report.idempotency_key) {
        lines.push(format!(
            "  the task may exist and may have cost credits; its idempotency key is {key}"
        ));
    }
    let causes = successors(error.source(), |cause| (*cause).source());
    lines.extend(causes.map(|cause| format!("  because of: {cause}")));
    anyhow::anyhow!(lines.join("\n"))
}
