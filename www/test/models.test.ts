// The media service's catalogue in the forms: values to offer, prices and assets.
import { expect, test, vi } from "vitest";
import type { Capability, Field } from "../src/catalogue";
import {
  loadModels,
  offeredAssets,
  offeredValues,
  worker,
} from "../src/form/models";
import { costOf, modelNote } from "../src/form/price";
import { capabilityOf } from "./capability";

const VIDEO = {
  capability: "omni_reference_to_video",
  price: { credits: 10, per: "second" },
};
const SMALL = {
  ...VIDEO,
  model_id: "small",
  generation_options: { clarity: ["2K"] },
};
const LARGE = { ...VIDEO, model_id: "large", required_plan: "starter" };
const DEAR = {
  capability: "text_to_image",
  model_id: "dear",
  price: { credits: 4, per: "task" },
};

vi.mock("../src/client", () => ({
  client: async () => ({
    models: async () => ({
      emulated: true,
      models: [SMALL, LARGE, DEAR],
      assets: [
        { asset_id: "avatar_1", category: "avatar", title: "Mira" },
        {
          asset_id: "avatar_2",
          category: "avatar",
          preview_url: "javascript:alert(1)",
        },
        {
          asset_id: "voice_1",
          category: "voice",
          preview_url: "https://voices.example/1.png",
        },
        { asset_id: "any_1" },
        { asset_id: "any_1", title: "Any" },
        { title: "no id" },
        "x",
        null,
      ],
    }),
  }),
}));

loadModels();
await vi.waitUntil(() => worker.value);

const OMNI = capabilityOf("omni_reference_to_video");

test("a cost is known if all models that a request may get have the same", () => {
  const image = capabilityOf("text_to_image");
  expect(costOf(image, {})).toBe("4 credits");
  expect(costOf(image, { model_id: "other" })).toBeUndefined();
  expect(costOf(OMNI, {})).toBe("10 credits per second");
  expect(costOf(OMNI, { duration_seconds: 3 })).toBe("30 credits");
  expect(modelNote(LARGE)).toBe("10 credits per second, plan starter");
  expect(modelNote({ model_id: "x", required_plan: "free" })).toBe("");
});

test("the values of a field are those of the chosen model, or else the documented ones", () => {
  const offered = (name: string, model_id?: string) =>
    offeredValues(fieldOf(OMNI, name), OMNI, { model_id });
  expect(offered("model_id")).toEqual(["small", "large"]);
  expect(offered("clarity", "small")).toEqual(["2K"]);
  const { values } = fieldOf(OMNI, "clarity");
  expect(offered("clarity", "large")).toEqual(values);
  expect(offered("clarity")).toEqual(values);
});

test("assets are listed once, by category, with web pictures only", () => {
  const avatar = capabilityOf("text_driven");
  const assets = (name: string) =>
    offeredAssets(fieldOf(avatar, name)).map(({ id, title, preview }) => [
      id,
      title ?? preview,
    ]);
  expect(assets("avatar_asset_id")).toEqual([
    ["avatar_1", "Mira"],
    ["avatar_2", undefined],
    ["any_1", "Any"],
  ]);
  expect(assets("voice_asset_id")).toEqual([
    ["voice_1", "https://voices.example/1.png"],
    ["any_1", "Any"],
  ]);
});

function fieldOf({ fields }: Capability, name: string): Field {
  return fields.find((field) => field.name === name) ?? expect.fail(name);
}
