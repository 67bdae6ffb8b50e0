// Work that is done again and again, and what is said of its errors.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Alarm } from '../../../actors/cluster/alarm.ts';
import { clusterErrors } from '../../../actors/cluster/contract.ts';
import { eagerClock } from '../models/server.ts';

test('an error is said once while it stays, also with rounds between in which nothing is due', async () => {
  const refused = () => clusterErrors.DATABASE_REFUSED('refused');
  const rounds = [refused, null, refused, null, refused, false, refused] as const;
  const over = new AbortController();
  const complaints: string[] = [];
  let at = 0;
  const work = async () => {
    const round = rounds[at++];
    if (round === undefined) over.abort();
    if (typeof round === 'function') throw round();
    return round ?? null;
  };
  await new Alarm(eagerClock()).repeat(1, over.signal, work, (reason) => complaints.push(reason));
  assert.deepEqual(complaints, ['refused', 'refused'], 'again only after a round that went well');
});
