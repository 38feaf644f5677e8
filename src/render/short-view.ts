/** Variables with short texts, for templates whose filters failed over long ones. */
import { endsOf } from '../text/cut.ts';
import { objectOf } from '../text/exact-json.ts';
import { isContainer, keysOf } from '../text/json-object.ts';
import type { NoticeView } from './view.ts';

/** Characters of a text. */
const LONGEST_TEXT = 20_000;

/** The same variables; a text that is too long in any of them, however deep, keeps its beginning and its end. */
export function withShortTexts(view: NoticeView): NoticeView {
  return short(view) as NoticeView;
}

function short(value: unknown): unknown {
  if (typeof value === 'string') return endsOf(value, LONGEST_TEXT);
  if (Array.isArray(value)) return value.map(short);
  if (!isContainer(value)) return value;
  return objectOf(keysOf(value).map((key) => [key, short(value[key])]));
}
