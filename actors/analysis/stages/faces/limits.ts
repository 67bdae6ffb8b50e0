// How much a request may say about people.

export const limits = {
  people: 100,
  /** As code points. */
  jobNameLetters: 200,
  imagesEach: 3,
  imageBytes: 10 * 1024 * 1024,
  imagePixels: 24_000_000,
  inlineBytes: 50 * 1024 * 1024,
} as const;
