// Opens language models of the models folder, on the device and with the threads of the settings.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { engineErrors } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { modelErrors, type SummaryRow } from '../../models/contract.ts';
import type { DeviceChoice } from '../../models/device.ts';
import { fileOf, findSummaryRow, readRegistry, requireFiles } from '../../models/registry.ts';
import { openSession } from '../../models/session.ts';
import { clipped } from '../text/sentences.ts';
import {
  type NodeAnswer,
  type Read,
  readNodeAnswer,
  readWholeAnswer,
  type WholeAnswer,
} from './answer/forms.ts';
import { guardNode, guardWhole } from './answer/guard.ts';
import type { LanguageWriter, NodeMaterial, NodeText, OpenLanguageWriter } from './contract.ts';
import { qwen3vl, smolvlm } from './families.ts';
import { type Chat, type Family, type LanguageModel, openModel } from './model.ts';
import {
  entriesOf,
  type Fitted,
  fitted,
  longestEntry,
  nodeForm,
  nodePrompt,
  plain,
  repair,
  type ShownFrame,
  wholeForm,
  wholePrompt,
} from './prompts.ts';

// Writes the texts of nodes with a language model: prompt, answer, one repair, and the guard. What cannot be
// used leaves the text from templates in its place.

/** Tokens kept free for the one repair, and UTF-16 units of the wrong answer that it shows. */
const repairRoom = 256;
const longestWrongAnswer = 400;
const longestWarning = 500;

type Written<T> = { readonly value: T } | { readonly warnings: readonly string[] };

/** `close`: frees the model. */
function createWriter(row: SummaryRow, model: LanguageModel): LanguageWriter {
  const { pictures } = row.summary;
  return {
    model_key: row.key,
    runsOn: model.runsOn,
    mostPictures: pictures,
    node: async (material, signal, alive) => {
      const checkpoint = checkpointOf(signal, alive);
      const { frames, warnings: unseen } = await framesOf(model, material, pictures);
      const prompt = fitted({
        frames,
        entries: entriesOf(material),
        longest: longestEntry(material),
        make: (some, share) => nodePrompt(material, some, share),
        countTokens: model.countTokens,
        room: roomOf(row),
      });
      if (prompt === null)
        return failed(material, told([...unseen, 'the prompt does not fit into the context of the model']));
      const before = [...unseen, ...prompt.warnings];
      const found = await ask(row, model, prompt, { read: readNodeAnswer, form: nodeForm }, checkpoint);
      if ('warnings' in found) return failed(material, told([...before, ...found.warnings]));
      return guardedText(found.value, material, before);
    },
    whole: async (root, signal, alive) => {
      const prompt = fitted({
        frames: [],
        entries: 1,
        longest: root.template_text.length,
        make: (_, share) => wholePrompt(root, root.template_text, share),
        countTokens: model.countTokens,
        room: roomOf(row),
      });
      if (prompt === null) return null;
      const form = { read: readWholeAnswer, form: wholeForm };
      const found = await ask<WholeAnswer>(row, model, prompt, form, checkpointOf(signal, alive));
      const whole = 'value' in found ? guardWhole(found.value, root) : null;
      return whole && { one_line_summary: whole.one_line, short_summary: whole.short };
    },
    close: () => model.close(),
  };
}

/** A cancel is seen before every run, and what was posted to this thread is received. */
function checkpointOf(signal: AbortSignal, alive?: () => void): Checkpoint {
  const throwIfAborted = () => {
    if (signal.aborted) throw engineErrors.CANCELLED();
  };
  return async () => {
    throwIfAborted();
    alive?.();
    await eventLoopTurn();
    throwIfAborted();
  };
}

const roomOf = ({ summary: { context, answer } }: SummaryRow) => context - answer - repairRoom;

/** At most `most` frames, spread evenly, of those that can be decoded. */
async function framesOf(model: LanguageModel, { pictures }: NodeMaterial, most: number) {
  const count = Math.min(most, pictures.length);
  const warnings: string[] = [];
  const frames: ShownFrame[] = [];
  for (let at = 0; at < count; at++) {
    const { frame_idx, jpeg } = pictures[Math.floor(((at + 0.5) * pictures.length) / count)]!;
    try {
      frames.push({ frame_idx, seen: await model.look(jpeg) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warnings.push(`the frame ${frame_idx} cannot be read: ${reason}`);
    }
  }
  return { frames, warnings };
}

interface Form<T> {
  read(answer: string): Read<T>;
  readonly form: string;
}

/** An answer, or a second one after the problem of the first was told. */
async function ask<T>(
  { summary }: SummaryRow,
  model: LanguageModel,
  { chat }: Fitted,
  { read, form }: Form<T>,
  checkpoint: Checkpoint,
): Promise<Written<T>> {
  const first = await model.answer(chat, summary.answer, checkpoint);
  const found = read(first.text);
  if ('value' in found) return found;
  const problem = first.ended ? found.problem : `it was stopped at ${summary.answer} tokens`;
  const again = repaired(chat, first.text, repair(problem, form));
  const useless = `the answer of the model cannot be used: ${problem}`;
  if (model.countTokens(again) + summary.answer > summary.context) {
    return { warnings: [useless, 'there was no room to ask again'] };
  }
  const second = await model.answer(again, summary.answer, checkpoint);
  const better = read(second.text);
  if ('value' in better) return better;
  const still = second.ended ? better.problem : `it was stopped at ${summary.answer} tokens`;
  return { warnings: [`${useless}; asked again: ${still}`] };
}

function repaired(chat: Chat, wrong: string, demand: string): Chat {
  const turns = [
    ...chat.turns,
    { role: 'assistant', text: clipped(plain(wrong), longestWrongAnswer) },
    { role: 'user', text: demand },
  ] as const;
  return { ...chat, turns };
}

function guardedText(answer: NodeAnswer, material: NodeMaterial, before: readonly string[]): NodeText {
  const { text, hints } = guardNode(answer, material);
  if (text !== '') {
    return { text, verification_hints: hints, failed: false, warnings: told(before) };
  }
  const warnings = told([...before, 'the evidence supports nothing that the model wrote']);
  return { ...failed(material, warnings), verification_hints: hints };
}

function failed({ template_text }: NodeMaterial, warnings: readonly string[]): NodeText {
  return { text: template_text, verification_hints: [], failed: true, warnings };
}

const told = (warnings: readonly string[]) =>
  warnings.map((warning) => clipped(plain(warning), longestWarning));

export interface LanguageEnv {
  readonly settings: {
    /** Absolute path of the folder with a folder for each model. */
    readonly modelsDir: string;
    readonly device: DeviceChoice;
    /** Threads inside one run; 0 leaves it to the runtime. */
    readonly threads: number;
  };
  readonly log: Log;
  readonly stopping?: AbortSignal;
}

/**
 * What it answers throws MODEL_UNSUPPORTED and CANCELLED too; whatever is thrown, what was opened is freed.
 */
export function openLanguageWriter({ settings, log, stopping }: LanguageEnv): OpenLanguageWriter {
  const { modelsDir, device, threads } = settings;
  return async (model_key, signal) => {
    const checkpoint = async () => {
      await eventLoopTurn();
      if (signal.aborted) throw engineErrors.CANCELLED();
    };
    await checkpoint();
    const row = findSummaryRow(await readRegistry(modelsDir), model_key);
    await requireFiles(modelsDir, row);
    const file = (role: string) => fileOf(modelsDir, row, role);
    const session = (source: string | Uint8Array) =>
      openSession(source, { device, threads, log, checkpoint, ...(stopping && { stopping }) });
    return createWriter(row, await openModel(familyOf(row), row, file, session, checkpoint));
  };
}

// The implementation of each family of language models, by the row's `family`.

const families: ReadonlyMap<string, Family> = new Map([
  ['qwen3vl', qwen3vl],
  ['smolvlm', smolvlm],
]);

/** Throws MODEL_INVALID for a family that is not implemented. */
export function familyOf({ key, family }: SummaryRow): Family {
  const found = families.get(family);
  if (found) return found;
  const known = [...families.keys()].join(', ');
  throw modelErrors.MODEL_INVALID(`The model "${key}" is of the family "${family}"; there is ${known}`, {
    key,
  });
}
