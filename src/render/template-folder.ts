/** Reads folders of template sets: `<set>/card/<name>.yaml`, and `<set>/<format>/<name>.yaml` for a channel's own messages. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Problem } from '../config/config.ts';
import { TEMPLATE_NAMES } from '../notice/notice.ts';
import { didYouMean } from '../text/nearest.ts';
import { foldersIn, namesIn, NotUtf8, readText } from '../text/read-text.ts';

export const CARD_FOLDER = 'card';

export interface SourceFile {
  /** The path that problems show. */
  readonly path: string;
  readonly set: string;
  readonly text: string;
}

export interface TemplateFolder {
  /** The names of the sets. */
  readonly sets: readonly string[];
  /** Template files by `<set>/<folder>/<name>`. */
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly problems: readonly Problem[];
}

export const NO_FOLDER: TemplateFolder = { sets: [], files: new Map(), problems: [] };

/** Reads all files at once, so that errors show before the first message. */
export async function readTemplateFolder(
  path: string,
  formatNames: readonly string[],
): Promise<TemplateFolder> {
  const reading = new Reading([CARD_FOLDER, ...formatNames]);
  const sets = await reading.folders(path);
  for (const set of sets) await reading.readSet(path, set);
  return { sets, files: reading.files, problems: reading.problems };
}

class Reading {
  readonly files = new Map<string, SourceFile>();
  readonly problems: Problem[] = [];
  readonly #known: readonly string[];

  constructor(known: readonly string[]) {
    this.#known = known;
  }

  async folders(path: string): Promise<readonly string[]> {
    return (await this.#try(path, 'this folder of templates', () => foldersIn(path))) ?? [];
  }

  async readSet(root: string, set: string): Promise<void> {
    for (const folder of await this.folders(join(root, set))) {
      const path = join(root, set, folder);
      const hint = didYouMean(folder, this.#known);
      if (this.#known.includes(folder)) await this.#readFiles(path, set, folder);
      else if (hint !== '') this.#report(path, 'warning', `no channel reads the folder "${folder}"${hint}`);
    }
  }

  async #readFiles(folder: string, set: string, kind: string): Promise<void> {
    const names = await this.#try(folder, 'this folder of templates', () => namesIn(folder));
    for (const file of names ?? []) {
      const path = join(folder, file);
      const name = TEMPLATE_NAMES.find((each) => file === `${each}.yaml`);
      const text = name && (await this.#try(path, 'this template', () => readText(path)));
      if (text !== undefined) this.files.set(`${set}/${kind}/${name}`, { path, set, text });
      if (name === undefined) this.#warnOfStray(path, file);
    }
  }

  /** Reports a file whose name is no template's, since nothing would ever use it. */
  #warnOfStray(path: string, file: string): void {
    if (!/^[^.].*\.(?:ya?ml|json|liquid)$/u.test(file)) return;
    const names = TEMPLATE_NAMES.map((each) => `${each}.yaml`);
    const hint = didYouMean(file, names) || `: templates are ${names.join(', ')}`;
    this.#report(path, 'warning', `nothing uses the file "${file}"${hint}`);
  }

  #report(file: string, severity: Problem['severity'], message: string): void {
    this.problems.push({ place: { file, line: 1, column: 1 }, message, severity });
  }

  async #try<T>(path: string, what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      const why = error instanceof NotUtf8 ? `: ${error.message}` : '';
      this.#report(path, 'error', `${what} cannot be read${why}`);
      return undefined;
    }
  }
}

/** SHA-256 (hexadecimal) of a folder's templates, whatever its path and the order of its files. Undefined: there are none. */
export function fingerprintOf({ files }: TemplateFolder): string | undefined {
  const texts = [...files].map(([key, { text }]) => JSON.stringify([key, text]));
  return texts.length === 0 ? undefined : hash('sha256', texts.toSorted().join('\n'), 'hex');
}
