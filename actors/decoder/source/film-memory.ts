// Memory that FFmpeg takes for one film, out of the budget of all decoders: for the index, which it makes
// while it opens the file, and for large pictures, one while it looks at the streams, more while it decodes.
import type { Turn } from '../../../runtime/actor.ts';
import { avGetCodecName, avImageGetBufferSize, type FormatContext, type Stream } from '../ffmpeg.ts';
import { type Needs, pictureOf, reserveFor } from './coded-size.ts';
import { type HeaderNeeds, promisedBy } from './film-index/promised.ts';
import type { PacketTurn } from './packet-checkpoint.ts';

/**
 * An index as films of some hours have it, and the pictures of a film in 4K, are part of what a decoder
 * takes; only more than that waits for the budget.
 */
const ordinary = { index: 64 * 2 ** 20, pictures: 256 * 2 ** 20 };
/** Bytes a pixel of a picture whose format is not known before it is decoded. */
const unknownPixel = 4;
/** Pictures that a decoder holds, as measured on films of 8K and more, by FFmpeg's name of the codec. */
const heldPictures: Readonly<Record<string, number>> = { h264: 8, hevc: 8, vvc: 8, vp9: 8, av1: 8 };
const otherPictures = 3;
/** Bytes a pixel beside the picture: JPEG 2000 keeps a coefficient of 4 bytes for each of three colours. */
const besidePixel: Readonly<Record<string, number>> = { jpeg2000: 12 };

type FilmTurn = PacketTurn & Pick<Turn, 'reserve'>;

/** Turns that hold memory for a film. */
const holding = new WeakSet<object>();

export class FilmMemory {
  readonly #turn: FilmTurn;
  readonly #header: HeaderNeeds;
  #reserved = 0;
  #release: (() => void) | null = null;

  private constructor(header: HeaderNeeds, turn: FilmTurn) {
    this.#header = header;
    this.#turn = turn;
  }

  /**
   * Waits until the index of the file may be made. Errors: FILE_UNREADABLE, TOO_MANY_FILES, NOT_MEDIA for a
   * file that promises more than its bytes can hold, TOO_LARGE, CANCELLED.
   */
  static async ofIndex(path: string, size: number, turn: FilmTurn): Promise<FilmMemory> {
    const film = new FilmMemory(promisedBy(path, size, turn), turn);
    await film.keepIndex();
    return film;
  }

  get hasLongIndex(): boolean {
    return this.#header.memory > ordinary.index;
  }

  /**
   * Waits until FFmpeg may decode a picture of the largest size that the header states. Errors: TOO_LARGE,
   * CANCELLED.
   */
  async forOpening({ streams }: FormatContext): Promise<void> {
    const [largest] = streams.toSorted((a, b) => pixelsOf(b) - pixelsOf(a));
    if (largest) await this.#forPictures(largest, pixelsOf(largest) * unknownPixel);
  }

  /**
   * Waits until the pictures of a stream may be decoded. `further`: how many are held beside those of the
   * decoder. Errors: TOO_LARGE, CANCELLED.
   */
  async forDecoding(video: Stream, further: number): Promise<void> {
    const codec = avGetCodecName(video.codecpar.codecId) ?? '';
    const pictures = (heldPictures[codec] ?? otherPictures) + further;
    const beside = (besidePixel[codec] ?? 0) * pixelsOf(video);
    await this.#forPictures(video, pictures * pictureBytes(video) + beside);
  }

  /** Keeps memory for the index alone. */
  async keepIndex(): Promise<void> {
    await this.#reserve(this.#header, 0);
  }

  release() {
    this.#release?.();
    this.#release = null;
    this.#reserved = 0;
  }

  async #forPictures({ codecpar: { width, height } }: Stream, bytes: number) {
    const needs = pictureOf({ path: this.#header.path, width, height });
    await this.#reserve(needs, bytes > ordinary.pictures ? bytes : 0);
  }

  /**
   * A turn reads some films by several sources. One that waited for more while it holds some might wait for
   * itself: so the sources after the first go without, a few for each of the turns that the budget lets go
   * on, and the first gives back what it has before it waits for more.
   */
  async #reserve(needs: Needs, pictures: number) {
    const bytes = (this.hasLongIndex ? this.#header.memory : 0) + pictures;
    if (bytes === this.#reserved || (this.#release === null && holding.has(this.#turn))) return;
    this.release();
    if (bytes === 0) return;
    const release = await reserveFor(needs, bytes, this.#turn);
    holding.add(this.#turn);
    this.#reserved = bytes;
    this.#release = () => {
      holding.delete(this.#turn);
      release();
    };
  }
}

const pixelsOf = ({ codecpar: { width, height } }: Stream): number => width * height;

function pictureBytes(video: Stream): number {
  const { format, width, height } = video.codecpar;
  const bytes = avImageGetBufferSize(format as Parameters<typeof avImageGetBufferSize>[0], width, height, 32);
  return bytes > 0 ? bytes : pixelsOf(video) * unknownPixel;
}
