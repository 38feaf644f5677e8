/** Reads a folder of template sets: `<set>/<format>/<name>.yaml` and the partials `<set>/<format>/_<name>.liquid`. */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Problem } from '../../config/config.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../../notice/notice.ts';
import { NotUtf8, readText } from '../../text/read-text.ts';
import { didYouMean } from '../../text/nearest.ts';

export interface SourceFile {
  /** As problems name it. */
  readonly path: string;
  readonly text: string;
}

/** The files of one set for one format. */
export interface FormatFiles {
  readonly templates: ReadonlyMap<TemplateName, SourceFile>;
  readonly partials: ReadonlyMap<string, SourceFile>;
}

export interface TemplateFolder {
  /** By set, then by format. */
  readonly sets: ReadonlyMap<string, ReadonlyMap<string, FormatFiles>>;
  readonly problems: readonly Problem[];
}

export const NO_FILES: FormatFiles = { templates: new Map(), partials: new Map() };

const PARTIAL_NAME = /^_(?<name>[\w-]+)\.liquid$/u;

/** What is read, and what was found wrong with it. */
interface Reading {
  /** The folder of templates, symbolic links followed. */
  readonly root: string;
  readonly problems: Problem[];
}

/** Reads everything at once, so that what can go wrong does before the first message. */
export function readTemplateFolder(path: string, formatNames: readonly string[]): TemplateFolder {
  const problems: Problem[] = [];
  const reading: Reading = { root: realPathOf(path) ?? path, problems };
  const sets = listFolders(path, reading).map((name): [string, ReadonlyMap<string, FormatFiles>] => [
    name,
    readSet(join(path, name), formatNames, reading),
  ]);
  return { sets: new Map(sets), problems };
}

function listFolders(path: string, reading: Reading): readonly string[] {
  return listEntries(path, reading)
    .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
}

function listEntries(path: string, reading: Reading): readonly Dirent[] {
  return (
    readInside(path, reading, 'this folder of templates cannot be read', (real) =>
      readdirSync(real, { withFileTypes: true }),
    ) ?? []
  );
}

function readSet(
  path: string,
  formatNames: readonly string[],
  reading: Reading,
): ReadonlyMap<string, FormatFiles> {
  const files = new Map<string, FormatFiles>();
  for (const name of listFolders(path, reading)) {
    const folder = join(path, name);
    const hint = didYouMean(name, formatNames);
    if (formatNames.includes(name)) files.set(name, readFormat(folder, reading));
    else if (hint !== '')
      reading.problems.push(problemWith(folder, 'warning', `no channel reads the folder "${name}"${hint}`));
  }
  return files;
}

function readFormat(path: string, reading: Reading): FormatFiles {
  const templates = new Map<TemplateName, SourceFile>();
  const partials = new Map<string, SourceFile>();
  for (const { name } of listEntries(path, reading)) {
    const template = TEMPLATE_NAMES.find((each) => name === `${each}.yaml`);
    const partial = PARTIAL_NAME.exec(name)?.groups?.['name'];
    const file =
      template === undefined && partial === undefined ? undefined : readFile(join(path, name), reading);
    if (file === undefined) warnOfStray(path, name, reading.problems);
    else if (template !== undefined) templates.set(template, file);
    else if (partial !== undefined) partials.set(partial, file);
  }
  return { templates, partials };
}

function readFile(path: string, reading: Reading): SourceFile | undefined {
  const text = readInside(path, reading, 'this template cannot be read', (real) => {
    // Of a pipe or a device, nothing may ever come.
    if (!statSync(real).isFile()) throw new Error('not a file');
    return readText(real);
  });
  return text === undefined ? undefined : { path, text };
}

/** Undefined, with the problem: it cannot be read, or a symbolic link leads out of the folder of templates. */
function readInside<T>(
  path: string,
  { root, problems }: Reading,
  whatFails: string,
  read: (realPath: string) => T,
): T | undefined {
  const real = realPathOf(path);
  // One that stays inside is how Kubernetes mounts a config map.
  if (real !== undefined && !isInside(root, real)) {
    const message = `a symbolic link leads from here out of the folder of templates, ${root}: put the files themselves there`;
    problems.push(problemWith(path, 'error', message));
    return undefined;
  }
  try {
    return read(real ?? path);
  } catch (error) {
    const why = error instanceof NotUtf8 ? `: ${error.message}` : '';
    problems.push(problemWith(path, 'error', `${whatFails}${why}`));
    return undefined;
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Undefined where there is nothing. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** A misspelt name would never be used, and nobody would know. */
function warnOfStray(folder: string, name: string, problems: Problem[]): void {
  if (!/\.(?:ya?ml|liquid)$/u.test(name)) return;
  const names = TEMPLATE_NAMES.map((each) => `${each}.yaml`);
  if (names.includes(name) || PARTIAL_NAME.test(name)) return;
  const hint = didYouMean(name, names) || `: templates are ${names.join(', ')}; partials are _<name>.liquid`;
  problems.push(problemWith(join(folder, name), 'warning', `nothing uses the file "${name}"${hint}`));
}

export function problemWith(file: string, severity: Problem['severity'], message: string): Problem {
  return { place: { file, line: 1, column: 1 }, message, severity };
}
