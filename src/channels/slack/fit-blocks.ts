/** Makes a template's own blocks such as Slack takes them: cuts what is too long so that it shows, leaves out what is empty. */
import { cutEnd } from '../../text/cut.ts';
import type { Language } from '../../time/display.ts';
import type { TemplateValue } from '../channel.ts';
import { cutMark, moreMark } from '../marks.ts';
import { flawsOfBlocks, MAX_BLOCKS } from './block-kit.ts';
import { isList, isObject, type SlackObject, stringAt, typeOf } from './message.ts';
import { cutMrkdwn } from './mrkdwn.ts';

/**
 * Slack does not document how many characters a message holds (`msg_blocks_too_long`); refusals were seen from about 9,600
 * on.
 */
const MAX_TOTAL = 8000;

/** Two of the 50 are kept free: for mentions, and for the line that says how many are missing. */
const MOST_BLOCKS = MAX_BLOCKS - 2;

export function fitBlocks(blocks: readonly TemplateValue[], language: Language): readonly SlackObject[] {
  const all = blocks.filter(isObject);
  // Slack takes one table.
  const table = all.find((block) => typeOf(block) === 'table');
  const one = all.filter((block) => block === table || typeOf(block) !== 'table').slice(0, MOST_BLOCKS);
  const fitted = mended(one, language);
  let kept = fitted;
  while (lengthOf(kept) > MAX_TOTAL) kept = kept.slice(0, -1);
  const more = all.length - one.length + fitted.length - kept.length;
  if (more === 0) return kept;
  const text: SlackObject = { type: 'plain_text', text: moreMark(language, more), emoji: false };
  return [...kept, { type: 'context', elements: [text] }];
}

/** Characters in all strings of a value, and so a little more than its texts. */
function lengthOf(value: TemplateValue): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member: TemplateValue) => sum + lengthOf(member), 0);
}

/** Without what Slack refuses: what is left out may leave what held it empty. */
function mended(blocks: readonly SlackObject[], language: Language): readonly SlackObject[] {
  const flaws = new Map(flawsOfBlocks(blocks).map(({ path, most }) => [path.slice(1).join('/'), most]));
  flaws.delete('');
  const keep: Keep = (value, path, holder) => {
    if (!flaws.has(path)) return inside(value, path, keep);
    const most = flaws.get(path) ?? 0;
    return most > 0 && typeof value === 'string' ? cut(value, most, holder, language) : undefined;
  };
  const rest = blocks.map((block, index) => keep(block, String(index))).filter(isObject);
  return flaws.size === 0 ? rest : mended(rest, language);
}

/** What is kept of a value; undefined: nothing. @param path of keys, a slash between two */
type Keep = (value: TemplateValue, path: string, holder?: SlackObject) => TemplateValue | undefined;

function inside(value: TemplateValue, path: string, keep: Keep): TemplateValue | undefined {
  if (isList(value)) {
    // A cell keeps its place.
    const nothing = /\/rows\/\d+$/.test(path) ? { type: 'raw_text', text: '–' } : undefined;
    const items = value.map((item, index) => keep(item, `${path}/${index}`) ?? nothing);
    return items.filter((item) => item !== undefined);
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, keep(member, `${path}/${key}`, value)]);
  const rest = Object.fromEntries(members.filter(([, member]) => member !== undefined)) as SlackObject;
  // Slack looks for names and addresses in what does not say this.
  if (typeOf(value) === 'mrkdwn') return { ...rest, verbatim: true };
  if (!('url' in value) || 'url' in rest) return rest;
  // Of what leads nowhere any more, a link's words stay.
  return typeOf(value) === 'link' ? { type: 'text', text: stringAt(value, 'text') } : undefined;
}

/** Less has no room for the words that say that something was cut. */
const ROOM_FOR_WORDS = 80;

function cut(value: string, most: number, holder: SlackObject | undefined, language: Language): string {
  const mark = most < ROOM_FOR_WORDS ? '…' : cutMark(language);
  const isMrkdwn = holder !== undefined && typeOf(holder) === 'mrkdwn';
  return isMrkdwn ? cutMrkdwn(value, most, mark) : cutEnd(value, most, mark);
}
