// Joins the pictures of all files that are decoded at the same time into batches of the model's size: films
// fill their batches alone, stills share them. A batch goes out when it is full, or when no producer is left
// that could fill it.
import type { SlotHandle } from '../../../../runtime/contract.ts';

export interface Picture<F> {
  readonly file: F;
  readonly frame: number;
  /** Null where the frame shows the same picture as the frame before it in the file. */
  readonly slot: SlotHandle | null;
  readonly preview: Uint8Array;
}

export interface Batcher<F> {
  /** One more producer of pictures. */
  open(): void;
  /** Adds a picture; whoever adds it has already made sure that the slot stays held. */
  add(picture: Picture<F>): void;
  /** A producer has gone, or waits for something else. */
  shut(): void;
  /** Takes out every picture of a file that is given up. */
  remove(file: F): Picture<F>[];
}

/**
 * `send` gets 1 to `size` pictures in the order they were added. Pure: it decides when, `send` does the work.
 */
export function createBatcher<F>(size: number, send: (batch: Picture<F>[]) => void): Batcher<F> {
  let waiting: Picture<F>[] = [];
  let open = 0;
  const sendReady = () => {
    while (waiting.length >= size || (open === 0 && waiting.length > 0)) send(waiting.splice(0, size));
  };
  return {
    open: () => {
      open++;
    },
    add: (picture) => {
      waiting.push(picture);
      sendReady();
    },
    shut: () => {
      open--;
      sendReady();
    },
    remove: (file) => {
      const removed = waiting.filter((picture) => picture.file === file);
      waiting = waiting.filter((picture) => picture.file !== file);
      return removed;
    },
  };
}
