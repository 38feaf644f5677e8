/**
 * A workflow of Teams: answers 202 to whatever JSON it gets, as the real one does, and says beside it what of the card Teams
 * would refuse (learn.microsoft.com: "Format cards in Teams"; adaptivecards.io: 1.4).
 */
import {
  type ChatRequest,
  namesIn,
  unknownMembers,
  type Verdict,
  wrongRequest,
} from '../../support/chat-stand-in.ts';

const MAX_BYTES = 28_000;
const MEMBERS = namesIn(`
  type attachments contentType contentUrl content $schema version fallbackText msteams width entities
  text mentioned id name body actions title url wrap style bleed items inlines spacing weight size
  isSubtle fontType selectAction`);
const ELEMENTS = new Set(['RichTextBlock', 'TextBlock', 'Container']);

type Member = Readonly<Record<string, unknown>>;

export function judgeTeams(request: ChatRequest): Verdict {
  if (request.method === 'GET') return { answer: { status: 404 } };
  if (!request.query.has('sig'))
    return {
      answer: { status: 401, body: '{"error":{"code":"DirectApiAuthorizationRequired"}}' },
      refused: 'no sig',
    };
  const refused = wrongRequest(request) ?? wrongMessage(request.body);
  return { answer: { status: 202, body: '' }, ...(refused !== undefined && { refused }) };
}

function wrongMessage(body: string): string | undefined {
  if (Buffer.byteLength(body) > MAX_BYTES) return 'it is longer than 28 KB';
  const message = JSON.parse(body) as {
    type: string;
    attachments: { contentType: string; content: Member }[];
  };
  const unknown = unknownMembers(message, MEMBERS);
  if (unknown.length > 0) return `unknown members: ${unknown.join(', ')}`;
  const [attachment] = message.attachments;
  if (message.type !== 'message' || message.attachments.length !== 1 || attachment === undefined)
    return 'not one card';
  if (attachment.contentType !== 'application/vnd.microsoft.card.adaptive')
    return 'the type of the attachment';
  const { version, body: elements, actions = [], msteams } = attachment.content;
  if (version !== '1.4') return `version ${String(version)}`;
  const mentions = ((msteams as { entities?: { text: string }[] }).entities ?? []).map(({ text }) => text);
  return (
    (elements as Member[]).map((element) => wrongElement(element, mentions)).find(Boolean) ??
    wrongActions(actions as Member[])
  );
}

function wrongElement(
  { type, text, items, inlines }: Member,
  mentions: readonly string[],
): string | undefined {
  if (!ELEMENTS.has(String(type))) return `an element of type ${String(type)}`;
  if (type === 'Container')
    return (items as Member[]).map((item) => wrongElement(item, mentions)).find(Boolean);
  // Markdown acts in it: it holds nothing but declared mentions.
  if (type === 'TextBlock')
    return String(text)
      .split(' ')
      .every((part) => mentions.includes(part))
      ? undefined
      : `the text block ${String(text)}`;
  const runs = inlines as Member[];
  if (runs.length === 0) return 'a line without runs';
  return runs.map(wrongRun).find(Boolean);
}

function wrongRun({ type, text, selectAction }: Member): string | undefined {
  if (type !== 'TextRun' || typeof text !== 'string') return 'a run that is none';
  if (text === '') return 'an empty run';
  if (text.includes('\n')) return 'a line end within a run';
  if (!text.isWellFormed()) return 'half a character';
  return selectAction === undefined ? undefined : wrongActions([selectAction as Member]);
}

function wrongActions(actions: readonly Member[]): string | undefined {
  if (actions.length > 6) return 'more than six actions';
  for (const { type, title, url } of actions) {
    if (type !== 'Action.OpenUrl' || title === '') return `the action ${String(type)} ${String(title)}`;
    if (!/^https?:\/\/[^\s]+$/.test(String(url))) return `the address ${String(url)}`;
  }
  return undefined;
}
