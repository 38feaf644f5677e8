/**
 * A workflow of Teams: answers 202 to whatever JSON it gets, as the real one does, and says beside it what of the card Teams
 * would refuse (learn.microsoft.com: "Format cards in Teams"; adaptivecards.io: 1.4).
 */
import {
  badCharacter,
  type ChatRequest,
  firstWrong,
  outOfShape,
  type Shape,
  type Verdict,
  wrongRequest,
} from '../../support/chat-stand-in.ts';

/** Teams takes 28 KB, to which the workflow adds some. */
const MOST_BYTES = 24_000;

const MENTION: Shape = { type: 'scalar', text: 'scalar', mentioned: { id: 'scalar', name: 'scalar' } };
const CARD: Shape = {
  $schema: 'scalar',
  type: 'scalar',
  version: 'scalar',
  fallbackText: 'scalar',
  body: 'anything',
  actions: 'anything',
  msteams: { width: 'scalar', entities: MENTION },
};
const MESSAGE: Shape = {
  type: 'scalar',
  attachments: { contentType: 'scalar', contentUrl: 'scalar', content: CARD },
};

/** What the channel uses of each type; with `values`, what a key may have. */
const TYPES: Readonly<Record<string, Shape>> = {
  Container: { type: 'scalar', style: 'scalar', bleed: 'scalar', items: 'anything' },
  RichTextBlock: { type: 'scalar', spacing: 'scalar', inlines: 'anything' },
  TextBlock: { type: 'scalar', text: 'scalar', wrap: 'scalar' },
  TextRun: {
    type: 'scalar',
    text: 'scalar',
    weight: 'scalar',
    size: 'scalar',
    isSubtle: 'scalar',
    fontType: 'scalar',
    selectAction: 'anything',
  },
  'Action.OpenUrl': { type: 'scalar', title: 'scalar', url: 'scalar' },
};
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  style: ['default', 'emphasis', 'good', 'attention', 'warning', 'accent'],
  spacing: ['None', 'Small', 'Default', 'Medium', 'Large'],
  weight: ['Lighter', 'Default', 'Bolder'],
  size: ['Small', 'Default', 'Medium', 'Large', 'ExtraLarge'],
  fontType: ['Default', 'Monospace'],
  bleed: [true, false],
  isSubtle: [true, false],
  wrap: [true, false],
};

type Member = Readonly<Record<string, unknown>>;

interface Entity {
  readonly type: string;
  readonly text: string;
  readonly mentioned: { readonly id: string; readonly name: string };
}

export function judgeTeams(request: ChatRequest): Verdict {
  if (request.method === 'GET') return { answer: { status: 404 } };
  if (!request.query.get('sig'))
    return {
      answer: { status: 401, body: '{"error":{"code":"DirectApiAuthorizationRequired"}}' },
      refused: 'no sig',
    };
  const refused = wrongRequest(request) ?? wrongMessage(request.body);
  return { answer: { status: 202, body: '' }, ...(refused !== undefined && { refused }) };
}

function wrongMessage(body: string): string | undefined {
  const message = JSON.parse(body) as {
    readonly type: string;
    readonly attachments: readonly { readonly contentType: string; readonly content: Card }[];
  };
  const strange = outOfShape(message, MESSAGE);
  const [attachment] = message.attachments;
  if (attachment === undefined) return 'no card';
  return (
    firstWrong(
      [Buffer.byteLength(body) > MOST_BYTES, `it is longer than ${MOST_BYTES} bytes`],
      [badCharacter(body) !== undefined, String(badCharacter(body))],
      [strange.length > 0, `unknown: ${strange.join()}`],
      [message.type !== 'message' || message.attachments.length !== 1, 'not one card'],
      [attachment.contentType !== 'application/vnd.microsoft.card.adaptive', 'the type of the attachment'],
    ) ?? wrongCard(attachment.content)
  );
}

interface Card {
  readonly type: string;
  readonly version: string;
  readonly fallbackText: string;
  readonly body: readonly Member[];
  readonly actions?: readonly Member[];
  readonly msteams: { readonly entities?: readonly Entity[] };
}

function wrongCard({ type, version, fallbackText, body, actions = [], msteams }: Card): string | undefined {
  const { entities = [] } = msteams;
  return (
    firstWrong(
      [type !== 'AdaptiveCard' || version !== '1.4', `${type} ${version}`],
      [fallbackText.trim() === '', 'no text for clients that cannot draw the card'],
      [body.length === 0, 'an empty card'],
    ) ??
    wrongMentions(entities, JSON.stringify(body)) ??
    body.map((element) => wrongElement(element, entities)).find(Boolean) ??
    wrongActions(actions)
  );
}

/** Teams refuses a card with an entity whose text is nowhere in it. */
function wrongMentions(entities: readonly Entity[], body: string): string | undefined {
  const wrong = entities.find(
    ({ type, text, mentioned }) =>
      type !== 'mention' || text !== `<at>${mentioned.name}</at>` || !body.includes(text),
  );
  return wrong && `the mention ${JSON.stringify(wrong)}`;
}

function wrongMember(member: Member, types: readonly string[]): string | undefined {
  const { type } = member;
  const strange = outOfShape(member, TYPES[String(type)] ?? {});
  const odd = Object.entries(member).find(
    ([key, value]) => Object.hasOwn(VALUES, key) && VALUES[key]?.includes(value) !== true,
  );
  return firstWrong(
    [!types.includes(String(type)), `a member of type ${String(type)}`],
    [strange.length > 0, `unknown in ${String(type)}: ${strange.join()}`],
    [odd !== undefined, `the value ${String(odd)}`],
  );
}

function wrongElement(element: Member, entities: readonly Entity[]): string | undefined {
  const wrong = wrongMember(element, ['RichTextBlock', 'TextBlock', 'Container']);
  if (wrong !== undefined) return wrong;
  const { type, text, items, inlines } = element;
  // Markdown acts in it: it holds nothing but declared mentions.
  if (type === 'TextBlock')
    return String(text)
      .split(' ')
      .every((part) => entities.some((entity) => entity.text === part))
      ? undefined
      : `the text block ${String(text)}`;
  const [inside, judge] =
    type === 'Container'
      ? [items as Member[], (item: Member) => wrongElement(item, entities)]
      : [inlines as Member[], wrongRun];
  return inside.length === 0 ? `an empty ${String(type)}` : inside.map(judge).find(Boolean);
}

/** Clients put a date in the place of it, in runs as in text blocks. */
const FUNCTION = /\{\{(?:DATE|TIME)\(/;

function wrongRun(run: Member): string | undefined {
  const wrong = wrongMember(run, ['TextRun']);
  const text = String(run['text']);
  const { selectAction } = run;
  return (
    wrong ??
    firstWrong(
      [text === '', 'an empty run'],
      [text.includes('\n'), 'a line end within a run'],
      [FUNCTION.test(text), `a function in ${text}`],
    ) ??
    (selectAction === undefined ? undefined : wrongActions([selectAction as Member]))
  );
}

function wrongActions(actions: readonly Member[]): string | undefined {
  if (actions.length > 6) return 'more than six actions';
  for (const action of actions) {
    const { title, url } = action;
    const wrong = wrongMember(action, ['Action.OpenUrl']);
    if (wrong !== undefined) return wrong;
    if (String(title).trim() === '') return 'an action without words';
    if (!/^https?:\/\/[^/\s]+\S*$/.test(String(url))) return `the address ${String(url)}`;
  }
  return undefined;
}
