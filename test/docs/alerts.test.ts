/** docs/alerts.md says of each alert what to do. */
import { expect } from 'chai';
import { parse } from 'yaml';
import { ALERT_SUBJECTS } from '../support/alerts.ts';
import { headingsOf, readDocument } from '../support/documents.ts';

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
}

describe('The page about alerts', () => {
  it('has a section for each alert of Botbell and of Prometheus, and for no other', () => {
    const { groups } = parse(readDocument('deploy/prometheus-rules.yaml')) as Rules;
    const named = [
      ...ALERT_SUBJECTS.map(({ template }) => template),
      ...groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)),
    ];
    const sections = headingsOf(readDocument('docs/alerts.md')).filter(({ level }) => level === 3);
    expect(sections.map(({ text }) => text).toSorted()).to.deep.equal(named.toSorted());
  });
});
