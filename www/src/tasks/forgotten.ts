/**
 * The tasks and pipelines that the gateway has forgotten for this page: a response that was on its way meanwhile may still list
 * them.
 */
export const forgotten = new Set<string>();
