// Errors of a command line, with what was probably meant.
import { suggestion } from '../runtime/nearest.ts';
import { settings } from '../settings.ts';
import { type Action, type CommandName, commandTable, type Options } from './command-table.ts';
import { usageErrors } from './context.ts';

const settingNames = Object.values(settings).flatMap(({ flag }) => (flag === undefined ? [] : [flag]));

export function unknownCommand(name: string): Error {
  if (name.startsWith('-')) return unknownOption(name, {}, 'help');
  const meant = suggestion(name, [...Object.keys(commandTable), 'help', 'version']);
  return usageErrors.USAGE(`there is no command ${name}${meant || '; see: framehound help'}`);
}

export function unknownAction(command: CommandName, action: string): Error {
  const names = Object.keys((commandTable[command] as Action).actions ?? {});
  const last = names.at(-1);
  const known = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${last}` : last;
  const what = action === '' ? '' : `, not ${action}`;
  return usageErrors.USAGE(`${command} takes ${known}${what}${suggestion(action, names)}`);
}

/** What `parseArgs` of Node says of options, in words of this program; null when it says something else. */
export function optionError(command: CommandName, error: unknown): Error | null {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    const [given = ''] = /'.*?'/s.exec(message) ?? [];
    return usageErrors.USAGE(`${command} takes no argument ${given}; see: framehound help ${command}`);
  }
  const options = optionsOf(commandTable[command]);
  const [named] = /--?[\w-]+/.exec(message ?? '') ?? [];
  if (named === undefined) return null;
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return unknownOption(named, options, `help ${command}`);
  if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return null;
  const { value, type } = options[named.slice(2)] ?? {};
  if (type === 'boolean') return usageErrors.USAGE(`${named} takes no value`);
  const dashes = message.includes('ambiguous')
    ? `; write a value that begins with a dash as ${named}=-…`
    : '';
  return usageErrors.USAGE(`${named} needs a value${value === undefined ? '' : `: ${value}`}${dashes}`);
}

function unknownOption(named: string, options: Options, help: string): Error {
  const names = [...Object.keys(options), ...settingNames, 'help'].map((name) => `--${name}`);
  const meant = suggestion(named, names);
  return usageErrors.USAGE(`there is no option ${named}${meant || `; see: framehound ${help}`}`);
}

/** Those of its actions too. */
function optionsOf({ options = {}, actions = {} }: Action): Options {
  return Object.assign({}, ...Object.values(actions).map(optionsOf), options);
}
