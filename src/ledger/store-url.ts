/** What a store's URL says. */

export const SQLITE = 'sqlite:';

/** The path in a `sqlite:` URL, which may have the slashes of an absolute URL. */
export function sqlitePathOf(url: string): string {
  return url.slice(SQLITE.length).replace(/^\/\/(?=\/)/, '');
}
