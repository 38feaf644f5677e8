/** Slack addresses: a channel by name, or a conversation or user by ID. */
import { AddressError } from '../channel.ts';

/** Slack: conversations.create, "name": up to 80 characters. */
const MAX_NAME_LENGTH = 80;

const ID = /^[CDGUW][A-Z0-9]{5,}$/;

/** Letters and digits of any script, hyphens and underscores; Slack refuses spaces, periods and other punctuation. */
const NAME = /^(?:[a-z0-9_-]|[^\p{ASCII}\p{White_Space}\p{C}])+$/u;

const ACCEPTED = 'write a channel as "#name" or as its ID (C…), a person as a user ID (U…)';

/** `#name` in lower case, or the ID as it is. @throws {AddressError} */
export function parseSlackAddress(text: string): string {
  const address = text.trim().normalize('NFC');
  if (ID.test(address)) return address;
  // An IME types the full-width sign.
  const name = address.replace(/^[#＃]/u, '');
  if (ID.test(name)) throw new AddressError(`${quote(text)} is an ID behind a "#": write it without the "#"`);
  const canonical = name.toLowerCase();
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address))
    throw new AddressError(
      `${quote(text)} is a mail address, and Slack takes none: use a channel of the type email`,
    );
  if (canonical === '' || !NAME.test(canonical)) {
    throw new AddressError(
      `${quote(text)} is not a Slack channel: ${ACCEPTED}; names have no spaces or punctuation`,
    );
  }
  if (Array.from(canonical).length > MAX_NAME_LENGTH) {
    throw new AddressError(
      `the channel name is longer than Slack's ${MAX_NAME_LENGTH} characters: ${ACCEPTED}`,
    );
  }
  return `#${canonical}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text);
}
