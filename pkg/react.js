// Hooks that show a task and an upload. They load no wasm: the client and the task that they take have.

import { useCallback, useEffect, useRef, useState } from "react";
import { createError } from "./error.js";

/** @type {typeof import("./react.js").useTask} */
export function useTask(task) {
  const [view, setView] = useState(/** @type {Partial<import("./react.js").TaskView> & { task?: unknown }} */ ({}));
  useEffect(() => {
    if (!task) return undefined;
    const controller = new AbortController();
    /** @param {Partial<import("./react.js").TaskView>} it */
    const show = (it) => controller.signal.aborted || setView({ task, ...it });
    (async () => {
      for await (const snapshot of task.updates({ signal: controller.signal })) show({ snapshot });
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
  const running = useRef(/** @type {AbortController | undefined} */ (undefined));
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
      const show = (it) => running.current === controller && !controller.signal.aborted && setState(it);
      show({ status: "uploading" });
      try {
        const { signal } = controller;
        /** @param {import("./react.js").Progress} progress */
        const onProgress = ({ loaded, total }) => show({ status: "uploading", progress: { loaded, total } });
        if (!media) throw createError("not_loaded", "no client yet; give useUpload the result of connect");
        const id = await media.upload(file, { ...options, signal, onProgress });
        show({ status: "done", id });
        return id;
      } catch (error) {
        show({ status: "failed", error: /** @type {import("./error.js").MediagateError} */ (error) });
        return undefined;
      }
    },
    [media],
  );
  return { ...state, upload, abort };
}
