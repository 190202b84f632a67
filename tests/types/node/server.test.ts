// The package's types on a server, without a DOM library.
import { readFile } from "node:fs/promises";
import { connect, isMediagateError, load, MediagateError } from "mediagate";

export async function image(): Promise<string | undefined> {
  await load(await readFile("mediagate.wasm"));
  const media = await connect({ url: "https://media.example.com", token: "t" });
  const id = await media.upload(await readFile("a.png"), {
    name: "a.png",
    type: "image/png",
  });
  const task = await media.backgroundRemoval({ file_id: id });
  await media.backgroundRemoval(
    { file_id: await readFile("a.png") },
    { maxRetries: 1 },
  );
  const { outputs } = await task.done();
  return outputs[0]?.url ?? undefined;
}

export function fails(): boolean {
  const error = new MediagateError({
    code: "insufficient_credits",
    message: "too few credits",
    outcome: "rejected",
  });
  // @ts-expect-error the code is one of the documented
  void new MediagateError({ code: "insufficient", message: "too few credits" });
  return isMediagateError(error) && error.outcome === "rejected";
}
