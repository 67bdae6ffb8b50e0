// When two names are the same: of collections, and of the summaries of one file.

/** A name as it is kept: composed, without blanks around it. */
export function plainName(name: string): string {
  return name.toWellFormed().normalize('NFC').trim();
}

/** The same for names that differ in case or composition only; `ß` and `SS` are the same, as in capitals. */
export function foldName(name: string): string {
  return plainName(name).toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
