// The actor's side of a link: receives messages, runs turns, sends what they produce. The same code serves a
// worker thread and an in-memory link. The mailbox is on the caller's side, so what arrives here is always
// run at once.
import { type ActorDefinition, type ActorInstance, type FeedTurn, Sent } from './actor.ts';
import { overBudget } from './budget.ts';
import { complaintOf } from './checker.ts';
import type { Contract, SlotHandle } from './contract.ts';
import { engineErrors, toFields } from './errors.ts';
import { createLog, type Log, type LogLine } from './log.ts';
import { redactFields } from './redact.ts';
import { slotView } from './slots.ts';
import { Condition } from './sync/locks.ts';
import {
  type CallId,
  type Endpoint,
  type FromActor,
  type HostStart,
  lifeWord,
  STOP_WORD,
  type ToActor,
} from './wire.ts';

type Call = Extract<ToActor, { type: 'ask' | 'feed' }>;

/** Resolves when the actor has closed: every turn has ended and everything it owned is freed. */
export async function serve<C extends Contract, S>(
  definition: ActorDefinition<C, S>,
  endpoint: Endpoint<ToActor, FromActor>,
  start: HostStart,
): Promise<void> {
  // Fields may hold what cannot be cloned, and what a clone would lose.
  const send = (line: LogLine) =>
    endpoint.post({ type: 'log', line: { ...line, fields: redactFields(line.fields) } });
  const log = createLog(start.name, send, { level: start.logLevel });
  const turns = new Turns(definition.contract, endpoint, start, log);
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<void>();
  endpoint.listen((message) => {
    if (message.type !== 'stop') return turns.receive(message);
    Atomics.store(new Int32Array(start.control), STOP_WORD, 1);
    stopping.abort();
    stopped.resolve();
  });

  let instance: ActorInstance<C>;
  try {
    instance = await definition.create({ settings: start.settings as S, log, stopping: stopping.signal });
    turns.handlers = instance.handlers as unknown as AnyHandlers;
    endpoint.post({ type: 'ready' });
  } catch (error) {
    endpoint.post({ type: 'failed', error: toFields(error) });
    endpoint.close();
    return;
  }
  await stopped.promise;
  await turns.cancelAll();
  await instance.close?.();
  endpoint.post({ type: 'closed' });
  endpoint.close();
}

/** The handlers of some contract; what they are given has been checked against it. */
type AnyHandlers = Readonly<Record<string, (request: unknown, turn: FeedTurn) => unknown>>;

/** The turns that run now. */
class Turns {
  handlers: AnyHandlers = {};
  readonly #contract: Contract;
  readonly #endpoint: Endpoint<ToActor, FromActor>;
  readonly #start: HostStart;
  readonly #log: Log;
  readonly #running = new Map<CallId, HostTurn>();
  readonly #ended = new Condition();

  constructor(contract: Contract, endpoint: Endpoint<ToActor, FromActor>, start: HostStart, log: Log) {
    this.#contract = contract;
    this.#endpoint = endpoint;
    this.#start = start;
    this.#log = log;
  }

  receive(message: Exclude<ToActor, { type: 'stop' }>): void {
    if (message.type === 'credit') this.#running.get(message.id)?.grant(message.credit, message.slots);
    else if (message.type === 'reserved') this.#running.get(message.id)?.reserved(message.refused);
    else if (message.type === 'cancel') this.#running.get(message.id)?.cancel();
    else if (message.type === 'asks') for (const ask of message.asks) void this.#begin(ask);
    else void this.#begin(message);
  }

  /** Resolves when all of them have ended. */
  async cancelAll(): Promise<void> {
    for (const turn of this.#running.values()) turn.cancel();
    while (this.#running.size > 0) await this.#ended.wait();
  }

  async #begin(call: Call): Promise<void> {
    const turn = new HostTurn(this.#start, call, this.#log, (message) => this.#endpoint.post(message));
    this.#running.set(call.id, turn);
    let last: FromActor;
    try {
      checkRequest(this.#contract, call.name, call.request);
      last = await run(this.handlers[call.name]!, call, turn, this.#endpoint);
    } catch (error) {
      last = { type: 'error', id: call.id, error: toFields(error) };
    }
    this.#running.delete(call.id);
    try {
      this.#endpoint.post(last, last.type === 'reply' ? turn.replyTransfer : undefined);
    } catch (error) {
      // A reply that cannot be cloned is a fault of this turn, not of the others on this thread.
      this.#endpoint.post({ type: 'error', id: call.id, error: toFields(error) });
    }
    this.#ended.notifyAll();
  }
}

async function run(
  handler: AnyHandlers[string],
  call: Call,
  turn: HostTurn,
  endpoint: Endpoint<ToActor, FromActor>,
): Promise<FromActor> {
  if (call.type === 'ask') {
    const value = await handler(call.request, turn);
    if (value instanceof Sent) turn.replyTransfer = value.transfer;
    return { type: 'reply', id: call.id, value: value instanceof Sent ? value.value : value };
  }
  turn.grant(call.credit, []);
  for await (const out of handler(call.request, turn) as AsyncIterable<unknown>) {
    turn.throwIfCancelled();
    const sent = out instanceof Sent ? out : new Sent(out, {});
    // A feed with slots paid when it took the free slot; any other pays here.
    if (sent.slots.length === 0) await turn.pay();
    endpoint.post({ type: 'item', id: call.id, value: sent.value, slots: sent.slots }, sent.transfer);
  }
  return { type: 'end', id: call.id };
}

function checkRequest(contract: Contract, name: string, request: unknown): void {
  const message = contract.messages[name];
  if (!message) throw engineErrors.INVALID_MESSAGE(`${contract.name} has no message ${name}`);
  const complaint = complaintOf(message.request, request);
  if (complaint !== null) throw engineErrors.INVALID_MESSAGE(`${contract.name}.${name}: ${complaint}`);
}

// One turn of an actor, as its handler sees it, and the credit of its feed.

export class HostTurn implements FeedTurn {
  readonly log: Log;
  replyTransfer: readonly ArrayBuffer[] | undefined;
  readonly #abort = new AbortController();
  readonly #start: HostStart;
  readonly #control: Int32Array;
  readonly #word: number;
  readonly #life: number;
  readonly #id: CallId;
  readonly #post: (message: FromActor) => void;
  readonly #slots: SlotHandle[] = [];
  #credit = 0;
  /** A reservation of memory that is waited for or held. */
  #reservation: PromiseWithResolvers<number | null> | null = null;
  /** Credit arrived, or the turn was cancelled. */
  readonly #changed = new Condition();

  constructor(
    start: HostStart,
    { id, word }: { readonly id: CallId; readonly word: number },
    log: Log,
    post: (message: FromActor) => void,
  ) {
    this.log = log;
    this.#id = id;
    this.#post = post;
    this.#start = start;
    this.#control = new Int32Array(start.control);
    this.#word = word;
    this.#life = lifeWord(this.#control, word);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  cancelled(): boolean {
    return Atomics.load(this.#control, STOP_WORD) !== 0 || Atomics.load(this.#control, this.#word) !== 0;
  }

  throwIfCancelled(): void {
    this.alive();
    if (this.cancelled()) throw engineErrors.CANCELLED();
  }

  alive(): void {
    Atomics.add(this.#control, this.#life, 1);
  }

  async reserve(bytes: number): Promise<() => void> {
    this.throwIfCancelled();
    if (this.#reservation) throw engineErrors.INTERNAL('a turn reserves memory while it holds some');
    const reservation = Promise.withResolvers<number | null>();
    this.#reservation = reservation;
    this.#post({ type: 'reserve', id: this.#id, bytes });
    const refused = await reservation.promise;
    if (refused !== null) {
      this.#reservation = null;
      throw overBudget(bytes, refused);
    }
    return () => {
      if (this.#reservation !== reservation) return;
      this.#reservation = null;
      this.#post({ type: 'release', id: this.#id });
    };
  }

  /** The answer to a reservation; `refused` is the limit when it is above it. */
  reserved(refused: number | null): void {
    this.#reservation?.resolve(refused);
  }

  slot(handle: SlotHandle, bytes?: number): Uint8Array {
    if (!this.#start.memory) throw engineErrors.STALE_SLOT('this actor was given no slots');
    return slotView(this.#start.memory, handle, bytes);
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
      await this.#changed.wait();
      this.throwIfCancelled();
    }
    this.#credit--;
  }

  grant(credit: number, slots: readonly SlotHandle[]): void {
    this.#credit += credit;
    this.#slots.push(...slots);
    this.#changed.notifyAll();
  }

  cancel(): void {
    // The memory of a caller in another process is not this one.
    Atomics.store(this.#control, this.#word, 1);
    this.#abort.abort(engineErrors.CANCELLED());
    this.#reservation?.reject(engineErrors.CANCELLED());
    this.#changed.notifyAll();
  }
}
