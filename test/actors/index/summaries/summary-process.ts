// A process that works on summaries in an analysis folder, and says on standard output what is done.
//   node summary-process.ts FOLDER append            appends page after page of a summary that never ends
//   node summary-process.ts FOLDER replace N         stores N versions of a summary, each in the place of the last
//   node summary-process.ts FOLDER probe             tries to read and to write, and says what happened
import { writeSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { toFields } from '../../../../runtime/errors.ts';
import { indexActor } from '../handlers.ts';
import { append, begin, list, readNode, summarise, tree } from './trees.ts';

const [folder, command, number] = process.argv.slice(2) as [string, string, string | undefined];
const say = (line: string) => writeSync(1, `${line}\n`);

async function attempt(what: string, run: () => Promise<unknown>): Promise<void> {
  try {
    say(`${what} ${JSON.stringify(await run())}`);
  } catch (error) {
    const { code, message } = toFields(error);
    say(`${what} ${code} ${message}`);
  }
}

// It is closed below.
const owner = { after: () => {} } as unknown as TestContext;
const index = await indexActor(owner);
if (command === 'append') {
  const nodes = tree(100_000, 12);
  const { stage, stored_nodes } = await begin(index, folder, 'aa');
  say(`kept ${stored_nodes}`);
  for (let at = 0; at < nodes.length; at += 20) {
    await append(index, stage, nodes.slice(at, at + 20));
    say(`appended ${at + 20}`);
  }
} else if (command === 'replace') {
  for (let version = 1; version <= Number(number); version++) {
    // Another shape each time, so that two versions never fit together.
    const nodes = tree(40 + version, 2 + (version % 5)).map((node) => ({ ...node, text: `v${version}` }));
    await summarise(index, folder, 'aa', { nodes, replace: true, one_line: `v${version}` });
    await index.call('sweep_summaries', { cache_dir: folder });
    say(`stored ${version}`);
  }
} else {
  await attempt('list', async () => (await list(index, folder, ['aa'])).summaries.length);
  await attempt('node', async () => (await readNode(index, folder, 'aa', '1')).node?.node_id);
  await attempt('begin', () => begin(index, folder, 'bb'));
  const removal = { cache_dir: folder, summaries: [], collections: [] };
  await attempt('remove', () => index.call('remove_summaries', removal));
}
await index.close();
