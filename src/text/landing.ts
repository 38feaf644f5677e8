/**
 * Where a foreign value lands, and so how it must be escaped:
 * - `mrkdwn`: a Slack mrkdwn text; - `plain`: a Slack plain_text or rich_text text (no parsing is documented, none is relied on);
 * - `html`: HTML content or a quoted attribute; - `text`: plain multi-line text; - `line`: one line (a mail subject);
 * - `url`: a part of a URL.
 */
export type Landing = 'mrkdwn' | 'plain' | 'html' | 'text' | 'line' | 'url';
