/** An embed as Discord shows it, near enough. */
import { chatBox, chatLink, chatText } from '../hooks/chat-html.ts';
import { markdownAsHtml } from '../hooks/markdown.ts';
import type { DiscordMessage, Embed } from './compose.ts';

export function discordAsHtml({ content, embeds }: DiscordMessage): string {
  const mention = content === undefined ? '' : chatBox('mention', markdownAsHtml(content));
  return chatBox('message', [mention, ...(embeds ?? []).map(embedAsHtml)].join('\n'));
}

function embedAsHtml({ title, url, description = '', color, fields, footer }: Embed): string {
  const heading = url === undefined ? markdownAsHtml(title) : chatLink(url, markdownAsHtml(title));
  const shown = fields.map(({ name, value, inline }) => {
    const look = inline ? 'display:inline-block;margin-right:24px;vertical-align:top' : '';
    return `<div style="${look}"><b>${markdownAsHtml(name)}</b><br>${markdownAsHtml(value)}</div>`;
  });
  const parts = [chatBox('title', heading), `<div>${markdownAsHtml(description)}</div>`, ...shown];
  if (footer !== undefined) parts.push(chatBox('subtle', chatText(footer.text)));
  const colour = `#${color.toString(16).padStart(6, '0')}`;
  return chatBox('card', parts.join('\n'), `border-left:4px solid ${colour}`);
}
