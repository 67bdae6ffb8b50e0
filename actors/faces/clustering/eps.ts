// The distance that is used where none is asked for.

/** Cosine distance: as in requests that say nothing. */
export const defaultEps = 0.48;
