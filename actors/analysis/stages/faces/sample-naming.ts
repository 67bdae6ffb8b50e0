// Clusters the faces of a job, and names the clusters after the people of whom samples were given.
import { engineErrors } from '../../../../runtime/errors.ts';
import type { SlotPool } from '../../../../runtime/slots.ts';
import { isMediaError } from '../../../decoder/contract.ts';
import { type ClusterLabels, facesErrors } from '../../../faces/contract.ts';
import type { DecoderActor, FacesActor, IndexActor } from '../parts.ts';
import type { TaskContext } from '../task-context.ts';
import { type FaceFinder, faceShape, joined, sampleSide } from './file-faces.ts';
import type { SampleFaceNaming, UnassignedReason } from './kind.ts';
import { type FaceJob, limits, type PersonSample } from './request.ts';

/** Clusters as they are stored now. */
export interface ClusterNames {
  readonly cluster_ids: readonly string[];
  /** Aligned with `cluster_ids`; empty without a name. */
  readonly names: readonly string[];
  /** One an entry, its cluster by position. */
  readonly clusters: Int32Array;
}

export interface Naming {
  readonly result: SampleFaceNaming;
  /** Complaints about pictures. */
  readonly complaints: readonly string[];
}

/** Answers when the names are stored. */
export async function nameFromSamples(
  task: TaskContext,
  job: FaceJob,
  { cluster_ids, names, clusters }: ClusterNames,
  { finder, clusterer, signal }: { finder: FaceFinder; clusterer: Clusterer; signal: AbortSignal },
): Promise<Naming> {
  const { index, prober, pool } = task.parts;
  const attachment = (number: number) => attachmentOf(task, number);
  const people: Reference[] = [];
  for (const sample of job.samples) {
    people.push(await readReference(sample, { finder, prober, pool, attachment, signal }));
  }
  const vectors = people.flatMap((person) => person.vectors);
  const rows = await clusterer.similarities(clusters, joined(vectors), vectors.length);
  let at = 0;
  const referenced = people.map(({ name, reason, vectors: sampleVectors }) => {
    at += sampleVectors.length;
    return { name, reason, rows: rows.slice(at - sampleVectors.length, at) };
  });
  const result = nameClusters(referenced, { ids: cluster_ids, names }, finder.model);
  const assignments = result.assignments.map(({ cluster_id, name }) => ({ cluster_id, name }));
  if (assignments.length > 0) {
    const { cache_dir } = task.request;
    // Not cancellable: what is finished stays.
    await index.ask('name_clusters', { cache_dir, cluster_job_name: job.name, assignments });
  }
  return { result, complaints: people.flatMap((person) => person.complaints) };
}

/** Where a picture lies that came with the request. */
function attachmentOf({ run }: TaskContext, number: number): string {
  if (!run.attachment) throw engineErrors.INTERNAL(`picture ${number} of the request was not kept`);
  return run.attachment(number);
}

// Sample pictures of people become vectors: each is decoded now, and must show exactly one face.

/** A person with the vectors of the pictures that show one face. */
interface Reference {
  readonly name: string;
  readonly vectors: readonly Float32Array[];
  /** Why there is no vector; null when there are some. */
  readonly reason: UnassignedReason | null;
  readonly complaints: readonly string[];
}

interface ReferenceParts {
  readonly finder: FaceFinder;
  readonly prober: DecoderActor;
  readonly pool: SlotPool;
  /** Where a picture lies that came with the request. */
  readonly attachment: (number: number) => string;
  readonly signal: AbortSignal;
}

async function readReference({ name, pictures }: PersonSample, parts: ReferenceParts): Promise<Reference> {
  const vectors: Float32Array[] = [];
  const complaints: string[] = [];
  let reason: UnassignedReason | null = null;
  for (const [at, picture] of pictures.entries()) {
    const path = 'path' in picture ? picture.path : parts.attachment(picture.attachment);
    const read = await faceIn(path, parts);
    if (!('reason' in read)) vectors.push(read);
    else {
      reason ??= read.reason;
      complaints.push(`${'path' in picture ? picture.path : `image ${at + 1} of ${name}`}: ${read.what}`);
    }
  }
  return { name, vectors, reason: vectors.length > 0 ? null : reason, complaints };
}

interface Refused {
  readonly reason: UnassignedReason;
  /** For people. */
  readonly what: string;
}

const noFace: Refused = { reason: 'no_face', what: 'shows no face' };
const severalFaces: Refused = { reason: 'multiple_faces', what: 'shows several faces' };
const unreadable: Refused = { reason: 'unreadable_image', what: 'is not a readable picture' };
const tooLarge: Refused = {
  reason: 'unreadable_image',
  what: `has more than ${limits.imagePixels / 1e6} megapixels`,
};

/** The vector of the only face in a picture; or what is wrong with it. */
async function faceIn(path: string, parts: ReferenceParts): Promise<Float32Array | Refused> {
  const { finder, prober, pool, signal } = parts;
  const holder = pool.holder();
  try {
    const probe = await prober.ask('probe', { path }, { signal });
    const { kind, width, height } = probe;
    if (kind !== 'image') return unreadable;
    if (width * height > limits.imagePixels) return tooLarge;
    const shape = faceShape(probe, sampleSide, pool.memory.slotBytes);
    const picture = await pool.acquire(holder, signal);
    const slots = [picture];
    await prober.ask('picture', { path, seconds: 0, shape, preview: null, picture }, { signal, slots });
    const { faces, vectors } = await finder.find(picture, shape, signal);
    if (faces.length === 1) return vectors;
    return faces.length === 0 ? noFace : severalFaces;
  } catch (error) {
    if (isMediaError(error) || facesErrors.BAD_PICTURE.is(error)) return unreadable;
    throw error;
  } finally {
    pool.releaseAll(holder);
  }
}

// Which cluster each sample person is: a name is only given where nothing else comes near.

/** A person with a row of similarities for each picture that shows one face. */
export interface ReferencedPerson {
  readonly name: string;
  /** Vectors of each cluster, a row for each reference. Empty: `reason` says why. */
  readonly rows: readonly Float32Array[];
  readonly reason: UnassignedReason | null;
}

interface NamedClusters {
  readonly ids: readonly string[];
  /** Aligned with `ids`; empty without a name. */
  readonly names: readonly string[];
}

interface Confidence {
  /** Cosine from which a face shows the person. */
  readonly same: number;
  /** Least difference in similarity to the runner-up. */
  readonly margin: number;
}

interface Claim {
  readonly name: string;
  readonly cluster: number;
  readonly similarity: number;
  readonly runner_up: number | null;
}

export function nameClusters(
  people: readonly ReferencedPerson[],
  { ids, names }: NamedClusters,
  confidence: Confidence,
): SampleFaceNaming {
  const unassigned = new Map<string, UnassignedReason>();
  const claims: Claim[] = [];
  for (const person of people) {
    const claim = claimOf(person, ids.length, confidence);
    if (typeof claim === 'string') unassigned.set(person.name, claim);
    else claims.push(claim);
  }
  const assignments = claims.filter((claim) => {
    const others = claims.filter((rival) => rival !== claim && rival.cluster === claim.cluster);
    const reason = others.some((rival) => claim.similarity - rival.similarity < confidence.margin)
      ? 'ambiguous'
      : isNamedOtherwise(names[claim.cluster], claim.name)
        ? 'cluster_already_named'
        : null;
    if (reason !== null) unassigned.set(claim.name, reason);
    return reason === null;
  });
  return {
    assignments: assignments.map(({ name, cluster, similarity, runner_up }) => ({
      name,
      cluster_id: ids[cluster]!,
      similarity: rounded(similarity),
      runner_up: runner_up === null ? null : rounded(runner_up),
    })),
    // In the order of the request.
    unassigned: people.flatMap(({ name }) => {
      const reason = unassigned.get(name);
      return reason === undefined ? [] : [{ name, reason }];
    }),
  };
}

/** The cluster that is this person and no other; or why there is none. */
function claimOf(
  { name, rows, reason }: ReferencedPerson,
  clusters: number,
  { same, margin }: Confidence,
): Claim | UnassignedReason {
  if (reason !== null) return reason;
  let best: { readonly cluster: number; readonly similarity: number } | null = null;
  let runner_up: number | null = null;
  for (let cluster = 0; cluster < clusters; cluster++) {
    const similarity = meanOf(rows, cluster);
    if (best !== null && similarity <= best.similarity) {
      runner_up = Math.max(runner_up ?? -1, similarity);
      continue;
    }
    runner_up = best?.similarity ?? null;
    best = { cluster, similarity };
  }
  if (best === null || best.similarity < same) return 'no_match';
  if (runner_up !== null && best.similarity - runner_up < margin) return 'ambiguous';
  return { name, ...best, runner_up };
}

function meanOf(rows: readonly Float32Array[], cluster: number): number {
  const sum = rows.reduce((all, row) => all + (row[cluster] ?? -1), 0);
  return rows.length === 0 ? -1 : sum / rows.length;
}

function isNamedOtherwise(knownName: string | undefined, name: string): boolean {
  return knownName !== undefined && knownName !== '' && knownName !== name;
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

// One clustering in the face actor: the stored vectors are added page by page, then it works until it is
// done.

/** Entries read at a time: some megabytes. */
const PAGE = 4096;
/** Share of reading the vectors in the whole step. */
const READING = 0.1;

interface EarlierLabels {
  readonly labels: Int32Array;
  readonly neighbours: Int32Array;
}

/** Clustering that the index has begun. */
interface Entries {
  readonly clustering: number;
  readonly entries: number;
  /** Labels of the last clustering by the same numbers; null if they cannot be used. */
  readonly before: EarlierLabels | null;
}

interface ClusterParts {
  readonly index: IndexActor;
  readonly faces: FacesActor;
  readonly signal: AbortSignal;
  /** The eps of the row of the model of the vectors. */
  readonly ownEps: number;
  /** How much is done, 0 to 1. */
  readonly progress: (fraction: number) => void;
}

interface Distances {
  /** Null: found from the distances. */
  readonly eps: number | null;
  readonly min_samples: number;
}

export class Clusterer {
  readonly #parts: ClusterParts;
  /** Null without entries: then nothing was opened. */
  #open: number | null = null;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  /** Null for no entries. */
  async labels(stored: Entries, distances: Distances): Promise<ClusterLabels | null> {
    const { faces, signal, progress } = this.#parts;
    await this.#fill(stored);
    const clustering = this.#open;
    if (clustering === null) return null;
    for (;;) {
      const { done, fraction } = await faces.ask('cluster_step', { clustering, ...distances }, { signal });
      progress(READING + (1 - READING) * fraction);
      if (done) break;
    }
    return faces.ask('cluster_labels', { clustering }, { signal });
  }

  /** A row for each reference, with the similarity of each group. `references`: m×d, *moved*. */
  async similarities(groups: Int32Array, references: Float32Array<ArrayBuffer>, count: number) {
    if (this.#open === null) return Array.from({ length: count }, () => new Float32Array(0));
    const { faces, signal } = this.#parts;
    const request = { clustering: this.#open, groups, references };
    const call = { signal, transfer: [references.buffer] };
    const { groups: width, similarities } = await faces.ask('cluster_similarities', request, call);
    return Array.from({ length: count }, (_, row) => similarities.subarray(row * width, (row + 1) * width));
  }

  /** Does not throw: a face actor that is down keeps nothing. */
  async close(): Promise<void> {
    if (this.#open === null) return;
    await this.#parts.faces.ask('cluster_close', { clustering: this.#open }).catch(() => {});
  }

  async #fill({ clustering: from, entries, before }: Entries): Promise<void> {
    const { index, faces, signal, progress } = this.#parts;
    for (let at = 0; at < entries; ) {
      const query = { clustering: from, from: at, most: PAGE };
      const { vectors, weak } = await index.ask('clustering_vectors', query, { signal });
      this.#open ??= await this.#begin(vectors.length / weak.length, before);
      at += weak.length;
      const request = { clustering: this.#open, vectors, weak };
      const transfer = [...new Set([vectors.buffer, weak.buffer])] as ArrayBuffer[];
      await faces.ask('cluster_add', request, { signal, transfer });
      progress((READING * at) / entries);
    }
  }

  async #begin(dimensions: number, before: EarlierLabels | null): Promise<number> {
    // Not cancellable: what was opened has to be known here, or nobody would close it.
    const copied = before && { labels: before.labels, neighbours: before.neighbours };
    const { faces, ownEps: own_eps } = this.#parts;
    return (await faces.ask('cluster_open', { dimensions, own_eps, before: copied })).clustering;
  }
}
