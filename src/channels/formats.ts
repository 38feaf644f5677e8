/** Every message format there is. */
import { emailFormat } from './email-format.ts';
import type { MessageFormat } from './format.ts';
import { slackFormat } from './slack-format.ts';

const ALL: readonly MessageFormat[] = [slackFormat, emailFormat];

/** By name, which is also the name of a template folder. */
export const messageFormats: ReadonlyMap<string, MessageFormat> = new Map(
  ALL.map((format) => [format.name, format]),
);
