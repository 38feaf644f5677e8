/** Expected messages in files, where people can read what is sent. `UPDATE_MESSAGES=1` writes them anew, to be read before a commit. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';

/** @param file an absolute path @param messages by the sentence that each proves, which a failure names */
export async function expectMessages(file: string, messages: object): Promise<void> {
  const text = JSON.stringify(messages);
  if (process.env['UPDATE_MESSAGES'] === '1') writeFileSync(file, await formatted(file, text));
  const parsed = (json: string) => JSON.parse(json) as Record<string, unknown>;
  const [told, expected] = [parsed(text), parsed(readFileSync(file, 'utf8'))];
  for (const [what, message] of Object.entries(told)) expect(message, what).to.deep.equal(expected[what]);
  expect(told).to.have.all.keys(Object.keys(expected));
}

export function expectText(file: string, text: string): void {
  if (process.env['UPDATE_MESSAGES'] === '1') writeFileSync(file, text);
  expect(text).to.equal(readFileSync(file, 'utf8'));
}

/** Formats with prettier, so that whatever fits on one line is on one. */
async function formatted(file: string, text: string): Promise<string> {
  const { format, resolveConfig } = await import('prettier');
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}
