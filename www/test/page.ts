/** Pages of a browser, with the client of `mediagate/testing` and the real store. */
import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import type { Media } from "mediagate";
import { render } from "preact";
import { vi } from "vitest";

const channels = new Set<BroadcastChannel>();

class Channel extends BroadcastChannel {
  constructor(name: string) {
    super(name);
    channels.add(this);
  }
}

/** Deletes what the browser stores. */
export function clearBrowser(): void {
  vi.stubGlobal("indexedDB", new IDBFactory());
}

/**
 * Opens a page after the last one was left, as a reload does.
 *
 * @param replaced - Replaces members of the package.
 */
export async function openPage(
  media: Media | Promise<Media>,
  replaced: Partial<typeof import("mediagate")> = {},
) {
  leavePage();
  vi.stubGlobal("BroadcastChannel", Channel);
  vi.resetModules();
  vi.doMock("mediagate", async (load) => ({
    ...(await load<object>()),
    connect: async () => media,
    ...replaced,
  }));
  const page = {
    capability: await import("./capability"),
    client: await import("../src/client"),
    ended: await import("../src/tasks/ended"),
    history: await import("../src/tasks/history"),
    model: await import("../src/form/model"),
    notices: await import("../src/notices/store"),
    rerun: await import("../src/tasks/rerun"),
    opened: await import("../src/opened"),
    route: await import("../src/route"),
    submit: await import("../src/tasks/submit"),
    stage: await import("../src/stage/shown"),
    store: await import("../src/tasks/store"),
    submission: await import("../src/tasks/Submission"),
    view: await import("../src/stage/TaskView"),
    list: await import("../src/tasks/TaskList"),
    undo: await import("../src/tasks/undo"),
    visible: await import("../src/parts/visible"),
    watch: await import("../src/tasks/watch"),
  };
  page.client.reconnect();
  page.store.followStore();
  page.watch.watchTasks();
  page.rerun.resumeCreates();
  return page;
}

/** Leaves the page, so that it no longer takes part in the work of the browser's tabs. */
function leavePage(): void {
  render(null, document.body);
  for (const channel of channels) channel.close();
  channels.clear();
}
