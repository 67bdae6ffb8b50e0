// The cost of a message between threads: an ask against a bare MessagePort and against comlink, the items of
// a feed, and a 150 KB picture handed on by slot against a structured clone.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type Endpoint, wrap } from 'comlink';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { createSlotPool } from '../runtime/slots.ts';
import { createSupervisor } from '../runtime/supervisor.ts';
import { startThread } from '../runtime/thread.ts';
import { echoContract, PICTURE_BYTES } from './messages-echo.ts';
import { alternate, median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const ASKS = sized(3_000, 100);
const ITEMS = sized(100_000, 1000);
const PICTURES = sized(2_000, 50);

/** Starts messages-peer.ts, which answers on a bare port and as a comlink object. */
function startPeer() {
  const bare = new MessageChannel();
  const linked = new MessageChannel();
  const worker = new Worker(new URL('./messages-peer.ts', import.meta.url), {
    workerData: { bare: bare.port2, linked: linked.port2 },
    transferList: [bare.port2, linked.port2],
  });
  return { worker, bare: bare.port1, linked: linked.port1 };
}

function askBare(port: MessagePort, message: unknown): Promise<unknown> {
  return new Promise((resolve) => {
    port.once('message', resolve);
    port.postMessage(message);
  });
}

/** Median µs of one round trip. */
async function roundTrip(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < ASKS; i++) {
    const start = performance.now();
    await ask();
    times.push((performance.now() - start) * 1000);
  }
  return median(times);
}

/** Items per second. */
async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (count / (performance.now() - start)) * 1000;
}

/** An engine with one actor in a thread of its own: the one that is measured. */
async function startEcho() {
  const log = createLog('bench', () => {});
  const pool = createSlotPool(8, PICTURE_BYTES);
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  const module = new URL('./messages-echo.ts', import.meta.url);
  const { calls } = echoContract;
  const start = () => startThread({ name: 'echo', module, calls, settings: {}, memory: pool.memory, log });
  const echo = await supervisor.add({ name: 'echo', contract: echoContract, turnLimitMs: 60_000, start });
  return { supervisor, pool, echo };
}

type Echo = Awaited<ReturnType<typeof startEcho>>;

/** µs of a round trip, of ours and of each peer. */
async function measureTrips({ echo }: Echo) {
  const peer = startPeer();
  const remote = wrap<{ add(a: number, b: number): number }>(peer.linked as unknown as Endpoint);
  const trips = await alternate(5, {
    ours: () => roundTrip(() => echo.ask('add', { a: 1, b: 2 })),
    bare: () => roundTrip(() => askBare(peer.bare, { a: 1, b: 2 })),
    comlink: () => roundTrip(() => remote.add(1, 2)),
  });
  peer.bare.close();
  peer.linked.close();
  await new Promise((resolve) => peer.worker.once('exit', resolve));
  return trips;
}

/** Items a second: small ones, pictures by slot, pictures by structured clone. */
function measureFeeds({ echo, pool }: Echo) {
  return alternate(3, {
    feed: () =>
      perSecond(ITEMS, async () => {
        for await (const _ of echo.feed('count', { to: ITEMS }, { credit: 64 }));
      }),
    slots: () =>
      perSecond(PICTURES, async () => {
        for await (const { slot } of echo.feed('pictures', { to: PICTURES }, { credit: 4 })) pool.view(slot);
      }),
    clones: () =>
      perSecond(PICTURES, async () => {
        for await (const _ of echo.feed('clones', { to: PICTURES }, { credit: 4 }));
      }),
  });
}

export const messages: Question = async (say) => {
  const echo = await startEcho();
  say(`${ASKS} round trips a round`);
  const trips = await measureTrips(echo);
  say(`${ITEMS} items of a feed, ${PICTURES} pictures of ${PICTURE_BYTES} bytes`);
  const items = await measureFeeds(echo);
  await echo.supervisor.stop();
  return [
    {
      ...tripRow(trips.ours, 'bare MessagePort', trips.bare),
      goal: { of: 'value', at: 'most', than: 80 },
    },
    tripRow(trips.ours, 'comlink', trips.comlink),
    {
      question: 'messages',
      name: 'feed',
      value: items.feed,
      unit: 'items/s',
      against: null,
      ratio: null,
      goal: { of: 'value', at: 'least', than: 50_000 },
    },
    {
      question: 'messages',
      name: '150 KB picture by slot',
      value: items.slots,
      unit: 'pictures/s',
      against: { name: 'structured clone', value: items.clones },
      ratio: items.slots / items.clones,
      goal: { of: 'ratio', at: 'least', than: 1 },
    },
  ];
};

function tripRow(value: number, name: string, peerValue: number): Row {
  return {
    question: 'messages',
    name: 'ask, round trip',
    value,
    unit: 'µs',
    against: { name, value: peerValue },
    ratio: peerValue / value,
    goal: null,
  };
}
