// Names as they are compared, whatever their case and normal form: a name typed by a person, one listed by a Mac and one
// listed by Windows are the same.

/**
 * Unicode's simple case folding of the composed form: one character for one, so that a wildcard counts them alike. `ẞ` is
 * `ß` and not `ss`; final and other sigma are one; the dotless `ı` and the dotted `İ` are letters of their own, as in file
 * systems.
 */
export function foldName(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  return name
    .normalize('NFC')
    .replace(/[A-Z]+|[^ -~]/gu, foldCharacters)
    .normalize('NFC');
}

/** Letters of ASCII, or one other character. */
function foldCharacters(character: string): string {
  if (character <= '~') return character.toLowerCase();
  if (character === 'ı') return character;
  const upper = oneFor(character, character.toUpperCase());
  return oneFor(upper, upper.toLowerCase());
}

/** Cases of several characters, such as `SS` for `ß`, belong to full folding. */
function oneFor(character: string, other: string): string {
  return [...other].length === 1 ? other : character;
}
