/** An Adaptive Card as Teams shows it, near enough. */
import { chatBox, chatLink, chatText, TONE_COLOURS } from '../hooks/chat-html.ts';
import type { CardElement, Container, RichTextBlock, TeamsMessage, TextRun } from './card.ts';

const BARS: Readonly<Record<Container['style'], string>> = {
  good: TONE_COLOURS.succeeded,
  attention: TONE_COLOURS.error,
  accent: TONE_COLOURS.executing,
  warning: TONE_COLOURS.alert,
  default: 'transparent',
  emphasis: 'transparent',
};

export function teamsAsHtml({ attachments: [{ content }] }: TeamsMessage): string {
  const buttons = (content.actions ?? []).map(({ title, url }) => chatLink(url, chatText(title), 'button'));
  return chatBox('message', chatBox('card', [...content.body.map(elementAsHtml), ...buttons].join('\n')));
}

function elementAsHtml(element: CardElement): string {
  if (element.type === 'TextBlock')
    return chatBox('mention', chatText(element.text.replace(/<at>/g, '@').replaceAll('</at>', '')));
  if (element.type === 'RichTextBlock') return lineAsHtml(element);
  const inner = element.items.map(lineAsHtml).join('\n');
  if (element.style === 'emphasis') return chatBox('code', inner);
  return chatBox('title', inner, `border-left:4px solid ${BARS[element.style]};padding-left:8px`);
}

function lineAsHtml({ inlines, spacing }: RichTextBlock): string {
  return `<div style="margin-top:${spacing === 'None' ? 0 : 6}px">${inlines.map(runAsHtml).join('')}</div>`;
}

function runAsHtml({ text, weight, isSubtle, fontType, selectAction }: TextRun): string {
  const look = [
    weight === undefined ? '' : 'font-weight:700',
    isSubtle === true ? 'opacity:.75' : '',
    fontType === undefined ? '' : 'font-family:Menlo,Consolas,monospace',
  ].filter((style) => style !== '');
  const inner = `<span style="${look.join(';')}">${chatText(text)}</span>`;
  return selectAction === undefined ? inner : chatLink(selectAction.url, inner);
}
