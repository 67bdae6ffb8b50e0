import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { FileEnd, SeenFile } from '../../../actors/watcher/contract.ts';
import { draws } from '../../shared.ts';
import { type FakeFile, fakeDisk } from './fake-disk.ts';
import { settled, start } from './start.ts';

const name = fc.constantFrom('a.mp4', 'b.mp4', 'c.mp4');
const end = fc.constantFrom<FileEnd>('analyzed', 'failed', 'filtered', 'returned');
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), name, size: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lock' as const), name, locked: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('poll' as const), wait: fc.constantFrom(0, settled) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const), pick: fc.nat(9), end }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('plan' as const) }) },
);

/** What is known of a file, written down as plainly as possible. */
interface Known {
  mark: string;
  /** When the poll was that saw this mark first. */
  since: number;
  state: 'unsettled' | 'empty' | 'ready' | 'taken' | 'unreadable' | Exclude<FileEnd, 'returned'>;
}

class Reference {
  readonly files = new Map<string, FakeFile>();
  known = new Map<string, Known>();
  readonly done = new Map<string, Known>();
  /** Names that the last poll left ready. */
  named = new Set<string>();

  poll(now: number): void {
    this.named.clear();
    for (const gone of [...this.known.keys()].filter((one) => !this.files.has(one))) this.known.delete(gone);
    for (const [one, file] of this.files) {
      const mark = markOf(file);
      const known = this.known.get(one);
      if (known?.mark !== mark) this.known.set(one, { mark, since: now, state: 'unsettled' });
      else if (known.state === 'unsettled' && now - known.since >= 4000)
        known.state = file.size === 0n ? 'empty' : 'ready';
      else if (known.state === 'unreadable' && file.locked === null) known.state = 'ready';
      if (this.known.get(one)!.state === 'ready') this.named.add(one);
    }
  }

  /** What of the ready files may be given out. */
  take(one: string): boolean {
    const known = this.known.get(one)!;
    const file = this.files.get(one);
    this.named.delete(one);
    // Its end may have been told since.
    if (known.state !== 'ready') return false;
    if (!file || file.locked !== null) known.state = 'unreadable';
    else known.state = markOf(file) === known.mark ? 'taken' : 'unsettled';
    return known.state === 'taken';
  }

  settle(one: string, mark: string, how: FileEnd): void {
    const isNew = !this.known.has(one) && how !== 'returned';
    if (isNew) this.known.set(one, { mark, since: 0, state: 'taken' });
    const known = this.known.get(one);
    if (!known || known.mark !== mark || (how === 'returned' && known.state !== 'taken')) return;
    known.state = how === 'returned' ? 'ready' : how;
    if (how === 'returned') this.named.add(one);
    else this.done.set(one, { ...known });
  }

  restart(): void {
    this.known = new Map([...this.done].map(([one, known]) => [one, { ...known }]));
    this.named.clear();
  }

  plan(): void {
    this.done.clear();
    for (const [one, known] of this.known) {
      if (!['taken', 'analyzed', 'failed', 'filtered'].includes(known.state)) continue;
      known.state = 'ready';
      this.named.add(one);
    }
  }

  counts() {
    const of = (state: string) => [...this.known.values()].filter((known) => known.state === state).length;
    const [analyzed, failed, filtered] = [of('analyzed'), of('failed'), of('filtered')];
    const files = this.known.size;
    return { files, pending: files - analyzed - failed - filtered, analyzed, failed, filtered };
  }
}

function markOf({ size, mtimeNs }: FakeFile): string {
  return `${size}-${mtimeNs}/${mtimeNs}`;
}

test('after any history, counts and files that may be taken are those of a plain reference', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 30, maxLength: 90, size: 'max' }), async (actions) => {
      const ends: (() => unknown)[] = [];
      const own = { after: (run: () => unknown) => void ends.push(run) } as Parameters<typeof start>[0];
      try {
        await compare(actions, own);
      } finally {
        for (const run of ends.reverse()) await run();
      }
    }),
    { numRuns: draws(150) },
  );
});

async function compare(
  actions: readonly (typeof action extends fc.Arbitrary<infer A> ? A : never)[],
  t: Parameters<typeof start>[0],
): Promise<void> {
  const reference = new Reference();
  let plan = 0;
  let [now, writes] = [0, 0n];
  let taken: SeenFile[] = [];
  const settings = { disk: fakeDisk('/films', reference.files) };
  let at = await start(t, settings);
  const open = () => at.open({ work: `plan ${plan}` }, '/films');
  await open();
  for (const one of actions) {
    const file = 'name' in one ? reference.files.get(one.name) : undefined;
    if (one.do === 'write') {
      // Times beyond what a number holds exactly.
      writes += 1n;
      const mtimeNs = 1_700_000_000_000_000_000n + writes;
      reference.files.set(one.name, { size: BigInt(one.size), mtimeNs, locked: file?.locked ?? null });
    } else if (one.do === 'remove') reference.files.delete(one.name);
    else if (one.do === 'lock') {
      if (file) file.locked = one.locked ? 'EBUSY' : null;
    } else if (one.do === 'poll') {
      at.clock.advance(one.wait);
      now += one.wait;
      reference.poll(now);
      const { counts, ready, unsettled } = await at.poll();
      assert.deepEqual(counts, reference.counts());
      assert.equal(ready, reference.named.size);
      assert.equal(
        unsettled,
        [...reference.known.values()].filter(({ state }) => state === 'unsettled').length,
      );
    } else if (one.do === 'take') {
      const files = await at.take();
      const given = [...reference.named].filter((other) => reference.take(other));
      assert.deepEqual(files.map(({ path }) => path.slice(7)).sort(), given.sort());
      for (const { path, mark } of files) assert.equal(mark, markOf(reference.files.get(path.slice(7))!));
      taken.push(...files);
    } else if (one.do === 'settle' && taken.length > 0) {
      const picked = taken[one.pick % taken.length]!;
      reference.settle(picked.path.slice(7), picked.mark, one.end);
      assert.deepEqual(await at.settle([picked], one.end), reference.counts());
    } else if (one.do === 'restart') {
      reference.restart();
      taken = [];
      at = await start(t, settings, at);
      at.clock.advance(now);
      assert.deepEqual(await open(), reference.counts());
    } else if (one.do === 'plan') {
      plan += 1;
      reference.plan();
      assert.deepEqual(await open(), reference.counts());
    }
  }
}
