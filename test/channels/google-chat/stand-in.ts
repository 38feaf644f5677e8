/** A webhook of a space of Google Chat (developers.google.com/workspace/chat: messages, cards, limits). */
import {
  type ChatRequest,
  firstWrong,
  namesIn,
  unknownMembers,
  type Verdict,
  wrongRequest,
} from '../../support/chat-stand-in.ts';

const MEMBERS = namesIn(`
  text fallbackText cardsV2 cardId card header title sections widgets textParagraph decoratedText
  topLabel wrapText buttonList buttons onClick openLink url thread threadKey`);

interface Widget {
  readonly textParagraph?: { readonly text: string };
  readonly decoratedText?: { readonly text: string; readonly topLabel: string };
  readonly buttonList?: {
    readonly buttons: readonly {
      readonly text: string;
      readonly onClick: { readonly openLink: { readonly url: string } };
    }[];
  };
}

interface Message {
  readonly text?: string;
  readonly thread?: { readonly threadKey?: string };
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
  const isThreaded = request.query.get('messageReplyOption') === 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD';
  const refused =
    unknownMembers(message, MEMBERS)[0] ??
    (isThreaded === (message.thread?.threadKey === undefined) ? 'a key without its thread' : undefined) ??
    wrongMessage(message, request.body);
  if (refused !== undefined) return refusal(400, 'INVALID_ARGUMENT', refused);
  return {
    answer: {
      status: 200,
      body: '{"name":"spaces/AAAA/messages/BBBB.CCCC","thread":{"name":"spaces/AAAA/threads/DDDD"}}',
    },
  };
}

function wrongMessage({ text, cardsV2 = [] }: Message, body: string): string | undefined {
  const isOwnMention = /^(?:<users\/[\w.@-]+> ?)+$/.test(text ?? '');
  const widgets = cardsV2.flatMap(({ card }) => card.sections.flatMap((section) => section.widgets));
  const wrong = firstWrong(
    [Buffer.byteLength(body) > 32_000, 'it is longer than 32,000 bytes'],
    [hasHalfACharacter(body), 'half a character'],
    [text === undefined && cardsV2.length === 0, 'an empty message'],
    [text !== undefined && (text.trim() === '' || text.length > 4096), 'the text'],
    [!isOwnMention && /[<>*_~`]/.test(text ?? ''), `markup in ${text}`],
    [cardsV2.some(({ card }) => card.header.title.trim() === ''), 'an empty title'],
    [cardsV2.length > 0 && (widgets.length === 0 || widgets.length > 100), `${widgets.length} widgets`],
  );
  return wrong ?? widgets.map(wrongWidget).find(Boolean);
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
  const html = (textParagraph ?? decoratedText)?.text ?? '';
  const label = decoratedText?.topLabel ?? '–';
  const [button] = buttonList?.buttons ?? [];
  return firstWrong(
    [button === undefined && html.trim() === '', 'an empty text'],
    [/[<>]/.test(html.replaceAll(TAGS, '')), `the tags of ${html}`],
    [/^\s*$|[<>]/.test(label), `the label ${label}`],
    [button !== undefined && !/^https?:\/\//.test(button.onClick.openLink.url), 'the address of a button'],
    [button?.text === '', 'a button without words'],
  );
}
