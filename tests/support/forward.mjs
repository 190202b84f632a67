/**
 * Sends a request that a test has intercepted to the gateway, and resolves to the response. The
 * gateway closes connections that are idle for some seconds. If this one is being closed, the
 * request is sent on another connection, as browsers do.
 *
 * @param {import("playwright-core").Route} route
 */
export const forward = (route) => route.fetch({ maxRetries: 2 });
