/** The keys of a card template, and the card that its rendered parts give. */
import { array, mixed, object } from 'yup';
import type { Card, CardLink, Fact, OutputView, Tone } from '../channels/card.ts';
import { ADDRESS_TEXT, isList, type RenderedParts, type TemplateValue } from '../channels/channel.ts';
import { ALL_STATUSES, type StatusName } from '../callback/callback.ts';
import { rule, TEMPLATE_TEXT } from '../channels/settings.ts';
import { fault } from '../config/words.ts';
import { type TemplateName, troubleOf } from '../notice/notice.ts';
import { isBlank, wholeUrl } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { isJsonObject, keysOf } from '../text/json.ts';
import type { Language } from '../time/display.ts';
import type { TemplateKind } from './template.ts';
import type { NoticeView } from './view.ts';

/** A text, or a list of texts, each of which is left out if its variable is empty. */
const PIECES = mixed((value): value is string | string[] =>
  [value].flat().every((piece) => typeof piece === 'string'),
).typeError(() => fault('template.pieces'));

/** An address without Liquid is final, so it can be checked here. */
const ADDRESS = TEMPLATE_TEXT.test(
  rule(
    fault('liquid.no address'),
    (text: unknown) =>
      typeof text !== 'string' || /\{[{%]|^$/.test(text) || wholeUrl(text.trim()) !== undefined,
  ),
);

export const CARD_KIND: TemplateKind = {
  parts: object({
    title: PIECES.required(),
    summary: PIECES.required(),
    text: PIECES,
    message: PIECES,
    facts: array(object({ name: PIECES, value: PIECES, url: ADDRESS })),
    outputs: mixed({ type: 'boolean', check: (value): value is boolean => typeof value === 'boolean' }),
    link: object({ text: PIECES, url: ADDRESS }).default(undefined),
    footer: PIECES,
  }),
  textAt: (path) => (path.at(-1) === 'url' ? ADDRESS_TEXT : undefined),
};

/** Characters of a title, summary or other single line; no channel shows more. */
const LONGEST_LINE = 2000;

/** The input of a card, beside the rendered parts. */
export interface Filling {
  readonly name: TemplateName;
  readonly language: Language;
  readonly view: NoticeView;
  readonly attachment?: Card['attachment'];
}

export function cardOf(parts: RenderedParts, { name, language, view, attachment }: Filling): Card {
  const title = lineAt(parts, 'title') || lineAt(view, 'bot_id') || '–';
  const outputs = parts['outputs'] === false ? [] : (view.outputs?.() ?? []);
  return {
    tone: toneOf(name, view),
    language,
    title,
    summary: lineAt(parts, 'summary') || title,
    text: textAt(parts, 'text').trim(),
    message: shown(textAt(parts, 'message')),
    facts: factsOf(parts['facts'], title),
    outputs,
    outputCount: outputs.length === 0 ? 0 : countOf(view['output'], outputs),
    restUrl: outputs.length === 0 ? '' : textAt(view, 'job_url') || textAt(view, 'page_url'),
    link: linkOf(parts['link']),
    footer: lineAt(parts, 'footer'),
    attachment,
  };
}

/** The card for when every template failed: the BOT, or what happened to which message, and why. */
export function plainCard(filling: Filling): Card {
  const { name, view } = filling;
  const botName = textAt(view, 'bot_name');
  const title = isStatusName(name) ? botName : `Botbell: ${name} ${textAt(view, 'destination') || botName}`;
  const message = textAt(view, isStatusName(name) ? 'message' : 'reason');
  return cardOf({ title, message, outputs: false }, filling);
}

function toneOf(name: TemplateName, { status_name: status, bots }: NoticeView): Tone {
  if (isStatusName(name) || name === 'test') return name;
  if (name === 'recovered' || name === 'over') return 'succeeded';
  if (name === 'taken_up') return 'executing';
  if (name === 'late') return status === 'error' ? 'error' : 'succeeded';
  if (bots === undefined) return 'alert';
  if (bots.some(({ errors }) => errors > 0)) return 'error';
  return bots.every((bot) => troubleOf(bot) === 0) ? 'succeeded' : 'alert';
}

function isStatusName(name: TemplateName): name is StatusName {
  return ALL_STATUSES.some((status) => status === name);
}

function countOf(output: unknown, outputs: readonly OutputView[]): number {
  return isJsonObject(output) ? keysOf(output).length : outputs.length;
}

/** Leaves out facts without a value, or with that of the title: the id of a BOT without a name of its own. */
function factsOf(facts: TemplateValue | undefined, title: string): readonly Fact[] {
  if (!isList(facts)) return [];
  return facts
    .map((fact) => ({
      name: lineAt(fact, 'name'),
      value: shown(textAt(fact, 'value')),
      url: urlAt(fact, 'url'),
    }))
    .filter(({ value }) => value !== '' && value !== title);
}

function linkOf(link: TemplateValue | undefined): CardLink | undefined {
  const url = urlAt(link, 'url');
  return url === '' ? undefined : { url, text: lineAt(link, 'text') || url };
}

function textAt(object: unknown, key: string): string {
  const value = isJsonObject(object) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}

function lineAt(object: unknown, key: string): string {
  return shortLine(textAt(object, key), LONGEST_LINE);
}

function urlAt(object: unknown, key: string): string {
  return wholeUrl(textAt(object, key).trim()) ?? '';
}

/** The text; '' if all of it is invisible. */
function shown(text: string): string {
  return isBlank(text) ? '' : text;
}
