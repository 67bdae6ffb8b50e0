// A process that changes people in an analysis folder until it is ended, and says on standard output what is
// done.
//   node changing-process.ts FOLDER FROM TO MOMENT
// It ends itself, as by kill -9, at a moment: they are counted before, in the middle of and behind writes and
// flushes.
import { writeSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { disk, type StoreDisk } from '../../../../actors/index/store/disk.ts';
import { indexActor } from '../handlers.ts';
import { Ids, makeChange } from './changes.ts';

const [folder, from, to, moment] = process.argv.slice(2) as [string, string, string, string];
let left = Number(moment);
function pass(): void {
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
}
const mortal: StoreDisk = {
  write: (fd, bytes, position) => {
    // Half of a write reaches the file.
    if (left === 1) disk.write(fd, bytes.subarray(0, bytes.length >> 1), position);
    pass();
    const written = disk.write(fd, bytes, position);
    pass();
    return written;
  },
  flush: (fd) => {
    pass();
    disk.flush(fd);
    pass();
  },
};

const ids = new Ids();
// It is closed below.
const owner = { after: () => {} } as unknown as TestContext;
const index = await indexActor(owner, { newId: ids.next, on: mortal });
for (let change = Number(from); change < Number(to); change++) {
  await makeChange(index, folder, ids, change);
  writeSync(1, `${change}\n`);
}
await index.close();
