// Are faces of one person nearer to each other than to those of others? FRAMEHOUND_BENCH_FACE_MODELS names a
// models folder with what `models pull faces-npm` brings, or other pairs; FRAMEHOUND_BENCH_PEOPLE a folder
// with a folder of pictures for each person. FRAMEHOUND_BENCH_PORTRAITS names a folder of portraits of
// different people: what their vectors have in common is told, which is how the centre of a row is made.
// Faces that are unreliable begin and join no cluster.
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { aligned } from '../actors/faces/alignment/align.ts';
import { type OpenPair, openPair } from '../actors/faces/finder.ts';
import { Pyramid } from '../actors/faces/picture.ts';
import { covering, isCut, isUnreliable, pose } from '../actors/faces/quality/quality.ts';
import { isFaceKind } from '../actors/models/advice.ts';
import type { FaceDetectorRow, FaceEmbedderRow } from '../actors/models/contract.ts';
import { createModelLibrary } from '../actors/models/library.ts';
import { fileOf } from '../actors/models/registry.ts';
import { openSession } from '../actors/models/session.ts';
import { createLog } from '../runtime/log.ts';
import type { Question, Row } from './row.ts';
import { sized } from './size.ts';

const question = 'face-likeness';
const log = createLog('bench', () => {});
/** Longest side of a picture, px: as films are looked at. */
const longest = 1280;
const most = sized(Number.POSITIVE_INFINITY, 6);
const distances = [0.14, 0.18, 0.2, 0.22, 0.24, 0.26, 0.28, 0.3, 0.34, 0.4, 0.48, 0.56] as const;

interface Face {
  readonly person: string;
  readonly vector: Float32Array;
  readonly unreliable: boolean;
}

export const faceLikeness: Question = async (say) => {
  const modelsDir = process.env['FRAMEHOUND_BENCH_FACE_MODELS'] ?? '';
  const [portraits, people] = [
    process.env['FRAMEHOUND_BENCH_PORTRAITS'],
    process.env['FRAMEHOUND_BENCH_PEOPLE'],
  ];
  if (!existsSync(modelsDir) || !(portraits || people)) {
    say('needs FRAMEHOUND_BENCH_FACE_MODELS, and FRAMEHOUND_BENCH_PEOPLE or FRAMEHOUND_BENCH_PORTRAITS');
    return [];
  }
  const { models } = await createModelLibrary(modelsDir, { memoryBytes: 8e9, graphics: false }).list();
  const there = models.filter(({ row, downloaded }) => downloaded && isFaceKind(row.kind));
  const rowsOf = (kind: string) => there.map(({ row }) => row).filter((row) => row.kind === kind);
  const rows: Row[] = [];
  for (const detector of rowsOf('face-detector') as FaceDetectorRow[]) {
    for (const embedder of rowsOf('face-embedder') as FaceEmbedderRow[]) {
      const name = `${detector.key}+${embedder.key}`;
      if (portraits) {
        const { centre: _, ...raw } = embedder.embedder;
        const { faces } = await facesOf(modelsDir, detector, { ...embedder, embedder: raw }, portraits);
        const centre = meanOf(faces).map((value) => Number(value.toFixed(5)));
        say(`${name}: the centre of ${faces.length} portraits is ${JSON.stringify(centre)}`);
      }
      if (people) rows.push(...likeness(name, await facesOf(modelsDir, detector, embedder, people)));
    }
  }
  return rows;
};

/** The largest face of each picture. `missed`: pictures without one. */
async function facesOf(
  modelsDir: string,
  detector: FaceDetectorRow,
  embedder: FaceEmbedderRow,
  folder: string,
): Promise<{ faces: Face[]; missed: number }> {
  const pair = await openPair(
    { detector, embedder },
    {
      file: (row, role) => fileOf(modelsDir, row, role),
      session: (file) => openSession(file, { device: 'cpu', threads: 1, log }),
      checkpoint: async () => {},
    },
  );
  const faces: Face[] = [];
  let missed = 0;
  try {
    for (const path of globSync('**/*.{jpg,jpeg,png}', { cwd: folder }).sort().slice(0, most)) {
      const face = await largest(pair, join(folder, path));
      if (face) faces.push({ person: dirname(path), ...face });
      else missed++;
    }
  } finally {
    await pair.close();
  }
  return { faces, missed };
}

async function largest({ detector, embedder }: OpenPair, path: string): Promise<Omit<Face, 'person'> | null> {
  const { data, info } = await sharp(path)
    .rotate()
    .removeAlpha()
    .toColourspace('srgb')
    .resize(longest, longest, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pyramid = new Pyramid({ data, width: info.width, height: info.height });
  const faces = await detector.detect(pyramid, async () => {});
  const [first] = faces.toSorted((a, b) => b.width * b.height - a.width * a.height);
  const chip = first && aligned(pyramid, first.landmarks, embedder.chip);
  const plain = first && aligned(pyramid, first.landmarks);
  const looks = first && pose(first.landmarks);
  if (!chip || !plain || !looks) return null;
  const isCutOff = isCut(first.landmarks, info);
  const unreliable = isUnreliable({ yaw: looks.yaw, isCut: isCutOff, covering: covering(plain) });
  return { vector: (await embedder.embed([chip])).vectors.slice(), unreliable };
}

function meanOf(faces: readonly Face[]): number[] {
  const sum = new Float64Array(faces[0]?.vector.length ?? 0);
  for (const { vector } of faces)
    for (const [at, value] of vector.entries()) sum[at]! += value / faces.length;
  return [...sum];
}

function likeness(pair: string, { faces, missed }: { faces: readonly Face[]; missed: number }): Row[] {
  const [same, others]: [number[], number[]] = [[], []];
  for (const [i, face] of faces.entries()) {
    for (const otherFace of faces.slice(0, i))
      (face.person === otherFace.person ? same : others).push(cosine(face.vector, otherFace.vector));
  }
  same.sort((a, b) => a - b);
  others.sort((a, b) => a - b);
  const row = (name: string, value: number): Row => {
    return { question, name: `${pair}: ${name}`, value, unit: '', against: null, ratio: null, goal: null };
  };
  const at = (values: readonly number[], share: number) =>
    values[Math.round(share * (values.length - 1))] ?? Number.NaN;
  const { error, cut } = equalErrors(same, others);
  return [
    row('faces', faces.length),
    row('people', new Set(faces.map(({ person }) => person)).size),
    row('unreliable faces', faces.filter(({ unreliable }) => unreliable).length),
    row('pictures without a face', missed),
    row(`equal error rate of ${same.length} and ${others.length} pairs`, error),
    row('its cosine', cut),
    row('cosine of one person, median', at(same, 0.5)),
    row('cosine of one person, 5 % are below', at(same, 0.05)),
    row('cosine of strangers, median', at(others, 0.5)),
    row('cosine of strangers, 1 % are above', at(others, 0.99)),
    row('cosine of strangers, most', at(others, 1)),
    ...distances.map((eps) => row(`F1 of pairs in clusters by ${eps}`, pairScore(faces, eps))),
  ];
}

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** Both sorted. Where as many of one person are missed as strangers are taken for one. */
function equalErrors(same: readonly number[], others: readonly number[]): { error: number; cut: number } {
  let best = { error: 1, cut: Number.NaN };
  for (const cut of [...same, ...others]) {
    const missed = same.filter((value) => value < cut).length / same.length;
    const acceptedShare = others.filter((value) => value >= cut).length / others.length;
    if (Math.max(missed, acceptedShare) < best.error) best = { error: Math.max(missed, acceptedShare), cut };
  }
  return best;
}

/**
 * DBSCAN where two faces begin a cluster: whoever is within `eps` of each other is together. 2·both/(one +
 * other).
 */
function pairScore(faces: readonly Face[], eps: number): number {
  const cluster = faces.map((_, i) => i);
  const rootOf = (i: number): number => (cluster[i] === i ? i : rootOf(cluster[i]!));
  for (const [i, { vector, unreliable }] of faces.entries()) {
    for (let j = 0; j < i; j++) {
      const isAlone = unreliable || faces[j]!.unreliable;
      if (!isAlone && 1 - cosine(vector, faces[j]!.vector) <= eps) cluster[rootOf(i)] = rootOf(j);
    }
  }
  let [together, same, both] = [0, 0, 0];
  for (const [i, { person }] of faces.entries()) {
    for (let j = 0; j < i; j++) {
      const [isTogether, isSame] = [rootOf(i) === rootOf(j), person === faces[j]!.person];
      together += Number(isTogether);
      same += Number(isSame);
      both += Number(isTogether && isSame);
    }
  }
  return (2 * both) / (together + same);
}
