/** The configs in deploy/ are taken by `check`, and what stands in front of Botbell gives it the time that they ask for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { receiverOf } from '../../src/config/config.ts';
import { receiverSchema } from '../../src/config/schema.ts';
import { parseDuration, parseSize } from '../../src/time/display.ts';
import { runCommand } from '../support/command.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const CONFIGS = ['container/config/botbell.yaml', 'kubernetes/botbell.yaml', 'systemd/botbell.yaml'];
const PROXIES = ['container/Caddyfile', 'proxies/Caddyfile', 'proxies/nginx.conf'];

const textOf = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');

describe('The configs in deploy/', () => {
  for (const file of CONFIGS) {
    it(`are taken by \`check\`, without a warning: ${file}`, async () => {
      const path = join(DEPLOY, file);
      const { code, stdout } = await runCommand(['check', '--without-secrets', '--strict', '--config', path]);
      expect({ code, stdout }).to.deep.equal({ code: 0, stdout: `${path}: ok` });
    });

    it(`hold no secret: ${file}`, () => {
      const secrets = [...textOf(file).matchAll(/(?:token|password|url): *'(?<value>[^']*)'/g)];
      expect(secrets.length).to.be.at.least(3);
      for (const { groups } of secrets) expect(groups?.['value']).to.match(/\$\{file:\/run\//);
    });
  }
});

describe('The proxies in deploy/', () => {
  const { answerWithinMs, maxBodyBytes } = receiverOf(receiverSchema.getDefault());

  for (const file of PROXIES) {
    it(`wait longer than Botbell takes, and let pass more than it takes: ${file}`, () => {
      const [, wait = ''] = /(?:proxy_read_timeout|response_header_timeout) (\d+s)/.exec(textOf(file)) ?? [];
      expect(parseDuration(wait)).to.be.at.least(answerWithinMs + 1000);
      const [, size = ''] = /(?:client_max_body_size|max_size) (\d+)m/i.exec(textOf(file)) ?? [];
      expect(parseSize(`${size}mb`)).to.be.greaterThan(maxBodyBytes);
    });
  }
});
