/** docs/senders/cloud-bot.md says what each answer costs that the endpoint may give, as its description (OpenAPI) has them. */
import { expect } from 'chai';
import { parse } from 'yaml';
import { readDocument } from '../support/documents.ts';

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Description {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
}

const TEXT = readDocument('docs/senders/cloud-bot.md');

/** Among the answers to any request, which are described together as the default. */
const TOO_SLOW = '408';

/** In the first column of the table of answers. */
function explained(): string[] {
  const rows = TEXT.matchAll(/^\| (\d{3}(?:, \d{3})*) +\|/gm);
  return [...rows].flatMap(([, statuses = '']) => statuses.split(', ')).toSorted();
}

describe('The page about Cloud BOT', () => {
  it('says of each answer to a callback what it costs', () => {
    const { paths } = parse(readDocument('docs/openapi.yaml')) as Description;
    const answers = Object.keys(paths['/callbacks']?.post?.responses ?? {});
    const statuses = new Set([...answers, TOO_SLOW]);
    statuses.delete('default');
    expect(explained()).to.deep.equal([...statuses].toSorted());
  });
});
