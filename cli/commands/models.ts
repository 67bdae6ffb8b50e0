// `framehound models list|pull|remove|verify`: which models there are and which are on this machine.
import { parseArgs } from 'node:util';
import type { PullProgress } from '../../actors/models/contract.ts';
import { conflate } from '../../runtime/sync/conflate.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, usageErrors } from '../context.ts';
import { bar } from '../terminal.ts';
import { problemText } from './doctor.ts';

export const models: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: commandTable.models.options,
  });
  const [action = 'list', ...keys] = positionals;
  if (action === 'list') return list(context, values.json);
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!run) throw usageErrors.USAGE(`models knows list, pull, remove and verify, not ${action}`);
  if (keys.length === 0)
    throw usageErrors.USAGE(`models ${action} needs the key of a model, see: framehound models list`);
  let code: number = exit.ok;
  for (const key of keys) code = Math.max(code, await run(key, context));
  return code;
};

async function list(context: Context, json: boolean): Promise<number> {
  const { out, screen } = context;
  const { models: library } = await context.installation();
  const { models: rows, problems } = await library.list();
  if (json) out(`${JSON.stringify(rows)}\n`);
  else {
    for (const { row, builtIn, downloaded, supported } of rows) {
      const state = builtIn
        ? 'built in'
        : downloaded
          ? 'downloaded'
          : supported
            ? 'not downloaded'
            : 'not for this system';
      out(
        `${row.key.padEnd(28)} ${row.kind.padEnd(8)} ${state.padEnd(20)} ${sizeText(row.size_gb).padStart(8)}  ${row.license}\n`,
      );
    }
  }
  for (const problem of problems) screen.write(`✗ ${problemText(problem)}\n`);
  return problems.length > 0 ? exit.error : exit.ok;
}

function sizeText(gigabytes: number): string {
  if (gigabytes === 0) return '';
  return gigabytes < 0.1 ? `${Math.ceil(1000 * gigabytes)} MB` : `${gigabytes.toFixed(2)} GB`;
}

async function pull(key: string, context: Context): Promise<number> {
  const { values, screen, signal, clock, out } = context;
  const drawing = conflate<string, PullProgress>(clock, 100, (progress) => draw(progress, context));
  const options = {
    baseUrl: values.models_url,
    signal,
    clock,
    progress: (p: PullProgress) => drawing.put('bar', p),
  };
  const { models: library } = await context.installation();
  const { files, folder } = await library.pull(key, options).finally(() => {
    drawing.flush();
    if (screen.isTerminal) screen.write('\n');
  });
  for (const { name, size, fetched, verified } of files) {
    const how = verified === 'pin' ? 'as pinned' : 'as announced by the server';
    out(`${fetched ? 'pulled' : 'there already'}: ${name}, ${size} bytes, sha256 ${how}\n`);
  }
  out(`${key} is in ${folder}\n`);
  return exit.ok;
}

function draw({ file, index, count, received, total }: PullProgress, { screen }: Context): void {
  if (!screen.isTerminal) return;
  const share = total ? received / total : 0;
  const megabytes = `${(received / 1e6).toFixed(1)}${total ? `/${(total / 1e6).toFixed(1)}` : ''} MB`;
  screen.write(`\r\x1b[K  ${index + 1}/${count} ${file} ${bar(share, 24)} ${megabytes}`);
}

async function remove(key: string, { installation, out }: Context): Promise<number> {
  const { models: library } = await installation();
  const { removed, kept } = await library.remove(key);
  out(
    `${key}: ${removed.length} files removed${kept.length > 0 ? `, kept because they are your own: ${kept.join(', ')}` : ''}\n`,
  );
  return exit.ok;
}

async function verify(key: string, { installation, out, signal }: Context): Promise<number> {
  const { models: library } = await installation();
  const { ok, files } = await library.verify(key, signal);
  for (const { name, state, sha256, expectedSha256 } of files) {
    const difference = state === 'wrong sha256' ? ` (is ${sha256}, should be ${expectedSha256})` : '';
    out(`${name}: ${state}${difference}\n`);
  }
  out(`${key}: ${ok ? 'ok' : `not as it should be; mend it with: framehound models pull ${key}`}\n`);
  return ok ? exit.ok : exit.error;
}

const actions: Readonly<Record<string, (key: string, context: Context) => Promise<number>>> = {
  pull,
  remove,
  verify,
};
