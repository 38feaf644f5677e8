/** Globs: `*` stands for any run of characters, also none, `?` for one; all else for itself. */

/** Signs of a glob that are no characters. */
const ANY_RUN = -1;
const ANY_ONE = -2;

const SIGNS: Readonly<Record<string, number>> = { '*': ANY_RUN, '?': ANY_ONE };

/** Compares a whole name, in the time that its length times the glob's takes at the most. */
export function compileGlob(glob: string): (name: string) => boolean {
  const signs = Array.from(glob, (sign) => SIGNS[sign] ?? codePointOf(sign, 0));
  return (name) => matches(signs, name);
}

/** Where a run was begun, only the latest has to be lengthened: whatever fits behind it, fits behind the earlier ones. */
function matches(signs: readonly number[], name: string): boolean {
  let sign = 0;
  let at = 0;
  let behindRun = -1;
  let endOfRun = 0;
  while (at < name.length) {
    const code = codePointOf(name, at);
    const expected = signs[sign];
    if (expected === ANY_RUN) {
      sign += 1;
      behindRun = sign;
      endOfRun = at;
    } else if (expected === code || expected === ANY_ONE) {
      sign += 1;
      at += widthOf(code);
    } else if (behindRun === -1) return false;
    else {
      endOfRun += widthOf(codePointOf(name, endOfRun));
      at = endOfRun;
      sign = behindRun;
    }
  }
  while (signs[sign] === ANY_RUN) sign += 1;
  return sign === signs.length;
}

function codePointOf(text: string, index: number): number {
  return text.codePointAt(index) ?? 0;
}

function widthOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}
