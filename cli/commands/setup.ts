// `framehound setup`: brings what an installation leaves out, the models that see things, read printed words
// and hear where somebody speaks.
import { parseArgs } from 'node:util';
import { keysOf } from '../../actors/models/advice.ts';
import { modelErrors, type PullProgress } from '../../actors/models/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, invocation, keptAlive } from '../context.ts';
import { createPullView } from '../progress-view.ts';

// Brings the models that see things and read printed words, without keeping anybody waiting for long.

/** Ms that a command waits for a download that goes on without it. */
const longest = 90_000;

/**
 * `there`: nothing is missing. `later`: the download goes on in the background. `failed`: it cannot be had
 * now.
 */
export type Brought = 'there' | 'later' | 'failed';

/** Says on the screen what happens. Waits no longer than 90 s, and not for another try of what failed. */
export async function bringSight(context: Context): Promise<Brought> {
  const { screen, clock, values, signal, installation } = context;
  const opened = await installation();
  const { models } = await opened.models.list();
  const there = new Set(models.filter(({ downloaded }) => downloaded).map(({ row }) => row.key));
  const keys = setupKeys(models).filter((key) => !there.has(key));
  if (keys.length === 0) return 'there';
  screen.write('Downloading the models for things, printed words and voice detection (only once):\n');
  const view = createPullView(screen, clock);
  const over = Promise.withResolvers<Brought>();
  let reason = '';
  const fail = (text: string) => {
    [reason = ''] = text.split('\n');
    over.resolve('failed');
  };
  const progress = (update: PullProgress) => {
    view.progress(update);
    // What failed at once will hardly come within the time that a person waits.
    if (update.phase === 'waiting') fail(update.reason ?? '');
  };
  const order = { modelsDir: folders(values).models, server: values.models_url, keys };
  const pulling = opened.pullInBackground(order, progress);
  void pulling.ended.then((failure) => {
    if (failure === null) over.resolve('there');
    // Another command began it, and it goes on.
    else if (failure.code === modelErrors.MODEL_IN_DOWNLOAD.code) over.resolve('later');
    else fail(failure.message);
  });
  const disarm = clock.after(longest, () => over.resolve('later'));
  const cancel = () => over.resolve('failed');
  signal.addEventListener('abort', cancel, { once: true });
  const brought = await keptAlive(over.promise);
  disarm();
  signal.removeEventListener('abort', cancel);
  view.end();
  if (brought === 'failed') pulling.stop();
  else pulling.leave();
  if (signal.aborted) throw engineErrors.CANCELLED();
  if (brought === 'later')
    screen.write(
      'The download continues in the background. Media analysed after it has finished will include things and printed words.\n',
    );
  if (brought === 'failed')
    screen.write(
      `Not all models could be downloaded: ${reason}\nTo try again later: ${invocation} models pull ${keys.join(' ')}\n` +
        'Without a network, the same command lists the files to fetch on another machine, and where to put them.\n',
    );
  return brought;
}

/**
 * Whether a command that was not asked for them brings them: not in automatic checks, which would fetch them
 * each time.
 */
export function bringsSight({ values }: Context, env: Readonly<Record<string, string | undefined>>): boolean {
  return values.sight === 'auto' && values.server === '' && !env['CI'];
}

/** What npm has and every installation should: sight, and where somebody speaks. Empty where nothing fits. */
function setupKeys(models: Parameters<typeof keysOf>[1]): readonly string[] {
  const voice = models.filter(({ row, advised }) => row.kind === 'voice' && advised);
  try {
    return [...keysOf('sight', models), ...voice.map(({ row }) => row.key)];
  } catch (error) {
    if (modelErrors.MODEL_UNKNOWN.is(error)) return [];
    throw error;
  }
}

export const setup: Command = async (args, context) => {
  parseArgs({ args: [...args], options: commandTable.setup.options });
  const brought = await bringSight(context);
  if (brought === 'there')
    context.out('All models for things, printed words and voice detection are installed\n');
  return brought === 'failed' ? exit.error : exit.ok;
};
