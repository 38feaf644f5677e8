/** What is wrong with something that somebody wrote, to be said in the language of whoever reads it. */
import { type Balanced, filled, type Phrases, type ValuesOf } from './say.ts';

/** A list is said as alternatives: `a, b or c`. */
type Value = string | number | readonly string[] | Fault;

export class Fault {
  readonly code: string;
  /** What the sentence names; undefined: nothing is said there. */
  readonly values: Readonly<Record<string, Value | undefined>>;
  readonly #words: Phrases[string];

  constructor(code: string, words: Phrases[string], values: Fault['values'] = {}) {
    this.code = code;
    this.values = values;
    this.#words = words;
  }

  in(language: 'en' | 'ja'): string {
    const said = Object.entries(this.values).map(([name, value]) => [name, saidIn(value, language)]);
    return filled(this.#words, Object.fromEntries(said) as Record<string, string | number>, language);
  }

  /** The same fault with its values' texts changed. */
  with(change: (text: string) => string): Fault {
    const changed = Object.entries(this.values).map(([name, value]) => [name, changedBy(change, value)]);
    return new Fault(this.code, this.#words, Object.fromEntries(changed) as Fault['values']);
  }
}

/** A fault that one place alone finds, or that another program says in its own language. */
export function faultSaid(en: string, ja = en): Fault {
  return new Fault('said', ['{en}', '{ja}'], { en, ja });
}

/** Its message is in English; a person is told the fault in their language. */
export class FaultError extends Error {
  override readonly name: string = 'FaultError';
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.in('en'), options);
    this.fault = fault;
  }
}

const NO_WORKING_FOLDER = faultSaid(
  'the folder in which this was started is not there any more: change to one that is',
  '実行した場所のフォルダーはすでにありません。別のフォルダーに移ってから実行してください',
);

export function errorIn(error: unknown, language: 'en' | 'ja'): string {
  if (error instanceof FaultError) return error.fault.in(language);
  if ((error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd')
    return NO_WORKING_FOLDER.in(language);
  return error instanceof Error ? error.message : String(error);
}

const OF_FILES: Readonly<Record<string, readonly [en: string, ja?: string]>> = {
  ENOENT: ['it is not there', '見つかりません'],
  EACCES: ['the account that Botbell runs under may not read it', '権限がありません'],
  EISDIR: ['it is a folder', 'フォルダーです'],
  ENOTDIR: [
    'it, or a part of its path, is no folder',
    'それ自体、またはパスの途中が、フォルダーではありません',
  ],
};

/** Why a file cannot be read, without its path; for other than the usual causes what Node says. */
export function unreadable(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const [en, ja] = OF_FILES[code] ?? [message];
  return faultSaid(en, ja);
}

/** Quotes what somebody wrote in the wrong place; of a URL only its scheme, since a webhook's URL is secret. */
export function quoted(text: string): string {
  return JSON.stringify(text.replace(/:\/\/.*/s, '://…'));
}

/** @returns a function that makes the faults whose sentences are in the table */
export function faultsOf<const Table extends Phrases>(table: Table & Balanced<Table>) {
  return <Code extends keyof Table & string>(
    code: Code,
    ...[values]: ValuesOf<Table[Code], Value | undefined>
  ): Fault => new Fault(code, table[code], values);
}

function saidIn(value: Value | undefined, language: 'en' | 'ja'): string | number {
  if (value instanceof Fault) return value.in(language);
  if (typeof value !== 'object') return value ?? '';
  if (language === 'ja') return value.length > 1 ? `${value.join('、')} のどれか` : `${value[0]} `;
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(value).replace(', or ', ' or ');
}

function changedBy(change: (text: string) => string, value: Value | undefined): Value | undefined {
  if (value instanceof Fault) return value.with(change);
  if (typeof value === 'string') return change(value);
  return typeof value === 'object' ? value.map(change) : value;
}
