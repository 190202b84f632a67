// The emulator's bucket for results. Its credentials need no protection: it is a stand-in on this
// machine.

/**
 * Returns the gateway's settings for the bucket of an emulator.
 *
 * @param {string} url the emulator's
 */
export const bucketOf = (url) => ({
  RESULTS_BUCKET_URL: `${url}/results-bucket`,
  RESULTS_ACCESS_KEY_ID: "emulator-results-key",
  RESULTS_SECRET_ACCESS_KEY: "emulator-results-secret",
});
