// Stored results of a file that go into a summary: the vectors of a model, speech, people in view. Missing or
// damaged parts become warnings; only a file without any cannot be summarised.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Reply } from '../../../../runtime/contract.ts';
import { programVersion } from '../../../../runtime/process/program.ts';
import { joinRanges } from '../../../../runtime/ranges.ts';
import type { AskOptions } from '../../../../runtime/ref.ts';
import type { indexContract } from '../../../index/contract.ts';
import { itemsOf } from '../../../index/results/contract.ts';
import { type MediaRecord, storeErrors } from '../../../index/store/contract.ts';
import { mostVectorsOfMessage } from '../../../index/summary-inputs/contract.ts';
import type { Transcript } from '../../../index/transcripts/contract.ts';
import { modelErrors } from '../../../models/contract.ts';
import type { SeenLine, SeenPerson, SeenThing, SpokenSegment } from '../../../summarizer/contract.ts';
import type { IndexActor, StageParts } from '../parts.ts';

export interface EvidenceSources {
  /** Null when no model's vectors can be used. */
  readonly model: string | null;
  /** Null when nobody listened. */
  readonly transcript: Transcript | null;
  readonly people: readonly SeenPerson[];
  readonly things: readonly SeenThing[];
  readonly lines: readonly SeenLine[];
  readonly warnings: readonly string[];
}

export type VectorReply = Reply<typeof indexContract, 'stored_vectors'>;

export class StoredEvidence {
  readonly #index: IndexActor;
  readonly #cacheDir: string;

  constructor(index: IndexActor, cacheDir: string) {
    this.#index = index;
    this.#cacheDir = cacheDir;
  }

  /** `inUse`: the visual model in use. Throws NOT_ANALYZED for a film or a picture that nobody looked at. */
  async of(media: MediaRecord, inUse: string | null, call: AskOptions): Promise<EvidenceSources> {
    const { hash_str } = media.identity;
    const request = { cache_dir: this.#cacheDir, hashes: [hash_str] };
    const { models } = await this.#index.ask('analysed_by', request, call);
    const analysed = models[0] ?? [];
    if (analysed.length === 0 && media.probe.kind !== 'audio') {
      throw storeErrors.NOT_ANALYZED(`${media.path}: has no visual analysis to summarise`);
    }
    const model = inUse !== null && analysed.includes(inUse) ? inUse : (analysed[0] ?? null);
    const { transcripts, unreadable } = await this.#index.ask('transcripts', request, call);
    const content = { cache_dir: this.#cacheDir, hash_str };
    const people = await undamaged(async () =>
      seenPeople((await this.#index.ask('people_in', content, call)).people),
    );
    const things = await undamaged(async () => (await this.#index.ask('things_of', content, call)).tracks);
    const lines = await undamaged(async () =>
      itemsOf(await this.#index.ask('stored_result', { ...content, type: 'text' }, call), 'text'),
    );
    const warnings = [
      ...(model !== null && model !== inUse ? [otherModel(model, inUse)] : []),
      ...(unreadable.length > 0 ? ['The transcript is damaged and was not used.'] : []),
      ...(people === null ? ['The face clusterings are damaged and were not used.'] : []),
      ...(things === null ? ['The things found in pictures are damaged and were not used.'] : []),
      ...(lines === null ? ['The text read in pictures is damaged and was not used.'] : []),
    ];
    return {
      model,
      transcript: transcripts[0] ?? null,
      people: people ?? [],
      things: (things ?? []).map(({ colours: _, ...track }) => track),
      lines: (lines ?? []).map(({ text, box, ...line }) => ({ text, height: box[3], ...line })),
      warnings,
    };
  }

  /** A page of vectors; null where they are damaged. */
  async vectors(
    { identity: { hash_str } }: MediaRecord,
    model_key: string,
    from: number,
    call: AskOptions,
  ): Promise<VectorReply | null> {
    const page = { from, most: mostVectorsOfMessage };
    const request = { cache_dir: this.#cacheDir, model_key, hash_str, ...page };
    return undamaged(() => this.#index.ask('stored_vectors', request, call));
  }
}

/** Null where the record is damaged. */
async function undamaged<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (storeErrors.STORE_DAMAGED.is(error)) return null;
    throw error;
  }
}

function otherModel(model: string, inUse: string | null): string {
  const why = inUse === null ? 'no visual model is in use' : `the model in use is ${inUse}`;
  return `The summary does not name what pictures show: the file was analysed with ${model}, but ${why}.`;
}

/** Grows with all that a summary is made of; two with the same sum are made of the same. */
export class EvidenceSum {
  readonly #sum = createHash('sha256');
  #vectors = 0;

  /** Before the vectors are moved. */
  add({ frames, vectors, cuts }: Pick<VectorReply, 'frames' | 'vectors' | 'cuts'>): void {
    for (const { buffer, byteOffset, byteLength } of [frames, vectors, cuts]) {
      this.#vectors = crc32(new Uint8Array(buffer, byteOffset, byteLength), this.#vectors);
    }
  }

  /** `more`: what else changes the result. Once. */
  settings(
    { model, transcript, people, things, lines }: EvidenceSources,
    more: Readonly<Record<string, unknown>>,
  ): string {
    const { segments, names, mark } = transcript ?? {};
    const said = { segments, names, given: mark?.speaker_names, language: mark?.spoken };
    const whole = { version, vectors: this.#vectors, model, said, people, things, lines, ...more };
    return this.#sum.update(JSON.stringify(whole)).digest('hex');
  }
}

/** Another version of the program may write other texts. */
const version = programVersion();

// People in a file over all face clusterings: a name is one person, however many clusterings have it.

type Shown = Reply<typeof indexContract, 'people_in'>['people'][number];

/** A cluster without a name is itself, and told by its clustering where several have one of that id. */
function seenPeople(shown: readonly Shown[]): SeenPerson[] {
  const nameless = shown.filter(({ is_named }) => !is_named);
  const isDouble = ({ person, cluster_job_name }: Shown) =>
    nameless.some((sighting) => sighting.person === person && sighting.cluster_job_name !== cluster_job_name);
  const people = Map.groupBy(shown, (sighting) =>
    sighting.is_named || !isDouble(sighting)
      ? sighting.person
      : `${sighting.person} (${sighting.cluster_job_name})`,
  );
  return [...people].map(([person, of]) => ({
    person,
    is_named: of.some(({ is_named }) => is_named),
    ranges: joinRanges(of.flatMap(({ ranges }) => ranges)),
  }));
}

// Speech of a file for the summarizer, with the names of speakers if there are any.

/** Segments of one message. */
const segmentsTogether = 2000;

/** At least one page: one without segments says that somebody listened. */
export function spokenPages({ segments, names, mark }: Transcript): SpokenSegment[][] {
  // Speakers that may be too many or too few are nobody to tell of, before a person has named them.
  const label = (id: string) => (mark.speakers_uncertain ? null : id);
  const named = (id: string) => names[id] || mark.speaker_names?.[id] || label(id);
  const pages: SpokenSegment[][] = [];
  for (let at = 0; at === 0 || at < segments.length; at += segmentsTogether) {
    pages.push(
      segments.slice(at, at + segmentsTogether).map(({ start_seconds, end_seconds, text, speaker }) => ({
        start_seconds,
        end_seconds,
        text: text.trim(),
        speaker: speaker === null ? null : named(speaker),
      })),
    );
  }
  return pages;
}

// Brings the lexicon of the summarizer into the space of a visual model: vectors of its phrases, and a sample
// of the library's pictures to compare with. Once in a task for each model, and again after the summarizer
// began anew or a small library has grown.

/** Phrases of one message: a search gets in between. */
const phrasesTogether = 64;
/** Pictures of the library that say what is usual. */
const sample = Math.min(4096, mostVectorsOfMessage);
/**
 * A library that is smaller than the sample is looked at again once it has grown so much: the task itself may
 * fill it.
 */
const growth = 1.25;

type Parts = Pick<StageParts, 'index' | 'textEmbedder' | 'models'> & {
  readonly summarizer: NonNullable<StageParts['summarizer']>;
};

export class Concepts {
  readonly #parts: Parts;
  readonly #cacheDir: string;
  /** The model whose background is of this task. */
  #refreshed: string | null = null;
  /** Pictures that background was made of. */
  #pictures = 0;
  #preparing: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts, cacheDir: string) {
    this.#parts = parts;
    this.#cacheDir = cacheDir;
  }

  /** False where the model can say nothing about words: then no concepts are named. */
  async prepare(model_key: string, dimensions: number, call: AskOptions): Promise<boolean> {
    // One after the other: the second of two files finds what the first has prepared.
    const prepared = this.#preparing.then(() => this.#prepare(model_key, dimensions, call));
    this.#preparing = prepared.catch(() => {});
    return prepared;
  }

  async #prepare(model_key: string, dimensions: number, call: AskOptions): Promise<boolean> {
    const { summarizer, index } = this.#parts;
    const { present, named } = await summarizer.ask('has_concepts', { model_key }, call);
    if (!named) return false;
    const isRefreshed = present && this.#refreshed === model_key;
    if (isRefreshed && this.#pictures >= sample) return true;
    const request = { cache_dir: this.#cacheDir, model_key, most: sample };
    const answer = await index.ask('sample_vectors', request, call);
    if (answer.dimensions !== dimensions) return false;
    const count = answer.vectors.length / dimensions;
    if (isRefreshed && count < growth * this.#pictures) return true;
    const phrases = present ? null : await this.#phrases(model_key, dimensions, call);
    const { vectors: pictures } = answer;
    const transfer = [pictures, ...(phrases ? [phrases] : [])].map(({ buffer }) => buffer as ArrayBuffer);
    await summarizer.ask('set_concepts', { model_key, dimensions, phrases, pictures }, { ...call, transfer });
    this.#refreshed = model_key;
    this.#pictures = count;
    return true;
  }

  async #phrases(
    model_key: string,
    dimensions: number,
    call: AskOptions,
  ): Promise<Float32Array<ArrayBuffer>> {
    const { summarizer } = this.#parts;
    const { phrases } = await summarizer.ask('concept_phrases', {}, call);
    const vectors = new Float32Array(phrases.length * dimensions);
    for (let at = 0; at < phrases.length; at += phrasesTogether) {
      const some = phrases.slice(at, at + phrasesTogether);
      vectors.set(await this.textVectors(model_key, some, call), at * dimensions);
    }
    return vectors;
  }

  /** n×d; zeros for a text of which the model understands nothing. */
  async textVectors(model_key: string, texts: string[], call: AskOptions): Promise<Float32Array> {
    const { textEmbedder, models } = this.#parts;
    // One that came back after a crash has no model; one that has it answers at once.
    const inUse = await models.open('texts', call.signal);
    if (inUse.model_key !== model_key) throw modelErrors.MODEL_NOT_LOADED(`${model_key} gave way to another`);
    const { vectors, understood } = await textEmbedder.ask('texts', { model_key, texts }, call);
    const d = vectors.length / texts.length;
    for (const [i, isKnown] of understood.entries()) if (!isKnown) vectors.fill(0, i * d, (i + 1) * d);
    return vectors;
  }
}
