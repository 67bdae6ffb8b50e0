// Ids of requests, to find them in the log. They are unique, not secret.

/** `start` differs between runs of the engine. */
export function requestIds(start: string): () => string {
  let count = 0;
  return () => `${start}-${++count}`;
}
