// `framehound setup`: brings what an installation leaves out, the models that see things and read printed
// words.
import { parseArgs } from 'node:util';
import { commandTable } from '../command-table.ts';
import { type Command, exit } from '../context.ts';
import { bringSight } from '../sight.ts';

export const setup: Command = async (args, context) => {
  parseArgs({ args: [...args], options: commandTable.setup.options });
  const brought = await bringSight(context);
  if (brought === 'there') context.out('All models for things and printed words are installed\n');
  return brought === 'failed' ? exit.error : exit.ok;
};
