// Hooks that show a task and an upload. They load no wasm: the client and the task that they take have.

import { useCallback, useEffect, useRef, useState } from "react";
import { MediagateError } from "./error.js";

export function useTask(task) {
  const [view, setView] = useState({});
  useEffect(() => {
    if (!task) return undefined;
    const controller = new AbortController();
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

const IDLE = { status: "idle" };

export function useUpload(media) {
  const [state, setState] = useState(IDLE);
  const running = useRef(undefined);
  const abort = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setState(IDLE);
  }, []);
  // Unmounting the component aborts the upload.
  useEffect(() => () => running.current?.abort(), []);

  const upload = useCallback(
    async (file, options) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const show = (it) => running.current === controller && !controller.signal.aborted && setState(it);
      show({ status: "uploading" });
      try {
        const { signal } = controller;
        const onProgress = ({ loaded, total }) => show({ status: "uploading", progress: { loaded, total } });
        if (!media)
          throw new MediagateError({
            code: "not_loaded",
            message: "no client yet; give useUpload the result of connect",
          });
        const id = await media.upload(file, { ...options, signal, onProgress });
        show({ status: "done", id });
        return id;
      } catch (error) {
        show({ status: "failed", error });
        return undefined;
      }
    },
    [media],
  );
  return { ...state, upload, abort };
}
