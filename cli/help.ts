// The texts of `framehound help` and `framehound help COMMAND`, read off the table of commands.
import { type Action, type CommandName, commandTable, type Options } from './command-table.ts';

/** Where the texts of `help COMMAND` begin; a usage that is longer has its text below. */
const column = 36;

/** The commands by what they are for, in the order of the overview. */
export const groups: Readonly<Record<string, readonly CommandName[]>> = {
  Analyse: ['analyze', 'transcribe', 'watch', 'tasks'],
  Search: ['search', 'transcript', 'summary', 'open'],
  People: ['faces'],
  Export: ['export', 'thumbnails'],
  Library: ['list', 'move', 'forget', 'prune', 'disk'],
  Service: ['serve', 'stop', 'mcp', 'license'],
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

/** The help of one command. */
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
  const own = [
    line(`  framehound ${name} ${usage}`, help),
    ...(settings ? [line(`      ${settings.usage}`, settings.help)] : []),
    ...optionLines(options),
  ];
  return [
    ...(usage === undefined ? [] : own),
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
  const left = usage.trimEnd();
  return left.length < column ? left.padEnd(column) + help : `${left}\n${' '.repeat(column)}${help}`;
}
