/** The built program as an operator runs it: one process or two, on one store. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../child.ts';
import { folderOnDisk, discard } from '../scratch.ts';
import type { Setup } from './setup.ts';
import { type Remote, SLACK_TOKEN } from './remotes.ts';

export interface BridgeSettings {
  readonly store: string;
  readonly remote: Remote;
  /** A BOT's id, or a glob, and whom it reaches: `{ slack: "#ops" }`. */
  readonly routes: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
  /** Further keys of `delivery`, as YAML. */
  readonly delivery?: string;
  readonly keep?: string;
  /** Of the process. */
  readonly variables?: Readonly<Record<string, string>>;
}

export class Bridge {
  readonly #folder: string;
  readonly #replicas: readonly Child[];
  /** Where each replica takes callbacks. */
  readonly urls: readonly string[];

  private constructor(folder: string, replicas: readonly Child[], urls: readonly string[]) {
    this.#folder = folder;
    this.#replicas = replicas;
    this.urls = urls;
  }

  static async start({ dist, replicas, mode }: Setup, settings: BridgeSettings): Promise<Bridge> {
    const folder = folderOnDisk();
    const config = join(folder, 'botbell.yaml');
    writeFileSync(config, configOf(mode, settings));
    const children: Child[] = [];
    const urls: string[] = [];
    for (let started = 0; started < replicas; started += 1) {
      const child = new Child([join(dist, 'main.js'), 'serve', '--config', config], settings.variables);
      children.push(child);
      const { callbacks } = await child.announced<{ callbacks: string }>('callbacks');
      urls.push(callbacks);
    }
    return new Bridge(folder, children, urls);
  }

  /** User and system time of all replicas so far. */
  cpuMs(): number {
    return this.#replicas.reduce((sum, child) => sum + child.cpuMicros() / 1000, 0);
  }

  async end(): Promise<void> {
    await Promise.all(this.#replicas.map((child) => child.end()));
    discard(this.#folder);
  }
}

function configOf(
  mode: Setup['mode'],
  { store, remote, routes, delivery = '', keep = '30d' }: BridgeSettings,
): string {
  const lines = Object.entries(routes).map(
    ([botId, notify]) => `  - { bot_id: ${JSON.stringify(botId)}, notify: ${JSON.stringify(notify)} }`,
  );
  return `receiver: { listen: '127.0.0.1:0', answer_when: ${mode} }
admin: { listen: '127.0.0.1:0' }
store: { url: '${store}', keep: ${keep} }
delivery: { ${delivery} }
channels:
  slack: { type: slack, token: ${SLACK_TOKEN}, api_url: '${remote.slackApi}' }
  email: { type: email, smtp: 'smtp://127.0.0.1:${remote.smtpPort}/?ignoreTLS=true', from: alerts@example.com }
routes:
${lines.join('\n')}
`;
}
