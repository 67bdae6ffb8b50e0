// The caller's side: a reference to an actor that stays the same while threads behind it come and go. It owns
// the mailbox, hands out turns, cancels, and knows which slots each running turn holds, until that turn has
// really ended.
import type { Budget } from './budget.ts';
import type { AskName, Contract, FeedItem, FeedName, Reply, Request, SlotHandle } from './contract.ts';
import { type EngineError, engineErrors, fromFields } from './errors.ts';
import { FeedStream } from './feed.ts';
import { createMailbox, type MailboxLane } from './mailbox.ts';
import type { SlotHolder, SlotPool } from './slots.ts';
import { type CallId, type FromActor, type Link, lifeWord } from './wire.ts';

/** `idle`: no thread is started before the first call. */
export type Phase = 'idle' | 'starting' | 'ready' | 'stopping' | 'down' | 'stuck';

export interface AskOptions {
  /** Aborting rejects the call at once; the turn is told and ends as soon as it can. */
  readonly signal?: AbortSignal | undefined;
  /** `now` overtakes `later`. Default `later`. */
  readonly lane?: MailboxLane;
  /** Slots the request speaks of; the turn holds them from this call on until it has ended. */
  readonly slots?: readonly SlotHandle[];
  /** Buffers that are moved, not copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

export interface FeedOptions extends AskOptions {
  /**
   * How many items the producer may be ahead; in a feed with slots, how many slots they may fill. Default 16.
   */
  readonly credit?: number;
}

export interface Ref<C extends Contract = Contract> {
  readonly name: string;
  readonly phase: Phase;
  ask<K extends AskName<C>>(name: K, request: Request<C, K>, options?: AskOptions): Promise<Reply<C, K>>;
  /** An item and its slots are *borrowed until the next round of the loop*; hold a slot to keep it longer. */
  feed<K extends FeedName<C>>(
    name: K,
    request: Request<C, K>,
    options?: FeedOptions,
  ): AsyncGenerator<FeedItem<C, K>>;
}

/** A call from the moment it was made until its turn has ended. */
interface Call {
  readonly type: 'ask' | 'feed';
  readonly id: CallId;
  readonly name: string;
  readonly request: unknown;
  readonly options: FeedOptions;
  readonly holder: SlotHolder;
  readonly stream: FeedStream | undefined;
  /** The caller has its answer; a turn may still be running. */
  settled: boolean;
  finish(value: unknown): void;
  fail(error: EngineError): void;
}

interface Running {
  readonly call: Call;
  readonly word: number;
  /** Signs of life at the last look. */
  life: number;
  /** When it began, or showed a sign of life. */
  aliveAt: number;
  /** Ends the wait for memory; null while the turn waits for none. */
  memory: AbortController | null;
}

/** A thread that takes calls, and those it works on. */
interface Attachment {
  readonly link: Link;
  readonly running: Map<CallId, Running>;
  readonly words: number[];
}

interface CellOptions {
  /** Messages that may wait in each lane. */
  readonly capacity: number;
  readonly pool?: SlotPool | undefined;
  readonly budget?: Budget | undefined;
  /**
   * The actor is idle until its first call, which this starts; one that is being started already when left
   * out.
   */
  readonly wake?: (() => void) | undefined;
  now(): number;
}

/** A reference, and what only its supervisor may do with it. */
export class Cell<C extends Contract = Contract> implements Ref<C> {
  readonly name: string;
  phase: Phase;
  readonly #contract: C;
  readonly #options: CellOptions;
  readonly #mailbox;
  #attachment: Attachment | undefined;
  #lastId = 0;
  #downReason = 'not started';
  #usedAt = 0;

  constructor(name: string, contract: C, options: CellOptions) {
    this.name = name;
    this.#contract = contract;
    this.#options = options;
    this.#mailbox = createMailbox<Call>(options.capacity);
    this.phase = options.wake ? 'idle' : 'starting';
  }

  ask<K extends AskName<C>>(name: K, request: Request<C, K>, options: AskOptions = {}): Promise<Reply<C, K>> {
    return new Promise((resolve, reject) => {
      this.#submit('ask', name, request, options, undefined, resolve as (value: unknown) => void, reject);
    });
  }

  async *feed<K extends FeedName<C>>(
    name: K,
    request: Request<C, K>,
    options: FeedOptions = {},
  ): AsyncGenerator<FeedItem<C, K>> {
    const message = this.#contract.messages[name];
    const credit = options.credit ?? 16;
    const perItem = message?.kind === 'feed' ? message.slotsPerItem(request) : 0;
    const pool = perItem > 0 ? this.#options.pool : undefined;
    if (pool && perItem > Math.min(credit, pool.count)) {
      throw engineErrors.INVALID_MESSAGE(
        `${this.name}.${name}: an item needs ${perItem} slots; the credit is ${credit}, the pool has ${pool.count}`,
        { actor: this.name },
      );
    }
    const stream = new FeedStream(credit, pool, perItem, options.lane);
    const end = () => stream.end();
    const fail = (error: EngineError) => stream.fail(error);
    const cancel = this.#submit('feed', name, request, options, stream, end, fail);
    try {
      for (;;) {
        const item = stream.take() ?? (await stream.next());
        if (item === 'end') return;
        yield item.value as FeedItem<C, K>;
        stream.used(item);
      }
    } finally {
      cancel();
      stream.close();
    }
  }

  /** Returns what cancels the call. Throws nothing: a refusal reaches the caller through `fail`. */
  #submit(
    type: Call['type'],
    name: string,
    request: unknown,
    options: FeedOptions,
    stream: FeedStream | undefined,
    finish: (value: unknown) => void,
    fail: (error: EngineError) => void,
  ): () => void {
    const settle = (act: () => void) => {
      if (call.settled) return;
      call.settled = true;
      options.signal?.removeEventListener('abort', cancel);
      act();
    };
    const call: Call = {
      type,
      id: ++this.#lastId,
      name,
      request,
      options,
      holder: this.#options.pool?.holder() ?? 0,
      stream,
      settled: false,
      finish: (value) => settle(() => finish(value)),
      fail: (error) => settle(() => fail(error)),
    };
    const cancel = () => this.#cancel(call);
    try {
      this.#admit(call);
      options.signal?.addEventListener('abort', cancel, { once: true });
      this.#pump();
      // While the event loop is busy with requests it comes late to replies, which others wait behind.
      if (this.#mailbox.size > 0) this.#attachment?.link.poll();
    } catch (error) {
      this.#options.pool?.releaseAll(call.holder);
      call.fail(error as EngineError);
    }
    return cancel;
  }

  #admit(call: Call): void {
    if (call.options.signal?.aborted) throw engineErrors.CANCELLED();
    if (this.phase === 'down' || this.phase === 'stopping') throw this.#downError();
    for (const handle of call.options.slots ?? []) this.#options.pool?.hold(handle, call.holder);
    if (!this.#mailbox.offer(call.options.lane ?? 'later', call)) {
      throw engineErrors.BUSY(`${this.name}: ${engineErrors.BUSY.meaning}`, { actor: this.name });
    }
    if (this.phase !== 'idle') return;
    this.phase = 'starting';
    this.#options.wake?.();
  }

  #downError(): EngineError {
    return engineErrors.ACTOR_DOWN(`${this.name} is down: ${this.#downReason}`, { actor: this.name });
  }

  #pump(): void {
    const attachment = this.#attachment;
    const { concurrency } = this.#contract;
    while (attachment && this.phase === 'ready' && attachment.running.size < concurrency) {
      const call = this.#mailbox.take();
      if (!call) return;
      this.#dispatch(attachment, [call, ...this.#alike(call)]);
    }
  }

  /** Waiting calls that begin together with `call`. */
  #alike({ name, options }: Call): Call[] {
    const message = this.#contract.messages[name];
    if (message?.kind !== 'ask' || message.together === 1) return [];
    const isOf = (call: Call) => call.name === name;
    return this.#mailbox.takeSome(options.lane ?? 'later', isOf, message.together - 1);
  }

  #dispatch(attachment: Attachment, calls: readonly Call[]): void {
    const entries = calls.map((call) => ({ call, word: attachment.words.pop()! }));
    for (const { word } of entries) Atomics.store(attachment.link.control, word, 0);
    try {
      const messages = entries.map(({ call: { type, id, name, request, stream, options }, word }) => {
        if (type === 'ask') return { type, id, name, request, word, slots: options.slots ?? [] };
        return { type, id, name, request, word, credit: stream?.firstCredit() ?? 0 };
      });
      const asks = messages.filter((message) => message.type === 'ask');
      const transfer = calls.flatMap(({ options }) => options.transfer ?? []);
      attachment.link.endpoint.post(asks.length > 1 ? { type: 'asks', asks } : messages[0]!, transfer);
    } catch (error) {
      attachment.words.push(...entries.map(({ word }) => word));
      // A request that cannot be cloned is the caller's fault, not the actor's or that of other callers.
      if (calls.length > 1) for (const call of calls) this.#dispatch(attachment, [call]);
      else this.#refuse(calls[0]!, error);
      return;
    }
    for (const { call, word } of entries) this.#begun(attachment, call, word);
  }

  #refuse(call: Call, error: unknown): void {
    this.#options.pool?.releaseAll(call.holder);
    call.fail(engineErrors.INVALID_MESSAGE(`${this.name}.${call.name}: ${String(error)}`, {}, error));
  }

  #begun(attachment: Attachment, call: Call, word: number): void {
    const { id } = call;
    const life = lifeOf(attachment.link.control, word);
    const running: Running = { call, word, life, aliveAt: this.#options.now(), memory: null };
    attachment.running.set(id, running);
    call.stream?.open(call.holder, (credit, slots) => {
      if (!attachment.running.has(id)) return;
      running.aliveAt = this.#options.now();
      attachment.link.endpoint.post({ type: 'credit', id, credit, slots });
    });
  }

  #cancel(call: Call): void {
    if (this.#mailbox.remove(call)) this.#options.pool?.releaseAll(call.holder);
    const running = this.#attachment?.running.get(call.id);
    if (running?.call === call) {
      Atomics.store(this.#attachment!.link.control, running.word, 1);
      this.#attachment!.link.endpoint.post({ type: 'cancel', id: call.id });
    }
    call.fail(engineErrors.CANCELLED(`${this.name}.${call.name} was cancelled`));
  }

  #receive(attachment: Attachment, message: FromActor): void {
    if (!('id' in message)) return;
    const running = attachment.running.get(message.id);
    if (!running) return;
    const { call } = running;
    if (message.type === 'reserve') {
      void this.#reserve(attachment, running, message.bytes);
      return;
    }
    if (message.type === 'release') {
      this.#options.budget?.release(running);
      return;
    }
    if (message.type === 'item') {
      running.aliveAt = this.#options.now();
      if (!call.settled) call.stream?.push(message.value, message.slots, call.holder);
      return;
    }
    this.#turnEnded(attachment, message.id);
    if (message.type === 'reply') call.finish(message.value);
    else if (message.type === 'end') call.finish(undefined);
    else call.fail(fromFields(message.error));
    this.#pump();
  }

  #turnEnded(attachment: Attachment, id: CallId): void {
    const running = attachment.running.get(id)!;
    const { call, word } = running;
    attachment.running.delete(id);
    running.memory?.abort();
    this.#options.budget?.release(running);
    attachment.words.push(word);
    call.stream?.shut();
    this.#options.pool?.releaseAll(call.holder);
    this.#usedAt = this.#options.now();
  }

  /** Answers the turn once it may use the memory; a turn that ended meanwhile waits no longer. */
  async #reserve({ link }: Attachment, running: Running, bytes: number): Promise<void> {
    const { id, options } = running.call;
    const ended = new AbortController();
    running.memory = ended;
    let refused: number | null = null;
    try {
      await this.#options.budget?.reserve(bytes, running, ended.signal, options.lane);
    } catch (error) {
      if (!engineErrors.OVER_BUDGET.is(error)) return;
      refused = this.#options.budget!.limit;
    }
    running.memory = null;
    running.aliveAt = this.#options.now();
    if (!ended.signal.aborted) link.endpoint.post({ type: 'reserved', id, refused });
  }

  /** A ready thread takes over; what waited in the mailbox starts to run. */
  attach(link: Link): void {
    const { calls } = this.#contract;
    const words = Array.from({ length: calls }, (_, index) => calls - index);
    const attachment: Attachment = { link, running: new Map(), words };
    this.#attachment = attachment;
    link.onMessage((message) => this.#receive(attachment, message));
    link.onExit((reason) => this.#detach(attachment, reason));
    this.phase = 'ready';
    this.#usedAt = this.#options.now();
    this.#pump();
  }

  #detach(attachment: Attachment, reason: string): void {
    for (const [id, { call }] of [...attachment.running]) {
      this.#turnEnded(attachment, id);
      const text = `${this.name} ended while working on ${call.name}${fileOf(call.request)}: ${reason}`;
      call.fail(engineErrors.ACTOR_CRASHED(text, { actor: this.name }));
    }
    if (this.#attachment === attachment) this.#attachment = undefined;
  }

  /** Nothing runs the actor any more; the next call, or one that waits already, starts it again. */
  rest(): void {
    this.#attachment = undefined;
    this.phase = this.#mailbox.size > 0 ? 'starting' : 'idle';
    if (this.phase === 'starting') this.#options.wake?.();
  }

  /** Time since it worked on something, ms; 0 while it does or something waits. */
  get unusedMs(): number {
    const { waiting, running } = this.load;
    return waiting + running > 0 ? 0 : this.#options.now() - this.#usedAt;
  }

  /** Gives up a thread that does not answer: its callers fail now, its slots stay held until it ends. */
  abandon(): void {
    const attachment = this.#attachment;
    if (!attachment) return;
    this.#attachment = undefined;
    for (const { call } of attachment.running.values()) {
      const details = { actor: this.name, role: this.#contract.name };
      const text = `${this.name} was replaced while working on ${call.name}${fileOf(call.request)}`;
      call.fail(engineErrors.ACTOR_STUCK(text, details));
    }
  }

  /** No other thread will be attached: every waiting call fails. */
  down(phase: 'stopping' | 'down', reason: string): void {
    this.phase = phase;
    this.#downReason = reason;
    for (const call of this.#mailbox.drain()) {
      this.#options.pool?.releaseAll(call.holder);
      call.fail(this.#downError());
    }
  }

  /**
   * Age in ms of the turn that has gone longest without a sign of life; 0 when nothing runs. A feed that
   * waits for its consumer is not late, nor is a turn that waits for memory. A sign counts from the look at
   * which it is seen.
   */
  longestTurnMs(): number {
    const now = this.#options.now();
    let longest = 0;
    for (const running of this.#attachment?.running.values() ?? []) {
      const life = lifeOf(this.#attachment!.link.control, running.word);
      if (life !== running.life) Object.assign(running, { life, aliveAt: now });
      if (running.memory || running.call.stream?.consumerIsSlow()) continue;
      longest = Math.max(longest, now - running.aliveAt);
    }
    return longest;
  }

  /** Calls waiting for a turn, and turns running. */
  get load(): { waiting: number; running: number } {
    return { waiting: this.#mailbox.size, running: this.#attachment?.running.size ?? 0 };
  }
}

/** The file that a request is about, for a person. */
function fileOf(request: unknown): string {
  const { path } = (request ?? {}) as { readonly path?: unknown };
  return typeof path === 'string' ? ` of ${path}` : '';
}

function lifeOf(control: Int32Array, word: number): number {
  return Atomics.load(control, lifeWord(control, word));
}
