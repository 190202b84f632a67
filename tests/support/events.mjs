// Reads event streams.

/** Yields the events of a stream until it ends. */
export async function* events(response) {
  let text = "";
  for await (const chunk of response.body.pipeThrough(
    new TextDecoderStream(),
  )) {
    text += chunk;
    const complete = text.split("\n\n");
    text = complete.pop();
    for (const one of complete) {
      const lines = one
        .split("\n")
        .filter((line) => !line.startsWith(":") && !line.startsWith("retry:"));
      const fields = Object.fromEntries(
        lines.map((line) => line.split(/: (.*)/s)),
      );
      if (fields.data)
        yield {
          id: Number(fields.id),
          event: fields.event,
          ...JSON.parse(fields.data),
        };
    }
  }
}

export async function readAll(response) {
  const list = [];
  for await (const event of events(response)) list.push(event);
  return list;
}
