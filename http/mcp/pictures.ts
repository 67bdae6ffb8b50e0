// Pictures of an answer: only ones that are what they say, and together no more than a model can be handed.

/** Characters of base64 of all pictures of one answer. */
export const MOST_PICTURE_CHARACTERS = 150_000;

/**
 * Base64 of a JPEG, and of nothing else: a client that is handed broken base64 loses the whole conversation.
 */
export function isJpeg(data: string): boolean {
  return (
    data.length >= 8 &&
    data.length <= MOST_PICTURE_CHARACTERS &&
    data.length % 4 === 0 &&
    data.startsWith('/9j/') &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  );
}

/**
 * Which pictures go into one answer, in order: null for one that is missing, broken, or does not fit any
 * more.
 */
export function fitting(pictures: readonly (string | null)[]): (string | null)[] {
  let left = MOST_PICTURE_CHARACTERS;
  return pictures.map((data) => {
    if (data === null || data.length > left || !isJpeg(data)) return null;
    left -= data.length;
    return data;
  });
}

/**
 * The longest side at which pictures that took `characters` at `side` should fit: bytes grow a little slower
 * than the area. `least` at the smallest.
 */
export function sideThatFits(side: number, characters: number, least: number): number {
  const scale = Math.sqrt(MOST_PICTURE_CHARACTERS / Math.max(1, characters)) * 0.9;
  return Math.max(least, Math.min(side - 1, Math.floor(side * scale)));
}

/** The number of each picture that is there, from 1 on. */
export function numbered(pictures: readonly (string | null)[]): (number | null)[] {
  let count = 0;
  return pictures.map((one) => (one === null ? null : ++count));
}
