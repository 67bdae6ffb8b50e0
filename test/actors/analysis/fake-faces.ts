// A fake face actor: a slot says which people its picture shows, and two faces are one person when their
// vectors are the same. It keeps books on what is loaded and open, and fails on demand.

import { type FoundFaces, facesContract, facesErrors } from '../../../actors/faces/contract.ts';
import type { ClusterJob } from '../../../actors/index/people/contract.ts';
import type { Face } from '../../../actors/index/people/face.ts';
import { modelErrors, noModelErrors } from '../../../actors/models/contract.ts';
import { actor, Sent } from '../../../runtime/actor.ts';
import { engineErrors } from '../../../runtime/errors.ts';

/** An entry of the fake index. */
export interface Entry {
  readonly hash: string;
  readonly frame: number;
  readonly vector: Float32Array;
}

export interface FacesWorld {
  /** The people in a picture whose slot begins with this byte; nobody where it is not there. */
  shown: (byte: number) => readonly number[];
  downloaded: boolean;
  model: string;
  loaded: boolean;
  /** How often models were loaded and freed. */
  loads: number;
  unloads: number;
  /** Pictures that were looked at, as width×height. */
  readonly looked: string[];
  /** The actor ends at this many looks and steps. */
  crashes: number;
  clusterCrashes: number;
  /** Clusterings that are open in the actor. */
  readonly open: Set<number>;
  /** A step of a clustering waits for it. */
  holdStep: Promise<void>;
  /** A look waits for it. */
  holdFind: Promise<void>;
  /** Entries that were compared, in each clustering. */
  readonly clustered: number[];

  // Results that the index has stored.
  /** Faces by model and content. */
  readonly stored: Map<string, Entry[]>;
  /** Of these, what was found in stored previews. */
  readonly fromPreviews: Set<string>;
  /** Frames of each commit. */
  readonly frames: number[];
  readonly jobs: Map<string, ClusterJob>;
  /** Labels of the last clustering, by job. */
  readonly labels: Map<string, { readonly key: string; readonly labels: Int32Array }>;
  /** Stages and clusterings of the index that are open. */
  readonly stages: Set<number>;
  readonly clusterings: Set<number>;
  /** The next commits find other faces than they began with. */
  changes: number;
  commits: number;

  /** Told of each message to the face actor, and of each about faces to the index, before it is answered. */
  onMessage: (name: string) => void;
}

/** The same handlers; the world is told of each message first. */
export function told<H extends object>(world: Pick<FacesWorld, 'onMessage'>, handlers: H): H {
  const wrapped = Object.entries(handlers).map(([name, handle]) => {
    const answer = (...args: unknown[]) => {
      world.onMessage(name);
      return (handle as (...args: unknown[]) => unknown)(...args);
    };
    return [name, answer] as const;
  });
  return Object.fromEntries(wrapped) as H;
}

export function noFaces(): FacesWorld {
  return {
    shown: () => [],
    downloaded: true,
    model: 'find+embed',
    loaded: false,
    loads: 0,
    unloads: 0,
    looked: [],
    crashes: 0,
    clusterCrashes: 0,
    open: new Set(),
    holdStep: Promise.resolve(),
    holdFind: Promise.resolve(),
    clustered: [],
    stored: new Map(),
    fromPreviews: new Set(),
    frames: [],
    jobs: new Map(),
    labels: new Map(),
    stages: new Set(),
    clusterings: new Set(),
    changes: 0,
    commits: 0,
    onMessage: () => {},
  };
}

export const dimensions = 4;

/** People are far from each other; a person of 100 and more is as near to two of them. */
export function vectorOf(person: number): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(dimensions);
  if (person < 100) vector[person % dimensions] = 1;
  else for (const at of [person % dimensions, (person + 1) % dimensions]) vector[at] = Math.SQRT1_2;
  return vector;
}

function faceOf(at: number): Face {
  return {
    box: [at / 10, 0, 0.1, 0.1],
    landmarks: [1, 1, 2, 1, 1.5, 2, 1, 3, 2, 3],
    score: 0.9,
    size_px: 80,
    sharpness: 0.5,
    yaw: 0,
    roll: 0,
    weak: false,
    unreliable: false,
  };
}

interface Clustering {
  readonly vectors: Float32Array[];
  readonly before: number;
  steps: number;
  /** The one that was asked for, or the usual one. */
  eps: number;
}

export function fakeFaces(world: FacesWorld) {
  const clusterings = new Map<number, Clustering>();
  let last = 0;
  const of = (clustering: number) => {
    const found = clusterings.get(clustering);
    if (!found) throw facesErrors.CLUSTERING_LOST(`clustering ${clustering}`);
    return found;
  };
  const chosen = () => {
    if (!world.downloaded) {
      throw noModelErrors.NO_FACE_MODEL('No face models are downloaded: framehound models pull faces');
    }
    const [detector_key = '', embedder_key = ''] = world.model.split('+');
    const keys = { model_key: world.model, detector_key, embedder_key };
    return { ...keys, dimensions, same: 0.5, margin: 0.1, eps: 0.4, device: null, device_reason: null };
  };
  return actor<typeof facesContract, unknown>({
    contract: facesContract,
    create: () => ({
      handlers: told(world, {
        load: () => {
          world.loads++;
          world.loaded = true;
          return { ...chosen(), device: 'cpu' };
        },
        unload: () => {
          world.unloads++;
          world.loaded = false;
          return {};
        },
        loaded: () => ({ model: world.loaded ? chosen() : null }),
        find: async ({ picture, width, height }, turn) => {
          await world.holdFind;
          if (!world.loaded) throw modelErrors.MODEL_NOT_LOADED();
          world.looked.push(`${width}x${height}`);
          if (world.crashes > 0 && world.crashes-- > 0) {
            world.loaded = false;
            throw engineErrors.ACTOR_CRASHED('the face actor ended');
          }
          return foundIn(world.shown(turn.slot(picture)[0]!));
        },
        cluster_open: ({ before, own_eps }) => {
          clusterings.set(++last, {
            vectors: [],
            before: before?.labels.length ?? 0,
            steps: 0,
            eps: own_eps,
          });
          world.open.add(last);
          return { clustering: last };
        },
        cluster_add: ({ clustering, vectors }) => {
          for (let at = 0; at < vectors.length; at += dimensions) {
            of(clustering).vectors.push(vectors.slice(at, at + dimensions));
          }
          return {};
        },
        cluster_step: async ({ clustering, eps }) => {
          await world.holdStep;
          const found = of(clustering);
          found.eps = eps ?? found.eps;
          if (world.clusterCrashes > 0 && world.clusterCrashes-- > 0) {
            clusterings.clear();
            throw facesErrors.CLUSTERING_LOST('the face actor ended');
          }
          const done = ++found.steps >= 3;
          if (done) world.clustered.push(found.vectors.length - found.before);
          return { done, fraction: found.steps / 3 };
        },
        cluster_labels: ({ clustering }) => labelsOf(of(clustering)),
        cluster_similarities: ({ clustering, groups, references }) =>
          similaritiesOf(of(clustering).vectors, groups, references),
        cluster_close: ({ clustering }) => {
          clusterings.delete(clustering);
          world.open.delete(clustering);
          return {};
        },
      }),
    }),
  });
}

function foundIn(people: readonly number[]): Sent<FoundFaces> {
  const vectors = new Float32Array(people.flatMap((person) => [...vectorOf(person)]));
  const jpeg = (at: number) => new Uint8Array([0xff, 0xd8, at]);
  const [aligned, displays] = [people.map((_, i) => jpeg(i)), people.map((_, i) => jpeg(i))];
  const faces = people.map((_, i) => faceOf(i));
  const transfer = [vectors.buffer, ...[...aligned, ...displays].map(({ buffer }) => buffer)];
  return new Sent({ faces, vectors, aligned, displays }, { transfer });
}

function labelsOf({ vectors, eps }: Clustering) {
  const seen = new Map<string, number>();
  const keys = vectors.map((vector) => vector.join());
  const count = (key: string) => keys.filter((one) => one === key).length;
  const labels = keys.map((key) => {
    if (count(key) < 2) return -1;
    if (!seen.has(key)) seen.set(key, seen.size);
    return seen.get(key)!;
  });
  const neighbours = Int32Array.from(keys, count);
  return { labels: Int32Array.from(labels), neighbours, clusters: seen.size, eps };
}

function similaritiesOf(vectors: readonly Float32Array[], groups: Int32Array, references: Float32Array) {
  const width = Math.max(0, ...groups.map((group) => group + 1));
  const rows: number[] = [];
  for (let at = 0; at < references.length; at += dimensions) {
    for (let group = 0; group < width; group++) {
      const vector = vectors[groups.indexOf(group)]!;
      rows.push(vector.reduce((sum, value, i) => sum + value * references[at + i]!, 0));
    }
  }
  return { groups: width, similarities: new Float32Array(rows) };
}
