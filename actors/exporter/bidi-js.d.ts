// What is used of bidi-js, which has no types of its own: the Unicode bidirectional algorithm (UAX 9).
declare module 'bidi-js' {
  interface Levels {
    /** One for each UTF-16 unit; odd ones are written from right to left. */
    readonly levels: Uint8Array;
  }
  interface Bidi {
    getEmbeddingLevels(text: string, base?: 'ltr' | 'rtl'): Levels;
    /** Of a bracket, the one that looks the other way; null of all else. */
    getMirroredCharacter(character: string): string | null;
  }
  const createBidi: () => Bidi;
  export = createBidi;
}
