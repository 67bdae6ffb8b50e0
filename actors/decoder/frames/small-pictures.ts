// Scales every picture small that a pass over a film decodes anyway, or decodes because it was asked to. The
// search for the cuts of a film needs no second pass over these.
import { type Frame, type Packet, ticks } from '../ffmpeg.ts';
import type { Grid } from '../grid.ts';
import type { PacketFacts } from '../packets/packet-facts.ts';
import { PictureFiller } from '../pixels/picture.ts';
import type { Source } from '../source/source.ts';
import { codedSize } from '../source/stream.ts';
import type { SmallPictures, SmallRequest } from './contract.ts';
import type { Decision } from './plan.ts';

/** A time that is shorter than the distance of any two pictures, in seconds. */
const justBefore = 1e-6;

/** Small pictures in a buffer of their own, which can be *moved*. */
export type TakenPictures = SmallPictures & { readonly pictures: Uint8Array<ArrayBuffer> };

export class SmallPictureMaker {
  readonly #request: SmallRequest;
  readonly #source: Source;
  readonly #grid: Grid;
  readonly #filler: PictureFiller;
  #seconds: number[] = [];
  #pictures: Uint8Array[] = [];
  #entries: number[] = [];
  /** False before the random access point where a pass begins that does not begin with the film. */
  #isComplete: boolean;
  /** Seconds of the last picture that was left out. */
  #gap: number = Number.NEGATIVE_INFINITY;
  /** Seconds of shown pictures in packets that were read and not decided on. */
  #pending: number[] = [];

  /** `atStart`: no packet before the first one is missing. */
  constructor(
    request: SmallRequest,
    { source, grid, atStart }: { readonly source: Source; readonly grid: Grid; readonly atStart: boolean },
  ) {
    this.#request = request;
    this.#source = source;
    this.#grid = grid;
    this.#isComplete = atStart;
    const { width, height } = request;
    const shape = { width, height, fit: 'stretch', resample: 'area' } as const;
    this.#filler = new PictureFiller(shape, source.video?.codecpar.colorTrc ?? 0);
  }

  /** True while every picture is asked for. */
  get isAsked(): boolean {
    return Atomics.load(this.#request.all, 0) !== 0;
  }

  /** A packet was read. */
  onPacket({ pts, shown, entry }: PacketFacts): void {
    if (pts === null || !shown) return;
    const seconds = this.#grid.seconds(pts);
    this.#pending.push(seconds);
    if (entry !== 'no') this.#entries.push(seconds);
    if (!this.#isComplete) this.#leaveOut(seconds - justBefore);
    this.#isComplete = true;
  }

  /** A packet is sent to the decoder, or left out. */
  onDecision(packet: Packet, { send, fresh }: Pick<Decision, 'send' | 'fresh'>): void {
    const pts = ticks(packet.pts);
    if (pts === null) return;
    const seconds = this.#grid.seconds(pts);
    const at = this.#pending.indexOf(seconds);
    if (at < 0) return;
    this.#pending.splice(at, 1);
    if (!send) this.#leaveOut(seconds);
    // Pictures that are shown before this one may refer to what was not decoded.
    if (fresh) this.#leaveOut(seconds - justBefore);
  }

  /** `frame`: *borrowed*. */
  onPicture(frame: Frame, pts: number): void {
    const seconds = this.#grid.seconds(pts);
    if (!this.isAsked) {
      this.#leaveOut(seconds);
      return;
    }
    const rgb = new Uint8Array(this.#request.width * this.#request.height * 3);
    this.#filler.fill(frame, codedSize(this.#source.video!), rgb);
    this.#seconds.push(seconds);
    this.#pictures.push(rgb);
  }

  /** Pictures since the last call. `until`: seconds up to which packets were read. */
  take(until: number): TakenPictures {
    const { width, height } = this.#request;
    const bytes = width * height * 3;
    const pictures = new Uint8Array(this.#pictures.length * bytes);
    for (const [i, rgb] of this.#pictures.entries()) pictures.set(rgb, i * bytes);
    const batch = {
      after: this.#gap,
      before: Math.min(until, ...this.#pending),
      entries: this.#entries,
      seconds: this.#seconds,
      pictures,
    };
    [this.#seconds, this.#pictures, this.#entries] = [[], [], []];
    return batch;
  }

  close(): void {
    this.#filler.close();
  }

  #leaveOut(seconds: number): void {
    this.#gap = Math.max(this.#gap, seconds);
  }
}
