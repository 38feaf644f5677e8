/** What a store's URL says. */
export const SQLITE = 'sqlite:';

/** A ledger that ends with its process, and that no other connection sees. */
export const MEMORY = ':memory:';

/** The path in a `sqlite:` URL, which may have the slashes of an absolute URL. */
export function sqlitePathOf(url: string): string {
  return url.slice(SQLITE.length).replace(/^\/\/(?=\/)/, '');
}
