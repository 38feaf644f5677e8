/** The files that `init` writes: as they come with the program, all of them or none. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { CommandFailed } from '../context.ts';

export interface NewFile {
  /** Relative to the folder that `init` is asked to fill. */
  readonly path: string;
  readonly text: string;
}

/** It stands in the repository without its dot, so that no tool there takes it for one. */
const OTHER_NAMES: Readonly<Record<string, string>> = { 'env.example': '.env.example' };

/** How the starter's files name what is elsewhere for each who gets them. */
const BESIDE_STARTER = '../botbell.';
const PROGRAM = 'npx botbell';

interface Names {
  /** Folder of the example and of the schema, relative to the one that is filled. */
  readonly configFiles: string;
  /** How the program is run there. */
  readonly program: string;
}

export function readStarterFiles(starter: string, { configFiles, program }: Names): NewFile[] {
  const beside = `${configFiles.replaceAll(sep, '/')}/botbell.`;
  const names = readdirSync(starter, { recursive: true, encoding: 'utf8' }).toSorted();
  return names
    .filter((name) => statSync(join(starter, name)).isFile())
    .map((name) => ({
      path: OTHER_NAMES[name] ?? name,
      text: readFileSync(join(starter, name), 'utf8')
        .replaceAll(BESIDE_STARTER, () => beside)
        .replaceAll(PROGRAM, () => program),
    }));
}

/** Why a file cannot be written, for whoever is to do something about it. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there can be no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EEXIST: 'it is there already',
};

/** @throws {CommandFailed} one of them is there, or the folder cannot be written; then there is nothing new in it */
export function writeNewFiles(folder: string, files: readonly NewFile[]): void {
  const there = existingAmong(folder, files);
  if (there.length > 0) {
    const where = folder === '.' ? 'this folder' : folder;
    throw nothingWritten(
      `${where} has ${there.join(', ')} already; go on with it, or name a folder that is not there yet: botbell init DIR`,
    );
  }
  const undo: (() => void)[] = [];
  try {
    for (const { path, text } of files) writeNewFile(join(folder, path), text, undo);
  } catch (error) {
    for (const remove of undo.toReversed()) remove();
    const { code = '', path = folder, message } = error as NodeJS.ErrnoException;
    throw nothingWritten(`${path} cannot be written: ${REASONS[code] ?? message}`, error);
  }
}

function nothingWritten(because: string, cause?: unknown): CommandFailed {
  return new CommandFailed(`nothing was written: ${because}`, { cause });
}

/** Of the top level: whoever has templates of their own there has no use for ours among them. */
function existingAmong(folder: string, files: readonly NewFile[]): string[] {
  if (!isFolderOrFree(folder)) throw nothingWritten(`${folder} is no folder`);
  const names = new Set(files.map(({ path }) => path.split(sep)[0] ?? path));
  return [...names].filter((name) => {
    const path = join(folder, name);
    // A link that leads nowhere is there, too.
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found !== undefined && !(found.isDirectory() && readdirSync(path).length === 0);
  });
}

/** False where a file is in the way, at its end or before. */
function isFolderOrFree(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? true;
  } catch {
    return false;
  }
}

/** @param undo gets what takes back each step, as it is done */
function writeNewFile(path: string, text: string, undo: (() => void)[]): void {
  const made = mkdirSync(dirname(path), { recursive: true });
  if (made !== undefined) undo.push(() => rmSync(made, { recursive: true, force: true }));
  // Whatever has come meanwhile stays as it is.
  writeFileSync(path, text, { flag: 'wx' });
  undo.push(() => rmSync(path, { force: true }));
}
