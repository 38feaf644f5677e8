/** Any value of a callback as text: unchanged, as compact JSON, or shortened to a line. Of these, only joined values are cleaned here. */
import { cleanLine, cleanText, LONGEST_ADDRESS } from '../text/clean.ts';
import { isJsonObject, keysOf, SpeltNumber, exactJson } from '../text/json.ts';
import { endsOf } from '../text/cut.ts';

/** Limits of a shortened value: in all, of each member, and of their number; printing cuts it further. */
const MOST_CHARACTERS = 20_000;
/** As long as an address, which opens only whole. */
const MOST_OF_A_MEMBER = LONGEST_ADDRESS;
const MOST_MEMBERS = 100;

/** Characters of a key or of a file's name. */
const LONGEST_NAME = 2000;

export function isScalar(value: unknown): value is string | number | boolean | SpeltNumber {
  return ['string', 'number', 'boolean'].includes(typeof value) || value instanceof SpeltNumber;
}

/** The value as a template prints it; '' for an absent value or null. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return isScalar(value) ? String(value) : exactJson(value);
}

/** An object for people: `商品名: チーズケーキ · 価格: 500 · 画像: 0001.jpg · タグ: ケーキ, チーズ`. Deeper values are compact JSON. */
export function inlineText(value: unknown): string {
  if (!isJsonObject(value) || fileEntries(value) !== undefined)
    return Array.isArray(value) ? endsOf(textOf(value), MOST_CHARACTERS) : memberText(value);
  return joinSome(keysOf(value), (key) => `${keyText(key)}: ${memberText(value[key])}`, ' · ');
}

/** A value inside an object, or alone: a list as its items, files as their names. */
export function memberText(value: unknown): string {
  if (Array.isArray(value)) return joinSome(value, leafText, ', ');
  // One more file than is shown, so that `joinSome` adds its mark.
  const files = fileEntries(value)?.slice(0, MOST_MEMBERS + 1);
  return files === undefined ? leafText(value) : joinSome(files, fileName, ', ');
}

/** Each member is cleaned before they are joined, so that a control sequence left open in one cannot remove text of the next ones. */
function leafText(value: unknown): string {
  return cleanText(endsOf(value === null ? 'null' : textOf(value), MOST_OF_A_MEMBER));
}

function joinSome<Item>(items: readonly Item[], textOfItem: (item: Item) => string, between: string): string {
  let joined = '';
  for (const [index, item] of items.entries()) {
    if (index > 0) joined += between;
    if (index === MOST_MEMBERS || joined.length > MOST_CHARACTERS) return `${joined}…`;
    joined += textOfItem(item);
  }
  return joined;
}

/** A key as text, `–` if nothing of it can be shown. */
export function keyText(key: string): string {
  return nameText(key) || '–';
}

/** A key or a file's name on one line; a long one loses its middle. */
function nameText(name: string): string {
  return cleanLine(endsOf(name, LONGEST_NAME));
}

/** A BOT's name, or its id if it has none, on one line of at most `most` characters. */
export function botNameOf(name: string, id: string, most: number): string {
  return endsOf(nameText(name) || nameText(id), most);
}

/** As `botNameOf`, of BOTs that stand in one message: a name that several of them have is followed by their ids. */
export function botNamesOf(bots: readonly NamedBot[], most: number): (bot: NamedBot) => string {
  const plain = ({ bot_id, bot_name }: NamedBot) => botNameOf(bot_name, bot_id, most);
  const names = [...new Map(bots.map((bot) => [bot.bot_id, plain(bot)])).values()].toSorted();
  const shared = new Set(names.filter((name, index) => name === names[index + 1]));
  return (bot) => {
    const name = plain(bot);
    return shared.has(name) ? `${name} (${endsOf(nameText(bot.bot_id), most)})` : name;
  };
}

interface NamedBot {
  readonly bot_id: string;
  readonly bot_name: string;
}

/** Callback interface, "File value": `{type: "files", files: […]}`; undefined for anything else. */
export function fileEntries(value: unknown): readonly unknown[] | undefined {
  if (!isJsonObject(value) || value['type'] !== 'files') return undefined;
  return Array.isArray(value['files']) ? value['files'] : undefined;
}

/** A file entry's name, else the last segment of its reference. */
export function fileName(entry: unknown): string {
  const meta = isJsonObject(entry) && isJsonObject(entry['meta']) ? entry['meta'] : {};
  const name = typeof meta['name'] === 'string' ? nameText(meta['name']) : '';
  if (name !== '') return name;
  const ref = isJsonObject(entry) && typeof entry['ref'] === 'string' ? entry['ref'] : '';
  return nameText(ref.slice(ref.lastIndexOf('/') + 1)) || nameText(exactJson(entry)) || '–';
}
