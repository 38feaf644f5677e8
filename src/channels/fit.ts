/** Fits a card into its remote's limit: if the message is too long, the parts of the card are cut according to their weights. */
import type { Card } from './card.ts';
import { lengthOf } from './lines.ts';
import { type CardLimits, type Rooms, showCard, type ShownCard, sizeOfFact } from './show-card.ts';

/** The largest size of a message, in the unit in which `of` measures it. */
export interface Limit<Message> {
  readonly most: number;
  readonly of: (message: Message) => number;
}

export interface Fitted<Message> {
  readonly message: Message;
  readonly shown: ShownCard;
}

/** The parts' shares of a room that is too small for all; what one does not need goes to the others. Facts come first: ids identify a run. */
const WEIGHTS: Rooms = { facts: 20, message: 10, outputs: 5, text: 3, link: 3 };
const PARTS = Object.keys(WEIGHTS) as readonly (keyof Rooms)[];
const LEAST: Rooms = { facts: 500, message: 0, outputs: 0, text: 0, link: 0 };

/** A message that is too long is built anew at most this often, and until one fills this part of its limit. */
const TRIES = 6;
const ENOUGH = 0.9;

/** The part that is taken of a guessed room, which would be exact only if sizes grew evenly. */
const CAUTION = 0.97;

/** Builds the message, and again with less room while it is too long; each room is interpolated between one that fitted and one that did not. */
export function fitted<Message>(
  card: Card,
  most: CardLimits,
  limit: Limit<Message>,
  build: (shown: ShownCard) => Message,
): Fitted<Message> {
  const builtOf = (shown: ShownCard) => {
    const message = build(shown);
    return { message, shown, size: limit.of(message) };
  };
  const whole = builtOf(showCard(card, most));
  if (whole.size <= limit.most) return whole;
  const needs = needsOf(whole.shown);
  let tooLong = { ...whole, room: PARTS.reduce((sum, part) => sum + needs[part], 0) };
  let best = { ...builtOf(showCard(card, most, LEAST)), room: 0 };
  if (best.size > limit.most) return builtOf(showCard(card, most, { ...LEAST, facts: 0 }));
  for (let tries = 0; tries < TRIES && best.size < ENOUGH * limit.most; tries += 1) {
    const part = (limit.most - best.size) / (tooLong.size - best.size);
    const room = best.room + CAUTION * part * (tooLong.room - best.room);
    const built = { ...builtOf(showCard(card, most, roomsWithin(room, needs))), room };
    if (built.size > limit.most) tooLong = built;
    else best = built;
  }
  return best;
}

/** In characters. */
function needsOf({ message, text, link, facts, outputs }: ShownCard): Rooms {
  return {
    message: message.length,
    text: text.length,
    link: link?.url.length ?? 0,
    facts: facts.reduce((sum, fact) => sum + sizeOfFact(fact), 0),
    outputs: outputs.reduce((sum, line) => sum + lengthOf(line), 0),
  };
}

/** Serves first the part that needs least for its weight, so that what it leaves goes to the others. */
function roomsWithin(room: number, needs: Rooms): Partial<Rooms> {
  const rooms: Partial<Record<keyof Rooms, number>> = {};
  let [left, weights] = [room, PARTS.reduce((sum, part) => sum + WEIGHTS[part], 0)];
  for (const part of PARTS.toSorted((a, b) => needs[a] / WEIGHTS[a] - needs[b] / WEIGHTS[b])) {
    const share = Math.floor((left * WEIGHTS[part]) / weights);
    if (share < needs[part]) rooms[part] = share;
    left -= Math.min(share, needs[part]);
    weights -= WEIGHTS[part];
  }
  return rooms;
}
