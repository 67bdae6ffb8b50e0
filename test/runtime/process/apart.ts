// An actor that does what files of strangers may make native code do; for a process of its own.
import { Type } from 'typebox';
import { actor, Sent } from '../../../runtime/actor.ts';
import { ask, contract, feed, SlotHandle } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';

const File = Type.Object({ path: Type.String() });

export const apartContract = contract('apart', {
  /** The process that answers. */
  pid: ask(Type.Object({}), Type.Integer()),
  crash: ask(File, Type.Null()),
  hang: ask(File, Type.Null()),
  /** Takes so many bytes, and touches them. */
  take: ask(Type.Object({ bytes: Type.Integer() }), Type.Integer()),
  /** Answers another type than it should. */
  lie: ask(File, Type.Integer()),
  /** Waits until it is cancelled. */
  wait: ask(File, Type.Null()),
  /** Waits for memory. */
  reserve: ask(Type.Object({ bytes: Type.Integer() }), Type.String()),
  paint: ask(Type.Object({ slot: SlotHandle, value: Type.Integer() }), Type.Null()),
  count: feed(Type.Object({ to: Type.Integer() }), Type.Object({ n: Type.Integer(), slot: SlotHandle }), {
    slots: true,
  }),
});

/** A buffer is refused, or the process ends, when there is no more memory. */
const held: Buffer[] = [];

export const definition = actor<typeof apartContract, undefined>({
  contract: apartContract,
  create: () => ({
    handlers: {
      pid: () => process.pid,
      crash: () => {
        process.kill(process.pid, 'SIGSEGV');
        return new Promise<null>(() => {});
      },
      hang: () => {
        for (;;);
      },
      take: async ({ bytes }) => {
        for (let taken = 0; taken < bytes; taken += 2 ** 24) {
          held.push(Buffer.alloc(2 ** 24, 1));
          await new Promise(setImmediate);
        }
        return held.length;
      },
      lie: () => 'a text' as unknown as number,
      wait: (_, turn) =>
        new Promise<null>((_, reject) => {
          const end = () => reject(engineErrors.CANCELLED());
          turn.signal.addEventListener('abort', end, { once: true });
        }),
      reserve: async ({ bytes }, turn) => {
        (await turn.reserve(bytes))();
        return 'released';
      },
      paint: ({ slot, value }, turn) => {
        turn.slot(slot, 8).fill(value);
        return null;
      },
      async *count({ to }, turn) {
        for (let n = 0; n < to; n++) {
          const slot = await turn.freeSlot();
          turn.slot(slot).fill(n);
          yield new Sent({ n, slot }, { slots: [slot] });
        }
      },
    },
  }),
});
