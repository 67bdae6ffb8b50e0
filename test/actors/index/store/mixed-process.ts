// A process that writes an analysis folder until it is ended: films that go on where they were, stills that
// are stored together, faces, and contents that are forgotten. It says on standard output what it tries, and
// what was done of it.
//   node mixed-process.ts FOLDER SEED
import { writeSync } from 'node:fs';
import type { SpanKey } from '../../../../actors/index/store/contract.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { footage, framesUpTo, mediaRecord, preview, seeded } from '../footage.ts';
import { chunk, d as faceValues, modelKey } from '../people/faces.ts';

const [folder, seed] = process.argv.slice(2) as [string, string];
const random = seeded(Number(seed));
const d = 32;
const vectors = footage(700, d, 8, 0.2, 5);
const say = (line: string) => writeSync(1, `${line}\n`);
const store = new Store(folder);

function film(): void {
  const hash = `f${Math.floor(random() * 40).toString(16)}`;
  const key: SpanKey = {
    ...{ stage: 'visual', hash_str: hash, model_key: 'model', path: `/footage/${hash}` },
    ...{ settings: '{}', task_id: 'one', task_only: false },
  };
  const stage = store.begin(hash, 'model', d, key);
  const { next } = stage.storedFrames;
  const frames = Math.max(next + 1, 2 + Math.floor(random() * 600));
  for (let from = next; from < frames; from += 20) {
    const own = framesUpTo(Math.min(20, frames - from), from);
    const added = {
      frames: own,
      vectors: vectors.slice(0, own.length * d),
      previews: own.map((f) => preview(f)),
    };
    store.append(stage, added, from % 120 === 0);
  }
  if (random() < 0.2) {
    store.abort(stage);
    return;
  }
  say(`try ${hash}`);
  say(`stored ${hash}:${store.commit(stage, mediaRecord(hash))}`);
}

function stills(): void {
  const hashes = new Set(Array.from({ length: 1 + Math.floor(random() * 20) }, () => `a${seedOf()}`));
  const all = [...hashes].map((hash) => {
    const stage = store.begin(hash, 'model', d);
    store.append(stage, { frames: [0], vectors: vectors.slice(0, d), previews: [preview(0, 5000)] });
    return { stage, media: mediaRecord(hash) };
  });
  say(`try ${[...hashes].join(',')}`);
  for (const result of store.commitAll(all)) if (typeof result !== 'number') throw result;
  say(`stored ${[...hashes].map((hash) => `${hash}:1`).join(',')}`);
}

function faces(): void {
  const hash = `e${Math.floor(random() * 20).toString(16)}`;
  const cast = Array.from({ length: 1 + Math.floor(random() * 30) }, () => [1, 2]);
  const writer = store.peopleWriter().faces;
  const stage = writer.begin(hash, modelKey, faceValues);
  writer.append(stage, chunk(hash, cast));
  say(`try ${hash}`);
  say(`stored ${hash}:${writer.commit(stage, mediaRecord(hash)).faces}`);
}

function forget(): void {
  const all = [...store.visual.hashes('model'), ...framesUpTo(20).map((i) => `e${i.toString(16)}`)];
  const hashes = all.filter((hash) => random() < 0.1 && store.media.byHash(hash) !== null).slice(0, 10);
  if (hashes.length === 0) return;
  say(`try ${hashes.join(',')}`);
  store.remove(hashes, () => {});
  say(`forgot ${hashes.join(',')}`);
  while (!store.compactFaces(modelKey));
}

function seedOf(): string {
  return Math.floor(random() * 1e6).toString(16);
}

say('ready');
for (let done = 0; done < 1e6; done++) {
  const acts = [film, film, stills, stills, faces, forget];
  acts[Math.floor(random() * acts.length)]!();
  await new Promise(setImmediate);
}
