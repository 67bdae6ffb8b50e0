import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Take } from '../../../actors/search/takes/contract.ts';
import { analyze } from '../../../cli/commands/analyze.ts';
import { exporting } from '../../../cli/commands/export.ts';
import { protocolOutput } from '../../../cli/commands/mcp.ts';
import { models } from '../../../cli/commands/models.ts';
import { search } from '../../../cli/commands/search.ts';
import { takeLines, takes } from '../../../cli/commands/takes.ts';
import { tasks } from '../../../cli/commands/tasks.ts';
import { thumbnails } from '../../../cli/commands/thumbnails.ts';
import { transcribe } from '../../../cli/commands/transcribe.ts';
import { transcript } from '../../../cli/commands/transcript.ts';
import { type Command, type Context, usageErrors } from '../../../cli/context.ts';
import { fakeHome } from '../fake-context.ts';

const table: [string, Command, string[][]][] = [
  [
    'search',
    search,
    [
      [],
      [' '],
      ['--frame', 'x.mp4'],
      ['--image', 'a.jpg', '--frame', 'x.mp4@1'],
      ['--image', 'a.jpg', '--exclude', 'sea'],
      ['x', '--max', '0'],
      ['x', '--max', '1.5'],
      ['x', '--text-weight=-1'],
    ],
  ],
  [
    'transcribe',
    transcribe,
    [
      [],
      ['a', '--language', 'klingon'],
      ['a', '--channels', '0'],
      ['a', '--channels', '1,x'],
      ['a', '--speakers', '5'],
      ['a', '--speakers', 'some'],
      ['a', '--with', 'magic'],
    ],
  ],
  ['export timeline', (args, context) => exporting(['timeline', ...args], context), [[], ['a', 'b']]],
  [
    'transcript',
    transcript,
    [[], ['find'], ['toString'], ['search'], ['show'], ['export', 'a'], ['name', 'a']],
  ],
  ['export transcript', (args, context) => exporting(['transcript', ...args], context), [[], ['a.mp4']]],
  ['models', models, [['toString', 'x'], ['constructor', 'x'], ['pull']]],
  ['tasks', tasks, [['show'], ['show', 'a', 'b'], ['resume'], ['cancel', 'a', 'b'], ['constructor']]],
  [
    'thumbnails',
    thumbnails,
    [
      [],
      ['a.mp4'],
      ['a.mp4', 'b.mp4', '--at', '1'],
      ['a.mp4', '--at', '1', '--scene', '1-2'],
      ['a.mp4', '--at=-1'],
      ['a.mp4', '--at', '1', '--max-size', '10'],
      ['a.mp4', '--scene', '9'],
    ],
  ],
];

for (const [name, command, wrong] of table) {
  test(`${name}: what cannot be meant is a usage error before an engine is started`, async (t) => {
    const { run } = fakeHome(t);
    for (const args of wrong) {
      await assert.rejects(run(command, ...args), usageErrors.USAGE.is, args.join(' '));
    }
    const unknown = { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' };
    await assert.rejects(run(command, 'a', '--no-such-flag'), unknown);
  });
}

test('export names its actions to whoever asks for another', async (t) => {
  const { run } = fakeHome(t);
  for (const args of [[], ['find'], ['toString']]) {
    await assert.rejects(run(exporting, ...args), usageErrors.USAGE.is, args.join(' '));
  }
});

const context = { values: { decoders: 1, home: '/nowhere' } } as unknown as Context;

test('an option that says how to summarise wants --summary, and a preset that there is', async () => {
  const run = async (...args: string[]) => analyze(args, context);
  await assert.rejects(
    run('film.mp4', '--collection', 'Days'),
    /--collection can only be used with --summary/,
  );
  await assert.rejects(
    run('film.mp4', '--summary', '--summary-preset', 'poem'),
    /one of general_understanding, .*not poem/,
  );
});

test('only the protocol reaches standard output; what anybody else prints there goes to standard error', async () => {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const output = protocolOutput(out as never, err as never);
  out.write('a package says hello\n');
  output.write('{"jsonrpc":"2.0"}\n');
  output.end();
  await once(output, 'finish');
  assert.equal(String(out.read()), '{"jsonrpc":"2.0"}\n');
  assert.equal(String(err.read()), 'a package says hello\n');
});

test('a reader that has gone is an error of the output, not of the process', async () => {
  const broken = new PassThrough();
  broken.write = ((_chunk: unknown, _encoding: unknown, done: (error: Error) => void) => {
    done(new Error('EPIPE'));
    return false;
  }) as never;
  const output = protocolOutput(broken as never, new PassThrough() as never);
  const failed = once(output, 'error');
  output.write('x');
  assert.match(String((await failed)[0]), /EPIPE/);
});

const part = (media_path: string, start_seconds: number, end_seconds: number) => ({
  ...{ hash_str: 'aa', media_path, start_seconds, end_seconds },
});
const take: Take = {
  asked: part('/a.mp4', 61, 71),
  found: part('/b.mp4', 0, 10),
  offset_seconds: -61,
  mirrored: false,
  agreeing_frames: 9,
  certainty: 'strong',
};

test('a file is named once, with where each of its shots is found', () => {
  const other: Take = { ...take, found: part('/c\n.mp4', 5, 15), mirrored: true, certainty: 'likely' };
  assert.equal(
    takeLines([take, other, { ...take, asked: part('/d.mp4', 0, 10) }]),
    [
      '/a.mp4',
      '  00:01:01–00:01:11  00:00:00–00:00:10 of /b.mp4  (strong, 9 s agree)',
      '  00:01:01–00:01:11  00:00:05–00:00:15 of /c\\x0a.mp4  (likely, mirrored, 9 s agree)',
      '/d.mp4',
      '  00:00:00–00:00:10  00:00:00–00:00:10 of /b.mp4  (strong, 9 s agree)',
      '',
    ].join('\n'),
  );
  assert.equal(takeLines([take], '/a.mp4').split('\n').length, 2);
});

test('more than one file is refused before anything starts', async (t) => {
  await assert.rejects(fakeHome(t).run(takes, 'a.mp4', 'b.mp4'), usageErrors.USAGE.is);
});
