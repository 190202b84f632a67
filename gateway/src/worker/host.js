// Names under which a server is reached.

/**
 * Whether a server with these names serves a request to this host. A page of another site can have its own name resolve to
 * this machine; its requests then carry that name.
 *
 * @param {readonly string[]} hosts without a port
 * @param {string} name of the request's URL
 */
export const isServed = (hosts, name) =>
  hosts.includes(name) || hosts.includes(name.replace(/\.$/, ""));
