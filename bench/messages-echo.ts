// The actor that bench/messages.ts talks to.
import { Type } from 'typebox';
import { actor, Sent } from '../runtime/actor.ts';
import { ask, Bytes, contract, feed, SlotHandle } from '../runtime/contract.ts';

/** 224×224 RGB. */
export const PICTURE_BYTES = 224 * 224 * 3;

export const echoContract = contract(
  'echo',
  {
    add: ask(Type.Object({ a: Type.Number(), b: Type.Number() }), Type.Number()),
    count: feed(Type.Object({ to: Type.Integer() }), Type.Integer()),
    pictures: feed(Type.Object({ to: Type.Integer() }), Type.Object({ slot: SlotHandle }), { slots: true }),
    clones: feed(Type.Object({ to: Type.Integer() }), Type.Object({ picture: Bytes })),
  },
  { concurrency: 4 },
);

export const definition = actor<typeof echoContract, unknown>({
  contract: echoContract,
  create: () => ({
    handlers: {
      add: ({ a, b }) => a + b,
      async *count({ to }) {
        for (let n = 0; n < to; n++) yield n;
      },
      // Both fill the picture, so that only the transport differs.
      async *pictures({ to }, turn) {
        for (let n = 0; n < to; n++) {
          const slot = await turn.freeSlot();
          turn.slot(slot).fill(n);
          yield new Sent({ slot }, { slots: [slot] });
        }
      },
      async *clones({ to }) {
        for (let n = 0; n < to; n++) yield { picture: new Uint8Array(PICTURE_BYTES).fill(n) };
      },
    },
  }),
});
