// `framehound completion bash|zsh|fish`: prints the script that completes the command line in that shell.

import { suggestion } from '../../runtime/text.ts';
import { bashScript, fishScript, zshScript } from '../completion/scripts.ts';
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
