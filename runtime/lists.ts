// Lists by a key.

/** Adds to the list of that key. A list is never copied, which would take the square of its length. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
