// Composes one talk as a plan says: whose turn it is, how long, and how it is heard. The same plan gives the
// same talk.
import { drawRoom } from '../voices/room.ts';
import { drawSession, type Lines, noiseOf, type Session, usualLoudness } from '../voices/session.ts';
import { type Conversation, rate, speechIn, type Voice } from './compose.ts';
import { Participant, type Saying } from './participant.ts';
import { type Random, seeded } from './random.ts';
import type { Turn } from './score.ts';

export interface TalkPlan {
  readonly seed: number;
  /** Seconds of speech, about; less where the voices have less to say. */
  readonly seconds: number;
  /** Seconds of a turn, and of the silence after it. */
  readonly turn: readonly [number, number];
  readonly pause: readonly [number, number];
  /** How often a voice may say everything it has. */
  readonly laps: number;
  /** How often somebody is on the telephone or behind a codec. */
  readonly lines: Lines;
  /** Somebody is on the telephone, and somebody is not. */
  readonly mixedLines: boolean;
  /** True if the next speaker is one who has spoken least often, instead of one by chance. */
  readonly fair: boolean;
}

/** Seconds that every voice speaks at least, where it has so much. */
const least = 4;
const edge = 80;

interface Placed extends Saying {
  readonly start: number;
  readonly name: string;
}

export function composeTalk(voices: readonly Voice[], plan: TalkPlan): Conversation {
  const random = seeded(plan.seed);
  const sessions = sessionsOf(voices.length, plan, random);
  const all = voices.map((voice, at) => new Participant(voice, sessions[at]!, plan.laps, random));
  const placed: Placed[] = [];
  const said = new Map(all.map((participant) => [participant, 0]));
  const spoken = new Map(all.map((participant) => [participant, 0]));
  let clock = rate / 2;
  let before: Participant | null = null;
  for (;;) {
    const total = [...said.values()].reduce((sum, x) => sum + x, 0);
    const enough = total >= plan.seconds * rate;
    const speaker = nextSpeaker(all, { before, said, spoken, enough, fair: plan.fair, random });
    if (!speaker) break;
    const saying = speaker.say(random.between(...plan.turn));
    placed.push({ ...saying, start: Math.round(clock), name: speaker.name });
    said.set(speaker, said.get(speaker)! + saying.clean.length);
    spoken.set(speaker, spoken.get(speaker)! + 1);
    clock += saying.clean.length + random.between(...plan.pause) * rate;
    before = speaker;
  }
  return mixed(placed, random);
}

interface Choice {
  readonly before: Participant | null;
  /** Samples, and turns. */
  readonly said: ReadonlyMap<Participant, number>;
  readonly spoken: ReadonlyMap<Participant, number>;
  readonly fair: boolean;
  readonly enough: boolean;
  readonly random: Random;
}

/** First everybody once, then by chance, in the end those who said too little; nobody twice in a row. */
function nextSpeaker(
  all: readonly Participant[],
  { before, said, spoken, enough, fair, random }: Choice,
): Participant | null {
  const able = all.filter((participant) => participant !== before && participant.left > 1.5);
  const fewest = Math.min(...able.map((participant) => spoken.get(participant)!));
  const next = able.filter((participant) => spoken.get(participant) === fewest);
  const short = able.filter((participant) => said.get(participant)! < least * rate);
  const from = fewest === 0 || (fair && !enough) ? next : enough ? short : able;
  return from.length > 0 ? from[random.below(from.length)]! : null;
}

/** Half the talks are held in one room; who is on a line is elsewhere. */
function sessionsOf(count: number, { lines, mixedLines }: TalkPlan, random: Random): Session[] {
  const together = random.between(0, 1) < 0.5;
  const drawn = Array.from({ length: count }, () => drawSession(random, lines));
  const shared = drawRoom(random);
  const microphone = drawn[0]!.microphone;
  const placed = drawn.map((session) =>
    together && session.line.kind === 'direct' ? { ...session, room: shared, microphone } : session,
  );
  if (!mixedLines) return placed;
  return placed.map((session, at) => {
    if (at === 0) return { ...session, line: { kind: 'telephone' } };
    return at === 1 ? { ...session, line: { kind: 'direct' } } : session;
  });
}

function mixed(placed: readonly Placed[], random: Random): Conversation {
  const end = Math.max(0, ...placed.map(({ start, heard }) => start + heard.length));
  const colour = (['white', 'pink', 'brown'] as const)[random.below(3)]!;
  const gain = usualLoudness * 10 ** (-random.between(15, 40) / 20);
  const samples = noiseOf(end + rate / 2, colour, random).map((x) => gain * x);
  const turns: Turn[] = [];
  for (const { start, clean, heard, name } of placed) {
    for (let at = 0; at < heard.length; at++) {
      samples[start + at]! += heard[at]! * Math.min(1, at / edge, (heard.length - at) / edge);
    }
    for (const [from, to] of speechIn(clean)) {
      turns.push({ start: (start + from) / rate, end: (start + to) / rate, speaker: name });
    }
  }
  return { samples: limited(samples), turns };
}

/** Nothing is clipped: a talk that would be is made quieter as a whole. */
function limited(samples: Float32Array): Float32Array {
  const highest = samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return highest > 1 ? samples.map((x) => x / highest) : samples;
}
