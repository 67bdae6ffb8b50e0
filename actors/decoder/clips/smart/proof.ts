// Proves a smart clip before it gets its name: its packets are those that were meant, and around both seams
// it decodes to the pictures of the source.
import { EngineError } from '../../../../runtime/errors.ts';
import { type Frame, ticks } from '../../ffmpeg.ts';
import { readHead, type StreamHead } from '../../packets/head.ts';
import { isDamaged } from '../../packets/picture-decoder.ts';
import { packetCheckpoint } from '../../source/packet-checkpoint.ts';
import { type OpenOptions, openSource, type Source } from '../../source/source.ts';
import { clipErrors } from '../contract.ts';
import { type DecodedPicture, decodedPictures } from '../decoded-pictures.ts';
import type { SmartPlan, SourceFrame } from './plan.ts';

/** Pictures after the first seam that are compared. */
const mostAfterSeam = 8;
/**
 * Levels by which encoded pictures differ from the source in the mean, at most: far more than any encoding
 * does.
 */
const mostDifference = 8;

export interface Proof {
  readonly output: string;
  readonly source: Source;
  readonly head: StreamHead;
  readonly plan: SmartPlan;
  /** Ticks of the clip at which it shows what the source shows at a tick. */
  shown(at: number): number;
  /** Seconds of one tick of the clip. */
  readonly tick: number;
  readonly turn: OpenOptions['turn'];
}

/** Errors: CLIP_NOT_SMART, CANCELLED. The source stays the caller's. */
export async function prove(proof: Proof): Promise<void> {
  const { output, turn } = proof;
  let clip: Source | null = null;
  try {
    clip = await openSource(output, { turn });
    const head = await readHead(clip, turn);
    await proveTimes(proof, clip, head);
    for (const [from, to] of seams(proof.plan)) await proveSeam(proof, { clip, head }, from, to);
  } catch (error) {
    turn.throwIfCancelled();
    if (clipErrors.CLIP_NOT_SMART.is(error) || !(error instanceof EngineError)) throw error;
    const { meaning } = error as EngineError;
    throw clipErrors.CLIP_NOT_SMART(`the joined clip cannot be read (${meaning})`, {}, error);
  } finally {
    clip?.close();
  }
}

/** Ranges of pictures to compare: the second is after the last. */
function seams({ head, copied, tail }: SmartPlan): [number, number][] {
  const end = head.length + copied.length;
  const first: [number, number] = [0, Math.min(end, head.length + mostAfterSeam)];
  return tail.length === 0 ? [first] : [first, [Math.max(0, end - mostAfterSeam), end + tail.length]];
}

const framesOf = ({ head, copied, tail }: SmartPlan): SourceFrame[] => [...head, ...copied, ...tail];

const refusal = (why: string) => clipErrors.CLIP_NOT_SMART(`the joined clip ${why}`);

/** Each picture once, at its time; decoded in an order in time. */
async function proveTimes({ plan, shown, tick, turn }: Proof, clip: Source, head: StreamHead) {
  const { timeBase } = head.video;
  const unit = timeBase.num / timeBase.den;
  const checkpoint = packetCheckpoint(turn);
  const times: number[] = [];
  let decoded = Number.NEGATIVE_INFINITY;
  for (let packet = clip.next(); packet; packet = clip.next()) {
    const [pts, dts] = [ticks(packet.pts), ticks(packet.dts)];
    packet.free();
    if (pts === null || dts === null || dts <= decoded || dts > pts)
      throw refusal('has packets out of order');
    decoded = dts;
    times.push(pts * unit);
    await checkpoint();
  }
  times.sort((a, b) => a - b);
  const frames = framesOf(plan);
  if (times.length !== frames.length) throw refusal(`has ${times.length} pictures, not ${frames.length}`);
  const isElsewhere = frames.some(
    ({ at }, i) => Math.abs(times[i]! - shown(at) * tick) > Math.max(tick, unit),
  );
  if (isElsewhere) throw refusal('shows a picture at another time');
}

/** Decodes a range of pictures from clip and source. */
async function proveSeam(
  proof: Proof,
  { clip, head }: { clip: Source; head: StreamHead },
  from: number,
  to: number,
) {
  const { plan, source, shown, tick, turn } = proof;
  const frames = framesOf(plan).slice(from, to);
  const first = frames[0]!;
  const { num, den } = proof.head.video.timeBase;
  const inSource = ((first.picture - (proof.head.start ?? 0)) * num) / den;
  // Both go on from their starts where no seek is worth it.
  clip.rewind();
  source.rewind();
  const mine = decodedPictures({ source: clip, head, seconds: shown(first.at) * tick, turn });
  const theirs = decodedPictures({ source, head: proof.head, seconds: inSource, turn });
  const unit = head.video.timeBase.num / head.video.timeBase.den;
  try {
    for (const [i, { picture, at }] of frames.entries()) {
      const isMine = (time: number) => time * unit - shown(at) * tick;
      const [clipPicture, sourcePicture] = [
        await until(mine, isMine),
        await until(theirs, (time) => time - picture),
      ];
      const isCopied = from + i >= plan.head.length && from + i < plan.head.length + plan.copied.length;
      try {
        compare(clipPicture, sourcePicture, isCopied);
      } finally {
        clipPicture?.frame.free();
        sourcePicture?.frame.free();
      }
    }
  } finally {
    await mine.return(undefined);
    await theirs.return(undefined);
  }
}

/** The first picture that does not come before; null where there is none. `after`: how late a time is. */
async function until(
  pictures: AsyncGenerator<DecodedPicture>,
  after: (at: number) => number,
): Promise<DecodedPicture | null> {
  for (;;) {
    const { value, done } = await pictures.next();
    if (done) return null;
    const late = after(value.at);
    if (Math.abs(late) < 1e-4) return value;
    value.frame.free();
    if (late > 0) return null;
  }
}

function compare(
  clipPicture: DecodedPicture | null,
  sourcePicture: DecodedPicture | null,
  isCopied: boolean,
) {
  if (!clipPicture || isDamaged(clipPicture.frame)) throw refusal('does not decode at a seam');
  if (!sourcePicture) throw refusal('cannot be compared at a seam');
  if (
    isCopied
      ? !isSame(clipPicture.frame, sourcePicture.frame)
      : lumaDifference(clipPicture.frame, sourcePicture.frame) > mostDifference
  ) {
    throw refusal('shows another picture at a seam');
  }
}

// How alike two decoded pictures of 8 bits and 4:2:0 are.

/** Stride of the compared rows of luma, where not all are compared. */
const rowStep = 8;

interface Plane {
  readonly data: Uint8Array;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
}

function planes(frame: Frame): Plane[] {
  const { width, height, linesize } = frame;
  const data = frame.data ?? [];
  const half = (size: number) => Math.ceil(size / 2);
  return [0, 1, 2].flatMap((i) => {
    const plane = data[i];
    const size = i === 0 ? { width, height } : { width: half(width), height: half(height) };
    return plane ? [{ data: plane, stride: linesize[i]!, ...size }] : [];
  });
}

const row = ({ data, stride, width }: Plane, y: number) => data.subarray(y * stride, y * stride + width);

/** True when every sample is. */
function isSame(first: Frame, second: Frame): boolean {
  const [firstPlanes, secondPlanes] = [planes(first), planes(second)];
  if (
    first.width !== second.width ||
    first.height !== second.height ||
    firstPlanes.length !== secondPlanes.length
  )
    return false;
  return firstPlanes.every((plane, i) => {
    for (let y = 0; y < plane.height; y++) {
      if (Buffer.compare(row(plane, y), row(secondPlanes[i]!, y)) !== 0) return false;
    }
    return true;
  });
}

/** Mean difference of luma in levels, of some rows; Infinity for pictures of another size. */
function lumaDifference(first: Frame, second: Frame): number {
  const [firstPlane, secondPlane] = [planes(first)[0], planes(second)[0]];
  if (
    !firstPlane ||
    !secondPlane ||
    firstPlane.width !== secondPlane.width ||
    firstPlane.height !== secondPlane.height
  )
    return Infinity;
  let sum = 0;
  let samples = 0;
  for (let y = 0; y < firstPlane.height; y += rowStep) {
    const [a, b] = [row(firstPlane, y), row(secondPlane, y)];
    for (let x = 0; x < firstPlane.width; x++) sum += Math.abs(a[x]! - b[x]!);
    samples += firstPlane.width;
  }
  return sum / samples;
}
