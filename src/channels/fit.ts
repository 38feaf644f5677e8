/** Fits a card into what its remote takes: of what does not fit, the parts that matter least give the most. */
import type { Card } from './card.ts';
import { lengthOf } from './lines.ts';
import { linesOfCard, type Most, type PartToFit, type Rooms, showCard, type ShownCard } from './show-card.ts';

/** The most of a message, in the unit of `of`. */
export interface Limit<Message> {
  readonly most: number;
  readonly of: (message: Message) => number;
}

export interface Fitted<Message> {
  readonly message: Message;
  readonly shown: ShownCard;
}

/**
 * From what matters most to what matters least: the part of the room that each has for sure, and at least so much of it, since BOT and
 * job are named however little room there is; what one does not need goes to the first.
 */
const SHARES: readonly (readonly [PartToFit, share: number, least: number])[] = [
  ['message', 0.4, 0],
  ['link', 0.15, 0],
  ['text', 0.15, 0],
  ['facts', 0.1, 500],
  ['outputs', 0.2, 0],
];

const NOTHING: Pick<ShownCard, PartToFit> = {
  message: '',
  text: '',
  link: undefined,
  facts: [],
  outputs: [],
};

/** How often a message that is still too long is built anew. */
const TRIES = 6;

/** Of these tries the first go by how sizes grew; what does not grow evenly, as rows of tables, then gets much less room each time. */
const EVEN_TRIES = 3;
const COARSE = 0.6;

/** Of the room that would be right if sizes grew evenly. */
const CAUTION = 0.97;

/** Builds the message, and builds it anew only if it is too long. */
export function fitted<Message>(
  card: Card,
  most: Most,
  limit: Limit<Message>,
  build: (shown: ShownCard) => Message,
): Fitted<Message> {
  const all = showCard(card, most);
  const whole = build(all);
  if (limit.of(whole) <= limit.most) return { message: whole, shown: all };
  const bare = { ...all, ...NOTHING };
  const frame = build(bare);
  const frameSize = limit.of(frame);
  const parts = SHARES.map(([part, share, least]) => {
    const size = limit.of(build({ ...bare, [part]: all[part] })) - frameSize;
    const characters = linesOfCard(all, [part]).reduce((sum, line) => sum + lengthOf(line), 0);
    return { part, share, least, size, characters };
  });
  const free = limit.most - frameSize;
  for (let [tries, room] = [0, free]; tries < TRIES && room > 0; tries += 1) {
    const shown = showCard(card, most, roomsWithin(parts, room, most.characters));
    const message = build(shown);
    const size = limit.of(message);
    if (size <= limit.most) return { message, shown };
    const even = (CAUTION * free) / (size - frameSize);
    room *= tries < EVEN_TRIES ? even : Math.min(even, COARSE);
  }
  return { message: frame, shown: bare };
}

interface PartSize {
  readonly part: PartToFit;
  readonly share: number;
  readonly least: number;
  /** In the unit of the limit. */
  readonly size: number;
  readonly characters: number;
}

/** @param all the characters of a part that need not be shorter */
function roomsWithin(parts: readonly PartSize[], room: number, all: number): Rooms {
  const sure = parts.map(({ share, least, size }) =>
    Math.min(size, Math.max(share * room, Math.min(least, room))),
  );
  let left = Math.max(
    0,
    sure.reduce((rest, size) => rest - size, room),
  );
  const rooms = parts.map(({ part, size, characters }, index) => {
    const given = Math.min(size, (sure[index] ?? 0) + left);
    left -= given - (sure[index] ?? 0);
    return [part, given >= size ? all : Math.floor((characters * given) / size)] as const;
  });
  return Object.fromEntries(rooms) as Rooms;
}
