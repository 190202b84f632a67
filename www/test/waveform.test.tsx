// @vitest-environment happy-dom
import { render } from "preact";
import { afterEach, expect, test, vi } from "vitest";
import { Waveform } from "../src/results/Waveform";
import { soon } from "./soon";

/** Decodes each byte as a sample of a half, and counts the decoded sounds. */
const decoded = vi.fn();

vi.stubGlobal(
  "OfflineAudioContext",
  class {
    async decodeAudioData(bytes: ArrayBuffer) {
      decoded();
      const half = bytes.byteLength / 2;
      const samples = Float32Array.from(
        { length: bytes.byteLength },
        (_, at) => (at < half ? -0.5 : 0.25),
      );
      return { getChannelData: () => samples };
    }
  },
);

afterEach(() => render(null, document.body));

const bars = () => [...document.querySelectorAll(".waveform rect")];

const show = (source: Blob | string, player: HTMLMediaElement) =>
  render(<Waveform source={source} player={player} />, document.body);

test("a sound has a bar for each part, and a press on one moves the player there", async () => {
  const player = document.createElement("audio");
  Object.defineProperty(player, "duration", { value: 8 });
  show(new Blob(["x".repeat(2400)]), player);
  await soon(() => expect(bars()).toHaveLength(120));
  const heights = [0, 59, 60, 119].map((at) =>
    Number(bars()[at]?.getAttribute("height")),
  );
  expect(heights).toEqual([100, 100, 50, 50]);
  const picture = document.querySelector(".waveform") as Element;
  picture.getBoundingClientRect = () => new DOMRect(10, 0, 200, 96);
  picture.dispatchEvent(new MouseEvent("click", { clientX: 110 }));
  expect(player.currentTime).toBe(4);
  player.dispatchEvent(new Event("timeupdate"));
  const isPlayed = (bar: Element) => bar.getAttribute("data-played") === "true";
  await soon(() => expect(bars().filter(isPlayed)).toHaveLength(60));
});

test("a long sound is not read", async () => {
  decoded.mockReset();
  const body = vi.fn();
  vi.stubGlobal("fetch", async () => ({
    ok: true,
    headers: new Headers({ "content-length": "20000001" }),
    arrayBuffer: body,
  }));
  const { peaksOf } = await import("../src/results/peaks");
  expect(await peaksOf("https://a.test/long.wav", 9)).toBeUndefined();
  expect(body).not.toHaveBeenCalled();
  expect(decoded).not.toHaveBeenCalled();
});
