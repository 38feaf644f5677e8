/** Reads folders of template sets: `<set>/card/<name>.yaml`, and `<set>/<format>/<name>.yaml` for a channel's own messages. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { MessageFormat } from '../channels/channel.ts';
import type { Problem } from '../config/config.ts';
import { fault } from '../config/words.ts';
import { TEMPLATE_NAMES } from '../notice/notice.ts';
import { type Fault, unreadable } from '../text/fault.ts';
import { didYouMean, nearestOrAll } from '../text/nearest.ts';
import { foldersIn, namesIn, readText } from '../text/read-text.ts';

export const CARD_FOLDER = 'card';

export interface SourceFile {
  readonly path: string;
  readonly set: string;
  readonly text: string;
}

export interface TemplateFolder {
  readonly sets: readonly string[];
  /** Template files by `<set>/<folder>/<name>`. */
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly problems: readonly Problem[];
}

export const NO_FOLDER: TemplateFolder = { sets: [], files: new Map(), problems: [] };

/**
 * Reads all files in advance, so that errors show before the first message.
 * @param formats those of the config's channels
 */
export async function readTemplateFolder(root: string, formats: readonly Format[]): Promise<TemplateFolder> {
  const files = new Map<string, SourceFile>();
  const problems: Problem[] = [];
  const report = (severity: Problem['severity'], path: string, what: Fault) =>
    problems.push({ place: { file: path, line: 1, column: 1 }, fault: what, severity });
  const tried = async <T>(path: string, read: (path: string) => Promise<T>, otherwise: T) => {
    try {
      return await read(path);
    } catch (error) {
      report('error', path, fault('template.unread', { why: unreadable(error) }));
      return otherwise;
    }
  };
  const kinds = [CARD_FOLDER, ...formats.filter(hasOwnFiles).map(({ name }) => name)];
  const sets = await tried(root, foldersIn, []);
  for (const set of sets)
    for (const folder of ['', ...(await tried(join(root, set), foldersIn, []))])
      for (const file of await tried(join(root, set, folder), namesIn, [])) {
        const path = join(root, set, folder, file);
        const name = TEMPLATE_NAMES.find((each) => kinds.includes(folder) && file === `${each}.yaml`);
        const text = name && (await tried<string | undefined>(path, readText, undefined));
        if (text !== undefined) files.set(`${set}/${folder}/${name}`, { path, set, text });
        if (name === undefined && LIKE_A_TEMPLATE.test(file))
          report('warning', path, unused(join(folder, file), kinds));
      }
  return { sets, files, problems };
}

/** Whether the channel can have messages of its own in files. */
function hasOwnFiles({ own, templateAt }: Format): boolean {
  return own !== undefined && templateAt === undefined;
}

type Format = Pick<MessageFormat, 'name' | 'own' | 'templateAt'>;

const LIKE_A_TEMPLATE = /^[^.].*\.(?:ya?ml|json|liquid)$/u;

/** @param file its path in the set */
function unused(file: string, kinds: readonly string[]): Fault {
  const pathsOf = (kind: string) => TEMPLATE_NAMES.map((name) => `${kind}/${name}.yaml`);
  const known = kinds.flatMap(pathsOf);
  // A file outside a folder was most likely meant as a card; cards come first in `known`.
  const meant = known.find((path) => path.endsWith(`/${file}`)) ?? file;
  const hint = didYouMean(meant, known) ?? nearestOrAll(meant, pathsOf(CARD_FOLDER));
  return fault('template.unused', { file, hint });
}

/** SHA-256 (hexadecimal) of a folder's templates, whatever its path and the order of its files. Undefined: there are none. */
export function fingerprintOf({ files }: TemplateFolder): string | undefined {
  const texts = [...files].map(([key, { text }]) => JSON.stringify([key, text]));
  return texts.length === 0 ? undefined : hash('sha256', texts.toSorted().join('\n'), 'hex');
}
