// Diarization error, with ideal voice detection and with the one in use, with the count of speakers known and
// unknown. Talks of held voices and of the five of test-other, in rooms and over lines
// (diarization/talks.ts), every talk counting alike, with the spread over talks; and conversations of the
// five as recorded and equalised, with and without overlap. And the speed of whole files through decoder,
// voice detection and diarizer.
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { SpeakerCount } from '../actors/diarizer/contract.ts';
import { starterSpeakerFile } from '../actors/models/starter/speaker.ts';
import { type Conversation, compose, rate, usual, type Voice } from './diarization/compose.ts';
import { scoreDraws } from './diarization/draws.ts';
import type { TalkSet } from './diarization/embedded-talks.ts';
import { equalised } from './diarization/equalise.ts';
import { readVoices } from './diarization/librispeech.ts';
import { idealSpeech, openPipeline, type Pipeline } from './diarization/pipeline.ts';
import { seeded } from './diarization/random.ts';
import { type DiarizationScore, scoreDiarization, sumScores } from './diarization/score.ts';
import { summaries, type TalkSummary } from './diarization/talk-scores.ts';
import { fewVoices, manyVoices } from './diarization/talks.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { percent } from './voices/conditions.ts';
import { heldModel } from './voices/model.ts';
import { splitVoices } from './voices/split.ts';
import type { Spread } from './voices/statistics.ts';
import { wave } from './wave.ts';

const question = 'diarization';
/** Conversations for each count of voices, and how long each is at most. */
const conversations = sized(5, 1);
const seconds = sized(120, 20);
/** Seed of the talks; the fit twin has others. */
const talkSeed = 30_001;

interface Condition {
  readonly name: string;
  readonly eq: boolean;
  readonly overlap: number;
  /** Most DER in percent: known and unknown count, with ideal voice detection and the one in use. */
  readonly goals: { readonly ideal: Goals; readonly detected: Goals };
}

interface Goals {
  readonly known?: number;
  readonly auto?: number;
}

const conditions: readonly Condition[] = [
  {
    name: 'as recorded',
    eq: false,
    overlap: 0,
    goals: { ideal: { known: 3, auto: 5 }, detected: { known: 6, auto: 10 } },
  },
  {
    name: 'equalised',
    eq: true,
    overlap: 0,
    goals: { ideal: { known: 3, auto: 5 }, detected: { known: 6, auto: 10 } },
  },
  {
    name: 'as recorded, 10 % overlap',
    eq: false,
    overlap: 0.1,
    goals: { ideal: { known: 11, auto: 15 }, detected: {} },
  },
  {
    name: 'equalised, 10 % overlap',
    eq: true,
    overlap: 0.1,
    goals: { ideal: { known: 11, auto: 15 }, detected: {} },
  },
];

export const diarization: Question = async (say, modelsDir) => {
  const voices = await readVoices('test-other', say);
  if (!voices) return [];
  const pipeline = await openPipeline(modelsDir, availableParallelism());
  try {
    const equal = equalised(voices);
    const rows: Row[] = [];
    const set = { name: 'test-other', voices, groups: fewVoices, seed: talkSeed };
    rows.push(
      ...(await talkRows(pipeline, starterSpeakerFile.path, set, say)),
      ...(await heldRows(modelsDir, say)),
    );
    for (const condition of conditions) {
      const talks = talksOf(condition.eq ? equal : voices, condition.overlap);
      for (const detection of ['ideal', 'detected'] as const) {
        say(`${condition.name}, ${detection} voice detection`);
        rows.push(...(await measure(pipeline, talks, condition, detection)));
      }
    }
    say('speed');
    rows.push(...(await speed(pipeline, voices, modelsDir)));
    return rows;
  } finally {
    await pipeline.stop();
  }
};

/** The held voices, by a model of its own that has not heard them. */
async function heldRows(modelsDir: string, say: (text: string) => void): Promise<Row[]> {
  const model = heldModel(say);
  const all = model && (await readVoices('train-clean-100', say));
  if (!model || !all) return [];
  const pipeline = await openPipeline(modelsDir, availableParallelism(), model.path);
  try {
    const { held } = splitVoices(all);
    const set = { name: 'held voices', voices: held, groups: manyVoices, seed: talkSeed };
    return await talkRows(pipeline, model.path, set, say);
  } finally {
    await pipeline.stop();
  }
}

async function talkRows(
  pipeline: Pipeline,
  model: string,
  set: TalkSet,
  say: (text: string) => void,
): Promise<Row[]> {
  const scores = await scoreDraws(pipeline, model, set, say, { fresh: true });
  return [...summaries(scores)].flatMap(({ group, detection, counted, summary }) => {
    const detector = detection === 'ideal' ? 'ideal voices' : 'voices by our detector';
    const count = counted === 'known' ? 'known' : 'unknown';
    return rowsOf(`${set.name}, talks: ${group}, ${detector}, count ${count}`, summary, counted === 'auto');
  });
}

function rowsOf(
  what: string,
  { der, missed, falseAlarm, confusion, right, few, many, talks }: TalkSummary,
  areCounted: boolean,
): Row[] {
  const plain = { question, unit: '%', against: null, ratio: null, goal: null } as const;
  const within = (of: Spread) => `90 %: ${of.interval.map(percent).join(' to ')}`;
  const inParts = `missed ${percent(missed)}, false ${percent(falseAlarm)}, confused ${percent(confusion.mean)}`;
  const error = `${what}: DER of ${talks} (${within(der)}; ${inParts})`;
  const wrong = `${within(right)}; too few ${percent(few)}, too many ${percent(many)}`;
  const rows = [{ ...plain, name: error, value: 100 * der.mean }];
  if (areCounted) {
    const name = `${what}: counts that are right (${wrong})`;
    rows.push({ ...plain, name, value: 100 * right.mean });
  }
  return rows;
}

interface EvenTalk extends Conversation {
  readonly count: 2 | 3 | 4;
}

function talksOf(voices: readonly Voice[], overlap: number): EvenTalk[] {
  return ([2, 3, 4] as const).flatMap((count) =>
    Array.from({ length: conversations }, (_, at) => {
      const seed = 1000 * count + at;
      const chosen = seeded(seed).shuffled(voices).slice(0, count);
      return { ...compose(chosen, { ...usual, seconds, overlap, seed }), count };
    }),
  );
}

async function measure(
  pipeline: Pipeline,
  talks: readonly EvenTalk[],
  { name, goals }: Condition,
  detection: 'ideal' | 'detected',
): Promise<Row[]> {
  const scores: Record<'known' | 'auto', DiarizationScore[]> = { known: [], auto: [] };
  for (const { samples, turns, count } of talks) {
    const speech = detection === 'ideal' ? idealSpeech(turns) : await pipeline.detectSpeech(samples);
    const diarize = await pipeline.diarizing(await pipeline.embed(samples, speech));
    const request: Record<'known' | 'auto', SpeakerCount> = { known: count, auto: 'auto' };
    for (const key of ['known', 'auto'] as const) {
      scores[key].push(scoreDiarization(turns, diarize(request[key])));
    }
  }
  return (['known', 'auto'] as const).flatMap((key) => {
    const { der, jer, missed, falseAlarm, confusion, speech } = sumScores(scores[key]);
    const percent = (part: number) => ((100 * part) / speech).toFixed(1);
    const parts = `missed ${percent(missed)}, false ${percent(falseAlarm)}, confused ${percent(confusion)}`;
    const detector = detection === 'ideal' ? 'ideal voices' : 'voices by our detector';
    const what = `${name}, ${detector}, count ${key === 'known' ? 'known' : 'unknown'}`;
    const plain = { question, against: null, ratio: null } as const;
    const most = goals[detection][key];
    const goal = most === undefined ? null : ({ of: 'value', at: 'most', than: most } as const);
    const right = scores[key].filter(({ speakers }) => speakers.said === speakers.found).length;
    return [
      { ...plain, name: `${what}: DER (${parts})`, value: 100 * der, unit: '%', goal },
      { ...plain, name: `${what}: JER`, value: 100 * jer, unit: '%', goal: null },
      ...(key === 'auto'
        ? [
            {
              ...plain,
              name: `${what}: counts that are right`,
              value: (100 * right) / scores[key].length,
              unit: '%',
              goal: null,
            },
          ]
        : []),
    ];
  });
}

/** Ten minutes of four voices in a file, three times. */
async function speed(pipeline: Pipeline, voices: readonly Voice[], folder: string): Promise<Row[]> {
  const parts = [1, 2, 3].map((seed) => compose(voices.slice(0, 4), { ...usual, seed }).samples);
  const path = join(folder, 'talk.wav');
  await writeFile(path, wave(parts));
  const length = parts.reduce((sum, part) => sum + part.length, 0) / rate;
  const times: number[] = [];
  const processor: number[] = [];
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    const before = process.cpuUsage();
    await pipeline.wholeFile(path);
    const { user, system } = process.cpuUsage(before);
    processor.push(length / ((user + system) / 1e6));
    times.push(length / ((performance.now() - start) / 1000));
  }
  const name = `decoding, voice detection and diarization of ${Math.round(length / 60)} minutes`;
  const plain = { question, against: null, ratio: null } as const;
  return [
    {
      ...plain,
      name,
      value: median(times),
      unit: '× real time',
      goal: { of: 'value', at: 'least', than: 60 },
    },
    // Other programs on the machine do not change this one.
    { ...plain, name, value: median(processor), unit: '× real time for each processor', goal: null },
  ];
}
