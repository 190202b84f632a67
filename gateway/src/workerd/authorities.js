// The certificate authorities that the gateway trusts when it connects to others.
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { rootCertificates } from "node:tls";
import { codeOf, Failure } from "../failure.js";

const FILES = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];
/** Variables of programs that connect through a proxy, which workerd can't. */
const PROXIES = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const CERTIFICATE =
  /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Returns the certificates of the authorities that Node trusts, and of those in the files that the
 * environment names. workerd adds those of the system itself, which a container may lack.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string[]>} in PEM
 * @throws {Failure} if a file can't be read, or has no certificate
 */
export async function readAuthorities(env = process.env) {
  const named = FILES.flatMap((name) =>
    env[name] ? [{ name, file: env[name] }] : [],
  );
  const further = await Promise.all(named.map(readFrom));
  return [...new Set([...rootCertificates, ...further.flat()])];
}

async function readFrom({ name, file }) {
  const text = await readFile(file, "utf8").catch((error) => {
    throw new Failure(
      `${name} is ${file}, which can't be read (${codeOf(error)}); ` +
        "name a file of certificates in PEM, or unset it",
    );
  });
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0 || !certificates.every(isValid))
    throw new Failure(
      `${name} is ${file}, which is not a file of certificates in PEM ` +
        "(-----BEGIN CERTIFICATE-----)",
    );
  return certificates;
}

function isValid(certificate) {
  try {
    return Boolean(new X509Certificate(certificate));
  } catch {
    return false;
  }
}

export function noteProxy(env = process.env) {
  const name = PROXIES.find((proxy) => env[proxy]);
  if (name)
    console.error(
      `note: ${name} is set, and the gateway does not use it: it connects to the media service, ` +
        "buckets and webhooks directly, so its machine must be allowed to",
    );
}
