/**
 * Where a foreign value lands, and so how it must be escaped:
 * - `mrkdwn`: a Slack mrkdwn text; - `markdown`: Markdown, as in Slack's block of that name;
 * - `rich`: a rich text in one piece, in which values are marked and taken as they are; - `literal`: text that nothing
 *   parses (a rich_text element, a cell); - `plain`: a Slack plain_text (no parsing is documented, none is relied on);
 * - `html`: HTML content or a quoted attribute; - `text`: plain multi-line text; - `line`: one line (a mail subject);
 * - `url`: a part of a URL.
 */
export type Landing = 'mrkdwn' | 'markdown' | 'rich' | 'literal' | 'plain' | 'html' | 'text' | 'line' | 'url';
