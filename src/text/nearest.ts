/** Suggests the valid name for a misspelt one, such as that of an option in a URL. */
import leven from 'leven';
import { type Fault, faultsOf } from './fault.ts';

/** Longer than any valid name, and short enough to compare quickly. */
const MAX_WORD_LENGTH = 100;

/** The most candidates that a name is compared with: a file may misspell thousands of names. */
const MOST_COMPARED = 1000;

/** The candidate nearest to `word`, ignoring case; undefined when none is near enough. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  // NFKC, since a Japanese input method may type full-width letters.
  const typed = word.normalize('NFKC').toLowerCase();
  let best: string | undefined;
  let bestDistance = allowedDistance(word) + 1;
  for (const candidate of candidates.slice(0, MOST_COMPARED)) {
    const name = candidate.toLowerCase();
    const edits = leven(typed, name, { maxDistance: bestDistance + 1 });
    // Two swapped letters are one slip of the fingers.
    const distance = lettersOf(typed) === lettersOf(name) ? edits - 1 : edits;
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function lettersOf(word: string): string {
  return word.split('').toSorted().join('');
}

/** At least two edits from four letters on, since two swapped letters count as two. */
function allowedDistance(word: string): number {
  return word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
}

const fault = faultsOf({
  meant: ['; did you mean "{meant}"?', '。「{meant}」のことですか？'],
  known: ['; known: {names}', '。使えるのは {names} です'],
  none: ['; known: none', '。まだ何も書かれていません'],
  option: ['has an option that nobody knows, {name}{hint}', '{name} というオプションはありません{hint}'],
  value: [
    'has an option {name}, whose value must be {values}',
    'オプション {name} の値は {values} にしてください',
  ],
  and: ['{what}; {more}', '{what}／{more}'],
});

/** A suggestion that goes on after another sentence; undefined if no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): Fault | undefined {
  const meant = nearest(word, candidates);
  return meant === undefined ? undefined : fault('meant', { meant });
}

/** A longer list would not help the reader. */
const MOST_NAMED = 30;

export function nearestOrAll(word: string, known: readonly string[]): Fault {
  const names = known.length > MOST_NAMED ? [...known.slice(0, MOST_NAMED), '…'] : known;
  const all = () => (known.length === 0 ? fault('none') : fault('known', { names: names.join(', ') }));
  return didYouMean(word, known) ?? all();
}

/** A URL's options: their names by the values that they take, both separated by blanks; `1…9` stands for whole numbers from one to the other, '' for any value. */
type UrlOptions = Readonly<Record<string, string>>;

function takes(values: string, value: string): boolean {
  const [least, most] = values.split('…').map(Number);
  if (least === undefined || most === undefined) return values.split(' ').includes(value);
  return /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most;
}

/** @param options a name with a dot at its end stands for all that begin with it @returns everything that is wrong with the URL; undefined if nothing is */
export function faultOfOptions(url: string, options: UrlOptions): Fault | undefined {
  if (!URL.canParse(url)) return undefined;
  const known = Object.entries(options).flatMap(([values, names]) =>
    names.split(' ').map((name) => [name, values] as const),
  );
  const wrong = [...new URL(url).searchParams].flatMap(([given, value]) => {
    const name = JSON.stringify(given);
    const [, values] =
      known.find(([each]) => given === each || (each.endsWith('.') && given.startsWith(each))) ?? [];
    if (values === undefined) {
      const names = known.map(([each]) => each);
      return fault('option', { name, hint: didYouMean(given, names) });
    }
    if (values === '' || takes(values, value)) return [];
    return fault('value', { name, values: values.replaceAll(' ', ', ') });
  });
  const [first, ...others] = wrong;
  return first && others.reduce((what, more) => fault('and', { what, more }), first);
}
