// Writes the gateway's OpenAPI document to `dist/openapi.json`.
import { mkdir, writeFile } from "node:fs/promises";
import { startGateway } from "../support/gateway.mjs";

const dist = new URL("dist/", import.meta.url);
const gateway = await startGateway({
  UPSTREAM_BASE_URL: "https://service.invalid",
});
try {
  const response = await fetch(`${gateway.url}/openapi.json`);
  if (!response.ok) throw new Error(`/openapi.json is ${response.status}`);
  await mkdir(dist, { recursive: true });
  await writeFile(new URL("openapi.json", dist), await response.text());
} finally {
  await gateway.stop();
}
