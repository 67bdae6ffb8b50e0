// A table of float16 rows in a file too large to be held in memory, such as the token embeddings of a
// decoder.
import { type FileHandle, open } from 'node:fs/promises';
import { reasonOf } from '../../runtime/errors.ts';
import { modelErrors } from '../models/contract.ts';

/** The number that 16 bits of IEEE 754 (binary16) stand for. */
export function float16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The number of every bit pattern: a lookup is faster than the arithmetic. */
const numbers = Float32Array.from({ length: 65_536 }, (_, bits) => float16(bits));

/** Rows are read from the file one by one; the operating system caches those that are read often. */
export class Float16Table {
  readonly rows: number;
  readonly width: number;
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #bytes: Uint8Array;

  private constructor(file: FileHandle, path: string, rows: number, width: number) {
    this.#file = file;
    this.#path = path;
    this.rows = rows;
    this.width = width;
    this.#bytes = new Uint8Array(width * 2);
  }

  /** Throws MODEL_LOAD_FAILED when the file is missing, or its size is no multiple of the size of a row. */
  static async open(path: string, width: number): Promise<Float16Table> {
    let file: FileHandle;
    try {
      file = await open(path, 'r');
    } catch (error) {
      const reason = reasonOf(error);
      throw modelErrors.MODEL_LOAD_FAILED(`${path}: ${reason}`, { file: path }, error);
    }
    const { size } = await file.stat();
    if (size > 0 && size % (width * 2) === 0) return new Float16Table(file, path, size / (width * 2), width);
    await file.close();
    const what = `${size} bytes are not rows of ${width} numbers of 16 bits`;
    throw modelErrors.MODEL_LOAD_FAILED(`${path}: ${what}`, { file: path });
  }

  /**
   * Reads a row into `into`; one call at a time. Throws MODEL_RUN_FAILED for a row that is not there or
   * cannot be read.
   */
  async read(row: number, into: Float32Array): Promise<void> {
    const bytes = this.#bytes;
    let count = 0;
    if (row >= 0 && row < this.rows) {
      ({ bytesRead: count } = await this.#file.read(bytes, 0, bytes.length, row * bytes.length));
    }
    if (count < bytes.length) {
      const what = `row ${row} of ${this.rows} cannot be read`;
      throw modelErrors.MODEL_RUN_FAILED(`${this.#path}: ${what}`, { file: this.#path });
    }
    // Little-endian, as on every machine that Node runs on.
    for (let at = 0; at < this.width; at += 1)
      into[at] = numbers[bytes[2 * at]! | (bytes[2 * at + 1]! << 8)]!;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
