/** A card as Google Chat shows it, near enough. */
import { chatBox, chatLink, chatText } from '../hooks/chat-html.ts';
import type { GoogleChatMessage, Widget } from './message.ts';

export function googleChatAsHtml({ text, cardsV2 }: GoogleChatMessage): string {
  const mention = text === undefined ? '' : chatBox('mention', chatText(text));
  const cards = (cardsV2 ?? []).map(({ card }) =>
    chatBox(
      'card',
      [
        chatBox('title', chatText(card.header.title)),
        ...card.sections.flatMap(({ widgets }) => widgets.map(widgetAsHtml)),
      ].join('\n'),
    ),
  );
  return chatBox('message', [mention, ...cards].join('\n'));
}

function widgetAsHtml(widget: Widget): string {
  if ('textParagraph' in widget) return `<div>${styled(widget.textParagraph.text)}</div>`;
  if ('decoratedText' in widget)
    return (
      chatBox('subtle', chatText(widget.decoratedText.topLabel)) +
      `<div>${styled(widget.decoratedText.text)}</div>`
    );
  const [{ text, onClick }] = widget.buttonList.buttons;
  return chatLink(onClick.openLink.url, chatText(text), 'button');
}

function styled(html: string): string {
  return html.replace(/<font color="(#\w+)">/g, '<span style="color:$1">').replaceAll('</font>', '</span>');
}
