/** An attachment as Mattermost shows it, near enough. */
import { chatBox, chatTable } from '../hooks/chat-html.ts';
import { markdownAsHtml } from '../hooks/markdown.ts';
import type { MattermostMessage } from './compose.ts';

export function mattermostAsHtml({ text, attachments }: MattermostMessage): string {
  const mention = text === undefined ? '' : chatBox('mention', markdownAsHtml(text));
  const card = attachments?.map((attachment) =>
    chatBox('card', partsOf(attachment.text), `border-left:4px solid ${attachment.color}`),
  );
  return chatBox('message', [mention, ...(card ?? [])].join('\n'));
}

const TABLE = /^\|.*\|\n\|(?: --- \|)+\n(?:\|.*\|(?:\n|$))*/gmu;

/** Tables stand on lines of their own. */
function partsOf(markdown: string): string {
  let html = '';
  let end = 0;
  for (const { 0: table, index } of markdown.matchAll(TABLE)) {
    const [head = '', , ...rows] = table.trimEnd().split('\n');
    html += markdownAsHtml(markdown.slice(end, index)) + chatTable([head, ...rows].map(cellsOf));
    end = index + table.length;
  }
  return html + markdownAsHtml(markdown.slice(end));
}

function cellsOf(row: string): readonly string[] {
  return row.slice(2, -2).split(' | ').map(markdownAsHtml);
}
