// A thread that helps with long passes: see scan-threads.ts. It never turns its event loop.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Cells, type HitSink, type Pass, passCells } from './cells.ts';
import {
  hitWords,
  nextWord,
  progressWord,
  ringHits,
  type ScanThreadData,
  states,
  type ToScanThread,
  wordsOf,
} from './scan-threads.ts';

const { layout, thread, control, ring } = workerData as ScanThreadData;
const cells = new Cells(layout, thread);
const words = new Int32Array(control);
const { state, taken, written } = wordsOf(thread);
const [hits, scores] = [new Int32Array(ring), new Float32Array(ring)];

/** Hits of this pass. */
let hitCount = 0;
const hit: HitSink = (question, row, score) => {
  // The ring is full: what is in it is handed over, and there is room once the index took some of it.
  for (let before = takenHits(); hitCount - before >= ringHits; before = takenHits()) {
    tell();
    Atomics.wait(words, taken, before);
  }
  const word = (hitCount++ % ringHits) * hitWords;
  hits[word] = question;
  hits[word + 1] = row;
  scores[word + 2] = score;
};

function takenHits(): number {
  return Atomics.load(words, taken);
}

/** Lets the index see what was found. */
function tell(): void {
  Atomics.store(words, written, hitCount);
  progress();
}

function progress(): void {
  Atomics.add(words, progressWord, 1);
  Atomics.notify(words, progressWord);
}

/** The last pass that was told; memories are those of new rows. */
function read(): Pass {
  let pass: Pass | undefined;
  for (let next = receiveMessageOnPort(parentPort!); next; next = receiveMessageOnPort(parentPort!)) {
    const message = next.message as ToScanThread;
    if ('memory' in message) cells.addSegment(message.memory);
    else pass = message.pass;
  }
  return pass!;
}

function work(pass: Pass): void {
  cells.begin(pass);
  hitCount = 0;
  const end = passCells(pass);
  for (let cell = Atomics.add(words, nextWord, 1); cell < end; cell = Atomics.add(words, nextWord, 1)) {
    const before = hitCount;
    cells.scan(pass.firstCell + cell, hit);
    if (hitCount > before) tell();
  }
}

/** Unless it is to end by now. */
function set(from: number, to: number): void {
  Atomics.compareExchange(words, state, from, to);
  progress();
}

set(states.starting, states.waiting);
try {
  for (;;) {
    // A call that woke it for the pass before may come when that is done.
    while (Atomics.wait(words, state, states.waiting) === 'ok');
    if (Atomics.load(words, state) === states.ending) break;
    work(read());
    set(states.working, states.waiting);
  }
} catch (error) {
  set(states.working, states.failed);
  throw error;
}
