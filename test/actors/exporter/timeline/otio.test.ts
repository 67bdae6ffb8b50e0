import assert from 'node:assert/strict';
import test from 'node:test';
import { otio } from '../../../../actors/exporter/timeline/otio.ts';
import { cut } from './cut.ts';
import { matchesGolden } from './golden.ts';

test('a cut is the OpenTimelineIO that was read by hand', () => {
  matchesGolden('cut.otio', otio(cut({ start_timecode: '01:00:00;00' }).timeline));
});

interface Child {
  readonly OTIO_SCHEMA: string;
  readonly source_range: { readonly duration: { readonly value: number; readonly rate: number } };
}

test('clips and gaps of a track add up to where its last clip ends, in frames of the sequence', () => {
  const { timeline } = cut();
  const { tracks } = JSON.parse(otio(timeline)) as {
    tracks: { children: { kind: string; children: Child[] }[] };
  };
  const ends = [...timeline.video, ...timeline.audio].map(({ clips }) => clips.at(-1)!.end);
  for (const [i, { children }] of tracks.children.entries()) {
    for (const { source_range } of children) assert.equal(source_range.duration.rate, 30_000 / 1001);
    assert.equal(
      children.reduce((sum, { source_range }) => sum + source_range.duration.value, 0),
      ends[i],
    );
  }
});
