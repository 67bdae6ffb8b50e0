// Tickets: each opens one session, once and soon. They live in memory only.
import { timingSafeEqual } from 'node:crypto';
import { isWithin, type Moment } from '../license/age.ts';
import { hashOf } from '../license/key.ts';
import { type Holder, type SealedHolder, sealHolder, unsealHolder } from './holder.ts';
import { SECRET_BYTES, secretText } from './secret.ts';

/** How long a ticket is good for, ms. */
export const TICKET_MS = 60_000;
const MOST_TICKETS = 100;
/** A clock that was set back by so much says nothing about the age of a ticket any more. */
const SET_BACK_MS = 1_000;

interface Kept {
  readonly hash: Buffer;
  readonly holder: SealedHolder;
  readonly since: Moment;
  readonly ms: number;
}

export interface Tickets {
  /** `ms`: how long it is good for. The oldest one makes room when there are too many. */
  make(holder: Holder, ms: number): string;
  /** For whom it stands; undefined when it was never made, is used, or too old. It is used now. */
  take(ticket: string): Holder | undefined;
}

/** `random`: so many bytes of a secure source. */
export function createTickets(time: () => Moment, random: (bytes: number) => Uint8Array): Tickets {
  let kept: readonly Kept[] = [];
  return {
    make: (holder, ms) => {
      const ticket = secretText('ticket', random(SECRET_BYTES));
      const since = time();
      const sealed = sealHolder(holder, ticket, random(SECRET_BYTES));
      const alive = kept.filter((one) => isWithin(one.since, one.ms, since, SET_BACK_MS));
      const hash = Buffer.from(hashOf(ticket), 'hex');
      kept = [...alive.slice(-(MOST_TICKETS - 1)), { hash, holder: sealed, since, ms }];
      return ticket;
    },
    take: (ticket) => {
      const hash = Buffer.from(hashOf(ticket), 'hex');
      // Compared with every one, so that the time it takes says nothing about them.
      const found = kept.filter((one) => timingSafeEqual(one.hash, hash));
      kept = kept.filter((one) => !found.includes(one));
      const [one] = found;
      if (!one || !isWithin(one.since, one.ms, time(), SET_BACK_MS)) return undefined;
      return unsealHolder(one.holder, ticket);
    },
  };
}
