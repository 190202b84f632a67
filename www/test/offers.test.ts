// The gateway's offers and the media service's catalogue, as the page reads them.
import { expect, test, vi } from "vitest";
import {
  findOffered,
  loadModels,
  loadOffers,
  markOf,
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
