/** Reads folders of template sets: `<set>/card/<name>.yaml`, and `<set>/<format>/<name>.yaml` for a channel's own messages. */
import { hash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../config/config.ts';
import { TEMPLATE_NAMES } from '../notice/notice.ts';
import { didYouMean } from '../text/nearest.ts';
import { NotUtf8, readText } from '../text/read-text.ts';

export const CARD_FOLDER = 'card';

export interface SourceFile {
  /** As problems name it. */
  readonly path: string;
  /** The set that it belongs to. */
  readonly set: string;
  readonly text: string;
}

export interface TemplateFolder {
  /** The names of the sets. */
  readonly sets: readonly string[];
  /** By `<set>/<folder>/<name>`. */
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly problems: readonly Problem[];
}

export const NO_FOLDER: TemplateFolder = { sets: [], files: new Map(), problems: [] };

/** Reads everything at once, so that what can go wrong does before the first message. */
export function readTemplateFolder(path: string, formatNames: readonly string[]): TemplateFolder {
  const reading = new Reading(formatNames);
  const sets = reading.entries(path, (entry) => entry.isDirectory());
  for (const set of sets) reading.readSet(path, set);
  return { sets, files: reading.files, problems: reading.problems };
}

type Stats = ReturnType<typeof statSync>;

class Reading {
  readonly files = new Map<string, SourceFile>();
  readonly problems: Problem[] = [];
  readonly #folders: readonly string[];

  constructor(formatNames: readonly string[]) {
    this.#folders = [CARD_FOLDER, ...formatNames];
  }

  /** Symbolic links are followed: Kubernetes mounts a config map by such. */
  entries(path: string, isWanted: (stats: NonNullable<Stats>) => boolean): readonly string[] {
    const names = this.#try(path, 'this folder of templates cannot be read', () => readdirSync(path)) ?? [];
    return names.filter((name) => {
      const stats = statSync(join(path, name), { throwIfNoEntry: false });
      return !name.startsWith('.') && stats !== undefined && isWanted(stats);
    });
  }

  readSet(root: string, set: string): void {
    for (const folder of this.entries(join(root, set), (entry) => entry.isDirectory())) {
      const path = join(root, set, folder);
      const hint = didYouMean(folder, this.#folders);
      if (this.#folders.includes(folder)) this.#readFiles(path, set, folder);
      else if (hint !== '') this.#warn(path, `no channel reads the folder "${folder}"${hint}`);
    }
  }

  #readFiles(path: string, set: string, folder: string): void {
    for (const file of this.entries(path, (entry) => entry.isFile())) {
      const name = TEMPLATE_NAMES.find((each) => file === `${each}.yaml`);
      if (name === undefined) this.#warnOfStray(path, file);
      else {
        const where = join(path, file);
        const text = this.#try(where, 'this template cannot be read', () => readText(where));
        if (text !== undefined) this.files.set(`${set}/${folder}/${name}`, { path: where, set, text });
      }
    }
  }

  /** A misspelt name would never be used, and nobody would know. */
  #warnOfStray(folder: string, file: string): void {
    if (!/\.(?:ya?ml|json|liquid)$/u.test(file)) return;
    const names = TEMPLATE_NAMES.map((each) => `${each}.yaml`);
    const hint = didYouMean(file, names) || `: templates are ${names.join(', ')}`;
    this.#warn(join(folder, file), `nothing uses the file "${file}"${hint}`);
  }

  #warn(file: string, message: string): void {
    this.problems.push(problemWith(file, 'warning', message));
  }

  #try<T>(path: string, whatFails: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      const why = error instanceof NotUtf8 ? `: ${error.message}` : '';
      this.problems.push(problemWith(path, 'error', `${whatFails}${why}`));
      return undefined;
    }
  }
}

function problemWith(file: string, severity: Problem['severity'], message: string): Problem {
  return { place: { file, line: 1, column: 1 }, message, severity };
}

/**
 * Which templates of one's own there are, as SHA-256 in hexadecimal: the same wherever their folder lies, and in whichever
 * order it lists them. Undefined: there are none.
 */
export function fingerprintOf({ files }: TemplateFolder): string | undefined {
  const texts = [...files].map(([key, { text }]) => JSON.stringify([key, text]));
  return texts.length === 0 ? undefined : hash('sha256', texts.toSorted().join('\n'), 'hex');
}
