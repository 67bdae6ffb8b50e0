// How a model of each kind is tested: the actors of the product answer questions about samples.
import { fileURLToPath } from 'node:url';
import type { SlotHandle } from '../../runtime/contract.ts';
import { overlap } from '../../runtime/picture.ts';
import type { Ref } from '../../runtime/ref.ts';
import { type decoderContract, type PictureShape, soundRate } from '../decoder/contract.ts';
import type { diarizerContract, SpeakerTurn } from '../diarizer/contract.ts';
import type { embedderContract } from '../embedder/contract.ts';
import type { facesContract } from '../faces/contract.ts';
import type { ModelRow, ModelTest } from '../models/contract.ts';
import type { summarizerContract } from '../summarizer/contract.ts';
import type { textReaderContract } from '../text-reader/contract.ts';
import type { thingsContract } from '../things/contract.ts';
import type { HeardSounds, transcriberContract } from '../transcriber/contract.ts';
import {
  faceBoxes,
  melody,
  pictureQuestions,
  printedWords,
  type QuestionPicture,
  sentences,
  things,
  withoutSpeech,
} from './questions.ts';

export interface TestedActors {
  readonly decoder: Ref<typeof decoderContract>;
  readonly embedder: Ref<typeof embedderContract>;
  readonly things: Ref<typeof thingsContract>;
  readonly textReader: Ref<typeof textReaderContract>;
  readonly faces: Ref<typeof facesContract>;
  readonly transcriber: Ref<typeof transcriberContract>;
  readonly diarizer: Ref<typeof diarizerContract>;
  readonly summarizer: Ref<typeof summarizerContract>;
}

export type TestSubject = Pick<ModelRow, 'key' | 'kind' | 'languages'>;

type Answers = Omit<ModelTest, 'passed'>;

/** Share of the answers that have to be right: clearly more than a broken model reaches by chance. */
const marks: Readonly<Record<ModelRow['kind'], number>> = {
  visual: 0.5,
  'object-detection': 0.5,
  'text-recognition': 0.5,
  'face-detector': 0.5,
  'face-embedder': 0.6,
  speech: 0.5,
  voice: 0.85,
  'sound-detection': 0.9,
  speaker: 0.8,
  turns: 0.8,
  summary: 0,
};

/** Throws what loading and running the model throw. */
export async function testModel(model: TestSubject, actors: TestedActors): Promise<ModelTest> {
  const answers = await tests[model.kind](actors, model);
  const { right, of } = answers;
  if (right === null || of === null) return { ...answers, passed: null };
  const passed = right >= marks[model.kind] * of;
  const least = Math.ceil(marks[model.kind] * of);
  return { ...answers, passed, reason: passed ? null : `at least ${least} have to be right` };
}

const tests: Readonly<
  Record<ModelRow['kind'], (actors: TestedActors, model: TestSubject) => Promise<Answers>>
> = {
  visual: async ({ decoder, embedder }, { key: model_key }) => {
    const { shape, dimensions, state } = await embedder.ask('load', { model_key });
    const names = [...new Set(pictureQuestions.flatMap(([, ...right]) => right))];
    const timer = new Timer();
    const pictures: Float32Array[] = [];
    for (const name of names) {
      await withPicture(decoder, name, shape, async (picture) => {
        const call = { slots: [picture] };
        const ask = () => embedder.ask('pictures', { model_key, pictures: [picture] }, call);
        pictures.push((await timer.time(ask)).vectors);
      });
    }
    const texts = pictureQuestions.map(([text]) => text);
    const { vectors } = await embedder.ask('texts', { model_key, texts });
    const right = pictureQuestions.filter(([, ...meant], i) => {
      const text = vectors.subarray(i * dimensions, (i + 1) * dimensions);
      return meant.includes(names[nearest(text, pictures)]!);
    });
    const counted = { right: right.length, of: pictureQuestions.length, counted: 'first answers right' };
    return { ...counted, ...timer.mean('a picture'), device: state.device, reason: null };
  },

  'object-detection': async ({ decoder, things: detector }) => {
    const { model_key, device, side, fit } = await detector.ask('load', {});
    const square: PictureShape = { width: side, height: side, fit: 'stretch', resample: 'bilinear' };
    const timer = new Timer();
    let right = 0;
    for (const name of new Set(things.map(([picture]) => picture))) {
      const shape = fit === 'stretch' ? square : await shapeOf(decoder, name, side);
      const { width, height } = shape;
      await withPicture(decoder, name, shape, async (picture) => {
        const request = { model_key, picture, width, height, before: null };
        const { things: detections } = await timer.time(() =>
          detector.ask('find', request, { slots: [picture] }),
        );
        for (const [, label, box] of things.filter(([of]) => of === name))
          if (detections.some((detection) => detection.class === label && overlap(detection.box, box) >= 0.5))
            right++;
      });
    }
    const counted = { right, of: things.length, counted: 'things found' };
    return { ...counted, ...timer.mean('a picture'), device, reason: null };
  },

  'text-recognition': async ({ decoder, textReader }) => {
    const { model_key, device } = await textReader.ask('load', {});
    const timer = new Timer();
    const name = 'page-of-text.png';
    const shape = await shapeOf(decoder, name, 1200);
    const { width, height } = shape;
    // Spaces of small text get lost.
    let text = '';
    await withPicture(decoder, name, shape, async (picture) => {
      const request = { model_key, picture, width, height, side: 960, before: null };
      const ask = () => textReader.ask('read', request, { slots: [picture] });
      const { reading } = await timer.time(ask);
      text = reading.lines.map((line) => line.text.replace(/\s/g, '').toLowerCase()).join(' ');
    });
    const right = printedWords.filter((word) => text.includes(word.toLowerCase())).length;
    const counted = { right, of: printedWords.length, counted: 'printed words read' };
    return { ...counted, ...timer.mean('a page'), device, reason: null };
  },

  'face-detector': async (actors) => {
    const { vectors, device, timer } = await facesOf(actors);
    const right = vectors.filter((face) => face !== null).length;
    const counted = { right, of: faceBoxes.length, counted: 'faces found' };
    return { ...counted, ...timer.mean('a picture with six faces, both models'), device, reason: null };
  },

  'face-embedder': async (actors) => {
    const { vectors, device, timer } = await facesOf(actors);
    const people = faceBoxes.length / 2;
    const right = vectors.filter((vector, i) => {
      const others = vectors.map((other, at) => (at === i ? null : other));
      return vector !== null && nearest(vector, others) % people === i % people;
    });
    const counted = { right: right.length, of: vectors.length, counted: 'faces most like the same person' };
    return { ...counted, ...timer.mean('a picture with six faces, both models'), device, reason: null };
  },

  speech: async ({ decoder, transcriber }, { key: model_key, languages }) => {
    const { state } = await transcriber.ask('load', { model_key });
    if (!languages.some((language) => language === '*' || /^en\b/.test(language)))
      return { ...untested('the sentences of the test are English'), device: state.device };
    const language = languages.includes('*') ? null : languages.find((code) => /^en\b/.test(code))!;
    const timer = new Timer();
    const written = await timer.time(async () => {
      const { session } = await transcriber.ask('open', { model_key, language, channels: 1 });
      await hear({ decoder, transcriber }, session, voicesFile);
      return transcriber.ask('finish', { session });
    });
    const said = wordsOf(sentences.map(([, , text]) => text).join(' '));
    const right = inOrder(said, wordsOf(written.segments.map(({ text }) => text).join(' ')));
    const counted = { right, of: said.length, counted: 'words right' };
    const mean = timer.mean('a second of sound', sentences.at(-1)![1]);
    return { ...counted, ...mean, device: state.device, reason: null };
  },

  voice: async ({ decoder, transcriber }) => {
    const timer = new Timer();
    let [right, of] = [0, 0];
    for (const file of [voicesFile, ...withoutSpeech.map(fileOf)]) {
      const { session } = await transcriber.ask('open', { model_key: null, language: null, channels: 1 });
      const { speech, samples } = await timer.time(() => hear({ decoder, transcriber }, session, file));
      await transcriber.ask('drop', { session });
      const spoken = file === voicesFile ? sentences : [];
      for (let step = 0; step < Math.floor((10 * samples) / soundRate); step++) {
        const at = (step + 0.5) / 10;
        const isSpoken = spoken.some(([from, to]) => from <= at && at < to);
        const isFound = speech.some(([from, to]) => from <= at * soundRate && at * soundRate < to);
        of++;
        if (isSpoken === isFound) right++;
      }
    }
    const counted = { right, of, counted: 'tenths of a second rightly taken for speech or none' };
    return { ...counted, ...timer.mean('a second of sound', of / 10), device: 'cpu', reason: null };
  },

  'sound-detection': async ({ decoder, transcriber }) => {
    const { model_key } = await transcriber.ask('load_sounds', {});
    const timer = new Timer();
    let [right, of] = [0, 0];
    for (const file of [fileOf(melody), voicesFile, fileOf('camp-fire.mkv')]) {
      let before: HeardSounds | null = null;
      const hear = async (count: number, samples: SlotHandle | null) => {
        const request = { model_key, count, samples, before };
        const call = { slots: samples === null ? [] : [samples] };
        before = await timer.time(() => transcriber.ask('hear_sounds', request, call));
        const isRight = ({ music }: HeardSounds['seconds'][number]) =>
          file === fileOf(melody) ? music >= 0.7 : music < 0.7;
        right += before.seconds.filter(isRight).length;
        of += before.seconds.length;
      };
      for await (const { count, samples } of decoder.feed(
        'sound',
        { path: file, channels: null },
        { credit: 4 },
      ))
        await hear(count, samples);
      await hear(0, null);
    }
    const counted = { right, of, counted: 'seconds rightly taken for music or none' };
    return { ...counted, ...timer.mean('a second of sound', of), device: 'cpu', reason: null };
  },

  speaker: (actors) => toldApart(actors),
  turns: (actors) => toldApart(actors),

  summary: async ({ summarizer }, { key: model_key }) => {
    const { device } = await summarizer.ask('load', { model_key });
    return { ...untested('it opens and runs; what it writes has no one right answer'), device };
  },
};

const untested = (reason: string) =>
  ({ ...{ right: null, of: null, counted: '', milliseconds: null, each: '' }, reason }) as const;

/** Tests how well the two voices are told apart, their number given. */
async function toldApart({ decoder, transcriber, diarizer }: TestedActors): Promise<Answers> {
  const { state } = await diarizer.ask('load', {});
  const timer = new Timer();
  const turns = await timer.time(async () => {
    const detection = { model_key: null, language: null, channels: 1, answers_built_in: true };
    const { session: transcription } = await transcriber.ask('open', detection);
    const { session } = await diarizer.ask('open', { channels: 1, speaker_count: 2 });
    await hear({ decoder, transcriber, diarizer }, transcription, voicesFile, session);
    await transcriber.ask('drop', { session: transcription });
    return (await diarizer.ask('finish', { session, spans: [] })).turns;
  });
  const [right, of] = rightTenths(turns);
  const counted = { right, of, counted: 'tenths of a second given to the right voice' };
  const mean = timer.mean('a second of sound', sentences.at(-1)![1]);
  return { ...counted, ...mean, device: state.device, reason: null };
}

/** The voices have no names: the better of the two ways to name them counts. */
function rightTenths(turns: readonly SpeakerTurn[]): [right: number, of: number] {
  const [first] = turns;
  const right = [0, 0];
  let of = 0;
  for (const [i, [from, to]] of sentences.entries()) {
    for (let at = from + 0.05; at < to; at += 0.1) {
      const turn = turns.find(({ start_seconds, end_seconds }) => start_seconds <= at && at < end_seconds);
      of++;
      if (turn) right[(turn.speaker === first!.speaker ? 0 : 1) ^ (i % 2)]!++;
    }
  }
  return [Math.max(...right), of];
}

/** Vector of each drawn face; null if it is not found. */
async function facesOf({ decoder, faces }: TestedActors) {
  const { model_key, device, dimensions } = await faces.ask('load', {});
  const timer = new Timer();
  const shape = { width: 960, height: 640, fit: 'stretch', resample: 'area' } as const;
  let vectors: (Float32Array | null)[] = [];
  await withPicture(decoder, facesFile, shape, async (picture) => {
    const request = { model_key, picture, width: shape.width, height: shape.height };
    const answer = await timer.time(() => faces.ask('find', request, { slots: [picture] }));
    vectors = faceBoxes.map((box) => {
      const at = answer.faces.findIndex((face) => overlap(face.box, box) >= 0.4);
      return at < 0 ? null : answer.vectors.subarray(at * dimensions, (at + 1) * dimensions);
    });
  });
  return { vectors, device, timer };
}

// Samples, and how they come into slots.

const mediaPath = (name: string) => fileURLToPath(new URL(`./media/${name}`, import.meta.url));
const voicesFile = mediaPath('two-voices.ogg');
const facesFile = mediaPath('faces.jpg');
const fileOf = (name: string) => fileURLToPath(new URL(`../samples/media/${name}`, import.meta.url));

type Decoding = Pick<TestedActors, 'decoder'>['decoder'];

/** The picture is *borrowed until the promise of `use` settles*. */
async function withPicture(
  decoder: Decoding,
  name: QuestionPicture,
  shape: PictureShape,
  use: (picture: SlotHandle) => Promise<void>,
): Promise<void> {
  const [file = '', second = '0'] = name.split('@');
  const path = name === facesFile ? name : fileOf(file);
  const request = { path, shape, preview: null, mode: 'exact', from_frame: Number(second) } as const;
  for await (const { picture } of decoder.feed('frames', request, { credit: 1 })) {
    await use(picture);
    return;
  }
  throw new Error(`${path} has no picture at ${second} s`);
}

/** Shape whose longest side is at most `longest`, never larger than the picture. */
async function shapeOf(decoder: Decoding, name: QuestionPicture, longest: number): Promise<PictureShape> {
  const { width, height } = await decoder.ask('probe', { path: fileOf(name.split('@')[0]!) });
  const scale = Math.min(1, longest / Math.max(width, height));
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  return { width: w, height: h, fit: 'stretch', resample: 'area' };
}

/** Hands a file to a session of the transcriber, and to one of the diarizer. */
async function hear(
  { decoder, transcriber, diarizer }: Pick<TestedActors, 'decoder' | 'transcriber'> & Partial<TestedActors>,
  session: number,
  path: string,
  diarization = 0,
): Promise<{ speech: [number, number][]; samples: number }> {
  const speech: [number, number][] = [];
  let samples = 0;
  for await (const block of decoder.feed('sound', { path, channels: null }, { credit: 4 })) {
    const { channel, first_sample, count } = block;
    const call = { slots: [block.samples] };
    const appended = { channel, first_sample, count, samples: block.samples };
    const detected = await transcriber.ask('append', { session, ...appended }, call);
    await diarizer?.ask('append', { session: diarization, ...appended, ...detected }, call);
    speech.push(...(detected.speech as [number, number][]));
    samples = first_sample + count;
  }
  const detected = await transcriber.ask('end', { session, channel: 0 });
  const last = { channel: 0, first_sample: samples, count: 0, samples: null };
  await diarizer?.ask('append', { session: diarization, ...last, ...detected });
  return { speech: [...speech, ...(detected.speech as [number, number][])], samples };
}

// Arithmetic on answers.

class Timer {
  #sum = 0;
  #count = 0;

  async time<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await work();
    this.#sum += performance.now() - start;
    this.#count++;
    return result;
  }

  /** `count`: units of `each` in all that was timed; a unit for each time when left out. */
  mean(each: string, count = this.#count): Pick<ModelTest, 'milliseconds' | 'each'> {
    return { milliseconds: this.#sum / count, each };
  }
}

/** Position of the vector with the largest cosine; -1 for none. All have the length 1. */
function nearest(vector: Float32Array, others: readonly (Float32Array | null)[]): number {
  let [best, most] = [-1, Number.NEGATIVE_INFINITY];
  for (const [at, other] of others.entries()) {
    const cosine = other?.reduce((sum, value, i) => sum + value * vector[i]!, 0) ?? Number.NaN;
    if (cosine > most) [best, most] = [at, cosine];
  }
  return best;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Length of the longest sequence that both have in order. */
export function inOrder(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const word of a) {
    const next = [0];
    for (const [i, other] of b.entries())
      next.push(word === other ? row[i]! + 1 : Math.max(row[i + 1]!, next[i]!));
    row = next;
  }
  return row.at(-1)!;
}
