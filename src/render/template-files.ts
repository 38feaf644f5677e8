/** Reads a folder of template sets: `<set>/<format>/<name>.yaml` and the partials `<set>/<format>/_<name>.liquid`. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../config/config.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../notice/notice.ts';
import { NotUtf8, readText } from '../text/read-text.ts';
import { didYouMean } from './liquid-faults.ts';

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

/** Reads everything at once, so that what can go wrong does before the first message. */
export function readTemplateFolder(path: string, formatNames: readonly string[]): TemplateFolder {
  const problems: Problem[] = [];
  const names = listFolders(path, problems);
  const sets = names.map((name): [string, ReadonlyMap<string, FormatFiles>] => [
    name,
    readSet(join(path, name), formatNames, problems),
  ]);
  return { sets: new Map(sets), problems };
}

function listFolders(path: string, problems: Problem[]): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
  } catch {
    problems.push(problemWith(path, 'error', 'this folder of templates cannot be read'));
    return [];
  }
}

function readSet(
  path: string,
  formatNames: readonly string[],
  problems: Problem[],
): ReadonlyMap<string, FormatFiles> {
  const files = new Map<string, FormatFiles>();
  for (const name of listFolders(path, problems)) {
    const folder = join(path, name);
    const hint = didYouMean(name, formatNames);
    if (formatNames.includes(name)) files.set(name, readFormat(folder, problems));
    else if (hint !== '')
      problems.push(problemWith(folder, 'warning', `no channel reads the folder "${name}"${hint}`));
  }
  return files;
}

function readFormat(path: string, problems: Problem[]): FormatFiles {
  const templates = new Map<TemplateName, SourceFile>();
  const partials = new Map<string, SourceFile>();
  for (const name of readdirSync(path)) {
    const template = TEMPLATE_NAMES.find((each) => name === `${each}.yaml`);
    const partial = PARTIAL_NAME.exec(name)?.groups?.['name'];
    const file =
      template === undefined && partial === undefined ? undefined : readFile(join(path, name), problems);
    if (file === undefined) warnOfStray(path, name, problems);
    else if (template !== undefined) templates.set(template, file);
    else if (partial !== undefined) partials.set(partial, file);
  }
  return { templates, partials };
}

function readFile(path: string, problems: Problem[]): SourceFile | undefined {
  try {
    return { path, text: readText(path) };
  } catch (error) {
    const why = error instanceof NotUtf8 ? `: ${error.message}` : '';
    problems.push(problemWith(path, 'error', `this template cannot be read${why}`));
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
