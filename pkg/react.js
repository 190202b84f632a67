// Hooks: what a component shows of a task and of an upload. They hold no wasm; what they are given does.

import { useCallback, useEffect, useRef, useState } from "react";
import { MediagateError } from "./error.js";

export function useTask(task) {
  const [seen, see] = useState({});
  useEffect(() => {
    if (!task) return undefined;
    const controller = new AbortController();
    const show = (it) => controller.signal.aborted || see({ task, ...it });
    (async () => {
      for await (const snapshot of task.updates({ signal: controller.signal })) show({ snapshot });
    })().catch((error) => show({ error, snapshot: task.snapshot }));
    return () => controller.abort();
  }, [task]);
  // What was seen of another task must not show for a moment as this one's.
  const { snapshot, error } = seen.task === task ? seen : {};
  return { snapshot: snapshot ?? task?.snapshot, error };
}

const IDLE = { status: "idle" };

export function useUpload(media) {
  const [state, become] = useState(IDLE);
  const running = useRef(undefined);
  const abort = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    become(IDLE);
  }, []);
  // Another upload, and the end of the component, end this one.
  useEffect(() => () => running.current?.abort(), []);

  const upload = useCallback(
    async (file, options) => {
      running.current?.abort();
      const controller = (running.current = new AbortController());
      const show = (it) => running.current === controller && !controller.signal.aborted && become(it);
      show({ status: "uploading" });
      try {
        const { signal } = controller;
        const onProgress = ({ loaded, total }) => show({ status: "uploading", progress: { loaded, total } });
        if (!media) throw new MediagateError({ code: "not_loaded", message: "no client yet; give useUpload what connect gave" });
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
