// Engines that hold parts of one library, each with an index of its own, and what they ask each other over
// connections that are real.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import test, { type TestContext } from 'node:test';
import { clusterErrors } from '../../../actors/cluster/contract.ts';
import { divisionOf, type Holder } from '../../../actors/cluster/division.ts';
import { HeldVectors } from '../../../actors/cluster/held-vectors.ts';
import { jointIndex } from '../../../actors/cluster/joint-index.ts';
import { PartClient } from '../../../actors/cluster/part-client.ts';
import { encryption, identity, partPath } from '../../../actors/cluster/part-message.ts';
import { PartServer } from '../../../actors/cluster/part-server.ts';
import type { indexContract } from '../../../actors/index/contract.ts';
import { partOf } from '../../../actors/index/parts/hold.ts';
import type { Place } from '../../../actors/index/visual/contract.ts';
import { systemClock } from '../../../runtime/clock.ts';
import type { AskName, Reply, Request } from '../../../runtime/contract.ts';
import { createLog } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { freePort } from '../../system/guarded-service.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { framesUpTo, near, seeded } from '../index/footage.ts';
import { everything, type Harness, indexActor, someFootage, store } from '../index/handlers.ts';

type C = typeof indexContract;
const secret = 'known to nodes';
const films = 24;
const hashOf = (film: number) => `${(film * 2_654_435_761).toString(16).slice(0, 6)}${film}`;
const looks = Array.from({ length: films }, (_, film) => someFootage(40, film + 1));
const lookOf = (film: number, frame: number) => looks[film]!.slice(frame * 32, (frame + 1) * 32);

interface Engine {
  readonly holder: Holder;
  readonly index: Ref<C>;
  readonly joint: Ref<C>;
  stop(): Promise<void>;
  begin(): Promise<void>;
}

interface World {
  readonly cache_dir: string;
  /** Of an engine with the whole library. */
  readonly whole: Ref<C>;
  readonly engines: readonly Engine[];
  readonly said: string[];
  /** Nodes that nobody knows any more. */
  readonly away: Set<string>;
}

async function indexRef(t: TestContext): Promise<{ harness: Harness; ref: Ref<C> }> {
  const harness = await indexActor(t, { segmentBytes: 1 << 14 });
  const ask: Ref<C>['ask'] = (name, request, options) =>
    harness.call(name, request, () => options?.signal?.aborted ?? false);
  return { harness, ref: { name: 'index', phase: 'ready', ask } as Ref<C> };
}

async function newWorld(t: TestContext, of: number, footage = looks): Promise<World> {
  const cache_dir = temporaryFolder(t);
  const { harness, ref: whole } = await indexRef(t);
  for (const [film, look] of footage.entries()) await store(harness, cache_dir, hashOf(film), look.slice());
  await harness.load({ cache_dir, model_key: 'model', hashes: null });
  const holders: Holder[] = [];
  for (let part = 1; part <= of; part++) {
    const address = `127.0.0.1:${await freePort()}`;
    holders.push({ id: `node ${part}`, address, hold: { part, of } });
  }
  const said: string[] = [];
  const away = new Set<string>();
  const log = createLog('cluster', (line) => said.push(`${line.message} ${JSON.stringify(line.fields)}`));
  const engines: Engine[] = [];
  for (const holder of holders) {
    const { ref: index } = await indexRef(t);
    const follower = { until: async () => {}, applied: 0 };
    const parts = { index, cacheDir: cache_dir, hold: holder.hold, follower, clock: systemClock, log };
    const held = new HeldVectors({ ...parts, model: () => 'model' });
    const server = () =>
      new PartServer({
        ...{ address: holder.address, log },
        secret: () => secret,
        answer: (message, signal) => held.answer(message, signal),
      });
    let now = server();
    const client = new PartClient(() => secret);
    const known = () => holders.filter(({ id }) => id === holder.id || !away.has(id));
    const asking = {
      own: holder,
      division: () => divisionOf(known(), holder.hold)!,
      rest: () => {},
    };
    t.after(() => client.close());
    t.after(() => now.stop());
    engines.push({
      holder,
      index,
      joint: jointIndex({ index, holders: asking, client, applied: () => 0, log }),
      stop: () => now.stop(),
      begin: () => {
        now = server();
        return now.begin();
      },
    });
    await now.begin();
  }
  return { cache_dir, whole, engines, said, away };
}

async function load(
  { cache_dir }: World,
  { joint }: Engine,
  model_key = 'model',
): Promise<{ vectors: number; media: number }> {
  const request = { cache_dir, model_key, hashes: null };
  let answer = await joint.ask('load', { ...request, load: null });
  for (let steps = 0; !answer.done && steps < 1000; steps++)
    answer = await joint.ask('load', { ...request, load: answer.load });
  return answer;
}

/** Questions of every kind, as searches ask them. */
function questions(cache_dir: string): { [K in AskName<C>]?: readonly Request<C, K>[] } {
  const within = { cache_dir, model_key: 'model', text_weight: 0.7 };
  const [text, picture] = [lookOf(3, 7), lookOf(9, 20)];
  const none = { text: null, picture: null, exclude: null };
  const vectors = [
    { ...none, text },
    { ...none, picture },
    { ...none, text, picture },
    { ...none, text, exclude: lookOf(5, 1) },
    { text, picture, exclude: lookOf(3, 8) },
  ];
  const hashes = [hashOf(3), hashOf(9), hashOf(11)];
  const scopes = [
    everything,
    { ...everything, hashes },
    { ...everything, ranges: { [hashOf(3)]: [[2, 9]] as [number, number][] } },
    { ...everything, hashes: [] },
  ];
  const limits = [
    { max_results: 1 },
    { max_results: 40 },
    { max_results: 200 },
    { max_results: 30, max_per_media: 2 },
  ];
  const moments = [3, 9, 11, 500].map((film) => ({ hash_str: hashOf(film), frame_index: 5 }));
  const words = new Float32Array([...lookOf(1, 1), ...lookOf(2, 2)]);
  return {
    search: vectors.flatMap((by) =>
      scopes.flatMap((scope) => limits.map((most) => ({ ...within, ...by, scope, ...most }))),
    ),
    standing: vectors.map((by) => ({ ...within, ...by, words, moments })),
    relevance: vectors.flatMap((by) =>
      [3, 4, 5, 500].map((film) => ({ ...within, ...by, hash_str: hashOf(film) })),
    ),
  };
}

async function compareAll({ cache_dir, whole }: World, ref: Ref<C>): Promise<number> {
  let asked = 0;
  for (const [name, all] of Object.entries(questions(cache_dir))) {
    for (const request of all) {
      const [expected, found] = await Promise.all(
        [whole, ref].map((one) => one.ask(name as 'search', request as never)),
      );
      assert.deepEqual(found, expected, `${name} ${asked}`);
      asked++;
    }
  }
  return asked;
}

test('three engines answer as one with the whole library, to the last bit', async (t) => {
  const world = await newWorld(t, 3);
  for (const engine of world.engines) {
    const { vectors, media } = await load(world, engine);
    assert.deepEqual([vectors, media], [films * 40, films], 'everything can be searched');
  }
  for (const { joint } of world.engines) assert.ok((await compareAll(world, joint)) > 100);
  const one = await world.engines[0]!.index.ask('search', questions(world.cache_dir).search![1]!);
  assert.ok(one.searched < films * 40, 'each of them holds some');
});

test('of a part that nobody answers for it is told how much is missing, until it is back', async (t) => {
  const world = await newWorld(t, 3);
  const [first, second] = world.engines;
  await load(world, first!);
  const [question] = questions(world.cache_dir).search!;
  const whole = await first!.joint.ask('search', question!);
  await second!.stop();
  const rest = await first!.joint.ask('search', question!);
  assert.ok(rest.unsearched! > 0);
  assert.equal(rest.searched + rest.unsearched!, whole.searched);
  world.away.add(second!.holder.id);
  assert.deepEqual(await first!.joint.ask('search', question!), rest, 'nobody is asked');
  world.away.clear();
  await second!.begin();
  assert.deepEqual(await first!.joint.ask('search', question!), whole);
});

test('what is in memory of a part is loaded by the question that needs it', async (t) => {
  const world = await newWorld(t, 2);
  const [first, second] = world.engines;
  await load(world, first!);
  await second!.index.ask('drop', {});
  const [question] = questions(world.cache_dir).search!;
  assert.deepEqual(await first!.joint.ask('search', question!), await world.whole.ask('search', question!));
});

test('a library without vectors has no matches', async (t) => {
  const world = await newWorld(t, 2);
  const [first] = world.engines;
  const { media } = await load(world, first!, 'another');
  assert.equal(media, 0);
  for (const question of questions(world.cache_dir).search!.slice(0, 1)) {
    const found = await first!.joint.ask('search', { ...question, model_key: 'another' });
    assert.deepEqual(found, { matches: [], searched: 0 });
  }
});

/** What a mirror does to these vectors: their halves change places. */
const mirror = Array.from({ length: 32 }, (_, i) => (i + 16) % 32);
const random = seeded(5);
const each = (vectors: Float32Array, change: (one: Float32Array) => Float32Array) => {
  const frames = framesUpTo(vectors.length / 32);
  return Float32Array.from(frames.flatMap((at) => [...change(vectors.slice(at * 32, (at + 1) * 32))]));
};
const coded = (vectors: Float32Array) => each(vectors, (one) => near(one, 0.1, random));
const turned = (vectors: Float32Array) => each(vectors, (one) => one.map((_, i) => one[mirror[i]!]!));
/** Films that begin with the same title, and copies that are cut, coded anew and mirrored. */
const title = someFootage(8, 77);
const titled = looks.slice(0, 10).map((look) => Float32Array.from([...coded(title), ...look]));
const cuts = titled.slice(3, 7).map((look) => coded(look.slice(10 * 32, 30 * 32)));
const mirrors = titled.slice(5, 8).map((look) => coded(turned(look)));
const related = [...titled, ...cuts, ...mirrors];
/** More copies of a film than a step tells of. */
const common = Array.from({ length: 70 }, () => coded(looks[2]!));

/** Every step of a comparison, as searches ask for it. */
async function steps({ cache_dir }: World, ref: Ref<C>, only: string | null, end: number, step: number) {
  const how = { cache_dir, model_key: 'model', only, from: 0, end, step, least: 0.9, above: 0.2, mirror };
  const all: Reply<C, 'takes'>[] = [];
  for (let place: Place | null = null; all.length === 0 || place !== null; place = all.at(-1)!.next)
    all.push(await ref.ask('takes', { ...how, place, blank: lookOf(1, 1) }));
  return all;
}

type Comparison = readonly [only: string | null, end: number, step: number];

async function compareTakes(t: TestContext, footage: typeof looks, all: readonly Comparison[]) {
  const world = await newWorld(t, 3, footage);
  const [first] = world.engines;
  await load(world, first!);
  const counts: number[] = [];
  for (const question of all) {
    const expected = await steps(world, world.whole, ...question);
    assert.deepEqual(await steps(world, first!.joint, ...question), expected, question.join());
    counts.push(...expected.map(({ takes }) => takes.length));
  }
  return counts;
}

test('takes of a film, of a part of it and of everything are those of one engine', async (t) => {
  const counts = await compareTakes(t, related, [
    ...[3, 6, 7, 11, 15, 500].map((film) => [hashOf(film), 1e6, 4] as const),
    ...[4, 5].map((film) => [hashOf(film), 25, 1] as const),
    [null, 1e6, 4],
  ]);
  const found = counts.reduce((sum, count) => sum + count, 0);
  assert.ok(found > 50, `${found}`);
});

test('of more takes than a step tells of, the same ones are told', async (t) => {
  const counts = await compareTakes(t, common, [[hashOf(0), 1e6, 4]]);
  assert.equal(Math.max(...counts), 64);
});

test('takes are found in the parts that answer, and it is told how much nobody has compared', async (t) => {
  const world = await newWorld(t, 3, related);
  const [first, second] = world.engines;
  await load(world, first!);
  const all = await steps(world, first!.joint, hashOf(6), 1e6, 4);
  await second!.stop();
  const rest = await steps(world, first!.joint, hashOf(6), 1e6, 4);
  const held = ({ hash_str }: { hash_str: string }) => partOf(hash_str, 3) === 2;
  const missing = related.flatMap(({ length }, film) =>
    held({ hash_str: hashOf(film) }) ? [length / 32] : [],
  );
  const unsearched = missing.reduce((sum, frames) => sum + frames, 0);
  assert.ok(unsearched > 0);
  assert.deepEqual(
    rest.map((one) => one.unsearched),
    all.map(() => unsearched),
  );
  const takesOf = (some: typeof all) => some.flatMap(({ takes }) => takes.map(({ hash_str }) => hash_str));
  assert.ok(takesOf(rest).length > 0);
  assert.ok(takesOf(rest).every((hash_str) => !held({ hash_str }) && takesOf(all).includes(hash_str)));
});

test('who does not know the secret, or asks for another part, is refused', async (t) => {
  const { engines } = await newWorld(t, 2);
  const [{ holder }] = engines as [Engine];
  const post = (agent: Agent, text: string) =>
    new Promise<number>((resolve, reject) => {
      const options = { method: 'POST', agent, checkServerIdentity: () => undefined };
      const sent = request(`https://${holder.address}${partPath}`, options, (response) => {
        response.resume().once('end', () => resolve(response.statusCode!));
      });
      sent.once('error', reject).end(text);
    });
  const knowing = (psk: string) =>
    new Agent({ ...encryption, pskCallback: () => ({ psk: Buffer.from(psk), identity }) });
  for (const agent of [new Agent(), new Agent({ rejectUnauthorized: false }), knowing('known to nobody')])
    await assert.rejects(post(agent, 'x'), /handshake failure|bad record mac/);
  await assert.rejects(fetch(`http://${holder.address}${partPath}`), TypeError);
  assert.equal(await post(knowing(secret), 'no message'), 421);
  const asked = { address: holder.address, within: 5_000, signal: undefined };
  const message = { name: 'load' as const, applied: 0, request: { model_key: 'model', hashes: null } };
  const client = new PartClient(() => secret);
  const stranger = new PartClient(() => 'wrong');
  t.after(() => client.close());
  t.after(() => stranger.close());
  await assert.rejects(
    client.ask({ ...asked, hold: { part: 1, of: 3 } }, message),
    clusterErrors.OTHER_PART.is,
  );
  await assert.rejects(stranger.ask({ ...asked, hold: holder.hold }, message), clusterErrors.PART_AWAY.is);
});

test('what nodes ask each other can be read by nobody between them', async (t) => {
  const { engines } = await newWorld(t, 2);
  const [{ holder }] = engines as [Engine];
  const passed: Buffer[] = [];
  const [host, port] = holder.address.split(':');
  const between = createServer((from) => {
    const to = connect(Number(port), host);
    from.on('data', (bytes) => passed.push(bytes)).pipe(to);
    to.on('data', (bytes) => passed.push(bytes)).pipe(from);
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const client = new PartClient(() => secret);
  t.after(() => between.close());
  t.after(() => client.close());
  const { port: own } = between.address() as AddressInfo;
  const asked = { address: `127.0.0.1:${own}`, within: 5_000, signal: undefined, hold: holder.hold };
  const request = { model_key: 'model', hashes: null };
  const report = await client.ask(asked, { name: 'load', applied: 0, request });
  assert.ok(Object.keys(report as object).length > 0);
  const all = Buffer.concat(passed);
  assert.ok(all.length > 500);
  for (const word of [secret, partPath, 'model', 'HTTP', ...Object.keys(report as object)])
    assert.ok(!all.includes(word), word);
});

test('a node that does not answer in time, or a client that leaves, ends the question', async (t) => {
  const address = `127.0.0.1:${await freePort()}`;
  const begun = Promise.withResolvers<AbortSignal>();
  const log = createLog('cluster', () => {});
  const answer = (_: unknown, signal: AbortSignal) => {
    begun.resolve(signal);
    return new Promise(() => {});
  };
  const server = new PartServer({ address, secret: () => secret, answer, log });
  await server.begin();
  t.after(() => server.stop());
  const client = new PartClient(() => secret);
  t.after(() => client.close());
  const message = { name: 'load' as const, applied: 0, request: { model_key: 'model', hashes: null } };
  const asked = { address, hold: { part: 1, of: 2 } };
  await assert.rejects(
    client.ask({ ...asked, within: 50, signal: undefined }, message),
    clusterErrors.PART_LATE.is,
  );
  const left = new AbortController();
  const other = client.ask({ ...asked, within: 60_000, signal: left.signal }, message);
  const signal = await begun.promise;
  left.abort();
  await assert.rejects(other, { code: 'CANCELLED' });
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
});
