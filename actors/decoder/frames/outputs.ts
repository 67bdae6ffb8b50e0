// Outputs of a request for each decoded picture: one or several scaled pictures in slots, and a JPEG preview.

import type { FeedTurn } from '../../../runtime/actor.ts';
import type { SlotHandle } from '../../../runtime/contract.ts';
import type { PictureShape, PreviewShape } from '../contract.ts';
import type { Bars } from '../pixels/bars.ts';
import { PictureFiller, PreviewMaker } from '../pixels/picture.ts';
import type { Source } from '../source/source.ts';
import { codedSize } from '../source/stream.ts';
import type { GridPicture } from './gop-walk.ts';

/** Scales the pictures of one source. Owns native objects. */
export class PictureOutputs {
  readonly #source: Source;
  readonly #fillers: readonly PictureFiller[];
  /** For each shape. */
  readonly #bars: readonly (Bars | null)[];
  readonly #preview: PreviewMaker | null;
  /** The preview made last, for seconds that show the same picture. */
  #last: { readonly seconds: number; readonly jpeg: Uint8Array<ArrayBuffer> } | null = null;

  /** `bars`: those of the film, left out of the shapes that ask for it. */
  constructor(
    source: Source,
    shapes: readonly PictureShape[],
    preview: PreviewShape | null,
    bars: Bars | null = null,
  ) {
    this.#source = source;
    this.#bars = shapes.map(({ trim_bars }) => (trim_bars ? bars : null));
    const transfer = source.video?.codecpar.colorTrc ?? 0;
    this.#fillers = shapes.map((shape) => new PictureFiller(shape, transfer));
    this.#preview = preview ? new PreviewMaker(preview, transfer) : null;
  }

  /** Fills one slot for each shape, in their order. */
  fill({ frame }: GridPicture, slots: readonly Uint8Array[]) {
    const coded = codedSize(this.#source.video!);
    for (const [i, filler] of this.#fillers.entries()) filler.fill(frame, coded, slots[i]!, this.#bars[i]);
  }

  /** The preview in a buffer of its own, which can be *moved*. */
  preview({ frame, seconds }: GridPicture): Uint8Array<ArrayBuffer> | null {
    if (!this.#preview) return null;
    if (this.#last?.seconds !== seconds) {
      this.#last = { seconds, jpeg: this.#preview.make(frame, codedSize(this.#source.video!)) };
    }
    return this.#last.jpeg.slice();
  }

  close() {
    for (const filler of this.#fillers) filler.close();
    this.#preview?.close();
  }
}

// The slots of a frame: one for each shape that was asked for.

export class FrameSlots {
  readonly #turn: FeedTurn;
  readonly #shapes: readonly PictureShape[];
  /**
   * Taken and not sent yet: a second attempt at the same frame uses them again, since there may be no others.
   */
  #taken: SlotHandle[] = [];

  constructor(turn: FeedTurn, shapes: readonly PictureShape[]) {
    this.#turn = turn;
    this.#shapes = shapes;
  }

  /** Waits for all slots of a frame. The same slots are returned until `sent`. */
  async take(): Promise<{ readonly handles: readonly SlotHandle[]; readonly bytes: readonly Uint8Array[] }> {
    while (this.#taken.length < this.#shapes.length) this.#taken.push(await this.#turn.freeSlot());
    const handles = this.#taken;
    const view = ({ width, height }: PictureShape, i: number) =>
      this.#turn.slot(handles[i]!, width * height * 3);
    return { handles, bytes: this.#shapes.map(view) };
  }

  /** The frame is handed over, and its slots with it. */
  sent() {
    this.#taken = [];
  }
}
