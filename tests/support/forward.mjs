/**
 * The gateway's response to a request that a test has intercepted. The connection may be one that the gateway closes at that
 * moment, since nothing was sent on it for some seconds: then it is sent on another one, as browsers do.
 *
 * @param {import("playwright-core").Route} route
 */
export const forward = (route) => route.fetch({ maxRetries: 2 });
