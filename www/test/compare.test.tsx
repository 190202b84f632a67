// @vitest-environment happy-dom
import { render } from "preact";
import { afterEach, expect, test, vi } from "vitest";
import { CompareVideos } from "../src/results/CompareVideos";
import { soon } from "./soon";

// happy-dom cannot read its style sheet.
vi.mock("img-comparison-slider", () => ({}));

const onMismatch = vi.fn();

afterEach(() => {
  render(null, document.body);
  onMismatch.mockReset();
});

/** Shows two loaded videos with these durations in seconds. */
function show(...durations: number[]): HTMLVideoElement[] {
  render(
    <CompareVideos
      before="https://a.test/before.mp4"
      after="https://a.test/after.mp4"
      name="Boat"
      onError={() => undefined}
      onMismatch={onMismatch}
    />,
    document.body,
  );
  const videos = [...document.querySelectorAll("video")];
  for (const [index, video] of videos.entries()) {
    const facts = { videoWidth: 640, videoHeight: 360 };
    for (const [name, value] of Object.entries(facts))
      Object.defineProperty(video, name, { value });
    Object.defineProperty(video, "duration", { value: durations[index] });
    video.dispatchEvent(new Event("loadedmetadata"));
  }
  return videos;
}

test("two videos of one length play together, and move together", async () => {
  const [before, after] = show(6, 6.1) as [HTMLVideoElement, HTMLVideoElement];
  expect(onMismatch).not.toHaveBeenCalled();
  document.querySelector<HTMLElement>("[title=Play]")?.click();
  after.dispatchEvent(new Event("play"));
  await soon(() => expect(before.paused).toBe(false));
  const position = () =>
    document.querySelector("[type=range]") as HTMLInputElement;
  await soon(() => expect(position().max).toBe("6.1"));
  position().value = "4";
  position().dispatchEvent(new Event("input", { bubbles: true }));
  after.dispatchEvent(new Event("seeking"));
  expect([before.currentTime, after.currentTime]).toEqual([4, 4]);
});

test("a part of a video is not compared with the whole", () => {
  show(6, 5);
  expect(onMismatch).toHaveBeenCalled();
});
