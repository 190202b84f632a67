// A storage in a process of its own, so that taking the bytes is nobody else's work; `fork` it, and it tells its URL.
import { drained, serve } from "./server.mjs";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "PUT",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "600",
};

const { url } = await serve(async (request, response) => {
  await drained(request);
  response.writeHead(200, CORS).end();
});
process.once("disconnect", () => process.exit());
process.send(url);
