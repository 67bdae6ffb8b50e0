// The completion script of bash; of 3.2 too, which macOS has.
import type { Completion } from '../command-table.ts';
import { places, settingFlags, valueFlags } from './places.ts';

export function bashScript(): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const values = valueFlags.map(({ word, completes }) => `    ${word}) ${offer(completes)}; return ;;`);
  const flags = places.map(
    ({ path, flags }) =>
      `      ${quoted(path)}) ${give([...flags, ...settingFlags].map(({ word }) => word))} ;;`,
  );
  const words = places.map(({ path, words, completes }) => {
    const offers = [
      ...(words.length > 0 ? [give(words.map(({ word }) => word))] : []),
      ...(completes ? [offer(completes)] : []),
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

function offer(completes: Completion | undefined): string {
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
