// What one node asks another about its part, and how that goes over the wire: as Node writes values, so that
// scores and vectors arrive as they are, to the last bit.
import { type Static, Type } from 'typebox';
import type { Reply } from '../../runtime/contract.ts';
import type { indexContract } from '../index/contract.ts';
import { Hold, type LoadReport } from '../index/visual/contract.ts';

export const partPath = '/part';

/** Changes with the messages: nodes of different ones do not ask each other. */
export const protocol = 1;

export const PartMessage = Type.Object({
  protocol: Type.Literal(protocol),
  /** The part that is asked for. */
  hold: Hold,
  /** `load`: media whose vectors are to be in memory, by hash, or all. The others as the index takes them. */
  name: Type.Union([
    Type.Literal('load'),
    Type.Literal('sample'),
    Type.Literal('rank'),
    Type.Literal('take_votes'),
    Type.Literal('take_sequences'),
  ]),
  /** Searches overtake what is asked in the lane `later`. */
  lane: Type.Optional(Type.Union([Type.Literal('now'), Type.Literal('later')])),
  /** The last change that whoever asks has. */
  applied: Type.Integer({ minimum: 0 }),
  request: Type.Unsafe<{ readonly model_key: string }>(
    Type.Object({ model_key: Type.String(), hashes: Type.Optional(Type.Unknown()) }),
  ),
});
export type PartMessage = Static<typeof PartMessage>;

/** What is asked of the index of another node, as its own one is asked. */
export type IndexQuestion = Exclude<PartMessage['name'], 'load'>;
export type PartReplies = { readonly load: LoadReport } & {
  readonly [K in IndexQuestion]: Reply<typeof indexContract, K>;
};
