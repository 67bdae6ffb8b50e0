// A process that stores and clusters the faces of one content after the other, and ends itself, as by kill
// -9, at the Nth write or flush. It says on standard output what was committed.
//   node faces-process.ts FOLDER N
import { writeSync } from 'node:fs';
import { disk, type StoreDisk } from '../../../../actors/index/store/disk.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { mediaRecord } from '../footage.ts';
import { chunk, d, labelsOf, modelKey } from './faces.ts';

const [folder, number] = process.argv.slice(2) as [string, string];
let left = Number(number);
function count(): void {
  if (--left <= 0) process.kill(process.pid, 'SIGKILL');
}
const counting: StoreDisk = {
  write: (fd, bytes, position) => {
    // Half of a write reaches the file when the process ends in the middle of it.
    if (left === 1) disk.write(fd, bytes.subarray(0, bytes.length >> 1), position);
    count();
    return disk.write(fd, bytes, position);
  },
  flush: (fd) => {
    count();
    disk.flush(fd);
  },
};

const store = new Store(folder, { on: counting });
const cast = [[1, 2], [1], [2, 3]];
for (let name = 10; ; name++) {
  const hash = name.toString(16);
  const writer = store.peopleWriter().faces;
  const stage = writer.begin(hash, modelKey, d);
  for (let frame = 0; frame < cast.length; frame++) writer.append(stage, chunk(hash, cast, frame, frame + 1));
  writer.commit(stage, mediaRecord(hash));
  writeSync(1, `stored ${hash}\n`);
  const request = { name: 'job', model_key: modelKey, hashes: [hash], eps: 0.2, min_samples: 2 };
  const open = store.people.begin(request);
  const { labels, neighbours } = labelsOf(open.vectors(0, open.entries).vectors, 0.2, 2);
  store.people.commit(open, labels, neighbours, 0.2, false);
  open.close();
  writeSync(1, `clustered ${open.entries}\n`);
}
