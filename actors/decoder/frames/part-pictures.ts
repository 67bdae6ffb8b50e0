// Every picture of parts of a film, scaled small: for whoever has to know between which two of them something
// happens.
import { Sent, type Turn } from '../../../runtime/actor.ts';
import type { Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import type { decoderContract, PartPictures } from '../contract.ts';
import type { Frame } from '../ffmpeg.ts';
import { MomentGrid } from '../grid.ts';
import { readHead, type StreamHead } from '../packets/head.ts';
import { packetFacts } from '../packets/packet-facts.ts';
import { PictureDecoder } from '../packets/picture-decoder.ts';
import { PictureFiller } from '../pixels/picture.ts';
import { expectUnchanged, readFileStamp } from '../source/file.ts';
import { openSource, type Source } from '../source/source.ts';
import { codedSize } from '../source/stream.ts';
import { beginOf } from './contract.ts';
import { near, seekExactly } from './seek.ts';

type PartsRequest = Request<typeof decoderContract, 'part_pictures'>;

/** In order. None for a film whose packets have no times. Errors: those of `frames`, INVALID_MESSAGE. */
export async function* partPictures(request: PartsRequest, turn: Turn): AsyncGenerator<Sent<PartPictures>> {
  const { path, parts } = request;
  if (
    parts.some(({ from, needed, to }, i) => to <= needed || needed < from || from < (parts[i - 1]?.from ?? 0))
  )
    throw engineErrors.INVALID_MESSAGE('parts are not ascending');
  const stamp = await readFileStamp(path);
  const source = await openSource(path, { turn, pictures: 0 });
  try {
    const head = await readHead(source, turn);
    if (head.timed) yield* new PartsOfFilm(source, head, request, turn).pictures();
  } finally {
    source.close();
  }
  await expectUnchanged(path, stamp);
}

interface Picture {
  readonly seconds: number;
  readonly rgb: Uint8Array;
}

class PartsOfFilm {
  readonly #source: Source;
  readonly #head: StreamHead;
  readonly #request: PartsRequest;
  readonly #turn: Turn;
  readonly #grid: MomentGrid;
  /** Pictures of incomplete parts, by the index of their part. */
  readonly #pictures = new Map<number, Picture[]>();
  /** Seconds of the last picture that was decoded. */
  #latest = 0;
  /** Seconds of the random access points of the run. */
  #entries: number[] = [];

  constructor(source: Source, head: StreamHead, request: PartsRequest, turn: Turn) {
    this.#source = source;
    this.#head = head;
    this.#request = request;
    this.#turn = turn;
    const begins = request.parts.map(({ needed }) => Math.max(0, needed));
    this.#grid = new MomentGrid(head.video.timeBase, head.start ?? 0, begins);
  }

  async *pictures(): AsyncGenerator<Sent<PartPictures>> {
    const { width, height } = this.#request;
    const decoder = PictureDecoder.open(this.#source);
    const shape = { width, height, fit: 'stretch', resample: 'area' } as const;
    const filler = new PictureFiller(shape, this.#head.video.codecpar.colorTrc ?? 0);
    try {
      const runs = await this.#runs();
      for (const { first, last } of runs) {
        await this.#seek(first);
        yield* this.#run(first, last, decoder, filler);
      }
    } finally {
      filler.close();
      decoder.close();
    }
  }

  /** Seconds of the random access point from which a part is decoded; 0 at the start of the film. */
  async #seek(part: number): Promise<number> {
    const { reader, start } = this.#head;
    const place = { source: this.#source, reader, grid: this.#grid, from: part, turn: this.#turn };
    const entry = await seekExactly(place, start ?? 0);
    return entry === null ? 0 : this.#grid.seconds(entry);
  }

  /** Parts between which it is quicker to read on than to seek. */
  async #runs(): Promise<{ readonly first: number; last: number }[]> {
    const { parts } = this.#request;
    const runs = [{ first: 0, last: 0 }];
    for (let part = 1; part < parts.length; part++) {
      const until = parts[part - 1]!.to;
      const isFar = parts[part]!.needed - until > near && (await this.#seek(part)) - until > near;
      if (isFar) runs.push({ first: part, last: part });
      else runs.at(-1)!.last = part;
    }
    return runs;
  }

  async *#run(
    first: number,
    last: number,
    decoder: PictureDecoder,
    filler: PictureFiller,
  ): AsyncGenerator<Sent<PartPictures>> {
    const { parts } = this.#request;
    const end = parts[last]!.to;
    const checkpoint = createCheckpoint(this.#turn);
    this.#entries = [];
    let next = first;
    const onPicture = (frame: Frame, pts: number | null) => this.#keep(frame, pts, next, filler);
    for (let later = 0; later <= this.#head.reader.reorder; ) {
      this.#turn.throwIfCancelled();
      const packet = this.#source.next();
      if (!packet) break;
      const { pts, shown, reference, entry } = packetFacts(packet, this.#head.reader);
      const seconds = pts === null ? null : this.#grid.seconds(pts);
      if (seconds !== null && shown && entry !== 'no') this.#entries.push(seconds);
      try {
        const isAsked = seconds !== null && this.#asking(seconds, next).length > 0;
        const isBehind = seconds !== null && seconds > end;
        if (isBehind && shown) later++;
        if (isAsked || reference) decoder.send(packet, onPicture);
      } finally {
        packet.free();
      }
      while (next < last && this.#latest > parts[next]!.to) yield this.#take(next++);
      if (this.#latest > end) break;
      await checkpoint();
    }
    decoder.drain(onPicture);
    while (next <= last) yield this.#take(next++);
  }

  /** Parts from the index `first` on that hold a moment. */
  #asking(seconds: number, first: number): number[] {
    const { parts } = this.#request;
    const asking: number[] = [];
    for (let part = first; part < parts.length && parts[part]!.from <= seconds; part++) {
      if (seconds <= parts[part]!.to) asking.push(part);
    }
    return asking;
  }

  #keep(frame: Frame, pts: number | null, next: number, filler: PictureFiller): void {
    if (pts === null) return;
    const { width, height } = this.#request;
    const seconds = this.#grid.seconds(pts);
    this.#latest = seconds;
    const asking = this.#asking(seconds, next);
    if (asking.length === 0) return;
    const rgb = new Uint8Array(width * height * 3);
    filler.fill(frame, codedSize(this.#head.video), rgb);
    for (const part of asking) {
      const images = this.#pictures.get(part) ?? [];
      images.push({ seconds, rgb });
      this.#pictures.set(part, images);
    }
  }

  #take(part: number): Sent<PartPictures> {
    const begin = beginOf(this.#request.parts[part]!, this.#entries);
    const images = (this.#pictures.get(part) ?? []).filter(({ seconds }) => seconds >= begin);
    this.#pictures.delete(part);
    const { width, height } = this.#request;
    const pictures = new Uint8Array(images.length * width * height * 3);
    for (const [i, { rgb }] of images.entries()) pictures.set(rgb, i * rgb.length);
    const value = { part, seconds: images.map(({ seconds }) => seconds), pictures };
    return new Sent(value, { transfer: [pictures.buffer] });
  }
}
