/**
 * Returns true if a server with these names serves a request to this host. A page of another site
 * can have its own name resolve to this machine; its requests then have that name.
 *
 * @param {readonly string[]} hosts without a port
 * @param {string} name of the request's URL
 */
export const isServed = (hosts, name) =>
  hosts.includes(name) || hosts.includes(name.replace(/\.$/, ""));
