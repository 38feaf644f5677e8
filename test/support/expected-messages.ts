/** Expected messages in files, so that one look shows what is sent. `UPDATE_MESSAGES=1` writes them anew, to be read before a commit. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';

/** @param file an absolute path */
export function expectMessages(file: string, messages: object): void {
  const text = `${JSON.stringify(messages, null, 2)}\n`;
  if (process.env['UPDATE_MESSAGES'] === '1') writeFileSync(file, text);
  expect(JSON.parse(text)).to.deep.equal(JSON.parse(readFileSync(file, 'utf8')));
}

/** @param file an absolute path */
export function expectText(file: string, text: string): void {
  if (process.env['UPDATE_MESSAGES'] === '1') writeFileSync(file, text);
  expect(text).to.equal(readFileSync(file, 'utf8'));
}
