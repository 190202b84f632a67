// Writes the gateway's OpenAPI document to `dist/openapi.json`.
import { mkdir, writeFile } from "node:fs/promises";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { startGateway } from "../support/gateway.mjs";

const dist = new URL("dist/", import.meta.url);
const gateway = await startGateway({
  UPSTREAM_BASE_URL: "https://service.invalid",
  // The document has only what the gateway offers.
  CAPABILITIES: catalogue.capabilities.map(({ name }) => name).join(),
});
try {
  const response = await fetch(`${gateway.url}/openapi.json`);
  if (!response.ok) throw new Error(`/openapi.json is ${response.status}`);
  await mkdir(dist, { recursive: true });
  await writeFile(new URL("openapi.json", dist), await response.text());
} finally {
  await gateway.stop();
}
