// `mediagate-gateway bucket-cors`: lets pages read the bucket for results, and upload to it.
import { createHash } from "node:crypto";
import { bucketClient, missingForBucket } from "../bucket/client.js";
import { corsJson, corsXml } from "../bucket/cors.js";
import { Failure, UsageFailure } from "../failure.js";
import { LOCAL_FILE, readSettings } from "../settings.js";

export const summary =
  "Let pages read the bucket for results, and upload to it";

export const help = `
A browser that follows the gateway's redirect to a result needs the bucket's consent (CORS), and so
does a page that uploads there (UPLOAD_MODE=bucket). This sets it: pages of every origin may read
and upload, and only the objects that a signed URL leads to. The bucket is that of
RESULTS_BUCKET_URL, with RESULTS_ACCESS_KEY_ID, RESULTS_SECRET_ACCESS_KEY and RESULTS_REGION, from
the environment, --settings or .dev.vars. The key needs the right to change the bucket's CORS; the
gateway's own key does not.

Options:
  --settings FILE         settings as lines NAME=value, or under [vars] of a .toml file such as
                          wrangler.toml
  --replace               replace the rules that the bucket has already
  --print FORMAT          print the rules instead, to set them by hand: json, for most dashboards,
                          or xml
  -h, --help              print this`;

/** @type {import("../main.js").Command["options"]} */
export const options = {
  settings: { type: "string" },
  replace: { type: "boolean", default: false },
  print: { type: "string" },
};

const FORMATS = { json: corsJson, xml: corsXml };

export async function run(values) {
  if (values.print !== undefined) return print(values.print);
  const settings = await readSettings({
    file: values.settings,
    fallbackFile: LOCAL_FILE,
  });
  const missing = missingForBucket(settings);
  if (missing.length > 0)
    throw new Failure(
      `${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing; ` +
        `set each in the environment, in ${LOCAL_FILE} or in the file that --settings names`,
    );
  const send = await bucketClient(settings);
  if (!values.replace) await checkUnset(send);
  const body = corsXml();
  // S3 requires the header for this request.
  const md5 = createHash("md5").update(body).digest("base64");
  const headers = { "content-type": "application/xml", "content-md5": md5 };
  const { problem } = await send("PUT", "", { query: "?cors", headers, body });
  if (problem) throw new Failure(byHand("can't be set", problem));
  console.log(
    "pages of every origin may read the bucket, and upload to it, by signed URLs",
  );
}

/** Refuses to replace rules that the bucket has already: they may be for other pages. */
async function checkUnset(send) {
  const { status, problem } = await send("GET", "", { query: "?cors" });
  // S3's protocol has this error for a bucket without rules.
  if (status === 404 && problem.endsWith("NoSuchCORSConfiguration")) return;
  if (problem) throw new Failure(byHand("can't be read", problem));
  throw new Failure(
    "the bucket has CORS rules already; " +
      "add the one of `--print json` to them, or replace them all with --replace",
  );
}

const byHand = (what, problem) =>
  `the bucket's CORS ${what} (${problem}); ` +
  "use a key that may change it, or set it by hand to what `--print json` prints";

function print(format) {
  if (!Object.hasOwn(FORMATS, format))
    throw new UsageFailure(
      `--print is ${JSON.stringify(format)}; it is json or xml`,
    );
  console.log(FORMATS[format]());
}
