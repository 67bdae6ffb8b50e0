// The texts of `framehound help` and `framehound help COMMAND`, read off the table of commands.

import { suggestion } from '../runtime/text.ts';
import { settings } from '../settings.ts';
import { type Action, type CommandName, commandTable, type Options } from './command-table.ts';
import { type Command, usageErrors } from './context.ts';

/** Where the texts of `help COMMAND` begin; a usage that is longer has its text below. */
const column = 36;

/** The commands by what they are for, in the order of the overview. */
export const groups: Readonly<Record<string, readonly CommandName[]>> = {
  Analyse: ['analyze', 'transcribe', 'watch', 'tasks'],
  Search: ['search', 'searches', 'takes', 'transcript', 'summary', 'open'],
  People: ['faces'],
  Export: ['export', 'thumbnails'],
  Library: ['list', 'move', 'roots', 'library', 'forget', 'prune', 'disk'],
  Service: ['serve', 'stop', 'webhooks', 'cluster', 'mcp', 'license'],
  Models: ['models', 'setup'],
  Other: ['doctor', 'config', 'tour', 'completion'],
};

/** Every command in a line; the options are in the help of each command. */
export function helpText(): string {
  const table: Readonly<Record<CommandName, Action>> = commandTable;
  const lines = Object.entries(groups).flatMap(([group, names]) =>
    names.map((name, i) => {
      const { usage = 'ACTION', help } = table[name];
      return `${(i === 0 ? group : '').padEnd(9)}${`${name} ${usage}`.padEnd(23)}${help}`;
    }),
  );
  return `framehound finds moments in your footage by what is seen, said or written.

${lines.join('\n')}

framehound help COMMAND shows the actions and options of a command.
${settingsText}`;
}

const settingsText = `Settings for every command: --home DIR --cache-dir DIR --model KEY --device D --log-level LEVEL
--log-format json|text --decode exact|keyframes --server URL --key KEY. The environment and
config.json can set them too (framehound config). With --server a running service does the work of
most commands. Other users can see --key in the list of processes, but not FRAMEHOUND_LICENSE_KEY.
`;

export function commandHelp(name: string, command: Action): string {
  // Every action has a line here, and a command that only has actions begins with what it is for.
  const { actions = {} } = command;
  const listed = Object.entries(actions).map(([word, action]) => [
    word,
    { ...action, usage: action.usage ?? '' },
  ]);
  const shown = { ...command, usage: command.usage ?? 'ACTION', actions: Object.fromEntries(listed) };
  return `${commandLines(name, shown).join('\n')}\n\n${settingsText}`;
}
function commandLines(name: string, { usage, help, settings, options = {}, actions = {} }: Action): string[] {
  // Rows without a line of their own would stand below the action before.
  const lines = [
    line(`  framehound ${name} ${usage}`, help),
    ...(settings ? [line(`      ${settings.usage}`, settings.help)] : []),
    ...optionLines(options),
  ];
  return [
    ...(usage === undefined ? [] : lines),
    ...Object.entries(actions).flatMap(([word, action]) =>
      commandLines(actionName(name, word, action), action),
    ),
  ];
}

/** An action that may be left out says so in its own usage. */
function actionName(command: string, word: string, { usage }: Action): string {
  return usage?.startsWith(`[${word}]`) ? command : `${command} ${word}`;
}

function optionLines(options: Options): string[] {
  const rows: { usage: string; readonly help: string }[] = [];
  for (const [name, { value, help, row }] of Object.entries(options)) {
    const flag = value === undefined ? `--${name}` : `--${name} ${value}`;
    const last = rows.at(-1);
    if (help !== undefined) rows.push({ usage: flag, help });
    else if (row && last) last.usage += row === 'shared' ? ` ${flag}` : ` [${flag}]`;
  }
  return rows.map(({ usage, help }) => line(`      ${usage}`, help));
}

function line(usage: string, help: string): string {
  const usageText = usage.trimEnd();
  return usageText.length < column
    ? usageText.padEnd(column) + help
    : `${usageText}\n${' '.repeat(column)}${help}`;
}

// Errors of a command line, with what was probably meant.

const settingNames = Object.values(settings).flatMap(({ flag }) => (flag === undefined ? [] : [flag]));

export function unknownCommand(name: string): Error {
  if (name.startsWith('-')) return unknownOption(name, {}, 'help');
  const hint = suggestion(name, [...Object.keys(commandTable), 'help', 'version']);
  return usageErrors.USAGE(`there is no command ${name}${hint || '; see: framehound help'}`);
}

export function unknownAction(command: CommandName, action: string): Error {
  const names = Object.keys((commandTable[command] as Action).actions ?? {});
  const last = names.at(-1);
  const choices = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${last}` : last;
  const what = action === '' ? '' : `, not ${action}`;
  return usageErrors.USAGE(`${command} takes ${choices}${what}${suggestion(action, names)}`);
}

/** Translates option errors of Node's `parseArgs` into words of this program; null for any other error. */
export function optionError(command: CommandName, error: unknown): Error | null {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    const [given = ''] = /'.*?'/s.exec(message) ?? [];
    return usageErrors.USAGE(`${command} takes no argument ${given}; see: framehound help ${command}`);
  }
  const options = optionsOf(commandTable[command]);
  const [named] = /--?[\w-]+/.exec(message ?? '') ?? [];
  if (named === undefined) return null;
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    return optionOfAnotherAction(command, named) ?? unknownOption(named, options, `help ${command}`);
  }
  if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return null;
  const { value, type } = options[named.slice(2)] ?? {};
  if (type === 'boolean') return usageErrors.USAGE(`${named} takes no value`);
  const dashes = message.includes('ambiguous')
    ? `; write a value that begins with a dash as ${named}=-…`
    : '';
  return usageErrors.USAGE(`${named} needs a value${value === undefined ? '' : `: ${value}`}${dashes}`);
}

/** Null for an option that no action of the command takes. */
function optionOfAnotherAction(command: CommandName, named: string): Error | null {
  const { actions = {} }: Action = commandTable[command];
  const takers = Object.entries(actions).flatMap(([name, { options = {} }]) =>
    named.slice(2) in options ? [`${command} ${name}`] : [],
  );
  if (takers.length === 0) return null;
  return usageErrors.USAGE(
    `this action has no option ${named}; ${takers.join(' and ')} ${takers.length === 1 ? 'has' : 'have'} it; see: ` +
      `framehound help ${command}`,
  );
}

function unknownOption(named: string, options: Options, help: string): Error {
  const names = [...Object.keys(options), ...settingNames, 'help'].map((name) => `--${name}`);
  const hint = suggestion(named, names);
  return usageErrors.USAGE(`there is no option ${named}${hint || `; see: framehound ${help}`}`);
}

function optionsOf({ options = {}, actions = {} }: Action): Options {
  return Object.assign({}, ...Object.values(actions).map(optionsOf), options);
}

/**
 * A command of which each action is one by itself. `usual`: the action that is meant where none is named;
 * its options may stand alone.
 */
export function byAction(
  name: CommandName,
  actions: Readonly<Record<string, Command>>,
  usual: string | null = null,
): Command {
  return async ([first = usual ?? '', ...parameters], context) => {
    const isUsual = usual !== null && first.startsWith('-');
    const action = isUsual ? usual : first;
    const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (!run) throw unknownAction(name, action);
    return run(isUsual ? [first, ...parameters] : parameters, context);
  };
}
