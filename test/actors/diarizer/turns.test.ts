import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type Piece, PieceCutter } from '../../../actors/diarizer/pieces.ts';
import { namedTurns, speakersOfSpans, turnsOfChannel } from '../../../actors/diarizer/turns.ts';

const rate = 16_000;
const options = { window: 24_000, hop: 8000, least: 6400 };

/** Stretches of speech with pauses between them, in thousands of samples. */
const speech = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 90 })), { maxLength: 8 })
  .map((parts) => {
    let at = 0;
    return parts.map(([pause, length]): [number, number] => {
      const from = at + pause * 1000;
      at = from + length * 1000;
      return [from, at];
    });
  });

function cutAtOnce(regions: readonly (readonly [number, number])[]): Piece[] {
  const cutter = new PieceCutter(options);
  const all = regions.map(([from, to]): [number, number] => [from, to]);
  return [...cutter.add(all, Number.MAX_SAFE_INTEGER), ...cutter.end()];
}

test('windows are the same however speech becomes known, and never ask for what was forgotten', () => {
  fc.assert(
    fc.property(speech, fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 30 }), (regions, steps) => {
      const cutter = new PieceCutter(options);
      const pieces: Piece[] = [];
      const end = (regions.at(-1)?.[1] ?? 0) + 1000;
      let told = 0;
      let needed = 0;
      for (const step of [...steps, 10_000]) {
        const settled = Math.min(end, told + step * 1000);
        const known = regions.flatMap(([from, to]): [number, number][] => {
          const part: [number, number] = [Math.max(from, told), Math.min(to, settled)];
          return part[1] > part[0] ? [part] : [];
        });
        const found = cutter.add(known, settled);
        for (const { from } of found) assert.ok(from >= needed);
        pieces.push(...found);
        told = settled;
        needed = cutter.needed(settled);
      }
      const last = cutter.end();
      for (const { from } of last) assert.ok(from >= needed);
      assert.deepEqual([...pieces, ...last], cutAtOnce(regions));
      assert.deepEqual(
        cutter.regions,
        regions.map(([from, to]) => [from, to]),
      );
    }),
  );
});

test('windows lie inside their stretch and leave hardly anything of it out', () => {
  fc.assert(
    fc.property(speech, (regions) => {
      const pieces = cutAtOnce(regions);
      regions.forEach(([from, to], region) => {
        const own = pieces.filter((piece) => piece.region === region);
        if (to - from < options.least) {
          assert.equal(own.length, 0);
          return;
        }
        assert.equal(own[0]!.from, from);
        assert.ok(to - own.at(-1)!.to < options.hop / 4);
        own.forEach((piece, at) => {
          assert.ok(piece.from >= from && piece.to <= to);
          if (at > 0) assert.ok(piece.from - own[at - 1]!.from <= options.hop);
        });
      });
    }),
  );
});

test('all speech is given to voices, once', () => {
  fc.assert(
    fc.property(speech, fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 1 }), (regions, voices) => {
      const pieces = cutAtOnce(regions);
      const labels = pieces.map((_, at) => voices[at % voices.length]!);
      const turns = turnsOfChannel({ regions, pieces, labels });
      if (!labels.some((label) => label >= 0)) return assert.deepEqual(turns, []);
      const given = turns.reduce((sum, { start, end }) => sum + end - start, 0);
      const spoken = regions.reduce((sum, [from, to]) => sum + (to - from) / rate, 0);
      assert.ok(Math.abs(given - spoken) < 1e-6);
      turns.forEach(({ start, voice }, at) => {
        assert.ok(voice >= 0);
        if (at > 0) assert.ok(start >= turns[at - 1]!.end - 1e-9);
      });
    }),
  );
});

test('voices are numbered as they appear, and what one says in two channels at once is one turn', () => {
  const turns = [
    { start: 5, end: 6, voice: 0 },
    { start: 1, end: 3, voice: 7 },
    { start: 2, end: 4, voice: 7 },
    { start: 2, end: 2.5, voice: 3 },
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
    voice: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 10 },
);

test('a span gets who speaks most in it, else who is nearest', () => {
  const spans = fc.array(fc.tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 0, max: 15 })), {
    maxLength: 10,
  });
  fc.assert(
    fc.property(someTurns, spans, (said, wanted) => {
      const turns = namedTurns(
        said.map(({ start, length, voice }) => ({ start, end: start + length, voice })),
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
