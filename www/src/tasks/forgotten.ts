/** The tasks and pipelines that the gateway has forgotten. A late response may still list them. */
export const forgotten = new Set<string>();
