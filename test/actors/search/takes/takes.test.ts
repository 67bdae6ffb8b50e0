import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { definition } from '../../../../actors/index/actor.ts';
import type { TakesAnswer } from '../../../../actors/search/takes/contract.ts';
import { analysisDataRoutes } from '../../../../http/routes/library.ts';
import { momentRoutes } from '../../../../http/routes/search.ts';
import { inject } from '../../../http/inject.ts';
import { world } from '../../analysis/fakes.ts';

const w = await world(
  [
    { name: 'film.mp4', frames: 9, content: 'aa' },
    { name: 'copy.mp4', frames: 9, content: 'aa' },
    { name: 'part.mp4', frames: 5, content: 'bb' },
    { name: 'other.mp4', frames: 12, content: 'cc' },
  ],
  { index: definition },
);
after(() => w.end());
const cache_dir = join(w.folder, 'cache');
await w.search.models.load('fake');
await w.run();
const [film, copy, part, other] = w.paths as [string, string, string, string];

// What the fake model sees has no movement: the frames get other vectors, which are no blank picture's.
const look = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
const looks = [...'ABCCABBAC'].map((name) => look({ A: 140, B: 195, C: 250 }[name]!));
const others = Array.from({ length: 12 }, () => look(110));
const { media } = await w.index.ask('media', { cache_dir });
for (const [hash, vectors] of [
  ['aa', looks],
  ['bb', looks.slice(3, 8)],
  ['cc', others],
] as const) {
  const begin = { cache_dir, hash_str: hash, model_key: 'fake', dimensions: 2 };
  const { stage } = await w.index.ask('begin', begin);
  const frames = [...vectors.keys()];
  const all = Float32Array.from(vectors.flatMap((one) => [...one]));
  const previews = frames.map(() => new Uint8Array(4));
  await w.index.ask('append', { stage, frames, vectors: all, previews });
  await w.index.ask('commit', { stage, media: media.find(({ identity }) => identity.hash_str === hash)! });
}

const call = inject([...momentRoutes, ...analysisDataRoutes], { search: w.search });
const ask = async (body: Record<string, unknown>) => {
  const answer = await call('/api/v1/search/takes', { cache_dir, ...body });
  return { ...answer, body: answer.body as TakesAnswer & { message?: string } };
};
const told = ({ takes }: TakesAnswer) =>
  takes.map(({ asked, found, offset_seconds, certainty }) => {
    const range = (one: typeof asked) =>
      `${one.media_path.slice(w.folder.length + 1)} ${one.start_seconds}-${one.end_seconds}`;
    return `${range(asked)} ${range(found)} ${offset_seconds} ${certainty}`;
  });

test('nothing is answered before the folder is loaded', async () => {
  assert.equal((await ask({ media_path: film })).status, 400);
  assert.equal((await call('/api/v1/analysis-data/load', { cache_dir })).status, 200);
});

test('a file is found where it is a part of another, and as a file of the same content', async () => {
  const { status, body } = await ask({ media_path: film });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(told(body), ['film.mp4 0-9 copy.mp4 0-9 0 exact', 'film.mp4 3-8 part.mp4 0-5 -3 exact']);
  assert.deepEqual(body.takes[1]!.asked.other_paths, [copy]);
  assert.equal(body.next_cursor, null);
  const part = await ask({ hash_str: 'bb', start_seconds: 1, end_seconds: 4 });
  assert.match(told(part.body).join(), /^part.mp4 0-5 (film|copy).mp4 3-8 3 exact$/);
  assert.deepEqual((await ask({ media_path: other })).body.takes, []);
});

test('everything is compared with everything, page by page, each pair once', async () => {
  const all: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const { body } = await ask({ limit: 1, ...(cursor && { cursor }) });
    if (body.next_cursor !== null) assert.ok(w.paths.includes(body.compared!.media_path));
    all.push(...told(body));
    cursor = body.next_cursor;
  }
  assert.ok(pages > 1);
  assert.equal(all.length, 2);
  assert.match(all[0]!, /^(film|copy).mp4 0-9 (film|copy).mp4 0-9 0 exact$/);
  assert.match(all[1]!, /^(film|copy).mp4 3-8 part.mp4 0-5 -3 exact$/);
});

test('what is wrong with a request is told of its field, and a file that is gone is still known', async () => {
  for (const [body, status, field] of [
    [{ media_path: film, hash_str: 'aa' }, 400, 'media_path'],
    [{ hash_str: 'aa', start_seconds: 5, end_seconds: 5 }, 400, 'end_seconds'],
    [{ start_seconds: 5 }, 400, 'start_seconds'],
    [{ hash_str: 'dd' }, 404, 'hash_str'],
    [{ cursor: 'elsewhere' }, 400, 'cursor'],
    [{ limit: 0 }, 400, 'limit'],
  ] as const) {
    const answer = await ask(body);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.match(JSON.stringify(answer.body), new RegExp(field));
  }
  rmSync(part);
  assert.deepEqual(told((await ask({ media_path: film, start_seconds: 2 })).body), [
    'film.mp4 2-9 copy.mp4 2-9 0 exact',
    'film.mp4 3-8 part.mp4 0-5 -3 exact',
  ]);
});
