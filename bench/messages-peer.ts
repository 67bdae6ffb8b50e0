// The peers of bench/messages.ts: the same addition over a bare port and over comlink.
import { type MessagePort, workerData } from 'node:worker_threads';
import { type Endpoint, expose } from 'comlink';

const { bare, linked } = workerData as { bare: MessagePort; linked: MessagePort };
bare.on('message', ({ a, b }: { a: number; b: number }) => bare.postMessage(a + b));
bare.on('close', () => linked.close());
expose({ add: (a: number, b: number) => a + b }, linked as unknown as Endpoint);
