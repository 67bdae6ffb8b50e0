// What one node asks another about its part, and how that goes over the wire: as Node writes values, so that
// scores and vectors arrive as they are, to the last bit, and encrypted.
import type { SecureContextOptions } from 'node:tls';
import { type Static, Type } from 'typebox';
import type { Reply } from '../../runtime/contract.ts';
import type { indexContract } from '../index/contract.ts';
import { Hold, type LoadReport } from '../index/visual/contract.ts';

export const partPath = '/part';

/**
 * TLS by the secret that both have, without certificates, and with keys of its own for each connection (RFC
 * 5489). Node takes such secrets in TLS 1.2 alone.
 */
export const encryption = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
} as const satisfies SecureContextOptions;
/** By which a node says that it has the secret. */
export const identity = 'framehound node';

/** Changes with the messages: nodes of different ones do not ask each other. */
export const protocol = 2;

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
