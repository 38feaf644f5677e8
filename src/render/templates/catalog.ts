/**
 * Reads folders of template sets, `<set>/<format>/<name>.yaml` with partials `<set>/<format>/_<name>.liquid`, and finds the
 * template for a set, a format and a name: the user's own before the built-in, a set before the language's.
 */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { OldMessageFormat as MessageFormat } from '../../channels/channel.ts';
import type { DisplayConfig, Place, Problem } from '../../config/config.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../../notice/notice.ts';
import { didYouMean } from '../../text/nearest.ts';
import { NotUtf8, readText } from '../../text/read-text.ts';
import { Engines, type SourceFile } from '../liquid/engine.ts';
import type { Meter } from '../liquid/print-value.ts';
import { Template } from './template.ts';

/** Which template to use, and the options of the destination. */
export interface RenderTarget {
  /** A `MessageFormat`'s name. */
  readonly format: string;
  /** Folder under `templates/`; undefined: the display language's set. */
  readonly templateSet: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  /** Where the config asks for the set; `check` reports a set that does not exist there. */
  readonly place?: Place;
}

/** All that messages are made of beside the notice and the format; it can be cloned. */
export interface TemplateSources {
  readonly display: DisplayConfig;
  readonly builtIn: TemplateFolder;
  /** The user's own, over the built-in ones. */
  readonly own: TemplateFolder;
}

interface CatalogOptions extends TemplateSources {
  readonly formats: readonly MessageFormat[];
  readonly meter: Meter;
}

/** A template and what takes its place when it fails; both the same where the built-in one was chosen. */
export interface Choice {
  readonly chosen: Template;
  readonly builtIn: Template;
}

/** `choose` only looks up. */
export class TemplateCatalog {
  /** Of the folders themselves; each template has its own. */
  readonly problems: readonly Problem[];
  readonly setNames: readonly string[];
  readonly options: CatalogOptions;
  private readonly choices = new Map<string, Choice>();

  /** @throws {Error} where a built-in template is missing: the installation is damaged */
  constructor(options: CatalogOptions) {
    this.options = options;
    const { builtIn, own, display } = options;
    this.problems = [...own.problems, ...builtIn.problems];
    this.setNames = [...new Set([...builtIn.sets.keys(), ...own.sets.keys()])];
    // The language's set first: the others fall back to it.
    const { language } = display;
    for (const set of [language, ...this.setNames.filter((name) => name !== language)]) this.compileSet(set);
  }

  /** An unknown set is the display language's. @throws {Error} for a format that the catalog was made without */
  choose(set: string | undefined, format: string, name: TemplateName): Choice {
    const known = set !== undefined && this.setNames.includes(set) ? set : this.options.display.language;
    const choice = this.choices.get(keyOf(known, format, name));
    if (choice === undefined) throw new Error(`the renderer was made without the format "${format}"`);
    return choice;
  }

  /** Undefined where there is such a set. */
  missingSet(set: string): string | undefined {
    if (this.setNames.includes(set)) return undefined;
    return `there is no template set "${set}"${didYouMean(set, this.setNames) || `: there are ${this.setNames.join(', ')}`}`;
  }

  private compileSet(set: string): void {
    for (const format of this.options.formats) this.compileFormat(set, format);
  }

  private compileFormat(set: string, format: MessageFormat): void {
    const { builtIn, own, display } = this.options;
    const { language } = display;
    const sets = set === language ? [set] : [language, set];
    const layersOf = (folder: TemplateFolder) => sets.map((name) => filesOf(folder, name, format));
    const layered = sets.flatMap((name) => [builtIn, own].map((folder) => filesOf(folder, name, format)));
    const pristine = this.enginesWith(layersOf(builtIn));
    const engines = layersOf(own).some(({ partials }) => partials.size > 0)
      ? this.enginesWith(layered)
      : pristine;
    for (const name of TEMPLATE_NAMES) {
      const choice = this.chooseFiles(set, format, name, { engines, pristine });
      this.choices.set(keyOf(set, format.name, name), choice);
    }
  }

  private chooseFiles(
    set: string,
    format: MessageFormat,
    name: TemplateName,
    { engines, pristine }: { readonly engines: Engines; readonly pristine: Engines },
  ): Choice {
    const shipped = filesOf(this.options.builtIn, set, format).templates.get(name);
    const own = filesOf(this.options.own, set, format).templates.get(name) ?? shipped;
    const ofLanguage = this.choices.get(keyOf(this.options.display.language, format.name, name));
    const builtIn =
      shipped === undefined ? ofLanguage?.builtIn : new Template(name, shipped, format, pristine);
    if (builtIn === undefined)
      throw new Error(`the built-in template ${format.name}/${name}.yaml is missing`);
    if (own === undefined) return { chosen: ofLanguage?.chosen ?? builtIn, builtIn };
    const isPristine = own === shipped && engines === pristine;
    return { chosen: isPristine ? builtIn : new Template(name, own, format, engines), builtIn };
  }

  private enginesWith(layers: readonly FormatFiles[]): Engines {
    const partials = new Map(layers.flatMap((files) => [...files.partials]));
    return new Engines(this.options.display, this.options.meter, partials);
  }
}

function filesOf(folder: TemplateFolder, set: string, format: MessageFormat): FormatFiles {
  return folder.sets.get(set)?.get(format.name) ?? NO_FILES;
}

/** Sets and formats are names of folders, so that no two make the same key. */
function keyOf(set: string, format: string, name: TemplateName): string {
  return `${set}/${format}/${name}`;
}

/** The files of one set for one format. */
interface FormatFiles {
  readonly templates: ReadonlyMap<TemplateName, SourceFile>;
  readonly partials: ReadonlyMap<string, SourceFile>;
}

export interface TemplateFolder {
  /** By set, then by format. */
  readonly sets: ReadonlyMap<string, ReadonlyMap<string, FormatFiles>>;
  readonly problems: readonly Problem[];
}

const NO_FILES: FormatFiles = { templates: new Map(), partials: new Map() };

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
  if (!/\.(?:ya?ml|json|liquid)$/u.test(name)) return;
  const names = TEMPLATE_NAMES.map((each) => `${each}.yaml`);
  if (names.includes(name) || PARTIAL_NAME.test(name)) return;
  const hint = didYouMean(name, names) || `: templates are ${names.join(', ')}; partials are _<name>.liquid`;
  problems.push(problemWith(join(folder, name), 'warning', `nothing uses the file "${name}"${hint}`));
}

export function problemWith(file: string, severity: Problem['severity'], message: string): Problem {
  return { place: { file, line: 1, column: 1 }, message, severity };
}
