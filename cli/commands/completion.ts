// `framehound completion bash|zsh|fish`: prints the script that completes the command line in that shell.
import { suggestion } from '../../runtime/text.ts';
import { settings } from '../../settings.ts';
import { type Action, type Completion, commandTable, type Options } from '../command-table.ts';
import { type Command, exit, usageErrors } from '../context.ts';

const scripts: Readonly<Record<string, () => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export const completion: Command = async (args, { out }) => {
  const [shell = '', ...more] = args;
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script || more.length > 0)
    throw usageErrors.USAGE(
      `completion needs the name of a shell: bash, zsh or fish${suggestion(shell, Object.keys(scripts))}`,
    );
  out(script());
  return exit.ok;
};

// Words that can be typed on the command line, derived from the table of commands and the settings. Each
// shell's script is written from them.

interface Word {
  readonly word: string;
  readonly help: string;
}

interface Flag extends Word {
  readonly takesValue: boolean;
  readonly completes: Completion | undefined;
}

/**
 * A command, or an action of one; `path`: as it is typed, `tasks show`, and empty where no command is typed
 * yet.
 */
interface Place {
  readonly path: string;
  readonly words: readonly Word[];
  readonly flags: readonly Flag[];
  readonly completes: Completion | undefined;
}

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
  return anyOf?.flatMap((choice) => (choice.const === undefined ? [] : [String(choice.const)]));
}

// The completion script of bash; of 3.2 too, which macOS has.

export function bashScript(): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const values = valueFlags.map(({ word, completes }) => `    ${word}) ${bashOffer(completes)}; return ;;`);
  const flags = places.map(
    ({ path, flags }) =>
      `      ${quoted(path)}) ${give([...flags, ...settingFlags].map(({ word }) => word))} ;;`,
  );
  const words = places.map(({ path, words, completes }) => {
    const offers = [
      ...(words.length > 0 ? [give(words.map(({ word }) => word))] : []),
      ...(completes ? [bashOffer(completes)] : []),
    ];
    return `      ${quoted(path)}) ${offers.join('; ') || ':'} ;;`;
  });
  return `# Completes framehound in bash: source <(framehound completion bash)
_framehound_words() {
  local one
  for one in "$@"; do
    if [[ $one == "$word"* ]]; then COMPREPLY+=("$(printf %q "$one")"); fi
  done
}
_framehound_paths() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$word")
}
_framehound() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place='' longer i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${valueFlags.map(({ word }) => word).join('|')}) i=$((i + 1)) ;;
      -*) ;;
      *)
        longer="\${place:+$place }\${COMP_WORDS[i]}"
        case "$longer" in ${paths.join('|')}) place="$longer" ;; esac
        ;;
    esac
  done
  case "$before" in
${values.join('\n')}
  esac
  if [[ $word == -* ]]; then
    case "$place" in
${flags.join('\n')}
    esac
  else
    case "$place" in
${words.join('\n')}
    esac
  fi
}
complete -F _framehound framehound
`;
}

function bashOffer(completes: Completion | undefined): string {
  if (completes === undefined) return ':';
  if (completes === 'file') return '_framehound_paths -f';
  if (completes === 'folder') return '_framehound_paths -d';
  return give(completes);
}

function give(words: readonly string[]): string {
  return `_framehound_words ${words.map(quoted).join(' ')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// The completion script of fish, with what each word does beside it.

export function fishScript(): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => fishQuoted(path));
  const lines = places.flatMap(({ path, words, flags, completes }) => {
    const here = `-n ${fishQuoted(`__framehound_at ${fishQuoted(path)}`)}`;
    return [
      ...words.map((word) => `${here} -a ${fishQuoted(word.word)}${fishDescribed(word)}`),
      ...(completes ? [`${here} ${fishOffer(completes)}`] : []),
      ...flags.map((flag) => `${here} ${flagged(flag)}`),
    ];
  });
  const all = ['-f', ...lines, ...settingFlags.map(flagged)];
  return `# Completes framehound in fish: framehound completion fish | source
function __framehound_at
    set -l place ''
    set -l skip no
    for word in (commandline -opc)[2..]
        if test $skip = yes
            set skip no
            continue
        end
        switch $word
            case ${valueFlags.map(({ word }) => word).join(' ')}
                set skip yes
            case '-*'
            case '*'
                set -l longer (string trim -- "$place $word")
                if contains -- $longer ${paths.join(' ')}
                    set place $longer
                end
        end
    end
    test "$place" = "$argv[1]"
end
${all.map((line) => `complete -c framehound ${line}`).join('\n')}
`;
}

function flagged(flag: Flag): string {
  const { word, takesValue, completes } = flag;
  const value = takesValue
    ? ` ${completes === 'file' ? '-r -F' : `-x${completes ? ` ${fishOffer(completes)}` : ''}`}`
    : '';
  return `-l ${word.slice(2)}${value}${fishDescribed(flag)}`;
}

function fishOffer(completes: Completion): string {
  if (completes === 'file') return '-F';
  if (completes === 'folder') return `-a '(__fish_complete_directories)'`;
  return `-a ${fishQuoted(completes.map((word) => word.replaceAll(' ', '\\ ')).join(' '))}`;
}

function fishDescribed({ help }: Word): string {
  return help === '' ? '' : ` -d ${fishQuoted(help)}`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

// The completion script of zsh, with what each word does beside it.

export function zshScript(): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const values = valueFlags.map(({ word, completes }) => `    (${word}) ${offer(completes)}; return ;;`);
  const flags = places.map(
    ({ path, flags }) => `      (${quoted(path)}) ${described('option', [...flags, ...settingFlags])} ;;`,
  );
  const words = places.map(({ path, words, completes }) => {
    const offers = [
      ...(words.length > 0 ? [described('command', words)] : []),
      ...(completes ? [offer(completes)] : []),
    ];
    return `      (${quoted(path)}) ${offers.join('; ') || ':'} ;;`;
  });
  return `#compdef framehound
# Completes framehound in zsh: source <(framehound completion zsh), or a file _framehound in a folder of $fpath.
_framehound() {
  local place='' longer i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    case \${words[i]} in
      (${valueFlags.map(({ word }) => word).join('|')}) i=$((i + 1)) ;;
      (-*) ;;
      (*)
        longer="\${place:+$place }\${words[i]}"
        case $longer in (${paths.join('|')}) place=$longer ;; esac
        ;;
    esac
  done
  case \${words[CURRENT-1]} in
${values.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    case $place in
${flags.join('\n')}
    esac
  else
    case $place in
${words.join('\n')}
    esac
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _framehound "$@"; else compdef _framehound framehound; fi
`;
}

function offer(completes: Completion | undefined): string {
  if (completes === undefined) return "_message 'value'";
  if (completes === 'file') return '_files';
  if (completes === 'folder') return '_files -/';
  return `compadd -- ${completes.map(quoted).join(' ')}`;
}

/** `_describe` takes `word:help`; a colon in the word would end it. */
function described(kind: string, words: readonly Word[]): string {
  const entries = words.map(({ word, help }) => quoted(help === '' ? word : `${word}:${help}`));
  return `offered=(${entries.join(' ')}); _describe ${kind} offered`;
}
