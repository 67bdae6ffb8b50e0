// How many speak in recordings of real rooms, and who when: the whole way of a file through decoder, voice
// detector and diarizer, by the included speaker model and by the models of the folder that
// FRAMEHOUND_BENCH_VOICE_MODELS names. FRAMEHOUND_BENCH_ROOMS names the recordings: a rooms.tsv with file,
// speakers, and speakers of 2 s and more, and a NAME.rttm beside those of which it is known who speaks when.
import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DiarizedFile, openPipeline, type Pipeline } from './diarization/pipeline.ts';
import { type DiarizationScore, scoreDiarization, sumScores, type Turn } from './diarization/score.ts';
import type { Question, Row } from './row.ts';
import { sized } from './size.ts';

const folder =
  process.env['FRAMEHOUND_BENCH_ROOMS'] ??
  fileURLToPath(new URL('../../shared/media/speech/rooms', import.meta.url));
const most = sized(Number.POSITIVE_INFINITY, 2);

interface Room {
  readonly name: string;
  readonly path: string;
  /** Composed of readings, and not recorded as a talk. */
  readonly isComposed: boolean;
  readonly speakers: number;
  /** Number of speakers who say 2 s or more. */
  readonly heard: number;
  readonly seconds: number;
  /** Null where it is not known who speaks when. */
  readonly turns: readonly Turn[] | null;
}

interface Answer extends DiarizedFile {
  readonly room: Room;
  readonly score: DiarizationScore | null;
}

export const rooms: Question = async (say, empty) => {
  if (!existsSync(join(folder, 'rooms.tsv'))) {
    say(`${folder} has no rooms.tsv; FRAMEHOUND_BENCH_ROOMS names another folder`);
    return [];
  }
  const downloaded = process.env['FRAMEHOUND_BENCH_VOICE_MODELS'];
  if (downloaded === undefined) say('FRAMEHOUND_BENCH_VOICE_MODELS is not set: the included model alone');
  const folders = [
    { name: 'included model', modelsDir: empty },
    ...(downloaded === undefined ? [] : [{ name: 'downloaded models', modelsDir: downloaded }]),
  ];
  const rows: Row[] = [];
  for (const { name, modelsDir } of folders) {
    const pipeline = await openPipeline(modelsDir, 1);
    try {
      rows.push(...(await measure(pipeline, name, say)));
    } finally {
      await pipeline.stop();
    }
  }
  return rows;
};

async function measure(pipeline: Pipeline, name: string, say: (text: string) => void): Promise<Row[]> {
  const answers: Answer[] = [];
  const before = process.cpuUsage();
  for (const room of roomsIn(folder).slice(0, most)) {
    const file = await pipeline.wholeFile(room.path);
    const score = room.turns && scoreDiarization(room.turns, file.turns);
    answers.push({ ...file, room, score });
    say(`${name}, ${lineOf({ ...file, room, score })}`);
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = answers.reduce((sum, { room }) => sum + room.seconds, 0);
  const plain = { question: 'rooms', against: null, ratio: null, goal: null } as const;
  return [
    ...rowsOf(
      name,
      'rooms',
      answers.filter(({ room }) => !room.isComposed),
    ),
    ...rowsOf(
      name,
      'talks',
      answers.filter(({ room }) => room.isComposed),
    ),
    {
      ...plain,
      name: `${name}: processor time of a second of sound`,
      value: (user + system) / 1e3 / seconds,
      unit: 'ms',
    },
  ];
}

function rowsOf(name: string, group: string, answers: readonly Answer[]): Row[] {
  if (answers.length === 0) return [];
  const plain = { question: 'rooms', against: null, ratio: null, goal: null } as const;
  const part = (count: number) => `${count} of ${answers.length}`;
  const right = answers.filter(isRight).length;
  const within = answers.filter((answer) => isRight(answer) || isWithin(answer)).length;
  const sure = answers.filter(({ range }) => range === null);
  const scores = answers.flatMap(({ score }) => score ?? []);
  const { der, missed, falseAlarm, confusion, speech } = sumScores(scores);
  const percent = (seconds: number) => ((100 * seconds) / speech).toFixed(1);
  const parts = `missed ${percent(missed)}, false ${percent(falseAlarm)}, confused ${percent(confusion)}`;
  const what = `${name}, ${group}`;
  return [
    { ...plain, name: `${what}: counts that are right (${part(right)})`, value: right, unit: 'files' },
    { ...plain, name: `${what}: right or in the range (${part(within)})`, value: within, unit: 'files' },
    {
      ...plain,
      name: `${what}: sure, and right (of ${sure.length})`,
      value: sure.filter(isRight).length,
      unit: 'files',
    },
    { ...plain, name: `${what}: DER of ${scores.length} (${parts})`, value: 100 * der, unit: '%' },
  ];
}

const countOf = ({ turns }: DiarizedFile) => new Set(turns.map(({ speaker }) => speaker)).size;
const isRight = (answer: Answer) => countOf(answer) === answer.room.heard;
const isWithin = ({ range, room: { heard } }: Answer) =>
  range !== null && heard >= range.least && heard <= range.most;

function lineOf(answer: Answer): string {
  const { room, score, range } = answer;
  const count = range === null ? 'sure' : `${range.least} to ${range.most}`;
  const error = score === null ? '' : `, DER ${(100 * score.der).toFixed(1)} %`;
  return `${room.name}: ${room.heard} (${room.speakers} in all), found ${countOf(answer)}, ${count}${error}`;
}

function roomsIn(from: string): Room[] {
  const [, ...lines] = readFileSync(join(from, 'rooms.tsv'), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [file = '', speakers, heard, seconds, , source = ''] = line.split('\t');
    const name = basename(file, extname(file));
    const labels = join(from, `${name}.rttm`);
    return {
      name,
      path: join(from, file),
      isComposed: source.startsWith('composed'),
      speakers: Number(speakers),
      heard: Number(heard),
      seconds: Number(seconds),
      turns: existsSync(labels) ? turnsIn(readFileSync(labels, 'utf8')) : null,
    };
  });
}

/** SPEAKER file channel start seconds - - speaker. */
function turnsIn(rttm: string): Turn[] {
  return rttm.split('\n').flatMap((line) => {
    const [kind, , , start, seconds, , , speaker = ''] = line.trim().split(/\s+/);
    if (kind !== 'SPEAKER') return [];
    return [{ start: Number(start), end: Number(start) + Number(seconds), speaker }];
  });
}
