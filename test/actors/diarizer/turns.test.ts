import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  namedTurns,
  type Subsegment,
  Subsegmenter,
  speakersOfSpans,
  turnsOfChannel,
} from '../../../actors/diarizer/turns.ts';
import { options, speech, subsegmentsOf } from './speech-regions.ts';

const rate = 16_000;

test('all speech is given to speakers, once', () => {
  fc.assert(
    fc.property(speech, fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 1 }), (regions, speakers) => {
      const subsegments = subsegmentsOf(regions);
      const labels = subsegments.map((_, at) => speakers[at % speakers.length]!);
      const turns = turnsOfChannel({ regions, subsegments, labels });
      if (!labels.some((label) => label >= 0)) return assert.deepEqual(turns, []);
      const given = turns.reduce((sum, { start, end }) => sum + end - start, 0);
      const spoken = regions.reduce((sum, [from, to]) => sum + (to - from) / rate, 0);
      assert.ok(Math.abs(given - spoken) < 1e-6);
      turns.forEach(({ start, label }, at) => {
        assert.ok(label >= 0);
        if (at > 0) assert.ok(start >= turns[at - 1]!.end - 1e-9);
      });
    }),
  );
});

test('speakers are numbered as they appear, and overlapping turns of one speaker are one turn', () => {
  const turns = [
    { start: 5, end: 6, label: 0 },
    { start: 1, end: 3, label: 7 },
    { start: 2, end: 4, label: 7 },
    { start: 2, end: 2.5, label: 3 },
  ];
  assert.deepEqual(namedTurns(turns), [
    { start_seconds: 1, end_seconds: 4, speaker: 'SPEAKER_00' },
    { start_seconds: 2, end_seconds: 2.5, speaker: 'SPEAKER_01' },
    { start_seconds: 5, end_seconds: 6, speaker: 'SPEAKER_02' },
  ]);
});

const someTurns = fc.array(
  fc.record({
    start: fc.integer({ min: 0, max: 50 }),
    length: fc.integer({ min: 1, max: 20 }),
    label: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 10 },
);

test('a span gets the speaker who overlaps it most, else the nearest one', () => {
  const spans = fc.array(fc.tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 0, max: 15 })), {
    maxLength: 10,
  });
  fc.assert(
    fc.property(someTurns, spans, (said, wanted) => {
      const turns = namedTurns(
        said.map(({ start, length, label }) => ({ start, end: start + length, label })),
      );
      const asked = wanted.map(([start, length]): [number, number] => [start, start + length]);
      speakersOfSpans(turns, asked).forEach((speaker, at) => {
        const [start, end] = asked[at]!;
        if (turns.length === 0) {
          assert.equal(speaker, null);
          return;
        }
        const seconds = new Map<string, number>();
        const away = new Map<string, number>();
        for (const turn of turns) {
          const shared = Math.min(end, turn.end_seconds) - Math.max(start, turn.start_seconds);
          seconds.set(turn.speaker, (seconds.get(turn.speaker) ?? 0) + Math.max(0, shared));
          away.set(turn.speaker, Math.min(away.get(turn.speaker) ?? 1e9, Math.max(0, -shared)));
        }
        const most = Math.max(...seconds.values());
        if (most > 0) assert.equal(seconds.get(speaker!), most);
        else assert.equal(away.get(speaker!), Math.min(...away.values()));
      });
    }),
  );
});

test('subsegments do not depend on how speech is detected block by block, and never need dropped samples', () => {
  fc.assert(
    fc.property(speech, fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 30 }), (regions, steps) => {
      const subsegmenter = new Subsegmenter(options);
      const subsegments: Subsegment[] = [];
      const end = (regions.at(-1)?.[1] ?? 0) + 1000;
      let told = 0;
      let needed = 0;
      for (const step of [...steps, 10_000]) {
        const settled = Math.min(end, told + step * 1000);
        const known = regions.flatMap(([from, to]): [number, number][] => {
          const part: [number, number] = [Math.max(from, told), Math.min(to, settled)];
          return part[1] > part[0] ? [part] : [];
        });
        const found = subsegmenter.add(known, settled);
        for (const { from } of found) assert.ok(from >= needed);
        subsegments.push(...found);
        told = settled;
        needed = subsegmenter.needed(settled);
      }
      const last = subsegmenter.end();
      for (const { from } of last) assert.ok(from >= needed);
      assert.deepEqual([...subsegments, ...last], subsegmentsOf(regions));
      assert.deepEqual(
        subsegmenter.regions,
        regions.map(([from, to]) => [from, to]),
      );
    }),
  );
});

test('subsegments lie inside their region and cover nearly all of it', () => {
  fc.assert(
    fc.property(speech, (regions) => {
      const subsegments = subsegmentsOf(regions);
      regions.forEach(([from, to], region) => {
        const own = subsegments.filter((subsegment) => subsegment.region === region);
        if (to - from < options.min) {
          assert.equal(own.length, 0);
          return;
        }
        assert.equal(own[0]!.from, from);
        assert.ok(to - own.at(-1)!.to < options.hop / 4);
        own.forEach((subsegment, at) => {
          assert.ok(subsegment.from >= from && subsegment.to <= to);
          if (at > 0) assert.ok(subsegment.from - own[at - 1]!.from <= options.hop);
        });
      });
    }),
  );
});
