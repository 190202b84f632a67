/**
 * What to do where a part of a release is missing: a release fails, and a dry run says so and goes on.
 *
 * @param {boolean} isRelease
 * @returns {(what: string) => void}
 */
export function leavingOut(isRelease) {
  return (what) => {
    if (isRelease) throw new Error(`a release needs ${what}`);
    console.log(`left out: ${what}`);
  };
}
