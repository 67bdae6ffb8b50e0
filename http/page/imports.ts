// What a module of the page imports, read off its text as it is served.

/** As written: `./store.ts`, `preact`. Without those that are imported when they are needed, unless `all`. */
export function importsOf(text: string, { all = false } = {}): string[] {
  const fixed = text.matchAll(
    /(?:^|[\n;])\s*(?:import\s*(?:[\w*{][^;'"]*?from\s*)?|export\s*[{*][^;'"]*?from\s*)(['"])([^'"\n]+)\1/g,
  );
  const late = all ? text.matchAll(/\bimport\(\s*(['"])([^'"\n]+)\1\s*\)/g) : [];
  return [...fixed, ...late].map(([, , specifier]) => specifier!);
}

/** The file that a module means by what it imports; null for a package that there is none of. */
export function importedFile(
  name: string,
  specifier: string,
  packages: Readonly<Record<string, string>>,
): string | null {
  const address = specifier.startsWith('.')
    ? new URL(specifier, `http://page/page/${name}`).pathname
    : packages[specifier];
  return address?.replace(/^\/page\//, '') ?? null;
}

/** A module and all that it needs before it runs, packages included, in the order in which they are met. */
export async function needed(
  first: string,
  textOf: (name: string) => Promise<string | null>,
  packages: Readonly<Record<string, string>>,
): Promise<string[]> {
  const found: string[] = [];
  const open = [first];
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    const text = found.includes(name) ? null : await textOf(name);
    if (text === null) continue;
    found.push(name);
    const imported = importsOf(text).map((one) => importedFile(name!, one, packages));
    open.push(...imported.filter((one) => one !== null));
  }
  return found;
}
