// Scores a diarization: diarization error rate, Jaccard error rate and the count of speakers.
// The definitions are those of NIST's md-eval (DER) and of DIHARD (JER).
import { bestAssignment } from './assign.ts';

/** Half-open, in seconds. Turns of one speaker may touch or overlap; they count once. */
export interface Turn {
  readonly start: number;
  readonly end: number;
  readonly speaker: string;
}

export interface DiarizationScore {
  /** (missed + falseAlarm + confusion) / speech; 0 when nobody speaks and nobody is heard. */
  readonly der: number;
  /** Mean over the speakers of the reference of 1 - intersection / union with their match; no collar. */
  readonly jer: number;
  /** Speaker-seconds of the reference that were scored: two who speak at once count twice. */
  readonly speech: number;
  readonly missed: number;
  readonly falseAlarm: number;
  readonly confusion: number;
  readonly speakers: { readonly said: number; readonly found: number };
}

export interface ScoreOptions {
  /** Seconds before and after every border of the reference that are not scored. */
  readonly collar: number;
}

/** A time in which no speaker starts or stops. */
interface Interval {
  readonly seconds: number;
  readonly scored: boolean;
  /** Places in the lists of speakers. */
  readonly said: readonly number[];
  readonly found: readonly number[];
}

export function scoreDiarization(
  reference: readonly Turn[],
  answer: readonly Turn[],
  { collar }: ScoreOptions = { collar: 0.25 },
): DiarizationScore {
  const said = tracks(reference);
  const found = tracks(answer);
  const intervals = cut(said, found, collar);
  const scored = intervals.filter((interval) => interval.scored);
  const pairs = bestAssignment(secondsTogether(scored, said.length, found.length));
  const sum = { speech: 0, missed: 0, falseAlarm: 0, confusion: 0 };
  for (const { seconds, said, found } of scored) {
    const right = said.filter((speaker) => found.includes(pairs[speaker]!)).length;
    sum.speech += seconds * said.length;
    sum.missed += seconds * Math.max(0, said.length - found.length);
    sum.falseAlarm += seconds * Math.max(0, found.length - said.length);
    sum.confusion += seconds * (Math.min(said.length, found.length) - right);
  }
  const wrong = sum.missed + sum.falseAlarm + sum.confusion;
  return {
    der: wrong === 0 ? 0 : wrong / sum.speech,
    jer: jaccardError(intervals, said.length, found.length),
    ...sum,
    speakers: { said: said.length, found: found.length },
  };
}

/** One figure for several conversations: seconds add up, so that long ones weigh more; JER by speaker. */
export function sumScores(scores: readonly DiarizationScore[]): DiarizationScore {
  const add = (of: (score: DiarizationScore) => number) => scores.reduce((sum, score) => sum + of(score), 0);
  const speech = add((score) => score.speech);
  const missed = add((score) => score.missed);
  const falseAlarm = add((score) => score.falseAlarm);
  const confusion = add((score) => score.confusion);
  const wrong = missed + falseAlarm + confusion;
  const said = add((score) => score.speakers.said);
  const found = add((score) => score.speakers.found);
  return {
    der: wrong === 0 ? 0 : wrong / speech,
    jer: said === 0 ? 0 : add((score) => score.jer * score.speakers.said) / said,
    speech,
    missed,
    falseAlarm,
    confusion,
    speakers: { said, found },
  };
}

type Track = readonly (readonly [number, number])[];

/** The intervals of each speaker, ascending, without overlap; speakers in order of appearance in the list. */
function tracks(turns: readonly Turn[]): Track[] {
  const bySpeaker = new Map<string, [number, number][]>();
  for (const { start, end, speaker } of turns) {
    if (!(end > start)) continue;
    const list = bySpeaker.get(speaker) ?? [];
    list.push([start, end]);
    bySpeaker.set(speaker, list);
  }
  return [...bySpeaker.values()].map((list) => {
    list.sort((a, b) => a[0] - b[0]);
    const merged: [number, number][] = [];
    for (const [start, end] of list) {
      const last = merged.at(-1);
      if (last && start <= last[1]) last[1] = Math.max(last[1], end);
      else merged.push([start, end]);
    }
    return merged;
  });
}

function cut(said: readonly Track[], found: readonly Track[], collar: number): Interval[] {
  const collars: [number, number][] =
    collar > 0 ? said.flat(2).map((border) => [border - collar, border + collar]) : [];
  const all = [...said, ...found, collars].flat(2).sort((a, b) => a - b);
  const borders = all.filter((border, at) => border !== all[at - 1]);
  const speaking = said.map(sweep);
  const answering = found.map(sweep);
  const closed = sweep(tracks(collars.map(([start, end]) => ({ start, end, speaker: '' })))[0] ?? []);
  return borders.slice(1).map((end, at) => {
    const start = borders[at]!;
    const active = (list: readonly ((time: number) => boolean)[]) =>
      list.flatMap((is, speaker) => (is(start) ? [speaker] : []));
    return { seconds: end - start, scored: !closed(start), said: active(speaking), found: active(answering) };
  });
}

/** Asked for ascending times: whether the time lies inside the track. */
function sweep(track: Track): (time: number) => boolean {
  let at = 0;
  return (time) => {
    while (at < track.length && track[at]![1] <= time) at++;
    return at < track.length && track[at]![0] <= time;
  };
}

/** Seconds that each speaker of the reference and each of the answer speak together. */
function secondsTogether(intervals: readonly Interval[], said: number, found: number): number[][] {
  const seconds = Array.from({ length: said }, () => new Array<number>(found).fill(0));
  for (const interval of intervals) {
    for (const one of interval.said) {
      for (const other of interval.found) seconds[one]![other]! += interval.seconds;
    }
  }
  return seconds;
}

function jaccardError(intervals: readonly Interval[], said: number, found: number): number {
  if (said === 0) return found === 0 ? 0 : 1;
  const both = secondsTogether(intervals, said, found);
  const alone = (of: (interval: Interval) => readonly number[], count: number) => {
    const seconds = new Array<number>(count).fill(0);
    for (const interval of intervals)
      for (const speaker of of(interval)) seconds[speaker]! += interval.seconds;
    return seconds;
  };
  const saying = alone((interval) => interval.said, said);
  const finding = alone((interval) => interval.found, found);
  const similarity = both.map((row, one) =>
    row.map((shared, other) => shared / (saying[one]! + finding[other]! - shared)),
  );
  const pairs = bestAssignment(similarity);
  const errors = pairs.map((other, one) => 1 - (other < 0 ? 0 : similarity[one]![other]!));
  return errors.reduce((sum, error) => sum + error, 0) / said;
}
