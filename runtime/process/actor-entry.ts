// The program of an actor that has a process of its own. It ends with the process that started it.
import type { ActorDefinition } from '../actor.ts';
import type { SlotHandle } from '../contract.ts';
import { collectWhenIdle } from '../heap.ts';
import { serve } from '../host.ts';
import { slotView } from '../slots.ts';
import { type CallId, createControl, type FromActor, type ToActor } from '../wire.ts';
import type { FromProcess, ProcessStart } from './actor-process.ts';

/** How often the other process hears of signs of life, ms. */
const LIFE_MS = 500;

const end = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', end);
// They reach every process of a terminal or a service; the engine says when this one stops.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const send = (from: FromProcess) => void process.send!(from);

process.once('message', (start: ProcessStart) => {
  const early: ToActor[] = [];
  const keep = (message: ToActor) => void early.push(message);
  process.on('message', keep);
  void run(start, (receive) => {
    process.off('message', keep);
    process.on('message', receive);
    for (const message of early) receive(message);
  });
});

async function run(
  { name, module, calls, settings, logLevel, slots }: ProcessStart,
  listen: (receive: (message: ToActor) => void) => void,
): Promise<void> {
  const { definition } = (await import(module)) as { definition: ActorDefinition };
  const control = createControl(calls);
  const filling = slots && new Slots(slots);
  const words = new Int32Array(control);
  const lives = words.subarray(1 + calls);
  setInterval(() => send({ life: [...lives], rss: process.memoryUsage.rss() }), LIFE_MS);
  const active = collectWhenIdle();
  await serve(
    definition,
    {
      post: (message) => {
        active();
        send({ message, pixels: filling?.handedOver(message) ?? [] });
      },
      listen: (receive) =>
        listen((message) => {
          active();
          filling?.given(message);
          clearWords(words, message);
          receive(message);
        }),
      close: () => {},
    },
    { name, control, memory: filling?.memory, settings, logLevel },
  );
}

/** A caller clears the word of a call in its own memory only: here it may be that of a cancelled one. */
function clearWords(words: Int32Array, message: ToActor): void {
  for (const call of message.type === 'asks' ? message.asks : [message])
    if (call.type === 'ask' || call.type === 'feed') Atomics.store(words, call.word, 0);
}

/** The slots of the other process, as many and as large: pages that nothing touches take no memory. */
class Slots {
  readonly memory;
  readonly #generations: Int32Array;
  readonly #ofCalls = new Map<CallId, readonly SlotHandle[]>();

  constructor({ count, slotBytes }: NonNullable<ProcessStart['slots']>) {
    const generations = new SharedArrayBuffer(4 * count);
    const pixels = new SharedArrayBuffer(count * slotBytes);
    this.memory = { pixels, generations, slotBytes, lengths: new Map<number, number>() };
    this.#generations = new Int32Array(generations);
  }

  given(message: ToActor): void {
    for (const ask of message.type === 'asks' ? message.asks : [message]) {
      if (ask.type !== 'ask' && ask.type !== 'credit') continue;
      for (const { slot, generation } of ask.slots) this.#generations[slot] = generation;
      if (ask.type === 'ask' && ask.slots.length > 0) this.#ofCalls.set(ask.id, ask.slots);
    }
  }

  handedOver(message: FromActor) {
    if (message.type === 'item') return this.#filled(message.slots);
    if (message.type !== 'reply' && message.type !== 'error') return [];
    const slots = this.#ofCalls.get(message.id) ?? [];
    this.#ofCalls.delete(message.id);
    return message.type === 'reply' ? this.#filled(slots) : [];
  }

  #filled(slots: readonly SlotHandle[]) {
    const { memory } = this;
    return slots.map((handle) => ({
      ...handle,
      bytes: slotView(memory, handle, memory.lengths.get(handle.slot)),
    }));
  }
}
