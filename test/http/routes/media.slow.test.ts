import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import { granted, refusal } from '../../../http/license/decision.ts';
import { linkRoutes } from '../../../http/routes/media.ts';
import { createMediaLinks } from '../../../http/service.ts';
import { redactFields } from '../../../runtime/redact.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { inject, KEY } from '../inject.ts';

/** Analysed files, a clock to set, and a question without a key. */
async function served(t: TestContext) {
  const w = await world([
    { name: 'a.mp4', frames: 3 },
    { name: 'b.mp4', frames: 4 },
    { name: 'abc', frames: 4 },
  ]);
  t.after(w.end);
  await w.run();
  let now = Date.UTC(2026, 0, 1, 10, 30);
  const revoked = new Set<string>();
  const mediaLinks = createMediaLinks(
    () => now,
    (credential) => (revoked.has(credential!) ? refusal('revoked') : granted),
  );
  const call = inject(linkRoutes, { search: w.search, mediaLinks }, { license: () => granted });
  const cache_dir = join(w.folder, 'cache');
  const link = async (media_path: string) => {
    const { status, body } = await call('/api/v1/media/link', { cache_dir, media_path });
    assert.equal(status, 200, JSON.stringify(body));
    return body as { url: string; expires_at: number; content_type: string; size_bytes: number };
  };
  const read = (url: string, headers: Record<string, string> = {}) =>
    call(url, undefined, { headers: { 'x-license-key': '', ...headers } });
  const pass = (ms: number) => {
    now += ms;
  };
  return { w, call, cache_dir, link, read, pass, revoked };
}

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const errorOf = ({ body }: { body: unknown }) => (body as { error: string }).error;

test('the bytes of a file are read by its link without a key, whole and in part', async (t) => {
  const { w, link, read } = await served(t);
  const own = readFileSync(w.paths[0]!);
  const { url, content_type, size_bytes } = await link(w.paths[0]!);
  assert.deepEqual([content_type, size_bytes], ['video/mp4', own.length]);
  const whole = await read(url);
  assert.equal(whole.status, 200);
  assert.equal(sha(whole.bytes), sha(own));
  assert.match(whole.headers['content-security-policy']!, /^sandbox/);
  assert.equal(whole.headers['x-content-type-options'], 'nosniff');
  const part = await read(url, { range: 'bytes=1-2' });
  assert.equal(part.status, 206);
  assert.equal(sha(part.bytes), sha(own.subarray(1, 3)));
});

test('a link names neither path nor hash, and is the same one within the hour', async (t) => {
  const { w, link, pass } = await served(t);
  const first = await link(w.paths[0]!);
  assert.match(first.url, /^\/media\/fhm_[\w-]{43}$/);
  pass(60_000);
  assert.deepEqual(await link(w.paths[0]!), first);
  assert.notEqual((await link(w.paths[1]!)).url, first.url);
  pass(3_600_000);
  assert.notEqual((await link(w.paths[0]!)).url, first.url);
});

test('a link that has expired, was made up or is of another service opens nothing', async (t) => {
  const { w, link, read, pass } = await served(t);
  const { url, expires_at } = await link(w.paths[0]!);
  assert.equal(expires_at, Date.UTC(2026, 0, 1, 12) / 1000);
  pass(90 * 60_000 - 1);
  assert.equal((await read(url)).status, 200);
  pass(1);
  for (const other of [url, '/media/x', `/media/${'A'.repeat(43)}`, '/media/..%2F..%2Fetc%2Fpasswd']) {
    const answer = await read(other);
    assert.equal(answer.status, 404, other);
    assert.equal(errorOf(answer), 'Link not found');
  }
});

test('a link opens nothing while the key it was made by does not open the service', async (t) => {
  const { w, call, cache_dir, read, revoked } = await served(t);
  const linkBy = async (license_key: string) => {
    const { body } = await call('/api/v1/media/link', { cache_dir, media_path: w.paths[0]!, license_key });
    return (body as { url: string }).url;
  };
  const [first, second] = [await linkBy('first'), await linkBy('second')];
  assert.notEqual(first, second, 'links of different keys are different ones');
  revoked.add('first');
  const answer = await read(first);
  assert.deepEqual([answer.status, errorOf(answer)], [404, 'Link not found']);
  assert.equal((await read(second)).status, 200);
  revoked.delete('first');
  assert.equal((await read(first)).status, 200);
});

test('a file that the folder does not know has no link', async (t) => {
  const { w, call, cache_dir } = await served(t);
  const stranger = join(w.folder, 'secret.txt');
  writeFileSync(stranger, 'secret');
  for (const media of [{ media_path: stranger }, { hash_str: '0abc' }]) {
    const answer = await call('/api/v1/media/link', { cache_dir, ...media });
    assert.equal(answer.status, 404);
    assert.equal(errorOf(answer), 'The media is not in the analysis folder');
  }
});

const swaps: Readonly<Record<string, (path: string, stranger: string) => void>> = {
  'was deleted': (path) => rmSync(path),
  'is another file now': (path, stranger) => {
    rmSync(path);
    renameSync(stranger, path);
  },
  'is a link to another file now': (path, stranger) => {
    rmSync(path);
    symlinkSync(stranger, path);
  },
  'is a folder now': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};
for (const [what, swap] of Object.entries(swaps)) {
  test(`nothing is read by the link of a file that ${what}`, async (t) => {
    const { w, link, read } = await served(t);
    const { url } = await link(w.paths[0]!);
    const stranger = join(w.folder, 'secret.txt');
    writeFileSync(stranger, 'secret');
    swap(w.paths[0]!, stranger);
    const answer = await read(url);
    assert.equal(answer.status, 404);
    assert.equal(errorOf(answer), 'The media file is not at its known path');
    assert.doesNotMatch(JSON.stringify(answer.body), /hash_str|[\\/]/);
  });
}

test('what is wrong with the folder is told without its path', async () => {
  const mediaLinks = createMediaLinks(Date.now, () => granted);
  const { link } = mediaLinks.make({ cache_dir: '/home/me/cache', hash_str: 'abc' }, KEY);
  const mediaFile = () =>
    Promise.reject(
      storeErrors.STORE_UNAVAILABLE('/home/me/cache: permission denied', { field: 'cache_dir' }),
    );
  const call = inject(linkRoutes, { search: { mediaFile } as never, mediaLinks });
  const answer = await call(`/media/${link}`);
  assert.equal(answer.status, 503);
  assert.deepEqual(answer.body, {
    error: 'The analysis folder cannot be opened',
    message: 'The analysis folder cannot be opened',
  });
});

test('a log that names the address of a link does not open it', async () => {
  const { link } = createMediaLinks(Date.now, () => granted).make({ cache_dir: '/c', hash_str: 'abc' }, KEY);
  assert.deepEqual(redactFields({ path: `/media/${link}` }), { path: '/media/[redacted]' });
});

test('a link for a hash is that of its file', async (t) => {
  const { w, call, cache_dir, link, read } = await served(t);
  const { url } = await link(w.paths[2]!);
  const { body } = await call('/api/v1/media/link', { cache_dir, hash_str: 'abc' });
  assert.equal((body as { url: string }).url, url);
  assert.equal((await read(url)).headers['content-type'], 'application/octet-stream');
});
