/** Options in a URL's query. */
import { didYouMean } from './nearest.ts';

/** @param known names; one that ends with a dot stands for all that begin with it. @returns what is wrong, to be read after the value's path */
export function faultOfOptions(url: string, known: readonly string[]): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const isKnown = (name: string) =>
    known.some((each) => name === each || (each.endsWith('.') && name.startsWith(each)));
  const unknown = [...new URL(url).searchParams.keys()].find((name) => !isKnown(name));
  return (
    unknown && `has an option that nobody knows, ${JSON.stringify(unknown)}${didYouMean(unknown, known)}`
  );
}
