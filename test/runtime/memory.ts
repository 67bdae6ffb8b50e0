// The link of tests: the same host and the same messages as a thread, over a message channel inside one
// thread. What cannot be cloned or moved between threads fails here too. Replies and items are checked
// against the contract.
import { MessageChannel } from 'node:worker_threads';
import type { ActorDefinition } from '../../runtime/actor.ts';
import { complaintOf } from '../../runtime/checker.ts';
import type { Contract } from '../../runtime/contract.ts';
import { serve } from '../../runtime/host.ts';
import type { Log } from '../../runtime/log.ts';
import type { SlotMemory } from '../../runtime/slots.ts';
import { createControl, createLink, type FromActor, type Link, type ToActor } from '../../runtime/wire.ts';

export interface MemoryOptions {
  readonly settings?: unknown;
  readonly memory?: SlotMemory | undefined;
  readonly log: Log;
}

export function startInMemory<C extends Contract, S>(
  definition: ActorDefinition<C, S>,
  options: MemoryOptions,
): Link {
  const { port1: near, port2: far } = new MessageChannel();
  const { contract } = definition;
  const control = createControl(contract.calls);
  const names = new Map<number, string>();
  const maker = createLink(
    {
      post: (message: ToActor, transfer = []) => {
        const calls = message.type === 'asks' ? message.asks : [message];
        for (const one of calls) if (one.type === 'ask' || one.type === 'feed') names.set(one.id, one.name);
        near.postMessage(message, transfer);
      },
      listen: (receive) =>
        near.on('message', (message: FromActor) => {
          checkAnswer(contract, names, message);
          receive(message);
        }),
      close: () => near.close(),
    },
    control,
    options.log,
  );
  const served = serve(
    definition,
    {
      post: (message: FromActor, transfer = []) => far.postMessage(message, transfer),
      listen: (receive) => far.on('message', (message: ToActor) => receive(message)),
      close: () => far.close(),
    },
    {
      name: contract.name,
      control,
      memory: options.memory,
      settings: options.settings,
      logLevel: options.log.level,
    },
  );
  near.on('close', () => void served.then(() => maker.ended('stopped')));
  return maker.link;
}

function checkAnswer(contract: Contract, names: ReadonlyMap<number, string>, message: FromActor): void {
  if (message.type !== 'reply' && message.type !== 'item') return;
  const name = names.get(message.id) ?? '';
  const declared = contract.messages[name];
  if (!declared) throw new Error(`${contract.name}: an answer to the unknown message ${name}`);
  const schema = declared.kind === 'ask' ? declared.reply : declared.item;
  const complaint = complaintOf(schema, message.value);
  if (complaint !== null)
    throw new Error(`${contract.name}.${name}: the answer breaks the contract: ${complaint}`);
}
