/** The way from a document's root to one of its values. */

/** Keys of mappings and indexes of lists, outermost first. */
export type Path = readonly (string | number)[];

const PLAIN_KEY = /^[\p{L}\p{N}_-]+$/u;
const STEP = /\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g;

/** The path as text: `routes[0].on[1]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => text + stepText(step, text === ''), '');
}

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === 'number') return `[${step}]`;
  if (!PLAIN_KEY.test(step)) return `[${JSON.stringify(step)}]`;
  return isFirst ? step : `.${step}`;
}

/** Parses a path written by yup. Its keys come from a schema, so the path is never ambiguous. */
export function parsePath(text: string): Path {
  return [...text.matchAll(STEP)].map(([, quoted, index, key]) =>
    index === undefined ? (quoted ?? key ?? '') : Number(index),
  );
}
