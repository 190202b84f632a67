// The CORS of the bucket for results and uploads: pages of every origin may read or upload an object
// by its signed URL.

/**
 * The only rule. A URL's signature decides who may read or upload. The origin is `null` after the
 * gateway's redirect, so the rule allows every origin.
 */
const RULE = {
  AllowedOrigins: ["*"],
  AllowedMethods: ["GET", "HEAD", "PUT"],
  AllowedHeaders: ["*"],
  ExposeHeaders: ["ETag", "Content-Length", "Content-Range", "Accept-Ranges"],
  MaxAgeSeconds: 3600,
};

/**
 * Returns the rule as S3's protocol has it: one element for each entry of a list, named after the
 * list without its `s`.
 */
export const corsXml = () => {
  const elements = Object.entries(RULE).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((entry) => element(name.replace(/s$/, ""), entry))
      : [element(name, value)],
  );
  return `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <CORSRule>
${elements.map((line) => `    ${line}\n`).join("")}  </CORSRule>
</CORSConfiguration>`;
};

const element = (name, value) => `<${name}>${value}</${name}>`;

/** Returns the rule as the dashboards of most providers take it. */
export const corsJson = () => JSON.stringify([RULE], null, 2);
