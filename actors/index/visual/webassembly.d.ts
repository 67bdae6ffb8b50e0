// The few declarations of WebAssembly that the scan kernel needs; the compiler has them only together with a
// browser's.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(size: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBufferLike;
    /** Adds pages of 64 KB; `buffer` is another one afterwards, and the one before ends where it did. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>);
    readonly exports: Record<string, unknown>;
  }
}
