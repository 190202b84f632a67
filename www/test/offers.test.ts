// The gateway's offers and the media service's catalogue, as the page reads them.
import { expect, test, vi } from "vitest";
import {
  findOffered,
  loadModels,
  loadOffers,
  markOf,
  missingFor,
  models,
  offered,
  worker,
} from "../src/offers";
import { capabilityOf } from "./capability";

const media = vi.hoisted(() => ({
  models: vi.fn(async () => ({ emulated: true, models: [] })),
  capabilities: vi.fn(async () => ({
    capabilities: [
      { capability: "text_to_image", models: [{ model_id: "emulator" }] },
      { capability: "split_pdf", models: [] },
    ],
  })),
}));

vi.mock("../src/client", () => ({ client: async () => media }));

test("offers and models are loaded once, or again after a failure", async () => {
  const documented = offered.value.length;
  media.models.mockRejectedValueOnce(new Error("offline"));
  loadModels();
  loadModels();
  await vi.waitFor(() => {
    loadModels();
    expect(worker.value).toBe("emulator");
  });
  expect(media.models).toHaveBeenCalledTimes(2);
  expect(models.value?.models).toEqual([]);

  loadOffers();
  await vi.waitUntil(() => offered.value.length < documented);
  expect(offered.value.map(markOf)).toEqual(["emulator", undefined]);
  expect(findOffered("split_pdf")).toBe(capabilityOf("split_pdf"));
  expect(findOffered("merge_pdf")).toBeUndefined();
});

test("a capability is marked if each of its models lacks a program, and the page has the remedy", () => {
  const missing = { program: "ffmpeg", remedy: "ffmpeg was not found" };
  const resize = capabilityOf("resize_video");
  const list = (...models: object[]) => ({
    models: models.map((model, index) => ({
      model_id: String(index),
      capability: "resize_video",
      ...model,
    })),
  });
  models.value = list({ missing });
  expect(markOf(resize)).toBe("needs ffmpeg");
  expect(missingFor(resize)).toEqual(missing);
  expect(missingFor(capabilityOf("split_video"))).toBeUndefined();
  for (const others of [
    list({ missing }, {}),
    list({}, { missing }),
    list({ missing: true }),
    list(),
    undefined,
  ]) {
    models.value = others;
    expect(missingFor(resize)).toBeUndefined();
    expect(markOf(resize)).toBeUndefined();
  }
});
