import assert from 'node:assert/strict';
import test from 'node:test';
import type { Take } from '../../../actors/search/takes/contract.ts';
import { takeLines, takes } from '../../../cli/commands/takes.ts';
import { usageErrors } from '../../../cli/context.ts';
import { fakeHome } from '../fake-context.ts';

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
