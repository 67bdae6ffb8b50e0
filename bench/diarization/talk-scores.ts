// Scores of talks: every talk counts alike, with the spread over talks.
import type { SpeakerCount } from '../../actors/diarizer/contract.ts';
import { mean, type Spread, spreadOf } from '../voices/statistics.ts';
import type { EmbeddedTalk } from './embedded-talks.ts';
import type { Evidence, Pipeline } from './pipeline.ts';
import { type DiarizationScore, scoreDiarization } from './score.ts';

export const detections = ['ideal', 'detected'] as const;
export const counts = ['known', 'auto'] as const;

export interface TalkScore {
  readonly group: string;
  readonly detection: (typeof detections)[number];
  readonly counted: (typeof counts)[number];
  readonly score: DiarizationScore;
}

/** Each talk four times: ideal voices or ours, count known or not. */
export async function scoreTalks(
  pipeline: Pick<Pipeline, 'diarizing'>,
  talks: readonly EmbeddedTalk[],
  changes: Partial<Evidence> = {},
): Promise<TalkScore[]> {
  const scores: TalkScore[] = [];
  for (const { group, count, turns, ...embedded } of talks) {
    for (const detection of detections) {
      const diarize = await pipeline.diarizing(embedded[detection]);
      for (const counted of counts) {
        const score = scoreDiarization(
          turns,
          diarize(counted === 'known' ? countOf(count) : 'auto', changes),
        );
        scores.push({ group, detection, counted, score });
      }
    }
  }
  return scores;
}

/** The count as the product takes it, which puts five and more together. */
const countOf = (count: number): SpeakerCount => (count < 5 ? count : '5+');

export interface TalkSummary {
  readonly talks: number;
  /** All as parts of the speech in a talk, 0 to 1 and more. */
  readonly der: Spread;
  readonly missed: number;
  readonly falseAlarm: number;
  readonly confusion: Spread;
  /** Part of the talks whose speakers were counted rightly, too few, too many. */
  readonly right: Spread;
  readonly few: number;
  readonly many: number;
}

export function summarizeScores(scores: readonly DiarizationScore[]): TalkSummary {
  const part = (of: (score: DiarizationScore) => number) =>
    scores.map((score) => (score.speech > 0 ? of(score) / score.speech : 0));
  const share = (is: (score: DiarizationScore) => boolean) => scores.map((score) => (is(score) ? 1 : 0));
  return {
    talks: scores.length,
    der: spreadOf(scores.map(({ der }) => der)),
    missed: mean(part((score) => score.missed)),
    falseAlarm: mean(part((score) => score.falseAlarm)),
    confusion: spreadOf(part((score) => score.confusion)),
    right: spreadOf(share(({ speakers }) => speakers.said === speakers.found)),
    few: mean(share(({ speakers }) => speakers.found < speakers.said)),
    many: mean(share(({ speakers }) => speakers.found > speakers.said)),
  };
}

/** Summaries by detection and count, for all talks and for each group. */
export function* summaries(scores: readonly TalkScore[]): Generator<{
  readonly group: string;
  readonly detection: TalkScore['detection'];
  readonly counted: TalkScore['counted'];
  readonly summary: TalkSummary;
}> {
  const groups = [...new Set(scores.map(({ group }) => group))];
  for (const group of groups.length > 1 ? [null, ...groups] : groups) {
    for (const detection of detections) {
      for (const counted of counts) {
        const groupScores = scores.filter(
          (entry) =>
            (group === null || entry.group === group) &&
            entry.detection === detection &&
            entry.counted === counted,
        );
        const summary = summarizeScores(groupScores.map(({ score }) => score));
        yield { group: group ?? 'all', detection, counted, summary };
      }
    }
  }
}

const percent = (part: number) => (100 * part).toFixed(1);
export const spreadText = ({ mean, interval: [low, high] }: Spread) =>
  `${percent(mean)} % (${percent(low)} to ${percent(high)})`;

/** One line for a person. */
export function summaryLine({
  der,
  missed,
  falseAlarm,
  confusion,
  right,
  few,
  many,
  talks,
}: TalkSummary): string {
  return (
    `DER ${spreadText(der)}, missed ${percent(missed)}, false ${percent(falseAlarm)}, confused ` +
    `${spreadText(confusion)}; counted rightly ${spreadText(right)}, too few ${percent(few)}, too many ` +
    `${percent(many)}; ${talks} talks`
  );
}
