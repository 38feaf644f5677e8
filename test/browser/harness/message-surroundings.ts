/** What stands around a message where its reader meets it, drawn for a picture: in Slack, and in a mail reader. */
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { inPage } from './in-page.ts';

export interface SlackSurroundings {
  readonly channel: string;
  readonly app: string;
  /** As Slack shows it: `10:01 AM`. */
  readonly time: string;
}

export interface MailSurroundings {
  readonly subject: string;
  readonly from: string;
  readonly to: string;
}

/** @param page shows the message alone, in the light theme */
export function surroundAsSlack(page: Page, surroundings: SlackSurroundings): Promise<void> {
  return inPage(page, drawSlack, surroundings);
}

export function surroundAsMail(page: Page, surroundings: MailSurroundings): Promise<void> {
  return inPage(page, drawMail, surroundings);
}

function drawSlack({ channel, app, time }: SlackSurroundings): void {
  const made = (tag: string, style: string, text = ''): HTMLElement => {
    const element = document.createElement(tag);
    element.style.cssText = style;
    element.textContent = text;
    return element;
  };
  const message = made('div', 'position:relative;padding:12px 20px 16px 72px');
  const by = made('div', 'margin-bottom:4px');
  by.append(
    made('b', '', app),
    made(
      'span',
      'margin:0 8px;padding:1px 4px;border-radius:3px;background:#e8e8e8;font-size:10px;font-weight:700;vertical-align:2px',
      'APP',
    ),
    made('span', 'color:#616061;font-size:12px', time),
  );
  const picture =
    'position:absolute;left:20px;top:14px;width:40px;height:40px;border-radius:8px;background:#1f2937;font-size:22px;line-height:40px;text-align:center';
  message.append(made('div', picture, '🔔'), by, ...document.body.childNodes);
  const bar = 'padding:12px 20px;border-bottom:1px solid #ddd;font-weight:900;font-size:18px';
  document.body.style.margin = '0';
  document.body.style.fontFamily = 'system-ui, sans-serif';
  document.body.append(made('div', bar, `# ${channel}`), message);
}

function drawMail({ subject, from, to }: MailSurroundings): void {
  const line = (style: string, text: string): HTMLElement => {
    const element = document.createElement('div');
    element.style.cssText = style;
    element.textContent = text;
    return element;
  };
  const head = line(
    'padding:16px 30px 12px;border-bottom:1px solid #d8dee6;background:#fff;font:14px/1.6 Arial,sans-serif;color:#5b6570',
    '',
  );
  head.append(
    line('font-size:20px;color:#1f2933;margin-bottom:6px', subject),
    line('', `From  ${from}`),
    line('', `To  ${to}`),
  );
  document.body.prepend(head);
}
