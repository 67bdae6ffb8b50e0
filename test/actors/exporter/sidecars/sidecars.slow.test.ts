import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import sharp from 'sharp';
import { type decoderContract, modifiedMs } from '../../../../actors/decoder/contract.ts';
import { readXmp } from '../../../../actors/decoder/probe/xmp.ts';
import { type SidecarsRequest, sidecarErrors } from '../../../../actors/exporter/sidecars/contract.ts';
import { createSidecars } from '../../../../actors/exporter/sidecars/sidecars.ts';
import type { indexContract } from '../../../../actors/index/contract.ts';
import { PathMap } from '../../../../actors/index/store/path-map.ts';
import { seenIn } from '../../../../actors/search/search.ts';
import { createLog } from '../../../../runtime/log.ts';
import type { Ref } from '../../../../runtime/ref.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askProbe } from '../../decoder/ask-decoder.ts';
import { indexActor } from '../../index/handlers.ts';
import { cluster, storeFaces } from '../../index/people/faces.ts';

const never = new AbortController().signal;

/** A library of real files: `analyse` stores what they are, and what is said to be seen in them. */
async function library(t: TestContext, roots: Readonly<Record<string, string>> = {}) {
  const [index, home] = [await indexActor(t), temporaryFolder(t)];
  const cache_dir = join(home, 'cache');
  const ref = { ask: (name: never, request: never) => index.call(name, request) } as unknown as Ref<
    typeof indexContract
  >;
  const placed = Object.entries(roots).map(([name, below]) => {
    return { name, prefix: join(home, below), folder: join(home, below), volume: null };
  });
  const sidecars = createSidecars({
    index: ref,
    prober: { ask: (_: never, { path }: { path: string }) => askProbe(path) } as unknown as Ref<
      typeof decoderContract
    >,
    search: { seen: (request) => seenIn({ index: ref } as never, request, { signal: never }) },
    roots: { paths: () => new PathMap(placed) },
    log: createLog('test', () => {}),
  });
  t.after(() => sidecars.close());
  const analyse = async (path: string, hash_str: string, more = {}) => {
    const stats = statSync(path, { bigint: true });
    const identity = {
      hash_str,
      size_bytes: Number(stats.size),
      mtime_ms: modifiedMs(stats),
      inode: String(stats.ino),
    };
    const media = { path, identity, probe: { ...(await askProbe(path)), ...more } };
    await index.call('remember', { cache_dir, media });
    return media;
  };
  const make = (request: Partial<SidecarsRequest> & Pick<SidecarsRequest, 'media_paths'>) =>
    sidecars.make({ cache_dir, formats: ['json', 'xmp'], beside_media: false, ...request }, never);
  return { index, home, cache_dir, analyse, make };
}

async function drawn(path: string, orientation = 1): Promise<string> {
  mkdirSync(join(path, '..'), { recursive: true });
  const picture = sharp({ create: { width: 64, height: 32, channels: 3, background: '#336699' } });
  await picture.withMetadata({ orientation }).jpeg().toFile(path);
  return path;
}

/** As if another program had written it. */
const words = (path: string) =>
  readXmp(Buffer.from(readFileSync(path, 'utf8').replace('"framehound"', '"another"')));
const filesIn = (at: string) =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(at.length))
    .sort();

test('sidecars mirror the library by root and path, and nothing lies beside the media', async (t) => {
  const w = await library(t, { shoot: 'footage' });
  const inside = await drawn(join(w.home, 'footage/day 1/a.jpg'));
  const outside = await drawn(join(w.home, 'other/b.jpg'));
  await w.analyse(inside, 'aa');
  await w.analyse(outside, 'bb');
  const before = [filesIn(join(w.home, 'footage')), filesIn(join(w.home, 'other'))];
  const output_dir = join(w.home, 'out');
  const { results, summary } = await w.make({ media_paths: [inside, outside, inside], output_dir });
  assert.deepEqual(summary, { total: 2, succeeded: 2, failed: 0 });
  const places = ['/shoot/day 1/a.jpg', join('/_', outside)];
  assert.deepEqual(filesIn(output_dir), places.flatMap((place) => [`${place}.json`, `${place}.xmp`]).sort());
  assert.deepEqual(results[0]!.output_paths, [
    `${output_dir}${places[0]}.json`,
    `${output_dir}${places[0]}.xmp`,
  ]);
  assert.deepEqual([filesIn(join(w.home, 'footage')), filesIn(join(w.home, 'other'))], before);
});

test('people are regions of a turned still, sure things are keywords, and unsure ones are not', async (t) => {
  const w = await library(t);
  const path = await drawn(join(w.home, 'turned.jpg'), 6);
  const xmp = { keywords: ['harbour'], people: ['Dora'], sidecars: [] };
  const media = await w.analyse(path, 'aa', { xmp });
  // Another content for a second face of each person.
  const second = await drawn(join(w.home, 'second.jpg'));
  await w.analyse(second, 'bb');
  const seen = (thing: 'dog' | 'car' | 'toaster', score: number) => {
    return {
      class: thing,
      start: 0,
      end: 1,
      best: 0,
      score,
      box: [0, 0, 1, 1] as [number, number, number, number],
      colours: [],
    };
  };
  await w.index.call('store_result', {
    ...{ cache_dir: w.cache_dir, media, model_key: 'detector', from_previews: false },
    // One below the bar of its class, and one of a class that was not measured.
    found: { type: 'things', items: [seen('dog', 0.8), seen('car', 0.49), seen('toaster', 0.9)] },
  });
  for (const hash of ['aa', 'bb']) await storeFaces(w.index, w.cache_dir, hash, [[1, 2]]);
  // Storing faces remembers what media they were found in; these are the real ones.
  await w.analyse(path, 'aa', { xmp });
  const { cluster_ids } = await cluster(w.index, w.cache_dir, ['aa', 'bb']);
  const [first] = cluster_ids;
  await w.index.call('name_clusters', {
    ...{ cache_dir: w.cache_dir, cluster_job_name: 'job' },
    assignments: [{ cluster_id: first!, name: 'Ann' }],
  });
  const { results } = await w.make({ media_paths: [path], output_dir: join(w.home, 'out') });
  const [result] = results;
  assert.deepEqual(
    [result?.error, result?.keywords, result?.people, result?.warning],
    [null, 2, 2, undefined],
  );
  const [json, beside] = result!.output_paths as [string, string];
  assert.deepEqual(words(beside), { keywords: ['harbour', 'dog'], people: ['Ann', 'Dora'] });
  const text = readFileSync(beside, 'utf8');
  // Faces lie at ((1 or 2) / 8, 0) of the shown picture: at the left and the bottom of the stored one.
  assert.match(text, /stDim:w="64" stDim:h="32"/);
  assert.match(
    text,
    /stArea:x="0.05" stArea:y="0.(825|7)" stArea:w="0.1" stArea:h="0.1" stArea:unit="normalized"/,
  );
  const document = JSON.parse(readFileSync(json, 'utf8'));
  assert.deepEqual(document.things.map((one: { class: string }) => one.class).sort(), ['dog', 'toaster']);
  assert.deepEqual([document.people[0].name, document.people[0].ranges], ['Ann', [[0, 1]]]);
});

test('our own sidecars are written again, those of others are never touched', async (t) => {
  const w = await library(t);
  const path = await drawn(join(w.home, 'a.jpg'));
  await w.analyse(path, 'aa');
  const beside = { media_paths: [path], beside_media: true };
  assert.equal((await w.make(beside)).summary.succeeded, 1);
  await w.analyse(path, 'aa', { xmp: { keywords: ['night'], people: [], sidecars: [] } });
  assert.equal((await w.make(beside)).summary.succeeded, 1);
  assert.deepEqual(words(`${path}.xmp`).keywords, ['night']);
  assert.deepEqual(
    filesIn(w.home).filter((one) => one.includes('a.jpg')),
    ['/a.jpg', '/a.jpg.json', '/a.jpg.xmp'],
  );
  const edits = readFileSync(`${path}.xmp`, 'utf8').replace('"framehound"', '"XMP Core 6"');
  writeFileSync(`${path}.xmp`, edits);
  const { results } = await w.make(beside);
  assert.match(results[0]!.error ?? '', /a\.jpg\.xmp was written by another program, and is left as it is$/);
  assert.deepEqual(results[0]!.output_paths, [`${path}.json`]);
  assert.equal(readFileSync(`${path}.xmp`, 'utf8'), edits);
});

test('a file that is gone is described, one that changed or is unknown is a result with the reason', async (t) => {
  const w = await library(t);
  const [gone, changed] = [await drawn(join(w.home, 'gone.jpg')), await drawn(join(w.home, 'changed.jpg'))];
  await w.analyse(gone, 'aa');
  await w.analyse(changed, 'bb');
  rmSync(gone);
  writeFileSync(changed, 'another');
  const unknown = join(w.home, 'unknown.jpg');
  const output_dir = join(w.home, 'out');
  const { results, summary } = await w.make({ media_paths: [gone, changed, unknown], output_dir });
  assert.deepEqual(summary, { total: 3, succeeded: 1, failed: 2 });
  assert.equal(results[0]!.error, null);
  assert.match(results[1]!.error ?? '', /changed\.jpg: changed since it was analysed/);
  assert.match(results[2]!.error ?? '', /unknown\.jpg is not in the analysis folder/);
  const beside = await w.make({ media_paths: [gone], beside_media: true });
  assert.match(beside.results[0]!.error ?? '', /gone\.jpg: file not found/);
  assert.equal(existsSync(`${gone}.xmp`), false);
});

test('where sidecars go is said in exactly one way, and the folder above is there', async (t) => {
  const w = await library(t);
  const media_paths = ['/f/a.jpg'];
  await assert.rejects(w.make({ media_paths }), sidecarErrors.WHERE.is);
  await assert.rejects(w.make({ media_paths, output_dir: '/x', beside_media: true }), sidecarErrors.WHERE.is);
  const output_dir = join(w.home, 'not/there');
  await assert.rejects(w.make({ media_paths, output_dir }), sidecarErrors.SIDECAR_UNWRITABLE.is);
});

const portrait = 'media/faces/portraits/obama-2012.jpg';
const film = 'media/faces/signers/book.mkv';
test('recorded stills and films have sidecars of their own size and length', {
  skip: skipWithout(portrait, film),
}, async (t) => {
  const w = await library(t);
  const [still, signer] = [portrait, film].map((name) => {
    const path = join(w.home, basename(name));
    cpSync(sharedPath(name), path);
    return path;
  }) as [string, string];
  await w.analyse(still, 'aa');
  const media = await w.analyse(signer, 'bb');
  const said = (start_seconds: number, text: string) => ({
    start_seconds,
    end_seconds: start_seconds + 1,
    text,
    speaker: null,
  });
  await w.index.call('transcribe', {
    ...{ cache_dir: w.cache_dir, media, segments: [said(0, ' A book.'), said(1.5, ' Read it.')] },
    mark: {
      model_key: 'subtitles',
      language: null,
      spoken: 'en',
      channels: null,
      detect_speakers: false,
      speaker_count: 'auto',
    },
  });
  const { results } = await w.make({ media_paths: [still, signer], output_dir: join(w.home, 'out') });
  assert.deepEqual(
    results.map(({ error, segments }) => [error, segments]),
    [
      [null, 0],
      [null, 2],
    ],
  );
  const [picture, moving] = results.map(({ output_paths }) =>
    JSON.parse(readFileSync(output_paths[0]!, 'utf8')),
  );
  const { width, height } = await sharp(still).metadata();
  assert.deepEqual([picture.kind, picture.width, picture.height], ['image', width, height]);
  assert.deepEqual(
    [moving.kind, moving.transcript.length, moving.transcript[1].text],
    ['video', 2, 'Read it.'],
  );
  assert.equal(moving.duration_seconds, media.probe.duration_seconds);
  const text = readFileSync(results[1]!.output_paths[1]!, 'utf8');
  assert.match(text, /xmpDM:startTime="1500" xmpDM:duration="1000" xmpDM:name="Read it\."/);
});
