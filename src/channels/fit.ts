/** Fits a card into what its remote takes: of what does not fit, each part gives by its weight. */
import type { Card } from './card.ts';
import { type Most, type Rooms, showCard, type ShownCard } from './show-card.ts';

/** The most of a message, in the unit of `of`. */
export interface Limit<Message> {
  readonly most: number;
  readonly of: (message: Message) => number;
}

export interface Fitted<Message> {
  readonly message: Message;
  readonly shown: ShownCard;
}

/** Characters that the facts always have: a run is to be known by its ids. */
const LEAST_OF_FACTS = 500;

/** How often a message that is too long is built anew, unless one fills so much of its limit. */
const TRIES = 5;
const ENOUGH = 0.85;
/** With about half of it, a message that is long by its text alone fits at once. */
const PART = 0.45;

/** @param room in characters: what needs more of it than its weight gives loses the rest */
function roomsOf(room: number): Rooms {
  const facts = Math.max(LEAST_OF_FACTS, 4 * room);
  return { facts, message: 2 * room, outputs: room, text: room, link: room };
}

/** Builds the message, and builds it anew only if it is too long, with a part of the room that is left to try. */
export function fitted<Message>(
  card: Card,
  most: Most,
  limit: Limit<Message>,
  build: (shown: ShownCard) => Message,
): Fitted<Message> {
  const builtOf = (room: number, rooms?: Partial<Rooms>) => {
    const shown = showCard(card, most, rooms);
    const message = build(shown);
    return { message, shown, room, size: limit.of(message) };
  };
  let over = Math.min(limit.most, most.characters);
  const whole = builtOf(over);
  if (whole.size <= limit.most) return whole;
  let best = builtOf(0, roomsOf(0));
  if (best.size > limit.most) return builtOf(0, { ...roomsOf(0), facts: 0 });
  for (let tries = 0; tries < TRIES && best.size < ENOUGH * limit.most; tries += 1) {
    const room = best.room + PART * (over - best.room);
    const built = builtOf(room, roomsOf(room));
    if (built.size > limit.most) over = room;
    else best = built;
  }
  return best;
}
