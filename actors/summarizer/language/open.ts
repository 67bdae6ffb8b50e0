// Opens language models of the models folder, on the device and with the threads of the settings.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { engineErrors } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import type { SummaryRow } from '../../models/contract.ts';
import type { DeviceChoice } from '../../models/device.ts';
import { familyIn, fileOf, findSummaryRow, readRegistry, requireFiles } from '../../models/registry.ts';
import { type ExpectedInput, openSession } from '../../models/session.ts';
import { clipped } from '../text/sentences.ts';
import {
  type GeneratedNode,
  type Read,
  readNodeAnswer,
  readWholeAnswer,
  type WholeAnswer,
} from './answer/forms.ts';
import { guardNode, guardWhole } from './answer/guard.ts';
import type { GeneratedText, LanguageWriter, NodeMaterial, OpenLanguageWriter } from './contract.ts';
import {
  fittedSize,
  gridOf,
  gridPositions,
  patchesOf,
  patchValues,
  plainPositions,
  tokensOf,
} from './decoder.ts';
import { type Chat, type LanguageFamily, type LanguageModel, openModel, type PromptPiece } from './model.ts';
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

// The families of language models: chat format, preparation of pictures, and positions.

// Qwen3-VL: pictures keep their proportions, and every 32×32 px are a token with a row and a column.

/** The grid of a picture has one of these names, by the age of the export. */
const gridNames = ['grid_thw', 'image_grid_thw'] as const;

function visionInputs(declared: readonly string[]): ExpectedInput[] {
  return [
    { name: 'pixel_values', type: 'float32', shape: [null, patchValues] },
    { name: gridName(declared), type: 'int64', shape: [1, 3] },
  ];
}

const gridName = (declared: readonly string[]) =>
  gridNames.find((name) => declared.includes(name)) ?? gridNames[0];

const stretchOf = (piece: PromptPiece) =>
  'ids' in piece ? { tokens: piece.ids.length } : { grid: gridOf(piece.picture) };

const qwen3vl: LanguageFamily = {
  axes: 3,
  visionInputs,
  format: (tokenizer, row, declared) => {
    const mark = (content: string) => tokenizer.mark(content);
    const [begin, end] = [mark('<|im_start|>'), mark('<|im_end|>')];
    const [before, after] = [mark('<|vision_start|>'), mark('<|vision_end|>')];
    const line = tokenizer.text('\n');
    const mostPixels = row.frame_resolution ** 2;
    const grid = gridName(declared);
    return {
      ends: new Set([end, mark('<|endoftext|>')]),
      pieces: ({ turns, pictures }) => {
        const shown = turns.findIndex(({ role }) => role === 'user');
        const pieces = turns.flatMap(({ role, text }, at): PromptPiece[] => [
          { ids: [begin, ...tokenizer.text(`${role}\n`)] },
          ...(at === shown ? pictures : []).flatMap((picture) => [
            { ids: [before] },
            picture,
            { ids: [after] },
          ]),
          { ids: [...tokenizer.text(text), end, ...line] },
        ]);
        return [...pieces, { ids: [begin, ...tokenizer.text('assistant\n')] }];
      },
      positions: (pieces) => gridPositions(pieces.map(stretchOf)),
      fitted: (size) => {
        const fitted = fittedSize(size, mostPixels);
        return { ...fitted, tokens: tokensOf(gridOf(fitted)) };
      },
      pixels: (picture) => {
        const { rows, columns } = gridOf(picture);
        return {
          pixel_values: { data: patchesOf(picture), dims: [rows * columns, patchValues] },
          [grid]: { data: BigInt64Array.of(1n, BigInt(rows), BigInt(columns)), dims: [1, 3] },
        };
      },
    };
  },
};

// SmolVLM and SmolVLM2: a picture is squeezed into one square and becomes 64 tokens.

/** Tokens of a picture: patches of 16 px of a square of 512, 16 to a token. */
const pictureTokens = 64;

const names = { system: 'System', user: 'User', assistant: 'Assistant' } as const;

const smolvlm: LanguageFamily = {
  axes: 1,
  visionInputs: () => [
    { name: 'pixel_values', type: 'float32', shape: [1, 1, 3, null, null] },
    { name: 'pixel_attention_mask', type: 'bool', shape: [1, 1, null, null] },
  ],
  format: (tokenizer, { frame_resolution: side }) => {
    const begin = tokenizer.mark('<|im_start|>');
    const end = tokenizer.mark('<end_of_utterance>');
    const around = tokenizer.mark('<fake_token_around_image>');
    const whole = tokenizer.mark('<global-img>');
    const seenAs = (picture: Extract<PromptPiece, { picture: unknown }>): PromptPiece[] => [
      { ids: [around, whole] },
      picture,
      { ids: [around] },
    ];
    return {
      ends: new Set([end]),
      pieces: ({ turns, pictures }) => {
        const shown = turns.findIndex(({ role }) => role === 'user');
        const pieces = turns.flatMap(({ role, text }, at): PromptPiece[] => {
          const shownPictures = at === shown ? pictures : [];
          const head = `${names[role]}:`;
          const close = [end, ...tokenizer.text('\n')];
          // Without pictures a space follows, which belongs to the token of the next word.
          if (shownPictures.length === 0) return [{ ids: [...tokenizer.text(`${head} ${text}`), ...close] }];
          const shownText = [...tokenizer.text(text), ...close];
          return [{ ids: tokenizer.text(head) }, ...shownPictures.flatMap(seenAs), { ids: shownText }];
        });
        return [{ ids: [begin] }, ...pieces, { ids: tokenizer.text('Assistant:') }];
      },
      positions: (pieces) =>
        plainPositions(
          pieces.reduce((sum, piece) => sum + ('ids' in piece ? piece.ids.length : piece.tokens), 0),
        ),
      fitted: () => ({ width: side, height: side, tokens: pictureTokens }),
      pixels: ({ rgb }) => ({
        pixel_values: { data: planes(rgb, side), dims: [1, 1, 3, side, side] },
        pixel_attention_mask: {
          data: new Uint8Array(side * side).fill(1),
          dims: [1, 1, side, side],
          type: 'bool',
        },
      }),
    };
  },
};

/** Three planes of values from -1 to 1. */
function planes(rgb: Uint8Array, side: number): Float32Array {
  const values = new Float32Array(3 * side * side);
  for (let channel = 0; channel < 3; channel++)
    for (let pixel = 0; pixel < side * side; pixel++)
      values[channel * side * side + pixel] = rgb[pixel * 3 + channel]! / 127.5 - 1;
  return values;
}

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
        return failed(
          material,
          shortWarnings([...unseen, 'the prompt does not fit into the context of the model']),
        );
      const before = [...unseen, ...prompt.warnings];
      const answer = await ask(row, model, prompt, { read: readNodeAnswer, form: nodeForm }, checkpoint);
      if ('warnings' in answer) return failed(material, shortWarnings([...before, ...answer.warnings]));
      return guardedText(answer.value, material, before);
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
      const answer = await ask<WholeAnswer>(row, model, prompt, form, checkpointOf(signal, alive));
      const whole = 'value' in answer ? guardWhole(answer.value, root) : null;
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
  const answer = read(first.text);
  if ('value' in answer) return answer;
  const problem = first.ended ? answer.problem : `it was stopped at ${summary.answer} tokens`;
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

function guardedText(
  answer: GeneratedNode,
  material: NodeMaterial,
  before: readonly string[],
): GeneratedText {
  const { text, hints } = guardNode(answer, material);
  if (text !== '') {
    return { text, verification_hints: hints, failed: false, warnings: shortWarnings(before) };
  }
  const warnings = shortWarnings([...before, 'the evidence supports nothing that the model wrote']);
  return { ...failed(material, warnings), verification_hints: hints };
}

function failed({ template_text }: NodeMaterial, warnings: readonly string[]): GeneratedText {
  return { text: template_text, verification_hints: [], failed: true, warnings };
}

const shortWarnings = (warnings: readonly string[]) =>
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
 * The returned function throws MODEL_UNSUPPORTED and CANCELLED too, and frees all it opened before it throws.
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

const families: ReadonlyMap<string, LanguageFamily> = new Map([
  ['qwen3vl', qwen3vl],
  ['smolvlm', smolvlm],
]);

export const familyOf = (row: SummaryRow): LanguageFamily => familyIn(families, row);
