/** Which addresses Slack takes behind a button or a link. */

/** Slack: Block Kit reference, button and image. */
const MAX_URL_LENGTH = 3000;

/** True for an http or https address that Slack takes as it is: it refuses blanks and lets `|`, `<` and `>` end a link. */
export function isUsableUrl(text: string): boolean {
  if (text.length > MAX_URL_LENGTH || !/^https?:\/\/[^\s<>|]+$/iu.test(text)) return false;
  return text.isWellFormed() && URL.canParse(text);
}
