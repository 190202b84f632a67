/** Returns Node's report about this process and its system. Its content has no published type. */
export function processReport() {
  const report =
    /** @type {NodeJS.ProcessReport & { excludeNetwork?: boolean }} */ (
      process.report
    );
  // Without this, the report takes as long as its peers' names take to resolve.
  report.excludeNetwork = true;
  return /** @type {any} */ (report.getReport());
}
