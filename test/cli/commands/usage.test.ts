import assert from 'node:assert/strict';
import test from 'node:test';
import { exporting } from '../../../cli/commands/export.ts';
import { models } from '../../../cli/commands/models.ts';
import { search } from '../../../cli/commands/search.ts';
import { tasks } from '../../../cli/commands/tasks.ts';
import { thumbnails } from '../../../cli/commands/thumbnails.ts';
import { transcribe } from '../../../cli/commands/transcribe.ts';
import { transcript } from '../../../cli/commands/transcript.ts';
import { type Command, usageErrors } from '../../../cli/context.ts';
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
