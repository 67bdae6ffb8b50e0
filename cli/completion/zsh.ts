// The completion script of zsh, with what each word does beside it.
import type { Completion } from '../command-table.ts';
import { places, settingFlags, valueFlags, type Word } from './places.ts';

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

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
