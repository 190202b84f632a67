// The CORS of the bucket that keeps results: pages of every origin may read what a signed URL leads
// to.

/**
 * The only rule. A URL's signature decides who may read, and the origin is `null` after the
 * gateway's redirect.
 */
const RULE = {
  AllowedOrigins: ["*"],
  AllowedMethods: ["GET", "HEAD"],
  AllowedHeaders: ["*"],
  ExposeHeaders: ["ETag", "Content-Length", "Content-Range", "Accept-Ranges"],
  MaxAgeSeconds: 3600,
};

/**
 * As S3's protocol has it: an element has the name of the list without its `s`, once for each
 * entry.
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

/** As dashboards have it. */
export const corsJson = () => JSON.stringify([RULE], null, 2);
