// Hooks that show a task and an upload. They load no wasm: the client and the task that they take have.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { createError } from "./error.js";

/** @type {typeof import("./react.js").useTask} */
export function useTask(task) {
  const [view, setView] = useState(
    /** @type {Partial<import("./react.js").TaskView> & { task?: unknown }} */ ({}),
  );
  useEffect(() => {
    if (!task) return undefined;
    const controller = new AbortController();
    /** @param {Partial<import("./react.js").TaskView>} it */
    const show = (it) => controller.signal.aborted || setView({ task, ...it });
    (async () => {
      for await (const snapshot of task.updates({ signal: controller.signal }))
        show({ snapshot });
    })().catch((error) => show({ error, snapshot: task.snapshot }));
    return () => controller.abort();
  }, [task]);
  // The first render after a change of the task must not show the view of the task before.
  const { snapshot, error } = view.task === task ? view : {};
  return { snapshot: snapshot ?? task?.snapshot, error };
}

/** @typedef {import("./react.js").UploadState} UploadState */

/** @type {UploadState} */
const IDLE = { status: "idle" };

/** @type {typeof import("./react.js").useUpload} */
export function useUpload(media) {
  const [state, setState] = useState(IDLE);
  const running = useRef(
    /** @type {AbortController | undefined} */ (undefined),
  );
  const abort = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setState(IDLE);
  }, []);
  // Unmounting the component aborts the upload.
  useEffect(() => () => running.current?.abort(), []);

  const upload = useCallback(
    /** @type {import("./react.js").Upload["upload"]} */
    async (file, options) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      /** @param {UploadState} it */
      const show = (it) =>
        running.current === controller &&
        !controller.signal.aborted &&
        setState(it);
      show({ status: "uploading" });
      try {
        const { signal } = controller;
        /** @param {import("./react.js").Progress} progress */
        const onProgress = ({ loaded, total }) =>
          show({ status: "uploading", progress: { loaded, total } });
        if (!media)
          throw createError(
            "not_loaded",
            "no client yet; give useUpload the result of connect",
          );
        const id = await media.upload(file, { ...options, signal, onProgress });
        show({ status: "done", id });
        return id;
      } catch (error) {
        show({
          status: "failed",
          error: /** @type {import("./error.js").MediagateError} */ (error),
        });
        return undefined;
      }
    },
    [media],
  );
  return { ...state, upload, abort };
}

/** @typedef {import("./react.js").ListedUpload} ListedUpload */

let lastKey = 0;

/** @type {typeof import("./react.js").useUploads} */
export function useUploads(media) {
  const [files, setFiles] = useState(
    /** @type {readonly ListedUpload[]} */ ([]),
  );
  const running = useRef(
    /** @type {Map<number, AbortController>} */ (new Map()),
  );
  // Unmounting the component aborts the uploads.
  useEffect(() => {
    const { current } = running;
    return () => current.forEach((it) => void it.abort());
  }, []);

  const remove = useCallback((/** @type {number | undefined} */ key) => {
    const isMeant = (/** @type {number} */ it) =>
      key === undefined || it === key;
    for (const [it, controller] of running.current)
      if (isMeant(it)) controller.abort();
    setFiles((files) => files.filter((it) => !isMeant(it.key)));
  }, []);

  const upload = useCallback(
    /** @type {import("./react.js").Uploads["upload"]} */
    async (added, options) => {
      const all = Array.from(added, (file) => ({
        key: ++lastKey,
        file,
        controller: new AbortController(),
      }));
      for (const { key, controller } of all)
        running.current.set(key, controller);
      setFiles((files) => [
        ...files,
        ...all.map(({ key, file }) => ({
          key,
          file,
          status: /** @type {const} */ ("uploading"),
        })),
      ]);
      return Promise.all(
        all.map(async ({ key, file, controller: { signal } }) => {
          /** @param {Exclude<UploadState, { status: "idle" }>} state */
          const show = (state) =>
            signal.aborted ||
            setFiles((files) =>
              files.map((it) =>
                it.key === key ? { key, file, ...state } : it,
              ),
            );
          try {
            /** @param {import("./react.js").Progress} progress */
            const onProgress = ({ loaded, total }) =>
              show({ status: "uploading", progress: { loaded, total } });
            if (!media)
              throw createError(
                "not_loaded",
                "no client yet; give useUploads the result of connect",
              );
            const id = await media.upload(file, {
              ...options,
              signal,
              onProgress,
            });
            show({ status: "done", id });
            return id;
          } catch (error) {
            show({
              status: "failed",
              error: /** @type {import("./error.js").MediagateError} */ (error),
            });
            return undefined;
          } finally {
            running.current.delete(key);
          }
        }),
      );
    },
    [media],
  );
  return useMemo(
    () => ({ files, ...totals(files), upload, remove }),
    [files, upload, remove],
  );
}

/** @param {readonly ListedUpload[]} files */
function totals(files) {
  let [loaded, total] = [0, 0];
  for (const { file, status, progress } of files) {
    if (status === "failed") continue;
    total += file.size;
    loaded +=
      status === "done"
        ? file.size
        : Math.min(progress?.loaded ?? 0, file.size);
  }
  return {
    progress: { loaded, total },
    isUploading: files.some((it) => it.status === "uploading"),
  };
}
