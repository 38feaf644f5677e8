/** The reader of the page that is drawn, and words in their language, for every part of it. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Reader } from './reader.ts';
import type { Translated } from './words/translated.ts';

export const ReaderContext = createContext<Reader | undefined>(undefined);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (reader === undefined) throw new Error('a page is drawn for nobody');
  return reader;
}

export function useWords<Words>(words: Translated<Words>): Translated<Words>['en'] {
  return words[useReader().language];
}
