import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type Subsegment, Subsegmenter } from '../../../actors/diarizer/turns.ts';
import { options, speech, subsegmentsOf } from './speech-regions.ts';

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
