// Summaries in a folder that other processes work on: killed in the middle, read meanwhile, or not to be
// written.
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { indexActor } from '../actors/index/handlers.ts';
import { append, begin, commit, list, readNode, summarise, tree } from '../actors/index/summaries/trees.ts';
import { nodeCommand } from '../node-command.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { othersMayPass } from './others-may-pass.ts';

const [node, ...flags] = nodeCommand;
const program = join(import.meta.dirname, '../actors/index/summaries/summary-process.ts');

interface Child {
  readonly process: ChildProcessByStdio<null, Readable, null>;
  readonly lines: AsyncIterableIterator<string>;
}

function start(t: TestContext, args: readonly string[], user: { uid?: number; gid?: number } = {}): Child {
  const child = spawn(node, [...flags, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { process: child, lines };
}

async function nextLine({ lines }: Child): Promise<string> {
  const { value, done } = await lines.next();
  return done ? '' : value;
}

async function linesOf(child: Child): Promise<string[]> {
  const all: string[] = [];
  for await (const line of child.lines) all.push(line);
  return all;
}

test('what a process had appended when it was killed is taken up by the next one', async (t) => {
  const cache_dir = temporaryFolder(t);
  const child = start(t, [cache_dir, 'append']);
  assert.equal(await nextLine(child), 'kept 0');
  let appended = 0;
  for (let i = 0; i < 5; i++) appended = Number((await nextLine(child)).replace('appended ', ''));
  assert.equal(appended, 100);
  const index = await indexActor(t);
  await assert.rejects(begin(index, cache_dir, 'aa'), storeErrors.STORE_IN_USE.is);
  assert.deepEqual((await list(index, cache_dir, ['aa'])).summaries, [], 'nothing of it is seen');
  child.process.kill('SIGKILL');
  await once(child.process, 'exit');
  const { stage, stored_nodes } = await begin(index, cache_dir, 'aa');
  assert.ok(stored_nodes >= appended && stored_nodes % 20 === 0, `${stored_nodes}`);
  const nodes = tree(100_000, 12);
  const page = await index.call('kept_nodes', { stage, after: null, limit: 500 });
  const known = new Map(nodes.map((node) => [node.node_id, node]));
  for (const node of page.nodes)
    assert.deepEqual({ ...node, evidence: null }, { ...known.get(node.node_id), evidence: null });
  await append(index, stage, nodes.slice(stored_nodes));
  await commit(index, stage, 'aa');
  assert.equal((await list(index, cache_dir, ['aa'])).summaries[0]?.nodes, nodes.length);
});

test('while another process replaces a summary again and again, every reading is of one version', async (t) => {
  const cache_dir = temporaryFolder(t);
  const child = start(t, [cache_dir, 'replace', '40']);
  assert.equal(await nextLine(child), 'stored 1');
  let done = false;
  const said = linesOf(child).finally(() => {
    done = true;
  });
  const index = await indexActor(t);
  const seen = new Set<string>();
  for (let reads = 0; !done && reads < 100_000; reads++) {
    const { summary, node, children, unreadable } = await readNode(index, cache_dir, 'aa');
    assert.ok(summary && node, 'there is always one');
    assert.deepEqual(unreadable, []);
    const versions = new Set([summary.one_line_summary, node.text, ...children.map(({ text }) => text)]);
    assert.equal(versions.size, 1, [...versions].join());
    assert.deepEqual(
      children.map(({ node_id }) => node_id),
      node.child_ids,
    );
    assert.equal((await list(index, cache_dir, ['aa'])).summaries.length, 1);
    seen.add(node.text);
    // The child is heard of in between.
    await new Promise(setImmediate);
  }
  assert.equal((await said).at(-1), 'stored 40');
  assert.ok(seen.size > 3, `only ${[...seen]} were seen`);
});

test('summaries of a folder that cannot be written are read, and neither written nor removed', async (t) => {
  if (process.getuid?.() === 0 && !(othersMayPass(process.execPath) && othersMayPass(import.meta.dirname))) {
    t.skip('run as root from a folder that is closed to every other user');
    return;
  }
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await summarise(index, cache_dir, 'aa', { nodes: tree(40) });
  await index.close();
  const all = ['', ...(readdirSync(cache_dir, { recursive: true }) as string[])];
  for (const name of all) chmodSync(join(cache_dir, name), /\./.test(name) ? 0o444 : 0o555);
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const lines = await linesOf(start(t, [cache_dir, 'probe'], user));
  for (const name of all) chmodSync(join(cache_dir, name), 0o755);
  assert.deepEqual(lines.slice(0, 2), ['list 1', 'node "1"']);
  assert.match(lines[2] ?? '', /^begin STORE_READ_ONLY /);
  assert.match(lines[3] ?? '', /^remove STORE_READ_ONLY /);
});
