// The texts of `framehound help` and `framehound help COMMAND`, read off the table of commands. Pure.
import { type Action, commandTable, type Options } from './command-table.ts';

/** Where the texts begin; a usage that is longer has its text below. */
const column = 36;

/** `table`: the commands; a test brings its own. */
export function helpText(table: Readonly<Record<string, Action>> = commandTable): string {
  const lines = Object.entries(table).flatMap(([name, command]) => commandLines(name, command));
  return `framehound looks at every second of your footage and finds it again.

${lines.join('\n')}
  framehound help COMMAND           one command and its options

analyze, transcribe, transcript, search, faces, export, thumbnails, tasks, watch and the library
(list, forget, prune, move, disk) are done by a running service when there is --server URL
(FRAMEHOUND_SERVER), with the key of FRAMEHOUND_LICENSE_KEY; --key KEY is taken too, but everybody
on the machine can read it in the list of processes.

${settingsText}`;
}

const settingsText = `Settings, for every command: --home DIR --cache-dir DIR --model KEY --device D
--decode exact|keyframes --log-level LEVEL --log-format json|text; the same names, and more, in
the environment and in config.json (see: framehound config).
`;

/** The help of one command. */
export function commandHelp(name: string, command: Action): string {
  // Here every action has a line, and a command that only has actions is told what it is for.
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
