// A storage for uploads in its own process, so that receiving costs the measured processes nothing.
// It sends its URL to its parent.
import { discardBody, serve } from "./server.mjs";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "PUT",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "600",
};

const { url } = await serve(async (request, response) => {
  await discardBody(request);
  response.writeHead(200, CORS).end();
});
process.once("disconnect", () => process.exit());
process.send(url);
