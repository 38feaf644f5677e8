/** A webhook of a space of Google Chat (developers.google.com/workspace/chat: messages, cards, limits). */
import { type ChatRequest, unknownMembers, type Verdict, wrongRequest } from '../../support/chat-stand-in.ts';

const MEMBERS = [
  ...[
    'text',
    'fallbackText',
    'cardsV2',
    'cardId',
    'card',
    'header',
    'title',
    'sections',
    'widgets',
    'textParagraph',
  ],
  ...['decoratedText', 'topLabel', 'wrapText', 'buttonList', 'buttons', 'onClick', 'openLink', 'url'],
];

type Widget = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Message {
  readonly text?: string;
  readonly cardsV2?: readonly {
    readonly card: {
      readonly header: { readonly title: string };
      readonly sections: readonly { readonly widgets: readonly Widget[] }[];
    };
  }[];
}

export const googleError = (code: number, status: string, reason?: string) => ({
  error: { code, message: 'no', status, ...(reason !== undefined && { details: [{ reason }] }) },
});

const refusal = (code: number, status: string, refused: string): Verdict => ({
  answer: { status: code, body: JSON.stringify(googleError(code, status)) },
  refused,
});

export function judgeGoogleChat(request: ChatRequest): Verdict {
  if (request.method === 'GET') return { answer: { status: 404 } };
  if (!request.query.has('key') || !request.query.has('token'))
    return refusal(401, 'UNAUTHENTICATED', 'no key');
  const wrong = wrongRequest(request);
  if (wrong !== undefined) return refusal(400, 'INVALID_ARGUMENT', wrong);
  const message = JSON.parse(request.body) as Message;
  const refused = unknownMembers(message, MEMBERS)[0] ?? wrongMessage(message, request.body);
  if (refused !== undefined) return refusal(400, 'INVALID_ARGUMENT', refused);
  return {
    answer: {
      status: 200,
      body: '{"name":"spaces/AAAA/messages/BBBB.CCCC","thread":{"name":"spaces/AAAA/threads/DDDD"}}',
    },
  };
}

function wrongMessage({ text, cardsV2 = [] }: Message, body: string): string | undefined {
  if (Buffer.byteLength(body) > 32_000) return 'it is longer than 32,000 bytes';
  if (hasHalfACharacter(body)) return 'half a character';
  if (text === undefined && cardsV2.length === 0) return 'an empty message';
  if (text !== undefined && (text.trim() === '' || text.length > 4096)) return 'the text';
  if (text !== undefined && !/^(?:<users\/[\w.@-]+> ?)+$/.test(text) && /[<>*_~`]/.test(text))
    return `markup in ${text}`;
  for (const { card } of cardsV2) {
    if (card.header.title.trim() === '') return 'an empty title';
    const widgets = card.sections.flatMap((section) => section.widgets);
    if (widgets.length === 0 || widgets.length > 100) return `${widgets.length} widgets`;
    const wrong = widgets.map(wrongWidget).find(Boolean);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function hasHalfACharacter(json: string): boolean {
  let isFound = false;
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'string' && !value.isWellFormed()) isFound = true;
    return value;
  });
  return isFound;
}

const TAGS = /<\/?(?:b|br|font|a)(?: color="#\w{6}"| href="https?:[^"<>]*")?>/g;

function wrongWidget({ textParagraph, decoratedText, buttonList }: Widget): string | undefined {
  const html = (textParagraph ?? decoratedText)?.['text'];
  if (html !== undefined) {
    if (String(html).trim() === '') return 'an empty text';
    if (/[<>]/.test(String(html).replaceAll(TAGS, ''))) return `the tags of ${String(html)}`;
    const label = decoratedText?.['topLabel'];
    return label !== undefined && /^\s*$|[<>]/.test(String(label)) ? `the label ${String(label)}` : undefined;
  }
  const [button] = buttonList?.['buttons'] as [{ text: string; onClick: { openLink: { url: string } } }];
  return /^https?:\/\//.test(button.onClick.openLink.url) && button.text !== '' ? undefined : 'a button';
}
