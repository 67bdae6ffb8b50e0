// What is stored of a file and goes into a summary: which model's vectors, what is said, who is seen. What is
// missing or damaged becomes a warning; only a file without anything cannot be summarised.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Reply } from '../../../../runtime/contract.ts';
import { joinRanges } from '../../../../runtime/join-ranges.ts';
import { programVersion } from '../../../../runtime/process/version.ts';
import type { CallOptions } from '../../../../runtime/ref.ts';
import type { indexContract } from '../../../index/contract.ts';
import { mostVectorsOfMessage } from '../../../index/material/contract.ts';
import { type MediaRecord, storeErrors } from '../../../index/store/contract.ts';
import type { Transcript } from '../../../index/transcripts/contract.ts';
import type { SeenLine, SeenPerson, SeenThing, SpokenSegment } from '../../../summarizer/contract.ts';
import type { Index } from '../parts.ts';

export interface Evidence {
  /** Null when no model's vectors can be used. */
  readonly model: string | null;
  /** Null when nobody listened. */
  readonly transcript: Transcript | null;
  readonly people: readonly SeenPerson[];
  readonly things: readonly SeenThing[];
  readonly lines: readonly SeenLine[];
  readonly warnings: readonly string[];
}

export type VectorPage = Reply<typeof indexContract, 'stored_vectors'>;

export class StoredEvidence {
  readonly #index: Index;
  readonly #cacheDir: string;

  constructor(index: Index, cacheDir: string) {
    this.#index = index;
    this.#cacheDir = cacheDir;
  }

  /** `inUse`: the visual model in use. Throws NOT_ANALYZED for a film or a picture that nobody looked at. */
  async of(media: MediaRecord, inUse: string | null, call: CallOptions): Promise<Evidence> {
    const { hash_str } = media.identity;
    const request = { cache_dir: this.#cacheDir, hashes: [hash_str] };
    const { models } = await this.#index.ask('analysed_by', request, call);
    const analysed = models[0] ?? [];
    if (analysed.length === 0 && media.probe.kind !== 'audio') {
      throw storeErrors.NOT_ANALYZED(`${media.path}: has no visual analysis to summarise`);
    }
    const model = inUse !== null && analysed.includes(inUse) ? inUse : (analysed[0] ?? null);
    const { transcripts, unreadable } = await this.#index.ask('transcripts', request, call);
    const one = { cache_dir: this.#cacheDir, hash_str };
    const people = await undamaged(async () =>
      seenPeople((await this.#index.ask('people_in', one, call)).people),
    );
    const things = await undamaged(async () => (await this.#index.ask('things_of', one, call)).tracks);
    const lines = await undamaged(async () => (await this.#index.ask('written_in', one, call)).lines ?? []);
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
      things: (things ?? []).map(({ box: _, colours: __, ...seen }) => seen),
      lines: (lines ?? []).map(({ text, box, ...seen }) => ({ text, height: box[3], ...seen })),
      warnings,
    };
  }

  /** A page of vectors; null where they are damaged. */
  async vectors(
    { identity: { hash_str } }: MediaRecord,
    model_key: string,
    from: number,
    call: CallOptions,
  ): Promise<VectorPage | null> {
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
  add({ frames, vectors, cuts }: Pick<VectorPage, 'frames' | 'vectors' | 'cuts'>): void {
    for (const { buffer, byteOffset, byteLength } of [frames, vectors, cuts]) {
      this.#vectors = crc32(new Uint8Array(buffer, byteOffset, byteLength), this.#vectors);
    }
  }

  /** `more`: what else changes the result. Once. */
  settings(
    { model, transcript, people, things, lines }: Evidence,
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

// Who is seen in a file, over all face clusterings: a name is one person, however many clusterings have it.

type Shown = Reply<typeof indexContract, 'people_in'>['people'][number];

/** A cluster without a name is itself, and told by its clustering where several have one of that id. */
function seenPeople(shown: readonly Shown[]): SeenPerson[] {
  const nameless = shown.filter(({ is_named }) => !is_named);
  const isDouble = ({ person, cluster_job_name }: Shown) =>
    nameless.some((one) => one.person === person && one.cluster_job_name !== cluster_job_name);
  const people = Map.groupBy(shown, (one) =>
    one.is_named || !isDouble(one) ? one.person : `${one.person} (${one.cluster_job_name})`,
  );
  return [...people].map(([person, of]) => ({
    person,
    is_named: of.some(({ is_named }) => is_named),
    ranges: joinRanges(of.flatMap(({ ranges }) => ranges)),
  }));
}

// What is said in a file, as the summarizer takes it: with the names of speakers where there are any.

/** Segments of one message. */
const together = 2000;

/** At least one page: one without segments says that somebody listened. */
export function spokenPages({ segments, names, mark }: Transcript): SpokenSegment[][] {
  const named = (id: string) => names[id] || mark.speaker_names?.[id] || id;
  const pages: SpokenSegment[][] = [];
  for (let at = 0; at === 0 || at < segments.length; at += together) {
    pages.push(
      segments.slice(at, at + together).map(({ start_seconds, end_seconds, text, speaker }) => ({
        start_seconds,
        end_seconds,
        text: text.trim(),
        speaker: speaker === null ? null : named(speaker),
      })),
    );
  }
  return pages;
}
