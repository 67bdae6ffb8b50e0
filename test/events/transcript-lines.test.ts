import assert from 'node:assert/strict';
import test from 'node:test';
import { written } from '../../events/commands/transcript-lines.ts';

type Segment = [number, string, number, string];
const path = '/films/talk.mp4';
const segment = (at: number, text: string): Segment => [at, text, at + 1, path];

test('who speaks stands before what is said, also where it is not known of every segment', () => {
  const segments = [segment(0, ' Where are we?'), segment(61, ' In Berlin.'), segment(3600, ' Sure?')];
  const speakers = {
    ANNA: { segment_indices: [1] },
    SPEAKER_00: { segment_indices: [2], display_name: 'Bo' },
  };
  const transcription_data = { [path]: { segments, hash_str: 'aa-1', speakers } };
  assert.equal(
    written(path, { transcriptions: { [path]: segments }, transcription_data }, false),
    '00:00:00        Where are we?\n00:01:01  ANNA  In Berlin.\n01:00:00  Bo    Sure?\n',
  );
  assert.equal(
    written(path, { transcriptions: { [path]: segments.slice(0, 1) }, transcription_data: {} }, true),
    `${path}\n00:00:00  Where are we?\n\n`,
  );
});

test('a transcript of many segments is written, an empty one says so, a missing one is nothing', () => {
  const many = Array.from({ length: 200_000 }, (_, i) => segment(i, ' yes'));
  const speakers = { SPEAKER_00: { segment_indices: many.map((_, i) => i) } };
  const transcription_data = { [path]: { segments: many, hash_str: 'aa-1', speakers } };
  const text = written(path, { transcriptions: { [path]: many }, transcription_data }, false);
  assert.equal(text.split('\n').length, many.length + 1);
  const empty = { transcriptions: { [path]: [] }, transcription_data: {} };
  assert.equal(written(path, empty, false), '  nobody speaks\n');
  assert.equal(written('/films/other.mp4', empty, false), '');
});
