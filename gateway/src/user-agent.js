/**
 * The `User-Agent` of the requests to the media service and to buckets, as in
 * `crates/platform/src/http.rs`. An operator's firewall may have a rule for it.
 */
export const USER_AGENT = "Mediagate/1";
