/** Names as JSON and the store have them. */

/** `bot_id` for `botId`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
