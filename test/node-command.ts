/**
 * What runs a source of ours in a process of its own as this one runs: with the same loader, so that types
 * that were once taken out are not taken out anew, and without what concerns the run of tests.
 */
export const nodeCommand: readonly [string, ...string[]] = [
  process.execPath,
  ...process.execArgv.filter((flag) => !flag.startsWith('--test')),
];
