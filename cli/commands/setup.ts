// `framehound setup`: offers what framehound can do after a download, and downloads what is chosen.
import {
  type SetupChoice,
  type SetupKind,
  setupChoices,
  setupKindNames,
  sizeText,
} from '../../actors/models/advice.ts';
import { modelErrors, type PullFailure } from '../../actors/models/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { suggestion } from '../../runtime/text.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import {
  argumentsOf,
  type Command,
  type Context,
  exit,
  invocation,
  keptAlive,
  usageErrors,
} from '../context.ts';
import { createSetupView } from '../progress-view.ts';
import { useModel } from './models.ts';

export const setup: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.setup, args);
  const only = [...values.only.flatMap((word) => word.split(',')), ...positionals];
  if ([values.all, values.none, values.only.length > 0].filter(Boolean).length > 1)
    throw usageErrors.USAGE('setup takes only one of --all, --only and --none');
  if (values.only.length === 0 && only.length > 0)
    throw usageErrors.USAGE(`setup takes no arguments; did you mean --only ${only.join(' ')}?`);
  const kinds = values.all ? setupKindNames : only.map(kindNamed);
  const choices = await readChoices(context);
  const absent = only.find((word) => !choices.some(({ kind }) => kind === word));
  if (absent !== undefined)
    throw modelErrors.MODEL_UNSUPPORTED(`no model for ${absent} runs on this machine`, { kind: absent });
  if (kinds.length > 0 || values.none) return downloadChoices(firstOfKinds(choices, kinds), context);
  if (!choices.some(isOpen)) {
    context.out('Everything is downloaded already\n');
    return exit.ok;
  }
  const { ask } = context;
  const chosen = ask === null ? firstOfKinds(choices, unaskedKinds) : await askChoices(choices, ask, context);
  return downloadChoices(chosen, context);
};

function kindNamed(word: string): SetupKind {
  const kind = setupKindNames.find((name) => name === word);
  if (kind) return kind;
  const alternatives = suggestion(word, setupKindNames) || `; use ${setupKindNames.join(', ')}`;
  throw usageErrors.USAGE(`--only ${word} is not known${alternatives}`);
}

/** Kinds downloaded without a question: small, from the npm registry, and useful for any footage. */
const unaskedKinds: readonly SetupKind[] = ['things', 'words', 'voice-detection'];

async function readChoices({ installation }: Context): Promise<readonly SetupChoice[]> {
  const { models } = await (await installation()).models.list();
  return setupChoices(models);
}

/** The first choice of each kind is the usual one. */
function firstOfKinds(choices: readonly SetupChoice[], kinds: readonly SetupKind[]): readonly SetupChoice[] {
  return choices.filter(
    ({ kind }, at) => kinds.includes(kind) && choices.findIndex((choice) => choice.kind === kind) === at,
  );
}

// The question.

const purposes: Readonly<Record<SetupKind, string>> = {
  things: 'finds 80 kinds of things',
  words: 'reads printed words in pictures',
  'voice-detection': 'finds where somebody speaks',
  faces: 'finds faces and groups them into people',
  sounds: 'finds music and singing',
  voices: 'tells speakers apart',
  speech: 'writes down what is said',
  descriptions: 'finds pictures by any description',
};

async function askChoices(
  choices: readonly SetupChoice[],
  ask: (question: string) => Promise<string>,
  { screen }: Context,
): Promise<readonly SetupChoice[]> {
  const open = choices.filter(isOpen);
  let ticked = new Set(open.filter(({ isAdvised }) => isAdvised));
  screen.write('framehound can do more after a download. Each comes once and then runs on this machine:\n\n');
  for (;;) {
    screen.write(`${choiceLines(choices, ticked, screen.columns).join('\n')}\n\n`);
    const bytes = [...ticked].reduce((sum, choice) => sum + choice.bytes, 0);
    const effect = ticked.size === 0 ? 'Enter: download nothing' : `Enter: download ${size(bytes)}`;
    const answer = await ask(`${effect}. Numbers change ticks, or type all or none: `);
    if (answer === '') return [...ticked];
    const changed = answerTo(answer, choices, ticked);
    if (changed) ticked = changed;
    else screen.write(`"${answer}" is not understood: type numbers from 1 to ${open.length}, all or none.\n`);
    screen.write('\n');
  }
}

/** The ticks after an answer; null for one that is not understood. */
function answerTo(
  answer: string,
  choices: readonly SetupChoice[],
  ticked: ReadonlySet<SetupChoice>,
): Set<SetupChoice> | null {
  if (/^(n|none)$/i.test(answer)) return new Set();
  const usual = firstOfKinds(choices, setupKindNames).filter(isOpen);
  if (/^(a|all)$/i.test(answer)) return new Set(usual);
  const open = choices.filter(isOpen);
  const changed = new Set(ticked);
  for (const word of answer.split(/[\s,]+/)) {
    const choice = /^\d+$/.test(word) ? open[Number(word) - 1] : undefined;
    if (!choice) return null;
    if (!changed.delete(choice)) changed.add(choice);
  }
  return changed;
}

function isOpen({ missing }: SetupChoice): boolean {
  return missing.length > 0;
}

/** The keys of the models are shown where the terminal has room for them. */
function choiceLines(
  choices: readonly SetupChoice[],
  ticked: ReadonlySet<SetupChoice>,
  columns: number,
): string[] {
  const open = choices.filter(isOpen);
  const usual = firstOfKinds(choices, setupKindNames);
  const rows = choices.map((choice) => {
    const { kind, keys, bytes, isMeasured } = choice;
    const mark = isOpen(choice)
      ? `${open.indexOf(choice) + 1}`.padStart(2).concat(` [${ticked.has(choice) ? 'x' : ' '}]`)
      : '    ✓ ';
    const purpose = purposes[kind].concat(usual.includes(choice) ? '' : ', larger model');
    const state = isOpen(choice) ? size(bytes) : 'there';
    const line = ` ${mark} ${kind.padEnd(16)} ${purpose.padEnd(40)} ${state.padStart(7)}`;
    return { line, models: `${keys.join(' + ')}${isMeasured ? '' : ', not measured here'}` };
  });
  const hasRoom = rows.every(({ line, models }) => line.length + models.length + 2 < columns);
  return rows.map(({ line, models }) => (hasRoom ? `${line}  ${models}` : line));
}

function size(bytes: number): string {
  return sizeText(bytes / 1e9);
}

// The download.

async function downloadChoices(chosen: readonly SetupChoice[], context: Context): Promise<number> {
  const { out, screen, config } = context;
  const keys = [...new Set(chosen.flatMap(({ missing }) => missing))];
  if (keys.length === 0) {
    out(chosen.length === 0 ? 'Nothing was downloaded\n' : 'Everything chosen is downloaded already\n');
    return exit.ok;
  }
  const { state, failures } = await download(keys, context, null);
  const absent = new Set(failures.map(({ key }) => key));
  const [ready, lacking] = partition(chosen, ({ missing }) => !missing.some((key) => absent.has(key)));
  if (ready.length > 0) out(`Ready: ${[...new Set(ready.map(({ kind }) => kind))].join(', ')}\n`);
  const visual = ready.find(({ kind }) => kind === 'descriptions');
  if (visual && visual.missing.length > 0 && config.sources.model === 'default')
    await useModel(visual.keys[0]!, context);
  if (state !== 'failed') return exit.ok;
  const kinds = [...new Set(lacking.map(({ kind }) => kind))].join(', ');
  screen.write(`Not ready: ${kinds}. ${failureText(failures)}\n`);
  return ready.length > 0 ? exit.someFailed : exit.error;
}

function partition<T>(all: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isFirst), all.filter((item) => !isFirst(item))];
}

const unreachedFile = /^\S+: (?=\S+ cannot be reached)/;

/** Why models are not ready and how to get them, in one line. */
function failureText(failures: readonly PullFailure[]): string {
  // If a host cannot be reached, the first requested file is irrelevant.
  const reasons = new Set(failures.map(({ message }) => message.split('\n')[0]!.replace(unreachedFile, '')));
  // One that failed its self-test is there, and another download changes nothing.
  const absent = failures.filter(({ code }) => code !== modelErrors.MODEL_REFUSED.code);
  const keys = absent.map(({ key }) => key).join(' ');
  const later =
    absent.length === 0
      ? ''
      : `. To continue later, run ${invocation} setup again; ` +
        `${invocation} models pull ${keys} lists the files to copy manually`;
  return `${[...reasons].join('; ')}${later}`;
}

/** Ms that the tour waits for a download, which goes on without it. */
const longestOfTour = 90_000;

interface Outcome {
  /** `later`: the download goes on in the background. */
  readonly state: 'there' | 'later' | 'failed';
  /** The models that are not there. */
  readonly failures: readonly PullFailure[];
}

/**
 * Shows the progress on the screen. `longest`: ms after which the download goes on alone; null waits for its
 * end, however slow the line is. Throws CANCELLED.
 */
async function download(keys: readonly string[], context: Context, longest: number | null): Promise<Outcome> {
  const { screen, clock, values, signal, installation } = context;
  const opened = await installation();
  const view = createSetupView(screen, clock);
  const over = Promise.withResolvers<Outcome>();
  const { models_url: server, device } = values;
  const order = { modelsDir: folders(values).models, server, keys, device };
  const pulling = opened.pullInBackground(order, (stand) => {
    view.progress(stand);
    // A download that fails at once will hardly succeed within the time that a person waits.
    if (longest !== null && stand.phase === 'waiting')
      over.resolve({
        state: 'failed',
        failures: [{ key: stand.key, code: '', message: stand.reason ?? '' }],
      });
  });
  void pulling.ended.then((failures) => {
    if (failures.length === 0) over.resolve({ state: 'there', failures });
    // Another command began it, and it goes on.
    else if (failures.every(({ code }) => code === modelErrors.MODEL_IN_DOWNLOAD.code))
      over.resolve({ state: 'later', failures });
    else over.resolve({ state: 'failed', failures });
  });
  const late = () => over.resolve({ state: 'later', failures: [] });
  const disarm = longest === null ? () => {} : clock.after(longest, late);
  const cancel = () => over.resolve({ state: 'failed', failures: [] });
  signal.addEventListener('abort', cancel, { once: true });
  const outcome = await keptAlive(over.promise);
  disarm();
  signal.removeEventListener('abort', cancel);
  view.end();
  if (outcome.state === 'failed') pulling.stop();
  else pulling.leave();
  if (signal.aborted) {
    screen.write(`Interrupted. ${invocation} setup continues with what is there\n`);
    throw engineErrors.CANCELLED();
  }
  if (outcome.state === 'later')
    screen.write(
      'The download continues in the background. Media analysed after it has finished will include it.\n',
    );
  return outcome;
}

// The tour brings the small models before its analysis, and offers the others at its end.

/** Waits no longer than 90 s, and not for another try of what failed. */
export async function bringSight(context: Context): Promise<Outcome['state']> {
  const chosen = firstOfKinds(await readChoices(context), unaskedKinds);
  const keys = chosen.flatMap(({ missing }) => missing);
  if (keys.length === 0) return 'there';
  const { screen } = context;
  screen.write('Downloading the models for things, printed words and voice detection (only once):\n');
  const outcome = await download(keys, context, longestOfTour);
  if (outcome.state === 'failed') {
    const [first] = outcome.failures;
    screen.write(
      `Not all models could be downloaded: ${first?.message.split('\n')[0]}\nTo try again later: ${invocation} setup\n`,
    );
  }
  return outcome.state;
}

/** Asks what else to download; without a terminal it only says that there is more. */
export async function offerSetup(context: Context): Promise<void> {
  const choices = await readChoices(context);
  const advised = choices.filter(({ isAdvised }) => isAdvised);
  if (advised.length === 0) return;
  const { ask, screen } = context;
  screen.write('\n');
  if (ask === null) {
    const kinds = [...new Set(advised.map(({ kind }) => kind))].join(', ');
    screen.write(`To add ${kinds}: ${invocation} setup\n`);
    return;
  }
  await downloadChoices(await askChoices(choices, ask, context), context);
}

/**
 * True if a command that was not about models downloads them: not in automated checks, which would download
 * them each time.
 */
export function bringsSight({ values }: Context, env: Readonly<Record<string, string | undefined>>): boolean {
  return values.sight === 'auto' && values.server === '' && !env['CI'];
}
