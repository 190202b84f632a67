// Every entry has equal exports, except for the argument of `load`.

import * as whole from "mediagate";
import * as inline from "mediagate/inline";
import wasm from "mediagate/mediagate.wasm";
import { usePipeline, useTask, useUpload } from "mediagate/react";
import * as slim from "mediagate/slim";
import { openStore } from "mediagate/store";

export const same: typeof whole = inline;
export const compatible: Omit<typeof whole, "load"> = slim;

export async function loads(
  bytes: Uint8Array<ArrayBuffer>,
  module: WebAssembly.Module,
): Promise<void> {
  await whole.load();
  await inline.load();
  // @ts-expect-error this entry contains no wasm
  await slim.load();
  for (const source of [
    wasm,
    bytes,
    bytes.buffer,
    module,
    "/m.wasm",
    new URL("https://a.test"),
    fetch("/m.wasm"),
  ]) {
    await slim.load(source);
  }
  // @ts-expect-error a number is neither a URL nor wasm
  await slim.load(42);
}

export async function stores(media: whole.Media): Promise<void> {
  const store = await openStore({
    name: "mine",
    onError: (error: unknown) => void error,
  });
  const [task] = await store.tasks(store.keep(media));
  if (task) await store.forget(task);
  // @ts-expect-error an id is not a task
  await store.forget("id");
}

export function useShown(
  media: whole.Media | undefined,
  task: whole.Task | undefined,
): string {
  const { snapshot, error } = useTask(task);
  const { status, id, progress, upload } = useUpload({ media });
  const sent: Promise<string | undefined> = upload(new File([], "a"), {
    timeout: 1000,
  });
  // @ts-expect-error the hook owns the signal
  void upload(new File([], "a"), { signal: new AbortController().signal });
  // @ts-expect-error there is no such status
  if (status === "sending") return "never";
  // @ts-expect-error progress is undefined before and after an upload
  const loaded: number = progress.loaded;
  void [sent, loaded];
  return status === "done" ? id : (error?.code ?? snapshot?.state ?? "");
}

export function useSteps(film: whole.Pipeline | undefined): string[] {
  const { snapshot, error, retry } = usePipeline(film);
  const again: () => void = retry;
  const code: whole.ErrorCode | undefined = error?.code;
  void [again, code];
  return snapshot?.steps.map((step) => step.name) ?? [];
}

export async function histories(media: whole.Media): Promise<string[]> {
  const page: whole.TaskPage = await media.tasks.list();
  const found: string[] = page.tasks.map((entry) => entry.id);
  for await (const entry of await media.tasks.list()) found.push(entry.id);
  for await (const entry of await media.pipelines.list()) found.push(entry.id);
  for await (const entry of media.pipelines.list()) found.push(entry.id);
  return found;
}

export async function uploads(
  media: whole.Media,
  bytes: Uint8Array<ArrayBuffer>,
  blob: Blob,
): Promise<string[]> {
  const named = {
    name: "a.png",
    type: "image/png",
    onProgress: ({ loaded }: { loaded: number }) => void loaded,
  };
  // @ts-expect-error an id is not a file
  await media.upload("f");
  return Promise.all(
    [blob, bytes, bytes.buffer, blob.stream()].map((source) =>
      media.upload(source, named),
    ),
  );
}

export async function hooks(): Promise<void> {
  const middleware: whole.Middleware = async (
    { method, capability, headers },
    next,
  ) => {
    headers.set("x-team", "blue");
    // @ts-expect-error the capability is a name of the catalogue
    if (capability === "image_to_vide") return next();
    void method;
    return (await next()).clone();
  };
  await whole.connect({ url: "/media", fetch, middleware });
  await whole.connect({
    url: "/media",
    // @ts-expect-error a middleware returns the response
    middleware: async (_, next) => void (await next()),
  });
}
