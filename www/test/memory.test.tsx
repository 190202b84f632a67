// @vitest-environment happy-dom
import { render } from "preact";
import { beforeEach, expect, test, vi } from "vitest";
import { Player } from "../src/results/Player";
import { Thumbnail } from "../src/results/Thumbnail";
import { soon } from "./soon";

const thumbnailOf = vi.hoisted(() => vi.fn());

vi.mock("mediagate/preview", () => ({ thumbnailOf }));

/** The observers of the page, which a test calls instead of the browser. */
const observers = new Set<(isIntersecting: boolean) => void>();

class Observer {
  readonly #report: (isIntersecting: boolean) => void;

  constructor(callback: (entries: { isIntersecting: boolean }[]) => void) {
    this.#report = (isIntersecting) => callback([{ isIntersecting }]);
  }

  observe() {
    observers.add(this.#report);
  }

  disconnect() {
    observers.delete(this.#report);
  }
}

vi.stubGlobal("IntersectionObserver", Observer);

async function scroll(isInView: boolean) {
  await soon(() => expect(observers.size).toBe(1));
  for (const report of observers) report(isInView);
}

const find = (selector: string) => document.querySelector(selector);

const show = (url: string) =>
  render(<Thumbnail source={{ url, kind: "video" }} />, document.body);

beforeEach(() => {
  render(null, document.body);
  thumbnailOf.mockReset();
  // Preact ends the effects of the last test only later.
  observers.clear();
});

test("the thumbnail of a video is a picture, made once, when it comes into view", async () => {
  thumbnailOf.mockResolvedValue(new Blob(["a"], { type: "image/jpeg" }));
  show("https://a.test/1.mp4");
  await scroll(false);
  expect(thumbnailOf).not.toHaveBeenCalled();
  await scroll(true);
  await soon(() => expect(find("img.thumbnail")).not.toBeNull());
  render(null, document.body);
  show("https://a.test/1.mp4");
  await soon(() => expect(find("img.thumbnail")).not.toBeNull());
  expect(thumbnailOf).toHaveBeenCalledTimes(1);
});

test("a video whose pixels the page may not read is shown itself, while it is in view", async () => {
  thumbnailOf.mockRejectedValue(new Error("no CORS"));
  show("https://b.test/1.mp4");
  await scroll(true);
  await soon(() => expect(find("video.thumbnail")).not.toBeNull());
  await scroll(false);
  await soon(() => expect(find("video")).toBeNull());
  await scroll(true);
  await soon(() => expect(find("video.thumbnail")).not.toBeNull());
});

test("a result out of view releases its video, and goes on at its time", async () => {
  const url = "https://c.test/1.mp4";
  const output = { url, kind: "video", name: "Boat" } as const;
  render(
    <Player
      output={{ ...output, note: undefined, reference: undefined }}
      original={undefined}
      describe={() => undefined}
      onError={() => undefined}
    />,
    document.body,
  );
  const video = find("video") as HTMLVideoElement;
  expect(video.getAttribute("src")).toBe(url);
  video.currentTime = 3;
  await scroll(false);
  await soon(() => expect(video.hasAttribute("src")).toBe(false));
  video.currentTime = 0;
  await scroll(true);
  await soon(() => expect(video.getAttribute("src")).toBe(url));
  Object.defineProperty(video, "duration", { value: 9 });
  video.dispatchEvent(new Event("loadedmetadata"));
  expect(video.currentTime).toBe(3);
});
