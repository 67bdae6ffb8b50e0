import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type FileState, fileState } from '../../../actors/watcher/file-state.ts';
import { FileTable } from '../../../actors/watcher/file-table.ts';
import type { Hash64 } from '../../../actors/watcher/hash.ts';

interface Known {
  mark: number;
  state: FileState;
  seen: number;
  marked: number;
}

const states = Object.values(fileState);
/** Few low halves, so that searches meet each other and go marked the end. */
const key = fc.record({ high: fc.integer({ min: 0, max: 3 }), low: fc.constantFrom(0, 1, 62, 63, -1, 64) });
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), key, mark: fc.nat(3) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('state' as const), key, state: fc.constantFrom(...states) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('see' as const), key, generation: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const), generation: fc.nat(2) }) },
);

const markOf = (mark: number): Hash64 => ({ high: mark, low: -mark });
const nameOf = ({ high, low }: Hash64) => `${high}:${low}`;

function compare(table: FileTable, model: ReadonlyMap<string, Known>): void {
  const found = [...table.entries()].map(({ path, mark, state, slot }) => {
    assert.equal(table.slotOf(path), slot);
    assert.ok(table.hasMark(slot, mark));
    return [nameOf(path), `${mark.high} ${state} ${table.markedIn(slot)}`];
  });
  const expected = [...model].map(([name, { mark, state, marked }]) => [name, `${mark} ${state} ${marked}`]);
  assert.deepEqual(found.sort(), expected.sort());
  assert.equal(table.size, model.size);
  for (const state of states) {
    assert.equal(table.count(state), [...model.values()].filter((known) => known.state === state).length);
  }
}

test('a table is a map from paths to marks and states', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const table = new FileTable();
      const model = new Map<string, Known>();
      for (const one of actions) {
        if (one.do === 'sweep') {
          const gone = [...model].filter(([, { seen }]) => seen !== one.generation);
          for (const [name] of gone) model.delete(name);
          assert.equal(table.sweep(one.generation), gone.length);
          continue;
        }
        const slot = table.slotOf(one.key);
        const known = model.get(nameOf(one.key));
        assert.equal(slot >= 0, known !== undefined);
        if (one.do === 'put' && !known) {
          const added = table.add(one.key, markOf(one.mark), fileState.unsettled);
          table.setMarkedIn(added, one.mark + 7);
          const state = fileState.unsettled;
          model.set(nameOf(one.key), { mark: one.mark, state, seen: 0, marked: one.mark + 7 });
        } else if (one.do === 'put' && known) {
          assert.equal(table.hasMark(slot, markOf(one.mark)), known.mark === one.mark);
          table.setMark(slot, markOf(one.mark));
          known.mark = one.mark;
        } else if (one.do === 'state' && known) {
          table.setState(slot, one.state);
          known.state = one.state;
        } else if (one.do === 'see' && known) {
          table.see(slot, one.generation);
          known.seen = one.generation;
        }
      }
      compare(table, model);
    }),
    { numRuns: 500 },
  );
});

test('a table grows and shrinks with its files', () => {
  const table = new FileTable();
  const count = 20_000;
  const path = (i: number): Hash64 => ({ high: i, low: Math.imul(i, 0x9e3779b1) });
  for (let i = 0; i < count; i++) {
    const slot = table.add(path(i), markOf(i), fileState.unsettled);
    table.see(slot, i % 100 === 0 ? 2 : 1);
  }
  const full = table.bytes;
  for (let i = 0; i < count; i++) assert.ok(table.hasMark(table.slotOf(path(i)), markOf(i)));
  assert.equal(table.sweep(2), count - count / 100);
  for (let i = 0; i < count; i++) assert.equal(table.slotOf(path(i)) >= 0, i % 100 === 0, String(i));
  assert.ok(table.bytes < full / 20, `${table.bytes} of ${full}`);
  assert.equal(table.sweep(3), count / 100);
  assert.equal(table.size, 0);
});

test('a million files take at most 48 bytes each', () => {
  const table = new FileTable();
  for (let i = 0; i < 1_000_000; i++) {
    table.add({ high: i, low: Math.imul(i, 0x9e3779b1) }, { high: 1, low: i }, fileState.analyzed);
  }
  assert.ok(table.bytes / table.size <= 48, String(table.bytes / table.size));
});
