// The cost of an event that a hundred clients receive: through the rooms of the event server, and with bare
// Socket.IO on uWebSockets. Servers and clients are processes of their own; the clock runs until the last
// client has received the last.
import { ask, messageOf, startChild } from './child.ts';
import { alternate, type Question } from './row.ts';
import { sized } from './size.ts';

const CLIENTS = sized(100, 5);
const EMITS = sized(1000, 50);

async function startSide(name: 'ours' | 'bare') {
  const server = startChild('./fanout-server.ts', name);
  const details = await messageOf<{ port: number; task: string }>(server);
  const clients = startChild('./fanout-clients.ts');
  await ask(clients, { join: { ...details, clients: CLIENTS } });
  return {
    /** Emits a second. */
    round: async () => {
      await ask(clients, { expect: CLIENTS * EMITS });
      const received = messageOf(clients);
      const began = performance.now();
      server.send({ emits: EMITS });
      await received;
      return (EMITS / (performance.now() - began)) * 1000;
    },
    stop: () => {
      for (const child of [clients, server]) child.disconnect();
    },
  };
}

export const fanout: Question = async (say) => {
  const ours = await startSide('ours');
  const bare = await startSide('bare');
  say(`${EMITS} events to ${CLIENTS} clients a round`);
  const rate = await alternate(9, { ours: ours.round, bare: bare.round });
  ours.stop();
  bare.stop();
  return [
    {
      question: 'fanout',
      name: `events to ${CLIENTS} clients`,
      value: rate.ours,
      unit: 'events/s',
      against: { name: 'bare Socket.IO on uWebSockets', value: rate.bare },
      ratio: rate.ours / rate.bare,
      goal: { of: 'ratio', at: 'least', than: 0.8 },
    },
  ];
};
