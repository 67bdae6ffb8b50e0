// What can be typed where on the command line, read off the table of commands and the settings; each shell's
// script is written from it.
import { settings } from '../../settings.ts';
import { type Action, type Completion, commandTable, type Options } from '../command-table.ts';

export interface Word {
  readonly word: string;
  readonly help: string;
}

export interface Flag extends Word {
  readonly takesValue: boolean;
  readonly completes: Completion | undefined;
}

/**
 * A command, or an action of one; `path`: as it is typed, `tasks show`, and empty where no command is typed
 * yet.
 */
export interface Place {
  readonly path: string;
  readonly words: readonly Word[];
  readonly flags: readonly Flag[];
  /** What completes its arguments beside the words. */
  readonly completes: Completion | undefined;
}

/** Flags that every command takes. */
export const settingFlags: readonly Flag[] = Object.entries(settings).flatMap(([name, setting]) => {
  const { flag, doc, schema } = setting as { flag?: string; doc: string; schema: object };
  if (flag === undefined) return [];
  const folder = name === 'home' || name === 'cache_dir';
  return [{ word: `--${flag}`, help: doc, takesValue: true, completes: folder ? 'folder' : choices(schema) }];
});

const general: readonly Word[] = [
  { word: 'help', help: 'every command and option' },
  { word: 'version', help: 'the version of this program' },
];

export const places: readonly Place[] = [
  {
    path: '',
    words: [...wordsOf(commandTable), ...general],
    flags: [{ word: '--help', help: general[0]!.help, takesValue: false, completes: undefined }],
    completes: undefined,
  },
  ...Object.entries(commandTable).flatMap(([name, command]) => placesOf(name, command)),
];

/** Every flag that is followed by a value, once: a name means the same wherever it stands. */
export const valueFlags: readonly Flag[] = [
  ...new Map(
    [...settingFlags, ...places.flatMap(({ flags }) => flags)]
      .filter(({ takesValue }) => takesValue)
      .map((flag) => [flag.word, flag]),
  ).values(),
];

function placesOf(path: string, { options = {}, completes, actions = {} }: Action): Place[] {
  return [
    { path, words: wordsOf(actions), flags: flagsOf(options), completes },
    ...Object.entries(actions).flatMap(([word, action]) => placesOf(`${path} ${word}`, action)),
  ];
}

function wordsOf(actions: Readonly<Record<string, Action>>): Word[] {
  return Object.entries(actions).map(([word, { help }]) => ({ word, help }));
}

function flagsOf(options: Options): Flag[] {
  let help = '';
  return Object.entries(options).map(([name, option]) => {
    // Options of one row share its text.
    help = option.help ?? (option.row ? help : '');
    return { word: `--${name}`, help, takesValue: option.type === 'string', completes: option.completes };
  });
}

function choices(schema: object): readonly string[] | undefined {
  const { anyOf } = schema as { anyOf?: readonly { readonly const?: unknown }[] };
  return anyOf?.map((one) => String(one.const));
}
