// The motions of the camera in an interrupted film, until they become movements: a row a frame in a bundle of
// their own, which is only there while the film is in work.
import { crc32 } from 'node:zlib';
import { rmSync } from '../../../runtime/files/names.ts';
import type { Motion } from '../visual/camera.ts';
import type { BundleFile } from './bundles.ts';

/** Frame, three numbers, checksum of all of them. */
const rowBytes = 20;
/** Rows of one read or write. */
const together = 1024;

export class MotionLog {
  readonly #create: () => BundleFile;
  #file: BundleFile | null = null;
  #end = 0;
  #waiting: Buffer[] = [];

  /** `create`: called when the first row has to be written. */
  constructor(create: () => BundleFile) {
    this.#create = create;
  }

  get isOpen(): boolean {
    return this.#file !== null;
  }

  /** What an earlier one wrote, by frame. Called first. */
  takeUp(file: BundleFile): Map<number, Motion> {
    this.#file = file;
    const found = new Map<number, Motion>();
    for (let isWhole = true; isWhole; ) {
      const there = Math.min(together, Math.floor((file.end - this.#end) / rowBytes));
      const bytes = Buffer.alloc(there * rowBytes);
      file.read(this.#end, bytes);
      isWhole = there > 0;
      for (let at = 0; at < bytes.length; at += rowBytes) {
        if (crc32(bytes.subarray(at, at + rowBytes - 4)) !== bytes.readUInt32LE(at + rowBytes - 4)) {
          isWhole = false;
          break;
        }
        const [dx, dy, zoom] = [4, 8, 12].map((place) => bytes.readFloatLE(at + place)) as [
          number,
          number,
          number,
        ];
        found.set(bytes.readUInt32LE(at), [dx, dy, zoom]);
        this.#end += rowBytes;
      }
    }
    file.cut(this.#end);
    return found;
  }

  add(frame: number, motion: Motion): void {
    if (motion === null) return;
    const row = Buffer.alloc(rowBytes);
    row.writeUInt32LE(frame, 0);
    for (const [i, value] of motion.entries()) row.writeFloatLE(value, 4 + 4 * i);
    row.writeUInt32LE(crc32(row.subarray(0, rowBytes - 4)), rowBytes - 4);
    this.#waiting.push(row);
  }

  /** What was added survives a power cut. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    this.#file ??= this.#create();
    const rows = Buffer.concat(this.#waiting);
    this.#file.write(this.#end, rows);
    this.#file.flush();
    this.#end += rows.length;
    this.#waiting = [];
  }

  close(): void {
    this.#file?.close();
  }

  /** It is not needed any more. */
  remove(): void {
    if (this.#file?.isCurrent) rmSync(this.#file.file, { force: true });
  }
}
