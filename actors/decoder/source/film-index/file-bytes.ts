// Bytes of an open file, read as they are asked for: what is small and near is read once.

/** One read brings so much, since boxes are small and stand side by side. */
const blockLength = 4096;

export class FileBytes {
  readonly size: number;
  readonly #readAt: (bytes: Buffer, position: number) => number;
  #block = Buffer.alloc(0);
  #blockAt = 0;

  /** `readAt` fills a buffer from a position of the file and answers how many bytes there were. */
  constructor(size: number, readAt: (bytes: Buffer, position: number) => number) {
    this.size = size;
    this.#readAt = readAt;
  }

  /** These bytes, *borrowed until the next call*; fewer where the file ends. */
  at(position: number, length: number): Buffer {
    const end = Math.min(position + length, this.size);
    if (position < this.#blockAt || end > this.#blockAt + this.#block.length) {
      const block = Buffer.alloc(Math.max(0, Math.min(Math.max(length, blockLength), this.size - position)));
      this.#block = block.subarray(0, this.#readAt(block, position));
      this.#blockAt = position;
    }
    const from = position - this.#blockAt;
    return this.#block.subarray(from, Math.max(from, end - this.#blockAt));
  }

  /** An unsigned number of 1 to 4 bytes, big end first; 0 where the file ends. */
  uint(position: number, length = 4): number {
    const bytes = this.at(position, length);
    return bytes.length < length ? 0 : bytes.readUIntBE(0, length);
  }

  uint64(position: number): number {
    return this.uint(position) * 2 ** 32 + this.uint(position + 4);
  }
}
