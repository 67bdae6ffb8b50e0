import assert from 'node:assert/strict';
import { copyFileSync, linkSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { survey } from '../../../../actors/analysis/media/survey.ts';
import { definition as decoder } from '../../../../actors/decoder/actor.ts';
import { decoderContract } from '../../../../actors/decoder/contract.ts';
import { definition as indexDefinition } from '../../../../actors/index/actor.ts';
import { indexContract } from '../../../../actors/index/contract.ts';
import type { MediaRecord } from '../../../../actors/index/store/contract.ts';
import { createLog } from '../../../../runtime/log.ts';
import { createSlotPool } from '../../../../runtime/slots.ts';
import { createSupervisor } from '../../../../runtime/supervisor.ts';
import { manualClock } from '../../../runtime/manual-clock.ts';
import { startInMemory } from '../../../runtime/memory.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { noRootsHere } from '../../library/fake-roots.ts';

const MiB = 2 ** 20;
const rate = 48_000;

/** A stem of a session: 16-bit mono PCM, silent but for a tone of the frequency in its second quarter. */
function stem(path: string, hertz: number, seconds = 60): string {
  const wav = Buffer.alloc(44 + seconds * rate * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(wav.length - 44, 40);
  const from = Math.floor((seconds * rate) / 4);
  for (let i = 0; i < rate / 10; i++)
    wav.writeInt16LE(Math.round(9000 * Math.sin((2 * Math.PI * hertz * i) / rate)), 44 + 2 * (from + i));
  writeFileSync(path, wav);
  return path;
}

/** Surveys files as a task does, with a real decoder and a real store; counts what was read of them. */
async function surveys(t: TestContext) {
  const [cache_dir, media] = [temporaryFolder(t), temporaryFolder(t)];
  const log = createLog('test', () => {});
  const pool = createSlotPool(2, 8);
  const supervisor = createSupervisor({ clock: manualClock(), log, pool });
  const prober = await supervisor.add({
    name: 'prober',
    contract: decoderContract,
    turnLimitMs: 60_000,
    start: () => startInMemory(decoder, { log, memory: pool.memory }),
  });
  const index = await supervisor.add({
    name: 'index',
    contract: indexContract,
    turnLimitMs: 60_000,
    start: () => startInMemory(indexDefinition, { log, memory: pool.memory, settings: {} }),
  });
  t.after(() => supervisor.stop());
  const asked: string[] = [];
  const counting = new Proxy(prober, {
    get: (target, name) =>
      name === 'ask'
        ? (what: string, ...rest: unknown[]) => {
            asked.push(what);
            return (target.ask as (...all: unknown[]) => unknown).call(target, what, ...rest);
          }
        : Reflect.get(target, name, target),
  });
  const { signal } = new AbortController();
  const watched = (_: string, work: () => Promise<MediaRecord>) => work();
  const one = (path: string) =>
    survey(
      path,
      { cache_dir, prober: counting, index, roots: noRootsHere, watched, signal },
      { lane: 'later', remember: (media) => index.ask('remember', { cache_dir, media }) },
    );
  const hash = async (path: string) => (await one(path)).identity.hash_str;
  const digests = () => asked.splice(0).filter((what) => what === 'digest').length;
  return { cache_dir, index, hash, digests, at: (name: string) => join(media, name) };
}

test('stems that are equal at start, middle and end are contents of their own', async (t) => {
  const { hash, digests, at } = await surveys(t);
  const [a, b, c] = [stem(at('a.wav'), 200), stem(at('b.wav'), 300), stem(at('c.wav'), 400)];
  const first = await hash(a);
  // A file without a twin is read no further.
  assert.equal(digests(), 0);
  assert.deepEqual([await hash(b), await hash(c)], [`${first}-2`, `${first}-3`]);
  assert.deepEqual([await hash(a), await hash(b), await hash(c)], [first, `${first}-2`, `${first}-3`]);
  digests();
  // Known files are not read again, and a renamed one is found by what it is.
  await hash(b);
  assert.equal(digests(), 0);
  renameSync(b, at('d.wav'));
  renameSync(a, at('e.wav'));
  assert.deepEqual([await hash(at('d.wav')), await hash(at('e.wav'))], [`${first}-2`, first]);
  utimesSync(c, 5, 5);
  assert.equal(await hash(c), `${first}-3`);
});

test('stems that are surveyed at the same time are told apart too', async (t) => {
  const { hash, at } = await surveys(t);
  const paths = [200, 300, 400].map((hertz) => stem(at(`${hertz}.wav`), hertz));
  const hashes = await Promise.all(paths.map(hash));
  assert.equal(new Set(hashes).size, 3);
});

test('copies, links and renamed files are one content; links and renamed ones are not compared', async (t) => {
  const { hash, digests, at } = await surveys(t);
  const a = stem(at('a.wav'), 200);
  const first = await hash(a);
  linkSync(a, at('link.wav'));
  assert.equal(await hash(at('link.wav')), first);
  renameSync(a, at('renamed.wav'));
  assert.equal(await hash(at('renamed.wav')), first);
  rmSync(at('link.wav'));
  assert.equal(digests(), 0);
  copyFileSync(at('renamed.wav'), at('copy.wav'));
  assert.equal(await hash(at('copy.wav')), first);
  assert.ok(digests() > 0);
  // The further copies are compared with what is known by then.
  copyFileSync(at('copy.wav'), at('third.wav'));
  assert.equal(await hash(at('third.wav')), first);
  assert.ok(digests() <= Math.ceil((60 * rate * 2 + 44) / (16 * MiB)));
});

test('two files that an earlier version took for one are compared when they are met again', async (t) => {
  const { cache_dir, index, hash, at } = await surveys(t);
  const [a, b] = [stem(at('a.wav'), 200), stem(at('b.wav'), 300)];
  const first = await hash(a);
  await hash(b);
  // As it was stored: the same hash at both paths.
  const { by_path } = await index.ask('find', { cache_dir, paths: [b], hashes: [] });
  const { content_digest: _, ...identity } = by_path[0]!.identity;
  const twin = { ...by_path[0]!, identity: { ...identity, hash_str: 'aa-1' } };
  const other = { ...twin, path: a, identity: { ...twin.identity, inode: '1' } };
  await index.ask('remember', { cache_dir, media: twin });
  const mark = (({ size_bytes, mtime_ms, inode }) => ({ size_bytes, mtime_ms, inode }))(twin.identity);
  assert.equal((await index.ask('known', { cache_dir, path: b, ...mark }))?.identity.hash_str, 'aa-1');
  await index.ask('remember', { cache_dir, media: other });
  assert.equal(await index.ask('known', { cache_dir, path: b, ...mark }), null);
  assert.equal(await hash(a), first);
});
