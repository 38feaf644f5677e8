/** A webhook of a space of Google Chat (developers.google.com/workspace/chat: messages, cards, limits). */
import {
  badCharacter,
  type ChatRequest,
  firstWrong,
  outOfShape,
  type Shape,
  type Verdict,
  wrongRequest,
} from '../../support/chat-stand-in.ts';

const CARD: Shape = {
  header: { title: 'scalar' },
  sections: {
    widgets: {
      textParagraph: { text: 'scalar' },
      buttonList: { buttons: { text: 'scalar', onClick: { openLink: { url: 'scalar' } } } },
    },
  },
};
const MESSAGE: Shape = {
  text: 'scalar',
  fallbackText: 'scalar',
  cardsV2: { cardId: 'scalar', card: CARD },
  thread: { threadKey: 'scalar' },
};

interface Widget {
  readonly textParagraph?: { readonly text: string };
  readonly buttonList?: {
    readonly buttons: readonly {
      readonly text: string;
      readonly onClick: { readonly openLink: { readonly url: string } };
    }[];
  };
}

interface Message {
  readonly text?: string;
  readonly fallbackText?: string;
  readonly thread?: { readonly threadKey?: string };
  readonly cardsV2?: readonly {
    readonly cardId?: string;
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
  const { query, path } = request;
  if (!query.get('key') || !query.get('token')) return refusal(401, 'UNAUTHENTICATED', 'no key');
  if (!/^\/v1\/spaces\/\w+\/messages$/.test(path)) return refusal(404, 'NOT_FOUND', `the path ${path}`);
  const wrong = wrongRequest(request);
  if (wrong !== undefined) return refusal(400, 'INVALID_ARGUMENT', wrong);
  const message = JSON.parse(request.body) as Message;
  const refused = wrongQuery(query, message) ?? wrongMessage(message, request.body);
  if (refused !== undefined) return refusal(400, 'INVALID_ARGUMENT', refused);
  return {
    answer: {
      status: 200,
      body: '{"name":"spaces/AAAA/messages/BBBB.CCCC","thread":{"name":"spaces/AAAA/threads/DDDD"}}',
    },
  };
}

function wrongQuery(query: URLSearchParams, { thread }: Message): string | undefined {
  const isThreaded = query.get('messageReplyOption') === 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD';
  return firstWrong(
    [query.size !== (isThreaded ? 3 : 2), `the query ${query.toString()}`],
    // Chat takes it, but opens a new thread for each message.
    [isThreaded === (thread?.threadKey === undefined), 'a key without its thread'],
    [(thread?.threadKey ?? 'key').length > 4000 || thread?.threadKey === '', 'the key of the thread'],
  );
}

function wrongMessage(message: Message, body: string): string | undefined {
  const { text, fallbackText, cardsV2 = [] } = message;
  const isOwnMention = /^(?:<users\/[\w.@-]+> ?)+$/.test(text ?? '');
  const widgets = cardsV2.flatMap(({ card }) => card.sections.flatMap((section) => section.widgets));
  const wrong = firstWrong(
    [Buffer.byteLength(body) > 32_000, 'it is longer than 32,000 bytes'],
    [badCharacter(body) !== undefined, String(badCharacter(body))],
    [outOfShape(message, MESSAGE).length > 0, `unknown: ${outOfShape(message, MESSAGE).join()}`],
    [text === undefined && cardsV2.length === 0, 'an empty message'],
    [text !== undefined && (text.trim() === '' || text.length > 3800), 'the text'],
    [fallbackText?.trim() === '', 'an empty text for notifications'],
    [!isOwnMention && /[<>*_~`]/.test(text ?? ''), `markup in ${text}`],
    [cardsV2.some(({ cardId, card }) => !cardId || card.header.title.trim() === ''), 'an empty title'],
    [cardsV2.length > 0 && (widgets.length === 0 || widgets.length > 100), `${widgets.length} widgets`],
  );
  return wrong ?? widgets.map(wrongWidget).find(Boolean);
}

function wrongWidget(widget: Widget): string | undefined {
  const { textParagraph, buttonList } = widget;
  if (Object.keys(widget).length !== 1) return 'a widget that is not one thing';
  if (textParagraph !== undefined) return wrongHtml(textParagraph.text);
  const buttons = buttonList?.buttons ?? [];
  return firstWrong(
    [buttons.length === 0, 'no button'],
    [
      buttons.some(({ onClick }) => !/^https?:\/\/[^/\s]+/.test(onClick.openLink.url)),
      'the address of a button',
    ],
    [buttons.some(({ text }) => text.trim() === '' || /[<>]/.test(text)), 'the words of a button'],
  );
}

const TAG = /<(\/?)(b|font|a)( color="#\w{6}"| href="https?:\/\/[^"<>]*")?>/g;

/** Of the HTML that cards support: `b`, `font` and `a`, closed in turn, and `br`. */
function wrongHtml(html: string): string | undefined {
  const open: string[] = [];
  const rest = html.replaceAll('<br>', '').replaceAll(TAG, (tag, end: string, name: string) => {
    if (end === '') open.push(name);
    return end === '' || open.pop() === name ? '' : tag;
  });
  return firstWrong(
    [open.length > 0 || /[<>]/.test(rest), `the tags of ${html}`],
    [/&(?!(?:amp|lt|gt|quot|#39);)/.test(rest), `an entity in ${rest}`],
    [rest.trim() === '' || html.includes('\n'), 'an empty text, or a line end that Chat does not show'],
  );
}
