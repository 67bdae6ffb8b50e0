// The completion script of fish, with what each word does beside it.
import type { Completion } from '../command-table.ts';
import { type Flag, places, settingFlags, valueFlags, type Word } from './places.ts';

export function fishScript(): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const lines = places.flatMap(({ path, words, flags, completes }) => {
    const here = `-n ${quoted(`__framehound_at ${quoted(path)}`)}`;
    return [
      ...words.map((word) => `${here} -a ${quoted(word.word)}${described(word)}`),
      ...(completes ? [`${here} ${offer(completes)}`] : []),
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
    ? ` ${completes === 'file' ? '-r -F' : `-x${completes ? ` ${offer(completes)}` : ''}`}`
    : '';
  return `-l ${word.slice(2)}${value}${described(flag)}`;
}

function offer(completes: Completion): string {
  if (completes === 'file') return '-F';
  if (completes === 'folder') return `-a '(__fish_complete_directories)'`;
  return `-a ${quoted(completes.map((word) => word.replaceAll(' ', '\\ ')).join(' '))}`;
}

function described({ help }: Word): string {
  return help === '' ? '' : ` -d ${quoted(help)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
