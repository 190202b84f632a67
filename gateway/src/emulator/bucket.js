// The emulator's bucket for results.

/** @param {{ url: string, resultsSecret: string }} emulator */
export const bucketOf = ({ url, resultsSecret }) => ({
  RESULTS_BUCKET_URL: `${url}/results-bucket`,
  RESULTS_ACCESS_KEY_ID: "emulator-results-key",
  RESULTS_SECRET_ACCESS_KEY: resultsSecret,
});
