import assert from 'node:assert/strict';
import test from 'node:test';
import { show } from '../../../cli/commands/search.ts';
import { invocation } from '../../../cli/context.ts';
import { fakeHome } from '../fake-context.ts';

const match = {
  frame_idx: '12',
  timestamp: '00:00:12',
  image: '',
  scene_start_timestamp: '00:00:10',
  scene_end_timestamp: '00:00:14',
  original_index: 0,
  hash_str: 'h',
  video_path: '/films/a.mp4',
};

test('what the matches are worth is told before them, with commands as they are typed here', async (t) => {
  const own = fakeHome(t).context();
  const warnings = [
    'Weak: only 1 of 2 words',
    'To find those: framehound models pull big, then framehound analyze PATH',
  ];
  await show({ matches: [match], warnings, toast_warning: warnings.join('. ') }, '"x"', own, false);
  const lines = own.said().out.split('\n');
  assert.deepEqual(lines.slice(0, 3), [
    '"x"',
    '  note: Weak: only 1 of 2 words',
    `  note: To find those: ${invocation} models pull big, then ${invocation} analyze PATH`,
  ]);
  assert.match(lines[3]!, /^ {2}1\. 00:00:12/);
});

test('a service of another version answers its remarks as one text', async (t) => {
  const own = fakeHome(t).context();
  await show({ matches: [], toast_warning: 'Not analysed yet: /a' }, '"x"', own, false);
  assert.equal(own.said().out, '"x"\n  note: Not analysed yet: /a\n  nothing was found\n');
});
