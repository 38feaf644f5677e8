/** The reader of the page that is drawn, for every part of it. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Reader } from './reader.ts';

export const ReaderContext = createContext<Reader | undefined>(undefined);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (reader === undefined) throw new Error('a page is drawn for nobody');
  return reader;
}
