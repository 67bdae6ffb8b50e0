// Ids of requests, for a person who looks for one in the log. They need to differ, not to be hard to guess.

/** `start` differs from one life of the engine to the next. */
export function requestIds(start: string): () => string {
  let count = 0;
  return () => `${start}-${++count}`;
}
