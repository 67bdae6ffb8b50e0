// The frame of a timeline before anything lies on it: its name, rate, size and timecode.
import type { Rational } from '../../decoder/contract.ts';
import { frames, nominalRate, saysDropFrame } from '../../decoder/timecode.ts';
import { oneLine } from '../rows.ts';
import { type TimelineBody, timelineErrors } from './contract.ts';
import { counterText, dropsFrames, type Timeline } from './model.ts';
import {
  canDropFrames,
  conformedRate,
  editingRate,
  framesPerSecond,
  isSameRate,
  rateOfNumber,
} from './rate.ts';
import type { SourceFacts } from './source-facts.ts';

/** Where neither the request nor a picture says it. */
const USUAL: Rational = { num: 25, den: 1 };
const USUAL_SIZE = { width: 1920, height: 1080 };

type Sequence = Pick<Timeline, 'name' | 'rate' | 'width' | 'height' | 'timecode'>;

/** `pictures`: of the video items, in their order. Throws SEQUENCE_INVALID naming the field. */
export function sequenceOf(request: TimelineBody, pictures: readonly SourceFacts[]): Sequence {
  const name = oneLine(request.sequence_name);
  if (name === '') throw refused('sequence_name', 'has no printable characters');
  const film = pictures.find(({ rate }) => rate !== null && conformedRate(rate) !== null);
  const rate = request.fps === undefined ? (rateOf(film) ?? USUAL) : rateAsked(request.fps);
  // Before the rotation of stills: a film says best what the sequence looks like.
  const shown = pictures.find(({ kind, width }) => kind === 'video' && width > 0);
  const first = shown ?? pictures.find(({ width }) => width > 0) ?? USUAL_SIZE;
  const { width = even(first.width), height = even(first.height) } = request;
  return { name, rate, width, height, timecode: counterAsked(request.start_timecode, rate, film) };
}

function rateAsked(fps: number): Rational {
  const found = conformedRate(rateOfNumber(fps));
  if (found?.isOwn) return found.rate;
  const near = found && `; the nearest is ${framesPerSecond(found.rate)}`;
  throw refused('fps', `must be a frame rate that editing programs support, not ${fps}${near ?? ''}`);
}

function rateOf(film: SourceFacts | undefined): Rational | null {
  return film?.rate ? editingRate(film.rate) : null;
}

/** Codecs want even sides, and a sequence is rendered by one. */
function even(side: number): number {
  return Math.max(2, 2 * Math.round(side / 2));
}

/** A sequence drops frame numbers where its first film does, unless its first timecode is told. */
function counterAsked(
  text: string | undefined,
  rate: Rational,
  film: SourceFacts | undefined,
): Timeline['timecode'] {
  if (text === undefined) {
    const own = film?.timecode ?? null;
    const dropFrame = own !== null && dropsFrames(own) && isSameRate(own.rate, rate);
    return { frame: 0, rate, dropFrame };
  }
  const dropFrame = saysDropFrame(text);
  if (dropFrame && !canDropFrames(rate)) {
    throw refused(
      'start_timecode',
      `drop-frame timecode is not possible at ${framesPerSecond(rate)} frames per second`,
    );
  }
  const counter = { frame: frames(text, { rate, dropFrame }) ?? 0, rate, dropFrame };
  // Other text, hours after the day, and numbers that are dropped come out as another timecode.
  if (counterText(counter, 0) !== text) {
    const what = dropFrame
      ? 'with a frame number that is not dropped'
      : `at ${nominalRate(rate)} frames per second`;
    throw refused('start_timecode', `must be HH:MM:SS:FF ${what}, not ${oneLine(text)}`);
  }
  return counter;
}

function refused(field: string, what: string) {
  return timelineErrors.SEQUENCE_INVALID(`${field} ${what}`, { field });
}
