// Runs an actor in a process of its own, with limits: native code that crashes, hangs or takes too much
// memory ends that process and the turn that it was at work on, nothing else. Processes share no memory: what
// the actor puts into slots comes with its messages. Nothing that comes is trusted, because a file may have
// taken the process over.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { complaintOf } from '../checker.ts';
import type { ChildSpec } from '../child.ts';
import type { Contract, SlotHandle } from '../contract.ts';
import type { LogLevel } from '../log.ts';
import { type SlotMemory, slotView } from '../slots.ts';
import type { ThreadOptions } from '../thread.ts';
import {
  createControl,
  createLink,
  type FromActor,
  type HostStart,
  type Link,
  lifeWord,
  type ToActor,
} from '../wire.ts';
import { confined } from './confine.ts';
import { moduleUrl } from './program.ts';

interface ProcessOptions extends Omit<ThreadOptions, 'calls'> {
  readonly contract: Contract;
  /** Memory of the process, bytes. */
  readonly mostBytes: number;
}

/** The first message to the process. */
export interface ProcessStart extends Pick<HostStart, 'name' | 'settings'> {
  readonly module: string;
  readonly calls: number;
  readonly logLevel: LogLevel;
  readonly slots: { readonly count: number; readonly slotBytes: number } | null;
}

export type FromProcess =
  /** `pixels`: bytes of slots that the message hands over. */
  | { readonly message: FromActor; readonly pixels: readonly FilledSlot[] }
  /** Signs of life of the calls by their words, and the memory in use; sent regularly. */
  | { readonly life: readonly number[]; readonly rss: number };

interface FilledSlot extends SlotHandle {
  readonly bytes: Uint8Array;
}

/** From the request to stop to SIGKILL, ms; less than a supervisor waits. */
const STOP_MS = 5_000;

/**
 * An actor in a process of its own, as a supervisor takes it: `actors/<role>/actor` beside the module `root`
 * is its module. Slots of its requests are filled by it; it does not see what is in them.
 */
export function processSpec<C extends Contract>(
  contract: C,
  root: string,
  options: Omit<ProcessOptions, 'module' | 'contract'>,
): ChildSpec<C> {
  const module = moduleUrl(`./actors/${contract.name}/actor`, root);
  const start = () => startProcess({ ...options, module, contract });
  return { name: options.name, contract, start };
}

export function startProcess(options: ProcessOptions): Link {
  const { name, memory, settings, module, contract, log, mostBytes } = options;
  const control = createControl(contract.calls);
  const words = new Int32Array(control);
  const child = spawnActor(mostBytes);
  const post = (message: ProcessStart | ToActor) => {
    // A process that is gone is noticed by its end.
    if (child.connected) child.send(message, () => {});
  };
  post({
    ...{ name, module: module.href, calls: contract.calls, settings, logLevel: log.level },
    slots: memory ? { count: memory.generations.byteLength / 4, slotBytes: memory.slotBytes } : null,
  });
  let why = '';
  let hasEnded = false;
  const kill = (reason: string) => {
    why ||= reason;
    child.kill('SIGKILL');
  };
  const calls = new ProcessCalls(contract, memory);
  const maker = createLink(
    {
      post: (message) => {
        calls.sent(message);
        post(message);
      },
      listen: (receive) => {
        child.on('message', (from: FromProcess) => {
          if (hasEnded) return;
          try {
            if ('life' in from) {
              for (const [at, life] of from.life.entries()) words[lifeWord(words, at + 1)] = life;
              if (from.rss > mostBytes) kill(`it used more than ${Math.round(mostBytes / 1e6)} MB of memory`);
              return;
            }
            const message = calls.received(from);
            receive(message);
            if (message.type === 'closed' || message.type === 'failed') kill('');
          } catch (error) {
            kill(`it sent what it should not: ${String(error)}`);
          }
        });
      },
      close: () => {},
    },
    control,
    log,
  );
  const ended = (reason: string) => {
    if (hasEnded) return;
    hasEnded = true;
    maker.ended(reason);
  };
  child.on('error', ({ message }) => child.pid === undefined && ended(`cannot be started: ${message}`));
  child.on('exit', (code, signal) => ended(why || `ended with ${signalOf(code, signal)}`));
  return {
    ...maker.link,
    stop: () => {
      maker.link.stop();
      setTimeout(kill, STOP_MS, 'it did not stop').unref();
    },
    kill: () => kill('it showed no sign of life'),
  };
}

function spawnActor(mostBytes: number): ChildProcess {
  const entry = fileURLToPath(moduleUrl('./actor-entry', import.meta.url));
  const [program, ...args] = confined([process.execPath, ...process.execArgv, entry], mostBytes);
  // Settings and keys of ours are none of its business.
  const isOwn = ([variable]: [string, unknown]) => !variable.startsWith('FRAMEHOUND_');
  return spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
    env: Object.fromEntries(Object.entries(process.env).filter(isOwn)),
    windowsHide: true,
  });
}

/** A shell adds 128 to the number of the signal that ended its program. */
function signalOf(code: number | null, signal: string | null): string {
  const names = Object.entries(constants.signals);
  return signal ?? names.find(([, number]) => number + 128 === code)?.[0] ?? `code ${code}`;
}

/** The calls of one process: what it may answer, and which slots it may fill. */
class ProcessCalls {
  readonly #contract: Contract;
  readonly #memory: SlotMemory | undefined;
  readonly #names = new Map<number, string>();
  /** Generations of the slots that it was given to fill. */
  readonly #given = new Map<number, number>();

  constructor(contract: Contract, memory: SlotMemory | undefined) {
    this.#contract = contract;
    this.#memory = memory;
  }

  sent(message: ToActor): void {
    for (const call of message.type === 'asks' ? message.asks : [message]) {
      if (call.type === 'ask' || call.type === 'feed') this.#names.set(call.id, call.name);
      if (call.type === 'ask' || call.type === 'credit')
        for (const { slot, generation } of call.slots) this.#given.set(slot, generation);
    }
  }

  /** The message with bytes in buffers of their own, once its slots are filled. Throws for any other. */
  received({ message: sent, pixels }: Extract<FromProcess, { readonly message: unknown }>): FromActor {
    const message = owned(sent) as FromActor;
    if (message.type === 'reply' || message.type === 'item') this.#expectAnswer(message.id, message.value);
    for (const { slot, generation, bytes } of pixels) {
      if (this.#given.get(slot) !== generation) throw new Error(`slot ${slot} is not its own`);
      this.#given.delete(slot);
      slotView(this.#memory!, { slot, generation }).set(bytes);
    }
    if (message.type === 'reply' || message.type === 'end' || message.type === 'error')
      this.#names.delete(message.id);
    return message;
  }

  #expectAnswer(id: number, value: unknown): void {
    const name = this.#names.get(id) ?? '';
    const declared = this.#contract.messages[name];
    if (!declared) throw new Error('an answer to nothing');
    const complaint = complaintOf(declared.kind === 'ask' ? declared.reply : declared.item, value);
    if (complaint !== null) throw new Error(`${name}: ${complaint}`);
  }
}

/** Bytes that lie together in the buffer of a message cannot be moved on. */
function owned(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return (value as Float32Array).slice();
  if (Array.isArray(value)) return value.map(owned);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, owned(entry)]));
}
