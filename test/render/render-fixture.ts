/** What the render tests share: renderers with the built-in templates, and the sample callbacks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Callback } from '../../src/callback/callback.ts';
import { emailFormat } from '../../src/channels/email/format.ts';
import type { EmailMessage } from '../../src/channels/email/compose.ts';
import type { Language } from '../../src/time/display.ts';
import { slackFormat } from '../../src/channels/slack/format.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import type { MessageFormat } from '../../src/channels/channel.ts';
import type { DisplayConfig } from '../../src/config/config.ts';
import { BUILT_IN_TEMPLATES } from '../../src/package-files.ts';
import type { RenderTarget } from '../../src/render/catalog.ts';
import { Renderer, type TemplateFailure } from '../../src/render/renderer.ts';
import {
  NO_FOLDER,
  readTemplateFolder,
  type TemplateFolder as Templates,
} from '../../src/render/template-folder.ts';
import { noticeAbout } from '../support/callbacks.ts';
import { tempFolder } from '../support/temp-folder.ts';

export const BARE: Callback = {
  code: 200,
  job_id: 'j-1',
  bot_id: 'get_items',
  bot_name: 'Get items',
  status: 0,
  start_time: '2026-11-20T00:00:00Z',
};

export const LINKS = {
  job: 'https://example.com/jobs/{{ job_id }}',
  file: 'https://example.com/{{ ref }}',
} as const;

export const BUILT_IN = await readTemplateFolder(BUILT_IN_TEMPLATES, []);

export const FORMATS = { slack: slackFormat as MessageFormat, email: emailFormat as MessageFormat };

/** What a format draws for nobody in particular. */
export function targetOf(format: keyof typeof FORMATS | MessageFormat, templateSet?: string): RenderTarget {
  return { format: typeof format === 'string' ? FORMATS[format] : format, templateSet, options: {} };
}

export interface TestRenderer extends Pick<Renderer, 'render' | 'check'> {
  readonly failures: readonly TemplateFailure[];
  slack(callback: Callback, options?: TargetOptions): SlackMessage;
  email(callback: Callback, options?: TargetOptions): EmailMessage;
}

interface TargetOptions {
  readonly templateSet?: string;
  readonly attempt?: number;
  readonly delayedMs?: number;
  readonly mentions?: readonly string[];
}

interface RendererParts {
  readonly language?: Language;
  readonly links?: DisplayConfig['links'];
  readonly timezone?: string;
  readonly pageUrl?: string;
  readonly own?: Templates;
}

/** Somebody's own templates, for `testRenderer`. */
export function ownTemplates(folder: string): Promise<Templates> {
  return readTemplateFolder(folder, Object.keys(FORMATS));
}

export function testRenderer(parts: RendererParts = {}): TestRenderer {
  const { language = 'en', links = {}, timezone = 'Asia/Tokyo', pageUrl, own = NO_FOLDER } = parts;
  const failures: TemplateFailure[] = [];
  const display = { language, links, timezone, ...(pageUrl && { pageUrl }) };
  const renderer = new Renderer({ display, builtIn: BUILT_IN, own });
  const tell = (failure: TemplateFailure) => void failures.push(failure);
  const render = (
    format: MessageFormat,
    callback: Callback,
    { templateSet, attempt = 1, delayedMs, mentions }: TargetOptions,
  ) => {
    const options = mentions === undefined ? {} : { mention_on_error: mentions };
    const notice = { ...noticeAbout(callback, attempt, timezone), delayedMs };
    return renderer.render(notice, { format, templateSet, options }, tell).message;
  };
  return {
    render: renderer.render.bind(renderer),
    check: renderer.check.bind(renderer),
    failures,
    slack: (callback, options = {}) => render(FORMATS.slack, callback, options) as SlackMessage,
    email: (callback, options = {}) => render(FORMATS.email, callback, options) as EmailMessage,
  };
}

/** In a `describe`: a folder of template sets, an empty one for each of its tests. */
export function templateFolder(): TemplateFolder {
  const folder = new TemplateFolder();
  beforeEach(() => {
    folder.path = tempFolder();
  });
  return folder;
}

export class TemplateFolder {
  path = '';

  write(files: Readonly<Record<string, string>>): this {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), text);
    }
    return this;
  }
}
