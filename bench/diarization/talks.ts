// The talks of the measurement, in groups: what is hard differs. The same voices and seed give the same
// talks.
import { sized } from '../size.ts';
import { medianPitch } from '../voices/pitch.ts';
import type { Lines } from '../voices/session.ts';
import type { Conversation, Voice } from './compose.ts';
import { type Random, seeded } from './random.ts';
import { composeTalk, type TalkPlan } from './talk.ts';

export interface Talk extends Conversation {
  readonly group: string;
  readonly count: number;
}

export interface Group {
  readonly name: string;
  readonly talks: number;
  readonly voices: readonly [number, number];
  readonly seconds: readonly [number, number];
  readonly turn?: readonly [number, number];
  readonly pause?: readonly [number, number];
  readonly lines?: Lines;
  readonly mixedLines?: boolean;
  readonly fair?: boolean;
  /** Voices of similar pitch. */
  readonly alike?: boolean;
}

/** Three voices in eight turns of 8 s. */
const eightTurns = {
  voices: [3, 3],
  seconds: [57, 57],
  turn: [8, 8],
  pause: [0.6, 0.6],
  fair: true,
} as const;

/** Talks of many voices with one recording each: 64 talks. */
export const manyVoices: readonly Group[] = [
  { name: 'few words', talks: 14, voices: [2, 4], seconds: [30, 42], turn: [1, 8] },
  { name: 'eight turns of 8 s', talks: 10, ...eightTurns },
  { name: 'alike in pitch', talks: 14, voices: [2, 4], seconds: [50, 100], alike: true },
  {
    name: 'telephone',
    talks: 14,
    voices: [2, 5],
    seconds: [50, 110],
    lines: { telephone: 0.4, codec: 0.3 },
    mixedLines: true,
  },
  { name: 'long', talks: 12, voices: [4, 6], seconds: [120, 180], lines: { telephone: 0.15, codec: 0.2 } },
];

/** Talks of few voices with many recordings: 16 talks. */
export const fewVoices: readonly Group[] = [
  { name: 'five strangers', talks: 10, voices: [2, 5], seconds: [60, 150] },
  { name: 'five strangers, few words', talks: 6, voices: [3, 3], seconds: [30, 42], turn: [1, 8] },
  { name: 'five strangers, eight turns', talks: 6, ...eightTurns },
];

/** A voice may say its recording so often, where it has only one. */
const laps = 4;
/** Between the pitch of most men and of most women, hertz. */
const middlePitch = 160;
/** From so many voices of the nearest pitch those that are alike are drawn. */
const neighbours = 10;

/** One at a time, since each holds its samples. */
export function* talksOf(
  voices: readonly Voice[],
  groups: readonly Group[],
  seed: number,
): Generator<Talk, void, undefined> {
  const pitches = groups.some(({ alike }) => alike) ? voices.map(medianPitch) : [];
  for (const [place, group] of groups.entries()) {
    for (let at = 0; at < sized(group.talks, 1); at++) {
      const random = seeded(Math.imul(seed, 0x9e3779b1) + 1000 * place + at);
      const [fewest, most] = group.voices;
      // Every count comes up alike often.
      const count = fewest + (at % (most - fewest + 1));
      const chosen = (group.alike ? alikeVoices(voices, pitches, random) : random.shuffled(voices)).slice(
        0,
        count,
      );
      const plan = planOf(group, random, chosen[0]!.pieces.length);
      yield { ...composeTalk(chosen, plan), group: group.name, count };
    }
  }
}

function planOf(group: Group, random: Random, recordings: number): TalkPlan {
  return {
    seed: random.below(2 ** 31),
    seconds: random.between(...group.seconds),
    turn: group.turn ?? [1, 12],
    pause: group.pause ?? [0.1, 3],
    laps: recordings > 1 ? 1 : laps,
    lines: group.lines ?? { telephone: 0, codec: 0 },
    mixedLines: group.mixedLines ?? false,
    fair: group.fair ?? false,
  };
}

/** One voice by chance and those nearest to it in pitch, on the same side of the middle. */
function alikeVoices(voices: readonly Voice[], pitches: readonly number[], random: Random): Voice[] {
  const first = random.below(voices.length);
  const pitch = pitches[first]!;
  const away = (at: number) => Math.abs(Math.log(pitches[at]! / pitch));
  const same = [...voices.keys()].filter(
    (at) => at !== first && pitches[at]! < middlePitch === pitch < middlePitch,
  );
  const nearest = same.sort((a, b) => away(a) - away(b)).slice(0, neighbours);
  return [voices[first]!, ...random.shuffled(nearest.map((at) => voices[at]!))];
}
