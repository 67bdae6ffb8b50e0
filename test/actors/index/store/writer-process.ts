// A process that writes an analysis folder until it ends or is ended. It says on standard output what was
// committed.
//   node writer-process.ts FOLDER endless            stores file after file
//   node writer-process.ts FOLDER die-at N           ends itself, as by kill -9, at the Nth write or flush
//   node writer-process.ts FOLDER hold               begins a stage, then waits for its standard input to end
//   node writer-process.ts FOLDER probe              tries to read and to write, and says what happened
import { writeSync } from 'node:fs';
import { disk, type StoreDisk } from '../../../../actors/index/store/disk.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { toFields } from '../../../../runtime/errors.ts';
import { footage, framesUpTo, mediaRecord, preview } from '../footage.ts';

const [folder, command, number] = process.argv.slice(2) as [string, string, string | undefined];
const d = 16;
const say = (line: string) => writeSync(1, `${line}\n`);

let left = command === 'die-at' ? Number(number) : Number.POSITIVE_INFINITY;
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

function storeOne(store: Store, name: number): void {
  const hash = name.toString(16);
  const frames = 20 + (name % 7);
  const stage = store.begin(hash, 'model', d);
  const vectors = footage(frames, d, 5, 0.1, name);
  for (let frame = 0; frame < frames; frame += 10) {
    const end = Math.min(frames, frame + 10);
    const own = framesUpTo(end - frame, frame);
    store.append(stage, {
      frames: own,
      vectors: vectors.slice(frame * d, end * d),
      previews: own.map((one) => preview(one)),
    });
  }
  store.commit(stage, mediaRecord(hash));
  say(`committed ${hash}`);
}

function attempt(what: string, run: () => unknown): void {
  try {
    say(`${what} ${JSON.stringify(run())}`);
  } catch (error) {
    const { code, message } = toFields(error);
    say(`${what} ${code} ${message}`);
  }
}

const store = new Store(folder, { on: counting });
if (command === 'endless' || command === 'die-at') {
  for (let name = 1; ; name++) storeOne(store, name);
} else if (command === 'hold') {
  storeOne(store, 1);
  store.append(store.begin('2', 'model', d), {
    frames: [0],
    vectors: footage(1, d, 1, 0, 2),
    previews: [preview(0)],
  });
  say('holding');
  for await (const _ of process.stdin);
  await store.close();
} else {
  attempt('read', () => store.visual.stored('model', ['1', '2']));
  attempt('vector', () => store.visual.vector('model', '1', 3)?.length);
  attempt('previews', () => store.previews('1', [3])[0]?.length);
  attempt('write', () => store.begin('3', 'model', d).hash);
  await store.close();
}
