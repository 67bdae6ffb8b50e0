// Assistants over pipes and over HTTP: the official client drives `framehound mcp` and /mcp on samples.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { copySamples } from '../../actors/samples/samples.ts';
import { MOST_PICTURE_CHARACTERS } from '../../http/mcp/answer.ts';
import { tools } from '../../http/mcp/protocol.ts';
import { clips } from '../actors/decoder/footage/clips.ts';
import { until } from '../until.ts';
import { framehound, newHome, SLOW_MS } from './command-line.ts';
import { isAlive } from './guarded-service.ts';
import { type RunningService, startService } from './service.ts';

interface Answer {
  readonly text: string;
  readonly pictures: readonly string[];
  /** Addresses of resources. */
  readonly links: readonly string[];
  readonly isError: boolean;
}

async function call(client: Client, name: string, input: Record<string, unknown>): Promise<Answer> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const parts = content as { type: string; text?: string; data?: string; uri?: string }[];
  const text = parts.flatMap((part) => part.text ?? []).join('\n');
  const [pictures, links] = [parts.flatMap(({ data }) => data ?? []), parts.flatMap(({ uri }) => uri ?? [])];
  return { text, pictures, links, isError: isError === true };
}

/** `framehound mcp` as an assistant starts it. */
async function overPipes(t: TestContext, ...args: string[]) {
  const env = { ...(process.env as Record<string, string>) };
  const [command, ...before] = framehound;
  const transport = new StdioClientTransport({
    command,
    args: [...before, 'mcp', ...args],
    env,
    stderr: 'pipe',
  });
  const errors: Error[] = [];
  const client = new Client({ name: 'test', version: '1' });
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  t.after(() => client.close());
  return { client, transport, errors };
}

async function overHttp(
  t: TestContext,
  { address, key }: Pick<RunningService, 'address' | 'key'>,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }));
  t.after(() => client.close());
  return client;
}

async function analysed(client: Client, paths: readonly string[]): Promise<void> {
  const begun = await call(client, 'analyze', { paths });
  const [, id] = /^Task (\S+) has started/.exec(begun.text) ?? [];
  assert.ok(id, begun.text);
  const { text } = await call(client, 'task', { id, wait_seconds: 45 });
  assert.match(text, / completed 100% /);
}

test('over HTTP an assistant analyses a folder, finds moments, looks at them and cuts them', {
  timeout: 2 * SLOW_MS,
}, async (t) => {
  const service = await startService();
  t.after(() => service.end());
  const films = join(service.home.folder, 'films');
  await copySamples(films, ['the-red-car.mp4', 'beach.mp4']);
  await service.modelReady();
  const client = await overHttp(t, service);
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    tools.map(({ name }) => name),
  );
  assert.match((await call(client, 'find_moments', { text: 'car' })).text, /^Nothing is analysed/);
  await analysed(client, [films]);
  const listed = await call(client, 'list_library', {});
  assert.match(listed.text, /^2 files\./);
  const zebra = { text: 'a purple zebra', limit: 3 };
  assert.match(
    (await call(client, 'find_moments', zebra)).text,
    /^Nothing looks like this.*\n\d+ weak match/,
  );
  const found = await call(client, 'find_moments', { ...zebra, weak: true });
  assert.equal(found.isError, false, found.text);
  const [id = ''] = /^[0-9a-f-]+@\d+/m.exec(found.text) ?? [];
  assert.deepEqual([found.links.length, found.links[0]], [zebra.limit, `framehound://moments/${id}`]);
  const [preview] = (await client.readResource({ uri: found.links[0]! })).contents;
  assert.equal(Buffer.from((preview as { blob: string }).blob, 'base64').readUInt16BE(0), 0xffd8);
  const absent = client.readResource({ uri: 'framehound://moments/00000000-1@1' });
  await assert.rejects(absent, /the library has no media "00000000-1"/);
  const looked = await call(client, 'look', { moments: [id, id, id, id, id, id], width: 512 });
  assert.equal(looked.pictures.length, 6);
  assert.ok(looked.pictures.join('').length <= MOST_PICTURE_CHARACTERS);
  for (const data of looked.pictures) assert.equal(Buffer.from(data, 'base64').readUInt16BE(0), 0xffd8);
  const output_path = join(service.home.folder, 'cut.xml');
  const cut = await call(client, 'make_timeline', { clips: [{ media: id, in: 0, out: 1 }], output_path });
  assert.match(cut.text, new RegExp(`^Written: ${output_path}\n1 clips, 00:00:01`));
  assert.match(readFileSync(output_path, 'utf8'), /<xmeml/);
  await t.test('a wrong key is said', async (own) => {
    const at = ['--server', service.address, '--key', 'wrong'];
    const refused = await overPipes(own, '--home', join(service.home.folder, 'none'), ...at);
    assert.match((await call(refused.client, 'who', {})).text, /license key/);
  });
  await t.test(
    'over pipes the same service is found by its home folder, also when it was started again',
    () => restarts(service, t),
  );
});

async function restarts(service: RunningService, t: TestContext): Promise<void> {
  const home = join(service.home.folder, 'home');
  const { client, errors } = await overPipes(t, '--home', home);
  const before = await call(client, 'list_library', {});
  assert.match(before.text, /^2 files\./);
  assert.equal(await service.stop(), 0);
  const again = await startService(['--no-guardian'], service.home);
  t.after(() => again.end());
  const { text } = await call(client, 'list_library', {});
  assert.equal(text, before.text);
  assert.deepEqual(errors, []);
}

test('a service that does not answer is said, and the connection stays', async (t) => {
  const home = newHome();
  t.after(() => home.remove());
  const at = ['--server', 'http://127.0.0.1:9', '--key', 'x'];
  const { client } = await overPipes(t, '--home', home.folder, ...at);
  for (const name of ['who', 'list_library']) {
    const { text, isError } = await call(client, name, {});
    assert.equal(isError, true);
    assert.match(text, /does not respond at http:\/\/127\.0\.0\.1:9.*framehound serve/);
  }
});

test('without a service two assistants each have an engine, and end when they are left', async (t) => {
  const home = newHome();
  t.after(() => home.remove());
  const own = join(home.folder, 'home');
  const first = await overPipes(t, '--home', own);
  await analysed(first.client, [await clips.find(({ name }) => name === 'H.264, GOP 12')!.make()]);
  const second = await overPipes(t, '--home', own);
  for (const { client } of [first, second]) {
    assert.match((await call(client, 'list_library', {})).text, /h264-gop12\.mp4 video .*pictures/);
  }
  const pids = [first, second].map(({ transport }) => transport.pid!);
  // Closes standard input, and kills only what has not ended after two seconds.
  await first.client.close();
  process.kill(pids[1]!, 'SIGTERM');
  await second.client.close();
  for (const { errors } of [first, second]) assert.deepEqual(errors, []);
  await until(() => !pids.some(isAlive), { within: SLOW_MS });
  assert.ok(!existsSync(join(own, 'service.json')));
});
