// Types of the part of bidi-js that is used here; the package has none. It implements the Unicode
// bidirectional algorithm (UAX 9).
declare module 'bidi-js' {
  interface Levels {
    /** One for each UTF-16 unit; odd ones are written from right to left. */
    readonly levels: Uint8Array;
  }
  interface Bidi {
    getEmbeddingLevels(text: string, base?: 'ltr' | 'rtl'): Levels;
    /** The opposite bracket; null for every other character. */
    getMirroredCharacter(character: string): string | null;
  }
  const createBidi: () => Bidi;
  export = createBidi;
}
