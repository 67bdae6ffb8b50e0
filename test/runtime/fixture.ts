// A small actor with every kind of message, used by the tests of the engine in memory and in threads.
import { getPriority } from 'node:os';
import { Type } from 'typebox';
import { actor, Sent, type Turn } from '../../runtime/actor.ts';
import { ask, Bytes, contract, feed, SlotHandle } from '../../runtime/contract.ts';
import { engineErrors, errorTable } from '../../runtime/errors.ts';

export const fixtureErrors = errorTable({
  OUT_OF_TEA: { meaning: 'There is no tea', status: 418, retryable: true },
});

export const fixtureContract = contract(
  'fixture',
  {
    add: ask(Type.Object({ a: Type.Number(), b: Type.Number() }), Type.Number()),
    /** Priority of the thread. */
    priority: ask(Type.Object({}), Type.Integer()),
    fail: ask(Type.Object({ cup: Type.String() }), Type.Null()),
    /**
     * Ends only when cancelled: by the signal, or by asking the flag in a loop that never turns the event
     * loop.
     */
    wait: ask(Type.Object({ block: Type.Boolean() }), Type.String()),
    /** Ends only when cancelled; tells that it goes on whenever somebody nudges. */
    goOn: ask(Type.Object({}), Type.String()),
    nudge: ask(Type.Object({}), Type.Integer()),
    /** Sums the bytes of a slot, after waiting for `gate` ms-free work: cancelled only at its end. */
    sum: ask(Type.Object({ slot: SlotHandle }), Type.Number()),
    readAfterCancel: ask(Type.Object({ slot: SlotHandle }), Type.Number()),
    /** Keeps memory until cancelled; gives it back before it ends where `early`. */
    keep: ask(Type.Object({ bytes: Type.Integer(), early: Type.Boolean() }), Type.String()),
    crash: ask(Type.Object({}), Type.Null()),
    /** Answers what cannot be cloned. */
    poison: ask(Type.Object({}), Type.Unknown()),
    move: ask(Type.Object({ bytes: Bytes }), Bytes),
    count: feed(Type.Object({ to: Type.Integer() }), Type.Integer()),
    fill: feed(Type.Object({ to: Type.Integer() }), Type.Object({ n: Type.Integer(), slot: SlotHandle }), {
      slots: true,
    }),
  },
  { concurrency: 4 },
);

export const closed: string[] = [];

export const definition = actor<typeof fixtureContract, { failStart?: boolean } | undefined>({
  contract: fixtureContract,
  create: (env) => {
    if (env.settings?.failStart) throw new Error('no luck at start');
    const going = new Set<Turn>();
    return {
      handlers: {
        add: ({ a, b }) => a + b,
        priority: () => getPriority(0),
        fail: ({ cup }) => {
          throw fixtureErrors.OUT_OF_TEA(`cup ${cup} is empty`, { cup });
        },
        wait: ({ block }, turn) => (block ? spin(turn.cancelled.bind(turn)) : untilAborted(turn.signal)),
        goOn: (_, turn) => {
          going.add(turn);
          return untilAborted(turn.signal).finally(() => going.delete(turn));
        },
        nudge: () => {
          for (const turn of going) turn.alive();
          return going.size;
        },
        sum: ({ slot }, turn) => turn.slot(slot).reduce((sum, byte) => sum + byte, 0),
        readAfterCancel: async ({ slot }, turn) => {
          await untilAborted(turn.signal).catch(() => {});
          return turn.slot(slot)[0] ?? -1;
        },
        keep: async ({ bytes, early }, turn) => {
          const release = await turn.reserve(bytes);
          if (early) release();
          return early ? 'released' : untilAborted(turn.signal);
        },
        crash: () => {
          setImmediate(() => {
            throw new Error('crashed on purpose');
          });
          return new Promise<null>(() => {});
        },
        poison: () => ({ cannot: () => 'be cloned' }),
        move: ({ bytes }) => new Sent(bytes, { transfer: [bytes.buffer as ArrayBuffer] }),
        async *count({ to }) {
          for (let n = 0; n < to; n++) yield n;
        },
        async *fill({ to }, turn) {
          for (let n = 0; n < to; n++) {
            const slot = await turn.freeSlot();
            turn.slot(slot).fill(n);
            yield new Sent({ n, slot }, { slots: [slot] });
          }
        },
      },
      close: () => {
        closed.push('fixture');
      },
    };
  },
});

function untilAborted(signal: AbortSignal): Promise<string> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(engineErrors.CANCELLED()), { once: true });
  });
}

/** Like native code: the event loop does not turn, only the shared word can end it. */
function spin(cancelled: () => boolean): string {
  while (!cancelled());
  throw engineErrors.CANCELLED();
}
