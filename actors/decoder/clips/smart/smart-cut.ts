// The pictures of a smart clip: those of groups that a cut falls into are encoded, whole groups between them
// are copied.
import { AV_PKT_FLAG_KEY, avGetPixFmtName, type Frame, type Packet, ticks } from '../../ffmpeg.ts';
import { near } from '../../frames/seek.ts';
import { readHead } from '../../packets/head.ts';
import { packetFacts } from '../../packets/packet-facts.ts';
import { isDamaged } from '../../packets/picture-decoder.ts';
import { packetCheckpoint } from '../../source/packet-checkpoint.ts';
import type { OpenOptions, Source } from '../../source/source.ts';
import { pictureRate } from '../../source/stream.ts';
import type { ClipFile } from '../clip-file.ts';
import { type ClipRequest, type CutResult, clipErrors } from '../contract.ts';
import { type ClipPictures, decodedPictures } from '../decoded-pictures.ts';
import { type CutOptions, type FrameTimes, frameTimes } from '../picture-cut.ts';
import { writeFilm } from '../precise.ts';
import { type AvcSets, avcSets, EndEncoder, endEncoder, JoinedStream, unjoinable } from './end-encoder.ts';
import { planOf, type SmartPlan, type SourceFrame } from './plan.ts';
import { prove } from './proof.ts';
import { goTo, type ScannedClip, scan } from './scan.ts';

export interface SmartCutOptions extends CutOptions {
  readonly sets: AvcSets;
  readonly scanned: ScannedClip;
  readonly plan: SmartPlan;
  /** True if the encoder of the ends is allowed and present. */
  readonly canEncode: boolean;
}

export class SmartCut implements ClipPictures {
  readonly #options: SmartCutOptions;
  readonly #times: FrameTimes;
  readonly #perSecond: number;
  readonly #zero: number;
  #joined: JoinedStream | null = null;
  #encoder: EndEncoder | null = null;
  #work: AsyncGenerator<void> | null = null;
  /** Ticks of the clip, without those of the source before it. */
  #reached = 0;
  #done = false;
  frames = 0;

  constructor(options: SmartCutOptions) {
    this.#options = options;
    const { timeBase } = options.head.video;
    this.#perSecond = timeBase.den / timeBase.num;
    this.#zero = options.head.start ?? 0;
    this.#times = frameTimes(timeBase, pictureRate(options.source));
  }

  /** Opens the encoder where one is needed, and makes the stream. Errors: CLIP_NOT_SMART, CLIP_UNWRITABLE. */
  async open(file: ClipFile) {
    const { head, sets, plan } = this.#options;
    this.#expectTimes();
    const { base } = this.#times;
    this.#joined = new JoinedStream({ file, source: head.video, sets, base, delay: this.#delay() });
    const first = plan.head[0] ?? plan.tail[0];
    if (!first) this.#joined.open();
    else {
      for await (const picture of this.#decoded([first])) this.#openEncoder(picture);
    }
    this.#work = this.#pieces();
  }

  /** The ends are never encoded by a device: the parameters of its streams cannot be numbered. */
  get encoder(): string | null {
    const { head, tail } = this.#options.plan;
    return head.length + tail.length > 0 ? endEncoder : null;
  }

  readonly failedEncoder = null;

  get origin(): number {
    return this.#options.scanned.origin / this.#perSecond;
  }

  get position(): number {
    return this.#done ? Number.POSITIVE_INFINITY : this.#seconds(this.#reached);
  }

  get length(): number {
    return this.#seconds(this.shown(this.#options.scanned.ending));
  }

  get span(): { start: number; end: number } {
    const { origin, ending } = this.#options.scanned;
    return { start: (origin - this.#zero) / this.#perSecond, end: (ending - this.#zero) / this.#perSecond };
  }

  /** Seconds of one tick of the clip. */
  get tick(): number {
    return this.#seconds(1);
  }

  /** Ticks of the clip at which it shows what the source shows at a tick of its own. */
  shown(at: number): number {
    return Math.round(this.#times.of(at - this.#options.scanned.origin));
  }

  async step() {
    const { done } = await this.#work!.next();
    if (done) this.#done = true;
  }

  async close() {
    await this.#work?.return(undefined);
    this.#encoder?.close();
  }

  /** Each step writes or encodes one picture. */
  async *#pieces(): AsyncGenerator<void> {
    const { head, copied, tail } = this.#options.plan;
    if (head.length > 0) yield* this.#encode(head);
    yield* this.#copy(copied);
    if (tail.length > 0) yield* this.#encode(tail);
  }

  async *#encode(frames: readonly SourceFrame[]): AsyncGenerator<void> {
    let i = 0;
    for await (const picture of this.#decoded(frames)) {
      if (!this.#encoder) this.#openEncoder(picture);
      const { at, until } = frames[i++]!;
      const shown = this.shown(at);
      this.#encoder!.encode(picture, { shown, length: this.shown(until) - shown });
      this.#written(until);
      yield;
    }
    this.#encoder!.finish();
    this.#encoder!.close();
    this.#encoder = null;
  }

  #openEncoder(first: Frame) {
    const { source, sets, canEncode } = this.#options;
    if (!canEncode) throw clipErrors.CLIP_NOT_SMART(`the ends need ${endEncoder}, which cannot be used here`);
    const { base } = this.#times;
    try {
      this.#encoder = new EndEncoder({ source, sets, base, joined: this.#joined! }, first);
    } catch (error) {
      if (!clipErrors.CLIP_UNWRITABLE.is(error)) throw error;
      throw clipErrors.CLIP_NOT_SMART('the ends cannot be encoded in the profile of the source', {}, error);
    }
  }

  /**
   * The pictures of these frames, *borrowed until the next one*. Throws CLIP_NOT_SMART where one is missing.
   */
  async *#decoded(frames: readonly SourceFrame[]): AsyncGenerator<Frame> {
    const { source, head, turn } = this.#options;
    const from = frames[0]!.picture;
    const seconds = (from - this.#zero) / this.#perSecond;
    if (seconds < near) source.rewind();
    let i = 0;
    for await (const { frame, at } of decodedPictures({ source, head, seconds, turn })) {
      try {
        if (at < from) continue;
        if (at !== frames[i]!.picture || isDamaged(frame)) break;
        yield frame;
        if (++i === frames.length) return;
      } finally {
        frame.free();
      }
    }
    throw clipErrors.CLIP_NOT_SMART('a picture near a cut cannot be decoded');
  }

  async *#copy(frames: readonly SourceFrame[]): AsyncGenerator<void> {
    const { source, plan, head, turn } = this.#options;
    const lengths = new Map(
      frames.map(({ picture, at, until }) => [picture, this.shown(until) - this.shown(at)]),
    );
    const checkpoint = packetCheckpoint(turn);
    await goTo(this.#options, (frames[0]!.picture - this.#zero) / this.#perSecond);
    for (let i = 0; i < frames.length; ) {
      await checkpoint();
      const packet = source.next();
      try {
        const at = packet && ticks(packet.pts);
        const isBefore = i === 0 && packet !== null && at !== plan.order[0];
        if (isBefore && (ticks(packet.dts) ?? at ?? 0) <= plan.order[0]!) continue;
        if (!packet || at !== plan.order[i]) {
          throw clipErrors.CLIP_NOT_SMART('packets come in another order when they are read again');
        }
        if (packetFacts(packet, head.reader).entry !== 'closed') notKey(packet);
        const decoded = this.shown(frames[i]!.at);
        this.#joined!.copy(packet, { shown: this.shown(at), decoded, length: lengths.get(at)! });
        this.#written(frames[i++]!.until);
      } finally {
        packet?.free();
      }
      yield;
    }
  }

  #written(until: number) {
    this.frames++;
    this.#reached = this.shown(until);
  }

  /**
   * Ticks by which copied pictures are decoded before they are shown: the n-th to be decoded has the n-th
   * time.
   */
  #delay(): number {
    const { copied, order } = this.#options.plan;
    return order.reduce((most, at, i) => Math.max(most, this.shown(copied[i]!.at) - this.shown(at)), 0);
  }

  /** Throws CLIP_NOT_SMART where two pictures would come at the same time. */
  #expectTimes() {
    const { head, copied, tail } = this.#options.plan;
    let latest = -1;
    for (const { at } of [...head, ...copied, ...tail]) {
      const shown = this.shown(at);
      if (shown <= latest) throw clipErrors.CLIP_NOT_SMART('two pictures lie within a tick');
      latest = shown;
    }
  }

  #seconds(at: number): number {
    const { num, den } = this.#times.base;
    return (at * num) / den;
  }
}

/** Players start at no picture but those that need nothing before them. */
function notKey(packet: Packet) {
  packet.clearFlags(AV_PKT_FLAG_KEY);
}

// A smart clip: as exact as a precise one, but only the pictures of groups that a cut falls into are encoded.

/** Pixel formats of which the ends can be encoded with what the packets between them are. */
const formats = ['yuv420p', 'yuvj420p'];

/**
 * `canEncode`: whether the encoder of the ends may be used and is there. Throws CLIP_NOT_SMART with the
 * reason where such a clip cannot be; then the file is not to be used. The source stays the caller's.
 */
export async function smartFilm(
  source: Source,
  request: ClipRequest,
  turn: OpenOptions['turn'],
  canEncode: boolean,
): Promise<CutResult> {
  const { output, start_seconds: start, end_seconds: end } = request;
  const sets = expectJoinable(source);
  const head = await readHead(source, turn);
  if (!head.timed || head.start === null) throw clipErrors.CLIP_NOT_SMART('packets have no times');
  const options = { source, head, start, end, turn };
  const scanned = await scan(options, sets);
  const plan = planOf(scanned);
  if (typeof plan === 'string') throw clipErrors.CLIP_NOT_SMART(plan);
  const pictures = new SmartCut({ ...options, sets, scanned, plan, canEncode });
  const written = await writeFilm(request, pictures, turn);
  await prove({
    output,
    source,
    head,
    plan,
    shown: (at) => pictures.shown(at),
    tick: pictures.tick,
    turn,
  });
  return written;
}

/** The parameter sets of the source. */
function expectJoinable({ video, codec }: Source): AvcSets {
  const refuse = (why: string): never => {
    throw clipErrors.CLIP_NOT_SMART(why);
  };
  if (!video) return refuse('the file has no picture');
  if (codec !== 'h264') return refuse(`pictures are ${codec}, and not H.264`);
  const { format, extradata } = video.codecpar;
  const name = avGetPixFmtName(format as Parameters<typeof avGetPixFmtName>[0]) ?? 'unknown';
  if (!formats.includes(name)) return refuse(`pictures are ${name}, and not of 8 bits and 4:2:0`);
  const sets = avcSets(extradata);
  if (!sets || !extradata) return refuse('the file does not say how its pictures are coded');
  const why = unjoinable(sets, extradata);
  return why === null ? sets : refuse(why);
}
