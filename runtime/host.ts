// The actor's side of a link: receives messages, runs turns, sends what they produce. The same code serves a worker
// thread and an in-memory link. The mailbox is on the caller's side, so what arrives here is always run at once.
import { Compile, type Validator } from 'typebox/compile';
import type { ActorDefinition, ActorInstance, FeedTurn } from './actor.ts';
import { Sent } from './actor.ts';
import type { Ask, Contract, Feed, SlotHandle } from './contract.ts';
import { engineErrors, toFields } from './errors.ts';
import { createLog, type Log, type LogLine } from './log.ts';
import { redactFields } from './redact.ts';
import { slotView } from './slots.ts';
import { type Down, type Endpoint, type HostStart, STOP_WORD, type Up } from './wire.ts';

/** Resolves when the actor has closed: every turn has ended and everything it owned is freed. */
export async function serve<C extends Contract, S>(
  definition: ActorDefinition<C, S>,
  endpoint: Endpoint<Down, Up>,
  start: HostStart,
): Promise<void> {
  // Fields may hold what cannot be cloned, and what a clone would lose.
  const send = (line: LogLine) =>
    endpoint.post({ type: 'log', line: { ...line, fields: redactFields(line.fields) } });
  const log = createLog(start.name, send, { level: start.logLevel });
  const stopping = new AbortController();
  const turns = new Map<number, HostTurn>();
  const checks = requestChecks(definition.contract);
  let instance: ActorInstance<C> | undefined;
  let idle: () => void = () => {};

  const begin = async (message: Extract<Down, { type: 'ask' | 'feed' }>) => {
    const turn = new HostTurn(start, message.word, log, () =>
      endpoint.post({ type: 'alive', id: message.id }),
    );
    turns.set(message.id, turn);
    let last: Up;
    try {
      checkRequest(definition.contract, checks, message.name, message.request);
      last = await run(instance!, message, turn, endpoint);
    } catch (error) {
      last = { type: 'error', id: message.id, error: toFields(error) };
    }
    turn.end();
    turns.delete(message.id);
    try {
      endpoint.post(last, last.type === 'reply' ? turn.replyTransfer : undefined);
    } catch (error) {
      // A reply that cannot be cloned is a fault of this turn, not of the others on this thread.
      endpoint.post({ type: 'error', id: message.id, error: toFields(error) });
    }
    if (turns.size === 0) idle();
  };

  const stopped = new Promise<void>((resolve) => {
    endpoint.listen((message) => {
      if (message.type === 'ask' || message.type === 'feed') void begin(message);
      else if (message.type === 'credit') turns.get(message.id)?.grant(message.credit, message.slots);
      else if (message.type === 'cancel') turns.get(message.id)?.cancel();
      else {
        stopping.abort();
        resolve();
      }
    });
  });

  try {
    instance = await definition.create({ settings: start.settings as S, log, stopping: stopping.signal });
    endpoint.post({ type: 'ready' });
  } catch (error) {
    endpoint.post({ type: 'failed', error: toFields(error) });
    endpoint.close();
    return;
  }
  await stopped;
  for (const turn of turns.values()) turn.cancel();
  if (turns.size > 0) {
    await new Promise<void>((resolve) => {
      idle = resolve;
    });
  }
  await instance.close?.();
  endpoint.post({ type: 'closed' });
  endpoint.close();
}

async function run<C extends Contract>(
  instance: ActorInstance<C>,
  message: Extract<Down, { type: 'ask' | 'feed' }>,
  turn: HostTurn,
  endpoint: Endpoint<Down, Up>,
): Promise<Up> {
  const handler = instance.handlers[message.name as keyof typeof instance.handlers] as unknown as (
    request: unknown,
    turn: FeedTurn,
  ) => unknown;
  if (message.type === 'ask') {
    const value = await handler(message.request, turn);
    if (value instanceof Sent) turn.replyTransfer = value.transfer;
    return { type: 'reply', id: message.id, value: value instanceof Sent ? value.value : value };
  }
  turn.grant(message.credit, []);
  for await (const out of handler(message.request, turn) as AsyncIterable<unknown>) {
    turn.throwIfCancelled();
    const sent = out instanceof Sent ? out : new Sent(out, {});
    // A feed with slots paid when it took the free slot; any other pays here.
    if (sent.slots.length === 0) await turn.pay();
    endpoint.post({ type: 'item', id: message.id, value: sent.value, slots: sent.slots }, sent.transfer);
  }
  return { type: 'end', id: message.id };
}

type Checks = Record<string, Validator>;

function requestChecks(contract: Contract): Checks {
  const entries = Object.entries(contract.messages);
  return Object.fromEntries(
    entries.map(([name, { request }]: [string, Ask | Feed]) => [name, Compile(request)]),
  );
}

function checkRequest(contract: Contract, checks: Checks, name: string, request: unknown): void {
  const check = checks[name];
  if (!check) throw engineErrors.INVALID_MESSAGE(`${contract.name} has no message ${name}`);
  if (check.Check(request)) return;
  const [first] = check.Errors(request);
  const at = first ? `${first.instancePath || '/'} ${first.message}` : 'unknown field';
  throw engineErrors.INVALID_MESSAGE(`${contract.name}.${name}: ${at}`);
}

/** One running turn, and the credit of its feed. */
class HostTurn implements FeedTurn {
  readonly log: Log;
  replyTransfer: readonly ArrayBuffer[] | undefined;
  readonly #abort = new AbortController();
  readonly #start: HostStart;
  readonly #control: Int32Array;
  readonly #word: number;
  readonly #alive: () => void;
  readonly #slots: SlotHandle[] = [];
  #credit = 0;
  #wake: (() => void) | undefined;

  constructor(start: HostStart, word: number, log: Log, alive: () => void) {
    this.log = log;
    this.#alive = alive;
    this.#start = start;
    this.#control = new Int32Array(start.control);
    this.#word = word;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  cancelled(): boolean {
    return Atomics.load(this.#control, STOP_WORD) !== 0 || Atomics.load(this.#control, this.#word) !== 0;
  }

  throwIfCancelled(): void {
    if (this.cancelled()) throw engineErrors.CANCELLED();
  }

  alive(): void {
    this.#alive();
  }

  slot(handle: SlotHandle): Uint8Array {
    if (!this.#start.memory) throw engineErrors.STALE_SLOT('this actor was given no slots');
    return slotView(this.#start.memory, handle);
  }

  async freeSlot(): Promise<SlotHandle> {
    await this.pay();
    const handle = this.#slots.shift();
    if (!handle) throw engineErrors.INTERNAL('a credit of this feed came without a slot');
    return handle;
  }

  /** Takes one credit, waiting until there is one. */
  async pay(): Promise<void> {
    this.throwIfCancelled();
    while (this.#credit === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.throwIfCancelled();
    }
    this.#credit--;
  }

  grant(credit: number, slots: readonly SlotHandle[]): void {
    this.#credit += credit;
    this.#slots.push(...slots);
    this.#wake?.();
  }

  cancel(): void {
    this.#abort.abort(engineErrors.CANCELLED());
    this.#wake?.();
  }

  end(): void {
    this.#wake = undefined;
  }
}
